// RUN: sawtooth-opt %s | FileCheck %s
// Every op of the dialect, as it is written.

amp.model @model
sweep.scaler @s "pytorch"
sweep.list state @w : !amp.tensors<@model x f32> {label = "w", init = #amp.required}
sweep.list state @h : !amp.tensors<@model x f16> {label = "h", copy_of = @w}
sweep.list argument @train.g : !amp.tensors<@model x f16> {label = "g", step = @train}
sweep.list scratch @eval.packed : !amp.tensors<@model x f16> {label = "packed", step = @eval}
sweep.field state @s.scale : f32 role scale {init = 65536.0 : f32, scaler = @s, alias = "scale"}
sweep.field state @t : i64 {init = 0 : i64, model = @model}
sweep.field parameter @decay : f64 {model = @model, init = #amp.patterns<"*.bias" = 0.0, "*" = 0.01>}
sweep.field counter @train.attempted : i64 {init = 0 : i64}

// CHECK:      sweep.scaler @s "pytorch"
// CHECK-NEXT: sweep.list state @w : !amp.tensors<@model x f32> {init = #amp.required, label = "w"}
// CHECK-NEXT: sweep.list state @h : !amp.tensors<@model x f16> {copy_of = @w, label = "h"}
// CHECK-NEXT: sweep.list argument @train.g : !amp.tensors<@model x f16> {label = "g", step = @train}
// CHECK:      sweep.field state @s.scale : f32 role scale {alias = "scale", init = 6.553600e+04 : f32, scaler = @s}
// CHECK-NEXT: sweep.field state @t : i64 {init = 0 : i64, model = @model}

// CHECK-LABEL: sweep.step @train(%lr: f64 {amp.default = 1.000000e-03 : f64}) attributes {commits} {
sweep.step @train(%lr: f64 {amp.default = 1.0e-3}) attributes {commits} {
  // CHECK: %[[G:.*]] = sweep.element @train.g : f16
  %g = sweep.element @train.g : f16
  %x = arith.extf %g : f16 to f32
  // CHECK: sweep.numel of @model
  %n = sweep.numel of @model
  // CHECK: sweep.dim 1 of @model
  %rows = sweep.dim 1 of @model
  // CHECK: sweep.rank of @model
  %rank = sweep.rank of @model
  // CHECK: sweep.get @decay : f64
  %decay = sweep.get @decay : f64
  // CHECK: %[[SUMS:.*]] = sweep.reduce add %{{.*}} over tensor of @model {what = "sum"} : f32 -> f64
  %sums = sweep.reduce add %x over tensor of @model {what = "sum"} : f32 -> f64
  // CHECK: sweep.reduce max %[[SUMS]] over step of @model : f64 -> f64
  %largest = sweep.reduce max %sums over step of @model : f64 -> f64
  %zero = arith.constant 0.0 : f64
  %bad = arith.cmpf ogt, %sums, %zero : f64
  // CHECK: %[[ANY:.*]] = sweep.reduce or %{{.*}} over step of @model : i1 -> i1
  %any = sweep.reduce or %bad over step of @model : i1 -> i1
  // CHECK: sweep.store %{{.*}} to @w when %[[ANY]] : f32
  sweep.store %x to @w when %any : f32
  // CHECK: sweep.store %[[G]] to @h : f16
  sweep.store %g to @h : f16
  // CHECK: sweep.set %{{.*}} to @t when %[[ANY]] : i64
  sweep.set %n to @t when %any : i64
  // CHECK: sweep.log "largest", %{{.*}} mean : f64
  sweep.log "largest", %largest mean : f64
  %causes = arith.extui %any : i1 to i64
  // CHECK: sweep.outcome %[[ANY]] causes %{{.*}} ["gradient"]
  sweep.outcome %any causes %causes ["gradient"]
}

func.func private @eval.model(tensor<4x3xf16>, f32) -> (tensor<3xf16>, tensor<1xf32>)

// CHECK-LABEL: sweep.step @eval(%x: tensor<4x3xf16>) attributes {cut, lower_bound = 8 : i64
sweep.step @eval(%x: tensor<4x3xf16>) attributes {cut, lower_bound = 8, notes = [{kind = "skip", text = "none"}]} {
  // CHECK: %[[S:.*]] = sweep.scalar @entry {
  %s = sweep.scalar @entry {
    %scale = sweep.get @s.scale : f32
    // CHECK: sweep.yield %{{.*}} : f32
    sweep.yield %scale : f32
  // CHECK-NEXT: } : f32
  } : f32
  // CHECK: %[[LOSS:.*]] = sweep.forward @eval.model(%x, %[[S]]) leaves [@h] ["fc.bias"] packs [@eval.packed] ["fc.bias"] : (tensor<4x3xf16>, f32) -> f32
  %loss = sweep.forward @eval.model(%x, %s) leaves [@h] ["fc.bias"] packs [@eval.packed] ["fc.bias"] : (tensor<4x3xf16>, f32) -> f32
  // CHECK: %[[R:.*]]:2 = sweep.pass over @model reads [@eval.packed, @w] writes [] [] [#sweep.reduction<add over tensor>, #sweep.reduction<or over step>] {
  %r:2 = sweep.pass over @model reads [@eval.packed, @w] writes [] [] [#sweep.reduction<add over tensor>, #sweep.reduction<or over step>] {
  ^bb0(%e: f16, %w: f32):
    %f = arith.extf %e : f16 to f32
    %less = arith.cmpf olt, %f, %w : f32
    // CHECK: sweep.leave reduce(%{{.*}}, %{{.*}} : f32, i1)
    sweep.leave reduce(%f, %less : f32, i1)
  // CHECK-NEXT: } : !sweep.per_tensor<@model x f64>, i1
  } : !sweep.per_tensor<@model x f64>, i1
  %m:2 = sweep.scalar @mid {
    // CHECK: sweep.fold add %[[R]]#0 : <@model x f64> -> f64
    %sum = sweep.fold add %r#0 : !sweep.per_tensor<@model x f64> -> f64
    // CHECK: sweep.each over @model(%[[R]]#0) : (!sweep.per_tensor<@model x f64>) -> !sweep.per_tensor<@model x f32> {
    %each = sweep.each over @model(%r#0) : (!sweep.per_tensor<@model x f64>) -> !sweep.per_tensor<@model x f32> {
    ^bb0(%v: f64):
      %narrow = arith.truncf %v : f64 to f32
      sweep.yield %narrow : f32
    }
    sweep.yield %sum, %each : f64, !sweep.per_tensor<@model x f32>
  } : f64, !sweep.per_tensor<@model x f32>
  // CHECK: sweep.pass over @model reads [@w] writes [@w, @h] tensors(%{{.*}}#1 : !sweep.per_tensor<@model x f32>) flags(%[[R]]#1) [0, -1] [] {
  sweep.pass over @model reads [@w] writes [@w, @h] tensors(%m#1 : !sweep.per_tensor<@model x f32>) flags(%r#1) [0, -1] [] {
  ^bb0(%w: f32, %k: f32):
    %y = arith.mulf %w, %k : f32
    %z = arith.truncf %y : f32 to f16
    // CHECK: sweep.leave write(%{{.*}}, %{{.*}} : f32, f16)
    sweep.leave write(%y, %z : f32, f16)
  }
  // CHECK: sweep.pass over @model reads [] writes [@w] when %[[R]]#1 [-1] [] {
  sweep.pass over @model reads [] writes [@w] when %r#1 [-1] [] {
    %zero = arith.constant 0.0 : f32
    sweep.leave write(%zero : f32)
  }
  sweep.scalar @final {
    sweep.log "loss", %loss mean : f32
    %true = arith.constant true
    // CHECK: sweep.outcome %{{.*}} []
    sweep.outcome %true []
  }
}
