// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs MLIR functions: expand-math and expand-float-casts, upstream's lowering, then the code
// generator that steps go through, and ORC.
#ifndef SAWTOOTH_TEST_UNIT_TRANSFORMS_JIT_H
#define SAWTOOTH_TEST_UNIT_TRANSFORMS_JIT_H

#include <cstdint>
#include <memory>
#include <string>

namespace sawtooth::test {

/// A compiled module. Functions take and return what the C ABI says, `!llvm.ptr` being a pointer.
class Jit {
public:
  /// Compiles for a chip of target cpu. Null after a message to stderr.
  static std::unique_ptr<Jit> compile(const std::string &module, const std::string &chip);
  ~Jit();

  template <typename Function>
  Function *function(const char *name) const {
    return reinterpret_cast<Function *>(address(name));
  }

private:
  struct Impl;
  explicit Jit(std::unique_ptr<Impl> impl);
  uint64_t address(const char *name) const;

  std::unique_ptr<Impl> impl;
};

/// `func.func @NAME(%in: !llvm.ptr, %out: !llvm.ptr, %n: i64)` that does `body` to %x of type
/// `from`, giving %y of type `to`, for n elements; n must be a multiple of `width`, which is 1 for
/// scalars. In `body`, FROM and TO stand for the types of %x and %y, vectors if width is not 1.
std::string elementwise(const std::string &name, const std::string &body, const std::string &from,
                        const std::string &to, int width);

} // namespace sawtooth::test

#endif // SAWTOOTH_TEST_UNIT_TRANSFORMS_JIT_H
