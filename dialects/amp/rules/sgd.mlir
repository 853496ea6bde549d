// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stochastic gradient descent with momentum, dampening, Nesterov's variant and coupled weight
// decay. Rounding and order as torch.optim.SGD writes them: the first applied step sets the buffer
// to the direction itself, undampened. `has_momentum = false` has no buffer, neither in memory
// nor in the formula, for plain descent.
//
//   d = (maximize ? -g : g) + weight_decay * w
//   b <- t = 0 ? d : momentum * b + (1 - dampening) * d;  t <- t + 1
//   u = nesterov ? d + momentum * b : b            (without momentum: u = d)
//   w <- w - lr * u
amp.rule @sgd optimizer
    params(%lr: f64, %momentum: f64 = 0.0, %dampening: f64 = 0.0, %weight_decay: f64 = 0.0,
           static %nesterov: i1 = false, static %maximize: i1 = false,
           static %has_momentum: i1 = true)
    state(%b: f32 = 0.0 as "momentum_buffer", %t: i64 per step = 0 as "step")
    inputs(%w: f32, %g: f32) {
  // Once a step, in f64; every factor is narrowed once.
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %none = arith.constant 0 : i64
  %increment = arith.constant 1 : i64
  %first = arith.cmpi eq, %t, %none : i64
  %t1 = arith.addi %t, %increment : i64
  %decays = arith.cmpf une, %weight_decay, %zero : f64
  %decayF = arith.truncf %weight_decay : f64 to f32
  %remembers = arith.cmpf une, %momentum, %zero : f64
  %momentumF = arith.truncf %momentum : f64 to f32
  %gain = arith.subf %one, %dampening : f64
  %gainF = arith.truncf %gain : f64 to f32
  %minusLr = arith.negf %lr : f64
  %minusLrF = arith.truncf %minusLr : f64 to f32

  // Once an element, in f32. Without decay the weights do not enter d, not even times zero.
  %minusG = arith.negf %g : f32
  %signed = arith.select %maximize, %minusG, %g : f32
  %pull = arith.mulf %decayF, %w : f32
  %pulled = arith.addf %signed, %pull : f32
  %d = arith.select %decays, %pulled, %signed : f32
  %oldB = arith.mulf %b, %momentumF : f32
  %newB = arith.mulf %gainF, %d : f32
  %mixed = arith.addf %oldB, %newB : f32
  %buffer = arith.select %first, %d, %mixed : f32
  %b1 = arith.select %has_momentum, %buffer, %b : f32
  %ahead = arith.mulf %momentumF, %buffer : f32
  %looked = arith.addf %d, %ahead : f32
  %carried = arith.select %nesterov, %looked, %buffer : f32
  %moved = arith.select %remembers, %carried, %d : f32
  %u = arith.select %has_momentum, %moved, %d : f32
  %step = arith.mulf %minusLrF, %u : f32
  %w1 = arith.addf %w, %step : f32
  amp.yield %w1 state(%b1, %t1) : f32 state(f32, i64)
}
