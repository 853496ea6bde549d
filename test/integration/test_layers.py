# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The layer functions against loops in plain Python: what the numerics contract fixes bit for bit,
and what rests on exp, log and erf to a few units in the last place of f64 mathematics."""

import math
import random
import sys
import unittest

from harness import Bench, Tensor
from oracle import rounding
from oracle.rounding import to_f32

BATCH, IN, OUT = 5, 7, 37  # 37 columns: vectors and a remainder
CLASSES = 10
FORMATS = {"f16": rounding.F16, "bf16": rounding.BF16, "f32": rounding.F32}

STEP = """
!list = !amp.tensors<@inputs x T>
!outs = !amp.tensors<@outputs x T>
!f32s = !amp.tensors<@losses x f32>
amp.model @inputs
amp.model @outputs
amp.model @losses
amp.state @in : !list = required
amp.state @out : !outs = 0.0
amp.state @loss : !f32s = 0.0
amp.step @train() {
  %in = amp.read @in : !list
  %x = amp.leaf %in["x"] : !list -> tensor<5x7xT>
  %w = amp.leaf %in["w"] : !list -> tensor<7x37xT>
  %b = amp.leaf %in["b"] : !list -> tensor<37xT>
  %dy = amp.leaf %in["dy"] : !list -> tensor<5x37xT>
  %z = amp.leaf %in["z"] : !list -> tensor<5x10xT>

  %y = amp.call @linear(%x, %w, %b)
      : (tensor<5x7xT>, tensor<7x37xT>, tensor<37xT>) -> tensor<5x37xT>
  %dx, %dw, %db = amp.call @linear_backward(%x, %w, %dy)
      : (tensor<5x7xT>, tensor<7x37xT>, tensor<5x37xT>)
      -> (tensor<5x7xT>, tensor<7x37xT>, tensor<37xT>)
  %relu = amp.call @relu(%dy) : (tensor<5x37xT>) -> tensor<5x37xT>
  %drelu = amp.call @relu_backward(%relu, %y) : (tensor<5x37xT>, tensor<5x37xT>) -> tensor<5x37xT>
  %gelu = amp.call @gelu(%dy) : (tensor<5x37xT>) -> tensor<5x37xT>
  %dgelu = amp.call @gelu_backward(%dy, %y) : (tensor<5x37xT>, tensor<5x37xT>) -> tensor<5x37xT>

  // Labels 3, 6, 9, 12, 15: the last two are not among the ten classes.
  %le = tensor.empty() : tensor<5xi32>
  %labels = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} outs(%le : tensor<5xi32>) {
  ^bb0(%o: i32):
    %three = arith.constant 3 : i32
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %m = arith.muli %n, %three : i32
    %l = arith.addi %m, %three : i32
    linalg.yield %l : i32
  } -> tensor<5xi32>
  %each = amp.call @softmax_cross_entropy(%z, %labels)
      : (tensor<5x10xT>, tensor<5xi32>) -> tensor<5xf32>
  %mean = amp.call @mean(%each) : (tensor<5xf32>) -> tensor<1xf32>
  %three = arith.constant dense<3.0> : tensor<1xf32>
  %seed = amp.call @mean_backward(%each, %three) : (tensor<5xf32>, tensor<1xf32>) -> tensor<5xf32>
  %dz = amp.call @softmax_cross_entropy_backward(%z, %labels, %seed)
      : (tensor<5x10xT>, tensor<5xi32>, tensor<5xf32>) -> tensor<5x10xT>
  %accuracy = amp.call @accuracy(%z, %labels) : (tensor<5x10xT>, tensor<5xi32>) -> tensor<1xf32>

  %outs = amp.pack {"y" = %y : tensor<5x37xT>, "dx" = %dx : tensor<5x7xT>,
    "dw" = %dw : tensor<7x37xT>, "db" = %db : tensor<37xT>,
    "relu" = %relu : tensor<5x37xT>, "drelu" = %drelu : tensor<5x37xT>,
    "gelu" = %gelu : tensor<5x37xT>, "dgelu" = %dgelu : tensor<5x37xT>,
    "dz" = %dz : tensor<5x10xT>} : !outs
  %losses = amp.pack {"each" = %each : tensor<5xf32>, "seed" = %seed : tensor<5xf32>} : !f32s
  amp.commit %outs to @out, %losses to @loss always : !outs, !f32s
  amp.log "mean", %mean : tensor<1xf32>
  amp.log "accuracy", %accuracy : tensor<1xf32>
}
"""


def rows(tensor, width):
    values = tensor.values
    return [values[at : at + width] for at in range(0, len(values), width)]


def product(a, b):
    """a . b in f32 from +0.0, in ascending order of the common index."""
    out = []
    for row in a:
        sums = [0.0] * len(b[0])
        for x, line in zip(row, b):
            sums = [to_f32(s + to_f32(x * y)) for s, y in zip(sums, line)]
        out.append(sums)
    return out


def turned(matrix):
    return [list(column) for column in zip(*matrix)]


def flat(matrix):
    return [value for row in matrix for value in row]


class Layers(unittest.TestCase):
    maxDiff = 2000

    @classmethod
    def setUpClass(cls):
        cls.runs = {}
        generator = random.Random(11)
        with Bench() as bench:
            for name, form in FORMATS.items():
                inputs = {}
                for key, shape in {
                    "x": (BATCH, IN),
                    "w": (IN, OUT),
                    "b": (OUT,),
                    "dy": (BATCH, OUT),
                    "z": (BATCH, CLASSES),
                }.items():
                    values = [generator.gauss(0, 1.5) for _ in range(math.prod(shape))]
                    values = [rounding.decode(rounding.encode(v, form), form) for v in values]
                    inputs[key] = Tensor.of(name.upper(), shape, values)
                step = STEP.replace("xT>", f"x{name}>").replace(" x T>", f" x {name}>")
                run = bench.run(step, bind={"in": inputs}).expect(0)
                cls.runs[name] = (form, inputs, run)

    def each(self):
        for name, (form, inputs, run) in self.runs.items():
            with self.subTest(storage=name):
                stored = lambda value: rounding.decode(rounding.encode(value, form), form)
                yield form, stored, inputs, run

    def assert_bits(self, tensor, expected):
        self.assertEqual(
            [rounding.encode(v, rounding.F64) for v in tensor.values],
            [rounding.encode(v, rounding.F64) for v in expected],
        )

    def test_linear(self):
        for _, stored, inputs, run in self.each():
            b = inputs["b"].values
            sums = product(rows(inputs["x"], IN), rows(inputs["w"], OUT))
            expected = [stored(to_f32(s + v)) for row in sums for s, v in zip(row, b)]
            self.assert_bits(run.list("out")["y"], expected)

    def test_linear_backward(self):
        for _, stored, inputs, run in self.each():
            x, w, dy = rows(inputs["x"], IN), rows(inputs["w"], OUT), rows(inputs["dy"], OUT)
            out = run.list("out")
            self.assert_bits(out["dx"], [stored(v) for v in flat(product(dy, turned(w)))])
            self.assert_bits(out["dw"], [stored(v) for v in flat(product(turned(x), dy))])
            sums = [0.0] * OUT
            for row in dy:
                sums = [to_f32(s + v) for s, v in zip(sums, row)]
            self.assert_bits(out["db"], [stored(v) for v in sums])

    def test_relu(self):
        for _, _, inputs, run in self.each():
            out = run.list("out")
            dy = inputs["dy"].values
            self.assert_bits(out["relu"], [max(v, 0.0) for v in dy])
            self.assert_bits(
                out["drelu"], [d if v > 0 else 0.0 for v, d in zip(dy, out["y"].values)]
            )

    def assert_close(self, form, got, want, largest):
        """One rounding to storage, after a handful of roundings in f32."""
        slack = 0.5 * rounding.ulp(want, form) if form is not rounding.F32 else 0.0
        self.assertLessEqual(abs(got - want), slack + 6 * rounding.ulp(largest), (got, want))

    def test_gelu(self):
        for form, _, inputs, run in self.each():
            out = run.list("out")
            y = out["y"].values
            for x, d, got, slope in zip(
                inputs["dy"].values, y, out["gelu"].values, out["dgelu"].values
            ):
                p = 0.5 * (1 + math.erf(x / math.sqrt(2)))
                density = math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
                # P(x) is a sum with 1: its absolute error is that of the sum.
                self.assert_close(form, got, x * p, x)
                self.assert_close(form, slope, d * (p + x * density), d)

    def softmax(self, row):
        largest = max(row)
        terms = [math.exp(v - largest) for v in row]
        return largest, sum(terms), [t / sum(terms) for t in terms]

    def test_softmax_cross_entropy(self):
        for form, _, inputs, run in self.each():
            losses, dz = run.list("loss"), rows(run.list("out")["dz"], CLASSES)
            for i, row in enumerate(rows(inputs["z"], CLASSES)):
                label = 3 * i + 3
                largest, total, shares = self.softmax(row)
                loss = losses["each"].values[i]
                if label >= CLASSES:
                    self.assertTrue(math.isnan(loss))
                    self.assertTrue(all(math.isnan(v) for v in dz[i]))
                    continue
                want = math.log(total) + largest - row[label]
                self.assert_close(rounding.F32, loss, want, max(map(abs, row)))
                for c, got in enumerate(dz[i]):
                    want = (shares[c] - (c == label)) * 0.6
                    self.assert_close(form, got, want, 1.0)

    def test_mean(self):
        for _, _, _, run in self.each():
            # Two labels that are no classes: the mean is no number either.
            self.assertEqual(run.log[0]["log"]["mean.class"], "nan")
            self.assert_bits(run.list("loss")["seed"], [to_f32(3.0 / 5.0)] * BATCH)

    def test_accuracy(self):
        for _, _, inputs, run in self.each():
            hits = sum(
                row.index(max(row)) == 3 * i + 3 for i, row in enumerate(rows(inputs["z"], CLASSES))
            )
            self.assertEqual(run.log[0]["log"]["accuracy"], to_f32(hits / BATCH))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
