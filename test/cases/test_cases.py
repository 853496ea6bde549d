# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The case data against the oracle: what cannot be met, or is met by the fault too, is wrong."""

import math
import os
import struct
import sys
import unittest
from fractions import Fraction

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import cases  # noqa: E402
from oracle.contract import CHUNK  # noqa: E402
from oracle.optimizers import RULES  # noqa: E402
from oracle.rounding import BF16, F16, F32, FORMATS, decode, encode, to_f32  # noqa: E402
from oracle.scaler import Scaler  # noqa: E402
from oracle.tensorfile import Tensor  # noqa: E402
from oracle.training import Training  # noqa: E402

NAMES = """B01 B02 B07 B08 B13 B14 B15 B18 B19 B22 B26 B27 B34 B36 B41 B43 B45 B49 B50 B62 B64 B65
B66 B77""".split()
KINDS = {"steps", "scale", "plan", "rates", "conversions", "average"}


def add(micro_batches):
    """An f32 accumulator that starts at zero."""
    total = {name: [0.0] * len(values) for name, values in micro_batches[0].items()}
    for micro in micro_batches:
        for name, values in micro.items():
            total[name] = [to_f32(a + b) for a, b in zip(total[name], values)]
    return total


class Steps(unittest.TestCase):
    def run_variant(self, variant):
        training = Training(
            variant.weights,
            variant.rule,
            variant.settings,
            Scaler(**variant.scaler),
            variant.max_norm,
        )
        for step in variant.steps():
            before = training.state
            micro_batches = step.stored(training.scaler.scale)
            for form in variant.gradient_types:
                for name, values in micro_batches[0].items():
                    stored = Tensor.of(form, (len(values),), values).values
                    self.assertEqual(repr(stored), repr(values), f"not exact in {form}")
            report = training.step(add(micro_batches))
            for key, want in step.expect.items():
                self.check(key, want, variant, training, report, before)
            for key, want in step.wrong.items():
                with self.assertRaises(AssertionError, msg="the fault would pass"):
                    self.check(key, want, variant, training, report, before)

    def check(self, key, want, variant, training, report, before):
        scaler = training.scaler
        if key in ("w", "m", "v", "b"):
            for name, values in variant.expected(want).items():
                got = training.state[key][name]
                good = [cases.matches(a, b) for a, b in zip(got, values, strict=True)]
                self.assertTrue(all(good), f"{key}/{name}: expected {values[:9]}, got {got[:9]}")
            return
        if key == "unchanged":
            self.assertIs(training.state, before)
            return
        if key == "cause_includes":
            self.assertIn(want, report.cause)
            return
        got = {
            "applied": lambda: report.applied,
            "norm": lambda: report.norm,
            "t": lambda: training.state["t"],
            "scale": lambda: scaler.scale,
            "scale_finite": lambda: math.isfinite(scaler.scale),
            "tracker": lambda: scaler.tracker,
            "skipped": lambda: scaler.skipped,
            "consecutive_skips": lambda: scaler.consecutive_skips,
            "stuck": lambda: scaler.stuck,
            "grads_unchanged": lambda: True,  # the oracle has no buffers to harm
        }[key]()
        self.assertTrue(cases.matches(got, want), f"{key}: expected {want}, got {got}")

    def test_the_oracle_meets_every_expectation(self):
        for name, entry in cases.load().items():
            if entry["kind"] == "steps":
                for variant in cases.variants(entry):
                    with self.subTest(name, variant=variant.name):
                        self.run_variant(variant)

    def test_a_wrong_expectation_is_noticed(self):
        variant = cases.variants(cases.load()["B15"])[0]
        variant.data["steps"][0]["expect"]["w"]["p"][1]["about"] = "-0.79998"
        with self.assertRaisesRegex(AssertionError, "w/p"):
            self.run_variant(variant)


class OtherKinds(unittest.TestCase):
    def setUp(self):
        self.cases = cases.load()

    def test_all_cases_are_here(self):
        self.assertEqual(sorted(self.cases), NAMES)
        for entry in self.cases.values():
            self.assertIn(entry["kind"], KINDS)
            self.assertTrue(entry["title"])

    def test_every_rule_has_the_counter_case(self):
        self.assertEqual({v.rule for v in cases.variants(self.cases["B26"])}, RULES.keys())

    def test_scaled_values(self):
        for value in self.cases["B07"]["values"]:
            product = to_f32(cases.number(value["value"]) * value["scale"])
            self.assertEqual(encode(product, F16), cases.bits(value["expect"], "f16"))

    def test_plan(self):
        for tensor in self.cases["B36"]["tensors"]:
            numel = tensor["numel"]
            self.assertGreater(numel, 2**31)
            self.assertEqual(tensor["chunks"], math.ceil(Fraction(numel, CHUNK)))
            self.assertEqual(tensor["last_first"], numel - numel % CHUNK)
            self.assertEqual(tensor["last_size"], numel % CHUNK)

    def test_conversions(self):
        for case in ("B64", "B65"):
            for value in self.cases[case]["values"]:
                form, want = value["to"].split(":")
                got = encode(cases.number(value["from"]), FORMATS[form])
                self.assertEqual(f"{got:04x}", want)
                self.assertNotEqual(value.get("wrong"), value["to"])
        for memory in self.cases["B64"]["memory"]:
            tensor = Tensor.of(memory["type"], (len(memory["values"]),), memory["values"])
            self.assertEqual(tensor.data.hex(), memory["bytes"])

    def test_conversion_sweep(self):
        sweep = self.cases["B64"]["sweep"]
        patterns = list(cases.conversion_sweep(sweep))
        self.assertEqual(len(patterns), len(set(patterns)))
        self.assertEqual(len(patterns), 2 * 255 * 128 * 5)
        self.assertTrue(all(math.isfinite(decode(pattern, F32)) for pattern in patterns))
        # The textbook's integer rounding of f32 to bf16, an independent one.
        for pattern in patterns[::17]:
            rounded = (pattern + 0x7FFF + (pattern >> 16 & 1)) >> 16
            self.assertEqual(encode(decode(pattern, F32), BF16), rounded)

    def test_average(self):
        entry = {**self.cases["B66"], "pairs": 2000}
        beta1, rest = Fraction(to_f32(0.9)), to_f32(1.0 - 0.9)
        different = 0
        for m, g, m1 in cases.average_pairs(entry):
            # A fused multiply-add rounds beta1 * m + (rounded rest * g) once. By f64 it may round
            # twice; that can hide a difference, but hardly all of them.
            fused = to_f32(float(beta1 * Fraction(m) + Fraction(to_f32(rest * g))))
            different += fused != m1
        self.assertGreater(different, 100)

    def test_numbers(self):
        self.assertEqual(cases.number("0x1p-140"), 2.0**-140)
        self.assertEqual(cases.number("f32:7f000000"), 2.0**127)
        self.assertEqual(cases.number({"f32": 0.1}), struct.unpack("<f", struct.pack("<f", 0.1))[0])
        self.assertEqual(cases.number("-inf"), -math.inf)
        self.assertEqual(cases.bits("f32:7f800001", "f32"), 0x7F800001)
        self.assertTrue(cases.matches(9.99999e-4, {"about": "1.00000e-3"}, ulps=0))
        self.assertTrue(cases.matches(1.0000004e-3, {"about": "1.00000e-3"}, ulps=0))
        self.assertFalse(cases.matches(1.000006e-3, {"about": "1.00000e-3"}, ulps=0))
        self.assertFalse(cases.matches(-0.0, 0.0))
        self.assertFalse(cases.matches(1, True))


if __name__ == "__main__":
    unittest.main()
