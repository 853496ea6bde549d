# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exact arithmetic on integers: IEEE formats, every rounding, no host floating point anywhere.

A finite number is (sign, mantissa, exponent): (-1)**sign * mantissa * 2**exponent with unlimited
integers, so sums, products and fused sums are exact until `encode` rounds them once.
"""

from math import isqrt

FORMATS = {"f16": (5, 10), "bf16": (8, 7), "tf32": (8, 10), "f32": (8, 23), "f64": (11, 52)}
WIDTH = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
CANONICAL_NAN = {"f16": 0x7FFF, "bf16": 0x7FFF, "f32": 0x7FFFFFFF}
NAN, INF = "nan", "inf"


def decode(kind, bits):
    """("nan",), ("inf", sign), or (sign, mantissa, exponent)."""
    ebits, fbits = FORMATS[kind]
    sign = bits >> (ebits + fbits) & 1
    exponent = bits >> fbits & ((1 << ebits) - 1)
    fraction = bits & ((1 << fbits) - 1)
    bias = (1 << (ebits - 1)) - 1
    if exponent == (1 << ebits) - 1:
        return (NAN,) if fraction else (INF, sign)
    if exponent == 0:
        return (sign, fraction, 1 - bias - fbits)
    return (sign, fraction | 1 << fbits, exponent - bias - fbits)


def is_nan(x):
    return x[0] == NAN


def is_inf(x):
    return x[0] == INF


def sign_of(x):
    return x[1] if is_inf(x) else x[0]


def is_zero(x):
    return len(x) == 3 and x[1] == 0


def encode(kind, x, mode="rn", sticky=0):
    """Bits of a number rounded once; `sticky` says that a little more follows the mantissa."""
    ebits, fbits = FORMATS[kind]
    bias = (1 << (ebits - 1)) - 1
    top = (1 << ebits) - 1
    if is_nan(x):
        return CANONICAL_NAN.get(kind, NAN)
    if is_inf(x):
        return x[1] << (ebits + fbits) | top << fbits
    sign, mantissa, exponent = x
    signbit = sign << (ebits + fbits)
    if mantissa == 0 and not sticky:
        return signbit
    # Two more bits than any format has, so that sticky never is the rounding bit.
    mantissa = mantissa << 2 | (1 if sticky else 0)
    exponent -= 2
    last = max(mantissa.bit_length() - 1 + exponent - fbits, 1 - bias - fbits)
    shift = last - exponent
    if shift <= 0:
        kept, rest, half = mantissa << -shift, 0, 1
    else:
        kept, rest, half = mantissa >> shift, mantissa & ((1 << shift) - 1), 1 << (shift - 1)
    up = {
        "rn": rest > half or (rest == half and shift > 0 and kept & 1),
        "rna": shift > 0 and rest >= half,
        "rz": False,
        "rm": bool(rest) and sign == 1,
        "rp": bool(rest) and sign == 0,
    }[mode]
    kept += 1 if up else 0
    if kept >> (fbits + 1):
        kept >>= 1
        last += 1
    biased = last + fbits + bias if kept >> fbits else 0
    if biased >= top:
        to_infinity = mode in ("rn", "rna") or (mode == "rm" and sign) or (mode == "rp" and not sign)
        return signbit | (top << fbits if to_infinity else (top << fbits) - 1)
    return signbit | (biased << fbits) + (kept & ((1 << fbits) - 1))


def flush(kind, bits):
    """Subnormals become zeros of their sign."""
    ebits, fbits = FORMATS[kind]
    if bits >> fbits & ((1 << ebits) - 1):
        return bits
    return bits & 1 << (ebits + fbits)


def add(a, b, mode):
    if is_nan(a) or is_nan(b):
        return (NAN,)
    if is_inf(a) or is_inf(b):
        if is_inf(a) and is_inf(b) and a[1] != b[1]:
            return (NAN,)
        return a if is_inf(a) else b
    low = min(a[2], b[2])
    total = sum((-1) ** x[0] * (x[1] << (x[2] - low)) for x in (a, b))
    if total == 0:
        # An exact zero sum of unlike signs is +0, or -0 when rounding down.
        sign = a[0] if a[0] == b[0] and is_zero(a) and is_zero(b) else int(mode == "rm")
        return (sign, 0, 0)
    return (int(total < 0), abs(total), low)


def neg(a):
    return a if is_nan(a) else (INF, 1 - a[1]) if is_inf(a) else (1 - a[0], a[1], a[2])


def mul(a, b):
    if is_nan(a) or is_nan(b):
        return (NAN,)
    sign = sign_of(a) ^ sign_of(b)
    if is_inf(a) or is_inf(b):
        return (NAN,) if is_zero(a) or is_zero(b) else (INF, sign)
    return (sign, a[1] * b[1], a[2] + b[2])


def fma(a, b, c, mode):
    return add(mul(a, b), c, mode)


def div(a, b):
    """(number, sticky)"""
    if is_nan(a) or is_nan(b):
        return (NAN,), 0
    sign = sign_of(a) ^ sign_of(b)
    if is_inf(a):
        return ((NAN,), 0) if is_inf(b) else ((INF, sign), 0)
    if is_inf(b):
        return (sign, 0, 0), 0
    if is_zero(b):
        return ((NAN,), 0) if is_zero(a) else ((INF, sign), 0)
    shift = 140
    quotient, rest = divmod(a[1] << shift, b[1])
    return (sign, quotient, a[2] - b[2] - shift), int(rest != 0)


def sqrt(a):
    """(number, sticky)"""
    if is_nan(a) or (is_zero(a)):
        return a, 0
    if sign_of(a):
        return (NAN,), 0
    if is_inf(a):
        return a, 0
    mantissa, exponent = a[1] << 200, a[2] - 200
    if exponent & 1:
        mantissa, exponent = mantissa << 1, exponent - 1
    root = isqrt(mantissa)
    return (0, root, exponent // 2), int(root * root != mantissa)


def compare(a, b):
    """-1, 0, 1, or None when unordered."""
    if is_nan(a) or is_nan(b):
        return None

    def key(x, low):
        if is_inf(x):
            return -(1 << 5000) if x[1] else 1 << 5000
        return (-1) ** x[0] * (x[1] << (x[2] - low))

    low = min([x[2] for x in (a, b) if not is_inf(x)] + [0])
    left, right = key(a, low), key(b, low)
    return (left > right) - (left < right)


def to_integer(a, mode):
    """Integer of a finite number, rounded to an integral value."""
    sign, mantissa, exponent = a
    if exponent >= 0:
        return (-1) ** sign * (mantissa << exponent)
    whole, rest, half = mantissa >> -exponent, mantissa & ((1 << -exponent) - 1), 1 << (-exponent - 1)
    up = {
        "rni": rest > half or (rest == half and whole & 1),
        "rzi": False,
        "rmi": bool(rest) and sign == 1,
        "rpi": bool(rest) and sign == 0,
    }[mode]
    return (-1) ** sign * (whole + (1 if up else 0))


def signed(value, width):
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value
