# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Philox 4x32-10, the counter-based generator of Salmon, Moraes, Dror and Shaw, "Parallel random
numbers: as easy as 1, 2, 3", SC 2011."""

_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_WEYL = (0x9E3779B9, 0xBB67AE85)  # the golden ratio and sqrt(3) - 1, in 32 bits
_MASK = 0xFFFFFFFF


def philox(counter, key, rounds=10):
    """Four 32-bit words from four of counter and two of key."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(rounds):
        product0, product1 = _MULTIPLIERS[0] * c0, _MULTIPLIERS[1] * c2
        c0, c1, c2, c3 = (
            (product1 >> 32) ^ c1 ^ k0,
            product1 & _MASK,
            (product0 >> 32) ^ c3 ^ k1,
            product0 & _MASK,
        )
        k0, k1 = (k0 + _WEYL[0]) & _MASK, (k1 + _WEYL[1]) & _MASK
    return c0, c1, c2, c3


def words(count, key, stream=0):
    """The first `count` words of the blocks 0, 1, … of a stream: data for tests, the same
    everywhere."""
    result = []
    for block in range((count + 3) // 4):
        result.extend(philox((block & _MASK, block >> 32, stream, 0), key))
    return result[:count]
