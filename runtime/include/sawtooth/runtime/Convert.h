// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between floating-point types in integer code: exact where that is possible, else
// rounded once to nearest even, subnormals included, every NaN canonical. They do not depend on the
// machine's rounding mode, its flush-to-zero bits or a library.
#ifndef SAWTOOTH_RUNTIME_CONVERT_H
#define SAWTOOTH_RUNTIME_CONVERT_H

#include "sawtooth/runtime/Abi.h"

#include <cstdint>

namespace sawtooth::runtime {

/// Bit patterns of the type to bits of an f64: always exact. NaN becomes 0x7ff8000000000000.
uint64_t f16ToF64Bits(uint16_t bits);
uint64_t bf16ToF64Bits(uint16_t bits);
uint64_t f32ToF64Bits(uint32_t bits);

/// Bits of an f64 to the type, rounded once. NaN becomes 0x7e00, 0x7fc0, 0x7fc00000.
uint16_t f64BitsToF16(uint64_t bits);
uint16_t f64BitsToBf16(uint64_t bits);
uint32_t f64BitsToF32(uint64_t bits);

/// Bytes of an element: 2, 2, 4, 8, 1, 4, 8.
uint64_t typeBytes(SawtoothType type);
/// "f16", "bf16", "f32", "f64", "i1", "i32", "i64".
const char *typeName(SawtoothType type);
bool isFloat(SawtoothType type);

/// Element `index` of a buffer of a floating-point type, as bits of an f64.
uint64_t loadFloat(SawtoothType type, const void *buffer, uint64_t index);
void storeFloat(SawtoothType type, void *buffer, uint64_t index, uint64_t f64Bits);

/// An 8-byte slot holds a value of `type` at its start (little-endian), the rest zero. These go
/// between a slot and a number; out of range for the type returns false.
double slotToDouble(SawtoothType type, uint64_t slot);
int64_t slotToInteger(SawtoothType type, uint64_t slot);
uint64_t doubleToSlot(SawtoothType type, double value);
bool integerToSlot(SawtoothType type, int64_t value, uint64_t &slot);

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_CONVERT_H
