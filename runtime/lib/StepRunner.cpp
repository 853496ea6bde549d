// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/StepRunner.h"

#include "Cat.h"

#include <algorithm>

namespace sawtooth::runtime {

Status StepRunner::checkLists() const {
  for (uint32_t list = 0; list < plan().lists().size(); ++list) {
    const SawtoothListRow &row = plan().lists()[list];
    if (row.step == stepNumber && row.kind == SAWTOOTH_LIST_ARGUMENT &&
        store.origin(list) != ListOrigin::Bound)
      return Status::error(StatusCode::Invalid,
                           cat("list argument ", plan().listTitle(list), " is not bound"));
  }
  return {};
}

Status StepRunner::prepareArguments() {
  // A frame is small; one that is not is no frame that a compiler wrote.
  constexpr uint64_t limit = 1u << 30;
  if (step().frameBytes > limit || step().argsBytes > limit)
    return Status::error(StatusCode::Corrupt,
                         cat("expected frame and arguments of at most ", limit, " bytes, got ",
                             step().frameBytes, " and ", step().argsBytes));
  argBlock.resize(step().argsBytes / 8);
  for (const SawtoothArgRow &arg : args()) {
    argSet.push_back(arg.hasDefault);
    argBlock[arg.offset / 8] = arg.defaultValue;
  }
  tensors.resize(step().tensorArgs.count);
  return {};
}

Status StepRunner::setArg(uint32_t arg, const std::string &text) {
  Result<uint64_t> slot = parseSlot(SawtoothType(args()[arg].type), text);
  if (!slot.ok())
    return slot.status().of(cat("argument '", plan().text(args()[arg].name), "'"));
  setArgSlot(arg, *slot);
  return {};
}

void StepRunner::setArgSlot(uint32_t arg, uint64_t slot) {
  uint64_t &place = argBlock[args()[arg].offset / 8];
  argumentsChanged |= place != slot;
  place = slot;
  argSet[arg] = true;
}

void StepRunner::takeArguments(const StepRunner &other) {
  for (uint32_t i = 0; i < std::min(args().size(), other.args().size()); ++i)
    if (other.argSet[i])
      setArgSlot(i, other.argBlock[other.args()[i].offset / 8]);
}

void StepRunner::setTensor(uint32_t arg, const void *data) {
  tensors[tensorArgs()[arg].slot] = data;
}

Status StepRunner::ready() const {
  for (size_t i = 0; i < args().size(); ++i)
    if (!argSet[i])
      return Status::error(StatusCode::Invalid,
                           cat("argument '", plan().text(args()[i].name), "' of step '", name(),
                               "' has no value and no default"));
  for (const SawtoothTensorArgRow &arg : tensorArgs())
    if (!tensors[arg.slot])
      return Status::error(StatusCode::Invalid, cat("tensor argument '", plan().text(arg.name),
                                                    "' of step '", name(), "' has no data"));
  return {};
}

} // namespace sawtooth::runtime
