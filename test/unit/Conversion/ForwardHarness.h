// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs an outlined forward function through code generation, in this process.
#ifndef SAWTOOTH_TEST_UNIT_CONVERSION_FORWARDHARNESS_H
#define SAWTOOTH_TEST_UNIT_CONVERSION_FORWARDHARNESS_H

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace sawtooth::test {

using Bytes = std::vector<char>;

template <typename T>
Bytes bytesOf(const std::vector<T> &values) {
  Bytes bytes(values.size() * sizeof(T));
  if (!bytes.empty())
    std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <typename T>
std::vector<T> valuesOf(const Bytes &bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!bytes.empty())
    std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// An input or output: its type as MLIR writes it inside of tensor<…>, like "5x7xf16".
struct Port {
  std::string type;
};

/// `body` is that of a function with arguments %0, %1, … of the inputs' types; it returns tensors
/// of the outputs' types (f16, bf16 or f32).
struct ForwardFunction {
  std::string aliases; ///< affine maps and the like, in front of the function
  std::string body;
  std::vector<Port> inputs, outputs;
};

/// The bytes of each output: the same for both widths of vectors, for units of work run all at
/// once, one by one and backwards, for buffers at any element's alignment; a difference between
/// those fails the test. Temporaries hold NaNs before. Empty when it does not compile.
std::vector<Bytes> runForward(const ForwardFunction &function, const std::vector<Bytes> &inputs);

} // namespace sawtooth::test

#endif // SAWTOOTH_TEST_UNIT_CONVERSION_FORWARDHARNESS_H
