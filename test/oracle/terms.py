# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers that remember the largest term behind them.

A sum computed in f32 cannot be better than half a unit in the last place of its largest term,
however small the sum itself is; and whatever it is multiplied into carries that error on. A `Term`
therefore holds a value, in f64, and `largest`: the magnitude in whose units an error is to be
measured, carried to first order through every operation.
"""

import math

_HALF_ULP = 2.0**-24


class Term:
    __slots__ = ("value", "largest")

    def __init__(self, value, largest=None):
        self.value = float(value)
        self.largest = abs(self.value) if largest is None else max(largest, abs(self.value))

    @staticmethod
    def wrap(x):
        return x if isinstance(x, Term) else Term(x)

    def __add__(self, other):
        other = Term.wrap(other)
        return Term(self.value + other.value, max(self.largest, other.largest))

    def __sub__(self, other):
        return self + -Term.wrap(other)

    def __neg__(self):
        return Term(-self.value, self.largest)

    def __mul__(self, other):
        other = Term.wrap(other)
        # Where both factors cancelled to nothing, what is left is the product of their errors.
        carried = max(
            abs(self.value) * other.largest,
            self.largest * abs(other.value),
            self.largest * other.largest * _HALF_ULP,
        )
        return Term(self.value * other.value, carried)

    def __truediv__(self, other):
        other = Term.wrap(other)
        quotient = self.value / other.value
        return Term(
            quotient,
            max(self.largest / abs(other.value), abs(quotient) * other.largest / abs(other.value)),
        )

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, other):
        return Term.wrap(other) - self

    def __rtruediv__(self, other):
        return Term.wrap(other) / self

    def sqrt(self):
        root = math.sqrt(self.value)
        return Term(root, self.largest / (2.0 * root) if root else math.sqrt(self.largest))

    def maximum(self, other):
        return Term(max(self.value, other.value), max(self.largest, other.largest))

    def sign(self, doubt=4.0):
        """-1, 0 or 1. Within `doubt` ulps of its largest term a sum's sign is anybody's: an ulp of
        the result is then 1, so that either sign passes."""
        sign = float((self.value > 0) - (self.value < 0))
        doubtful = abs(self.value) < doubt * 2.0 * _HALF_ULP * self.largest
        return Term(sign, 1.0 / (2.0 * _HALF_ULP) if doubtful else None)
