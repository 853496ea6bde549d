# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every command: its help, its usage errors, its exit codes."""

import os
import subprocess
import tempfile
import unittest

TOOL = os.environ["SAWTOOTH"]


def sawtooth(*arguments, tool=TOOL):
    return subprocess.run([tool, *arguments], capture_output=True, text=True, timeout=60)


class Commands(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.step = self.file("step.mlir", "sgd")

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def expect(self, done, code, *words):
        self.assertEqual(done.returncode, code, done)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_help_fits_one_screen_and_shows_an_example(self):
        for command in ([], ["run"], ["explain"], ["compile"], ["rules"]):
            done = sawtooth(*command, "--help")
            self.expect(done, 0)
            lines = done.stdout.splitlines()
            self.assertLessEqual(len(lines), 40, command)
            self.assertLessEqual(max(map(len, lines)), 85, command)
            self.assertIn("example:\n  sawtooth", done.stdout)
            self.assertEqual(done.stderr, "")

    def test_help_of_run_names_every_flag(self):
        text = sawtooth("run", "--help").stdout
        for flag in (
            "program step bind set steps until data batch epochs seed eval load save save-every "
            "load-scaler save-scaler log threads chip target"
        ).split():
            self.assertIn(f"--{flag} ", text)

    def test_version(self):
        self.assertRegex(sawtooth("--version").stdout, r"^sawtooth \d+\.\d+\.\d+\n$")

    def test_wrong_usage_is_2(self):
        for arguments, words in (
            ([], ["usage: sawtooth"]),
            (["compile", self.step, "--emit=ptx", "--target=cpu"], ["for --target=nvptx"]),
            (["compile", self.step, "--emit=cubin", "--chip=x86-64-v3", "-o", "x"],
             ["for --target=nvptx"]),
            (["rum"], ["unknown command 'rum'", "did you mean 'run'?"]),
            (["run"], ["STEP.mlir is required", "try 'sawtooth run --help'"]),
            (["run", self.step, "--nonsense"], ["--nonsense"]),
            (["run", self.step, "other.mlir"], ["other.mlir"]),
            (["run", self.step, "--steps", "many"], ["--steps"]),
            (["run", self.step, "--steps", "-1"], ["--steps"]),
            (["run", self.step, "--threads", "0"], ["--threads"]),
            (["run", self.step, "--until", "skipped=3"], ["expected --until applied=N"]),
            (["run", self.step, "--step", "a", "--program", "b"], ["--step"]),
            (["run", self.step, "--save-every", "2"], ["--save"]),
            (["run", self.step, "--target", "abacus"], ["abacus"]),
            (["explain", self.step, "--chip", "sm_9x"], ["sm_75", "x86-64-v3"]),
            (["compile", self.step, "--emit", "brass"], ["brass", "sweep"]),
            (["compile", self.step, "--emit", "asm", "--verify-only"], ["--verify-only"]),
            (["rules", "--kind", "golden"], ["golden", "optimizer"]),
        ):
            with self.subTest(arguments=arguments):
                done = sawtooth(*arguments)
                self.expect(done, 2, *words)
                self.assertEqual(done.stdout, "")

    def test_the_file_may_come_after_options_that_may_be_repeated(self):
        done = sawtooth(
            "compile", "--target", "cpu", "--chip", "native", self.step, "--emit", "sweep"
        )
        self.expect(done, 0)
        done = sawtooth("run", "--set", "lr=1", "--bind", "w=nothing.safetensors", self.step)
        self.expect(done, 1, "nothing.safetensors")
        self.expect(sawtooth("run", "--set", "lr=1", self.step, "other.mlir"), 2, "other.mlir")

    def test_the_compilers_diagnostics_pass_through(self):
        wrong = self.file("wrong.mlir", "nothing")
        for command in (
            ["run", wrong],
            ["explain", wrong],
            ["compile", wrong, "--emit=llvm"],
            ["compile", wrong, "--verify-only"],
        ):
            done = sawtooth(*command)
            self.expect(done, 1)
            self.assertEqual(
                done.stderr, f"{wrong}:1:1: error: expected 'sgd' or 'fit', got 'nothing'\n"
            )

    def test_compile_hands_stage_target_chip_and_batch_on(self):
        done = sawtooth("compile", self.step, "--emit=llvm", "--chip", "x86-64-v3", "--batch=4")
        self.expect(done, 0)
        self.assertEqual(done.stdout, "llvm cpu x86-64-v3 4\n")
        self.assertEqual(sawtooth("compile", self.step, "--verify-only").stdout, "")

    def test_compile_writes_a_file(self):
        output = os.path.join(self.folder, "out.s")
        done = sawtooth("compile", self.step, "--emit=asm", "-o", output)
        self.expect(done, 0)
        self.assertEqual(done.stdout, "")
        with open(output, encoding="utf-8") as file:
            self.assertEqual(file.read(), "asm cpu native 0\n")
        self.expect(sawtooth("compile", self.step, "--emit=asm", "-o", "/dev/null"), 0)
        self.assertFalse(os.path.isfile("/dev/null"))
        nowhere = os.path.join(self.folder, "no", "out.s")
        self.expect(
            sawtooth("compile", self.step, "--emit=asm", "-o", nowhere), 1, "cannot create"
        )

    def test_rules(self):
        self.assertEqual(sawtooth("rules").stdout, "all all\n")
        self.assertEqual(sawtooth("rules", "--kind=policy", "p").stdout, "policy p\n")

    def test_links_no_llvm(self):
        libraries = subprocess.run(["ldd", TOOL], capture_output=True, text=True, check=True).stdout
        self.assertIn("libc.so", libraries)
        for name in ("libLLVM", "libMLIR", "libSawtoothCompiler"):
            self.assertNotIn(name, libraries)

    def test_without_a_compiler_library(self):
        lonely = os.path.join(self.folder, "sawtooth")
        with open(TOOL, "rb") as source, open(lonely, "wb") as target:
            target.write(source.read())
        os.chmod(lonely, 0o755)
        done = sawtooth("explain", self.step, tool=lonely)
        self.expect(done, 1, "cannot load the compiler library", "libSawtoothCompiler.so")
        self.expect(sawtooth("--help", tool=lonely), 0)


if __name__ == "__main__":
    unittest.main()
