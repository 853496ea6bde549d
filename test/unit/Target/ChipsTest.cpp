// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a machine runs, told by machines that are not here.
#include "Target/CPU/Chips.h"

#include "mlir/IR/MLIRContext.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace sawtooth;

namespace {

const HostProcessor old{"penryn", "+sse4.1", 0, {}};
const HostProcessor haswell{"haswell", "+avx2", 3, {"avx2", "f16c"}};
const HostProcessor skylake{"skylake-avx512", "+avx512f", 4, {"avx2", "avx512f", "f16c"}};

class Processors : public ::testing::Test {
protected:
  Processors() : handler(&context, [this](Diagnostic &diagnostic) { said += diagnostic.str(); }) {}

  bool runs(StringRef chip, const HostProcessor &host) {
    said.clear();
    return succeeded(checkRuns(chip, host, UnknownLoc::get(&context)));
  }
  FailureOr<Chip> resolve(StringRef name, const HostProcessor &host) {
    said.clear();
    return resolveChip(name, host, UnknownLoc::get(&context));
  }

  MLIRContext context;
  std::string said;
  ScopedDiagnosticHandler handler;
};

TEST_F(Processors, RunWhereTheirLevelIsReached) {
  for (StringRef chip : {"native", "x86-64-v3", "x86-64-v4"})
    EXPECT_TRUE(runs(chip, skylake)) << chip.str() << said;
  EXPECT_TRUE(runs("native", haswell)) << said;
  EXPECT_TRUE(runs("x86-64-v3", haswell)) << said;
}

TEST_F(Processors, AreRefusedOnAnOlderMachine) {
  EXPECT_FALSE(runs("x86-64-v4", haswell));
  EXPECT_EQ(said, "expected a processor that runs code for x86-64-v4, got haswell, which does not");
  EXPECT_FALSE(runs("x86-64-v3", old));
  EXPECT_EQ(said, "expected a processor that runs code for x86-64-v3, got penryn, which does not");
}

TEST_F(Processors, AreCompiledForOnAnyMachine) {
  for (const HostProcessor *host : {&old, &haswell, &skylake}) {
    FailureOr<Chip> chip = resolve("x86-64-v4", *host);
    ASSERT_TRUE(succeeded(chip)) << said;
    EXPECT_EQ(chip->width, 16u);
    EXPECT_EQ(chip->cpu, "x86-64-v4");
    EXPECT_TRUE(llvm::is_contained(chip->required, "avx512vl"));
    EXPECT_EQ(resolve("x86-64-v3", *host)->width, 8u);
  }
}

TEST_F(Processors, NativeIsTheMachineItself) {
  FailureOr<Chip> chip = resolve("native", haswell);
  ASSERT_TRUE(succeeded(chip)) << said;
  EXPECT_EQ(chip->width, 8u);
  EXPECT_EQ(chip->cpu, "haswell");
  EXPECT_EQ(chip->required, haswell.required);
  EXPECT_TRUE(failed(resolve("native", old)));
  EXPECT_EQ(said, "expected a processor of at least x86-64-v3 (AVX2, FMA, F16C), got penryn");
}

} // namespace
