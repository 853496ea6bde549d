// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sawtooth/Target/CPU/SharedObject.h"

#include "TinyArtifact.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace sawtooth;
using namespace sawtooth::runtime::test;

namespace {

class SharedObject : public ::testing::Test {
protected:
  SharedObject()
      : handler(&context, [this](Diagnostic &diagnostic) { said += diagnostic.str() + "\n"; }) {}

  Location location() { return UnknownLoc::get(&context); }

  MLIRContext context;
  std::string said;
  ScopedDiagnosticHandler handler;
};

std::string textOf(const Bytes &bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

std::string tinyObject() { return textOf(readBytes(SAWTOOTH_TEST_TINY_OBJECT)); }

// The bytes of the plan, found in a shared object that was linked without us.
std::string tinyPlan() {
  Bytes image = tinyImage();
  const runtime::ArtifactVariant variant = tinyInfo(image).variants[0];
  return textOf(image).substr(variant.planOffset, variant.planBytes);
}

std::vector<ChipObject> tinyChips() {
  return {{{"x86-64-v3"}, {"avx2"}, "sawtooth_query", tinyObject(), tinyPlan(), {}}};
}

} // namespace

TEST_F(SharedObject, IsAnArtifactThatLoads) {
  auto artifact = createArtifact(tinyChips(), {{"llvm", "22"}}, "", location());
  ASSERT_TRUE(succeeded(artifact)) << said;
  auto file = runtime::ArtifactFile::read(std::as_bytes(std::span(*artifact)), "it");
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(file->info().note("llvm"), "22");
  EXPECT_EQ(file->info().target.substr(0, 7), "x86_64-");
  ASSERT_TRUE(file->plan().ok()) << file->plan().status().message();
  EXPECT_EQ(file->plan()->fields().size(), 1u);
  auto loaded = file->load("x86-64-v3");
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  EXPECT_EQ(runTiny(*loaded), 3);
}

TEST_F(SharedObject, IsTheSameEveryTime) {
  auto one = createArtifact(tinyChips(), {}, "", location());
  auto two = createArtifact(tinyChips(), {}, "", location());
  ASSERT_TRUE(succeeded(one) && succeeded(two)) << said;
  EXPECT_EQ(*one, *two);
}

TEST_F(SharedObject, WithoutALinkerSaysWhatNeedsNone) {
  EXPECT_TRUE(failed(createArtifact(tinyChips(), {}, "/nonexistent/ld.lld", location())));
  EXPECT_EQ(said, "no linker: expected ld.lld at '/nonexistent/ld.lld'; install lld, or compile "
                  "with --emit=obj, which needs none\n");
}

TEST_F(SharedObject, SaysWhatTheLinkerSays) {
  EXPECT_TRUE(failed(linkSharedObject({"not an object"}, "", location())));
  EXPECT_NE(said.find("failed: ld.lld: error: "), std::string::npos) << said;
  said.clear();
  // Exits with 0 and writes nothing.
  EXPECT_TRUE(failed(linkSharedObject({tinyObject()}, "/bin/true", location())));
  EXPECT_NE(said.find("got 0 bytes of something else"), std::string::npos) << said;
}

TEST_F(SharedObject, RefusesTwoChipsUnderOneSymbol) {
  std::vector<ChipObject> chips = tinyChips();
  chips.push_back(chips[0]);
  EXPECT_TRUE(failed(createArtifact(chips, {}, "", location())));
  EXPECT_NE(said.find("duplicate symbol: sawtooth_query"), std::string::npos) << said;
}

TEST_F(SharedObject, NeedsThePlan) {
  std::vector<ChipObject> chips = tinyChips();
  chips[0].plan += "x";
  EXPECT_TRUE(failed(createArtifact(chips, {}, "", location())));
  EXPECT_EQ(said, "internal error: the plan for x86-64-v3 is not in the shared object\n");
}
