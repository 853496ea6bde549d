// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers that depend on what they are for, not on the order they are drawn in.
//
// A stream of numbers is named by (seed, stream, step, hash of the tensor's name); its element e is
// found without the ones before it. Philox 4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random
// numbers: as easy as 1, 2, 3", SC 2011) takes a counter of four words and a key of two:
//   (k0, k1, -, -) = philox(counter = {hash, hash >> 32, stream, 0}, key = {seed, seed >> 32})
//   four words     = philox(counter = {e / 4, (e / 4) >> 32, step, step >> 32}, key = {k0, k1})
// The uniform of element e comes from word e % 4; a normal from the pair of words that e % 4 lies
// in.
#ifndef SAWTOOTH_RUNTIME_RANDOM_H
#define SAWTOOTH_RUNTIME_RANDOM_H

#include <array>
#include <cstdint>

namespace sawtooth::runtime {

using PhiloxWords = std::array<uint32_t, 4>;

/// The block function: ten rounds.
PhiloxWords philox(PhiloxWords counter, std::array<uint32_t, 2> key);

class RandomStream {
public:
  RandomStream(uint64_t seed, uint32_t stream, uint64_t step, uint64_t nameHash);

  /// The word behind element `element`.
  uint32_t word(uint64_t element) const { return block(element / 4)[element % 4]; }

  /// A multiple of 2^-23 in [-1, 1): (w >> 8) * 2^-23 - 1, exact.
  double uniform(uint64_t element) const;

  /// Normal with mean 0 and deviation 1, by Box and Muller (1958) from words a (even) and b (odd):
  /// r = sqrt(-2 ln((a + 1) * 2^-32)), t = 2 pi b * 2^-32; even elements get r cos t, odd r sin t.
  /// Logarithm, cosine and sine are sums of this file, of f64 operations that IEEE 754 defines, so
  /// the bits are the same on every machine.
  double normal(uint64_t element) const;

private:
  PhiloxWords block(uint64_t index) const;

  std::array<uint32_t, 2> key;
  uint64_t step;
};

/// ln(x) of a positive normal x, to 2 ulp or so.
double logExact(double x);
/// cos and sin of 2 pi * turns, turns in [0, 1), to 1e-15 or so.
std::array<double, 2> cosSinTurns(double turns);

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_RANDOM_H
