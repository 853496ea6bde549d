# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs that find faults: limits, subnormals, ties, signed zeros, NaNs, and reproducible noise."""

import random

from exact import FORMATS


def float_values(kind):
    ebits, fbits = FORMATS[kind]
    one = ((1 << (ebits - 1)) - 1) << fbits
    inf = ((1 << ebits) - 1) << fbits
    sign = 1 << (ebits + fbits)
    positive = [
        0, 1, 2, 3, (1 << fbits) - 1, 1 << fbits, (1 << fbits) + 1,  # zero, subnormals, first normals
        one - 1, one, one + 1, one + (1 << (fbits - 1)), one - (1 << fbits),  # around 1, 1.5, 0.5
        one + (1 << fbits), one + (3 << (fbits - 1)),  # 2, 3
        one + 5 * (1 << (fbits - 2)), one + ((fbits + 1) << fbits),  # 2.5, 2**(p)
        inf - 1, inf, inf + 1, inf + (1 << (fbits - 1)),  # largest, infinity, NaNs
    ]
    return positive + [v | sign for v in positive]


def integer_values(width):
    top = (1 << width) - 1
    return sorted({0, 1, 2, 3, 5, 7, 8, 15, 16, 31 & top, 32 & top, 33 & top, 63 & top, 64 & top, 127, 128, 255,
                   top, top - 1, top >> 1, (top >> 1) + 1, (top >> 1) + 2, top // 3, 2 * (top // 3),
                   0x8000 & top, 0xFFFF & top, 0x10000 & top, 0x12345678 & top, 0xDEADBEEFCAFEF00D & top})


def values(kind, width):
    return float_values(kind) if kind in FORMATS else integer_values(width)


def noise(rng, kind, width):
    bits = rng.getrandbits(width)
    if kind in FORMATS and rng.random() < 0.7:
        # Exponents near one another, so that sums do not vanish in rounding.
        ebits, fbits = FORMATS[kind]
        bias = (1 << (ebits - 1)) - 1
        exponent = max(1, min((1 << ebits) - 2, bias + rng.randint(-(fbits + 3), fbits + 3)))
        bits = bits & ~(((1 << ebits) - 1) << fbits) | exponent << fbits
    return bits


def inputs(sources, count, seed):
    """`count` tuples for sources [(kind, width)], corner cases first."""
    rng = random.Random(seed)
    lists = [values(kind, width) for kind, width in sources]
    rows = []
    if len(lists) == 1:
        rows = [(v,) for v in lists[0]]
    elif len(lists) >= 2:
        pairs = [(a, b) for a in lists[0] for b in lists[1]]
        rng.shuffle(pairs)
        rows = [pair + tuple(rng.choice(more) for more in lists[2:]) for pair in pairs[: count * 3 // 4]]
    while len(rows) < count:
        rows.append(tuple(noise(rng, kind, width) for kind, width in sources))
    return rows[:count]
