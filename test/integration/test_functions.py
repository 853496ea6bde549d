# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementary functions inside fused passes and scalar programs, and a user's own rule in a file."""

import math
import random
import unittest

from harness import Bench, Tensor

from oracle.rounding import to_f32

# Function, its value in f64, the range to draw from.
FUNCTIONS = {
    "exp": (math.exp, -20.0, 20.0),
    "log": (math.log, 1e-6, 100.0),
    "tanh": (math.tanh, -5.0, 5.0),
    "erf": (math.erf, -4.0, 4.0),
    "cos": (math.cos, -100.0, 100.0),
}

MAP = """
!x = !amp.tensors<@model x f32>
amp.model @model
amp.state @y : !x = 0.0
amp.step @train(%x: !x) {{
  %y = amp.map(%x) : (!x) -> !x {{
  ^bb0(%a: f32):
    {body}
    amp.yield %b : f32
  }}
  amp.commit %y to @y always : !x
}}
"""
SCHEDULE = """
amp.model @model
amp.state @k : i64 = 0
amp.step @train(%steps: f64 {amp.default = 100.0}) {
  %k = amp.read @k : i64
  %one = arith.constant 1 : i64
  %half = arith.constant 0.5 : f64
  %unit = arith.constant 1.0 : f64
  %pi = arith.constant 3.141592653589793 : f64
  %k1 = arith.addi %k, %one : i64
  %at = arith.sitofp %k : i64 to f64
  %part = arith.divf %at, %steps : f64
  %angle = arith.mulf %part, %pi : f64
  %cosine = math.cos %angle : f64
  %sum = arith.addf %unit, %cosine : f64
  %lr = arith.mulf %sum, %half : f64
  %power = amp.powi %half, %k : f64
  %root = math.powf %part, %half : f64
  amp.log "lr", %lr : f64
  amp.log "power", %power : f64
  amp.log "root", %root : f64
  amp.commit %k1 to @k always : i64
}
"""
RULE = """
amp.rule @softsign optimizer params(%lr: f64, %power: f64 = 2.0) state(%n: i64 per step = 0)
    inputs(%w: f32, %g: f32) {
  %increment = arith.constant 1 : i64
  %n1 = arith.addi %n, %increment : i64
  %lrF = arith.truncf %lr : f64 to f32
  %soft = math.tanh %g : f32
  %step = arith.mulf %lrF, %soft : f32
  %w1 = arith.subf %w, %step : f32
  amp.yield %w1 state(%n1) : f32 state(i64)
}
"""
USE = """
!x = !amp.tensors<@model x f32>
amp.import "softsign.mlir"
amp.model @model
amp.state @w : !x = 1.0
amp.optimizer @opt by @softsign over @model
amp.step @train(%g: !x, %lr: f64) {
  %w = amp.read @w : !x
  %w1, %o1 = amp.apply @opt(%w, %g) hyper(lr = %lr) : (!x, !x) -> (!x)
  amp.commit %w1 to @w, %o1 to @opt always : !x, !amp.next<@opt>
}
"""


# The same function of a constant and of a value, in a rule and in linalg.
CONSTANTS = """
!x = !amp.tensors<@model x f32>
amp.model @model
amp.state @w : !x = required
amp.state @v : !x = 0.0
amp.rule @fixed optimizer params(static %p: f64 = 0.40951529145240784) inputs(%w: f32, %g: f32) {
  %pF = arith.truncf %p : f64 to f32
  %w1 = math.erf %pF : f32
  amp.yield %w1 : f32
}
amp.rule @free optimizer params(%p: f64 = 0.40951529145240784) inputs(%w: f32, %g: f32) {
  %pF = arith.truncf %p : f64 to f32
  %w1 = math.erf %pF : f32
  amp.yield %w1 : f32
}
amp.optimizer @one by @fixed over @model
amp.optimizer @two by @free over @model
amp.step @train(%x: f64) {
  %w = amp.read @w : !x
  %w1, %o1 = amp.apply @one(%w, %w) : (!x, !x) -> (!x)
  %w2, %o2 = amp.apply @two(%w, %w) : (!x, !x) -> (!x)
  amp.commit %w1 to @w, %w2 to @v always : !x, !x
  %constant = arith.constant dense<0.8120398175314911> : tensor<1xf64>
  %given = tensor.splat %x : tensor<1xf64>
  %0 = math.erf %constant : tensor<1xf64>
  %1 = math.erf %given : tensor<1xf64>
  amp.log "constant", %0 : tensor<1xf64>
  amp.log "given", %1 : tensor<1xf64>
}
"""


# What integer operations give where mathematics has no value, or one that does not fit.
LEAST = -(2**63)
QUOTIENTS = {
    # (x, y): the results of OPERATIONS; those without sign as the bits of a signed number
    (7, 2): (3, 1, 3, 1, 3, 4),
    (-7, 2): (-3, -1, 2**63 - 4, 1, -4, -3),
    (7, 0): (7, 0, 7, 0, 7, 7),
    (-5, 0): (-5, 0, -5, 0, -5, -5),
    (LEAST, -1): (LEAST, 0, 0, LEAST, LEAST, LEAST),
}
OPERATIONS = ("divsi", "remsi", "divui", "remui", "floordivsi", "ceildivsi")
SHIFTS = ("shli", "shrsi", "shrui")
INTEGERS = (
    "".join(f"amp.state @{op} : i64 = 0\n" for op in OPERATIONS + SHIFTS)
    + "amp.step @train(%x: i64, %y: i64) {\n"
    + "".join(
        f"  %{op} = arith.{op} %x, %y : i64\n  amp.commit %{op} to @{op} always : i64\n"
        for op in OPERATIONS + SHIFTS
    )
    + "}\n"
)


# Where the functions of C for f32, in the order of FUNCTIONS, are off by an ulp (glibc 2.36).
FOLDED_IN_F32 = (
    2.2621428966522217,
    0.640008807182312,
    0.5461133122444153,
    0.40951529145240784,
    1.0774297714233398,
)
# Functions of two constants, and of two values that are known when the step runs.
FUNCTIONS_OF_TWO = {
    **{name: f"math.{name} %{{0}} : {{2}}" for name in FUNCTIONS},
    "powf": "math.powf %{0}, %{1} : {2}",
    "powi": "amp.powi %{0}, %seven : {2}",
}


class Functions(unittest.TestCase):
    def setUp(self):
        self.bench = self.enterContext(Bench())

    def draw(self, low, high, count=163):
        draw = random.Random(f"{low} {high}")
        return [to_f32(draw.uniform(low, high)) for _ in range(count)]

    def mapped(self, body, values, chip):
        x = {"p": Tensor.of("F32", (len(values),), values)}
        run = self.bench.run(MAP.format(body=body), bind={"x": x}, chip=chip).expect(0)
        return run.list("y")["p"]

    def expect(self, body, values, want):
        for chip in ("x86-64-v3", "native"):
            self.assertEqual(
                self.mapped(body, values, chip), Tensor.of("F32", (len(want),), want), chip
            )

    def test_elements(self):
        for name, (function, low, high) in FUNCTIONS.items():
            with self.subTest(name):
                values = self.draw(low, high)
                # An ulp of f64 decides an f32 once in 2^28 times; none of these values is one.
                self.expect(f"%b = math.{name} %a : f32", values, [function(x) for x in values])

    def test_special_elements(self):
        inf, nan = math.inf, math.nan
        for name, values, want in (
            ("exp", [-inf, inf, nan, -0.0, 89.0, -104.0], [0.0, inf, nan, 1.0, inf, 0.0]),
            ("log", [0.0, -0.0, -1.0, inf, nan, 1.0], [-inf, -inf, nan, inf, nan, 0.0]),
            ("tanh", [-inf, inf, nan, -0.0], [-1.0, 1.0, nan, -0.0]),
            ("cos", [inf, -inf, nan, 0.0], [nan, nan, nan, 1.0]),
        ):
            with self.subTest(name):
                self.expect(f"%b = math.{name} %a : f32", values, want)

    def test_constants_give_the_same_bits_at_step_extent(self):
        draw = random.Random("constants")
        for _ in range(4):
            x, y = draw.uniform(0.01, 4.0), draw.uniform(-3.0, 3.0)
            lines = [f"%cx = arith.constant {x!r} : f64", f"%cy = arith.constant {y!r} : f64"]
            lines += ["%seven = arith.constant 7 : i64"]
            states = []
            for name, text in FUNCTIONS_OF_TWO.items():
                for prefix in ("", "c"):
                    op = text.format(prefix + "x", prefix + "y", "f64")
                    lines.append(f"%{prefix}{name} = {op}")
                    lines.append(f"amp.commit %{prefix}{name} to @{prefix}{name} always : f64")
                    states.append(f"amp.state @{prefix}{name} : f64 = 0.0")
            step = "amp.step @train(%x: f64, %y: f64) {\n" + "\n".join(lines) + "\n}\n"
            run = self.bench.run("\n".join(states) + "\n" + step, set={"x": x, "y": y}).expect(0)
            for name in FUNCTIONS_OF_TWO:
                self.assertEqual(run.state[name].data, run.state["c" + name].data, (name, x, y))

    def test_constants_give_the_same_bits_at_element_extent(self):
        for x, y in zip(FOLDED_IN_F32, self.draw(-3.0, 3.0, 5)):
            lines = [f"%cx = arith.constant {x!r} : f32", f"%cy = arith.constant {y!r} : f32"]
            lines += ["%seven = arith.constant 7 : i64", "%b0 = arith.constant 0.0 : f32"]
            results = list(FUNCTIONS_OF_TWO)
            maps, commits, states = [], [], []
            for name, text in FUNCTIONS_OF_TWO.items():
                for prefix, arguments in (("", ("x", "y")), ("c", ("cx", "cy"))):
                    op = text.format(*arguments, "f32")
                    body = "\n".join([*lines, f"%r = {op}", "amp.yield %r : f32"])
                    maps.append(
                        f"%{prefix}{name} = amp.map(%a, %b) : (!x, !x) -> !x {{\n"
                        f"^bb0(%x: f32, %y: f32):\n{body}\n}}"
                    )
                    commits.append(f"amp.commit %{prefix}{name} to @{prefix}{name} always : !x")
                    states.append(f"amp.state @{prefix}{name} : !x = 0.0")
            text = "\n".join(
                ["!x = !amp.tensors<@model x f32>", "amp.model @model", *states]
                + ["amp.step @train(%a: !x, %b: !x) {", *maps, *commits, "}"]
            )
            bind = {
                "a": {"p": Tensor.of("F32", (3,), [x] * 3)},
                "b": {"p": Tensor.of("F32", (3,), [y] * 3)},
            }
            run = self.bench.run(text, bind=bind).expect(0)
            for name in results:
                self.assertEqual(run.list(name), run.list("c" + name), (name, x, y))

    def test_constants_give_the_same_bits_in_rules_and_in_the_forward_part(self):
        w = {"p": Tensor.of("F32", (1,), [1.0])}
        run = self.bench.run(CONSTANTS, set={"x": 0.8120398175314911}, bind={"w": w}).expect(0)
        log = run.log[0]["log"]
        self.assertEqual(log["constant"], log["given"])
        self.assertEqual(run.list("w")["p"].data, run.list("v")["p"].data)

    def test_powers_of_elements(self):
        values = self.draw(0.01, 10.0)
        body = "%y = arith.constant 1.5 : f32\n    %b = math.powf %a, %y : f32"
        self.expect(body, values, [x**1.5 for x in values])
        values = self.draw(-10.0, 10.0)
        body = "%n = arith.constant 3 : i64\n    %b = amp.powi %a, %n : f32"
        # 1 * x, then times x^2, in f64 and rounded once.
        self.expect(body, values, [x * (x * x) for x in values])

    def test_quotients_that_do_not_exist(self):
        for (x, y), want in QUOTIENTS.items():
            run = self.bench.run(INTEGERS, set={"x": x, "y": y}).expect(0)
            self.assertEqual(tuple(map(run.scalar, OPERATIONS)), want, (x, y))

    def test_shifts_by_too_much(self):
        for x, y, want in ((-6, 1, (-12, -3, 2**63 - 3)), (-6, 64, (0, -1, 0)), (5, -1, (0, 0, 0))):
            run = self.bench.run(INTEGERS, set={"x": x, "y": y}).expect(0)
            self.assertEqual(tuple(map(run.scalar, SHIFTS)), want, (x, y))

    def test_floats_that_fit_no_integer(self):
        inf, nan = math.inf, math.nan
        values = [-1.5, 2.5, 3e9, -3e9, inf, -inf, nan, -0.0] * 5
        top = 2.0**31
        body = "%i = arith.fptosi %a : f32 to i32\n    %b = arith.sitofp %i : i32 to f32"
        self.expect(body, values, [-1.0, 2.0, top, -top, top, -top, 0.0, 0.0] * 5)
        body = "%i = arith.fptoui %a : f32 to i32\n    %b = arith.uitofp %i : i32 to f32"
        self.expect(body, values, [0.0, 2.0, 3e9, 0.0, 2 * top, 0.0, 0.0, 0.0] * 5)
        body = """%k = arith.fptosi %a : f32 to i32
    %n = arith.subi %k, %k : i32
    %q = arith.divsi %k, %n : i32
    %b = arith.sitofp %q : i32 to f32"""
        self.expect(body, values[:2] * 9, [-1.0, 2.0] * 9)

    def test_functions_of_a_library_are_refused(self):
        for body in ("%b = math.sin %a : f32", "%b = arith.remf %a, %a : f32"):
            run = self.bench.run(MAP.format(body=body), bind={"x": {}})
            run.expect(1, "step", ":8:", "is not in the numerics contract")

    def test_a_schedule_in_a_scalar_program(self):
        run = self.bench.run(SCHEDULE, steps=100).expect(0)
        for k, line in enumerate(run.log):
            log = line["log"]
            self.assertEqual(log["power"], 0.5**k)
            self.assertAlmostEqual(log["lr"], 0.5 * (1 + math.cos(math.pi * k / 100)), delta=3e-16)
            self.assertAlmostEqual(log["root"], math.sqrt(k / 100), delta=3e-16)

    def test_a_rule_of_the_users_own(self):
        self.bench.file("softsign.mlir", RULE)
        values = self.draw(-3.0, 3.0)
        run = self.bench.run(
            USE, bind={"g": {"p": Tensor.of("F32", (len(values),), values)}}, set={"lr": 0.25}
        ).expect(0)
        want = [1.0 - 0.25 * to_f32(math.tanh(x)) for x in values]
        self.assertEqual(run.list("w")["p"], Tensor.of("F32", (len(want),), want))
        self.assertEqual(run.scalar("opt.n"), 1)
        run = self.bench.run(USE.replace("softsign.m", "sotfsign.m"), bind={"g": {}})
        run.expect(1, "sotfsign.mlir")


if __name__ == "__main__":
    unittest.main()
