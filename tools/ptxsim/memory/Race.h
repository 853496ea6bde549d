// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Races by happens-before (PTX ISA, "Memory Consistency Model"): barriers, fences with their scope,
// and the strong accesses between them order the accesses of threads; two conflicting accesses that
// nothing orders are a race unless both are strong with scopes that include each other. Two lanes
// of a warp are ordered by bar.warp.sync only.
//
// Shadow memory keeps the last write and the reads since then. A line of 64 bytes that a whole warp
// accesses lane by lane is one record; any other use splits it into cells of 1, 2 or 4 bytes.

#ifndef PTXSIM_MEMORY_RACE_H
#define PTXSIM_MEMORY_RACE_H

#include "exec/Inst.h"
#include "memory/Knowledge.h"

namespace ptxsim {

/// How an access was made; enough to judge it and to name it in a report.
struct AccessKind {
  bool strong : 1 = false;
  bool nonCoherent : 1 = false;
  bool atomic : 1 = false;
  MemScope scope = MemScope::Block;
};

struct AccessRecord {
  uint32_t thread = 0, clock = 0, line = 0;
  uint16_t generation = 0; ///< of the launch; records of other launches do not count
  AccessKind kind;
  uint8_t shift = 0; ///< whole-line records: bytes a lane, as a logarithm
};

/// Reads of one cell that are not ordered among themselves: lanes of a warp share an entry.
struct ReadSet {
  struct Entry {
    uint32_t warp, clock, line;
    Mask lanes;
    AccessKind kind;
  };
  std::vector<Entry> entries;
};

struct ShadowCell {
  AccessRecord write, read;
  std::unique_ptr<ReadSet> more; ///< when set, replaces `read`
};

struct ShadowLine {
  AccessRecord write, read; ///< of the whole line while it is not split
  std::unique_ptr<ShadowCell[]> cells;
  uint16_t generation = 0; ///< of `cells`
  uint8_t granule = 0;     ///< logarithm of a cell's bytes
};

class ShadowRegion {
public:
  explicit ShadowRegion(uint64_t bytes) : lines((bytes + 63) / 64) {}
  std::vector<ShadowLine> lines;
};

struct LaneClock {
  uint32_t clock = 0;
  uint32_t blockTime = 0; ///< everything in the own block before this time is known
  uint32_t warpTime = 0;  ///< likewise in the own warp
  Knowledge known;
  Knowledge releaseBlock, releaseDevice; ///< what the last fence of that scope covers
  bool hasReleaseBlock = false, hasReleaseDevice = false;
  Knowledge pendingBlock, pendingDevice; ///< read by strong reads, acquired by the next fence
};

struct BlockClock {
  uint32_t index = 0;
  uint32_t counter = 1;
};

struct WarpClock {
  BlockClock *block = nullptr;
  uint32_t firstThread = 0; ///< number of lane 0 in the grid; a multiple of the warp size
  bool uniform = true;      ///< all lanes have the same clock and knowledge
  LaneClock lanes[warpSize];
};

/// A conflict found by an access.
struct Conflict {
  unsigned lane = 0;
  uint64_t offset = 0;      ///< in the region
  bool nonCoherent = false; ///< not a race but data read through .nc and written in one launch
  bool earlierIsWrite = false;
  AccessRecord earlier;
};

class RaceDetector {
public:
  /// Thread numbers of a block start at block * `threadsPerBlock`, a multiple of the warp size.
  RaceDetector(uint64_t blocks, uint32_t threadsPerBlock, uint16_t generation);

  void startBlock(BlockClock &block, uint32_t index);
  void startWarp(WarpClock &warp, BlockClock &block, uint32_t indexInBlock);

  /// Records an access of `bytes` at `offsets[lane]`; true and `found` when one of its lanes
  /// conflicts. `dense` promises offsets[l] == offsets[0] + l * bytes and a full mask.
  bool access(WarpClock &warp, ShadowRegion &region, Mask mask, const uint64_t *offsets,
              unsigned bytes, bool dense, bool isWrite, AccessKind kind, uint32_t line,
              Conflict &found);

  void fence(WarpClock &warp, Mask mask, MemScope scope, bool acquire, bool release);
  /// A strong read (before the write of the same atomic) and a strong write of an address.
  void strongRead(WarpClock &warp, unsigned lane, uint64_t address, MemScope scope, bool acquire);
  void strongWrite(WarpClock &warp, unsigned lane, uint64_t address, MemScope scope, bool release,
                   bool isAtomic);

  void warpSync(WarpClock &warp, Mask mask);
  /// A barrier that these lanes passed together; `whole` when all live threads of the block did.
  struct Participant {
    WarpClock *warp;
    Mask lanes;
  };
  void barrier(BlockClock &block, const std::vector<Participant> &participants, bool whole,
               const Knowledge &handedOn);
  /// bar.arrive: what these lanes hand on to those who wait, without waiting themselves.
  void arrive(WarpClock &warp, Mask mask, Knowledge &handedOn);

  uint32_t threadsPerBlock() const { return blockThreads; }

private:
  struct Publication {
    uint32_t block = 0;
    bool hasBlock = false, hasDevice = false;
    Knowledge forBlock, forDevice;
  };
  Knowledge join(const Knowledge &a, const Knowledge &b);
  Knowledge released(const WarpClock &warp, unsigned lane, uint32_t time);
  bool knows(const WarpClock &warp, unsigned lane, uint32_t thread, uint32_t clock) const;
  bool conflicts(const WarpClock &warp, unsigned lane, const AccessRecord &earlier,
                 AccessKind kind) const;
  bool wholeLine(WarpClock &warp, ShadowLine &line, const AccessRecord &now, bool isWrite);
  void split(ShadowLine &line, unsigned granule);
  bool cell(WarpClock &warp, unsigned lane, ShadowCell &cell, const AccessRecord &now, bool isWrite,
            Conflict &found);
  void addReader(WarpClock &warp, unsigned lane, ShadowCell &cell, const AccessRecord &now);

  TrieArena arena;
  std::unordered_map<uint64_t, Publication> publications;
  uint32_t blockThreads;
  uint16_t generation;
  unsigned blockLevels, warpLevels, threadLevels;
};

} // namespace ptxsim

#endif
