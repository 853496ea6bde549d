# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`sawtooth bench`, on a step compiled by hand (test/support/FakeModule.cpp). Times are what the
machine makes of them: only that they are there is tested."""

import json
import os
import subprocess
import tempfile
import unittest


class Bench(unittest.TestCase):
    def bench(self, *more, code=0):
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as step:
            step.write("sgd")
            step.flush()
            done = subprocess.run(
                [os.environ["SAWTOOTH"], "bench", step.name, *more],
                capture_output=True,
                text=True,
                timeout=120,
            )
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if code == 0 else done.stderr

    def report(self, *more):
        if "--steps" not in more:
            more = (*more, "--steps", "6")
        return json.loads(self.bench("--tensors", "20x1000", "--json", *more))

    def test_counts(self):
        report = self.report("--threads", "2")
        self.assertEqual((report["parameters"], report["tensors"]), (20000, 20))
        # reads g (2), then reads g, w and writes w, h, m (16)
        self.assertEqual(report["bytes_per_parameter"], 18)
        self.assertEqual((report["skipped"], report["threads"]), (0, 2))

    def test_skips(self):
        self.assertEqual(self.report("--skip-rate", "1")["skipped"], 6)
        self.assertEqual(self.report("--skip-rate", "0.5")["skipped"], 3)
        # floor(n * P) of n steps, with P as it is written: the double of 0.29 is a little less.
        self.assertEqual(self.report("--skip-rate", "0.29", "--steps", "100")["skipped"], 29)
        self.assertEqual(self.report("--skip-rate", "0.3", "--steps", "3")["skipped"], 0)
        # of g, w, h and m a skip reads g alone
        for rate, bytes_each in ("0", 18), ("1", 2):
            report = self.report("--skip-rate", rate, "--steps", "1")
            moved = report["bytes_per_second"] * report["seconds_per_step"]["median"]
            self.assertAlmostEqual(moved / report["parameters"], bytes_each)
        self.assertIn(
            "takes no list with an element",
            self.bench("--tensors", "3x0", "--skip-rate", "1", code=1),
        )

    def test_wrong_shares(self):
        for rate in ("nan", "-nan", "inf", "-0.1", "1.0000001", "0x", "half"):
            said = self.bench("--skip-rate=" + rate, code=2)
            self.assertIn(f"--skip-rate: expected a number from 0 to 1, got '{rate}'", said)

    def test_times(self):
        report = self.report("--threads", "1")
        for name in ("seconds_per_step", "bound_seconds"):
            times = report[name]
            self.assertLessEqual(0, times["min"])
            self.assertLessEqual(times["min"], times["median"])
            self.assertLessEqual(times["median"], times["max"])
        for name in (
            "compile_seconds",
            "cached_compile_seconds",
            "first_step_seconds",
            "ratio_to_bound",
            "bytes_per_second",
            "bound_bytes_per_second",
            "copy_bytes_per_second",
        ):
            self.assertGreater(report[name], 0, name)
        self.assertIsInstance(report["fixed_seconds_per_step"], float)

    def test_text(self):
        text = self.bench("--tensors", "3x100", "--steps", "2")
        for word in ("3 tensors", "18 bytes", "step/bound", "the bound:", "a copy:", "fixed cost"):
            self.assertIn(word, text)

    def test_tensors_from_a_file(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"a": [3, 5], "b": [], "c": [0]}, file)
            file.flush()
            report = json.loads(self.bench("--tensors", file.name, "--steps", "2", "--json"))
        self.assertEqual((report["parameters"], report["tensors"]), (16, 3))

    def test_wrong_lists(self):
        self.assertIn("expected gpt2, gpt2-xl", self.bench("--tensors", "gpt5", code=1))
        self.assertIn("cannot read", self.bench("--tensors", "/nowhere.json", code=1))
