// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lion: Chen et al. 2023, "Symbolic discovery of optimization algorithms". The sign of zero is
// zero.
//
//   d = maximize ? -g : g
//   w <- w * (1 - lr * weight_decay) - lr * sign(beta1 * m + (1 - beta1) * d)
//   m <- beta2 * m + (1 - beta2) * d;  t <- t + 1
amp.rule @lion optimizer
    params(%lr: f64, %beta1: f64 = 0.9, %beta2: f64 = 0.99, %weight_decay: f64 = 0.0,
           static %maximize: i1 = false)
    state(%m: f32 = 0.0 as "exp_avg", %t: i64 per step = 0 as "step")
    inputs(%w: f32, %g: f32) {
  // Once a step, in f64; every factor is narrowed once.
  %one = arith.constant 1.0 : f64
  %increment = arith.constant 1 : i64
  %t1 = arith.addi %t, %increment : i64
  %decay = arith.mulf %lr, %weight_decay : f64
  %keep = arith.subf %one, %decay : f64
  %keepF = arith.truncf %keep : f64 to f32
  %lrF = arith.truncf %lr : f64 to f32
  %beta1F = arith.truncf %beta1 : f64 to f32
  %rest1 = arith.subf %one, %beta1 : f64
  %rest1F = arith.truncf %rest1 : f64 to f32
  %beta2F = arith.truncf %beta2 : f64 to f32
  %rest2 = arith.subf %one, %beta2 : f64
  %rest2F = arith.truncf %rest2 : f64 to f32

  // Once an element, in f32.
  %zero = arith.constant 0.0 : f32
  %minusG = arith.negf %g : f32
  %d = arith.select %maximize, %minusG, %g : f32
  %oldC = arith.mulf %m, %beta1F : f32
  %newC = arith.mulf %d, %rest1F : f32
  %c = arith.addf %oldC, %newC : f32
  %up = arith.cmpf ogt, %c, %zero : f32
  %down = arith.cmpf olt, %c, %zero : f32
  %minusLrF = arith.negf %lrF : f32
  %rise = arith.select %down, %lrF, %zero : f32
  %step = arith.select %up, %minusLrF, %rise : f32
  %decayed = arith.mulf %w, %keepF : f32
  %w1 = arith.addf %decayed, %step : f32
  %oldM = arith.mulf %m, %beta2F : f32
  %newM = arith.mulf %d, %rest2F : f32
  %m1 = arith.addf %oldM, %newM : f32
  amp.yield %w1 state(%m1, %t1) : f32 state(f32, i64)
}
