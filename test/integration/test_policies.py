# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The scaler's policies over many steps in one process: @pytorch against traces of PyTorch's own
code, the others against what they promise."""

import unittest

import programs
from harness import Bench

from golden import golden
from oracle.scaler import Scaler

# The k-th step overflows if bit k of a constant says so; nothing else happens.
MODULE = """
SCALER
amp.state @k : i64 = 0
amp.state @last : i64 = 0
amp.step @train() {
  %k = amp.read @k : i64
  %one = arith.constant 1 : i64
  %six = arith.constant 6 : i64
  %low = arith.constant 63 : i64
  %word = arith.shrui %k, %six : i64
  %bit = arith.andi %k, %low : i64
WORDS
  %shifted = arith.shrui %wordLAST, %bit : i64
  %set = arith.trunci %shifted : i64 to i1
  %good = arith.constant 1.0 : f64
  %bad = arith.constant 0x7FF0000000000000 : f64
  %x = arith.select %set, %bad, %good : f64
  %ok = amp.is_finite %x : f64
  %k1 = arith.addi %k, %one : i64
  amp.update @s, %ok
  amp.commit %k1 to @k always : i64
  amp.commit %k1 to @last when %ok : i64
}
"""


def module(settings, overflows):
    """The text of a step that overflows as the list says."""
    words = [
        sum(1 << j for j, x in enumerate(overflows[i : i + 64]) if x)
        for i in range(0, len(overflows), 64)
    ]
    lines = ["  %word0 = arith.constant 0 : i64"]
    for i, bits in enumerate(words):
        signed = bits - (1 << 64) if bits >> 63 else bits
        lines += [
            f"  %number{i} = arith.constant {i} : i64",
            f"  %here{i} = arith.cmpi eq, %word, %number{i} : i64",
            f"  %bits{i} = arith.constant {signed} : i64",
            f"  %word{i + 1} = arith.select %here{i}, %bits{i}, %word{i} : i64",
        ]
    text = MODULE.replace("SCALER", programs.scaler(settings))
    return text.replace("WORDS", "\n".join(lines)).replace("LAST", str(len(words)))


class Policies(unittest.TestCase):
    def setUp(self):
        self.bench = self.enterContext(Bench())

    def scales(self, settings, overflows):
        run = self.bench.run(module(settings, overflows), steps=len(overflows)).expect(0)
        self.assertEqual(run.applied, [not x for x in overflows])
        self.assertEqual(run.scalar("train.skipped"), sum(overflows))
        self.assertEqual(run.scalar("s.skipped"), sum(overflows))
        clean = [k + 1 for k, x in enumerate(overflows) if not x]
        self.assertEqual(run.scalar("last"), clean[-1] if clean else 0)
        return run, [line["scalers"]["s"]["scale"] for line in run.log]

    def test_pytorch_against_its_own_traces(self):
        for settings, overflows, want in golden.policies():
            with self.subTest(settings):
                _, got = self.scales(settings, overflows)
                self.assertEqual(got, want[1:])

    def test_bounds(self):
        overflows = [True] * 9 + [False] * 4 + [True] * 3 + [False] * 60
        settings = dict(scale=100.0, growth_factor=3.0, backoff_factor=0.3, growth_interval=2)
        settings |= dict(min_scale=2.5, max_scale=1e9)
        _, got = self.scales(settings, overflows)
        scaler, want = Scaler(**settings), []
        for overflow in overflows:
            scaler = scaler.update(not overflow)
            want.append(scaler.scale)
        self.assertEqual(got, want)
        self.assertEqual((min(got), max(got)), (2.5, 1e9))

    def test_stuck(self):
        """Nine skips in a row end the run; a clean step before starts the count again."""
        overflows = [True] * 8 + [False] + [True] * 20
        settings = dict(scale=100.0, max_consecutive_skips=9)
        run = self.bench.run(module(settings, overflows), steps=len(overflows))
        run.expect(1, "stuck", "9")
        self.assertEqual(len(run.log), 18)
        self.assertEqual(run.scalar("s.consecutive_skips"), 9)
        self.assertTrue(run.scalar("s.stuck"))

    def test_static_and_disabled(self):
        overflows = [True, False, True, True, False]
        modes = ((dict(mode="static", scale=128.0), 128.0), (dict(mode="disabled"), 1.0))
        for settings, scale in modes:
            run, got = self.scales(settings, overflows)
            self.assertEqual(got, [scale] * 5)
            self.assertEqual(run.scalar("s.consecutive_skips"), 0)
            rows = [line["scalers"]["s"]["consecutive_skips"] for line in run.log]
            self.assertEqual(rows, [1, 0, 1, 2, 0])

    def test_a_shortened_interval_takes_effect_at_once(self):
        run, _ = self.scales(dict(scale=8.0, growth_interval=100), [False] * 5)
        shorter = self.bench.run(
            module(dict(scale=8.0, growth_interval=100), [False] * 5),
            load=run.state_file,
            set={"s.growth_interval": 3},
        ).expect(0)
        self.assertEqual(shorter.scalar("s.scale"), 16.0)


if __name__ == "__main__":
    unittest.main()
