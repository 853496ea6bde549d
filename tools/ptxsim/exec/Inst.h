// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The decoded form of a program: what the decoder produces and the warps run.

#ifndef PTXSIM_EXEC_INST_H
#define PTXSIM_EXEC_INST_H

#include "syntax/Ast.h"

namespace ptxsim {

struct Allocation;
struct Inst;
class Warp;

constexpr unsigned warpSize = 32;
/// One bit a lane.
using Mask = uint32_t;
constexpr Mask fullMask = ~Mask(0);
/// Runs one instruction for the lanes of the mask (never empty).
using Executor = void (*)(Warp &, const Inst &, Mask);

enum class Flow : uint8_t {
  Plain,   ///< `run`, then the next instruction
  Branch,  ///< to `target`
  Indexed, ///< brx.idx: lane values select from `Program` tables
  Call,
  CallIndirect,
  Return,
  Exit,
  Trap,
  Barrier, ///< of the block
  Sync     ///< of the lanes that a member mask names; `run` then sees all of them together
};

/// PTX ISA, "Memory Consistency Model". Volatile is relaxed with system scope.
enum class Order : uint8_t { Weak, Relaxed, Acquire, Release, AcqRel };
enum class MemScope : uint8_t { Block, Device, System };

enum class BarrierKind : uint8_t { Sync, Arrive, RedPopc, RedAnd, RedOr };

/// Which registers an instruction reads and writes; kept only where reads of registers that were
/// never written are possible.
struct Tracked {
  struct Use {
    uint32_t defined; ///< frame offset of the register's mask of written lanes
    std::string name;
  };
  std::vector<Use> uses;
  std::vector<uint32_t> writes;
  bool propagates = false; ///< a move: hands undefinedness on instead of reporting it
};

/// All operands are byte offsets into the frame of the running function: 32 lanes of a register,
/// of a constant, or of a special register. Predicates are one Mask.
struct Inst {
  Executor run = nullptr;
  uint32_t d = 0, p = 0;               ///< results; `p` is a predicate result
  uint32_t a = 0, b = 0, c = 0, e = 0; ///< sources
  uint32_t guard = 0;
  Flow flow = Flow::Plain;
  bool hasGuard = false, guardNegated = false;
  bool leader = false;  ///< first of a basic block: groups may reconverge here
  bool uniform = false; ///< bra.uni and the like

  // Memory.
  Space space = Space::None;
  uint8_t elementBytes = 0, vector = 1;
  Order order = Order::Weak;
  MemScope scope = MemScope::Device;
  bool isStore = false, isAtomic = false, isNonCoherent = false, narrowAddress = false;
  BarrierKind barrier = BarrierKind::Sync;
  bool aligned = false; ///< barrier{.cta}.aligned
  int64_t imm = 0;      ///< address offset, or an executor's own constant
  uint32_t v[8] = {};   ///< vector elements, packed parts, or sources of a sync

  uint32_t target = 0; ///< instruction index, or index into a table of the function
  uint32_t join = 0;   ///< where the two sides of a branch meet; `noJoin` when nowhere
  uint32_t line = 0;
  uint32_t form = 0; ///< row of the form table, for statistics
  const Tracked *tracked = nullptr;
  Executor inner = nullptr; ///< what a wrapping executor runs
  Mask (*compare)(Warp &, const Inst &, unsigned first, unsigned step) = nullptr; ///< setp, set
  mutable Allocation *hint = nullptr; ///< where the last access went
};

constexpr uint32_t noJoin = ~uint32_t(0);

/// A constant of the frame whose value is only known when the frame is made.
struct Special {
  enum Kind : uint8_t {
    TidX,
    TidY,
    TidZ,
    NTidX,
    NTidY,
    NTidZ,
    CtaX,
    CtaY,
    CtaZ,
    NCtaX,
    NCtaY,
    NCtaZ,
    LaneId,
    WarpId,
    NWarpId,
    SmId,
    NSmId,
    GridId,
    MaskEq,
    MaskLe,
    MaskLt,
    MaskGe,
    MaskGt,
    DynamicSharedSize,
    TotalSharedSize,
    GridSyncHigh,
    GridSyncLow,   ///< %envreg1 and 2: where cooperative groups keep a grid's barrier
    DynamicShared, ///< 64-bit address of the dynamic shared memory plus `addend`
    LocalAddress   ///< 64-bit address in the frame's part of local memory plus `addend`
  };
  Kind kind;
  uint32_t offset = 0;
  uint64_t addend = 0; ///< for DynamicShared: low 32 bits alignment, high 32 bits offset
};

/// An argument or result of a call: bytes of local memory of one frame to another's.
struct Transfer {
  uint32_t from = 0, to = 0, bytes = 0; ///< offsets in the frames' local memory
  bool fromRegister = false;            ///< `from` is a frame offset of lanes
  bool toRegister = false;
};

struct Code;

struct CallSite {
  const Code *callee = nullptr; ///< null when indirect
  std::string calleeName;
  std::vector<Transfer> arguments, results;
  std::vector<uint64_t> argumentBytes, resultBytes; ///< of the prototype, checked when indirect
};

struct ParameterSlot {
  std::string name;
  uint64_t offset = 0, bytes = 0, align = 1;
};

/// One function, ready to run.
struct Code {
  std::string name;
  bool isEntry = false;
  const Function *ast = nullptr;
  std::vector<Inst> insts;
  uint32_t frameBytes = 0;
  uint32_t constantOffset = 0; ///< constants start here and go to the frame's end
  std::vector<uint8_t> constants;
  std::vector<Special> specials;
  std::vector<uint32_t> definedMasks; ///< frame offsets, cleared when a frame is made
  std::vector<std::unique_ptr<Tracked>> tracked;
  std::vector<CallSite> calls;
  std::vector<std::vector<uint32_t>> tables; ///< of brx.idx
  std::vector<ParameterSlot> parameters;     ///< entry: offsets in the parameter buffer;
  std::vector<ParameterSlot> returns;        ///< function: offsets in local memory
  uint64_t parameterBytes = 0;
  uint32_t localBytes = 0; ///< of one frame: locals, parameters, call-site parameters
  uint32_t stackBytes = 0; ///< with everything it calls
  bool recursive = false;
  bool hasIndirectCalls = false;
  uint32_t sharedBytes = 0;      ///< static, entry only
  uint32_t registerEstimate = 0; ///< 32-bit registers that a compiler might need
};

} // namespace ptxsim

#endif
