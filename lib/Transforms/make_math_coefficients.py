#!/usr/bin/env python3
# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes MathCoefficients.inc: the constants of the f64 expansions in ExpandMath.

usage: make_math_coefficients.py > MathCoefficients.inc        needs mpmath

Polynomials are minimax (Remez exchange at 60 digits), then rounded to f64. The bound printed above
each is for the rounded coefficients in exact arithmetic, and is proven: the function is replaced by
a Taylor polynomial whose remainder is added, and the difference of the two polynomials is bounded
by its Bernstein coefficients on small intervals, in rational arithmetic. Only `erfcxQ`, whose
function has no such series, is bounded by its values on a grid that is 100 times finer than its
extrema are apart. What evaluation in f64 adds is in the comments of the expansions.
"""

import math
from fractions import Fraction

from mpmath import erf, erfc, exp, log, lu_solve, matrix, mp, mpf, nstr, pi, sqrt

mp.dps = 60


def remez(f, weight, a, b, degree, rounds=10):
    """The coefficients, ascending, of the polynomial with the least max |weight * (p - f)|."""
    count = degree + 2
    ends = lambda turn: (a + b) / 2 - (b - a) / 2 * mp.cos(pi * turn)
    nodes = [ends(mpf(2 * k + 1) / (2 * count)) for k in range(count)]
    for _ in range(rounds):
        system, right = matrix(count, count), matrix(count, 1)
        for i, x in enumerate(nodes):
            for j in range(degree + 1):
                system[i, j] = x**j
            system[i, degree + 1] = (-1) ** i / weight(x)
            right[i] = f(x)
        solution = lu_solve(system, right)
        coefficients = [solution[j] for j in range(degree + 1)]
        grid = [ends(mpf(k) / (40 * count)) for k in range(40 * count + 1)]
        error = [weight(x) * (mp.polyval(coefficients[::-1], x) - f(x)) for x in grid]
        extrema = [0]
        for i in range(1, len(grid)):
            if (error[i] > 0) != (error[extrema[-1]] > 0):
                extrema.append(i)
            elif abs(error[i]) > abs(error[extrema[-1]]):
                extrema[-1] = i
        while len(extrema) > count:
            extrema.pop(0 if abs(error[extrema[0]]) < abs(error[extrema[-1]]) else -1)
        if len(extrema) < count:
            break  # as good as 60 digits can tell
        nodes = [grid[i] for i in extrema]
    return coefficients


def bernstein_bound(p, a, b, pieces=64):
    """A bound of |p| on [a, b] for a polynomial with Fraction coefficients."""
    n, worst = len(p) - 1, Fraction(0)
    for k in range(pieces):
        low, width = a + (b - a) * k / pieces, (b - a) / pieces
        # p(low + width * t) as a polynomial of t, by repeated synthetic division.
        shifted, rest = [], list(p)
        while rest:
            for i in range(len(rest) - 2, -1, -1):
                rest[i] += low * rest[i + 1]
            shifted.append(rest.pop(0))
        shifted = [c * width**i for i, c in enumerate(shifted)]
        for i in range(n + 1):
            value = sum(
                shifted[j] * Fraction(math.comb(i, j), math.comb(n, j)) for j in range(i + 1)
            )
            worst = max(worst, abs(value))
    return worst


def fraction(x):
    sign, mantissa, exponent, _ = mpf(x)._mpf_
    return (-1) ** sign * Fraction(mantissa) * Fraction(2) ** exponent


def rounded(coefficients):
    return [float(c) for c in coefficients]


def proven(coefficients, series, remainder, a, b):
    """A bound of |p - f| on [a, b]: f has the Taylor coefficients `series` about 0, cut with at
    most `remainder`."""
    length = max(len(coefficients), len(series))
    p = [Fraction(c) for c in coefficients] + [Fraction(0)] * (length - len(coefficients))
    s = [fraction(c) for c in series] + [Fraction(0)] * (length - len(series))
    return mpf(1) * float(bernstein_bound([x - y for x, y in zip(p, s)], a, b)) + remainder


def array(name, comment, coefficients, bound):
    print(f"\n// {comment}\n// Off by at most 2^{nstr(log(bound, 2), 5)} before evaluation.")
    print(f"inline constexpr double {name}[] = {{")
    for c in coefficients:
        print(f"    {c.hex()},")
    print("};")


def number(name, comment, value):
    print(f"\n// {comment}\ninline constexpr double {name} = {float(value).hex()};")


def leading(x, bits):
    """x cut (not rounded) to its leading bits, and the rest."""
    shift = bits - 1 - int(mp.floor(log(abs(x), 2)))
    head = mp.floor(abs(x) * mpf(2) ** shift) / mpf(2) ** shift * mp.sign(x)
    return head, x - head


def series_polynomial(name, comment, f, series, remainder, a, b, degree):
    coefficients = rounded(remez(f, lambda x: mpf(1), mpf(a), mpf(b), degree))
    bound = proven(coefficients, series, remainder, Fraction(a), Fraction(b))
    array(name, comment, coefficients, bound)


def main():
    print("// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.")
    print("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception")
    print("//\n// Made by make_math_coefficients.py. Do not edit. Polynomials in ascending order.")

    ln2 = log(mpf(2))
    head, rest = leading(ln2, 42)
    number("log2e", "1 / ln 2.", 1 / ln2)
    number("ln2Head", "ln 2, its leading 42 bits: exact times any exponent of an f64.", head)
    number("ln2Tail", "ln 2 - ln2Head.", rest)

    # |r| <= ln 2 / 2 and what rounding of x * log2e adds; the series' remainder is below 0.35^42.
    n = 40
    series = [1 / mp.factorial(i + 2) for i in range(n)]
    series_polynomial(
        "expQ",
        "(exp(r) - 1 - r) / r^2 for |r| <= 0.3475.",
        lambda r: (exp(r) - 1 - r) / r**2 if abs(r) > mpf(10) ** -20 else mpf(1) / 2,
        series,
        mpf(0.35) ** n,
        -0.3475,
        0.3475,
        10,
    )

    # log(m) = 2 atanh(s), s = (m - 1) / (m + 1), sqrt(1/2) <= m <= sqrt(2): s^2 <= 0.029438.
    def tail(z):
        s = sqrt(z)
        return (mp.atanh(s) / s - 1 - z / 3 - z**2 / 5) / z**3

    series = [mpf(1) / (2 * i + 7) for i in range(n)]
    top = 0.02945
    third, fifth = mpf(1) / 3, mpf(1) / 5
    number("thirdHead", "1/3, and what it lacks.", third)
    number("thirdTail", "1/3 - thirdHead.", third - mpf(float(third)))
    number("fifthHead", "1/5, and what it lacks.", fifth)
    number("fifthTail", "1/5 - fifthHead.", fifth - mpf(float(fifth)))
    series_polynomial(
        "atanhP",
        "(atanh(s)/s - 1 - z/3 - z^2/5) / z^3 for z = s^2 <= 0.02945.",
        lambda z: tail(z) if z > mpf(10) ** -12 else mpf(1) / 7 + z / 9,
        series,
        mpf(top) ** n,
        0.0,
        top,
        7,
    )

    # |r| <= pi / 4 and what rounding of x * 2/pi adds.
    top = 0.618
    remainder = mpf(top) ** n / mp.factorial(2 * n)
    z_series = [(-1) ** (i + 1) / mp.factorial(2 * i + 3) for i in range(n)]
    series_polynomial(
        "sinS",
        "(sin(r)/r - 1) / z for z = r^2 <= 0.618.",
        lambda z: (mp.sin(sqrt(z)) / sqrt(z) - 1) / z if z > mpf(10) ** -20 else -mpf(1) / 6,
        z_series,
        remainder,
        0.0,
        top,
        6,
    )
    z_series = [(-1) ** i / mp.factorial(2 * i + 4) for i in range(n)]
    series_polynomial(
        "cosC",
        "(cos(r) - 1 + z/2) / z^2 for z = r^2 <= 0.618.",
        lambda z: (mp.cos(sqrt(z)) - 1 + z / 2) / z**2 if z > mpf(10) ** -12 else mpf(1) / 24,
        z_series,
        remainder,
        0.0,
        top,
        6,
    )
    number("twoOverPi", "2 / pi.", 2 / pi)
    rest = pi / 2
    for i in range(3):
        head, rest = leading(rest, 33)
        number(
            f"halfPi{i}",
            f"pi / 2, bits {33 * i} to {33 * i + 32}: exact times a number of 20 bits.",
            head,
        )
    number("halfPi3", "pi / 2, what the three lack.", rest)

    # erf(x) = x + x * R(x^2) up to 1.
    def r(z):
        x = sqrt(z)
        return erf(x) / x - 1 if x else 2 / sqrt(pi) - 1

    series = [
        2 / sqrt(pi) * (-1) ** i / (mp.factorial(i) * (2 * i + 1)) - (1 if i == 0 else 0)
        for i in range(n)
    ]
    series_polynomial(
        "erfR", "erf(x)/x - 1 for z = x^2 <= 1.", r, series, 2 / mp.factorial(n), 0.0, 1.0, 12
    )

    # erfc(x) = exp(-x^2) * Q, Q a polynomial of u = 1/(x + 3/2) - 1/4, from 1 on; beyond 6, erf
    # rounds to 1. The weight makes the error that of erfc.
    low, high = mpf(1) / (6 + mpf(3) / 2) - mpf(1) / 4, mpf(1) / (1 + mpf(3) / 2) - mpf(1) / 4
    at = lambda u: 1 / (u + mpf(1) / 4) - mpf(3) / 2
    q = lambda u: erfc(at(u)) * exp(at(u) ** 2)
    weight = lambda u: exp(-at(u) ** 2)
    coefficients = rounded(remez(q, weight, low, high, 13))
    grid = [low + (high - low) * k / 1500 for k in range(1501)]
    bound = max(weight(u) * abs(mp.polyval(coefficients[::-1], u) - q(u)) for u in grid)
    array(
        "erfcxQ",
        "exp(x^2) * erfc(x) for u = 1/(x + 3/2) - 1/4, 1 <= x <= 6; the error is that of erfc(x).",
        coefficients,
        bound,
    )


main()
