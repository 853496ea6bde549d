// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/Trial.h"

using namespace sawtooth::bench;
using namespace sawtooth::runtime;

Traffic Traffic::of(const Plan &plan, const SawtoothStepRow &step, const Store &store) {
  Traffic traffic;
  for (const SawtoothActionRow &action : Plan::rows(step.actions, plan.actions())) {
    if (action.kind != SAWTOOTH_PASS)
      continue;
    double elements = 0, bytes = 0;
    for (int64_t numel : store.model(action.model).numel)
      elements += static_cast<double>(numel);
    for (SawtoothRange accesses : {action.reads, action.writes})
      for (const SawtoothAccess &access : Plan::rows(accesses, plan.accesses()))
        if (plan.lists()[access.list].kind != SAWTOOTH_LIST_SCRATCH)
          bytes += elements * access.bytes;
    traffic.applied += bytes;
    if (action.flag == SAWTOOTH_NONE)
      traffic.skipped += bytes;
  }
  return traffic;
}
