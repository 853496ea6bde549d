// RUN: sawtooth-opt %s | sawtooth-opt | FileCheck %s
// RUN: sawtooth-opt %s --mlir-print-op-generic | sawtooth-opt | FileCheck %s

// Every op of the dialect in every form that its syntax has.

!half = !amp.tensors<@model x f16>
!full = !amp.tensors<@model x f32>
!brain = !amp.tensors<@other x bf16>
!count = !amp.tensors<@model x i64 per tensor>

// CHECK: amp.import "rules.mlir"
amp.import "rules.mlir"
// CHECK: amp.model @model
amp.model @model
amp.model @other

// CHECK: amp.state @w : !amp.tensors<@model x f32> = required
amp.state @w : !full = required
// CHECK: amp.state @h : !amp.tensors<@model x f16> copy_of @w
amp.state @h : !half copy_of @w
// CHECK: amp.state @from : !amp.tensors<@model x f32> = cast @h
amp.state @from : !full = cast @h
// CHECK: amp.state @acc : !amp.tensors<@model x f32> = 0.000000e+00 scaled_by [@s]
amp.state @acc : !full = 0.0 scaled_by [@s]
// CHECK: amp.state @random : !amp.tensors<@model x f32> = ["*.bias" = 0.000000e+00 : f64, "a?" = #amp.normal<std = 2.000000e-02>, "*" = #amp.uniform<fan_in>]
amp.state @random : !full = ["*.bias" = 0.0, "a?" = #amp.normal<std = 0.02>, "*" = #amp.uniform<fan_in>]
// CHECK: amp.state @calls : !amp.tensors<@model x i64 per tensor> = 0
amp.state @calls : !count = 0
// CHECK: amp.state @best : f64 = 1.000000e+00
amp.state @best : f64 = 1.0
// CHECK: amp.state @done : i1 = false
amp.state @done : i1 = false

// CHECK: amp.per_tensor @decay : f64 over @model ["*.bias" = 0.000000e+00 : f64, "*" = 1.000000e-02 : f64]
amp.per_tensor @decay : f64 over @model ["*.bias" = 0.0, "*" = 0.01]
// CHECK: amp.scaler @s by @pytorch {growth = 2.000000e+00 : f64, init = 1.024000e+03 : f64}
amp.scaler @s by @pytorch {init = 1024.0, growth = 2.0}
// CHECK: amp.scaler @plain by @disabled
amp.scaler @plain by @disabled
// CHECK: amp.optimizer @opt by @mine over @model {counter = "tensor", rate = @decay}
amp.optimizer @opt by @mine over @model {rate = @decay, counter = "tensor"}

// What follows an absent dictionary is not taken for one.
// CHECK: amp.optimizer @bare by @mine over @model
// CHECK-NEXT: amp.optimizer @noted by @mine over @model {} {note = "x"}
amp.optimizer @bare by @mine over @model
!alias = !amp.tensors<@model x f32>
amp.optimizer @noted by @mine over @model {} {note = "x"}

// CHECK: amp.run {batch = 32 : i64, epochs = 3 : i64, eval = @test, seed = 7 : i64}
amp.run {batch = 32, epochs = 3, seed = 7, eval = @test}
// CHECK: amp.program @epoch {
// CHECK-NEXT: amp.repeat 3 {
// CHECK-NEXT: amp.run @test
// CHECK: amp.run @train
amp.program @epoch {
  amp.repeat 3 {
    amp.run @test
  }
  amp.run @train
}

// CHECK: amp.rule @mine optimizer params(%lr: f64, %rate: f64 = 1.000000e-01 as "decay_rate", static %choice: i1 = true)
// CHECK-SAME: state(%m: f32 = 0.000000e+00 as "moment", %t: i64 per step = 0, %q: f64 per tensor = 1.000000e+00) inputs(%w: f32, %g: f32) {
amp.rule @mine optimizer params(%lr: f64, %rate: f64 = 0.1 as "decay_rate", static %choice: i1 = true)
    state(%m: f32 = 0.0 as "moment", %t: i64 per step = 0, %q: f64 per tensor = 1.0)
    inputs(%w: f32, %g: f32) {
  // CHECK: amp.opaque %rate : f64
  %hidden = amp.opaque %rate : f64
  // CHECK: amp.powi %{{.*}}, %t : f64
  %p = amp.powi %rate, %t : f64
  // CHECK: amp.reduce add %{{.*}} over tensor : f32 -> f64
  %sum = amp.reduce add %g over tensor : f32 -> f64
  // CHECK: amp.reduce max %{{.*}} over step : f64 -> f64
  %top = amp.reduce max %sum over step : f64 -> f64
  %zero = arith.constant 0.0 : f32
  %bad = arith.cmpf olt, %g, %zero : f32
  // CHECK: amp.reduce or %{{.*}} over step : i1 -> i1
  %any = amp.reduce or %bad over step : i1 -> i1
  // CHECK: amp.numel
  %n = amp.numel
  // CHECK: amp.dim 1
  %d = amp.dim 1
  // CHECK: amp.rank
  %r = amp.rank
  %lrF = arith.truncf %lr : f64 to f32
  %x = arith.mulf %lrF, %g : f32
  // CHECK: amp.yield %{{.*}} state(%m, %t, %{{.*}}) : f32 state(f32, i64, f64)
  amp.yield %x state(%m, %t, %sum) : f32 state(f32, i64, f64)
}

// CHECK: amp.rule @policy policy params(%limit: i64 = 3) state(scale %S: f32 = 1.000000e+00 as "scale", skipped %n: i64 = 0, consecutive_skips %c: i64 = 0, stuck %k: i1 = false) inputs(%ok: i1)
amp.rule @policy policy params(%limit: i64 = 3)
    state(scale %S: f32 = 1.0 as "scale", skipped %n: i64 = 0, consecutive_skips %c: i64 = 0, stuck %k: i1 = false)
    inputs(%ok: i1) {
  // CHECK: amp.yield state(%S, %n, %c, %k) state(f32, i64, i64, i1)
  amp.yield state(%S, %n, %c, %k) state(f32, i64, i64, i1)
}

// CHECK: amp.step @train(%g: !amp.tensors<@model x f16> {amp.scaled_by = [@s]}, %b: !amp.tensors<@other x bf16>, %lr: f64 {amp.default = 1.000000e-03 : f64}, %x: tensor<?x4xf16> {amp.batch = "images"})
amp.step @train(%g: !half {amp.scaled_by = [@s]}, %b: !brain, %lr: f64 {amp.default = 1.0e-3},
                %x: tensor<?x4xf16> {amp.batch = "images"}) {
  // CHECK: amp.read @w : !amp.tensors<@model x f32>
  %w = amp.read @w : !full
  // CHECK: amp.read @s : f32
  %S = amp.read @s : f32
  // CHECK: amp.unscale %g by @s : <@model x f16> -> <@model x f32>
  %u = amp.unscale %g by @s : !half -> !full
  // CHECK: amp.norm %{{.*}}, %b : !amp.tensors<@model x f32>, !amp.tensors<@other x bf16>
  %n = amp.norm %u, %b : !full, !brain
  // CHECK: amp.norm %{{.*}} {order = 0x7FF0000000000000 : f64}
  %top = amp.norm %u {order = 0x7FF0000000000000 : f64} : !full
  // CHECK: amp.is_finite %{{.*}}, %b, %{{.*}}, %{{.*}} {labels = ["a", "b", "c", "d"]}
  %ok = amp.is_finite %u, %b, %n, %top {labels = ["a", "b", "c", "d"]} : !full, !brain, f64, f64
  // CHECK: amp.clip_by_norm %{{.*}}, %{{.*}} max(%lr) {eps = 0.000000e+00 : f64}
  %c = amp.clip_by_norm %u, %n max(%lr) {eps = 0.0} : !full
  // CHECK: amp.clip_by_value %{{.*}} limit(%lr)
  %v = amp.clip_by_value %c limit(%lr) : !full
  // CHECK: amp.apply @opt(%{{.*}}, %{{.*}}) hyper(lr = %lr) : (!amp.tensors<@model x f32>, !amp.tensors<@model x f32>) -> (!amp.tensors<@model x f32>)
  %w1, %o1 = amp.apply @opt(%w, %v) hyper(lr = %lr) : (!full, !full) -> (!full)
  // CHECK: amp.cast %{{.*}} : <@model x f32> to <@model x f16>
  %h1 = amp.cast %w1 : !full to !half
  // CHECK: amp.scale %{{.*}} by @s : !amp.tensors<@model x f32>
  %a1 = amp.scale %w1 by @s : !full
  // CHECK: amp.scale %lr by @s : f64
  %l1 = amp.scale %lr by @s : f64
  // CHECK: amp.map(%{{.*}}) : (!amp.tensors<@model x f16>) -> !amp.tensors<@model x f32> {
  %z = amp.map(%h1) : (!half) -> !full {
  ^bb0(%e: f32):
    %two = arith.constant 2.0 : f32
    %twice = arith.mulf %e, %two : f32
    amp.yield %twice : f32
  }
  // CHECK: amp.map(%{{.*}}) : (!amp.tensors<@model x i64 per tensor>) -> !amp.tensors<@model x i64 per tensor>
  %calls = amp.read @calls : !count
  %calls1 = amp.map(%calls) : (!count) -> !count {
  ^bb0(%e: i64):
    %one = arith.constant 1 : i64
    %next = arith.addi %e, %one : i64
    amp.yield %next : i64
  }
  // CHECK: amp.map() : () -> !amp.tensors<@model x f32>
  %clear = amp.map() : () -> !full {
    %zero = arith.constant 0.0 : f32
    amp.yield %zero : f32
  }
  %h = amp.read @h : !half
  // CHECK: amp.leaf %{{.*}}["fc.weight"] : <@model x f16> -> tensor<4x4xf16>
  %fc = amp.leaf %h["fc.weight"] : !half -> tensor<4x4xf16>
  // CHECK: amp.call @relu(%x) : (tensor<?x4xf16>) -> tensor<?x4xf16>
  %y = amp.call @relu(%x) : (tensor<?x4xf16>) -> tensor<?x4xf16>
  // CHECK: amp.pack {"fc.weight" = %{{.*}} : tensor<4x4xf16>} {scaled_by = [@s]} : !amp.tensors<@model x f16>
  %packed = amp.pack {"fc.weight" = %fc : tensor<4x4xf16>} {scaled_by = [@s]} : !half
  // CHECK: amp.log "norm", %{{.*}} : f64
  amp.log "norm", %n : f64
  // CHECK: amp.log "top", %{{.*}} reduce(max) : f64
  amp.log "top", %top reduce(max) : f64
  // CHECK: amp.update @s, %{{.*}}
  amp.update @s, %ok
  // CHECK: amp.commit %{{.*}} to @w, %{{.*}} to @opt when %{{.*}} : !amp.tensors<@model x f32>, !amp.next<@opt>
  amp.commit %w1 to @w, %o1 to @opt when %ok : !full, !amp.next<@opt>
  // CHECK: amp.commit %{{.*}} to @best, %{{.*}} to @calls always : f64, !amp.tensors<@model x i64 per tensor>
  amp.commit %n to @best, %calls1 to @calls always : f64, !count
}

// CHECK: amp.step @test() {
// CHECK-NEXT: }
amp.step @test() {
}
