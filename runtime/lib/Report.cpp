// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/Report.h"

#include "RowCodec.h"

namespace sawtooth::runtime {

Reporter::Reporter(const Store &store, uint64_t rows)
    : store(store), codec(std::make_unique<RowCodec>(store.plan())), writing(codec->slots()),
      ring(rows, codec->slots()) {}
Reporter::~Reporter() = default;

void Reporter::record(const Executor &executor) {
  codec->encode(sequence++, executor.plan(), executor.number(), executor.frameSlots(),
                static_cast<const uint64_t *>(store.stateBlock()), writing);
  ring.push(writing);
}

bool Reporter::next(StatusRow &row) {
  if (!ring.pop(reading))
    return false;
  codec->decode(store.plan(), reading, row);
  return true;
}

} // namespace sawtooth::runtime
