# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `explain --json` counts: bytes per parameter are known when a step is compiled."""

import json
import os
import unittest

import programs
from harness import Bench

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")


class Explain(unittest.TestCase):
    def setUp(self):
        self.bench = self.enterContext(Bench())

    def explain(self, step):
        path = step if step.endswith(".mlir") else self.bench.file("step.mlir", step)
        done = self.bench.call("explain", path, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        (train,) = json.loads(done.stdout)["steps"]
        self.assertEqual(train["name"], "train")
        for sweep in train["sweeps"]:
            moved = sum(x["bytes_per_element"] for x in sweep["reads"] + sweep["writes"])
            self.assertEqual(moved, sweep["bytes_per_element"])
        return train

    def expect(self, step, sweeps, bound):
        """`sweeps`: bytes of each pass."""
        train = self.explain(step)
        self.assertEqual([s["bytes_per_element"] for s in train["sweeps"]], sweeps)
        self.assertEqual(train["bytes_per_parameter"], sum(sweeps))
        self.assertEqual(train["lower_bound_bytes_per_parameter"], bound)
        return train

    def test_adamw_fp16_gradients_and_copy(self):
        train = self.expect(os.path.join(EXAMPLES, "adamw", "step.mlir"), [2, 28], 30)
        first, second = train["sweeps"]
        self.assertEqual([r["list"] for r in first["reads"]], ["g"])
        self.assertEqual({r["list"] for r in second["reads"]}, {"g", "w", "opt.m", "opt.v"})
        self.assertEqual({r["list"] for r in second["writes"]}, {"w", "opt.m", "opt.v", "h"})

    def test_adamw_bf16(self):
        self.expect(os.path.join(EXAMPLES, "adamw", "bf16.mlir"), [2, 28], 30)

    def test_adamw_fp32_gradients(self):
        self.expect(os.path.join(EXAMPLES, "adamw", "fp32.mlir"), [4, 28], 32)

    def test_sgd_with_momentum(self):
        settings = dict(lr=0.1, momentum=0.9)
        self.expect(programs.step("sgd", settings, gradients="f32", max_norm=1.0), [4, 20], 24)

    def test_sgd_without_a_buffer(self):
        settings = dict(lr=0.1, has_momentum=False)
        self.expect(programs.step("sgd", settings, gradients="f16", max_norm=1.0), [2, 10], 12)

    def test_lamb(self):
        """2 for the norm of g; then g w m v and, for the trust ratio, m v written: 22; then w m v
        and the copy: 18. The lower bound counts every list once a pass that needs it."""
        settings = dict(lr=0.1, weight_decay=0.1)
        train = self.explain(programs.step("lamb", settings, copy="f16", max_norm=1.0))
        self.assertEqual([s["bytes_per_element"] for s in train["sweeps"]], [2, 22, 18])
        self.assertEqual(train["bytes_per_parameter"], 42)


if __name__ == "__main__":
    unittest.main()
