# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Approximate forms: results stay within the manual's error of the exact value, and not all are equal to it."""

import math
import struct

import exact
from exact import WIDTH, decode
from kernels import Case, run

# Relative and absolute error, PTX ISA, of f32; halves have 2**-9.9 and 2**-10.987, bf16 2**-7 and 2**-8.
BOUNDS = {"rcp": (2**-23, 0), "sqrt": (2**-23, 0), "rsqrt": (2**-22.9, 0), "sin": (0, 2**-20.5),
          "cos": (0, 2**-20.9), "lg2": (2**-22, 2**-22), "ex2": (2**-22, 0), "tanh": (2**-11, 0), "div": (2**-22, 0)}
HALF = {"f16": 2**-9.9, "bf16": 2**-7}
FUNCTIONS = {"rcp": lambda x: 1 / x, "sqrt": math.sqrt, "rsqrt": lambda x: 1 / math.sqrt(x), "sin": math.sin,
             "cos": math.cos, "lg2": math.log2, "ex2": lambda x: 2.0**x, "tanh": math.tanh, "div": lambda x, y: x / y}
INPUTS = [0.5, 1.0, 1.5, 2.0, 3.0, 0.1, 0.7, 1.25, 2.5, 3.1, 0.001, 1.75]


def pattern(kind, value):
    mantissa, exponent = math.frexp(value)
    whole = int(mantissa * 2**53)
    return exact.encode(kind, (int(value < 0), abs(whole), exponent - 53))


def number(kind, bits):
    sign, mantissa, exponent = decode(kind, bits)
    return (-1) ** sign * mantissa * 2.0**exponent


def within_documented_error(device, header, row):
    count = 0
    for words in row.expansions():
        word = words[-1]
        kind = word.replace("x2", "")
        width = WIDTH[kind] * (2 if "x2" in word else 1)
        arity = 2 if row.base == "div" else 1
        relative, absolute = BOUNDS[row.base]
        if kind in HALF:
            relative = HALF[kind]
        if kind == "f64":
            relative = 2**-19
        moved = []

        def check(*v):
            return None

        case = Case(".".join([row.base] + words), width, [(kind, width)] * arity, check)
        rows = []
        for i, x in enumerate(INPUTS):
            bits = pattern(kind, x)
            other = pattern(kind, INPUTS[(i + 5) % len(INPUTS)])
            rows.append(tuple(b | b << WIDTH[kind] if "x2" in word else b for b in (bits, other)[:arity]))
        results = []

        def expect_impossible(*v):
            return 1 << 200  # differs from everything: run() hands out every result

        case.function = expect_impossible
        for _, inputs, _, got in run(device, header, [case], lambda _: rows):
            results.append((inputs, got))
        assert len(results) == len(rows)
        for inputs, got in results:
            lanes = (0, WIDTH[kind]) if "x2" in word else (0,)
            for shift in lanes:
                args = [number(kind, b >> shift & ((1 << WIDTH[kind]) - 1)) for b in inputs]
                want = FUNCTIONS[row.base](*args)
                value = number(kind, got >> shift & ((1 << WIDTH[kind]) - 1))
                error = abs(value - want)
                # The result also has to be a number of its format.
                _, fbits = exact.FORMATS[kind]
                assert error <= relative * abs(want) + absolute + abs(want) * 2.0 ** -(fbits + 1), (
                    f"{case.text}({args}): {value} is not within the error of {want}")
                moved.append(value != struct.unpack("<f", struct.pack("<f", want))[0] if kind == "f32" else True)
        assert any(moved), f"{case.text}: every result is the rounded exact one"
        count += 1
    return count


def runner(row):
    return within_documented_error if row.approx else None
