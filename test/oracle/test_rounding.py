# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math
import struct
import unittest

from oracle import philox
from oracle.rounding import (
    BF16,
    F16,
    F32,
    F64,
    decode,
    encode,
    error_in_ulps,
    same_bits,
    to_bf16,
    to_f16,
    to_f32,
    ulp,
)


def doubles(count):
    """Bit patterns of f64 drawn evenly, and as many that lie near the ranges of the small types."""
    for high, low in zip(*[iter(philox.words(2 * count, (1, 2)))] * 2):
        yield struct.unpack("<d", struct.pack("<II", low, high))[0]
        yield math.ldexp((low - 2**31) / 2**31, high % 320 - 160)


class Rounding(unittest.TestCase):
    def test_known_patterns(self):
        for value, form, bits in [
            (1.0, F16, 0x3C00),
            (-2.0, F16, 0xC000),
            (65504.0, F16, 0x7BFF),
            (65519.0, F16, 0x7BFF),
            (65520.0, F16, 0x7C00),
            (2.0**-24, F16, 0x0001),
            (2.0**-25, F16, 0x0000),
            (1.5 * 2.0**-25, F16, 0x0001),
            (1e-8, F16, 0x0000),
            (-1e-8, F16, 0x8000),
            (0.4999, F16, 0x3800),
            (1.0 - 2.0**-12, F16, 0x3C00),
            (math.inf, F16, 0x7C00),
            (math.nan, F16, 0x7E00),
            (1.0, BF16, 0x3F80),
            (0.999, BF16, 0x3F80),
            (0.4999, BF16, 0x3F00),
            (1.0 - 0.003, BF16, 0x3F7F),
            (1.0 + 2.0**-8, BF16, 0x3F80),
            (1.0 + 3 * 2.0**-8, BF16, 0x3F82),
            (-math.nan, BF16, 0x7FC0),
            (decode(0x00080000, F32), BF16, 0x0008),
            (3.4e38, BF16, 0x7F80),
            (2.0**127, F32, 0x7F000000),
            (2.0**128, F32, 0x7F800000),
            (2.0**-149, F32, 0x00000001),
            (2.0**-127, F32, 0x00400000),
            (-0.0, F32, 0x80000000),
            (math.nan, F32, 0x7FC00000),
        ]:
            with self.subTest(value=value, form=form.name):
                self.assertEqual(f"{encode(value, form):x}", f"{bits:x}")

    def test_f64_is_rounded_once(self):
        value = 1.0 + 2.0**-8 + 2.0**-40
        self.assertEqual(encode(value, BF16), 0x3F81)
        self.assertEqual(encode(to_f32(value), BF16), 0x3F80)
        value = 1.0 + 2.0**-11 + 2.0**-40
        self.assertEqual(encode(value, F16), 0x3C01)
        self.assertEqual(encode(to_f32(value), F16), 0x3C00)

    def test_agrees_with_the_conversions_of_the_c_compiler(self):
        for value in doubles(20000):
            if math.isnan(value):
                continue
            for form, code, bits in [(F32, "<f", "<I"), (F16, "<e", "<H"), (F64, "<d", "<Q")]:
                try:
                    want = struct.unpack(bits, struct.pack(code, value))[0]
                except OverflowError:
                    want = encode(math.copysign(math.inf, value), form)
                self.assertEqual(encode(value, form), want, (value, form.name))

    def test_every_16_bit_pattern_survives(self):
        for form in (F16, BF16):
            for bits in range(1 << 16):
                value = decode(bits, form)
                want = form.nan if math.isnan(value) else bits
                self.assertEqual(encode(value, form), want)

    def test_halfway_goes_to_the_even_neighbour(self):
        for form, narrow in ((F16, to_f16), (BF16, to_bf16)):
            for bits in (0x0000, 0x0001, 0x03FF, 0x0400, 0x3C00, 0x3C01, 0x7BFE):
                low, high = decode(bits, form), decode(bits + 1, form)
                even = low if bits % 2 == 0 else high
                self.assertEqual(narrow((low + high) / 2), even)
                self.assertEqual(narrow((low + high) / 2 + ulp(low, form) / 256), high)
                self.assertEqual(narrow((low + high) / 2 - ulp(low, form) / 256), low)

    def test_ulps(self):
        self.assertEqual(ulp(1.0), 2.0**-23)
        self.assertEqual(ulp(-1.999), 2.0**-23)
        self.assertEqual(ulp(0.0), 2.0**-149)
        self.assertEqual(ulp(2.0**-140), 2.0**-149)
        self.assertTrue(math.isnan(ulp(math.inf)))
        self.assertEqual(error_in_ulps(1.0 + 2.0**-22, 1.0, 1.0), 2.0)
        self.assertEqual(error_in_ulps(2.0**-23, 0.0, 4.0), 0.25)
        self.assertEqual(error_in_ulps(math.nan, math.nan, 1.0), 0.0)
        self.assertEqual(error_in_ulps(math.inf, 1.0, 1.0), math.inf)
        self.assertEqual(error_in_ulps(math.inf, math.inf, 1.0), 0.0)
        self.assertEqual(error_in_ulps(1.0, math.nan, 1.0), math.inf)

    def test_zeros_are_told_apart(self):
        self.assertFalse(same_bits(0.0, -0.0))
        self.assertTrue(same_bits(math.nan, -math.nan))


if __name__ == "__main__":
    unittest.main()
