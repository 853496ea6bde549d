# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`sawtooth bench` of compiled steps. Times are what the machine makes of them: only what was timed
is tested."""

import fractions
import json
import subprocess
import unittest

import programs
from harness import Bench

# Halves its state, which has an initial value; takes a number without a default, and no list.
DECAY = """
!w = !amp.tensors<@model x f32>
amp.model @model
amp.model @unused
amp.state @w : !w = 1.0
amp.state @other : !amp.tensors<@unused x f32> = required
amp.state @last : i64 = 0
amp.step @train(%n: i64) {
  %w = amp.read @w : !w
  %w1 = amp.map(%w) : (!w) -> !w {
  ^bb0(%x: f32):
    %half = arith.constant 0.5 : f32
    %y = arith.mulf %x, %half : f32
    amp.yield %y : f32
  }
  amp.commit %w1 to @w, %n to @last always : !w, i64
}
"""

# The module itself says that the model has one tensor of 3 x 5.
NAMED = """
!w = !amp.tensors<@model x f32>
amp.model @model
amp.state @w : !w = required
amp.step @train(%g: !w) {
  %w = amp.read @w : !w
  %w1 = amp.map(%w, %g) : (!w, !w) -> !w {
  ^bb0(%x: f32, %y: f32):
    %z = arith.subf %x, %y : f32
    amp.yield %z : f32
  }
  amp.commit %w1 to @w always : !w
}
amp.step @test(%x: tensor<2x3xf32> {amp.batch = "x"}) {
  %w = amp.read @w : !w
  %v = amp.leaf %w["fc"] : !w -> tensor<3x5xf32>
  %y = tensor.empty() : tensor<2x5xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%y : tensor<2x5xf32>) -> tensor<2x5xf32>
  %p = linalg.matmul ins(%x, %v : tensor<2x3xf32>, tensor<3x5xf32>)
      outs(%z : tensor<2x5xf32>) -> tensor<2x5xf32>
  %f = tensor.collapse_shape %p [[0, 1]] : tensor<2x5xf32> into tensor<10xf32>
  %m = amp.call @mean(%f) : (tensor<10xf32>) -> tensor<1xf32>
  amp.log "mean", %m reduce(mean) : tensor<1xf32>
}
"""

COUNT = """
amp.state @n : i64 = 0
amp.step @train(%by: i64) {
  %n = amp.read @n : i64
  %n1 = arith.addi %n, %by : i64
  amp.commit %n1 to @n always : i64
}
"""


class Benchmark(unittest.TestCase):
    def setUp(self):
        self.bench = self.enterContext(Bench())

    def time(self, module, *more, tensors="4x2000"):
        if tensors:
            more = ("--tensors", tensors, *more)
        if "--steps" not in more:
            more = ("--steps", "3", *more)
        return subprocess.run(
            [*self.bench.tool, "bench", self.bench.file("step.mlir", module),
             f"--target={self.bench.target}", *more],
            capture_output=True, text=True, timeout=300,
        )

    def report(self, module, *more, **options):
        done = self.time(module, "--json", *more, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def refused(self, module, *more, **options):
        done = self.time(module, *more, **options)
        self.assertEqual(done.returncode, 1, done.stdout)
        return done.stderr

    def adamw(self):
        return programs.step("adamw", dict(lr=0.01), dict(scale=8.0), copy="f16", max_norm=1.0)

    def test_floor_of_steps_times_rate_are_skipped(self):
        for rate, steps in (("0", 5), ("0.3", 10), ("0.3", 3), ("0.29", 100), ("1", 4)):
            report = self.report(self.adamw(), "--skip-rate", rate, "--steps", str(steps))
            self.assertEqual(
                report["skipped"], int(fractions.Fraction(rate) * steps), (rate, steps)
            )

    def test_a_skip_is_held_against_the_passes_that_it_runs(self):
        # Reads g (2 bytes); one that is applied then reads g, w, m, v and writes w, h, m, v.
        for rate, bytes_each in (("0", 2 + 28), ("1", 2)):
            report = self.report(self.adamw(), "--skip-rate", rate, "--steps", "1")
            self.assertEqual(report["bytes_per_parameter"], 30)
            for seconds, speed in (
                ("seconds_per_step", "bytes_per_second"),
                ("bound_seconds", "bound_bytes_per_second"),
            ):
                moved = report[seconds]["median"] * report[speed]
                self.assertAlmostEqual(moved / report["parameters"], bytes_each, places=6)

    def test_a_step_over_state_alone(self):
        report = self.report(DECAY)
        self.assertEqual((report["parameters"], report["tensors"]), (8000, 4))
        self.assertEqual(report["bytes_per_parameter"], 8)
        self.assertGreater(report["copy_bytes_per_second"], 0)
        self.assertIn("takes no list", self.refused(DECAY, "--skip-rate", "0.5"))

    def test_a_module_that_names_its_tensors(self):
        report = self.report(NAMED, tensors=None)
        self.assertEqual((report["parameters"], report["tensors"]), (15, 1))
        self.assertEqual(report["bytes_per_parameter"], 12)
        self.assertIsNone(report["fixed_seconds_per_step"])
        done = self.time(NAMED)
        self.assertIn("on its own tensors", done.stdout)
        self.assertIn("--tensors is not used", done.stderr)

    def test_what_has_no_bound_is_refused(self):
        self.assertIn("step 'train' runs over no list", self.refused(COUNT))
        self.assertIn("step 'test' takes tensor 'x'", self.refused(NAMED, "--step", "test"))


if __name__ == "__main__":
    unittest.main()
