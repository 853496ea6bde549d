# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A skipped step changes nothing but the scaler and its counters: not a byte of the weights, their
copy or the optimizer's state. The overflow stands in the first, the last or the only element of the
model, is infinite, minus infinite or NaN, and is found before or only after unscaling.
"""

import itertools
import math
import unittest

import programs
from harness import Bench, Tensor

from oracle.rounding import FORMATS, decode

TYPES = {"f16": "F16", "bf16": "BF16", "f32": "F32"}
# Names in byte order; sizes leave tails after vectors of 8 and 16, and one chunk is full.
MODELS = {
    "first": {"a": 37, "b": 16384 + 5},
    "last": {"a": 37, "b": 16384 + 5},
    "only": {"a": 1},
}
SETTINGS = dict(lr=0.01, amsgrad=True, weight_decay=0.1)


def finite(index):
    return 0.5 + (index % 13) / 16


class Skips(unittest.TestCase):
    def setUp(self):
        self.bench = self.enterContext(Bench())

    def start(self, dtype, sizes):
        """A module and the run of one clean step, so that all state is non-zero."""
        module = programs.step(
            "adamw", SETTINGS, dict(scale=1024.0, min_scale=0.0), gradients=dtype,
            copy="bf16" if dtype == "f32" else dtype, max_norm=1.0,
        )
        weights = {n: Tensor.of("F32", (k,), map(finite, range(k))) for n, k in sizes.items()}
        clean = self.gradients(dtype, sizes)
        run = self.bench.run(module, bind={"w": weights, "g": clean}).expect(0)
        self.assertEqual(run.applied, [True])
        for name in ("opt.m", "opt.v", "opt.vmax", "h"):
            self.assertTrue(any(run.list(name)["a"].data), name)
        return module, run

    def gradients(self, dtype, sizes, place=None, value=None):
        tensors = {n: [finite(i) for i in range(k)] for n, k in sizes.items()}
        if place:
            values = tensors["b" if place == "last" else "a"]
            values[-1 if place == "last" else 0] = value
        return {n: Tensor.of(TYPES[dtype], (len(v),), v) for n, v in tensors.items()}

    def expect_skip(self, module, before, dtype, place, value, scale):
        sizes = MODELS[place]
        spoiled = self.gradients(dtype, sizes, place, value)
        run = self.bench.run(
            module, bind={"g": spoiled}, load=before.state_file, set={"s.scale": scale}
        ).expect(0)
        self.assertEqual(run.applied, [False])
        self.assertIn("gradient", run.log[0]["cause"])
        for key, tensor in before.state.items():
            if key.split("/")[0] in ("w", "h") or key.startswith("opt."):
                self.assertEqual(run.state[key], tensor, key)
        self.assertEqual(run.scalar("s.scale"), scale / 2)
        self.assertEqual(run.scalar("s.skipped"), 1)
        counters = ("attempted", "applied", "skipped", "consecutive_skips")
        self.assertEqual([run.scalar(f"train.{n}") for n in counters], [2, 1, 1, 1])

    def skip_before(self, dtype):
        for place, sizes in MODELS.items():
            module, before = self.start(dtype, sizes)
            for value in (math.inf, -math.inf, math.nan):
                with self.subTest(place=place, value=value):
                    self.expect_skip(module, before, dtype, place, value, 1024.0)

    def skip_after(self, dtype):
        """The largest finite number of the type, under a scale that sends it beyond f32."""
        form = FORMATS[dtype]
        largest = decode(form.infinity - 1, form)
        scale = 2.0**-113 if dtype == "f16" else 0.5
        for place, sizes in MODELS.items():
            module, before = self.start(dtype, sizes)
            for value in (largest, -largest):
                with self.subTest(place=place, value=value):
                    self.expect_skip(module, before, dtype, place, value, scale)

    def test_unusable_scale(self):
        """1/S overflows f32: every gradient is lost, whatever it is, and the cause is the scale."""
        scale = 2.0**-140
        module = programs.step("sgd", dict(lr=1.0), dict(scale=scale, backoff_factor=1.0))
        bind = {
            "w": {"a": Tensor.of("F32", (3,), [1.0, 2.0, 3.0])},
            "g": {"a": Tensor.of("F16", (3,), [0.0, 0.0, 0.0])},
        }
        run = self.bench.run(module, bind=bind).expect(0)
        self.assertEqual(run.applied, [False])
        self.assertIn("scale", run.log[0]["cause"])
        self.assertEqual(run.list("w"), bind["w"])

    def test_norm_alone(self):
        """Finite gradients whose norm is not: a skip with a cause of its own."""
        module = programs.step("sgd", dict(lr=1.0), dict(scale=1.0), gradients="f32")
        bind = {
            "w": {"a": Tensor.of("F32", (3,), [1.0, 2.0, 3.0])},
            "g": {"a": Tensor.of("F32", (3,), [1e30, 0.0, 0.0])},
        }
        run = self.bench.run(module, bind=bind).expect(0)
        self.assertEqual((run.applied, run.log[0]["cause"]), ([False], ["norm"]))
        self.assertIsNone(run.log[0]["log"]["norm"])
        self.assertEqual(run.log[0]["log"]["norm.class"], "inf")
        self.assertEqual(run.list("w"), bind["w"])


for dtype, when in itertools.product(TYPES, ("before", "after")):
    setattr(
        Skips,
        f"test_{dtype}_{when}_unscaling",
        lambda self, d=dtype, w=when: getattr(self, f"skip_{w}")(d),
    )

if __name__ == "__main__":
    unittest.main()
