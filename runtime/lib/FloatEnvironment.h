// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated code and the generator of initial values rely on IEEE 754 arithmetic: round to nearest
// even, subnormals kept, no traps. The caller may have chosen otherwise.
#ifndef SAWTOOTH_RUNTIME_LIB_FLOATENVIRONMENT_H
#define SAWTOOTH_RUNTIME_LIB_FLOATENVIRONMENT_H

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace sawtooth::runtime {

/// Sets this thread's floating-point control while it lives, then restores what it found. LLVM
/// does not order arithmetic against the write, so only calls through pointers are safe inside.
class FloatEnvironment {
public:
#if defined(__x86_64__)
  FloatEnvironment() : saved(_mm_getcsr()) {
    if (saved != standard)
      _mm_setcsr(standard);
  }
  ~FloatEnvironment() { _mm_setcsr(saved); }

private:
  static constexpr unsigned standard = 0x1f80; // all exceptions masked, nothing else
  unsigned saved;
#else
  FloatEnvironment() {}
#endif
  FloatEnvironment(const FloatEnvironment &) = delete;
  FloatEnvironment &operator=(const FloatEnvironment &) = delete;
};

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_LIB_FLOATENVIRONMENT_H
