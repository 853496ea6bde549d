// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A status row in 8-byte slots, as a ring holds it: the same for every target, made of what a step
// leaves in its frame and in the state block.
#ifndef SAWTOOTH_RUNTIME_LIB_ROWCODEC_H
#define SAWTOOTH_RUNTIME_LIB_ROWCODEC_H

#include "sawtooth/runtime/Report.h"

namespace sawtooth::runtime {

class RowCodec {
public:
  explicit RowCodec(const Plan &plan);

  /// Slots of a row of any step of the plan.
  uint64_t slots() const { return head + scalerSlots + logSlots; }
  /// Writes `row`, which has slots() of them, from the frame and the state block after a run.
  /// Allocates nothing.
  void encode(uint64_t sequence, const Plan &plan, uint32_t step, const uint64_t *frame,
              const uint64_t *state, std::span<uint64_t> row) const;
  void decode(const Plan &plan, std::span<const uint64_t> from, StatusRow &row) const;

private:
  // Sequence, step, applied, causes, five counters; for each scaler a word of what is known, its
  // scale (f64 bits), skips, consecutive skips, stuck; the logs.
  static constexpr uint64_t head = 9, slotsPerScaler = 5;
  uint64_t scalerSlots, logSlots;
};

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_LIB_ROWCODEC_H
