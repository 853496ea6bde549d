# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math
import unittest
from fractions import Fraction

from oracle import contract, philox
from oracle.rounding import F16, decode, to_f32


def numbers(count, seed):
    """f32 numbers with magnitudes from 2^-20 to 2^20 and both signs."""
    draw = iter(philox.words(2 * count, (seed, 0)))
    return [
        to_f32(math.ldexp(next(draw) / 2**31 - 1.0, next(draw) % 41 - 20)) for _ in range(count)
    ]


def plainly(values, term):
    """One tensor as the contract's text reads, an addition at a time."""
    partials = []
    for begin in range(0, len(values), 16384):
        lanes = [0.0] * 256
        for e, x in enumerate(values[begin : begin + 16384]):
            lanes[e % 256] = to_f32(lanes[e % 256] + to_f32(term(x)))
        for half in (128, 64, 32, 16, 8, 4, 2, 1):
            for i in range(half):
                lanes[i] = to_f32(lanes[i] + lanes[i + half])
        partials.append(lanes[0])
    lanes = [0.0] * 256
    for p, partial in enumerate(partials):
        lanes[p % 256] += partial
    for half in (128, 64, 32, 16, 8, 4, 2, 1):
        for i in range(half):
            lanes[i] += lanes[i + half]
    return lanes[0]


class Contract(unittest.TestCase):
    def test_one_addition_at_a_time(self):
        for count in (0, 1, 3, 255, 256, 257, 16383, 16384, 16385, 50001):
            values = numbers(count, count)
            with self.subTest(count=count):
                self.assertEqual(
                    contract.reduce_tensor(contract.f32s(values), contract.squares),
                    plainly(values, lambda x: x * x),
                )
                self.assertEqual(
                    contract.reduce_tensor(contract.f32s(values), contract.magnitudes),
                    plainly(values, abs),
                )

    def test_lanes_are_not_a_running_sum(self):
        # 2^24 and 256 ones: a running f32 sum would lose every one of them; here only the one that
        # follows 2^24 into its own lane is lost, and the fold then adds exactly.
        values = [2.0**24] + [1.0] * 256
        total = contract.reduce_model({"a": values}, contract.magnitudes)
        self.assertEqual(total, 2.0**24 + 254.0)

    def test_fold_order_within_a_chunk(self):
        # Lane 0 meets lane 128 first, then 64, …, 1 last: 2^24 + 1 is a tie and goes to even.
        lanes = [0.0] * 256
        lanes[0], lanes[128], lanes[1] = 2.0**24, 1.0, 2.0
        self.assertEqual(contract.fold_chunk(contract.f32s(lanes)), 2.0**24 + 2.0)
        lanes[0], lanes[128], lanes[1] = 2.0**24, 0.0, 1.0
        self.assertEqual(contract.fold_chunk(contract.f32s(lanes)), 2.0**24)
        lanes[129] = 1.0
        self.assertEqual(contract.fold_chunk(contract.f32s(lanes)), 2.0**24 + 2.0)

    def test_chunks_and_tensors_fold_in_f64(self):
        chunks = [2.0**24] + [0.0] * (contract.CHUNK - 1) + [1.0]
        self.assertEqual(contract.reduce_model({"a": chunks}, contract.magnitudes), 2.0**24 + 1.0)
        self.assertEqual(
            contract.reduce_model({"a": [2.0**24], "b": [1.0]}, contract.magnitudes), 2.0**24 + 1.0
        )
        self.assertEqual(
            contract.reduce_models([{"a": [2.0**24]}, {"a": [1.0]}], contract.magnitudes),
            2.0**24 + 1.0,
        )

    def test_partials_go_to_lanes_of_256(self):
        # Partials 0 and 256 share a lane, so 1 and 1 meet before 2^53 does.
        partials = [0.0] * 257
        partials[0], partials[256], partials[1] = 1.0, 1.0, 2.0**53
        self.assertEqual(contract.fold_f64(partials), 2.0**53 + 2.0)
        self.assertEqual(math.fsum(partials), 2.0**53 + 2.0)
        partials[256], partials[2] = 0.0, 1.0
        self.assertEqual(contract.fold_f64(partials), 2.0**53 + 2.0)
        partials[2], partials[129] = 0.0, 1.0
        self.assertEqual(contract.fold_f64(partials), 2.0**53)

    def test_tensors_go_by_the_bytes_of_their_names(self):
        values = {
            "b": numbers(100, 1),
            "B": numbers(300, 2),
            "a.10": numbers(5, 3),
            "a.9": [],
            "é": [2.0**60],
        }
        backwards = dict(reversed(values.items()))
        self.assertEqual(contract.norm([values]), contract.norm([backwards]))
        # "B" < "a" < "é" in bytes, so the first and the third tensor, the ones, meet before 2^53
        # does; in any other order one of them meets it alone and is lost.
        self.assertEqual(
            contract.reduce_model({"a": [2.0**53], "B": [1.0], "é": [1.0]}, contract.magnitudes),
            2.0**53 + 2.0,
        )

    def test_close_to_the_exact_sum(self):
        values = numbers(50000, 7)
        exact = sum(Fraction(x) ** 2 for x in values)
        total = contract.reduce_model({"a": values}, contract.squares)
        self.assertLess(abs(Fraction(total) - exact) / exact, Fraction(72, 2**24))

    def test_norms(self):
        self.assertEqual(contract.norm([{"a": [3.0, 4.0]}]), 5.0)
        self.assertEqual(contract.norm([{"a": [3000.0], "b": [4000.0]}]), 5000.0)
        self.assertEqual(contract.norm([{"a": [1.0] * 1024}]), 32.0)
        self.assertEqual(contract.norm([{"a": [-3.0, 4.0]}], 1.0), 7.0)
        self.assertEqual(contract.norm([{"a": [-3.0, 2.0]}, {"c": [-7.0]}], math.inf), 7.0)
        self.assertEqual(contract.norm([{}]), 0.0)
        self.assertEqual(contract.norm([{"a": [1e20]}]), math.inf)
        for values in ([math.nan, math.inf], [math.inf, math.nan], [1.0, math.nan]):
            self.assertTrue(math.isnan(contract.norm([{"a": values}], math.inf)))
        with self.assertRaisesRegex(ValueError, "got 3.0"):
            contract.norm([{"a": [1.0]}], 3.0)

    def test_unscale(self):
        self.assertEqual(list(contract.unscale([2.0**127], 2.0**127)), [1.0])
        self.assertEqual(list(contract.unscale([3.0], 3.0)), [to_f32(3.0 * to_f32(1.0 / 3.0))])
        self.assertEqual(list(contract.unscale([1e38], 2.0**-10)), [math.inf])

    def test_finite(self):
        largest = decode(0x7BFF, F16)
        self.assertTrue(contract.all_finite([largest, -largest, 0.0], 65536.0))
        self.assertTrue(contract.all_finite([]))
        for bad in (math.inf, -math.inf, math.nan):
            self.assertFalse(contract.all_finite([1.0, bad]))
            self.assertFalse(contract.all_finite([bad, 1.0], 65536.0))
        self.assertFalse(contract.all_finite([1e38], 2.0**-10), "finite before unscaling only")
        self.assertFalse(contract.all_finite([0.0], 0.0), "an unusable scale")
        self.assertTrue(contract.all_finite([1e20], 1.0), "though its square is not")

    def test_clip_factor(self):
        self.assertEqual(contract.clip_factor(5.0, 1.0), 1.0 / 5.000001)
        self.assertEqual(contract.clip_factor(0.5, 1.0), 1.0)
        self.assertEqual(contract.clip_factor(4.0, 1.0, 0.0), 0.25)
        self.assertEqual(contract.clip_factor(0.0, 1.0, 0.0), 1.0)


if __name__ == "__main__":
    unittest.main()
