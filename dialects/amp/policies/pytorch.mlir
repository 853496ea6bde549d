// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Dynamic loss scaling as torch.amp.GradScaler does it, with bounds and a limit of skips in a row.
// Arithmetic in f64, rounded once. Ours beyond PyTorch: the growth test is >=, so that a shortened
// interval takes effect at once; the scale never leaves [min_scale, max_scale] by growth or
// backoff and never becomes non-finite.
//
//   ok:  tracker <- tracker + 1
//        tracker >= growth_interval:  tracker <- 0;  scale <- min(max_scale, scale * growth_factor)
//                                     (a product that f32 cannot hold keeps the scale)
//   not: tracker <- 0;  scale <- max(min_scale, scale * backoff_factor)
//        skipped <- skipped + 1;  consecutive_skips <- consecutive_skips + 1   (ok: 0)
//   stuck = max_consecutive_skips > 0 and consecutive_skips >= max_consecutive_skips
amp.rule @pytorch policy
    params(%growth: f64 = 2.0 as "growth_factor", %backoff: f64 = 0.5 as "backoff_factor",
           %growth_interval: i64 = 2000 as "growth_interval", %min_scale: f64 = 0.0,
           %max_scale: f64 = 1.7014118346046923e38, %max_consecutive_skips: i64 = 0)
    state(scale %scale: f32 = 65536.0 as "scale", %tracker: i64 = 0 as "_growth_tracker",
          skipped %skipped: i64 = 0, consecutive_skips %consecutive_skips: i64 = 0,
          stuck %stuck: i1 = false)
    inputs(%ok: i1) {
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %infinity = arith.constant 0x7F800000 : f32
  %wide = arith.extf %scale : f32 to f64

  %counted = arith.addi %tracker, %one : i64
  %due = arith.cmpi sge, %counted, %growth_interval : i64
  %product = arith.mulf %wide, %growth : f64
  %productF = arith.truncf %product : f64 to f32
  %magnitude = math.absf %productF : f32
  %holds = arith.cmpf olt, %magnitude, %infinity : f32
  %larger = arith.select %holds, %product, %wide : f64
  %capped = arith.minimumf %larger, %max_scale : f64
  %afterOk = arith.select %due, %capped, %wide : f64

  %smaller = arith.mulf %wide, %backoff : f64
  %afterSkip = arith.maximumf %smaller, %min_scale : f64

  // Last, whatever the parameters are: a scale that is no finite number is not taken over.
  %next = arith.select %ok, %afterOk, %afterSkip : f64
  %nextF = arith.truncf %next : f64 to f32
  %nextMagnitude = math.absf %nextF : f32
  %usable = arith.cmpf olt, %nextMagnitude, %infinity : f32
  %scale1 = arith.select %usable, %nextF, %scale : f32
  %kept = arith.select %due, %none, %counted : i64
  %tracker1 = arith.select %ok, %kept, %none : i64

  %skippedOnce = arith.addi %skipped, %one : i64
  %skipped1 = arith.select %ok, %skipped, %skippedOnce : i64
  %inARow = arith.addi %consecutive_skips, %one : i64
  %consecutive1 = arith.select %ok, %none, %inARow : i64
  %limited = arith.cmpi sgt, %max_consecutive_skips, %none : i64
  %reached = arith.cmpi sge, %consecutive1, %max_consecutive_skips : i64
  %stuck1 = arith.andi %limited, %reached : i1
  amp.yield state(%scale1, %tracker1, %skipped1, %consecutive1, %stuck1)
      state(f32, i64, i64, i64, i1)
}
