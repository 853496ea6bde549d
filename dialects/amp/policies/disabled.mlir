// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// No loss scaling: the scale is 1. Steps with non-finite gradients are still skipped and counted.
//
//   scale <- 1
//   not ok: skipped <- skipped + 1;  consecutive_skips <- consecutive_skips + 1   (ok: 0)
//   stuck = max_consecutive_skips > 0 and consecutive_skips >= max_consecutive_skips
amp.rule @disabled policy
    params(%max_consecutive_skips: i64 = 0)
    state(scale %scale: f32 = 1.0 as "scale", skipped %skipped: i64 = 0,
          consecutive_skips %consecutive_skips: i64 = 0, stuck %stuck: i1 = false)
    inputs(%ok: i1) {
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %unit = arith.constant 1.0 : f32
  %skippedOnce = arith.addi %skipped, %one : i64
  %skipped1 = arith.select %ok, %skipped, %skippedOnce : i64
  %inARow = arith.addi %consecutive_skips, %one : i64
  %consecutive1 = arith.select %ok, %none, %inARow : i64
  %limited = arith.cmpi sgt, %max_consecutive_skips, %none : i64
  %reached = arith.cmpi sge, %consecutive1, %max_consecutive_skips : i64
  %stuck1 = arith.andi %limited, %reached : i1
  amp.yield state(%unit, %skipped1, %consecutive1, %stuck1) state(f32, i64, i64, i1)
}
