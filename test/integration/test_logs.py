# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Logged values as `--log` writes them."""

import unittest

from harness import Bench, Tensor

LARGE = 2**53 + 1  # the first integer that an f64 does not have
STEP = """
amp.step @train(%a: i64, %b: i32, %c: i1) {
  amp.log "a", %a : i64
  amp.log "b", %b : i32
  amp.log "c", %c : i1
}
"""
# Three batches, the last of one example.
EVALUATED = """
amp.state @k : i64 = 0
amp.step @train(%x: tensor<?x2xf32> {amp.batch = "x"}) {
  %k = amp.read @k : i64
  amp.commit %k to @k always : i64
}
amp.step @test(%x: tensor<?x2xf32> {amp.batch = "x"}, %a: i64) {
  amp.log "last", %a : i64
  amp.log "sum", %a reduce(sum) : i64
  amp.log "max", %a reduce(max) : i64
  amp.log "min", %a reduce(min) : i64
  amp.log "mean", %a reduce(mean) : i64
}
"""


class Logs(unittest.TestCase):
    def setUp(self):
        self.bench = self.enterContext(Bench())

    def test_integers_are_exact(self):
        for a in (LARGE, -LARGE, 2**63 - 1, -(2**63), 0):
            run = self.bench.run(STEP, set={"a": a, "b": -(2**31), "c": 1}).expect(0)
            self.assertEqual(run.log[0]["log"], {"a": a, "b": -(2**31), "c": 1})
            self.assertIs(type(run.log[0]["log"]["a"]), int)

    def test_integers_stay_exact_over_batches(self):
        x = Tensor.of("F32", (5, 2), [1.0] * 10)
        data = self.bench.file("data.safetensors", {"train.x": x, "test.x": x})
        more = ("--data", data, "--batch", "2", "--epochs", "1", "--eval", "test")
        log = self.bench.run(EVALUATED, set={"a": LARGE}, more=more).expect(0).log[-1]["log"]
        mean = log.pop("mean")
        self.assertEqual(log, {"last": LARGE, "sum": 3 * LARGE, "max": LARGE, "min": LARGE})
        self.assertEqual(mean, float(LARGE))
        # A sum that fits no i64 is the nearest float.
        log = self.bench.run(EVALUATED, set={"a": 2**62}, more=more).expect(0).log[-1]["log"]
        self.assertEqual(log["sum"], 3.0 * 2**62)


if __name__ == "__main__":
    unittest.main()
