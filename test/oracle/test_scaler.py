# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import unittest

from oracle.rounding import f32_bits, to_f32
from oracle.scaler import Scaler


def scales(scaler, *oks):
    result = []
    for ok in oks:
        scaler = scaler.update(ok)
        result.append(scaler.scale)
    return result


class Pytorch(unittest.TestCase):
    def test_grows_after_clean_steps_in_a_row_and_backs_off_at_once(self):
        scaler = Scaler(scale=8.0, growth_interval=3)
        self.assertEqual(
            scales(scaler, True, True, False, True, True, True, True), [8, 8, 4, 4, 4, 8, 8]
        )

    def test_tracker(self):
        scaler = Scaler(growth_interval=2)
        trackers = []
        for ok in (True, True, True, False, True):
            scaler = scaler.update(ok)
            trackers.append(scaler.tracker)
        self.assertEqual(trackers, [1, 0, 1, 0, 1])

    def test_a_shortened_interval_grows_at_once(self):
        self.assertEqual(Scaler(scale=8.0, growth_interval=3, tracker=7).update(True).scale, 16.0)

    def test_never_grows_out_of_f32(self):
        after = Scaler(scale=2.0**127, growth_interval=1).update(True)
        self.assertEqual((f32_bits(after.scale), after.tracker), (0x7F000000, 0))
        self.assertEqual(
            Scaler(scale=1e38, growth_factor=10.0, growth_interval=1, max_scale=3e38)
            .update(True)
            .scale,
            to_f32(1e38),
        )

    def test_bounds(self):
        self.assertEqual(
            Scaler(scale=3.0, growth_interval=1, max_scale=5.0).update(True).scale, 5.0
        )
        self.assertEqual(Scaler(scale=3.0, min_scale=2.0).update(False).scale, 2.0)
        self.assertEqual(Scaler(scale=2.0**-149).update(False).scale, 0.0)

    def test_rounds_once(self):
        scaler = Scaler(scale=to_f32(1.1), growth_factor=1.3, backoff_factor=0.7, growth_interval=1)
        self.assertEqual(scaler.update(True).scale, to_f32(to_f32(1.1) * 1.3))
        self.assertNotEqual(scaler.update(True).scale, to_f32(to_f32(1.1) * to_f32(1.3)))
        self.assertEqual(scaler.update(False).scale, to_f32(to_f32(1.1) * 0.7))

    def test_counts_skips_and_gets_stuck(self):
        scaler = Scaler(max_consecutive_skips=2)
        seen = []
        for ok in (False, True, False, False, True):
            scaler = scaler.update(ok)
            seen.append((scaler.skipped, scaler.consecutive_skips, scaler.stuck))
        self.assertEqual(
            seen, [(1, 1, False), (1, 0, False), (2, 1, False), (3, 2, True), (3, 0, False)]
        )
        self.assertFalse(Scaler(consecutive_skips=10**6).stuck, "0 means no limit")

    def test_dictionary(self):
        self.assertEqual(
            Scaler(tracker=5).state_dict(),
            {
                "scale": 65536.0,
                "growth_factor": 2.0,
                "backoff_factor": 0.5,
                "growth_interval": 2000,
                "_growth_tracker": 5,
            },
        )


class OtherModes(unittest.TestCase):
    def test_static_skips_but_never_moves(self):
        scaler = Scaler(mode="static", scale=128.0, growth_interval=1)
        self.assertEqual(scales(scaler, False, True, True, False), [128.0] * 4)
        self.assertEqual(scaler.update(False).skipped, 1)

    def test_disabled_is_one(self):
        scaler = Scaler(mode="disabled", growth_interval=1)
        self.assertEqual(scales(scaler, True, False), [1.0, 1.0])
        self.assertEqual(scaler.update(False).skipped, 1)

    def test_unknown_mode(self):
        with self.assertRaisesRegex(ValueError, "got dynamic"):
            Scaler(mode="dynamic")


if __name__ == "__main__":
    unittest.main()
