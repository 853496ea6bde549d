// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SgdFixture.h"

#include "sawtooth/runtime/ScalerFile.h"

using namespace sawtooth::test;

namespace {

class ScalerFile : public ::testing::Test {
protected:
  Folder folder;
  Sgd sgd;
  std::string path = folder.file("scaler.json");

  void SetUp() override { ASSERT_STATUS_OK(sgd.bind({{"a", {1}, {_Float16(1)}}})); }
  Status load(const std::string &json) {
    return loadScaler(*sgd.store, 0, folder.write("scaler.json", json));
  }
};

TEST_F(ScalerFile, WritesTheKeysThatFieldsDeclare) {
  sgd.slot("s.tracker") = 3;
  ASSERT_STATUS_OK(saveScaler(*sgd.store, 0, path));
  EXPECT_EQ(contentOf(path), "{\n  \"_growth_tracker\": 3,\n  \"growth_interval\": 2000,\n"
                             "  \"scale\": 65536.0\n}\n");
}

TEST_F(ScalerFile, TakesADictionaryAsPyTorchWritesIt) {
  ASSERT_STATUS_OK(load(R"({"scale": 1024.0, "growth_interval": 7, "_growth_tracker": 5})"));
  EXPECT_EQ(sgd.scale(), 1024.0f);
  EXPECT_EQ(sgd.slot("s.growth_interval"), 7u);
  EXPECT_EQ(sgd.slot("s.tracker"), 5u);
  EXPECT_TRUE(sgd.store->warnings.empty());
}

TEST_F(ScalerFile, MissingKeysAreWarnings) {
  ASSERT_STATUS_OK(load(R"({"scale": 1024})"));
  EXPECT_EQ(sgd.scale(), 1024.0f);
  EXPECT_EQ(sgd.store->warnings.size(), 2u);
  EXPECT_EQ(sgd.store->warnings[0], path + " lacks '_growth_tracker'; 's.tracker' is kept");
}

TEST_F(ScalerFile, RefusesWhatItCannotTakeAndTakesNothing) {
  auto message = [&](const char *json) {
    Status status = load(json);
    EXPECT_FALSE(status.ok()) << json;
    EXPECT_EQ(sgd.scale(), 65536.0f);
    return status.message();
  };
  EXPECT_NE(
      message(R"({"scale": 1, "hysteresis": 2})")
          .find(
              "unknown key 'hysteresis'; there are '_growth_tracker', 'growth_interval', 'scale'"),
      std::string::npos);
  EXPECT_NE(message(R"({"scale": 1, "_growth_tracker": 2.5})")
                .find("'_growth_tracker': expected a whole number of type i64, got 2.5"),
            std::string::npos);
  EXPECT_NE(message(R"({"scale": "big"})").find("expected a number of type f32, got \"big\""),
            std::string::npos);
  EXPECT_NE(message(R"({"scale": 1e39})").find("in the range of type f32"), std::string::npos);
  EXPECT_NE(message("{}").find("a disabled GradScaler's"), std::string::npos);
  EXPECT_NE(message("[]").find("expected an object"), std::string::npos);
  EXPECT_NE(message("{").find("no valid JSON at byte 2"), std::string::npos);
}

TEST_F(ScalerFile, ScalersGoByName) {
  const Plan &plan = sgd.store->plan();
  EXPECT_EQ(*scalerNamed(plan, ""), 0u);
  EXPECT_EQ(*scalerNamed(plan, "s"), 0u);
  EXPECT_EQ(scalerNamed(plan, "t").status().message(), "unknown scaler 't'; there is 's'");
}

} // namespace
