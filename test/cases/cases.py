# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faults that others had, as data: what went in, and what is right. Read with `load`; the format is
in README.md. The folder `test` must be on the path.
"""

import json
import math
import os
from dataclasses import dataclass

from oracle import philox, rounding
from oracle.rounding import FORMATS, decode, encode, to_f32, ulp

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases.json")


def load(path=PATH):
    """{CASE: entry}"""
    with open(path, encoding="utf-8") as file:
        return {entry["case"]: entry for entry in json.load(file)["cases"]}


def number(x):
    """A number as the file writes it: a JSON number, "inf", "-inf", "nan", a C hexadecimal number,
    TYPE:BITS, or {TYPE: number} for the number rounded to the type.
    """
    if isinstance(x, dict):
        ((form, value),) = x.items()
        return decode(encode(number(value), FORMATS[form]), FORMATS[form])
    if not isinstance(x, str):
        return float(x)
    form, colon, bits = x.partition(":")
    if colon:
        return decode(int(bits, 16), FORMATS[form])
    return float.fromhex(x) if "0x" in x else float(x)


def bits(x, form):
    """The bit pattern of a number as the file writes it; a NaN's too, if it is spelled out."""
    if isinstance(x, str) and x.startswith(form + ":"):
        return int(x.partition(":")[2], 16)
    return encode(number(x), FORMATS[form])


def matches(got, want, ulps=12.0):
    """Whether `got` is what the file wants: exactly, or, for {"about": DECIMAL}, to the digits that
    are printed and `ulps` of f32 on top.
    """
    if isinstance(want, bool):
        return got is want
    if isinstance(want, dict) and "about" in want:
        text = want["about"]
        mantissa, _, exponent = text.partition("e")
        places = len(mantissa.partition(".")[2]) - int(exponent or 0)
        value = float(text)
        return abs(got - value) <= 0.5 * 10.0**-places + ulps * ulp(value)
    return rounding.same_bits(got, number(want))


def spread(values, shape):
    """The elements of a tensor: a list as it is, a single number for all of them."""
    size = math.prod(shape)
    if isinstance(values, list):
        if len(values) != size:
            raise ValueError(f"expected {size} elements for {shape}, got {len(values)}")
        return values
    return [values] * size


@dataclass
class Step:
    """One attempted step: how to make its gradients, and what is expected after it."""

    gradients: list  # of {TENSOR: [number as written]}, one for each micro-batch
    scaled: bool  # whether they are written as stored, that is with the scale in them
    expect: dict
    wrong: dict

    def stored(self, scale):
        """[{TENSOR: values}] as an argument or accumulator gets them under a loss scale."""
        factor = 1.0 if self.scaled else scale
        return [
            {name: [to_f32(to_f32(number(x)) * factor) for x in g] for name, g in micro.items()}
            for micro in self.gradients
        ]


class Variant:
    """A run of steps under one set of settings."""

    def __init__(self, data):
        self.data = data
        self.name = data["name"]
        self.model = {name: tuple(shape) for name, shape in data["model"].items()}
        self.weights = self._list(data["weights"], number)
        self.scaler = {k: _plain(v) for k, v in data["scaler"].items()}
        self.settings = dict(data.get("optimizer", {"rule": "sgd", "lr": 0.0}))
        self.rule = self.settings.pop("rule")
        self.max_norm = data.get("max_norm")
        self.gradient_types = data.get("types", {}).get("grads", ["F32"])

    def _list(self, written, convert=lambda x: x):
        """{TENSOR: elements} of the whole model; empty tensors need not be written."""
        return {
            name: [convert(x) for x in spread(written.get(name, []), shape)]
            for name, shape in self.model.items()
        }

    def steps(self):
        for data in self.data["steps"]:
            scaled = "unscaled" not in data and "micro" not in data
            written = data.get("micro", [data.get("grads", data.get("unscaled"))])
            gradients = [self._list(micro) for micro in written]
            for i in range(data.get("repeat", 1)):
                expect = {key: _each(value, i) for key, value in data["expect"].items()}
                yield Step(gradients, scaled, expect, data.get("wrong", {}))

    def expected(self, lists):
        """{TENSOR: expectations} of the whole model from what a step says of `w`, `m`, …"""
        return self._list(lists)


def variants(entry):
    return [Variant(data) for data in entry["variants"]]


def _plain(x):
    return number(x) if isinstance(x, str) and x.startswith(("0x", "-0x")) else x


def _each(value, i):
    return value["each"][i] if isinstance(value, dict) and "each" in value else value


def conversion_sweep(sweep):
    """The f32 bit patterns of a sweep: every sign, every exponent of a range and every upper part
    of the mantissa, with a few lower halves around the ties of bf16.
    """
    first, last = sweep["exponents"]
    for sign in (0, 1):
        for exponent in range(first, last + 1):
            for upper in range(128):
                for low in sweep["low_halves"]:
                    yield sign << 31 | exponent << 23 | upper << 16 | int(low, 16)


def average_pairs(entry):
    """(m, g, m1) of B66: f32 numbers and the average that two products and a sum, each rounded to
    f32, give.
    """
    beta1, rest = to_f32(entry["beta1"]), to_f32(1.0 - entry["beta1"])
    draw = iter(philox.words(2 * entry["pairs"], entry["key"]))
    for a, b in zip(draw, draw):
        m, g = to_f32(a / 2**31 - 1.0), to_f32(b / 2**31 - 1.0)
        yield m, g, to_f32(to_f32(beta1 * m) + to_f32(rest * g))
