// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Adam with decoupled weight decay: Loshchilov and Hutter 2019, amsgrad after Reddi et al. 2018.
// Rounding and order as torch.optim.AdamW writes them.
//
//   t <- t + 1;  c1 = 1 - beta1^t;  c2 = 1 - beta2^t
//   d = maximize ? -g : g
//   w <- w * (1 - lr * weight_decay)
//   m <- m + (1 - beta1) * (d - m)
//   v <- beta2 * v + (1 - beta2) * d * d
//   z = amsgrad ? (vmax <- max(vmax, v)) : v
//   w <- w - (lr / c1) * m / (sqrt(z) / sqrt(c2) + eps)
amp.rule @adamw optimizer
    params(%lr: f64, %beta1: f64 = 0.9, %beta2: f64 = 0.999, %eps: f64 = 1.0e-8,
           %weight_decay: f64 = 0.01, static %amsgrad: i1 = false, static %maximize: i1 = false)
    state(%m: f32 = 0.0 as "exp_avg", %v: f32 = 0.0 as "exp_avg_sq",
          %vmax: f32 = 0.0 as "max_exp_avg_sq", %t: i64 per step = 0 as "step")
    inputs(%w: f32, %g: f32) {
  // Once a step, in f64; every factor is narrowed once.
  %one = arith.constant 1.0 : f64
  %half = arith.constant 0.5 : f64
  %increment = arith.constant 1 : i64
  %t1 = arith.addi %t, %increment : i64
  %power1 = amp.powi %beta1, %t1 : f64
  %power2 = amp.powi %beta2, %t1 : f64
  %c1 = arith.subf %one, %power1 : f64
  %c2 = arith.subf %one, %power2 : f64
  %rate = arith.divf %lr, %c1 : f64
  %minusRate = arith.negf %rate : f64
  %minusRateF = arith.truncf %minusRate : f64 to f32
  %root = math.sqrt %c2 : f64
  %rootF = arith.truncf %root : f64 to f32
  %epsF = arith.truncf %eps : f64 to f32
  %decay = arith.mulf %lr, %weight_decay : f64
  %keep = arith.subf %one, %decay : f64
  %keepF = arith.truncf %keep : f64 to f32
  %beta2F = arith.truncf %beta2 : f64 to f32
  %rest2 = arith.subf %one, %beta2 : f64
  %rest2F = arith.truncf %rest2 : f64 to f32
  // A weighted mean starts from the nearer end: m + a (d - m), or d + (a - 1) (d - m) from a = 0.5.
  %rest1 = arith.subf %one, %beta1 : f64
  %fromOld = arith.cmpf olt, %rest1, %half : f64
  %fromNew = arith.subf %rest1, %one : f64
  %weight = arith.select %fromOld, %rest1, %fromNew : f64
  %weightF = arith.truncf %weight : f64 to f32

  // Once an element, in f32.
  %minusG = arith.negf %g : f32
  %d = arith.select %maximize, %minusG, %g : f32
  %decayed = arith.mulf %w, %keepF : f32
  %gap = arith.subf %d, %m : f32
  %start = arith.select %fromOld, %m, %d : f32
  %move = arith.mulf %weightF, %gap : f32
  %m1 = arith.addf %start, %move : f32
  %oldV = arith.mulf %v, %beta2F : f32
  %partD = arith.mulf %rest2F, %d : f32
  %newV = arith.mulf %partD, %d : f32
  %v1 = arith.addf %oldV, %newV : f32
  %larger = arith.maximumf %vmax, %v1 : f32
  %vmax1 = arith.select %amsgrad, %larger, %vmax : f32
  %z = arith.select %amsgrad, %larger, %v1 : f32
  %deviation = math.sqrt %z : f32
  %corrected = arith.divf %deviation, %rootF : f32
  %denominator = arith.addf %corrected, %epsF : f32
  %numerator = arith.mulf %minusRateF, %m1 : f32
  %step = arith.divf %numerator, %denominator : f32
  %w1 = arith.addf %decayed, %step : f32
  amp.yield %w1 state(%m1, %v1, %vmax1, %t1) : f32 state(f32, f32, f32, i64)
}
