# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cache of compiled steps as a user meets it. Named after the cases that the tests hold off."""

import os
import re
import shutil
import statistics
import stat
import subprocess
import time
import unittest

from integration.harness import Bench, Tensor

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
STEP = os.path.join(ROOT, "examples", "adamw", "step.mlir")
BIND = {
    "g": {"t": Tensor.of("F16", (3,), [1.0, -2.0, 0.5])},
    "w": {"t": Tensor.of("F32", (3,), [3.0, 4.0, 5.0])},
}
NOBODY = 65534


def count(run, word):
    return run.stderr.count("cache: " + word)


class CacheTest(unittest.TestCase):
    def setUp(self):
        self.bench = Bench()
        self.addCleanup(self.bench.__exit__)
        with open(STEP, encoding="utf-8") as file:
            self.text = file.read()
        self.step = self.bench.file("step.mlir", self.text)
        self.fresh = self.bench.run(self.step, bind=BIND, environment={"SAWTOOTH_CACHE_DIR": ""})
        self.fresh.expect(0)
        self.assertFalse(os.path.exists(self.bench.cache))

    def run_step(self, step=None, **options):
        return self.bench.run(step or self.step, bind=BIND, more=["--verbose"], **options)

    def expect_fresh(self, run):
        run.expect(0)
        self.assertEqual(run.state_bytes, self.fresh.state_bytes)

    def entries(self, suffix):
        names = sorted(n for n in os.listdir(self.bench.cache) if n.endswith(suffix))
        return [os.path.join(self.bench.cache, name) for name in names]


class Cache(CacheTest):
    def test_a_hit_loads_no_compiler(self):
        def libraries():
            run = self.run_step(environment={"LD_DEBUG": "files"}).expect(0)
            return set(re.findall(r"file=\S*?(\w+)\.so", run.stderr))

        self.assertIn("libSawtoothCompiler", libraries())
        second = libraries()
        self.assertIn("libc", second)
        self.assertFalse([name for name in second if re.search("Sawtooth|LLVM|MLIR", name)])

    def test_a_start_from_the_cache(self):
        # Printed, not asserted: how fast a machine is on a given day proves nothing.
        def start(environment):
            begin = time.perf_counter()
            self.bench.run(self.step, bind=BIND, save=False, environment=environment).expect(0)
            return time.perf_counter() - begin

        cold = statistics.median(start({"SAWTOOTH_CACHE_DIR": ""}) for _ in range(5))
        start({})
        cached = statistics.median(start({}) for _ in range(5))
        print(
            f"\nstart: cold {cold * 1e3:.1f} ms, cached {cached * 1e3:.1f} ms, "
            f"ratio {cached / cold:.2f}"
        )


class Cases(CacheTest):
    """Of the case list, by number."""

    def test_b50_a_hundred_learning_rates_compile_once(self):
        compiled, hits, state = 0, 0, None
        for i in range(100):
            run = self.run_step(set={"lr": 1e-3 * (i + 1)}, load=state).expect(0)
            state = run.state_file
            compiled += count(run, "compiled")
            hits += count(run, "hit")
        self.assertEqual((compiled, hits), (1, 99))
        self.assertEqual([len(self.entries(s)) for s in (".so", ".ref")], [1, 1])
        self.assertEqual(run.scalar("train.attempted"), 100)

    def test_b54_a_damaged_entry_is_compiled_again_and_replaced(self):
        self.expect_fresh(self.run_step())
        for suffix in (".so", ".ref"):
            (entry,) = self.entries(suffix)
            with open(entry, "rb") as file:
                whole = file.read()
            flipped = bytearray(whole)
            flipped[len(whole) // 2] ^= 16
            half = whole[: len(whole) // 2]
            for damaged in (b"", whole[:1], half, whole[:-1], flipped, b"x" * 99):
                with open(entry, "wb") as file:
                    file.write(damaged)
                run = self.run_step()
                self.expect_fresh(run)
                self.assertIn("warning: a cached artifact is not used: ", run.stderr)
                with open(entry, "rb") as file:
                    self.assertEqual(file.read(), whole)
                self.assertEqual(count(self.run_step(), "hit"), 1)

    def test_b54_many_processes_at_once(self):
        command = [*self.bench.tool, "compile", self.step, "--chip", "x86-64-v3"]
        running = [
            subprocess.Popen(
                [*command, "-o", self.bench.path(f"{i}.so")], env=self.bench.environment
            )
            for i in range(8)
        ]
        self.assertEqual([process.wait(300) for process in running], [0] * 8)
        contents = set()
        for i in range(8):
            with open(self.bench.path(f"{i}.so"), "rb") as file:
                contents.add(file.read())
        self.assertEqual(len(contents), 1)
        self.assertEqual(len(os.listdir(self.bench.cache)), 2)

    def test_b55_what_changes_the_code_changes_the_key(self):
        keys = set()
        variants = [
            (self.step, None),
            (self.step, "x86-64-v3"),
            (self.step, "x86-64-v4"),
            (self.bench.file("other.mlir", self.text.replace("beta1 = 0.9", "beta1 = 0.8")), None),
            (self.bench.file("name.mlir", self.text.replace("@train", "@fit")), None),
        ]
        for step, chip in variants:
            flags = ["--chip", chip] if chip else []
            command = [*self.bench.tool, "compile", step, "-o", "/dev/null", "-v", *flags]
            done = subprocess.run(
                command, capture_output=True, text=True, env=self.bench.environment, timeout=60
            )
            compiled = re.findall(r"cache: compiled ([0-9a-f]{32})", done.stderr)
            self.assertEqual(len(compiled), 1, done.stderr)
            keys.add(compiled[0])
        self.assertEqual(len(keys), len(variants))

    def test_b55_an_entry_for_another_chip_is_repaired(self):
        self.expect_fresh(self.run_step(chip="x86-64-v3"))
        (v3,) = self.entries(".so")
        self.expect_fresh(self.run_step())
        (native,) = set(self.entries(".so")) - {v3}
        with open(native, "rb") as file:
            whole = file.read()
        shutil.copy(v3, native)
        run = self.run_step()
        self.expect_fresh(run)
        self.assertIn("it is for another key", run.stderr)
        with open(native, "rb") as file:
            self.assertEqual(file.read(), whole)

    def test_b55_comments_order_and_locations_do_not_matter(self):
        self.assertEqual(count(self.run_step(), "compiled"), 1)
        forms = [
            self.text.replace("amp.model", "// a comment\n\n\namp.model"),
            self.text.replace(
                "beta1 = 0.9, weight_decay = @decay", "weight_decay = @decay, beta1 = 0.9"
            ),
            re.sub(r"%u\b", "%unscaled", self.text),
        ]
        for i, form in enumerate(forms):
            self.assertNotEqual(form, self.text)
            run = self.run_step(self.bench.file(f"form{i}.mlir", form))
            self.expect_fresh(run)
            self.assertEqual((count(run, "compiled"), count(run, "hit")), (0, 1), run.stderr)
        self.assertEqual(len(self.entries(".so")), 1)

    def test_b55_an_import_that_changed_is_compiled_again(self):
        rule = self.bench.path("rule.mlir")
        inputs = os.path.join(ROOT, "test", "Transforms", "Inputs")
        shutil.copy(os.path.join(inputs, "nested", "halving-rule.mlir"), rule)
        step = self.bench.file("main.mlir", 'amp.import "rule.mlir"\n' + self.text)
        self.assertEqual(count(self.run_step(step), "compiled"), 1)
        self.assertEqual(count(self.run_step(step), "hit"), 1)
        with open(rule, "a", encoding="utf-8") as file:
            file.write("// changed\n")
        run = self.run_step(step)
        self.expect_fresh(run)
        self.assertIn("rule.mlir has changed", run.stderr)
        os.remove(rule)
        self.run_step(step).expect(1, "cannot read")

    def test_b56_the_same_from_everywhere(self):
        other = self.bench.path("elsewhere")
        os.mkdir(other)
        shutil.copy(self.step, other)
        results, keys = set(), set()
        for i, (cwd, environment) in enumerate(
            (
                (self.bench.folder, {}),
                (other, {}),
                (other, {"HOME": other, "LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"}),
                (self.bench.folder, {"TZ": "Asia/Kathmandu", "USER": "somebody"}),
            )
        ):
            for cached in (False, True):
                path = self.bench.path(f"{i}{cached}.so")
                env = {**self.bench.environment, **environment}
                if not cached:
                    env["SAWTOOTH_CACHE_DIR"] = ""
                command = [*self.bench.tool, "compile", "step.mlir", "-v", "-o", path]
                done = subprocess.run(
                    command, cwd=cwd, env=env, capture_output=True, text=True, timeout=60
                )
                self.assertEqual(done.returncode, 0, done)
                with open(path, "rb") as file:
                    results.add(file.read())
                keys.update(re.findall(r"cache: (?:compiled|hit) ([0-9a-f]{32})", done.stderr))
                if cached:
                    self.assertEqual("cache: hit" in done.stderr, i > 0, done.stderr)
        self.assertEqual(len(results), 1, "the same bytes, from the cache and without it")
        self.assertEqual(len(keys), 2, "a key of the bytes and one of the module")

    def test_b57_without_a_folder_it_says_so_once_and_goes_on(self):
        shared = self.bench.path("shared")
        os.mkdir(shared)
        os.chmod(shared, 0o777)
        for environment, words in (
            ({"SAWTOOTH_CACHE_DIR": "/proc/x"}, "/proc/x"),
            ({"SAWTOOTH_CACHE_DIR": shared}, "can be written by others"),
            (
                {"SAWTOOTH_CACHE_DIR": None, "XDG_CACHE_HOME": None, "HOME": None},
                "none of SAWTOOTH_CACHE_DIR, XDG_CACHE_HOME and HOME",
            ),
        ):
            with self.subTest(words=words):
                run = self.run_step(environment=environment)
                self.expect_fresh(run)
                self.assertEqual(run.stderr.count("compiled code is not kept"), 1, run.stderr)
                self.assertIn(words, run.stderr)
        self.assertEqual(os.listdir(shared), [])

    def test_b57_where_it_lies_by_default(self):
        home = self.bench.path("home")
        os.mkdir(home)
        for xdg, folder in ((None, ".cache/sawtooth"), (self.bench.path("xdg"), "../xdg/sawtooth")):
            run = self.run_step(
                environment={"SAWTOOTH_CACHE_DIR": None, "HOME": home, "XDG_CACHE_HOME": xdg}
            )
            self.expect_fresh(run)
            mode = os.stat(os.path.join(home, folder)).st_mode
            self.assertEqual(stat.S_IMODE(mode), 0o700)
            self.assertEqual(len(os.listdir(os.path.join(home, folder))), 2)

    def test_b57_a_read_only_folder_still_hits(self):
        self.expect_fresh(self.run_step())
        os.chmod(self.bench.cache, 0o500)
        self.addCleanup(os.chmod, self.bench.cache, 0o700)
        run = self.run_step()
        self.expect_fresh(run)
        self.assertEqual(count(run, "hit"), 1)
        self.assertNotIn("warning", run.stderr)

    @unittest.skipUnless(os.geteuid() == 0, "needs the right to become another user")
    def test_b57_a_folder_of_another_user_is_not_used(self):
        self.expect_fresh(self.run_step())
        os.chown(self.bench.cache, NOBODY, NOBODY)
        run = self.run_step()
        self.expect_fresh(run)
        self.assertEqual(count(run, "hit"), 0)
        self.assertIn(f"this folder belongs to user {NOBODY}", run.stderr)


if __name__ == "__main__":
    unittest.main()
