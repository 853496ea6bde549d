// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "memory/Memory.h"
#include "memory/Race.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

using namespace ptxsim;

Allocation::Allocation() = default;
Allocation::~Allocation() = default;

void WrittenMap::reset(uint64_t bytes) {
  words.assign((bytes + 63) / 64, 0);
  missing = bytes;
}

// Calls `body(word, mask)` for every word that the range touches, until it returns false.
template <class Words, class Body>
static bool eachWord(Words &words, uint64_t offset, uint64_t bytes, Body body) {
  uint64_t end = offset + bytes;
  while (offset < end) {
    uint64_t bit = offset % 64, span = std::min<uint64_t>(64 - bit, end - offset);
    uint64_t mask = (span == 64 ? ~uint64_t(0) : (uint64_t(1) << span) - 1) << bit;
    if (!body(words[offset / 64], mask))
      return false;
    offset += span;
  }
  return true;
}

bool WrittenMap::all(uint64_t offset, uint64_t bytes) const {
  if (missing == 0)
    return true;
  return eachWord(words, offset, bytes,
                  [](const uint64_t &word, uint64_t mask) { return (word & mask) == mask; });
}

void WrittenMap::mark(uint64_t offset, uint64_t bytes) {
  if (missing == 0)
    return;
  eachWord(words, offset, bytes, [this](uint64_t &word, uint64_t mask) {
    missing -= uint64_t(std::popcount(mask & ~word));
    word |= mask;
    return true;
  });
}

void WrittenMap::clear(uint64_t offset, uint64_t bytes) {
  eachWord(words, offset, bytes, [this](uint64_t &word, uint64_t mask) {
    missing += uint64_t(std::popcount(mask & word));
    word &= ~mask;
    return true;
  });
}

uint64_t WrittenMap::firstMissing(uint64_t offset, uint64_t bytes) const {
  for (uint64_t at = offset; at < offset + bytes; ++at)
    if (!(words[at / 64] >> (at % 64) & 1))
      return at;
  return offset + bytes;
}

Allocation *DeviceMemory::allocate(uint64_t bytes, uint64_t align, AllocationKind kind,
                                   std::string name) {
  if (bytes > capacity - usedBytes)
    return nullptr;
  auto allocation = std::make_unique<Allocation>();
  allocation->storage.reset(new (std::nothrow) uint8_t[bytes + 64]);
  if (!allocation->storage)
    return nullptr;
  // Poison: a NaN in every float format, and no plausible index or pointer.
  std::memset(allocation->storage.get(), 0xfe, bytes);
  align = std::max<uint64_t>(align, 256);
  next = (next + align - 1) / align * align;
  allocation->base = next;
  allocation->size = bytes;
  allocation->host = allocation->storage.get();
  allocation->host += -reinterpret_cast<uintptr_t>(allocation->host) & 63;
  if (allocation->host + bytes > allocation->storage.get() + bytes + 64)
    return nullptr;
  allocation->kind = kind;
  allocation->name = std::move(name);
  allocation->written.reset(bytes);
  // The gap makes every overrun of up to a few pages an access to nothing.
  next += bytes + (16u << 10);
  usedBytes += bytes;
  Allocation *result = allocation.get();
  byBase.emplace(result->base, std::move(allocation));
  return result;
}

Allocation *DeviceMemory::adopt(void *host, uint64_t bytes, AllocationKind kind, std::string name) {
  auto allocation = std::make_unique<Allocation>();
  allocation->base = reinterpret_cast<uintptr_t>(host);
  allocation->size = bytes;
  allocation->host = static_cast<uint8_t *>(host);
  allocation->kind = kind;
  allocation->name = std::move(name);
  // What the host wrote there cannot be seen, so it all counts as written.
  allocation->written.reset(0);
  Allocation *result = allocation.get();
  if (auto old = byBase.find(result->base); old != byBase.end()) {
    old->second->size = 0;
    old->second->freed = true;
    graveyard.push_back(std::move(old->second));
    byBase.erase(old);
  }
  byBase.emplace(result->base, std::move(allocation));
  return result;
}

bool DeviceMemory::release(uint64_t base) {
  auto found = byBase.find(base);
  if (found == byBase.end() || found->second->freed)
    return false;
  Allocation &allocation = *found->second;
  if (allocation.kind == AllocationKind::Host || allocation.kind == AllocationKind::Managed) {
    // Host addresses are handed out again by the host's allocator.
    allocation.freed = true;
    allocation.size = 0;
    graveyard.push_back(std::move(found->second));
    byBase.erase(found);
    return true;
  }
  usedBytes -= allocation.size;
  allocation.freed = true;
  allocation.storage.reset();
  allocation.host = nullptr;
  allocation.shadow.reset();
  return true;
}

Allocation *DeviceMemory::find(uint64_t address) const {
  auto after = byBase.upper_bound(address);
  if (after == byBase.begin())
    return nullptr;
  Allocation *candidate = std::prev(after)->second.get();
  return address - candidate->base < candidate->size ? candidate : nullptr;
}

Allocation *DeviceMemory::nearestTo(uint64_t address) const {
  auto after = byBase.upper_bound(address);
  Allocation *below = after == byBase.begin() ? nullptr : std::prev(after)->second.get();
  Allocation *above = after == byBase.end() ? nullptr : after->second.get();
  if (!below || !above)
    return below ? below : above;
  uint64_t belowEnd = below->base + below->size;
  uint64_t gapBelow = address >= belowEnd ? address - belowEnd : 0;
  return gapBelow <= above->base - address ? below : above;
}
