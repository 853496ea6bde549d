# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types by name, and what the references share."""

from exact import FORMATS, WIDTH, signed
from kernels import Case

INTS = {s + str(w): (s == "s", w) for s in "us" for w in (8, 16, 32, 64)}
BITS = {"b8": 8, "b16": 16, "b32": 32, "b64": 64}
PACKED = {"f16x2": "f16", "bf16x2": "bf16", "f32x2": "f32", "u16x2": "u16", "s16x2": "s16"}


def width_of(word):
    if word in PACKED:
        return 2 * width_of(PACKED[word])
    return WIDTH.get(word) or BITS.get(word) or INTS[word][1]


def types_in(words):
    return [w for w in words if w in WIDTH or w in BITS or w in INTS or w in PACKED or w == "pred"]


def kind_of(word):
    return word if word in FORMATS else "int"


def mask(width):
    return (1 << width) - 1


def lift(word, function):
    """A function of signed or unsigned values as one of bits."""
    is_signed, width = INTS.get(word, (False, BITS.get(word)))

    def wrapped(*bits):
        args = [signed(b, width) if is_signed else b for b in bits]
        return function(*args) & mask(width)

    return wrapped


def same(text, word, count, function):
    width = width_of(word)
    return Case(text, width, [(kind_of(word), width)] * count, function)
