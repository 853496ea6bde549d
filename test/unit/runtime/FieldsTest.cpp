// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SgdFixture.h"

#include "sawtooth/runtime/Convert.h"
#include "sawtooth/runtime/Json.h"

#include <cmath>

using namespace sawtooth::test;

namespace {

uint64_t parsed(SawtoothType type, const char *text) {
  Result<uint64_t> slot = parseSlot(type, text);
  EXPECT_TRUE(slot.ok()) << slot.status().message();
  return slot.ok() ? *slot : 0;
}
std::string refused(SawtoothType type, const char *text) {
  Result<uint64_t> slot = parseSlot(type, text);
  EXPECT_FALSE(slot.ok()) << text;
  return slot.status().message();
}

TEST(Fields, ParsesNumbersOfEveryType) {
  EXPECT_EQ(parsed(SAWTOOTH_F64, "1e-3"), std::bit_cast<uint64_t>(1e-3));
  EXPECT_EQ(parsed(SAWTOOTH_F64, "-0x1.8p3"), std::bit_cast<uint64_t>(-12.0));
  EXPECT_EQ(parsed(SAWTOOTH_F64, "+inf"), std::bit_cast<uint64_t>(double(INFINITY)));
  EXPECT_EQ(parsed(SAWTOOTH_F32, "0.1"), 0x3dcccccdu);
  // Half-way between two f32 in decimal digits that an f64 cannot tell from the half: by way of
  // f64 it would go to the even neighbour 0x3f800000.
  EXPECT_EQ(parsed(SAWTOOTH_F32, "1.00000005960464477540"), 0x3f800001u);
  EXPECT_EQ(parsed(SAWTOOTH_F32, "nan"), 0x7fc00000u);
  EXPECT_EQ(parsed(SAWTOOTH_I64, "-5"), uint64_t(-5));
  EXPECT_EQ(parsed(SAWTOOTH_I32, "-1"), 0xffffffffu);
  EXPECT_EQ(parsed(SAWTOOTH_I1, "true"), 1u);
  EXPECT_EQ(parsed(SAWTOOTH_I1, "0"), 0u);
}

TEST(Fields, RefusesWhatIsNoValueOfTheType) {
  EXPECT_EQ(refused(SAWTOOTH_F64, "1e-3x"), "expected a number of type f64, got '1e-3x'");
  EXPECT_EQ(refused(SAWTOOTH_F64, ""), "expected a number of type f64, got ''");
  for (const char *text : {"0xnan", "0xinf", "-0xinf", "0x", "0x-1", "+-1", "--1", "0x1p", "nan1"})
    for (SawtoothType type : {SAWTOOTH_F32, SAWTOOTH_F64})
      EXPECT_NE(refused(type, text).find("expected a number"), std::string::npos) << text;
  EXPECT_EQ(refused(SAWTOOTH_I64, "+-1"), "expected a whole number of type i64, got '+-1'");
  EXPECT_EQ(refused(SAWTOOTH_F32, "1e39"),
            "expected a number in the range of type f32, got '1e39'");
  EXPECT_EQ(refused(SAWTOOTH_I64, "1.5"), "expected a whole number of type i64, got '1.5'");
  EXPECT_EQ(refused(SAWTOOTH_I64, "9223372036854775808"),
            "expected a whole number of type i64, got '9223372036854775808'");
  EXPECT_EQ(refused(SAWTOOTH_I32, "2147483648"), "expected a value of type i32, got '2147483648'");
  EXPECT_EQ(refused(SAWTOOTH_I1, "2"), "expected a value of type i1, got '2'");
}

TEST(Fields, PerTensorValuesFollowPatternsInTheOrderWritten) {
  Sgd sgd;
  ASSERT_STATUS_OK(sgd.bind({{"a.half", {1}, {_Float16(0)}}, {"b", {1}, {_Float16(0)}}}));
  uint32_t decay = *sgd.store->fieldNamed("decay");
  auto values = [&] {
    std::vector<double> out;
    for (uint64_t slot : sgd.store->slots(decay))
      out.push_back(std::bit_cast<double>(slot));
    return out;
  };
  EXPECT_EQ(values(), (std::vector<double>{0.5, 1})); // the plan's own patterns
  ASSERT_STATUS_OK(sgd.store->setField(decay, "0.25"));
  EXPECT_EQ(values(), (std::vector<double>{0.25, 0.25}));

  Folder folder;
  auto set = [&](const char *json) -> Status {
    auto patterns = readPatternFile(folder.write("p.json", json), SAWTOOTH_F64);
    return patterns.ok() ? sgd.store->setField(decay, *patterns) : patterns.status();
  };
  ASSERT_STATUS_OK(set(R"([["*", 2], ["b", 3]])")); // the first match, not the best
  EXPECT_EQ(values(), (std::vector<double>{2, 2}));
  ASSERT_STATUS_OK(set(R"([["b", 3], ["*", 4.5]])"));
  EXPECT_EQ(values(), (std::vector<double>{4.5, 3}));
  EXPECT_EQ(set(R"([["b", 9]])").message(), "'decay': no pattern covers tensor 'a.half'");
  EXPECT_EQ(values(), (std::vector<double>{4.5, 3})); // nothing half-set
  EXPECT_FALSE(set(R"({"b": 3})").ok());
  EXPECT_FALSE(set(R"([["b", 3], ["*"]])").ok());
  EXPECT_FALSE(set(R"([["b", "3"]])").ok());
  EXPECT_NE(set("[[").message().find("no valid JSON at byte 3"), std::string::npos);
  EXPECT_NE(set(std::string(100000, '[').c_str()).message().find("nested too deeply"),
            std::string::npos);
}

TEST(Fields, UnknownNamesListWhatThereIs) {
  Sgd sgd;
  std::string message = sgd.store->fieldNamed("s.scal").status().message();
  EXPECT_NE(message.find("unknown field 's.scal'; there are 's.scale', 's.tracker'"),
            std::string::npos);
  EXPECT_NE(message.find("did you mean 's.scale'?"), std::string::npos);
}

} // namespace
