// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches, calls, barriers of blocks, fences (PTX ISA, "Control Flow Instructions", "Parallel
// Synchronization and Communication Instructions").

#include "decode/Memory.h"

using namespace ptxsim;

namespace {

void nothing(Warp &, const Inst &, Mask) {}

void bra(Builder &b) {
  b.expectCount(1);
  b.inst.flow = Flow::Branch;
  b.inst.uniform = b.has("uni");
  b.inst.target = b.labelTarget(b.operand(0));
}
void brx(Builder &b) {
  b.expectCount(2);
  b.inst.flow = Flow::Indexed;
  b.inst.uniform = b.has("uni");
  b.inst.a = b.source(0, Type::U32);
  const Label *list = b.function.findLabel(b.ast.scope, b.operand(1).text);
  if (!list || list->targets.empty())
    b.fail("expected a label of .branchtargets, got '" + b.operand(1).text + "'");
  std::vector<uint32_t> table;
  for (const std::string &name : list->targets) {
    Operand target;
    target.text = name;
    table.push_back(b.labelTarget(target));
  }
  b.inst.target = uint32_t(b.function.code.tables.size());
  b.function.code.tables.push_back(std::move(table));
}
void ret(Builder &b) {
  b.expectCount(0);
  b.inst.flow = Flow::Return;
}
void leave(Builder &b) {
  b.expectCount(0);
  b.inst.flow = Flow::Exit;
}
void trap(Builder &b) {
  b.expectCount(0);
  b.inst.flow = Flow::Trap;
}

Transfer argument(Builder &b, const Operand &operand, uint64_t &bytes) {
  Transfer transfer;
  int index =
      operand.kind == Operand::Name ? b.function.findVariable(b.ast.scope, operand.text) : -1;
  if (index < 0 || b.function.function.variables[size_t(index)].space != Space::Param)
    b.fail("expected a .param variable as argument, got '" + operand.text + "'");
  const Variable &variable = b.function.function.variables[size_t(index)];
  transfer.from = transfer.to = uint32_t(b.function.variableOffsets[size_t(index)]);
  bytes = variable.bytes();
  transfer.bytes = uint32_t(bytes);
  return transfer;
}

// call (ret), function, (arguments), prototype; the lists and the prototype may be missing.
void call(Builder &b) {
  size_t at = 0;
  CallSite site;
  const Operand *results = nullptr, *arguments = nullptr;
  b.expectCount(1, 4);
  if (b.operand(at).kind == Operand::List)
    results = &b.operand(at++);
  if (at >= b.count() || b.operand(at).kind != Operand::Name)
    b.fail("expected a function to call");
  const Operand &target = b.operand(at++);
  if (at < b.count() && b.operand(at).kind == Operand::List)
    arguments = &b.operand(at++);
  uint64_t bytes;
  if (results)
    for (const Operand &part : results->parts) {
      site.results.push_back(argument(b, part, bytes));
      site.resultBytes.push_back(bytes);
    }
  if (arguments)
    for (const Operand &part : arguments->parts) {
      site.arguments.push_back(argument(b, part, bytes));
      site.argumentBytes.push_back(bytes);
    }
  b.inst.target = uint32_t(b.function.code.calls.size());
  if (b.function.findRegister(b.ast.scope, target.text) >= 0) {
    if (at >= b.count())
      b.fail("an indirect call needs a prototype");
    b.inst.flow = Flow::CallIndirect;
    b.inst.a = b.source(target, Type::U64);
  } else {
    if (!b.function.program.functionAddress(target.text))
      b.fail("unknown function '" + target.text + "'");
    b.inst.flow = Flow::Call;
    site.calleeName = target.text;
  }
  b.function.code.calls.push_back(std::move(site));
}

/// Barrier number and thread count from `first` on.
void barrierOperands(Builder &b, size_t first, size_t most) {
  b.inst.flow = Flow::Barrier;
  b.inst.run = nothing;
  b.inst.a = first < b.count() ? b.source(first, Type::U32) : b.function.constant(0, 4);
  if (most > first + 1 && first + 1 < b.count())
    b.inst.b = b.source(first + 1, Type::U32);
}
template <bool Aligned>
void barrierSync(Builder &b) {
  b.expectCount(Aligned ? 0 : 1, 2);
  b.inst.aligned = Aligned || b.has("aligned");
  barrierOperands(b, 0, 2);
}
void barrierArrive(Builder &b) {
  b.expectCount(2);
  b.inst.barrier = BarrierKind::Arrive;
  b.inst.aligned = b.ast.opcode == "bar" || b.has("aligned");
  barrierOperands(b, 0, 2);
}
void barrierReduce(Builder &b) {
  b.expectCount(3, 4);
  b.inst.aligned = b.ast.opcode == "bar" || b.has("aligned");
  b.inst.barrier = b.has("popc")  ? BarrierKind::RedPopc
                   : b.has("and") ? BarrierKind::RedAnd
                                  : BarrierKind::RedOr;
  b.inst.flow = Flow::Barrier;
  b.inst.run = nothing;
  b.inst.a = b.source(1, Type::U32);
  if (b.count() == 4)
    b.inst.b = b.source(2, Type::U32);
  bool negated;
  b.inst.c = b.sourcePredicate(b.operand(b.count() - 1), negated);
  b.inst.imm = negated;
  if (b.inst.barrier == BarrierKind::RedPopc)
    b.inst.d = b.destination(0, Type::U32);
  else
    b.inst.p = b.destinationPredicate(b.operand(0));
}

/// imm: bit 0 acquires, bit 1 releases.
void runFence(Warp &warp, const Inst &inst, Mask mask) {
  warp.fence(mask, inst.scope, inst.imm & 1, inst.imm & 2);
}
void fence(Builder &b) {
  b.expectCount(0);
  b.inst.scope = scopeOf(b);
  b.inst.imm = b.has("acquire") ? 1 : b.has("release") ? 2 : 3;
  b.inst.run = runFence;
}
void membar(Builder &b) {
  b.expectCount(0);
  // .gl is .gpu of fence.
  b.inst.scope = b.has("cta")   ? MemScope::Block
                 : b.has("sys") ? MemScope::System
                                : MemScope::Device;
  b.inst.imm = 3;
  b.inst.run = runFence;
}
void nanosleep(Builder &b) {
  b.expectCount(1);
  b.inst.a = b.source(0, Type::U32);
  b.inst.run = nothing;
}
/// Programmatic dependent launch: launches here are never concurrent with what they depend on.
void griddep(Builder &b) {
  b.expectCount(0);
  b.inst.run = nothing;
}
void pmevent(Builder &b) {
  b.expectCount(1);
  b.immediate(b.operand(0), "event");
  b.inst.run = nothing;
}

#define SCOPE ".{cta|cluster|gpu|sys}"
const Form forms[] = {
    {"bra?uni", "label", "bra", 63, 75, bra},
    {"brx.idx?uni", "index, table", "brx.idx", 63, 75, brx},
    {"call?uni", "(result), function, (arguments)[, prototype]", "call", 63, 75, call},
    {"ret?uni", "", "ret", 63, 75, ret},
    {"exit", "", "exit", 63, 75, leave},
    {"trap", "", "trap", 63, 75, trap},
    {"brkpt", "", "brkpt", 63, 75, trap},
    {"bar?cta.sync", "a[, count]", "bar", 63, 75, barrierSync<true>},
    {"bar?cta.arrive", "a, count", "bar", 63, 75, barrierArrive},
    {"bar?cta.red.popc.u32", "d, a[, count], [!]c", "bar", 63, 75, barrierReduce},
    {"bar?cta.red.{and|or}.pred", "p, a[, count], [!]c", "bar", 63, 75, barrierReduce},
    {"barrier?cta.sync?aligned", "a[, count]", "barrier", 63, 75, barrierSync<false>},
    {"barrier?cta.arrive?aligned", "a, count", "barrier", 63, 75, barrierArrive},
    {"barrier?cta.red.popc?aligned.u32", "d, a[, count], [!]c", "barrier", 63, 75, barrierReduce},
    {"barrier?cta.red.{and|or}?aligned.pred", "p, a[, count], [!]c", "barrier", 63, 75,
     barrierReduce},
    {"membar.{cta|gl|sys}", "", "membar", 63, 75, membar},
    {"fence?{sc|acq_rel}" SCOPE, "", "fence", 63, 75, fence},
    {"fence.{acquire|release}" SCOPE, "", "fence", 86, 75, fence},
    {"nanosleep.u32", "a", "nanosleep", 63, 75, nanosleep},
    {"griddepcontrol.{launch_dependents|wait}", "", "griddepcontrol", 78, 90, griddep},
    {"pmevent", "a", "pmevent", 63, 75, pmevent},
};
#undef SCOPE

} // namespace

std::span<const Form> ptxsim::controlForms() { return forms; }
