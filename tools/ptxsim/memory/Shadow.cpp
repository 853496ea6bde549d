// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shadow memory of the race detector: whole-line records, cells, and sets of readers.

#include "memory/Race.h"

#include <algorithm>
#include <bit>

using namespace ptxsim;

static constexpr unsigned lineBytes = 64;
/// A set of readers is tidied each time it has grown to a multiple of this.
static constexpr size_t tidyInterval = 4096;

/// PTX ISA, "Morally-strong operations": both strong, each in the other's scope.
static bool morallyStrong(AccessKind a, AccessKind b, bool sameBlock) {
  return a.strong && b.strong &&
         (sameBlock || (a.scope != MemScope::Block && b.scope != MemScope::Block));
}

bool RaceDetector::conflicts(const WarpClock &warp, unsigned lane, const AccessRecord &earlier,
                             AccessKind kind) const {
  return earlier.generation == generation &&
         !morallyStrong(earlier.kind, kind, earlier.thread / blockThreads == warp.block->index) &&
         !knows(warp, lane, earlier.thread, earlier.clock);
}

bool RaceDetector::access(WarpClock &warp, ShadowRegion &region, Mask mask, const uint64_t *offsets,
                          unsigned bytes, bool dense, bool isWrite, AccessKind kind, uint32_t line,
                          Conflict &found) {
  AccessRecord now;
  now.line = line;
  now.generation = generation;
  now.kind = kind;
  if (dense && warp.uniform && !kind.strong && bytes >= 2 && offsets[0] % lineBytes == 0) {
    now.shift = uint8_t(std::countr_zero(bytes));
    now.clock = warp.lanes[0].clock;
    unsigned lanesPerLine = lineBytes >> now.shift;
    bool done = true;
    for (unsigned lane = 0; lane < warpSize; lane += lanesPerLine) {
      now.thread = warp.firstThread + lane;
      ShadowLine &target = region.lines[(offsets[0] + uint64_t(lane) * bytes) / lineBytes];
      if (wholeLine(warp, target, now, isWrite))
        mask &= ~(lanesPerLine == 32 ? fullMask : ((Mask(1) << lanesPerLine) - 1) << lane);
      else
        done = false;
    }
    if (done)
      return false;
  }
  bool conflict = false;
  for (Mask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = unsigned(std::countr_zero(rest));
    now.thread = warp.firstThread + lane;
    now.clock = warp.lanes[lane].clock;
    uint64_t offset = offsets[lane], end = offset + bytes;
    while (offset < end) {
      ShadowLine &target = region.lines[offset / lineBytes];
      unsigned granule = std::min(2u, unsigned(std::countr_zero(offset | bytes)));
      if (target.generation != generation || target.granule > granule)
        split(target, granule);
      uint64_t stop = std::min(end, (offset / lineBytes + 1) * lineBytes);
      for (; offset < stop; offset += uint64_t(1) << target.granule) {
        ShadowCell &at = target.cells[offset % lineBytes >> target.granule];
        if (cell(warp, lane, at, now, isWrite, found) && !conflict) {
          conflict = true;
          found.lane = lane;
          found.offset = offset;
          // Keep recording: one report an instruction is enough, the state must stay whole.
        }
      }
    }
    if (conflict)
      return true;
  }
  return false;
}

/// True when the whole line could be checked and recorded at once.
bool RaceDetector::wholeLine(WarpClock &warp, ShadowLine &line, const AccessRecord &now,
                             bool isWrite) {
  if (line.generation == generation)
    return false;
  auto settled = [&](const AccessRecord &earlier) {
    if (earlier.generation != generation)
      return true;
    if (earlier.thread == now.thread && earlier.shift == now.shift)
      return !(earlier.kind.nonCoherent || now.kind.nonCoherent) ||
             (earlier.kind.nonCoherent && now.kind.nonCoherent);
    if (earlier.kind.nonCoherent != now.kind.nonCoherent)
      return false;
    // All lanes know the same, and knowledge of a whole block or warp covers the whole record.
    const LaneClock &self = warp.lanes[0];
    uint32_t block = earlier.thread / blockThreads;
    if (block == warp.block->index) {
      if (earlier.clock < self.blockTime)
        return true;
      return earlier.thread / warpSize == warp.firstThread / warpSize &&
             earlier.clock < self.warpTime;
    }
    return TrieArena::lookup(self.known.blocks, block, blockLevels) > earlier.clock;
  };
  if (line.write.generation == generation && now.kind.nonCoherent)
    return false;
  if (!settled(line.write))
    return false;
  if (isWrite) {
    if (line.read.generation == generation && line.read.kind.nonCoherent)
      return false;
    if (!settled(line.read))
      return false;
    line.write = now;
    line.read.generation = 0;
    return true;
  }
  if (!settled(line.read))
    return false;
  line.read = now;
  return true;
}

/// Makes cells of at most `granule`, filled from the line's record or from coarser cells.
void RaceDetector::split(ShadowLine &line, unsigned granule) {
  unsigned count = lineBytes >> granule;
  auto cells = std::make_unique<ShadowCell[]>(count);
  for (unsigned i = 0; i < count; ++i) {
    if (line.generation == generation) {
      const ShadowCell &from = line.cells[i >> (line.granule - granule)];
      cells[i].write = from.write;
      cells[i].read = from.read;
      if (from.more)
        cells[i].more = std::make_unique<ReadSet>(*from.more);
      continue;
    }
    unsigned offset = i << granule;
    cells[i].write = line.write;
    cells[i].write.thread += offset >> line.write.shift;
    cells[i].read = line.read;
    cells[i].read.thread += offset >> line.read.shift;
  }
  line.cells = std::move(cells);
  line.granule = uint8_t(granule);
  line.generation = generation;
}

bool RaceDetector::cell(WarpClock &warp, unsigned lane, ShadowCell &cell, const AccessRecord &now,
                        bool isWrite, Conflict &found) {
  bool bad = false;
  if (cell.write.generation == generation) {
    bool throughCache = now.kind.nonCoherent;
    if (throughCache || conflicts(warp, lane, cell.write, now.kind)) {
      bad = true;
      found.nonCoherent = throughCache;
      found.earlierIsWrite = true;
      found.earlier = cell.write;
    }
  }
  if (!isWrite) {
    addReader(warp, lane, cell, now);
    return bad;
  }
  auto against = [&](const AccessRecord &reader) {
    bool throughCache = reader.generation == generation && reader.kind.nonCoherent;
    if (bad || !(throughCache || conflicts(warp, lane, reader, now.kind)))
      return;
    bad = true;
    found.nonCoherent = throughCache;
    found.earlierIsWrite = false;
    found.earlier = reader;
  };
  if (cell.more) {
    for (const ReadSet::Entry &entry : cell.more->entries)
      for (Mask rest = entry.lanes; rest && !bad; rest &= rest - 1) {
        AccessRecord reader;
        reader.thread = entry.warp * warpSize + unsigned(std::countr_zero(rest));
        reader.clock = entry.clock;
        reader.line = entry.line;
        reader.kind = entry.kind;
        reader.generation = generation;
        against(reader);
      }
    cell.more.reset();
  } else {
    against(cell.read);
  }
  cell.read.generation = 0;
  cell.write = now;
  return bad;
}

void RaceDetector::addReader(WarpClock &warp, unsigned lane, ShadowCell &cell,
                             const AccessRecord &now) {
  auto sameKind = [](AccessKind a, AccessKind b) {
    return a.strong == b.strong && a.nonCoherent == b.nonCoherent && a.scope == b.scope;
  };
  if (!cell.more) {
    // One reader is enough to remember when the new one comes after it in every way that counts.
    if (cell.read.generation != generation ||
        (knows(warp, lane, cell.read.thread, cell.read.clock) && !cell.read.kind.nonCoherent &&
         (cell.read.thread != now.thread || sameKind(cell.read.kind, now.kind)))) {
      cell.read = now;
      return;
    }
    cell.more = std::make_unique<ReadSet>();
    cell.more->entries.push_back({cell.read.thread / warpSize, cell.read.clock, cell.read.line,
                                  Mask(1) << cell.read.thread % warpSize, cell.read.kind});
  }
  auto &entries = cell.more->entries;
  uint32_t warpNumber = now.thread / warpSize;
  Mask bit = Mask(1) << now.thread % warpSize;
  ReadSet::Entry &last = entries.back();
  if (last.warp == warpNumber && last.clock == now.clock && sameKind(last.kind, now.kind)) {
    last.lanes |= bit;
    return;
  }
  entries.push_back({warpNumber, now.clock, now.line, bit, now.kind});
  if (entries.size() % tidyInterval != 0)
    return;
  // A later read of the same lanes stands for the earlier one.
  std::sort(entries.begin(), entries.end(), [](const auto &a, const auto &b) {
    return a.warp != b.warp ? a.warp < b.warp : a.clock > b.clock;
  });
  size_t kept = 0;
  Mask seen = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (kept == 0 || entries[kept - 1].warp != entries[i].warp)
      seen = 0;
    Mask fresh = entries[i].lanes & ~seen;
    if (!fresh && !entries[i].kind.nonCoherent)
      continue;
    seen |= entries[i].lanes;
    entries[kept++] = entries[i];
  }
  entries.resize(kept);
}
