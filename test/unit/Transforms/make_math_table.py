#!/usr/bin/env python3
# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exact values of elementary functions, for ExpandMathTest.

usage: make_math_table.py [POINTS [SEED]] > math_table.txt      needs mpmath

A line is `function x [y] result rest`: bits of f64 in hexadecimal, `result` the exact value rounded
to nearest, and `rest` the exact value less `result` in units in the last place of the exact value,
between -0.5 and 0.5; for an exact or special result rest is 0. Lines of f32 (functions with "32")
hold bits of f32 and the correctly rounded f32 result. The special cases are those of IEEE 754-2019,
9.2.1, written out; everything else is mpmath's at 60 digits or more.
"""

import math
import random
import struct
import sys

from mpmath import mp, mpf

points = int(sys.argv[1]) if len(sys.argv) > 1 else 300
generator = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
inf, nan = math.inf, math.nan
LEAST, NORMAL, MOST = 5e-324, 2.0**-1022, sys.float_info.max


def bits(x):
    return 0x7FF8000000000000 if math.isnan(x) else struct.unpack("<Q", struct.pack("<d", x))[0]


def bits32(x):
    return 0x7FC00000 if math.isnan(x) else struct.unpack("<I", struct.pack("<f", x))[0]


def rounded(exact, digits=53, least=-1074, top=1024):
    """(nearest with ties to even, what it lacks in ulps) of an mpf in a binary format."""
    if exact == 0:
        return 0.0, 0.0
    ulp = mpf(2) ** max(mp.frexp(exact)[1] - digits, least)
    count = exact / ulp
    whole = mp.nint(count)
    result = mp.inf * mp.sign(exact) if abs(whole * ulp) >= mpf(2) ** top else whole * ulp
    size = math.copysign(float(abs(result)), exact)  # a result of 0 has a sign too
    return size, float(count - whole) if math.isfinite(size) else 0.0


def line(name, arguments, result, rest=0.0):
    print(name, *(f"{bits(x):016x}" for x in arguments), f"{bits(result):016x}", f"{rest:.6f}")


def uniform(low, high):
    return generator.uniform(low, high)


def any_magnitude(low=-1074, high=1023):
    return math.ldexp(generator.uniform(1, 2), generator.randint(low, high - 1))


def signed(x):
    return x if generator.random() < 0.5 else -x


def around(*values):
    """Each value and its neighbours."""
    for x in values:
        yield from (x, math.nextafter(x, -inf), math.nextafter(x, inf))


# Function, exact value, special cases, arguments.
def exp_arguments(n):
    yield from around(1.0, -1.0, LEAST, -LEAST, 1e-300, -1e-20, 709.782712893384, -745.13321910194)
    yield from around(-708.3964185322641, -740.0, 800.0, -800.0, MOST, -MOST)
    yield from around(*(math.log(2) * (k + 0.5) for k in (-3, -2, -1, 0, 1, 2, 1000)))
    for _ in range(n):
        yield generator.choice(
            [
                uniform(-0.4, 0.4),
                uniform(-5, 5),
                uniform(-746, 710),
                signed(any_magnitude(-80, 9)),
            ]
        )


def log_arguments(n):
    yield from around(1.0, 2.0, 0.5, math.sqrt(2), math.sqrt(0.5), math.e, NORMAL, 1e-310, 10.0)
    yield from (LEAST, 2 * LEAST, MOST)
    for _ in range(n):
        yield generator.choice(
            [uniform(0.6, 1.5), 1 + signed(any_magnitude(-50, -1)), any_magnitude()]
        )


def tanh_arguments(n):
    yield from around(1.0, -1.0, LEAST, 2.0**-28, 20.0, 19.06, 0.17328679513998632, -0.55, MOST)
    for _ in range(n):
        sizes = [uniform(0, 0.4), uniform(0, 3), uniform(0, 22), any_magnitude(-1074, 6)]
        yield signed(generator.choice(sizes))


def erf_arguments(n):
    yield from around(1.0, -1.0, LEAST, 2.0**-28, 6.0, 5.9, -0.5, 1e-308, MOST)
    for _ in range(n):
        sizes = [uniform(0, 1), uniform(0.9, 1.2), uniform(1, 7), any_magnitude(-1074, 3)]
        yield signed(generator.choice(sizes))


def cos_arguments(n):
    yield from around(1.0, 2.0**-30, math.pi, -math.pi, 1e5, 2.0**20 - 1, LEAST)
    yield from (2.0**20, -(2.0**20))
    yield from around(*(math.pi / 2 * k for k in (1, 2, 3, 4, 5, 11, 344, 45123, 667543)))
    yield from around(*(math.pi / 4 * k for k in (1, 3, 5, 7)))
    for _ in range(n):
        sizes = [uniform(0, 0.8), uniform(0, 10), uniform(0, 2.0**20), any_magnitude(-60, 20)]
        yield signed(generator.choice(sizes))


def pow_arguments(n):
    yield from ((2.0, y) for y in (0.5, 1023.0, 1023.9999999, -1074.0, -1074.5, -1075.0, 1024.0))
    yield from ((-2.0, y) for y in (2.0, 3.0, -1.0, 1023.0, -1074.0, -1073.0))
    yield from ((x, 2.0**60) for x in around(1.0))
    above, below = math.nextafter(1, 2), math.nextafter(1, 0)
    yield from ((x, y) for x in (above, -below) for y in (1e300, -1e300))
    yield from ((0.9, 1.0), (0.999, 1000.0), (1.5, 1e-310), (LEAST, 0.5), (MOST, 1.0), (LEAST, 1.0))
    for _ in range(n):
        near = 1 + signed(any_magnitude(-50, -1))
        x = generator.choice([uniform(0, 2), near, any_magnitude()])
        log = abs(math.log(x)) or 1.0
        limit = generator.choice([2.0, 300.0, 746.0]) / log
        yield x, signed(min(uniform(0, limit), 1e300))
        yield -x, float(round(signed(min(uniform(0, limit), 1e300))))


FUNCTIONS = {
    "exp": (mp.exp, exp_arguments, {inf: inf, -inf: 0.0, 0.0: 1.0, -0.0: 1.0}),
    "log": (mp.log, log_arguments, {0.0: -inf, inf: inf, -1.0: nan, -inf: nan, -LEAST: nan}),
    "tanh": (mp.tanh, tanh_arguments, {inf: 1.0, -inf: -1.0}),
    "erf": (mp.erf, erf_arguments, {inf: 1.0, -inf: -1.0}),
    "cos": (mp.cos, cos_arguments, {inf: nan, -inf: nan, 0.0: 1.0, 1048577.0: nan, -MOST: nan}),
}


def pow_specials():
    values = (1.0, -1.0, 0.5, 2.0, -2.0, 3.0, -3.0, 0.0, -0.0, inf, -inf, nan, 1e300, -1e300)
    values += (LEAST, -0.5)
    for x in values:
        for y in values:
            odd = math.isfinite(y) and y == math.floor(y) and abs(y) < 2**53 and int(y) % 2 == 1
            sign = -1.0 if odd and math.copysign(1, x) < 0 else 1.0
            if x == 1.0 or y == 0.0:
                result = 1.0
            elif math.isnan(x) or math.isnan(y):
                result = nan
            elif math.isinf(y):
                grows = (abs(x) > 1) == (y > 0)
                result = 1.0 if abs(x) == 1 else inf if grows else 0.0
            elif x == 0.0 or math.isinf(x):
                result = sign * (inf if (x == 0.0) == (y < 0) else 0.0)
            elif x < 0 and y != math.floor(y):
                result = nan
            else:
                continue
            line("pow", (x, y), result)


def exact_pow(x, y):
    # The exponent of an f64 can be huge: where it over- or underflows, the bounds are enough.
    logarithm = mpf(y) * mp.log(abs(mpf(x)))
    size = mp.exp(min(max(logarithm, mpf(-800)), mpf(800)))
    return -size if x < 0 and abs(y) < 2**53 and int(y) % 2 else size


def f32_lines(n):
    for name, (exact, arguments, _) in FUNCTIONS.items():
        for x in arguments(n):
            x = struct.unpack("<f", struct.pack("<f", x))[0] if abs(x) < 3e38 else 1.5
            if name == "log" and x <= 0:
                continue
            result, _ = rounded(exact(mpf(x)) if x else mpf(name in ("exp", "cos")), 24, -149, 128)
            result = math.copysign(result, x) if name in ("tanh", "erf") else result
            print(f"{name}32 {bits32(x):08x} {bits32(result):08x}")


def powi_lines(n):
    """Products in f64 in the order of the contract: least significant bit first."""
    for _ in range(n):
        near, other = 1 + signed(any_magnitude(-20, -1)), signed(any_magnitude(-30, 30))
        base = generator.choice([0.9, 0.999, -0.5, near, other, 0.0, -0.0, inf, nan])
        few, many = generator.randint(-20, 20), generator.randint(0, 100000)
        exponent = generator.choice([few, many, 2**63 - 1, -(2**63), 0, 1])
        result, power, rest = 1.0, base, abs(exponent)
        while rest:
            if rest & 1:
                result *= power
            power, rest = power * power, rest >> 1
        if exponent < 0:
            result = 1.0 / result if result else math.copysign(inf, result)
        print(f"powi {bits(base):016x} {exponent & 2**64 - 1:016x} {bits(result):016x} 0")


def main():
    mp.dps = 60
    for name, (exact, arguments, specials) in FUNCTIONS.items():
        for x, result in specials.items():
            line(name, (x,), result)
        line(name, (nan,), nan)
        if name in ("tanh", "erf"):
            line(name, (0.0,), 0.0)
            line(name, (-0.0,), -0.0)
        for x in arguments(points):
            if x:
                big = abs(x) > 800 and name in ("exp", "tanh", "erf")
                value = exact(mpf(math.copysign(800, x)) if big else mpf(x))
                line(name, (x,), *rounded(value))
    pow_specials()
    for x, y in pow_arguments(points):
        if x and y:
            line("pow", (x, y), *rounded(exact_pow(x, y)))
    f32_lines(points // 3)
    powi_lines(points)


main()
