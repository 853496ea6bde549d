# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import unittest

from oracle.philox import philox, words


class Philox(unittest.TestCase):
    def test_known_answers(self):
        """The vectors that the authors publish with their library, Random123 (philox4x32, 10
        rounds)."""
        ones = 0xFFFFFFFF
        for counter, key, want in [
            ((0, 0, 0, 0), (0, 0), "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
            ((ones,) * 4, (ones,) * 2, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
            (
                (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
                (0xA4093822, 0x299F31D0),
                "d16cfe09 94fdcceb 5001e420 24126ea1",
            ),
        ]:
            with self.subTest(counter=counter):
                self.assertEqual(" ".join(f"{word:08x}" for word in philox(counter, key)), want)

    def test_words_are_the_blocks_of_a_counter(self):
        self.assertEqual(
            words(6, (3, 4), stream=9),
            [*philox((0, 0, 9, 0), (3, 4)), *philox((1, 0, 9, 0), (3, 4))[:2]],
        )


if __name__ == "__main__":
    unittest.main()
