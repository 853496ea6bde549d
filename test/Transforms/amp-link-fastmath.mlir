// RUN: sawtooth-opt %s --amp-link -verify-diagnostics | FileCheck %s

// With these flags a compiler may take it that no NaN ever arrives.
// CHECK-NOT: fastmath
// CHECK: arith.mulf
// CHECK-NOT: fastmath
amp.rule @mine optimizer inputs(%w: f32, %g: f32) {
  // expected-remark @below {{fast-math flags 'fast' are dropped}}
  %x = arith.mulf %w, %g fastmath<fast> : f32
  // expected-remark @below {{fast-math flags 'nnan,ninf' are dropped}}
  %y = math.sqrt %x fastmath<nnan,ninf> : f32
  %z = arith.addf %x, %y : f32
  amp.yield %z : f32
}
