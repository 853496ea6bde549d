// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every access of memory: from addresses to host pointers, with all checks.

#include "exec/Launch.h"

#include <algorithm>
#include <bit>
#include <cstdio>

using namespace ptxsim;

static std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", (unsigned long long)value);
  return text;
}

static const char *accessWord(const Inst &inst) {
  return inst.isAtomic ? "atomic" : inst.isStore ? "write" : "read";
}

std::string Warp::threadName(unsigned lane) const {
  uint32_t linear = index * warpSize + lane;
  const uint32_t *extent = launch.config.block;
  return "(" + std::to_string(linear % extent[0]) + "," +
         std::to_string(linear / extent[0] % extent[1]) + "," +
         std::to_string(linear / extent[0] / extent[1]) + ")";
}

void Warp::report(Finding finding, const Inst &inst, int lane, std::string title,
                  std::vector<std::string> details, uint64_t address, std::string buffer,
                  int64_t distance) {
  Report report;
  report.finding = finding;
  report.title = std::move(title);
  report.details = std::move(details);
  report.kernel = launch.entry.name;
  report.file = launch.program.source().name();
  report.line = inst.line;
  report.text = launch.program.source().line(inst.line);
  report.address = address;
  report.buffer = std::move(buffer);
  report.distance = distance;
  if (lane >= 0) {
    uint32_t linear = index * warpSize + uint32_t(lane);
    const uint32_t *extent = launch.config.block;
    report.hasThread = true;
    report.thread[0] = linear % extent[0];
    report.thread[1] = linear / extent[0] % extent[1];
    report.thread[2] = linear / extent[0] / extent[1];
    std::copy_n(block.coordinates, 3, report.block);
  }
  launch.reporter.add(std::move(report));
  bool soft = finding == Finding::UninitialisedMemory ||
              finding == Finding::UninitialisedRegister || finding == Finding::Race ||
              finding == Finding::NonCoherent;
  if (!soft)
    throw LaunchFault{finding};
  if (!launch.softFinding)
    launch.softFinding = finding;
}

/// The access misses every buffer, or hits one that it must not: says which, and by how much.
void Warp::refuse(const Inst &inst, Space space, Mask mask, const uint64_t *addresses,
                  unsigned bytes, Allocation *near) {
  unsigned lane = unsigned(std::countr_zero(mask));
  uint64_t address = addresses[lane];
  std::string title = std::string("Invalid __") + std::string(nameOf(space)) + "__ " +
                      accessWord(inst) + " of size " + std::to_string(bytes) + " bytes";
  std::vector<std::string> details;
  std::string buffer;
  int64_t distance = 0;
  Finding finding = Finding::OutOfBounds;
  std::string text = "address " + hex(address) + " is ";
  if (!near) {
    details.push_back(text + "outside every buffer");
  } else {
    buffer = near->name;
    std::string named =
        buffer + " (" + std::to_string(near->size) + " bytes at " + hex(near->base) + ")";
    uint64_t end = near->base + near->size;
    if (near->freed && near->contains(address, 1)) {
      finding = Finding::FreedMemory;
      distance = int64_t(address - near->base);
      details.push_back(text + std::to_string(address - near->base) + " bytes inside freed " +
                        named);
    } else if (address < near->base) {
      distance = -int64_t(near->base - address);
      details.push_back(text + std::to_string(near->base - address) + " bytes before " + named);
    } else if (address >= end) {
      distance = int64_t(address - end);
      details.push_back(text + std::to_string(address - end) + " bytes after " + named);
    } else {
      distance = int64_t(address + bytes - end);
      details.push_back(text + std::to_string(address - near->base) + " bytes inside " + named +
                        ", the access ends " + std::to_string(address + bytes - end) +
                        " bytes after it");
    }
  }
  report(finding, inst, int(lane), title, details, address, buffer, distance);
  throw LaunchFault{finding};
}

void Warp::resolve(const Inst &inst, Mask mask, Resolved &out) {
  alignas(64) uint64_t addresses[warpSize];
  if (inst.narrowAddress) {
    const uint32_t *base = lanes<uint32_t>(inst.a);
    for (unsigned l = 0; l < warpSize; ++l)
      addresses[l] = uint32_t(base[l] + uint32_t(inst.imm));
  } else {
    const uint64_t *base = lanes<uint64_t>(inst.a);
    for (unsigned l = 0; l < warpSize; ++l)
      addresses[l] = base[l] + uint64_t(inst.imm);
  }
  resolveAt(inst, mask, addresses, out);
}

void Warp::resolveAt(const Inst &inst, Mask mask, const uint64_t *addresses, Resolved &out) {
  unsigned bytes = unsigned(inst.elementBytes) * inst.vector;
  uint64_t low = 0;
  if (mask == fullMask)
    for (unsigned l = 0; l < warpSize; ++l)
      low |= addresses[l];
  else
    for (Mask rest = mask; rest; rest &= rest - 1)
      low |= addresses[std::countr_zero(rest)];
  if (low & (bytes - 1)) [[unlikely]] {
    for (Mask rest = mask; rest; rest &= rest - 1) {
      unsigned lane = unsigned(std::countr_zero(rest));
      if (addresses[lane] & (bytes - 1))
        report(Finding::Misaligned, inst, int(lane),
               "Misaligned __" + std::string(nameOf(inst.space)) + "__ " + accessWord(inst) +
                   " of size " + std::to_string(bytes) + " bytes",
               {"address " + hex(addresses[lane]) + " is " +
                std::to_string(addresses[lane] & (bytes - 1)) + " bytes past a multiple of " +
                std::to_string(bytes)},
               addresses[lane]);
    }
  }
  out.dense = false;
  if (inst.space == Space::Global || inst.space == Space::Const) {
    resolveGlobal(inst, mask, addresses, bytes, out);
    return;
  }
  if (inst.space != Space::Generic) {
    resolveWindow(inst, inst.space, mask, addresses, bytes, out);
    return;
  }
  // Generic: lanes may point to different spaces.
  Mask inWindow[3] = {0, 0, 0}, global = 0;
  static constexpr uint64_t starts[3] = {sharedWindow, localWindow, paramWindow};
  static constexpr Space spaces[3] = {Space::Shared, Space::Local, Space::Param};
  if (mask == fullMask && low < sharedWindow) {
    resolveGlobal(inst, mask, addresses, bytes, out);
    return;
  }
  for (Mask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = unsigned(std::countr_zero(rest));
    Mask bit = rest & -rest;
    unsigned window = 0;
    while (window < 3 && addresses[lane] - starts[window] >= windowBytes)
      ++window;
    (window < 3 ? inWindow[window] : global) |= bit;
  }
  if (global)
    resolveGlobal(inst, global, addresses, bytes, out);
  for (unsigned window = 0; window < 3; ++window) {
    if (!inWindow[window])
      continue;
    uint64_t offsets[warpSize];
    for (unsigned l = 0; l < warpSize; ++l)
      offsets[l] = addresses[l] - starts[window];
    resolveWindow(inst, spaces[window], inWindow[window], offsets, bytes, out);
  }
  out.dense = out.dense && mask == fullMask && (global == mask || inWindow[0] == mask);
}

void Warp::resolveGlobal(const Inst &inst, Mask mask, const uint64_t *addresses, unsigned bytes,
                         Resolved &out) {
  if (launch.stats)
    countRequest(inst, Space::Global, mask, addresses, bytes);
  Mask left = mask;
  Allocation *allocation = inst.hint;
  while (left) {
    unsigned leader = unsigned(std::countr_zero(left));
    if (!allocation || allocation->freed || !allocation->contains(addresses[leader], bytes)) {
      allocation = launch.memory.find(addresses[leader]);
      if (!allocation || allocation->freed || !allocation->contains(addresses[leader], bytes))
        refuse(inst, Space::Global, left, addresses, bytes,
               allocation ? allocation : launch.memory.nearestTo(addresses[leader]));
      inst.hint = allocation;
    }
    uint64_t base = allocation->base, last = allocation->size - bytes;
    Mask inside = 0;
    alignas(64) uint64_t offsets[warpSize];
    if (left == fullMask) {
      uint64_t worst = 0;
      bool dense = true;
      for (unsigned l = 0; l < warpSize; ++l) {
        offsets[l] = addresses[l] - base;
        worst = std::max(worst, offsets[l]);
        dense &= offsets[l] == offsets[0] + uint64_t(l) * bytes;
      }
      out.dense = dense;
      if (worst <= last) {
        inside = fullMask;
        for (unsigned l = 0; l < warpSize; ++l)
          out.host[l] = allocation->host + offsets[l];
      }
    }
    if (!inside) {
      out.dense = false;
      for (Mask rest = left; rest; rest &= rest - 1) {
        unsigned lane = unsigned(std::countr_zero(rest));
        offsets[lane] = addresses[lane] - base;
        if (offsets[lane] <= last) {
          inside |= rest & -rest;
          out.host[lane] = allocation->host + offsets[lane];
        }
      }
    }
    touch(inst, *allocation, inside, offsets, bytes, out.dense);
    left &= ~inside;
  }
}

/// Read-only, unwritten bytes, races: what an access inside a buffer can still do wrong.
void Warp::touch(const Inst &inst, Allocation &allocation, Mask mask, const uint64_t *offsets,
                 unsigned bytes, bool dense) {
  if (inst.isStore && allocation.readOnly) {
    unsigned lane = unsigned(std::countr_zero(mask));
    report(Finding::ReadOnlyWrite, inst, int(lane),
           "Write of size " + std::to_string(bytes) + " bytes to read-only memory",
           {"address " + hex(allocation.base + offsets[lane]) + " is in " + allocation.name},
           allocation.base + offsets[lane], allocation.name, int64_t(offsets[lane]));
  }
  if (!allocation.written.complete()) {
    // An atomic reads as well, and writes what it read if it was not written.
    if ((!inst.isStore || inst.isAtomic) && launch.options.uninit) {
      if (!dense || !allocation.written.all(offsets[0], uint64_t(bytes) * warpSize))
        for (Mask rest = mask; rest; rest &= rest - 1) {
          unsigned lane = unsigned(std::countr_zero(rest));
          if (allocation.written.all(offsets[lane], bytes))
            continue;
          uint64_t at = allocation.written.firstMissing(offsets[lane], bytes);
          report(Finding::UninitialisedMemory, inst, int(lane),
                 "Uninitialised __global__ memory read of size " + std::to_string(bytes) + " bytes",
                 {"address " + hex(allocation.base + at) + " is " + std::to_string(at) +
                  " bytes inside " + allocation.name + " (" + std::to_string(allocation.size) +
                  " bytes at " + hex(allocation.base) + ")"},
                 allocation.base + at, allocation.name, int64_t(at));
          break;
        }
    }
    if (inst.isStore) {
      if (dense)
        allocation.written.mark(offsets[0], uint64_t(bytes) * warpSize);
      else
        for (Mask rest = mask; rest; rest &= rest - 1)
          allocation.written.mark(offsets[std::countr_zero(rest)], bytes);
    }
  }
  // Whether an atomic changed anything shows only when it ran.
  if (inst.isStore && !inst.isAtomic)
    launch.progressed();
  if (launch.race && !(allocation.readOnly && !inst.isStore)) {
    if (!allocation.shadow)
      allocation.shadow = std::make_unique<ShadowRegion>(allocation.size);
    raceAccess(inst, *allocation.shadow, mask, offsets, bytes, dense, Space::Global,
               allocation.base, allocation.name);
  }
}

void Warp::resolveWindow(const Inst &inst, Space space, Mask mask, const uint64_t *addresses,
                         unsigned bytes, Resolved &out) {
  if (launch.stats)
    countRequest(inst, space, mask, addresses, bytes);
  const char *name = nullptr;
  uint64_t extent = 0;
  uint8_t *base = nullptr;
  switch (space) {
  case Space::Shared:
    extent = launch.sharedBytes;
    base = block.shared.data();
    name = "the block's shared memory";
    break;
  case Space::Local:
    extent = localCapacity;
    base = local.data();
    name = "the thread's local memory";
    break;
  default:
    extent = launch.config.parameters.size();
    base = const_cast<uint8_t *>(launch.config.parameters.data());
    name = "the kernel's parameters";
    break;
  }
  for (Mask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = unsigned(std::countr_zero(rest));
    if (addresses[lane] > extent || bytes > extent - addresses[lane]) {
      Allocation window;
      window.name = name;
      window.size = extent;
      refuse(inst, space, rest, addresses, bytes, &window);
    }
    out.host[lane] =
        base + addresses[lane] + (space == Space::Local ? size_t(lane) * localCapacity : 0);
  }
  if (space == Space::Param) {
    if (inst.isStore)
      report(Finding::ReadOnlyWrite, inst, std::countr_zero(mask),
             "Write of size " + std::to_string(bytes) + " bytes to the kernel's parameters");
    return;
  }
  bool checkRead = (!inst.isStore || inst.isAtomic) && launch.options.uninit;
  if (space == Space::Local) {
    for (Mask rest = mask; rest; rest &= rest - 1) {
      unsigned lane = unsigned(std::countr_zero(rest));
      uint8_t *flags = &localWritten[size_t(lane) * localCapacity + addresses[lane]];
      if (checkRead && !std::all_of(flags, flags + bytes, [](uint8_t flag) { return flag; }))
        report(Finding::UninitialisedMemory, inst, int(lane),
               "Uninitialised __local__ memory read of size " + std::to_string(bytes) + " bytes",
               {"address " + hex(addresses[lane]) + " of the thread's local memory"});
      if (inst.isStore)
        std::fill_n(flags, bytes, uint8_t(1));
    }
    return;
  }
  bool dense = mask == fullMask;
  for (unsigned l = 0; dense && l < warpSize; ++l)
    dense = addresses[l] == addresses[0] + uint64_t(l) * bytes;
  out.dense = dense;
  if (!block.sharedWritten.complete())
    for (Mask rest = mask; rest; rest &= rest - 1) {
      unsigned lane = unsigned(std::countr_zero(rest));
      if (checkRead && !block.sharedWritten.all(addresses[lane], bytes)) {
        report(Finding::UninitialisedMemory, inst, int(lane),
               "Uninitialised __shared__ memory read of size " + std::to_string(bytes) + " bytes",
               {"address " + hex(addresses[lane]) + " of the block's shared memory (" +
                std::to_string(extent) + " bytes)"},
               addresses[lane]);
        break;
      }
    }
  if (inst.isStore) {
    if (!inst.isAtomic)
      launch.progressed();
    for (Mask rest = mask; rest; rest &= rest - 1)
      block.sharedWritten.mark(addresses[std::countr_zero(rest)], bytes);
  }
  if (launch.race)
    raceAccess(inst, *block.sharedShadow, mask, addresses, bytes, dense, Space::Shared, 0, name);
}

void Warp::raceAccess(const Inst &inst, ShadowRegion &region, Mask mask, const uint64_t *offsets,
                      unsigned bytes, bool dense, Space space, uint64_t base,
                      const std::string &name) {
  RaceDetector &race = *launch.race;
  AccessKind kind;
  kind.strong = inst.order != Order::Weak || inst.isAtomic;
  kind.atomic = inst.isAtomic;
  kind.nonCoherent = inst.isNonCoherent;
  kind.scope = inst.scope;
  uint64_t key = space == Space::Shared ? (block.number + 1) << 40 | uint64_t(1) << 63 : base;
  bool acquires = inst.order == Order::Acquire || inst.order == Order::AcqRel;
  bool releases = inst.order == Order::Release || inst.order == Order::AcqRel;
  if (kind.strong && (!inst.isStore || inst.isAtomic))
    for (Mask rest = mask; rest; rest &= rest - 1) {
      unsigned lane = unsigned(std::countr_zero(rest));
      race.strongRead(clock, lane, key + offsets[lane], inst.scope, acquires);
    }
  Conflict conflict;
  bool found = race.access(clock, region, mask, offsets, bytes, dense && mask == fullMask,
                           inst.isStore, kind, inst.line, conflict);
  if (kind.strong && inst.isStore)
    for (Mask rest = mask; rest; rest &= rest - 1) {
      unsigned lane = unsigned(std::countr_zero(rest));
      race.strongWrite(clock, lane, key + offsets[lane], inst.scope, releases, inst.isAtomic);
    }
  if (!found)
    return;
  uint32_t perBlock = race.threadsPerBlock(), other = conflict.earlier.thread;
  uint32_t otherBlock = other / perBlock, linear = other % perBlock;
  const uint32_t *extent = launch.config.block, *grid = launch.config.grid;
  std::string who = "thread (" + std::to_string(linear % extent[0]) + "," +
                    std::to_string(linear / extent[0] % extent[1]) + "," +
                    std::to_string(linear / extent[0] / extent[1]) + ") in block (" +
                    std::to_string(otherBlock % grid[0]) + "," +
                    std::to_string(otherBlock / grid[0] % grid[1]) + "," +
                    std::to_string(otherBlock / grid[0] / grid[1]) + ")";
  std::string earlier = std::string(conflict.earlier.kind.atomic ? "atomic"
                                    : conflict.earlierIsWrite    ? "write"
                                                                 : "read") +
                        " at line " + std::to_string(conflict.earlier.line);
  std::string title = conflict.nonCoherent
                          ? "Data read through ld.global.nc is written in the same launch"
                          : "Race: " + std::string(accessWord(inst)) + " of __" +
                                std::string(nameOf(space)) + "__ memory is not ordered after the " +
                                earlier;
  report(conflict.nonCoherent ? Finding::NonCoherent : Finding::Race, inst, int(conflict.lane),
         title,
         {"the other: " + earlier + " by " + who + ": " +
              std::string(launch.program.source().line(conflict.earlier.line)),
          "address " + hex(base + conflict.offset) + " is " + std::to_string(conflict.offset) +
              " bytes inside " + name},
         base + conflict.offset, name, int64_t(conflict.offset));
}

void Warp::fence(Mask mask, MemScope scope, bool acquire, bool release) {
  if (launch.race)
    launch.race->fence(clock, mask, scope, acquire, release);
}

void Warp::countRequest(const Inst &inst, Space space, Mask mask, const uint64_t *addresses,
                        unsigned bytes) {
  Stats::Traffic &traffic = launch.stats->traffic[{space, inst.isStore}];
  ++traffic.requests;
  traffic.bytes += uint64_t(std::popcount(mask)) * bytes;
  if (space == Space::Shared)
    traffic.units += Stats::bankPasses(addresses, mask, bytes);
  else if (space == Space::Local) {
    // Hardware interleaves local memory, so that lanes at one offset share sectors.
    uint64_t interleaved[warpSize];
    for (unsigned l = 0; l < warpSize; ++l)
      interleaved[l] = (addresses[l] / 4 * warpSize + l) * 4 + addresses[l] % 4;
    traffic.units += Stats::sectors(interleaved, mask, std::min(bytes, 4u));
  } else {
    traffic.units += Stats::sectors(addresses, mask, bytes);
  }
}

const uint8_t *Warp::peek(uint64_t address, uint64_t bytes, unsigned lane) {
  if (address - localWindow < windowBytes) {
    uint64_t offset = address - localWindow;
    return offset <= localCapacity && bytes <= localCapacity - offset
               ? &local[size_t(lane) * localCapacity + offset]
               : nullptr;
  }
  if (address - sharedWindow < windowBytes) {
    uint64_t offset = address - sharedWindow;
    return offset <= block.shared.size() && bytes <= block.shared.size() - offset
               ? &block.shared[offset]
               : nullptr;
  }
  Allocation *allocation = launch.memory.find(address);
  return allocation && !allocation->freed && allocation->contains(address, bytes)
             ? allocation->host + (address - allocation->base)
             : nullptr;
}
