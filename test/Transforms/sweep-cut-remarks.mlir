// RUN: sawtooth-opt %s --sweep-cut --remarks-filter-missed=sweep-cut 2>&1 | FileCheck %s

// What keeps a pass from being left out of a skipped step is said, as a remark and to `explain`.
amp.model @m
sweep.list argument @s.g : !amp.tensors<@m x f32> {label = "g", step = @s}
sweep.list state @w : !amp.tensors<@m x f32> {label = "w", init = 0.0 : f32}
sweep.list state @acc : !amp.tensors<@m x f32> {label = "acc", init = 0.0 : f32}
// CHECK: remark: [Missed] skip | Category:sweep-cut | Function=s | Reason="runs in a skipped step too: sum of w and the store to acc must happen whatever the flag"
// CHECK: sweep.step @s
// CHECK: kind = "missed", text = "runs in a skipped step too: sum of w and the store to acc must happen whatever the flag"
sweep.step @s() {
  %g = sweep.element @s.g : f32
  %w = sweep.element @w : f32
  %total = sweep.reduce add %g over step of @m {what = "sum of g"} : f32 -> f64
  %ok = arith.cmpf oeq, %total, %total : f64
  %weights = sweep.reduce add %w over step of @m {what = "sum of w"} : f32 -> f64
  sweep.log "w", %weights last : f64
  %w1 = arith.addf %w, %g : f32
  sweep.store %w1 to @w when %ok : f32
  %zero = arith.constant 0.0 : f32
  sweep.store %zero to @acc : f32
}
