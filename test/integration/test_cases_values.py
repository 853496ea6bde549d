# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cases about single values and generated code, run by the tool."""

import os
import shutil
import subprocess
import unittest

import programs
from harness import Bench, Tensor

from cases import cases
from oracle import rounding

CASES = cases.load()
TYPES = {"F16": "f16", "BF16": "bf16", "F32": "f32"}

SCALE = """
!x = !amp.tensors<@model x {type}>
amp.model @model
amp.scaler @s by @static {{init = {scale}}}
amp.state @y : !x = 0.0 scaled_by [@s]
amp.step @train(%x: !x) {{
  %y = amp.scale %x by @s : !x
  amp.commit %y to @y always : !x
}}
"""
CAST = """
!x = !amp.tensors<@model x f32>
!y = !amp.tensors<@model x {type}>
amp.model @model
amp.state @y : !y = 0.0
amp.step @train(%x: !x) {{
  %y = amp.cast %x : !x to !y
  amp.commit %y to @y always : !y
}}
"""
AVERAGE = """
!x = !amp.tensors<@model x f32>
amp.model @model
amp.state @m : !x = required
amp.step @train(%g: !x) {{
  %m = amp.read @m : !x
  %m1 = amp.map(%m, %g) : (!x, !x) -> !x {{
  ^bb0(%a: f32, %b: f32):
    %beta = arith.constant {beta} : f64
    %one = arith.constant 1.0 : f64
    %gamma = arith.subf %one, %beta : f64
    %betaF = arith.truncf %beta : f64 to f32
    %gammaF = arith.truncf %gamma : f64 to f32
    %old = arith.mulf %betaF, %a : f32
    %new = arith.mulf %gammaF, %b : f32
    %sum = arith.addf %old, %new : f32
    amp.yield %sum : f32
  }}
  amp.commit %m1 to @m always : !x
}}
"""
# Learning rates k * rate out of a state: the k-th step moves w by g times the k-th.
RATES = """
!x = !amp.tensors<@model x f32>
amp.model @model
amp.state @w : !x = 0.0
amp.state @k : f64 = 0.0
amp.optimizer @opt by @sgd over @model {{has_momentum = false}}
amp.step @train(%g: !x, %rate: f64) {{
  %w = amp.read @w : !x
  %k = amp.read @k : f64
  %one = arith.constant 1.0 : f64
  %k1 = arith.addf %k, %one : f64
  %lr = arith.mulf %k1, %rate : f64
  %w1, %o1 = amp.apply @opt(%w, %g) hyper(lr = %lr) : (!x, !x) -> (!x)
  amp.commit %w1 to @w, %o1 to @opt, %k1 to @k always : !x, !amp.next<@opt>, f64
}}
"""


def undefined_symbols(path):
    nm = shutil.which("llvm-nm", path=os.environ.get("LLVM_TOOLS")) or "nm"
    done = subprocess.run([nm, "-u", path], capture_output=True, text=True, check=True)
    return done.stdout


class Values(unittest.TestCase):
    def setUp(self):
        self.bench = self.enterContext(Bench())

    def cast(self, form, bits, chip=None):
        """The bits that a list of f32 has after amp.cast to a 16-bit type."""
        source = Tensor.of_bits("F32", (len(bits),), bits)
        run = self.bench.run(CAST.format(type=form), bind={"x": {"p": source}}, chip=chip).expect(0)
        return run.list("y")["p"].bits

    def test_B07(self):
        for value in CASES["B07"]["values"]:
            module = SCALE.format(type=TYPES[value["type"]], scale=value["scale"])
            x = Tensor.of(value["type"], (1,), [cases.number(value["value"])])
            run = self.bench.run(module, bind={"x": {"p": x}}).expect(0)
            want = cases.bits(value["expect"], TYPES[value["type"]])
            self.assertEqual(run.list("y")["p"].bits, [want], value)

    def test_B64(self):
        entry = CASES["B64"]
        bits = list(cases.conversion_sweep(entry["sweep"]))
        for form in entry["sweep"]["to"]:
            got = self.cast(form, bits)
            want = [
                rounding.encode(rounding.from_f32_bits(b), rounding.FORMATS[form]) for b in bits
            ]
            self.assertEqual(got, want)
        for memory in entry["memory"]:
            form = TYPES[memory["type"]]
            got = self.cast(form, [rounding.f32_bits(x) for x in memory["values"]])
            data = b"".join(b.to_bytes(2, "little") for b in got)
            self.assertEqual(data.hex(), memory["bytes"])
        self.single_values(entry)

    def single_values(self, entry, chip=None):
        for value in entry["values"]:
            form = value["to"].split(":")[0]
            if isinstance(value["from"], str) and value["from"].startswith("f64"):
                continue  # lists hold no f64; the unit tests of the same name have it
            bits = cases.bits(value["from"], "f32")
            self.assertEqual(self.cast(form, [bits], chip), [cases.bits(value["to"], form)], value)

    def test_B65(self):
        entry = CASES["B65"]
        for chip in entry["chips"]:
            self.single_values(entry, chip)
            for form in ("f16", "bf16"):
                path = self.bench.file("cast.o", b"")
                with open(path, "wb") as file:
                    file.write(self.bench.emit(CAST.format(type=form), "obj", "--chip", chip))
                symbols = undefined_symbols(path)
                for text in entry["forbidden"]:
                    self.assertNotIn(text, symbols)

    def test_B66(self):
        entry = CASES["B66"]
        m, g, want = zip(*cases.average_pairs(entry))
        module = AVERAGE.format(beta=entry["beta1"])
        for chip in ("x86-64-v3", "native"):
            lists = {
                name: {"p": Tensor.of("F32", (len(m),), values)}
                for name, values in (("m", m), ("g", g))
            }
            run = self.bench.run(module, bind=lists, chip=chip).expect(0)
            self.assertEqual(run.list("m")["p"], Tensor.of("F32", (len(m),), want))
            assembly = self.bench.emit(module, "asm", "--chip", chip)
            self.assertIn(b"mulps", assembly)
            for text in entry["forbidden"]:
                code = [line for line in assembly.splitlines() if text.encode() in line]
                self.assertFalse(code)

    def test_B50(self):
        entry = CASES["B50"]
        rate = cases.number(entry["rate"])
        g = {"g": {"p": Tensor.of("F32", (1,), [1.0])}}
        run = self.bench.run(RATES.format(), bind=g, set={"rate": rate}, steps=entry["steps"])
        run.expect(0)
        # Sums of multiples of 2^-10 below 2^13 are exact.
        total = -rate * entry["steps"] * (entry["steps"] + 1) / 2
        self.assertEqual(run.list("w")["p"].values, [total])
        # A process compiles a step once, before it runs.
        self.assertEqual((len(run.log), entry["compilations"]), (entry["steps"], 1))


if __name__ == "__main__":
    unittest.main()
