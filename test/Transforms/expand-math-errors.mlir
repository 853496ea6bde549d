// RUN: sawtooth-opt %s --expand-math --split-input-file --verify-diagnostics

func.func @library(%x: f32) -> f32 {
  // expected-error @+1 {{'math.sin' is not in the numerics contract; expected one of exp, log}}
  %0 = math.sin %x : f32
  return %0 : f32
}

// -----

func.func @remainder(%x: f32) -> f32 {
  // expected-error @+1 {{'arith.remf' is not in the numerics contract}}
  %0 = arith.remf %x, %x : f32
  return %0 : f32
}

// -----

func.func @wide(%x: f128) -> f128 {
  // expected-error @+1 {{'math.exp' is not in the numerics contract; expected one of exp, log, tanh, erf, cos, powf, sqrt, fma, absf, copysign, floor, ceil, trunc, round, roundeven on floats of at most 64 bits}}
  %0 = math.exp %x : f128
  return %0 : f128
}
