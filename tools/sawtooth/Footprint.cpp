// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Footprint.h"

#include "sawtooth/runtime/Convert.h"

#include <algorithm>

using namespace sawtooth::runtime;

namespace sawtooth::tool {

uint64_t accessBytes(const Plan &plan, SawtoothRange accesses) {
  uint64_t bytes = 0;
  for (const SawtoothAccess &access : Plan::rows(accesses, plan.accesses()))
    bytes += access.bytes;
  return bytes;
}

std::vector<std::string> notesOf(const Plan &plan, SawtoothRange notes, std::string_view kind) {
  std::vector<std::string> texts;
  for (const SawtoothNote &note : Plan::rows(notes, plan.notes()))
    if (plan.text(note.kind) == kind)
      texts.push_back(plan.string(note.text));
  return texts;
}

Footprint footprintOf(const Plan &plan, const SawtoothStepRow &step) {
  Footprint footprint;
  std::vector<uint64_t> moved(plan.models().size()), resident(plan.models().size());
  bool afterPass = false, anything = false;
  for (const SawtoothActionRow &action : Plan::rows(step.actions, plan.actions())) {
    anything = true;
    if (action.kind == SAWTOOTH_PASS) {
      ++footprint.sweeps;
      footprint.launches += !afterPass;
      moved[action.model] += accessBytes(plan, action.reads) + accessBytes(plan, action.writes);
    }
    footprint.launches += action.kind == SAWTOOTH_PARALLEL;
    afterPass = action.kind == SAWTOOTH_PASS;
  }
  // A step of scalar programs alone still runs.
  if (anything && footprint.launches == 0)
    footprint.launches = 1;
  if (step.launches.count)
    footprint.launches = static_cast<unsigned>(step.launches.count);
  uint32_t number = static_cast<uint32_t>(&step - plan.steps().data());
  for (const SawtoothListRow &list : plan.lists())
    if (list.step == SAWTOOTH_NONE || list.step == number)
      resident[list.model] += typeBytes(SawtoothType(list.type));
  if (!moved.empty()) {
    footprint.moved = *std::max_element(moved.begin(), moved.end());
    footprint.resident = *std::max_element(resident.begin(), resident.end());
  }
  return footprint;
}

} // namespace sawtooth::tool
