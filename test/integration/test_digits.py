# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The demo: what it reaches, what loss scaling is worth to it, and that its state is one file."""

import os
import sys
import unittest

from harness import Bench

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLE = os.path.join(HERE, "..", "..", "examples", "digits")
TRAIN = os.path.join(EXAMPLE, "train.mlir")
DATA = ["--data", os.path.join(EXAMPLE, "digits.safetensors")]
# A policy whose scale starts at 1 and neither grows nor backs off: no scaling.
UNSCALED = {"s.scale": 1, "s.growth": 1, "s.backoff": 1}


def accuracy(run):
    """The number that the last line printed ends with."""
    return float(run.stdout.split()[-1])


class Digits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bench = Bench()
        cls.whole = cls.bench.run(TRAIN, more=DATA).expect(0)

    @classmethod
    def tearDownClass(cls):
        with cls.bench:
            pass

    def test_reaches_an_accuracy_worth_having(self):
        self.assertGreaterEqual(accuracy(self.whole), 0.96)
        tests = [line for line in self.whole.log if line["name"] == "test"]
        self.assertEqual(len(tests), 20)  # after each epoch
        self.assertAlmostEqual(tests[-1]["log"]["accuracy"], accuracy(self.whole), delta=5e-4)
        # 360 examples, the last batch of them smaller: a share of 360ths.
        self.assertAlmostEqual(tests[-1]["log"]["accuracy"] * 360 % 1, 0.0, delta=1e-3)

    def test_starts_with_skips_until_the_scale_fits(self):
        steps = [line for line in self.whole.log if line["name"] == "train"]
        self.assertEqual(len(steps), 20 * (1437 // 32))
        first = [line["applied"] for line in steps].index(True)
        self.assertGreaterEqual(first, 3)
        for number, line in enumerate(steps[:first]):
            self.assertEqual(line["scalers"]["s"]["scale"], 2.0 ** (24 - number - 1))
            self.assertIn("gradient", line["cause"])
        self.assertEqual(self.whole.scalar("train.calibration_skips"), first)
        self.assertGreater(self.whole.scalar("train.skipped"), first)

    def test_is_the_same_file_for_every_machine(self):
        for threads, chip in ((1, "native"), (2, "x86-64-v3")):
            run = self.bench.run(TRAIN, more=DATA, threads=threads, chip=chip).expect(0)
            self.assertEqual(run.state_bytes, self.whole.state_bytes, (threads, chip))

    def test_is_the_same_file_when_stopped_on_the_way(self):
        half = self.bench.run(TRAIN, more=DATA, steps=433).expect(0)
        rest = self.bench.run(TRAIN, more=DATA, load=half.state_file).expect(0)
        self.assertEqual(rest.state_bytes, self.whole.state_bytes)

    def test_a_small_loss_needs_its_scale(self):
        weight = {"weight": 1e-5}
        scaled = self.bench.run(TRAIN, more=DATA, set=weight).expect(0)
        unscaled = self.bench.run(TRAIN, more=DATA, set={**weight, **UNSCALED}).expect(0)
        self.assertGreaterEqual(accuracy(scaled), 0.95)
        self.assertLess(accuracy(unscaled), 0.9)
        # Why: most elements are lost.
        last = [line for line in unscaled.log if line["name"] == "train"][-1]
        self.assertGreater(last["log"]["underflow"], 0.9)
        self.assertEqual(unscaled.scalar("s.scale"), 1.0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
