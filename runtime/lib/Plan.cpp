// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/Plan.h"

#include "Cat.h"
#include "PlanCheck.h"

#include <cstring>

namespace sawtooth::runtime {

Result<Plan> Plan::read(const void *data, uint64_t bytes) {
  if (Status status = checkPlanFrame(data, bytes); !status.ok())
    return status;
  auto words = std::make_shared<std::vector<uint64_t>>((bytes + 7) / 8);
  std::memcpy(words->data(), data, bytes);
  Plan plan;
  plan.words = std::move(words);
  if (Status status = checkPlanRows(plan); !status.ok())
    return status;
  return plan;
}

template <typename Rows>
static std::optional<uint32_t> findByName(const Plan &plan, const Rows &rows,
                                          std::string_view name) {
  for (uint32_t i = 0; i < rows.size(); ++i)
    if (plan.text(rows[i].name) == name)
      return i;
  return std::nullopt;
}

template <typename Rows>
static std::vector<std::string> namesOf(const Plan &plan, const Rows &rows) {
  std::vector<std::string> names;
  for (const auto &row : rows)
    names.push_back(plan.string(row.name));
  return names;
}

std::optional<uint32_t> Plan::findStep(std::string_view name) const {
  return findByName(*this, steps(), name);
}
std::optional<uint32_t> Plan::findProgram(std::string_view name) const {
  return findByName(*this, programs(), name);
}
std::optional<uint32_t> Plan::findField(std::string_view name) const {
  return findByName(*this, fields(), name);
}

std::vector<std::string> Plan::stepNames() const { return namesOf(*this, steps()); }
std::vector<std::string> Plan::programNames() const { return namesOf(*this, programs()); }
std::vector<std::string> Plan::fieldNames() const { return namesOf(*this, fields()); }

std::string Plan::listTitle(uint32_t list) const {
  const SawtoothListRow &row = lists()[list];
  std::string title = cat("'", text(row.name), "'");
  return row.step == SAWTOOTH_NONE ? title
                                   : cat(title, " of step '", text(steps()[row.step].name), "'");
}

} // namespace sawtooth::runtime
