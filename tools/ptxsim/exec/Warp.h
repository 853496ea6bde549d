// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A warp: 32 lanes in lockstep over structure-of-arrays registers. Lanes that diverge become groups
// that reconverge at the immediate post-dominator of their branch; a group that waits for lanes of
// other groups parks, so no order of execution can deadlock a program that a GPU would finish.

#ifndef PTXSIM_EXEC_WARP_H
#define PTXSIM_EXEC_WARP_H

#include "exec/Inst.h"
#include "exec/Report.h"
#include "memory/Memory.h"
#include "memory/Race.h"

#include <deque>

namespace ptxsim {

class Block;
class Launch;

/// Thrown after the report of a finding that ends the launch.
struct LaunchFault {
  Finding finding;
};

/// Registers and the part of local memory of one running function.
struct Frame {
  const Code *code = nullptr;
  Frame *caller = nullptr;
  uint8_t *regs = nullptr;
  uint32_t localBase = 0;
  std::unique_ptr<uint8_t[]> storage;
};

/// Where lanes wait for each other: the post-dominator of a branch, or the return of a call.
struct Join {
  uint32_t pc = 0;
  Mask expected = 0, arrived = 0;
  Frame *frame = nullptr;  ///< the lanes go on in this one
  Frame *callee = nullptr; ///< of a call: freed when all lanes are back
  const CallSite *site = nullptr;
  Join *parent = nullptr;
};

struct Group {
  enum State : uint8_t { Ready, AtBarrier, AtSync, Dead };
  uint32_t pc = 0;
  Mask mask = 0;
  Frame *frame = nullptr;
  Join *join = nullptr;
  State state = Ready;
  bool counted = false; ///< at a barrier that counts it already
  uint8_t barrier = 0;  ///< its number
};

/// Host addresses of one access, after all checks.
struct Resolved {
  uint8_t *host[warpSize];
  bool dense = false; ///< full mask, lane l at host[0] + l * bytes
};

class Warp {
public:
  Warp(Launch &launch, Block &block, unsigned index);

  /// Makes the warp ready to run `entry` for the lanes of its block from the start.
  void start(const Code &entry);
  /// Runs ready groups for about `budget` instructions. False when none was ready.
  bool run(uint64_t budget);
  bool finished() const { return alive == 0; }

  template <class T>
  T *lanes(uint32_t offset) const {
    return static_cast<T *>(__builtin_assume_aligned(regs + offset, 4));
  }
  Mask &predicate(uint32_t offset) const { return *reinterpret_cast<Mask *>(regs + offset); }

  /// Addresses of `inst` (base in `a`), its checks and side effects on shadow state. Throws
  /// LaunchFault after the report of an access that a GPU would refuse.
  void resolve(const Inst &inst, Mask mask, Resolved &out);
  void resolveAt(const Inst &inst, Mask mask, const uint64_t *addresses, Resolved &out);

  /// Reports at the current instruction. Fatal findings throw.
  void report(Finding finding, const Inst &inst, int lane, std::string title,
              std::vector<std::string> details = {}, uint64_t address = 0, std::string buffer = {},
              int64_t distance = 0);
  void fence(Mask mask, MemScope scope, bool acquire, bool release);
  std::string threadName(unsigned lane) const;
  /// Device function vprintf: format and arguments in the thread's memory.
  const uint8_t *peek(uint64_t address, uint64_t bytes, unsigned lane);

  Launch &launch;
  Block &block;
  const unsigned index;
  Mask initial = 0, alive = 0;
  uint8_t *regs = nullptr;
  WarpClock clock;
  std::vector<Group> groups;
  uint64_t executed = 0;

private:
  friend class Block;
  template <bool Count>
  void runLoop(size_t at, uint64_t budget);
  bool transfer(Group &group, const Inst &inst, Mask mask);
  bool branch(Group &group, const Inst &inst, Mask taken, uint32_t target);
  Group &newGroup();
  bool splitGuard(Group &group, Mask mask);
  void openBarrier(uint32_t number, uint32_t population, bool all, bool any);
  bool indexed(Group &group, const Inst &inst, Mask mask);
  bool call(Group &group, const Inst &inst, Mask mask);
  bool callIndirect(Group &group, const Inst &inst, Mask mask);
  void enter(Group &group, const CallSite &site, const Code &callee, Mask lanes);
  void moveBytes(const std::vector<Transfer> &list, Frame *from, Frame *to, Mask lanes);
  bool builtin(Group &group, const Inst &inst, const CallSite &site, Mask mask);
  bool barrier(Group &group, const Inst &inst, Mask mask);
  bool sync(Group &group, const Inst &inst, Mask mask);
  void retrySyncs();
  void checkAlignedBarrier();
  bool arriveIfAtJoin(Group &group);
  void deposit(Join *join, Mask lanes);
  void complete(Join *join);
  void leave(Group &group, Mask lanes);
  void exitLanes(Join *join, Mask lanes);
  bool checkDefined(const Inst &inst, Mask mask);
  Frame *newFrame(const Code &code, Frame *caller, uint32_t localBase);
  void fillSpecials(Frame &frame);
  void freeFrame(Frame *frame);
  Join *newJoin();
  void freeJoin(Join *join);

  void resolveGlobal(const Inst &inst, Mask mask, const uint64_t *addresses, unsigned bytes,
                     Resolved &out);
  void resolveWindow(const Inst &inst, Space space, Mask mask, const uint64_t *addresses,
                     unsigned bytes, Resolved &out);
  void touch(const Inst &inst, Allocation &allocation, Mask mask, const uint64_t *offsets,
             unsigned bytes, bool dense);
  void raceAccess(const Inst &inst, ShadowRegion &region, Mask mask, const uint64_t *offsets,
                  unsigned bytes, bool dense, Space space, uint64_t base, const std::string &name);
  void countRequest(const Inst &inst, Space space, Mask mask, const uint64_t *addresses,
                    unsigned bytes);
  [[noreturn]] void refuse(const Inst &inst, Space space, Mask mask, const uint64_t *addresses,
                           unsigned bytes, Allocation *near);

  std::deque<Join> joins;
  std::vector<Join *> freeJoins;
  std::vector<std::unique_ptr<Frame>> frames;
  std::vector<Frame *> freeFrames;
  std::vector<uint8_t> local; ///< lane-major, `localCapacity` bytes a lane
  std::vector<uint8_t> localWritten;
  uint32_t localCapacity = 0;
  size_t nextGroup = 0;
};

} // namespace ptxsim

#endif
