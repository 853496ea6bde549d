// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/Names.h"

#include <gtest/gtest.h>

using namespace sawtooth::runtime;

namespace {

TEST(Names, Globs) {
  EXPECT_TRUE(matchesGlob("*", ""));
  EXPECT_TRUE(matchesGlob("*.bias", "block.0.bias"));
  EXPECT_FALSE(matchesGlob("*.bias", "block.0.bias2"));
  EXPECT_FALSE(matchesGlob("bias", "block.bias"));
  EXPECT_TRUE(matchesGlob("block.?.bias", "block.7.bias"));
  EXPECT_FALSE(matchesGlob("block.?.bias", "block.17.bias"));
  EXPECT_TRUE(matchesGlob("a?c", "a\xc3\xa4"
                                 "c")); // one character of two bytes
  EXPECT_TRUE(matchesGlob("*a*b*c*", "xxaxxbxxcxx"));
  EXPECT_FALSE(matchesGlob("*a*b*c*", "xxaxxcxxbxx"));
  EXPECT_FALSE(matchesGlob("", "a"));
  EXPECT_TRUE(matchesGlob("", ""));
  // Would take for ever if stars were tried in every combination.
  EXPECT_FALSE(matchesGlob("*a*a*a*a*a*a*a*a*a*a*a*a*b", std::string(2000, 'a')));
}

// Values of the reference page of FNV-1a.
TEST(Names, HashIsFnv1a) {
  EXPECT_EQ(hashName(""), 0xcbf29ce484222325u);
  EXPECT_EQ(hashName("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(hashName("foobar"), 0x85944171f73967e8u);
}

TEST(Names, UnknownNameSaysWhatThereIs) {
  std::vector<std::string> known = {"growth_interval", "scale"};
  EXPECT_EQ(unknownName("field", "scael", known),
            "unknown field 'scael'; there are 'growth_interval', 'scale'; did you mean 'scale'?");
  EXPECT_EQ(unknownName("field", "zzzzzzz", known),
            "unknown field 'zzzzzzz'; there are 'growth_interval', 'scale'");
  EXPECT_EQ(unknownName("step", "x", {}), "unknown step 'x'; there is none");
}

TEST(Names, PrintableHidesControlCharacters) {
  EXPECT_EQ(printable("a\x1b[31m"), "a\\x1b[31m");
  EXPECT_EQ(printable(std::string(200, 'x')), std::string(120, 'x') + "...");
}

TEST(Names, Shapes) {
  std::vector<int64_t> dims = {64, 128};
  EXPECT_EQ(shapeText(dims), "64x128");
  EXPECT_EQ(shapeText({}), "scalar");
}

} // namespace
