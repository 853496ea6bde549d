// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/ArtifactInfo.h"
#include "sawtooth/runtime/Digest.h"
#include "sawtooth/runtime/HostCpu.h"

#include "gtest/gtest.h"

using namespace sawtooth::runtime;

TEST(ArtifactInfo, ParsesTheDocumentedText) {
  auto info = ArtifactInfo::parse("target x86_64-unknown-linux-gnu\n"
                                  "variant sawtooth_query x86-64-v3 64 900 avx2,fma\n"
                                  "variant sawtooth_query_1 x86-64-v4 964 36 -\n"
                                  "kernel sm_90a sawtooth_train_0 58 16 2080\n"
                                  "compiler 0.1.0 abc\n"
                                  "empty \n",
                                  1000);
  ASSERT_TRUE(info.ok()) << info.status().message();
  EXPECT_EQ(info->target, "x86_64-unknown-linux-gnu");
  ASSERT_EQ(info->variants.size(), 2u);
  EXPECT_EQ(info->variants[0].query, "sawtooth_query");
  EXPECT_EQ(info->variants[0].chip, "x86-64-v3");
  EXPECT_EQ(info->variants[0].planOffset, 64u);
  EXPECT_EQ(info->variants[0].planBytes, 900u);
  EXPECT_EQ(info->variants[0].features, (std::vector<std::string>{"avx2", "fma"}));
  EXPECT_TRUE(info->variants[1].features.empty());
  ASSERT_EQ(info->kernels.size(), 1u);
  EXPECT_EQ(info->kernels[0].chip, "sm_90a");
  EXPECT_EQ(info->kernels[0].name, "sawtooth_train_0");
  EXPECT_EQ(info->kernels[0].registers, 58u);
  EXPECT_EQ(info->kernels[0].spilled, 16u);
  EXPECT_EQ(info->kernels[0].shared, 2080u);
  EXPECT_EQ(info->note("compiler"), "0.1.0 abc");
  ASSERT_EQ(info->notes.size(), 2u);
  EXPECT_EQ(info->notes[1].second, "");
}

TEST(ArtifactInfo, PrintsWhatItParses) {
  std::string text =
      "target t\nvariant q c 1 2 a,b\nvariant r d 3 4 -\nkernel c k 1 0 2\nkey some words\n";
  auto info = ArtifactInfo::parse(text, 10);
  ASSERT_TRUE(info.ok()) << info.status().message();
  EXPECT_EQ(info->print(), text);
}

TEST(ArtifactInfo, RefusesMalformedText) {
  for (const char *text :
       {"", "target t\n", "variant q c 0 0 -\n", "target t\n\nvariant q c 0 0 -\n",
        "target t\nvariant q c 0 0\n", "target t\nvariant q c 0 0 \n",
        "target t\nvariant q c 0 0 - more\n", "target t\nvariant q c 0 -1 -\n",
        "target t\nvariant q c 0x1 0 -\n", "target t\nvariant  c 0 0 -\n",
        "target t\nvariant q c 101 0 -\n", "target t\nvariant q c 1 100 -\n",
        "target t\nvariant q c 18446744073709551615 18446744073709551615 -\n",
        "target t\nvariant q c 18446744073709551616 0 -\n",
        "target t\nvariant q c 0 0 -\nkernel c k 1 2\n",
        "target t\nvariant q c 0 0 -\nkernel c k 1 2 3 4\n",
        "target t\nvariant q c 0 0 -\nkernel c  1 2 3\n",
        "target t\nvariant q c 0 0 -\nkernel c k 1 -2 3\n"}) {
    auto info = ArtifactInfo::parse(text, 100);
    EXPECT_FALSE(info.ok()) << text;
    EXPECT_EQ(info.status().code(), StatusCode::Corrupt) << text;
  }
}

TEST(ArtifactInfo, LocatesAPlan) {
  std::string image = "0123456789", plan = "567", absent = "568";
  ArtifactVariant variant;
  EXPECT_FALSE(
      locatePlan(std::as_bytes(std::span(image)), std::as_bytes(std::span(absent)), variant));
  EXPECT_FALSE(locatePlan(std::as_bytes(std::span(image)), {}, variant));
  EXPECT_TRUE(locatePlan(std::as_bytes(std::span(image)), std::as_bytes(std::span(plan)), variant));
  EXPECT_EQ(variant.planOffset, 5u);
  EXPECT_EQ(variant.planBytes, 3u);
}

// What `xxh128sum` says, so that the format is what docs/artifact.md calls it.
TEST(Digest, IsXxh3) {
  EXPECT_EQ(digest(std::string_view()).hex(), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(digest(std::string_view("abc")).hex(), "06b05ab6733a618578af5f94892f3950");
}

TEST(HostCpu, KnowsItsFeatures) {
  EXPECT_FALSE(hostSupports("no-such-feature"));
  EXPECT_FALSE(hostSupports(""));
  for (const std::string &feature : hostFeatures()) {
    EXPECT_TRUE(hostSupports(feature));
    EXPECT_NE(hostIdentity().find(" " + feature), std::string::npos);
  }
}
