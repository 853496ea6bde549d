# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every kind of reduction over a tensor and over the step, in a rule; and what a rule may ask of a
tensor: its size, its dimensions, its rank."""

import math
import random
import unittest

from harness import Bench, Tensor

from oracle import contract
from oracle.rounding import to_f32

RULE = """
!w = !amp.tensors<@model x f32>
amp.model @model
amp.rule @reduce optimizer params(%lr: f64 = 1.0) inputs(%w: f32, %g: f32) {{
  {body}
  %xF = arith.truncf %x : f64 to f32
  amp.yield %xF : f32
}}
amp.state @w : !w = 0.0
amp.optimizer @opt by @reduce over @model
amp.step @train(%g: !w) {{
  %w = amp.read @w : !w
  %w1, %o1 = amp.apply @opt(%w, %g) : (!w, !w) -> (!w)
  amp.commit %w1 to @w, %o1 to @opt always : !w, !amp.next<@opt>
}}
"""
SHAPES = {"a": (5, 7), "b": (16390,), "c": (), "d": (2, 3, 4), "e": (0, 9)}


class Reductions(unittest.TestCase):
    def setUp(self):
        self.bench = self.enterContext(Bench())
        draw = random.Random(4)
        self.g = {
            n: [to_f32(draw.gauss(0, 3)) for _ in range(math.prod(s))] for n, s in SHAPES.items()
        }

    def results(self, body, gradients=None):
        """{TENSOR: the value that all its elements got}"""
        bind = {n: Tensor.of("F32", SHAPES[n], v) for n, v in (gradients or self.g).items()}
        run = self.bench.run(RULE.format(body=body), bind={"g": bind}).expect(0)
        values = {}
        for name, tensor in run.list("w").items():
            if tensor.values:
                self.assertEqual(len(set(map(str, tensor.values))), 1, name)
                values[name] = tensor.values[0]
        return values

    def reduced(self, kind, extent):
        return self.results(f"%x = amp.reduce {kind} %g over {extent} : f32 -> f64")

    def test_over_the_tensor(self):
        sums = {n: contract.reduce_tensor(contract.f32s(v), lambda x: x) for n, v in self.g.items()}
        for kind, want in (
            ("add", {n: to_f32(s) for n, s in sums.items()}),
            ("min", {n: min(v) for n, v in self.g.items() if v}),
            ("max", {n: max(v) for n, v in self.g.items() if v}),
        ):
            with self.subTest(kind):
                want.pop("e", None)
                self.assertEqual(self.reduced(kind, "tensor"), want)

    def test_over_the_step(self):
        everything = [x for v in self.g.values() for x in v]
        total = contract.reduce_model(self.g, lambda x: x)
        for kind, want in (
            ("add", to_f32(total)),
            ("min", min(everything)),
            ("max", max(everything)),
        ):
            with self.subTest(kind):
                self.assertEqual(set(self.reduced(kind, "step").values()), {want})

    def test_sums_in_f64_have_one_order(self):
        """Sums of values of about one size are exact in f64, whatever the order. Of these, whose
        sizes differ by up to 2^40 between tensors and between chunks, every order has its own."""
        draw = random.Random(5)
        sizes = [1 + t % 3 for t in range(600)] + [40 * contract.CHUNK + 5]
        tensors = {
            f"t{t:03}": contract.f32s(
                draw.uniform(1, 2) * 2.0 ** -((11 * t + e // contract.CHUNK * 7) % 41)
                for e in range(size)
            )
            for t, size in enumerate(sizes)
        }
        partials = [contract.reduce_tensor(x, contract.magnitudes) for x in tensors.values()]
        want = contract.norm([tensors], 1.0)
        self.assertNotIn(want, (sum(partials), sum(reversed(partials)), math.fsum(partials)))
        long = contract.reduce_tensor(tensors["t600"], contract.magnitudes)
        self.assertNotEqual(long, contract.fold_chunk(contract.magnitudes(tensors["t600"])))
        module = """
!g = !amp.tensors<@model x f32>
amp.model @model
amp.step @look(%g: !g) {
  %n = amp.norm %g {order = 1.0} : !g
  amp.log "n", %n : f64
}
"""
        bind = {n: Tensor.of("F32", (len(x),), x) for n, x in tensors.items()}
        run = self.bench.run(module, bind={"g": bind}).expect(0)
        self.assertEqual(run.log[0]["log"]["n"], want)
        # One tensor alone: the fold of its chunks.
        run = self.bench.run(module, bind={"g": {"t600": bind["t600"]}}).expect(0)
        self.assertEqual(run.log[0]["log"]["n"], long)

    def test_nan_survives_min_and_max(self):
        spoiled = {**self.g, "b": [*self.g["b"][:-1], math.nan]}
        for kind in ("min", "max"):
            got = self.results(f"%x = amp.reduce {kind} %g over tensor : f32 -> f64", spoiled)
            self.assertEqual([n for n, x in got.items() if math.isnan(x)], ["b"])

    def test_or(self):
        body = """%limit = arith.constant 9.0 : f32
  %big = arith.cmpf ogt, %g, %limit : f32
  %any = amp.reduce or %big over EXTENT : i1 -> i1
  %yes = arith.constant 1.0 : f64
  %no = arith.constant 0.0 : f64
  %x = arith.select %any, %yes, %no : f64"""
        want = {n: float(any(x > 9.0 for x in v)) for n, v in self.g.items() if v}
        self.assertEqual(set(want.values()), {0.0, 1.0})
        self.assertEqual(self.results(body.replace("EXTENT", "tensor")), want)
        self.assertEqual(set(self.results(body.replace("EXTENT", "step")).values()), {1.0})

    def test_a_reduction_of_a_reduction(self):
        """The mean, then the variance about it: two cuts, each a pass of its own."""
        body = """%n = amp.numel
  %count = arith.sitofp %n : i64 to f64
  %sum = amp.reduce add %g over tensor : f32 -> f64
  %mean = arith.divf %sum, %count : f64
  %meanF = arith.truncf %mean : f64 to f32
  %away = arith.subf %g, %meanF : f32
  %square = arith.mulf %away, %away : f32
  %x = amp.reduce add %square over tensor : f32 -> f64"""
        want = {}
        for name, values in self.g.items():
            if values:
                mean = to_f32(
                    contract.reduce_tensor(contract.f32s(values), lambda x: x) / len(values)
                )
                away = contract.f32s(x - mean for x in values)
                want[name] = to_f32(contract.reduce_tensor(away, contract.squares))
        self.assertEqual(self.results(body), want)

    def test_sizes(self):
        for op, size in (
            ("amp.numel", lambda s: math.prod(s)),
            ("amp.rank", len),
            ("amp.dim 0", lambda s: s[0] if s else 1),
            ("amp.dim 2", lambda s: s[2] if len(s) > 2 else 1),
        ):
            with self.subTest(op):
                got = self.results(f"%n = {op}\n  %x = arith.sitofp %n : i64 to f64")
                want = {n: float(size(s)) for n, s in SHAPES.items() if math.prod(s)}
                self.assertEqual(got, want)


if __name__ == "__main__":
    unittest.main()
