// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SAWTOOTH_RUNTIME_PLAN_H
#define SAWTOOTH_RUNTIME_PLAN_H

#include "sawtooth/runtime/Abi.h"
#include "sawtooth/runtime/Status.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sawtooth::runtime {

/// The tables of a compiled module, checked: every string ends inside the plan, every row that is
/// referred to exists, every offset lies in its block, every enumerator is known. Whoever holds a
/// Plan may follow any reference without a test. Cheap to copy; the bytes are shared and immutable.
class Plan {
public:
  /// Copies and checks `bytes` bytes. `Corrupt` or `Unsupported` with what was expected.
  static Result<Plan> read(const void *data, uint64_t bytes);

  const SawtoothPlan &header() const {
    return *reinterpret_cast<const SawtoothPlan *>(words->data());
  }

#define SAWTOOTH_PLAN_ACCESSOR(name, row)                                                          \
  std::span<const row> name() const { return table<row>(header().name); }
  SAWTOOTH_PLAN_TABLES(SAWTOOTH_PLAN_ACCESSOR)
#undef SAWTOOTH_PLAN_ACCESSOR

  std::string_view text(SawtoothString string) const { return base() + string; }
  std::string string(SawtoothString string) const { return base() + string; }

  /// Rows `range` of a table: plan.rows(step.args, plan.args()).
  template <typename T>
  static std::span<const T> rows(SawtoothRange range, std::span<const T> table) {
    return table.subspan(range.first, range.count);
  }

  /// The number of a step, list argument or state, field, …; nullopt when there is none.
  std::optional<uint32_t> findStep(std::string_view name) const;
  std::optional<uint32_t> findProgram(std::string_view name) const;
  std::optional<uint32_t> findField(std::string_view name) const;

  std::vector<std::string> stepNames() const;
  std::vector<std::string> programNames() const;
  std::vector<std::string> fieldNames() const;

  /// "g of step train" for an argument, else the list's name.
  std::string listTitle(uint32_t list) const;

private:
  const char *base() const { return reinterpret_cast<const char *>(words->data()); }
  template <typename T>
  std::span<const T> table(SawtoothTable where) const {
    return {reinterpret_cast<const T *>(base() + where.offset), where.count};
  }

  std::shared_ptr<const std::vector<uint64_t>> words;
};

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_PLAN_H
