// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program as one would write that ships a step and has no compiler: it links the runtime, loads
// an artifact of examples/adamw/fp32.mlir, binds its own memory by name, and runs.
//
//   run-artifact STEP.so STEPS    prints w, an element a line, as the bits of f32 in hexadecimal
#include "sawtooth/runtime/ArtifactFile.h"
#include "sawtooth/runtime/Executor.h"

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace sawtooth::runtime;

static int fail(const Status &status) {
  std::fprintf(stderr, "%s\n", status.message().c_str());
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  Result<ArtifactFile> file = ArtifactFile::open(argv[1]);
  if (!file.ok())
    return fail(file.status());
  Result<LoadedArtifact> loaded = file->load();
  if (!loaded.ok())
    return fail(loaded.status());
  const Artifact &artifact = loaded->artifact;
  Result<std::unique_ptr<Store>> store = Store::create(artifact.plan, /*seed=*/0);
  if (!store.ok())
    return fail(store.status());

  std::vector<float> w(1000), g(1000);
  for (size_t i = 0; i < w.size(); ++i) {
    w[i] = float(i) - 500;
    g[i] = float(i % 7) - 3;
  }
  for (auto [name, data] : {std::pair("w", &w), std::pair("g", &g)}) {
    Result<std::vector<uint32_t>> lists = (*store)->listsNamed(name);
    if (!lists.ok())
      return fail(lists.status());
    TensorRef tensor{"t", {1000}, SAWTOOTH_F32, data->data()};
    if (Status status = (*store)->bind(lists->at(0), {&tensor, 1}); !status.ok())
      return fail(status);
  }
  if (Status status = (*store)->finish(); !status.ok())
    return fail(status);
  std::optional<uint32_t> step = artifact.plan.findStep("train");
  Result<std::unique_ptr<Executor>> executor =
      step ? Executor::create(artifact, *step, **store)
           : Status::error(StatusCode::NotFound, "no step 'train'");
  if (!executor.ok())
    return fail(executor.status());
  if (Status status = (*executor)->ready(); !status.ok())
    return fail(status);
  for (int i = 0; i < std::atoi(argv[2]); ++i)
    (*executor)->run();
  for (float value : w)
    std::printf("%08x\n", std::bit_cast<uint32_t>(value));
  return 0;
}
