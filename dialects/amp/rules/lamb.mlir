// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// LAMB: You et al. 2020, "Large batch optimization for deep learning". The step of each tensor is
// scaled by its trust ratio; clipping the gradients is amp.clip_by_norm's business. The ratio is
// used where there is decay or `always_adapt` holds, and is 1 where a norm is 0.
//
//   t <- t + 1;  c1 = 1 - beta1^t;  c2 = 1 - beta2^t
//   d = maximize ? -g : g
//   m <- beta1 * m + (grad_averaging ? 1 - beta1 : 1) * d
//   v <- beta2 * v + (1 - beta2) * d * d
//   u = (m / c1) / (sqrt(v) / sqrt(c2) + eps) + weight_decay * w
//   ratio = |w| / |u| for each tensor, |.| its 2-norm before the step
//   w <- w - lr * ratio * u
amp.rule @lamb optimizer
    params(%lr: f64, %beta1: f64 = 0.9, %beta2: f64 = 0.999, %eps: f64 = 1.0e-6,
           %weight_decay: f64 = 0.0, static %grad_averaging: i1 = true,
           static %always_adapt: i1 = true, static %maximize: i1 = false)
    state(%m: f32 = 0.0 as "exp_avg", %v: f32 = 0.0 as "exp_avg_sq",
          %t: i64 per step = 0 as "step")
    inputs(%w: f32, %g: f32) {
  // Once a step, in f64; every factor is narrowed once.
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %increment = arith.constant 1 : i64
  %t1 = arith.addi %t, %increment : i64
  %power1 = amp.powi %beta1, %t1 : f64
  %power2 = amp.powi %beta2, %t1 : f64
  %c1 = arith.subf %one, %power1 : f64
  %c2 = arith.subf %one, %power2 : f64
  %c1F = arith.truncf %c1 : f64 to f32
  %root = math.sqrt %c2 : f64
  %rootF = arith.truncf %root : f64 to f32
  %epsF = arith.truncf %eps : f64 to f32
  %decays = arith.cmpf une, %weight_decay, %zero : f64
  %decayF = arith.truncf %weight_decay : f64 to f32
  %beta1F = arith.truncf %beta1 : f64 to f32
  %rest1 = arith.subf %one, %beta1 : f64
  %added = arith.select %grad_averaging, %rest1, %one : f64
  %addedF = arith.truncf %added : f64 to f32
  %beta2F = arith.truncf %beta2 : f64 to f32
  %rest2 = arith.subf %one, %beta2 : f64
  %rest2F = arith.truncf %rest2 : f64 to f32

  // Once an element, in f32. Without decay the weights do not enter u, not even times zero.
  %minusG = arith.negf %g : f32
  %d = arith.select %maximize, %minusG, %g : f32
  %oldM = arith.mulf %m, %beta1F : f32
  %newM = arith.mulf %addedF, %d : f32
  %m1 = arith.addf %oldM, %newM : f32
  %oldV = arith.mulf %v, %beta2F : f32
  %partD = arith.mulf %rest2F, %d : f32
  %newV = arith.mulf %partD, %d : f32
  %v1 = arith.addf %oldV, %newV : f32
  %mean = arith.divf %m1, %c1F : f32
  %deviation = math.sqrt %v1 : f32
  %corrected = arith.divf %deviation, %rootF : f32
  %denominator = arith.addf %corrected, %epsF : f32
  %direction = arith.divf %mean, %denominator : f32
  %pull = arith.mulf %decayF, %w : f32
  %pulled = arith.addf %direction, %pull : f32
  %u = arith.select %decays, %pulled, %direction : f32
  %wSquare = arith.mulf %w, %w : f32
  %uSquare = arith.mulf %u, %u : f32

  // Once a tensor, in f64.
  %wSum = amp.reduce add %wSquare over tensor : f32 -> f64
  %uSum = amp.reduce add %uSquare over tensor : f32 -> f64
  %wNorm = math.sqrt %wSum : f64
  %uNorm = math.sqrt %uSum : f64
  %quotient = arith.divf %wNorm, %uNorm : f64
  %wSome = arith.cmpf ogt, %wNorm, %zero : f64
  %uSome = arith.cmpf ogt, %uNorm, %zero : f64
  %both = arith.andi %wSome, %uSome : i1
  %wanted = arith.ori %always_adapt, %decays : i1
  %adapts = arith.andi %both, %wanted : i1
  %ratio = arith.select %adapts, %quotient, %one : f64
  %rate = arith.mulf %lr, %ratio : f64
  %minusRate = arith.negf %rate : f64
  %minusRateF = arith.truncf %minusRate : f64 to f32

  %step = arith.mulf %minusRateF, %u : f32
  %w1 = arith.addf %w, %step : f32
  amp.yield %w1 state(%m1, %v1, %t1) : f32 state(f32, f32, i64)
}
