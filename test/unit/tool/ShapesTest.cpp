// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/Shapes.h"

#include <gtest/gtest.h>

#include <set>

using namespace sawtooth;
using namespace sawtooth::bench;

namespace {

struct Size {
  const char *name;
  size_t tensors;
  int64_t parameters;
};

} // namespace

// The numbers that the papers and reference implementations give.
TEST(Shapes, HaveTheParametersOfTheNetworks) {
  for (Size size : {Size{"gpt2", 148, 124439808}, Size{"gpt2-xl", 580, 1557611200},
                    Size{"resnet50", 161, 25557032}, Size{"llama-7b", 291, 6738415616},
                    Size{"10000x1000", 10000, 10000000}, Size{"3x0", 3, 0}}) {
    auto tensors = tensorsOf(size.name);
    ASSERT_TRUE(tensors.ok()) << tensors.status().message();
    int64_t parameters = 0;
    std::set<std::string> names;
    for (const runtime::TensorSpec &tensor : *tensors) {
      parameters += *runtime::countElements(tensor.dims);
      names.insert(tensor.name);
    }
    EXPECT_EQ(tensors->size(), size.tensors) << size.name;
    EXPECT_EQ(names.size(), size.tensors) << size.name;
    EXPECT_EQ(parameters, size.parameters) << size.name;
  }
}

TEST(Shapes, SayWhatThereIs) {
  for (const char *wrong : {"gpt3", "10x", "x10", "10x10x", "-1x5", "1e9x1", ""}) {
    auto tensors = tensorsOf(wrong);
    ASSERT_FALSE(tensors.ok()) << wrong;
    EXPECT_NE(tensors.status().message().find("expected gpt2, gpt2-xl"), std::string::npos);
  }
  EXPECT_EQ(tensorsOf("/nowhere.json").status().code(), runtime::StatusCode::Io);
}
