// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The numerics contract once more, as plain loops: what generated code is held to, bit for bit.
#ifndef SAWTOOTH_TEST_UNIT_TARGET_CONTRACT_H
#define SAWTOOTH_TEST_UNIT_TARGET_CONTRACT_H

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

namespace sawtooth::test {

inline uint32_t bitsOf(float value) { return std::bit_cast<uint32_t>(value); }
inline uint64_t bitsOf(double value) { return std::bit_cast<uint64_t>(value); }
inline float floatOf(uint32_t bits) { return std::bit_cast<float>(bits); }

/// f16 and bf16 to f32 (exact), and back with rounding to nearest even; NaNs become 0x7e00, 0x7fc0.
float fromHalf(uint16_t bits);
uint16_t toHalf(float value);
float fromBFloat(uint16_t bits);
uint16_t toBFloat(float value);
/// Any NaN becomes 0x7fc00000.
float canonical(float value);

using Combine = std::function<double(double, double)>;
double add(double a, double b);
double minimum(double a, double b); // NaN wins, -0 < +0
double maximum(double a, double b);

/// Folds the f32 terms of one tensor: chunks of 16384, 256 lanes each, halving in f32, then the
/// chunks in f64. Sums of f32 are rounded to f32 after each step.
double foldTensor(const std::vector<float> &terms, const Combine &combine, double identity);
/// Folds f64 values (chunks of a tensor, tensors of a model): value i in lane i mod 256.
double fold(const std::vector<double> &values, const Combine &combine, double identity);

} // namespace sawtooth::test

#endif // SAWTOOTH_TEST_UNIT_TARGET_CONTRACT_H
