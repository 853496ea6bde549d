# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The PTX of every built-in rule, for every chip: what must not be in it, and what ptxas says."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import programs
from nvptx.compiler import assemble, emit, find_ptxas

SOURCE = HERE.parents[2]
RULES = ("sgd", "adam", "adamw", "lion", "lamb")
GRADIENTS = ("f16", "bf16", "f32")
CHIPS = (
    "sm_75 sm_80 sm_86 sm_87 sm_89 sm_90 sm_90a sm_100 sm_103 sm_110 sm_120 sm_121"
).split()


class Step:
    """A module with one rule, as text in a file, and its PTX by chip."""

    def __init__(self, folder, rule, gradients):
        copy = None if gradients == "f32" else gradients
        text = programs.step(rule, {"lr": 1e-3}, {}, gradients, copy, max_norm=1.0)
        self.path = pathlib.Path(folder, f"{rule}-{gradients}.mlir")
        self.path.write_text(text)

    def ptx(self, chip):
        return emit(self.path, "ptx", chip)


class PTX(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def check_text(self, text, rule, chip):
        # A fused operation where no rule asks for one, an approximation, flushed subnormals.
        for word in (r"\bfma\.", r"\bmad\.\S*f\d\d", r"\.approx", r"\.ftz", r"\.full\b", "__nv_"):
            self.assertIsNone(re.search(word, text), f"{word} for {chip}")
        self.assertNotIn(".extern", text)
        defined = set(re.findall(r"^\.func\s+(?:\(.*?\)\s*)?(\S+?)\(", text, re.M))
        called = set(re.findall(r"call\.uni\s*(?:\(\w+\),\s*)?(\S+?),", text))
        self.assertLessEqual(called, defined)
        # One pointer; LAMB's norms need a third pass.
        entries = re.findall(r"\.visible \.entry (\w+)\((.*?)\)", text, re.S)
        self.assertEqual(len(entries), 3 if rule == "lamb" else 2)
        for _, parameters in entries:
            self.assertEqual(len(re.findall(r"\.param", parameters)), 1)
            self.assertIn(".param .u64", parameters)
        # LLVM 22 drops order and scope of the ticket's atomic: the fences must stand beside it.
        for ticket in re.findall(r"(.*)\n(\s*atom\..*)\n(.*)", text):
            self.assertIn("atom.global.add.u32", ticket[1])
            self.assertIn("fence.acq_rel.gpu", ticket[0])
            self.assertIn("fence.acq_rel.gpu", ticket[2])
        self.assertEqual(len(re.findall(r"\batom\.", text)), len(entries))
        # Order for the host. The row's number becomes 0; every thread has a fence of its own
        # between that and what it writes; what all have written comes before the new number.
        self.assertRegex(
            text,
            r"st\.volatile\.global\.b64 \s*\[%rd\d+\], 0;\n"
            r"\S+:\n\s*bar\.sync \s*0;\n\s*fence\.acq_rel\.sys;\n",
        )
        self.assertRegex(
            text,
            r"bar\.sync \s*0;\n\s*@%p\d+ bra \s*(\S+);\n(?:\s*add.*\n)?\s*fence\.acq_rel\.sys;\n"
            r"(?:\s*add.*\n)?\s*st\.volatile\.global\.b64 .*\n\s*st\.global\.b64 .*\n\1:\n\s*ret;",
        )


def check_rule(rule):
    def test(self):
        for gradients in GRADIENTS:
            step = Step(self.folder.name, rule, gradients)
            for chip in CHIPS:
                with self.subTest(gradients=gradients, chip=chip):
                    ptx = step.ptx(chip)
                    text = ptx.decode()
                    self.assertIn(f".target {chip}\n", text)
                    self.check_text(text, rule, chip)
                    kernels = assemble(ptx, chip) if find_ptxas() else {}
                    for kernel, (registers, spilled) in kernels.items():
                        self.assertEqual(spilled, 0, f"{kernel} spills")
                        self.assertLessEqual(registers, 128, kernel)
        if not find_ptxas():
            self.skipTest("NO PTXAS: the text is checked, spills and registers are NOT")

    return test


for each in RULES:
    setattr(PTX, f"test_{each}_", check_rule(each))


class Registers(unittest.TestCase):
    def test_adamw_keeps_a_thousand_threads_on_a_processor(self):
        if not find_ptxas():
            self.skipTest("NO PTXAS: registers are NOT checked; install CUDA 13's")
        path = SOURCE / "examples" / "adamw" / "step.mlir"
        for chip in CHIPS:
            with self.subTest(chip=chip):
                kernels = assemble(emit(path, "ptx", chip), chip)
                self.assertEqual(len(kernels), 2)
                for kernel, (registers, spilled) in kernels.items():
                    self.assertLessEqual(registers, 64, kernel)
                    self.assertEqual(spilled, 0, kernel)


class Cases(unittest.TestCase):
    STEP = SOURCE / "examples" / "adamw" / "step.mlir"

    def test_B37_addresses_have_64_bits(self):
        # A chunk's number is widened before it is multiplied by the chunk's size, 2^14.
        text = emit(self.STEP, "ptx", "sm_90").decode()
        self.assertIn(".address_size 64", text)
        self.assertRegex(text, r"shl\.b64 \s*%rd\d+, %rd\d+, 1[456];")
        self.assertNotRegex(text, r"\[%r\d")

    def test_B61_roots_and_quotients_are_rounded(self):
        for chip in CHIPS:
            with self.subTest(chip=chip):
                text = emit(self.STEP, "ptx", chip).decode()
                for operation in ("sqrt.rn.f32", "div.rn.f32", "sqrt.rn.f64", "div.rn.f64"):
                    self.assertIn(operation, text)
                self.assertNotIn("approx", text)

    def test_B62_subnormals_are_kept(self):
        for chip in CHIPS:
            self.assertNotIn(".ftz", emit(self.STEP, "ptx", chip).decode())

    def test_B66_multiply_and_add_stay_two(self):
        for chip in CHIPS:
            text = emit(self.STEP, "ptx", chip).decode()
            self.assertIn("mul.rn.f32", text)
            self.assertIn("add.rn.f32", text)
            self.assertNotIn("fma", text)

    def test_B67_bf16_where_the_chip_has_none(self):
        path = SOURCE / "examples" / "adamw" / "bf16.mlir"
        text = emit(path, "ptx", "sm_75").decode()
        self.assertNotRegex(text, r"cvt\.\S*bf16")

    def test_B72_no_code_runs_when_it_is_loaded(self):
        text = emit(self.STEP, "ptx", "sm_90").decode()
        self.assertEqual(set(re.findall(r"\.entry (\w+)", text)),
                         {"sawtooth_train_0", "sawtooth_train_1"})
        self.assertNotRegex(text, r"(?m)_array|^\.global")


class Cubins(unittest.TestCase):
    STEP = SOURCE / "examples" / "adamw" / "step.mlir"

    def test_is_machine_code_for_the_chip(self):
        if not find_ptxas():
            self.skipTest("NO PTXAS: no cubin is made; install CUDA 13's")
        for chip in ("sm_75", "sm_90a", "sm_121"):
            with self.subTest(chip=chip):
                cubin = emit(self.STEP, "cubin", chip, ptxas=find_ptxas())
                self.assertEqual(cubin[:4], b"\x7fELF")
                self.assertEqual(int.from_bytes(cubin[18:20], "little"), 190)  # EM_CUDA
                self.assertIn(b"sawtooth_train_1", cubin)

    def test_without_ptxas_a_cubin_is_refused(self):
        for ptxas, words in (
            (None, "no ptxas was given"),
            ("/nowhere/ptxas", "cannot run '/nowhere/ptxas'"),
        ):
            with self.assertRaisesRegex(AssertionError, words):
                emit(self.STEP, "cubin", "sm_90", ptxas=ptxas)


class Assembler(unittest.TestCase):
    """The tool with a ptxas of the test's own, which says what CUDA's says."""

    STEP = SOURCE / "examples" / "adamw" / "step.mlir"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def ptxas(self, *lines):
        """The path of a program; its arguments are -v -arch=CHIP -o CUBIN PTX."""
        path = self.folder / "cuda" / "bin" / "ptxas"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(("#!/bin/sh", *lines, "")))
        path.chmod(0o755)
        return path

    def call(self, *arguments):
        environment = dict(os.environ, CUDA_HOME=str(self.folder / "cuda"), SAWTOOTH_CACHE_DIR="")
        command = [os.environ["SAWTOOTH"], *map(str, arguments)]
        return subprocess.run(command, env=environment, capture_output=True, text=True)

    def test_B76_what_an_old_ptxas_refuses(self):
        old = self.ptxas("echo \"ptxas fatal   : Value 'sm_121' is not defined\" >&2", "exit 1")
        said = f"'{old}' refuses the PTX for sm_121: ptxas fatal   : Value 'sm_121' is not defined"
        output = self.folder / "out"
        done = self.call("compile", self.STEP, "--emit=cubin", "--chip=sm_121", "-o", output)
        self.assertEqual((done.returncode, done.stderr.count("error:")), (1, 1), done.stderr)
        self.assertIn(said, done.stderr)
        self.assertFalse(output.exists())
        # PTX needs none, and an artifact does with it.
        done = self.call("compile", self.STEP, "--emit=ptx", "--chip=sm_121", "-o", output)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = self.call("compile", self.STEP, "--chip=sm_121", "-o", output)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"warning: no cubin for sm_121, PTX alone: {said}", done.stderr)
        done = self.call("explain", output)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.splitlines(), [
            "sawtooth: note: what kernels take of a GPU is not known, since there is no cubin",
        ])
        self.assertNotIn("registers", done.stdout)

    def test_B76_a_ptxas_that_says_nothing(self):
        for line, said in (("exit 3", "it says nothing and exits with 3"),
                           ("kill -9 $$", "it ends by signal 9")):
            silent = self.ptxas(line)
            done = self.call(
                "compile", self.STEP, "--emit=cubin", "--chip=sm_90", "-o", self.folder / "out"
            )
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"'{silent}' refuses the PTX for sm_90: {said}\n", done.stderr)

    def test_B76_the_flag_comes_before_the_environment(self):
        self.ptxas("exit 1")
        done = self.call(
            "compile",
            self.STEP,
            "--emit=cubin",
            "--ptxas=/nowhere/ptxas",
            "-o",
            self.folder / "out",
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot run '/nowhere/ptxas': No such file or directory", done.stderr)
        done = self.call(
            "compile",
            self.STEP,
            "--chip=sm_90",
            "--ptxas=/nowhere/ptxas",
            "-o",
            self.folder / "out",
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nowhere/ptxas: cannot read", done.stderr)

    def test_explain_tells_what_ptxas_says(self):
        # The words are those of ptxas 13.0, whose functions come with no registers.
        self.ptxas(
            "printf '\\177ELF' > \"$4\"",
            "cat >&2 <<'TEXT'",
            "ptxas info    : 0 bytes gmem",
            "ptxas info    : Compiling entry function 'sawtooth_train_1' for 'sm_90'",
            "ptxas info    : Function properties for sawtooth_train_1",
            "    16 bytes stack frame, 16 bytes spill stores, 24 bytes spill loads",
            "ptxas info    : Used 128 registers, used 1 barriers, 16 bytes cumulative stack size, "
            "8 bytes smem",
            "ptxas info    : Compile time = 40.781 ms",
            "ptxas info    : Compiling entry function 'sawtooth_train_0' for 'sm_90'",
            "ptxas info    : Function properties for sawtooth_train_0",
            "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads",
            "ptxas info    : Used 58 registers, used 1 barriers, 2080 bytes smem, "
            "400 bytes cmem[0]",
            "ptxas info    : Function properties for sawtooth_$_find",
            "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads",
            "ptxas info    : Function properties for sawtooth_$_fold",
            "    0 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads",
            "TEXT",
        )
        expected = {
            "sawtooth_train_0": {"registers": 58, "spilled_bytes": 0, "shared_bytes": 2080},
            "sawtooth_train_1": {"registers": 128, "spilled_bytes": 40, "shared_bytes": 8},
        }
        artifact = self.folder / "step.so"
        done = self.call("compile", self.STEP, "--chip=sm_90", "-o", artifact)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for what in ((artifact,), (self.STEP, "--chip=sm_90")):
            done = self.call("explain", *what, "--json")
            (step,) = json.loads(done.stdout)["steps"]
            self.assertEqual(
                step["kernels"],
                [
                    {"name": name, "threads": 256, "chips": {"sm_90": use}}
                    for name, use in expected.items()
                ],
            )
        text = " ".join(self.call("explain", artifact).stdout.split())
        self.assertIn(
            "kernels sawtooth_train_0: 58 registers on sm_90; 2,080 bytes shared "
            "sawtooth_train_1: 128 registers on sm_90; 8 bytes shared; 40 bytes spilled on sm_90 "
            "sawtooth_$_fold, which kernels call: 8 bytes spilled on sm_90",
            text,
        )

    def test_explain_tells_what_the_real_one_says(self):
        if not find_ptxas():
            self.skipTest("NO PTXAS: registers are NOT compared; install CUDA 13's")
        path = SOURCE / "examples" / "adamw" / "fp32.mlir"
        done = self.call("explain", path, "--chip=sm_80", f"--ptxas={find_ptxas()}", "--json")
        (step,) = json.loads(done.stdout)["steps"]
        told = {kernel["name"]: kernel["chips"]["sm_80"] for kernel in step["kernels"]}
        known = assemble(emit(path, "ptx", "sm_80"), "sm_80")
        self.assertEqual(
            {name: (use["registers"], use["spilled_bytes"]) for name, use in told.items()},
            {name: tuple(use) for name, use in known.items()},
        )


class Chips(unittest.TestCase):
    def refusal(self, chip):
        path = SOURCE / "examples" / "adamw" / "step.mlir"
        with self.assertRaises(AssertionError) as caught:
            emit(path, "ptx", chip)
        return str(caught.exception)

    def test_B68_unknown_and_old_chips_are_refused_with_the_list(self):
        for chip in ("sm_70", "sm_999", "sm_103b", "native", ""):
            with self.subTest(chip=chip):
                text = self.refusal(chip)
                self.assertIn(f"expected a chip of target nvptx, got '{chip}'", text)
                for known in CHIPS:
                    self.assertIn(known, text)


if __name__ == "__main__":
    unittest.main()
