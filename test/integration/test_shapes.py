# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of every shape: empty, of many odd tensors, of one tensor beyond 2^31 elements. The bits
of norms are those of the contract, on every chip, with any number of threads, in any order of
binding.
"""

import array
import json
import math
import os
import random
import shutil
import struct
import unittest

import programs
from harness import Bench, Tensor

from oracle import contract

TYPES = {"f16": "F16", "bf16": "BF16", "f32": "F32"}

NORMS = """
!g = !amp.tensors<@model x {type}>
amp.model @model
amp.state @steps : i64 = 0
amp.step @train(%g: !g) {{
  %n1 = amp.norm %g {{order = 1.0}} : !g
  %n2 = amp.norm %g : !g
  %ni = amp.norm %g {{order = 0x7FF0000000000000 : f64}} : !g
  %ok = amp.is_finite %g : !g
  amp.log "n1", %n1 : f64
  amp.log "n2", %n2 : f64
  amp.log "ni", %ni : f64
  %t = amp.read @steps : i64
  %one = arith.constant 1 : i64
  %t1 = arith.addi %t, %one : i64
  amp.commit %t1 to @steps when %ok : i64
}}
"""


class Shapes(unittest.TestCase):
    def setUp(self):
        self.bench = self.enterContext(Bench())

    def norms(self, dtype, tensors, **options):
        run = self.bench.run(NORMS.format(type=dtype), bind={"g": tensors}, save=False, **options)
        run.expect(0)
        return run

    def expect_norms(self, dtype, tensors, **options):
        log = self.norms(dtype, tensors, **options).log[0]["log"]
        values = {n: contract.f32s(t.values) for n, t in tensors.items()}
        for key, order in (("n1", 1.0), ("n2", 2.0), ("ni", math.inf)):
            self.assertEqual(log[key], contract.norm([values], order), f"{key} {options}")

    def random_tensors(self, dtype, sizes, seed):
        draw = random.Random(seed)
        return {
            f"layer.{i}": Tensor.of(TYPES[dtype], (k,), [draw.gauss(0, 3) for _ in range(k)])
            for i, k in enumerate(sizes)
        }

    def test_bits_of_norms(self):
        sizes = (1, 7, 8, 15, 16, 17, 255, 256, 257, 0, 16383, 16384, 16385, 40000)
        for dtype in TYPES:
            tensors = self.random_tensors(dtype, sizes, dtype)
            for chip in ("x86-64-v3", "native"):
                for threads in (1, 2):
                    self.expect_norms(dtype, tensors, chip=chip, threads=threads)

    def test_many_chunks(self):
        """More chunks than lanes of the fold, so that partials of one lane are added in order."""
        draw = random.Random(5)
        row = array.array("f", [draw.gauss(0, 1) for _ in range(1031)])
        values = (row * 4200)[: 260 * 16384 + 77]
        tensor = Tensor("F32", (len(values),), values.tobytes())
        log = self.norms("f32", {"p": tensor}, threads=2).log[0]["log"]
        self.assertEqual(log["n2"], contract.norm([{"p": values}]))

    def test_nan_and_nothing_in_the_inf_norm(self):
        log = self.norms("f32", {"p": Tensor.of("F32", (3,), [1.0, math.nan, 2.0])}).log[0]["log"]
        self.assertEqual((log["ni"], log["ni.class"]), (None, "nan"))
        log = self.norms("f32", {"p": Tensor.of("F32", (2,), [-3.0, 2.0])}).log[0]["log"]
        self.assertEqual(log["ni"], 3.0)
        for nothing in ({}, {"p": Tensor.of("F32", (0, 5), [])}):
            log = self.norms("f32", nothing).log[0]["log"]
            self.assertEqual((log["n1"], log["n2"], log["ni"]), (0.0, 0.0, 0.0))

    def test_ten_thousand_tensors(self):
        """AdamW on odd sizes: the copy, the moments and the norm of all of them."""
        draw = random.Random(7)
        sizes = [draw.choice((0, 1, 2, 3, 5, 7, 17, 31, 33)) for _ in range(10000)]
        g = {
            f"t{i}": Tensor.of("F16", (k,), [draw.gauss(0, 1) for _ in range(k)])
            for i, k in enumerate(sizes)
        }
        w = {name: Tensor("F32", t.shape, bytes(4 * len(t.data) // 2)) for name, t in g.items()}
        module = programs.step(
            "adamw", dict(lr=1.0, beta1=0.5, beta2=0.5, eps=0.0), dict(mode="disabled"), copy="f16"
        )
        run = self.bench.run(module, bind={"g": g, "w": w}).expect(0)
        norm = contract.norm([{n: contract.f32s(t.values) for n, t in g.items()}])
        self.assertEqual(run.log[0]["log"]["norm"], norm)
        # From zero, m = g/2, v = g^2/2: the first step of Adam is the sign of the gradient.
        moments, weights = run.list("opt.m"), run.list("w")
        for name, t in g.items():
            for x, m, step in zip(t.values, moments[name].values, weights[name].values):
                self.assertEqual(m, x / 2)
                self.assertAlmostEqual(step, -math.copysign(1.0, x), places=5)

    def test_order_of_binding(self):
        sizes = [(7 * i) % 40 for i in range(60)]
        g = self.random_tensors("f16", sizes, 3)
        w = {n: Tensor("F32", t.shape, bytes(2 * len(t.data))) for n, t in g.items()}
        settings = dict(lr=0.1, weight_decay=0.1)
        module = programs.step("lamb", settings, dict(scale=8.0), max_norm=1.0)
        backwards = {
            name: file_in_order(self.bench, f"{name}.safetensors", t, reversed(list(t)))
            for name, t in (("g", g), ("w", w))
        }
        one = self.bench.run(module, bind={"g": g, "w": w}, steps=3).expect(0)
        other = self.bench.run(
            module, bind={"w": backwards["w"], "g": backwards["g"]}, steps=3, threads=1
        ).expect(0)
        self.assertEqual(one.state_bytes, other.state_bytes)
        self.assertEqual(one.log, other.log)


class Large(unittest.TestCase):
    def test_B36_more_than_two_to_the_31_elements(self):
        """The norm of 2^31 + 77 gradients in f16: a sparse file, all zero but in the last chunk and
        on both sides of element 2^31."""
        self.bench = self.enterContext(Bench())
        count = 2**31 + 77
        need = 2 * count
        if shutil.disk_usage(self.bench.folder).total < need or memory() < 6 << 30:
            self.skipTest(f"expected room for a sparse file of {need} bytes and 6 GiB of memory")
        path = self.bench.path("large.safetensors")
        entry = {"p": {"dtype": "F16", "shape": [count], "data_offsets": [0, need]}}
        text = json.dumps(entry).encode()
        text += b" " * (-len(text) % 8)
        places = {0: 3.0, 2**31 - 1: 4.0, 2**31: 12.0, count - 1: 84.0}
        with open(path, "wb") as file:
            file.write(len(text).to_bytes(8, "little") + text)
            file.truncate(8 + len(text) + need)
            for element, value in places.items():
                file.seek(8 + len(text) + 2 * element)
                file.write(struct.pack("<e", value))
        run = self.bench.run(NORMS.format(type="f16"), bind={"g": path}, save=False, threads=2)
        log = run.expect(0).log[0]["log"]
        # 3^2 + 4^2 + 12^2 + 84^2 = 85^2.
        self.assertEqual((log["n1"], log["n2"], log["ni"]), (103.0, 85.0, 84.0))


def memory():
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def file_in_order(bench, name, tensors, order):
    """Writes a file whose data and header follow `order`."""
    header, data = {}, b""
    for key in order:
        tensor = tensors[key]
        end = len(data) + len(tensor.data)
        header[key] = {"dtype": tensor.dtype, "shape": list(tensor.shape),
                       "data_offsets": [len(data), end]}
        data += tensor.data
    text = json.dumps(header).encode()
    return bench.file(name, len(text).to_bytes(8, "little") + text + data)


if __name__ == "__main__":
    unittest.main()
