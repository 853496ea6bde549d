# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rounding to the storage types, by exact integer arithmetic, and distances in units in the last
place.

Every conversion rounds once, to nearest with ties to even, keeps subnormals, overflows to infinity
and stores the one canonical NaN of the type.
"""

import math
import struct
from dataclasses import dataclass


@dataclass(frozen=True)
class Format:
    """A binary interchange format; `mantissa` counts the stored bits."""

    name: str
    exponent: int
    mantissa: int

    @property
    def bits(self):
        return 1 + self.exponent + self.mantissa

    @property
    def bias(self):
        return (1 << (self.exponent - 1)) - 1

    @property
    def infinity(self):
        return ((1 << self.exponent) - 1) << self.mantissa

    @property
    def nan(self):
        """Positive and quiet, with no other bit of the payload set."""
        return self.infinity | 1 << (self.mantissa - 1)

    @property
    def least_exponent(self):
        """The power of two of the smallest subnormal number."""
        return 1 - self.bias - self.mantissa


F16 = Format("f16", 5, 10)
BF16 = Format("bf16", 8, 7)
F32 = Format("f32", 8, 23)
F64 = Format("f64", 11, 52)
FORMATS = {form.name: form for form in (F16, BF16, F32, F64)}


def encode(value, form):
    """The bits of `value` (a Python float, that is an f64) rounded once to `form`."""
    if math.isnan(value):
        return form.nan
    sign = (1 << (form.bits - 1)) if math.copysign(1.0, value) < 0 else 0
    if math.isinf(value):
        return sign | form.infinity
    if value == 0.0:
        return sign
    numerator, denominator = abs(value).as_integer_ratio()
    # The power of two of the last place: that of the number's own binade, or the subnormals' one.
    top = numerator.bit_length() - denominator.bit_length()
    if numerator << max(-top, 0) < denominator << max(top, 0):
        top -= 1
    last = max(top - form.mantissa, form.least_exponent)
    numerator <<= max(-last, 0)
    denominator <<= max(last, 0)
    quotient, remainder = divmod(numerator, denominator)
    if 2 * remainder > denominator or (2 * remainder == denominator and quotient & 1):
        quotient += 1
    # A quotient that carries into the next binade also carries into the exponent field; one below
    # the implicit bit is a subnormal and has a zero field. Both come out of one addition.
    field = last - form.least_exponent
    return sign | min((field << form.mantissa) + quotient, form.infinity)


def decode(bits, form):
    """The value of a bit pattern, as a Python float."""
    sign = -1.0 if bits >> (form.bits - 1) else 1.0
    fraction = bits & ((1 << form.mantissa) - 1)
    field = bits >> form.mantissa & ((1 << form.exponent) - 1)
    if field == (1 << form.exponent) - 1:
        return math.nan if fraction else sign * math.inf
    if field:
        fraction |= 1 << form.mantissa
    return sign * math.ldexp(fraction, form.least_exponent + max(field, 1) - 1)


def to_f32(value):
    """`value` rounded to f32. The sum, difference, product, quotient and square root of two f32
    numbers, computed in f64 and rounded by this, are the correctly rounded f32 results: 53 bits are
    at least 2*24+2 (Figueroa 1995)."""
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def to_f16(value):
    return decode(encode(value, F16), F16)


def to_bf16(value):
    return decode(encode(value, BF16), BF16)


def f32_bits(value):
    return encode(value, F32)


def from_f32_bits(bits):
    return decode(bits, F32)


def same_bits(a, b):
    """Whether two floats are stored alike: zeros told apart by sign, all NaNs one."""
    return encode(a, F64) == encode(b, F64)


def ulp(value, form=F32):
    """The distance between neighbours of `form` in the binade of `value`; NaN if it has none."""
    if not math.isfinite(value):
        return math.nan
    exponent = math.frexp(value)[1] - 1 if value else -(1 << 20)
    return math.ldexp(1.0, max(exponent - form.mantissa, form.least_exponent))


def error_in_ulps(got, want, largest, form=F32):
    """|got - want| in ulps of `largest`, the largest term of the sum that made `want`. Equal
    infinities and two NaNs are 0 apart; a class that differs is infinitely far."""
    if math.isnan(got) or math.isnan(want):
        return 0.0 if math.isnan(got) and math.isnan(want) else math.inf
    if got == want:
        return 0.0
    if math.isinf(got) or math.isinf(want):
        return math.inf
    return abs(got - want) / ulp(max(abs(largest), abs(want)), form)
