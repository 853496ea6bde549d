// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/cuda/DeviceRing.h"

#include "Cat.h"
#include "RowCodec.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace sawtooth::runtime::cuda {

static constexpr uint64_t headSlots = sizeof(SawtoothRingRow) / 8;

static uint64_t widestFrame(const Plan &plan) {
  uint64_t widest = 0;
  for (const SawtoothStepRow &step : plan.steps())
    widest = std::max(widest, step.frameBytes / 8);
  return widest;
}

DeviceRing::DeviceRing(const Plan &plan)
    : plan(plan), codec(std::make_unique<RowCodec>(plan)),
      rowSlots(headSlots + widestFrame(plan) + plan.header().stateBytes / 8), copy(rowSlots),
      slots(codec->slots()) {}
DeviceRing::~DeviceRing() = default;

Result<std::unique_ptr<DeviceRing>>
DeviceRing::create(const DevicePointer &device, const Plan &plan, uint64_t rows, CUstream stream) {
  std::unique_ptr<DeviceRing> ring(new DeviceRing(plan));
  ring->rows = std::bit_ceil(std::max<uint64_t>(rows, 1));
  Result<PinnedMemory> memory =
      PinnedMemory::allocate(device, ring->rows * ring->rowSlots * 8, "the status ring");
  if (!memory.ok())
    return memory.status();
  ring->memory = std::move(*memory);
  Result<DeviceMemory> header =
      DeviceMemory::allocate(device, sizeof(SawtoothDeviceRing), "the status ring");
  if (!header.ok())
    return header.status();
  ring->header = std::move(*header);
  SawtoothDeviceRing contents{0, ring->rows, ring->rowSlots * 8,
                              reinterpret_cast<void *>(ring->memory.address())};
  const Driver &api = device->driver();
  ContextScope scope(api, device->context());
  SAWTOOTH_TRY(scope.status());
  SAWTOOTH_TRY(
      api.check(api.cuMemcpyHtoDAsync(ring->address(), &contents, sizeof(contents), stream),
                "cuMemcpyHtoDAsync"));
  SAWTOOTH_TRY(api.check(api.cuStreamSynchronize(stream), "cuStreamSynchronize"));
  return ring;
}

Status DeviceRing::accepts(const Plan &other, uint32_t step) const {
  const SawtoothStepRow &mine = plan.steps()[step], &theirs = other.steps()[step];
  auto sameLogs = [](const SawtoothLogRow &a, const SawtoothLogRow &b) {
    return a.offset == b.offset && a.type == b.type;
  };
  if (mine.frameBytes == theirs.frameBytes && mine.applied == theirs.applied &&
      mine.cause == theirs.cause &&
      std::ranges::equal(Plan::rows(mine.logs, plan.logs()), Plan::rows(theirs.logs, other.logs()),
                         sameLogs))
    return {};
  return Status::error(
      StatusCode::Mismatch,
      cat("step '", plan.text(mine.name),
          "' was compiled anew with another frame: prepare it on a store of its own"));
}

// Copies row `number` unless it is not there yet or not any more. The device writes sequence 0, the
// row, its sequence; so a copy is whole when the sequence is the same before and after it.
DeviceRing::Read DeviceRing::read(uint64_t number, uint64_t &sequence) {
  auto *from = static_cast<uint64_t *>(memory.data()) + (number & (rows - 1)) * rowSlots;
  std::atomic_ref<uint64_t> mark(*from);
  sequence = mark.load(std::memory_order_acquire);
  if (sequence < number + 1) // 0 too: it is being written, or the one that overwrites it is
    return Read::NotYet;
  if (sequence > number + 1)
    return Read::Overwritten;
  for (uint64_t i = 0; i < rowSlots; ++i)
    copy[i] = std::atomic_ref<uint64_t>(from[i]).load(std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_acquire);
  uint64_t after = mark.load(std::memory_order_relaxed);
  if (after == sequence)
    return Read::Done;
  sequence = after;
  return after > number + 1 ? Read::Overwritten : Read::NotYet;
}

bool DeviceRing::next(StatusRow &row) {
  while (true) {
    uint64_t sequence;
    switch (read(taken, sequence)) {
    case Read::NotYet:
      return false;
    case Read::Overwritten: {
      // Row sequence - 1 took the place; what is a whole ring older is gone.
      uint64_t oldest = sequence - rows;
      lost.fetch_add(oldest - taken, std::memory_order_relaxed);
      taken = oldest;
      continue;
    }
    case Read::Done:
      break;
    }
    uint32_t step = static_cast<uint32_t>(copy[1]);
    if (step >= plan.steps().size())
      return false; // no kernel of this plan wrote it
    const uint64_t *frame = copy.data() + headSlots;
    codec->encode(taken, plan, step, frame, frame + plan.steps()[step].frameBytes / 8, slots);
    codec->decode(plan, slots, row);
    ++taken;
    return true;
  }
}

} // namespace sawtooth::runtime::cuda
