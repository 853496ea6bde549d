// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cvt (PTX ISA, "cvt"). One general executor does every pair of types through exact intermediate
// values; the pairs that kernels use all the time have a vector loop of their own.

#include "decode/FloatOps.h"

using namespace ptxsim;

namespace {

/// Packed into Inst::imm.
struct Spec {
  Type to, from;
  uint8_t toBytes, fromBytes; ///< of the registers
  Rounding rounding;
  bool integral : 1, ftz : 1, sat : 1, relu : 1;
  uint8_t padding;
};
static_assert(sizeof(Spec) == 7 || sizeof(Spec) == 8);

int64_t pack(const Spec &spec) {
  int64_t bits = 0;
  std::memcpy(&bits, &spec, sizeof spec);
  return bits;
}
Spec unpack(int64_t bits) {
  Spec spec;
  std::memcpy(&spec, &bits, sizeof spec);
  return spec;
}

double roundToInteger(double value, Rounding rounding) {
  switch (rounding) {
  case Rounding::Nearest:
    return std::nearbyint(value);
  case Rounding::Zero:
    return std::trunc(value);
  case Rounding::Down:
    return std::floor(value);
  default:
    return std::ceil(value);
  }
}

uint64_t lowBits(uint64_t value, unsigned bytes) {
  return bytes >= 8 ? value : value & ((uint64_t(1) << 8 * bytes) - 1);
}
uint64_t signExtend(uint64_t value, unsigned bytes) {
  unsigned shift = 64 - 8 * bytes;
  return uint64_t(int64_t(value << shift) >> shift);
}

uint64_t floatToInteger(double value, const Spec &spec) {
  unsigned width = 8 * sizeOf(spec.to);
  if (value != value) {
    // "Zero if source is not .f64 and destination is not .s64, .u64", else 1 << (width - 1).
    return spec.from == Type::F64 || width == 64 ? uint64_t(1) << (width - 1) : 0;
  }
  value = roundToInteger(value, spec.rounding);
  if (isSigned(spec.to)) {
    double most = std::ldexp(1.0, int(width) - 1);
    if (value >= most)
      return (uint64_t(1) << (width - 1)) - 1;
    if (value < -most)
      return uint64_t(0) - (uint64_t(1) << (width - 1));
    return uint64_t(int64_t(value));
  }
  if (value >= std::ldexp(1.0, int(width)))
    return lowBits(~uint64_t(0), width / 8);
  return value > 0 ? uint64_t(value) : 0;
}

uint64_t integerToInteger(uint64_t bits, const Spec &spec) {
  unsigned from = sizeOf(spec.from), to = sizeOf(spec.to);
  bool negative = isSigned(spec.from) && int64_t(signExtend(bits, from)) < 0;
  uint64_t value = isSigned(spec.from) ? signExtend(bits, from) : lowBits(bits, from);
  if (!spec.sat)
    return value;
  uint64_t most = lowBits(~uint64_t(0), to) >> isSigned(spec.to);
  if (negative) {
    uint64_t least = isSigned(spec.to) ? ~most : 0;
    return isSigned(spec.to) && int64_t(value) >= int64_t(least) ? value : least;
  }
  return std::min(value, most);
}

/// Value as a result of a float type, after .sat and .relu.
uint64_t toFloat(double value, const Spec &spec) {
  FloatFormat format = formatOf(spec.to);
  if (spec.sat)
    value = value > 0 ? std::min(value, 1.0) : 0.0;
  if (spec.relu && (value < 0 || (value == 0 && std::signbit(value))))
    value = 0.0;
  uint64_t bits = narrow(format, value, spec.rounding);
  if (spec.ftz && spec.to == Type::F32 && !(bits & 0x7f800000))
    bits &= 0x80000000;
  return bits;
}

double readFloat(uint64_t bits, const Spec &spec) {
  if (spec.from == Type::F64)
    return std::bit_cast<double>(bits);
  if (spec.from == Type::F32) {
    float value = std::bit_cast<float>(uint32_t(bits));
    return double(spec.ftz ? flush(value) : value);
  }
  return widen(formatOf(spec.from), lowBits(bits, 2));
}

uint64_t convert(uint64_t bits, const Spec &spec) {
  bool fromFloat = isFloat(spec.from), toFloatType = isFloat(spec.to);
  if (!fromFloat && !toFloatType)
    return integerToInteger(bits, spec);
  if (!fromFloat) {
    uint64_t value = isSigned(spec.from) ? signExtend(bits, sizeOf(spec.from))
                                         : lowBits(bits, sizeOf(spec.from));
    bool negative = isSigned(spec.from) && int64_t(value) < 0;
    FloatFormat format = formatOf(spec.to);
    if (spec.sat)
      return negative || value == 0 ? 0 : narrow(format, 1.0, Rounding::Nearest);
    return narrowInteger(format, negative, negative ? 0 - value : value, spec.rounding);
  }
  double value = readFloat(bits, spec);
  if (!toFloatType)
    return floatToInteger(value, spec);
  if (spec.integral)
    value = roundToInteger(value, spec.rounding);
  return toFloat(value, spec);
}

uint64_t readLane(const uint8_t *lanes, unsigned bytes, unsigned lane) {
  uint64_t bits = 0;
  std::memcpy(&bits, lanes + lane * bytes, std::min(bytes, 8u));
  return bits;
}

void runGeneral(Warp &warp, const Inst &inst, Mask mask) {
  Spec spec = unpack(inst.imm);
  const uint8_t *from = warp.lanes<uint8_t>(inst.a);
  uint8_t *to = warp.lanes<uint8_t>(inst.d);
  uint64_t results[warpSize];
  forLanes(mask, [&](unsigned l) {
    uint64_t result = convert(readLane(from, spec.fromBytes, l), spec);
    // Wider results are extended by the sign of their type.
    if (isInteger(spec.to))
      result = isSigned(spec.to) ? signExtend(result, sizeOf(spec.to))
                                 : lowBits(result, sizeOf(spec.to));
    results[l] = result;
  });
  forLanes(mask,
           [&](unsigned l) { std::memcpy(to + l * spec.toBytes, &results[l], spec.toBytes); });
}

template <class S, class D>
void runInteger(Warp &warp, const Inst &inst, Mask mask) {
  const S *a = warp.lanes<S>(inst.a);
  // A narrowing result may share its register with nothing wider: sizes of registers are fixed.
  eachLane<D>(warp, inst.d, mask, [=](unsigned l) { return D(a[l]); });
}
template <class S, class D, D (*F)(S)>
void runFast(Warp &warp, const Inst &inst, Mask mask) {
  const S *a = warp.lanes<S>(inst.a);
  eachLane<D>(warp, inst.d, mask, [=](unsigned l) { return F(a[l]); });
}
float halfToSingle(uint16_t v) { return fromHalf(v); }
uint16_t singleToHalf(float v) { return toHalf(v); }
float brainToSingle(uint16_t v) { return canonical(fromBrain(v)); }
uint16_t singleToBrain(float v) { return toBrain(v); }
double singleToDouble(float v) { return canonical(double(v)); }
float doubleToSingle(double v) { return canonical(float(v)); }
float signedToSingle(int32_t v) { return float(v); }
float unsignedToSingle(uint32_t v) { return float(v); }
double signedToDouble(int32_t v) { return double(v); }

template <class S>
Executor integerFrom(Type to) {
  switch (to) {
  case Type::U16:
    return runInteger<S, uint16_t>;
  case Type::S16:
    return runInteger<S, int16_t>;
  case Type::U32:
    return runInteger<S, uint32_t>;
  case Type::S32:
    return runInteger<S, int32_t>;
  case Type::U64:
    return runInteger<S, uint64_t>;
  case Type::S64:
    return runInteger<S, int64_t>;
  default:
    return nullptr;
  }
}
Executor integerPair(Type from, Type to) {
  switch (from) {
  case Type::U16:
    return integerFrom<uint16_t>(to);
  case Type::S16:
    return integerFrom<int16_t>(to);
  case Type::U32:
    return integerFrom<uint32_t>(to);
  case Type::S32:
    return integerFrom<int32_t>(to);
  case Type::U64:
    return integerFrom<uint64_t>(to);
  case Type::S64:
    return integerFrom<int64_t>(to);
  default:
    return nullptr;
  }
}
Executor fastPair(Type from, Type to) {
  if (from == Type::F16 && to == Type::F32)
    return runFast<uint16_t, float, halfToSingle>;
  if (from == Type::F32 && to == Type::F16)
    return runFast<float, uint16_t, singleToHalf>;
  if (from == Type::BF16 && to == Type::F32)
    return runFast<uint16_t, float, brainToSingle>;
  if (from == Type::F32 && to == Type::BF16)
    return runFast<float, uint16_t, singleToBrain>;
  if (from == Type::F32 && to == Type::F64)
    return runFast<float, double, singleToDouble>;
  if (from == Type::F64 && to == Type::F32)
    return runFast<double, float, doubleToSingle>;
  if (from == Type::S32 && to == Type::F32)
    return runFast<int32_t, float, signedToSingle>;
  if (from == Type::U32 && to == Type::F32)
    return runFast<uint32_t, float, unsignedToSingle>;
  if (from == Type::S32 && to == Type::F64)
    return runFast<int32_t, double, signedToDouble>;
  return nullptr;
}

Rounding roundingOf(Builder &b) {
  if (b.has("rz") || b.has("rzi"))
    return Rounding::Zero;
  if (b.has("rm") || b.has("rmi"))
    return Rounding::Down;
  if (b.has("rp") || b.has("rpi"))
    return Rounding::Up;
  if (b.has("rna"))
    return Rounding::NearestAway;
  return Rounding::Nearest;
}

void cvt(Builder &b) {
  b.expectCount(2);
  Spec spec{};
  spec.to = b.type(0);
  spec.from = b.type(1);
  // PTX ISA, "cvt": .sat is illegal where the destination holds every value of the source.
  if (b.has("sat") && isInteger(spec.to) && isInteger(spec.from) &&
      isSigned(spec.to) >= isSigned(spec.from) &&
      sizeOf(spec.to) >= sizeOf(spec.from) + (isSigned(spec.to) != isSigned(spec.from)))
    b.fail("'.sat' has no use from ." + std::string(nameOf(spec.from)) + " to ." +
           std::string(nameOf(spec.to)));
  unsigned fromBytes, toBytes;
  b.inst.a = b.relaxedSource(b.operand(1), spec.from, fromBytes);
  b.inst.d = b.relaxedDestination(b.operand(0), spec.to, toBytes);
  spec.fromBytes = uint8_t(fromBytes);
  spec.toBytes = uint8_t(std::min(toBytes, 8u));
  spec.rounding = roundingOf(b);
  spec.integral = isFloat(spec.to) && isFloat(spec.from) && !b.which("rni|rzi|rmi|rpi").empty();
  spec.ftz = b.has("ftz");
  spec.sat = b.has("sat");
  spec.relu = b.has("relu");
  b.inst.imm = pack(spec);
  b.inst.run = runGeneral;
  bool plain = !spec.ftz && !spec.sat && !spec.relu && !spec.integral &&
               spec.rounding == Rounding::Nearest && fromBytes == sizeOf(spec.from) &&
               toBytes == sizeOf(spec.to);
  if (!plain)
    return;
  Executor fast = isInteger(spec.from) && isInteger(spec.to) ? integerPair(spec.from, spec.to)
                                                             : fastPair(spec.from, spec.to);
  if (fast)
    b.inst.run = fast;
}

// cvt.f16x2.f32 d, a, b: a becomes the upper half.
void runPackedPair(Warp &warp, const Inst &inst, Mask mask) {
  Spec spec = unpack(inst.imm);
  const float *a = warp.lanes<float>(inst.a), *b = warp.lanes<float>(inst.b);
  uint32_t results[warpSize];
  auto one = [&](float value) -> uint32_t {
    return uint32_t(convert(std::bit_cast<uint32_t>(value), spec));
  };
  forLanes(mask, [&](unsigned l) { results[l] = one(a[l]) << 16 | one(b[l]); });
  forLanes(mask, [&](unsigned l) { warp.lanes<uint32_t>(inst.d)[l] = results[l]; });
}
void cvtPacked(Builder &b) {
  b.expectCount(3);
  Spec spec{};
  Type packed = b.type(0);
  spec.to = packed == Type::F16x2 ? Type::F16 : Type::BF16;
  spec.from = Type::F32;
  spec.fromBytes = 4;
  spec.toBytes = 2;
  spec.rounding = roundingOf(b);
  spec.relu = b.has("relu");
  b.inst.a = b.source(1, Type::F32);
  b.inst.b = b.source(2, Type::F32);
  b.inst.d = b.destination(0, packed);
  b.inst.imm = pack(spec);
  b.inst.run = runPackedPair;
}

/// tf32 keeps 10 fraction bits of f32 (PTX ISA, "Alternate Floating-Point Data Formats").
void runTf32(Warp &warp, const Inst &inst, Mask mask) {
  const float *a = warp.lanes<float>(inst.a);
  Rounding rounding = Rounding(inst.imm & 15);
  bool relu = inst.imm & 16;
  uint32_t results[warpSize];
  forLanes(mask, [&](unsigned l) {
    double value = relu && a[l] <= 0 ? 0.0 : double(a[l]);
    uint64_t bits = narrow({8, 10}, value, rounding);
    results[l] = value != value ? nan32 : uint32_t(bits) << 13;
  });
  forLanes(mask, [&](unsigned l) { warp.lanes<uint32_t>(inst.d)[l] = results[l]; });
}
void cvtTf32(Builder &b) {
  b.expectCount(2);
  b.inst.a = b.source(1, Type::F32);
  b.inst.d = b.destination(0, Type::B32);
  b.inst.imm = int64_t(roundingOf(b)) | (b.has("relu") ? 16 : 0);
  b.inst.run = runTf32;
}

#define INTS "{u8|u16|u32|u64|s8|s16|s32|s64}"
#define WIDEINTS "{u16|u32|u64|s16|s32|s64}"
#define IRND "{rni|rzi|rmi|rpi}"
#define FRND "{rn|rz|rm|rp}"
const Form forms[] = {
    {"cvt?sat." INTS "." INTS, "d, a", "cvt", 63, 75, cvt},
    {"cvt." IRND "?ftz?sat." INTS ".f32", "d, a", "cvt", 63, 75, cvt},
    {"cvt." IRND "?sat." INTS ".{f16|f64}", "d, a", "cvt", 63, 75, cvt},
    {"cvt." IRND "." WIDEINTS ".bf16", "d, a", "cvt", 78, 90, cvt},
    {"cvt." FRND "?ftz?sat.f32." INTS, "d, a", "cvt", 63, 75, cvt},
    {"cvt." FRND "?sat.{f16|f64}." INTS, "d, a", "cvt", 63, 75, cvt},
    {"cvt." FRND ".bf16." WIDEINTS, "d, a", "cvt", 78, 90, cvt},
    {"cvt?" IRND "?ftz?sat.f32.f32", "d, a", "cvt", 63, 75, cvt},
    {"cvt?" IRND "?sat.f64.f64", "d, a", "cvt", 63, 75, cvt},
    {"cvt?" IRND "?sat.f16.f16", "d, a", "cvt", 63, 75, cvt},
    {"cvt?" IRND ".bf16.bf16", "d, a", "cvt", 78, 90, cvt},
    {"cvt?ftz?sat.f32.f16", "d, a", "cvt", 63, 75, cvt},
    {"cvt?sat.f64.f16", "d, a", "cvt", 63, 75, cvt},
    {"cvt?ftz?sat.f64.f32", "d, a", "cvt", 63, 75, cvt},
    {"cvt?ftz.f32.bf16", "d, a", "cvt", 71, 80, cvt},
    {"cvt.f64.bf16", "d, a", "cvt", 78, 90, cvt},
    {"cvt." FRND "?ftz?sat.f32.f64", "d, a", "cvt", 63, 75, cvt},
    {"cvt." FRND "?ftz?sat.f16.f32", "d, a", "cvt", 63, 75, cvt},
    {"cvt." FRND "?sat.f16.f64", "d, a", "cvt", 63, 75, cvt},
    {"cvt.{rn|rz}.relu.f16.f32", "d, a", "cvt", 70, 80, cvt},
    {"cvt.{rn|rz}?relu.bf16.f32", "d, a", "cvt", 70, 80, cvt},
    {"cvt.{rm|rp}.bf16.f32", "d, a", "cvt", 78, 90, cvt},
    {"cvt." FRND ".bf16.f64", "d, a", "cvt", 78, 90, cvt},
    {"cvt." FRND ".bf16.f16", "d, a", "cvt", 78, 90, cvt},
    {"cvt." FRND ".f16.bf16", "d, a", "cvt", 78, 90, cvt},
    {"cvt.{rn|rz}?relu.{f16x2|bf16x2}.f32", "d, a, b", "cvt", 70, 80, cvtPacked},
    {"cvt.rna.tf32.f32", "d, a", "cvt", 70, 80, cvtTf32},
    {"cvt.{rn|rz}?relu.tf32.f32", "d, a", "cvt", 78, 90, cvtTf32},
};
#undef INTS
#undef WIDEINTS
#undef IRND
#undef FRND

} // namespace

std::span<const Form> ptxsim::convertForms() { return forms; }
