// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ld, st, prefetch (PTX ISA, "ld", "ld.global.nc", "st", "prefetch").

#include "decode/Memory.h"

using namespace ptxsim;

namespace {

/// M in memory, R in the register: wider registers get the sign or zeros.
template <class M, class R>
void runLoad(Warp &warp, const Inst &inst, Mask mask) {
  Resolved at;
  warp.resolve(inst, mask, at);
  for (unsigned i = 0; i < inst.vector; ++i) {
    R *out = warp.lanes<R>(inst.v[i]);
    if (at.dense) {
      const M *from = reinterpret_cast<const M *>(at.host[0]) + i;
      if (inst.vector == 1)
        for (unsigned l = 0; l < warpSize; ++l)
          out[l] = R(from[l]);
      else
        for (unsigned l = 0; l < warpSize; ++l)
          out[l] = R(from[l * inst.vector]);
      continue;
    }
    forLanes(mask, [&](unsigned l) {
      M value;
      std::memcpy(&value, at.host[l] + i * sizeof(M), sizeof(M));
      out[l] = R(value);
    });
  }
}

template <class M, class R>
void runStore(Warp &warp, const Inst &inst, Mask mask) {
  Resolved at;
  warp.resolve(inst, mask, at);
  if (at.dense && inst.vector == 1) {
    const R *from = warp.lanes<R>(inst.v[0]);
    M *to = reinterpret_cast<M *>(at.host[0]);
    for (unsigned l = 0; l < warpSize; ++l)
      to[l] = M(from[l]);
    return;
  }
  // Lane by lane: where lanes collide, the last one's whole vector stays.
  forLanes(mask, [&](unsigned l) {
    for (unsigned i = 0; i < inst.vector; ++i) {
      M value = M(warp.lanes<R>(inst.v[i])[l]);
      std::memcpy(at.host[l] + i * sizeof(M), &value, sizeof(M));
    }
  });
}

template <class M>
Executor loadInto(unsigned bytes) {
  using S = std::conditional_t<std::is_signed_v<M>, int64_t, uint64_t>;
  switch (bytes) {
  case 1:
    return runLoad<M, uint8_t>;
  case 2:
    return runLoad<M, uint16_t>;
  case 4:
    return runLoad<M, uint32_t>;
  case 8:
    return runLoad<M, S>;
  default:
    return nullptr;
  }
}
template <class M>
Executor storeFrom(unsigned bytes) {
  switch (bytes) {
  case 1:
    return runStore<M, uint8_t>;
  case 2:
    return runStore<M, uint16_t>;
  case 4:
    return runStore<M, uint32_t>;
  case 8:
    return runStore<M, uint64_t>;
  default:
    return nullptr;
  }
}
using Wide = unsigned __int128;

Executor loadOf(Type type, unsigned bytes) {
  switch (type) {
  case Type::B8:
  case Type::U8:
    return loadInto<uint8_t>(bytes);
  case Type::S8:
    return loadInto<int8_t>(bytes);
  case Type::B16:
  case Type::U16:
  case Type::F16:
  case Type::BF16:
    return loadInto<uint16_t>(bytes);
  case Type::S16:
    return loadInto<int16_t>(bytes);
  case Type::B128:
    return runLoad<Wide, Wide>;
  case Type::S32:
    return loadInto<int32_t>(bytes);
  default:
    return sizeOf(type) == 4 ? loadInto<uint32_t>(bytes) : loadInto<uint64_t>(bytes);
  }
}
Executor storeOf(Type type, unsigned bytes) {
  switch (sizeOf(type)) {
  case 1:
    return storeFrom<uint8_t>(bytes);
  case 2:
    return storeFrom<uint16_t>(bytes);
  case 4:
    return storeFrom<uint32_t>(bytes);
  case 8:
    return storeFrom<uint64_t>(bytes);
  default:
    return runStore<Wide, Wide>;
  }
}

/// Hints about L1 and L2 go with memory that is cached there.
void refuseHints(Builder &b) {
  if (b.inst.space == Space::Global || b.inst.space == Space::Generic)
    return;
  std::string_view hint =
      b.which("L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|"
              "L1::no_allocate|L2::64B|L2::128B|L2::256B");
  if (!hint.empty())
    b.fail("'." + std::string(hint) + "' does not go with ." + std::string(nameOf(b.inst.space)) +
           " memory");
}

/// Registers of the vector or the single operand; all of one width.
unsigned elements(Builder &b, size_t index, Type type, bool load) {
  const Operand &operand = b.operand(index);
  unsigned vector = b.has("v2") ? 2 : b.has("v4") ? 4 : b.has("v8") ? 8 : 1;
  b.inst.vector = uint8_t(vector);
  b.inst.elementBytes = uint8_t(sizeOf(type));
  if (vector > 1 && sizeOf(type) == 16)
    b.fail("there are no vectors of .b128");
  if (vector * sizeOf(type) > 16 &&
      (targetOf(b) < 100 || vector * sizeOf(type) > 32 || b.inst.space != Space::Global))
    b.fail("a vector of " + std::to_string(vector * sizeOf(type)) +
           " bytes: expected at most 16, or 32 in global memory from sm_100 on");
  std::vector<Operand> single;
  if (vector > 1 && operand.kind != Operand::Vector)
    b.fail("expected a vector of " + std::to_string(vector) + " elements");
  if (vector == 1 && operand.kind != Operand::Vector)
    single.push_back(operand);
  const std::vector<Operand> &parts = operand.kind == Operand::Vector ? operand.parts : single;
  if (parts.size() != vector)
    b.fail("expected " + std::to_string(vector) + " elements, got " + std::to_string(parts.size()));
  unsigned width = 0;
  std::vector<size_t> sinks;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (load && parts[i].kind == Operand::Name && parts[i].text == "_") {
      sinks.push_back(i);
      continue;
    }
    unsigned bytes;
    b.inst.v[i] =
        load ? b.relaxedDestination(parts[i], type, bytes) : b.relaxedSource(parts[i], type, bytes);
    if (width && bytes != width)
      b.fail("elements of one vector have different widths");
    width = bytes;
  }
  if (!width)
    width = sizeOf(type);
  for (size_t i : sinks)
    b.inst.v[i] = b.function.scratch(width);
  return width;
}

void ld(Builder &b) {
  b.expectCount(2);
  Type type = b.type();
  b.inst.isNonCoherent = b.has("nc");
  memoryWords(b);
  b.address(b.operand(1), spaceOf(b));
  refuseHints(b);
  unsigned width = elements(b, 0, type, true);
  b.inst.run = loadOf(type, width);
}
void st(Builder &b) {
  b.expectCount(2);
  Type type = b.type();
  b.inst.isStore = true;
  memoryWords(b);
  b.address(b.operand(0), spaceOf(b));
  // Of a function's frame; a kernel's parameters are read-only.
  if (b.inst.space == Space::Param)
    b.fail("kernel parameters are read-only");
  refuseHints(b);
  unsigned width = elements(b, 1, type, false);
  b.inst.run = storeOf(type, width);
}
void prefetch(Builder &b) {
  b.expectCount(1);
  b.address(b.operand(0), spaceOf(b));
  b.inst.run = [](Warp &, const Inst &, Mask) {};
}

#define SPACE "?{global|shared|shared::cta|local|const|param|param::entry|param::func}"
#define STSPACE "?{global|shared|shared::cta|local|param|param::func}"
#define TYPE ".{b8|b16|b32|b64|b128|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64}"
#define SCOPE ".{cta|cluster|gpu|sys}"
#define LDCACHE "?{ca|cg|cs|lu|cv}"
#define STCACHE "?{wb|cg|cs|wt}"
#define EVICT1                                                                                     \
  "?{L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate}"
#define EVICT2 ".{L2::evict_normal|L2::evict_first|L2::evict_last}"
#define STRONGSPACE "?{global|shared|shared::cta}"
#define PREFETCH "?{L2::64B|L2::128B|L2::256B}"
#define VEC "?{v2|v4|v8}"
const Form forms[] = {
    {"ld?weak" SPACE LDCACHE EVICT1 PREFETCH VEC TYPE, "d, [a]", "ld", 63, 75, ld},
    {"ld.global?{ca|cg|cs}.nc" EVICT1 PREFETCH VEC TYPE, "d, [a]", "ld.global.nc", 63, 75, ld},
    // Eviction priorities of L2 go with 32-byte accesses only.
    {"ld?weak.global" EVICT1 EVICT2 PREFETCH ".v8.{b32|u32|s32|f32}", "d, [a]", "ld", 88, 100, ld},
    {"ld.global.nc" EVICT1 EVICT2 PREFETCH ".v8.{b32|u32|s32|f32}", "d, [a]", "ld.global.nc", 88,
     100, ld},
    {"ld?weak.global" EVICT1 EVICT2 PREFETCH ".v4.{b64|u64|s64|f64}", "d, [a]", "ld", 88, 100, ld},
    {"ld.global.nc" EVICT1 EVICT2 PREFETCH ".v4.{b64|u64|s64|f64}", "d, [a]", "ld.global.nc", 88,
     100, ld},
    {"st?weak.global" EVICT1 EVICT2 ".v8.{b32|u32|s32|f32}", "[a], b", "st", 88, 100, st},
    {"st?weak.global" EVICT1 EVICT2 ".v4.{b64|u64|s64|f64}", "[a], b", "st", 88, 100, st},
    {"ld.volatile" STRONGSPACE PREFETCH VEC TYPE, "d, [a]", "ld", 63, 75, ld},
    {"ld.{relaxed|acquire}" SCOPE STRONGSPACE EVICT1 PREFETCH VEC TYPE, "d, [a]", "ld", 63, 75, ld},
    {"ld.mmio.relaxed.sys?global" TYPE, "d, [a]", "ld", 82, 75, ld},
    {"st?weak" STSPACE STCACHE EVICT1 VEC TYPE, "[a], b", "st", 63, 75, st},
    {"st.volatile" STRONGSPACE VEC TYPE, "[a], b", "st", 63, 75, st},
    {"st.{relaxed|release}" SCOPE STRONGSPACE EVICT1 VEC TYPE, "[a], b", "st", 63, 75, st},
    {"st.mmio.relaxed.sys?global" TYPE, "[a], b", "st", 82, 75, st},
    {"prefetch?{global|local}.{L1|L2}", "[a]", "prefetch", 63, 75, prefetch},
    {"prefetch.global.{L2::evict_last|L2::evict_normal}", "[a]", "prefetch", 74, 80, prefetch},
    {"prefetchu.L1", "[a]", "prefetch", 63, 75, prefetch},
};

} // namespace

std::span<const Form> ptxsim::memoryForms() { return forms; }
