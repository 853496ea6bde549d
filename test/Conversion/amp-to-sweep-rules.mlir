// RUN: sawtooth-opt %s --amp-to-sweep --split-input-file | FileCheck %s

// Static parameters select code before anything is declared: state that is left neither read nor
// changed does not exist, state that is only read is not stored.
!w = !amp.tensors<@m x f32>
amp.rule @r optimizer
    params(%rate: f64 = 0.5 as "lr", static %keep: i1 = false, static %fix: i1 = true)
    state(%a: f32 = 0.0 as "first", %b: f32 = 0.25, %k: f64 per tensor = 1.0, %t: i64 per step = 0)
    inputs(%w: f32, %g: f32) {
  %rateF = arith.truncf %rate : f64 to f32
  %one = arith.constant 1 : i64
  %t1 = arith.addi %t, %one : i64
  %sum = arith.addf %a, %g : f32
  %a1 = arith.select %keep, %sum, %a : f32
  %more = arith.addf %b, %g : f32
  %b1 = arith.select %fix, %b, %more : f32
  %sq = arith.mulf %g, %g : f32
  %norm = amp.reduce add %sq over tensor : f32 -> f64
  %k1 = arith.addf %k, %norm : f64
  %scaled = arith.mulf %g, %rateF : f32
  %shifted = arith.addf %scaled, %b : f32
  %w1 = arith.subf %w, %shifted : f32
  amp.yield %w1 state(%a1, %b1, %k1, %t1) : f32 state(f32, f32, f64, i64)
}
amp.model @m
amp.state @w : !w = required
amp.optimizer @plain by @r over @m
amp.optimizer @kept by @r over @m {keep = true, fix = false, rate = 1, b = 2.0, counter = "tensor"}
amp.step @one(%g: !w) {
  %w = amp.read @w : !w
  %w1, %o = amp.apply @plain(%w, %g) : (!w, !w) -> !w
  amp.commit %w1 to @w, %o to @plain always : !w, !amp.next<@plain>
}
amp.step @two(%g: !w, %rate: f64) {
  %w = amp.read @w : !w
  %w1, %o = amp.apply @kept(%w, %g) hyper(rate = %rate) : (!w, !w) -> !w
  amp.commit %w1 to @w, %o to @kept always : !w, !amp.next<@kept>
}
// CHECK-NOT:   @plain.a
// CHECK-NOT:   @plain.keep
// CHECK:       sweep.field parameter @plain.rate : f64 {alias = "lr", init = 5.000000e-01 : f64}
// CHECK-NEXT:  sweep.list state @plain.b : !amp.tensors<@m x f32> {init = 2.500000e-01 : f32, label = "plain.b"}
// CHECK-NEXT:  sweep.field state @plain.k : f64 {init = 1.000000e+00 : f64, model = @m}
// CHECK-NEXT:  sweep.field state @plain.t : i64 {init = 0 : i64}
// Given by every apply, the rate has no field; the counter is the tensor's.
// CHECK-NOT:   @kept.rate
// CHECK:       sweep.list state @kept.a : !amp.tensors<@m x f32> {init = 0.000000e+00 : f32, label = "kept.a"}
// CHECK-NEXT:  sweep.list state @kept.b : !amp.tensors<@m x f32> {init = 2.000000e+00 : f32, label = "kept.b"}
// CHECK-NEXT:  sweep.field state @kept.k : f64 {init = 1.000000e+00 : f64, model = @m}
// CHECK-NEXT:  sweep.field state @kept.t : i64 {init = 0 : i64, model = @m}

// CHECK-LABEL: sweep.step @one
// CHECK-DAG:     %[[RATE:.*]] = sweep.get @plain.rate : f64
// CHECK-DAG:     %[[B:.*]] = sweep.element @plain.b : f32
// CHECK:         sweep.reduce add %{{.*}} over tensor of @m {what = "sum of squares of g over each tensor in @r"} : f32 -> f64
// CHECK:         sweep.store %{{.*}} to @w : f32
// CHECK-NOT:     to @plain.b
// CHECK:         sweep.set %{{.*}} to @plain.k : f64
// CHECK:         sweep.set %{{.*}} to @plain.t : i64
// CHECK-LABEL: sweep.step @two(%rate: f64)
// CHECK:         arith.truncf %rate : f64 to f32
// CHECK:         sweep.store %{{.*}} to @kept.a : f32
// CHECK:         sweep.store %{{.*}} to @kept.b : f32
// CHECK:         sweep.set %{{.*}} to @kept.t : i64

// -----

// Two scalers in one step: a cause for each, named apart; each policy runs on its own flag.
!g = !amp.tensors<@m x f16>
!w = !amp.tensors<@m x f32>
amp.rule @halve policy params(%by: f64 = 0.5) state(scale %scale: f32 = 4.0 as "scale") inputs(%ok: i1) {
  %wide = arith.extf %scale : f32 to f64
  %less = arith.mulf %wide, %by : f64
  %narrow = arith.truncf %less : f64 to f32
  %next = arith.select %ok, %scale, %narrow : f32
  amp.yield state(%next) state(f32)
}
amp.model @m
amp.state @w : !w = required
amp.scaler @s by @halve {by = 0.25}
amp.scaler @t by @halve {init = 2}
amp.step @train(%a: !g {amp.scaled_by = [@s]}, %b: !g {amp.scaled_by = [@t]}) {
  %u = amp.unscale %a by @s : !g -> !w
  %v = amp.unscale %b by @t : !g -> !w
  %p = amp.is_finite %u : !w
  %q = amp.is_finite %v : !w
  amp.update @s, %p
  amp.update @t, %q
  amp.commit %u to @w when %p : !w
}
// CHECK-DAG:   sweep.field parameter @s.by : f64 {init = 2.500000e-01 : f64, scaler = @s}
// CHECK-DAG:   sweep.field parameter @t.by : f64 {init = 5.000000e-01 : f64, scaler = @t}
// CHECK-DAG:   sweep.field state @t.scale : f32 role scale {alias = "scale", init = 2.000000e+00 : f32, scaler = @t}
// CHECK-LABEL: sweep.step @train() attributes {commits}
// CHECK:         %[[P:.*]] = arith.xori
// CHECK:         %[[Q:.*]] = arith.xori
// CHECK:         %[[NEXTS:.*]] = arith.select %[[P]], %{{.*}}, %{{.*}} : f32
// CHECK:         sweep.set %[[NEXTS]] to @s.scale : f32
// CHECK:         %[[NEXTT:.*]] = arith.select %[[Q]], %{{.*}}, %{{.*}} : f32
// CHECK:         sweep.set %[[NEXTT]] to @t.scale : f32
// CHECK:         sweep.outcome %[[P]] causes %{{.*}} ["gradient @train.a", "scale @s", "gradient @train.b", "scale @t"]
