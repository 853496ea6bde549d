// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory: simulated addresses, allocations that remember what was written, and tombstones.

#ifndef PTXSIM_MEMORY_MEMORY_H
#define PTXSIM_MEMORY_MEMORY_H

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ptxsim {

class ShadowRegion;

/// One bit a byte: which bytes hold a value that somebody wrote.
class WrittenMap {
public:
  /// All bytes unwritten.
  void reset(uint64_t bytes);
  bool all(uint64_t offset, uint64_t bytes) const;
  void mark(uint64_t offset, uint64_t bytes);
  void clear(uint64_t offset, uint64_t bytes);
  /// Nothing is left to find.
  bool complete() const { return missing == 0; }
  /// First unwritten byte of the range, or its end.
  uint64_t firstMissing(uint64_t offset, uint64_t bytes) const;

private:
  std::vector<uint64_t> words;
  uint64_t missing = 0;
};

enum class AllocationKind : uint8_t { Device, Host, Managed, Global, Constant };

struct Allocation {
  Allocation();
  ~Allocation();
  uint64_t base = 0, size = 0; ///< device address and bytes
  uint8_t *host = nullptr;     ///< where the bytes live
  std::unique_ptr<uint8_t[]> storage;
  AllocationKind kind = AllocationKind::Device;
  bool readOnly = false, freed = false;
  std::string name; ///< for reports: `cuMemAlloc #3`, `variable 'table'`
  WrittenMap written;
  std::unique_ptr<ShadowRegion> shadow; ///< made on the first checked access
  uint64_t contextOwner = 0;

  bool contains(uint64_t address, uint64_t bytes) const {
    return address >= base && address - base <= size && bytes <= size - (address - base);
  }
};

/// Windows of the generic address space (PTX ISA, "Generic Addressing"). All of them, and device
/// memory too, are addresses that no x86-64 process can have, so that a device pointer that leaks
/// into host code faults there, and host pointers never look like device memory.
constexpr uint64_t deviceBase = 0x0000'8000'0000'0000;
constexpr uint64_t sharedWindow = 0x0000'a000'0000'0000;
constexpr uint64_t localWindow = 0x0000'b000'0000'0000;
constexpr uint64_t paramWindow = 0x0000'd000'0000'0000;
constexpr uint64_t codeBase = 0x0000'e000'0000'0000;
constexpr uint64_t windowBytes = uint64_t(1) << 32;

class DeviceMemory {
public:
  DeviceMemory(uint64_t capacity) : capacity(capacity) {}

  /// Fresh, poisoned memory with a gap behind it; null when the device is full. `align` is a power
  /// of two; 256 is what cuMemAlloc promises.
  Allocation *allocate(uint64_t bytes, uint64_t align, AllocationKind kind, std::string name);
  /// Host memory that the device sees under its host address.
  Allocation *adopt(void *host, uint64_t bytes, AllocationKind kind, std::string name);
  /// Frees the allocation that starts at `base`; its addresses stay known as freed. False when no
  /// live allocation starts there.
  bool release(uint64_t base);
  /// Live or freed allocation that holds `address`, or null.
  Allocation *find(uint64_t address) const;
  /// Allocation nearest to `address`, for reports; null when there is none.
  Allocation *nearestTo(uint64_t address) const;
  uint64_t used() const { return usedBytes; }
  uint64_t total() const { return capacity; }
  const std::map<uint64_t, std::unique_ptr<Allocation>> &all() const { return byBase; }
  uint64_t nextNumber() { return ++number; }

private:
  std::map<uint64_t, std::unique_ptr<Allocation>> byBase;
  std::vector<std::unique_ptr<Allocation>>
      graveyard; ///< released host memory: hints may point here
  uint64_t next = deviceBase, usedBytes = 0, capacity, number = 0;
};

} // namespace ptxsim

#endif
