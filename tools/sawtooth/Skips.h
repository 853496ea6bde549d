// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SAWTOOTH_TOOLS_SAWTOOTH_SKIPS_H
#define SAWTOOTH_TOOLS_SAWTOOTH_SKIPS_H

#include "sawtooth/runtime/Report.h"

#include <map>
#include <string>

namespace sawtooth::tool {

/// Decides which skipped steps to speak of: of each kind (step and causes) the first, the tenth,
/// the hundredth and so on, so that a run that skips for ever says a dozen lines and no more.
class SkipReporter {
public:
  /// Takes every row; a text when there is something to say.
  std::string look(const runtime::Plan &plan, const runtime::StatusRow &row);

private:
  std::map<std::pair<uint32_t, uint64_t>, uint64_t> counts;
  std::vector<double> scales; // before the row, by scaler
};

/// What to say of a scaler that gave up; "" when none did.
std::string stuckText(const runtime::Plan &plan, const runtime::StatusRow &row);

} // namespace sawtooth::tool

#endif // SAWTOOTH_TOOLS_SAWTOOTH_SKIPS_H
