# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math
import unittest

from oracle.scaler import Scaler
from oracle.training import Training


class WholeSteps(unittest.TestCase):
    def test_clips_what_is_unscaled(self):
        training = Training({"p": [0.0, 0.0]}, "sgd", {"lr": 1.0}, Scaler(), max_norm=1.0)
        report = training.step({"p": [3.0 * 65536, 4.0 * 65536]})
        self.assertEqual(report.norm, 5.0)
        for got, want in zip(training.state["w"]["p"], [-0.59999988, -0.79999984]):
            self.assertAlmostEqual(got, want, delta=2.0**-24)

    def test_a_skip_changes_the_scaler_alone(self):
        training = Training({"p": [1.0], "q": []}, "adam", scaler=Scaler())
        before = training.state
        for bad in (math.inf, -math.inf, math.nan):
            report = training.step({"p": [bad], "q": []})
            self.assertEqual((report.applied, report.cause[0]), (False, "gradient"))
        self.assertIs(training.state, before)
        self.assertEqual((training.scaler.scale, training.scaler.skipped), (8192.0, 3))
        self.assertTrue(training.step({"p": [0.1 * 8192], "q": []}).applied)
        self.assertEqual(training.state["t"], 1)

    def test_a_norm_that_overflows_is_a_cause_of_its_own(self):
        training = Training({"p": [1.0]}, "sgd")
        self.assertEqual(training.step({"p": [1e20]}).cause, ["norm"])
        self.assertEqual(training.scaler.skipped, 1)

    def test_found_only_after_unscaling(self):
        training = Training({"p": [1.0]}, "sgd", scaler=Scaler(scale=2.0**-10))
        self.assertIn("gradient", training.step({"p": [1e38]}).cause)


if __name__ == "__main__":
    unittest.main()
