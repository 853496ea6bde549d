// RUN: sawtooth-opt %s --sweep-cut --split-input-file | FileCheck %s

// Element values are computed in passes, step values in programs: each as late as its users allow,
// fields read where they are used.
amp.model @m
sweep.list state @w : !amp.tensors<@m x f32> {label = "w", init = 0.0 : f32}
sweep.list argument @s.g : !amp.tensors<@m x f32> {label = "g", step = @s}
sweep.list argument @s.unused : !amp.tensors<@m x f32> {label = "unused", step = @s}
sweep.field state @scale : f32 {init = 1.0 : f32}
sweep.field state @count : i64 {init = 0 : i64}
// CHECK-LABEL: sweep.step @s(%lr: f32) attributes {commits, cut, lower_bound = 16
sweep.step @s(%lr: f32) attributes {commits} {
  %unused = sweep.element @s.unused : f32
  %dead = sweep.reduce add %unused over step of @m : f32 -> f64
  %g = sweep.element @s.g : f32
  %w = sweep.element @w : f32
  %scale = sweep.get @scale : f32
  %twice = arith.addf %scale, %scale : f32
  %u = arith.mulf %g, %twice : f32
  %sum = sweep.reduce add %u over step of @m {what = "sum of u"} : f32 -> f64
  %k = arith.truncf %sum : f64 to f32
  %step = arith.mulf %k, %lr : f32
  %move = arith.mulf %u, %step : f32
  %w1 = arith.subf %w, %move : f32
  sweep.store %w1 to @w : f32
  %next = arith.addf %scale, %k : f32
  sweep.set %next to @scale : f32
  %count = sweep.get @count : i64
  %one = arith.constant 1 : i64
  %count1 = arith.addi %count, %one : i64
  sweep.set %count1 to @count : i64
  %true = arith.constant true
  sweep.outcome %true []
}
// CHECK-NEXT:  %[[TWICE:.*]] = sweep.scalar @entry {
// CHECK-NEXT:    %[[SCALE:.*]] = sweep.get @scale : f32
// CHECK-NEXT:    %[[SUM2:.*]] = arith.addf %[[SCALE]], %[[SCALE]] : f32
// CHECK-NEXT:    sweep.yield %[[SUM2]] : f32
// CHECK-NEXT:  } : f32
// What nobody needs is neither read nor reduced.
// CHECK-NEXT:  %[[SUM:.*]] = sweep.pass over @m reads [@s.g] writes [] [] [#sweep.reduction<add over step>] {
// CHECK-NEXT:  ^bb0(%[[G:.*]]: f32):
// CHECK-NEXT:    %[[U:.*]] = arith.mulf %[[G]], %[[TWICE]] : f32
// CHECK-NEXT:    sweep.leave reduce(%[[U]] : f32)
// CHECK-NEXT:  } {notes = [{kind = "result", text = "sum of u"}]} : f64
// CHECK-NEXT:  %[[MID:.*]]:2 = sweep.scalar @mid {
// CHECK-NEXT:    %[[K:.*]] = arith.truncf %[[SUM]] : f64 to f32
// CHECK-NEXT:    %[[STEP:.*]] = arith.mulf %[[K]], %lr : f32
// CHECK-NEXT:    sweep.yield %[[K]], %[[STEP]] : f32, f32
// CHECK:       sweep.pass over @m reads [@s.g, @w] writes [@w] [-1] [] {
// CHECK-NEXT:  ^bb0(%[[G:.*]]: f32, %[[W:.*]]: f32):
// CHECK-NEXT:    %[[U:.*]] = arith.mulf %[[G]], %[[TWICE]] : f32
// CHECK-NEXT:    %[[MOVE:.*]] = arith.mulf %[[U]], %[[MID]]#1 : f32
// CHECK-NEXT:    %[[W1:.*]] = arith.subf %[[W]], %[[MOVE]] : f32
// CHECK-NEXT:    sweep.leave write(%[[W1]] : f32)
// CHECK-NEXT:  } {notes = [{kind = "recompute", text = "1 value of an earlier pass is computed again from g: keeping it would move no fewer bytes"}]}
// CHECK-NEXT:  sweep.scalar @final {
// CHECK:         sweep.get @scale : f32
// CHECK:         arith.addf %{{.*}}, %[[MID]]#0 : f32
// CHECK:         %[[COUNT:.*]] = sweep.get @count : i64
// CHECK:         sweep.set %{{.*}} to @scale : f32
// CHECK:         sweep.set %{{.*}} to @count : i64
// CHECK:         sweep.outcome

// -----

// A value of many lists costs more to compute again than to keep.
amp.model @m
sweep.list state @w : !amp.tensors<@m x f32> {label = "w", init = 0.0 : f32}
sweep.list argument @s.a : !amp.tensors<@m x f32> {label = "a", step = @s}
sweep.list argument @s.b : !amp.tensors<@m x f32> {label = "b", step = @s}
sweep.list argument @s.c : !amp.tensors<@m x f32> {label = "c", step = @s}
// CHECK: sweep.list scratch @s.kept0 : !amp.tensors<@m x f32> {label = "kept0", step = @s}
// CHECK-LABEL: sweep.step @s() attributes {cut, lower_bound = 24
sweep.step @s() {
  %a = sweep.element @s.a : f32
  %b = sweep.element @s.b : f32
  %c = sweep.element @s.c : f32
  %ab = arith.addf %a, %b : f32
  %abc = arith.mulf %ab, %c : f32
  %sum = sweep.reduce add %abc over step of @m : f32 -> f64
  %k = arith.truncf %sum : f64 to f32
  %w1 = arith.divf %abc, %k : f32
  sweep.store %w1 to @w : f32
}
// CHECK:       sweep.pass over @m reads [@s.a, @s.b, @s.c] writes [@s.kept0] [-1] [#sweep.reduction<add over step>] {
// CHECK:         sweep.leave write(%[[ABC:.*]] : f32) reduce(%[[ABC]] : f32)
// CHECK:         kind = "store", text = "kept0 (4 bytes) is kept for later passes: computing it again would read more"
// CHECK:       sweep.pass over @m reads [@s.kept0] writes [@w] [-1] [] {
// CHECK-NEXT:  ^bb0(%[[KEPT:.*]]: f32):
// CHECK-NEXT:    arith.divf %[[KEPT]], %{{.*}} : f32

// -----

// Two flags in one pass: each write has its own, and the pass runs whenever one may be true.
amp.model @m
sweep.list state @v : !amp.tensors<@m x f32> {label = "v", init = 0.0 : f32}
sweep.list state @w : !amp.tensors<@m x f32> {label = "w", init = 0.0 : f32}
sweep.list state @x : !amp.tensors<@m x f32> {label = "x", init = 0.0 : f32}
// CHECK-LABEL: sweep.step @s
// CHECK-SAME:    text = "a skipped step keeps v and w"
// CHECK-SAME:    text = "a skipped step still writes x"
sweep.step @s(%p: i1, %q: i1) {
  %v = sweep.element @v : f32
  %w = sweep.element @w : f32
  %zero = arith.constant 0.0 : f32
  sweep.store %w to @v when %p : f32
  sweep.store %v to @w when %q : f32
  sweep.store %zero to @x : f32
}
// CHECK:       sweep.pass over @m reads [@v, @w] writes [@v, @w, @x] flags(%p, %q) [0, 1, -1] [] {
// CHECK-NEXT:  ^bb0(%[[V:.*]]: f32, %[[W:.*]]: f32):
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:    sweep.leave write(%[[W]], %[[V]], %[[ZERO]] : f32, f32, f32)

// -----

// A flag that is an argument gates a pass too, once it is in the frame; a constant one is none.
amp.model @m
sweep.list state @v : !amp.tensors<@m x f32> {label = "v", init = 0.0 : f32}
sweep.list state @w : !amp.tensors<@m x f32> {label = "w", init = 0.0 : f32}
// CHECK-LABEL: sweep.step @gated
sweep.step @gated(%p: i1, %x: f32) {
  sweep.store %x to @v when %p : f32
}
// CHECK-NEXT:  %[[P:.*]] = sweep.scalar @entry {
// CHECK-NEXT:    sweep.yield %p : i1
// CHECK-NEXT:  } : i1
// CHECK-NEXT:  sweep.pass over @m reads [] writes [@v] when %[[P]] [-1] [] {
// CHECK-NEXT:    sweep.leave write(%x : f32)
// CHECK-LABEL: sweep.step @constant
sweep.step @constant(%x: f32) {
  %true = arith.constant true
  %false = arith.constant false
  sweep.store %x to @v when %true : f32
  sweep.store %x to @w when %false : f32
}
// CHECK-NEXT:  sweep.pass over @m reads [] writes [@v] [-1] [] {

// -----

// Tensor values: in sweep.each, folded to the step between two of them, their fields set last.
amp.model @m
sweep.list state @w : !amp.tensors<@m x f32> {label = "w", init = 0.0 : f32}
sweep.field state @t : i64 {init = 0 : i64, model = @m}
sweep.field parameter @gain : f64 {init = 1.0 : f64, model = @m}
// CHECK-LABEL: sweep.step @s
sweep.step @s() {
  %w = sweep.element @w : f32
  %sums = sweep.reduce add %w over tensor of @m : f32 -> f64
  %gain = sweep.get @gain : f64
  %scaled = arith.mulf %sums, %gain : f64
  %n = sweep.numel of @m
  %nf = arith.sitofp %n : i64 to f64
  %mean = arith.divf %scaled, %nf : f64
  %total = sweep.reduce max %mean over step of @m : f64 -> f64
  %share = arith.divf %mean, %total : f64
  %shareF = arith.truncf %share : f64 to f32
  %w1 = arith.mulf %w, %shareF : f32
  sweep.store %w1 to @w : f32
  %t = sweep.get @t : i64
  %t1 = arith.addi %t, %n : i64
  sweep.set %t1 to @t : i64
}
// CHECK-NEXT:  %[[SUMS:.*]] = sweep.pass over @m reads [@w] writes [] [] [#sweep.reduction<add over tensor>] {
// CHECK:       } {{.*}} : !sweep.per_tensor<@m x f64>
// CHECK-NEXT:  %[[SHARE:.*]] = sweep.scalar @mid {
// CHECK-NEXT:    %[[MEAN:.*]] = sweep.each over @m(%[[SUMS]]) : (!sweep.per_tensor<@m x f64>) -> !sweep.per_tensor<@m x f64> {
// CHECK-NEXT:    ^bb0(%[[SUM:.*]]: f64):
// CHECK-NEXT:      %[[GAIN:.*]] = sweep.get @gain : f64
// CHECK-NEXT:      arith.mulf %[[SUM]], %[[GAIN]] : f64
// CHECK-NEXT:      sweep.numel of @m
// CHECK:           sweep.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[TOTAL:.*]] = sweep.fold max %[[MEAN]] : <@m x f64> -> f64
// CHECK-NEXT:    %[[EACH:.*]] = sweep.each over @m(%[[MEAN]]) : (!sweep.per_tensor<@m x f64>) -> !sweep.per_tensor<@m x f32> {
// CHECK-NEXT:    ^bb0(%[[M:.*]]: f64):
// CHECK-NEXT:      arith.divf %[[M]], %[[TOTAL]] : f64
// CHECK:         sweep.yield %[[EACH]] : !sweep.per_tensor<@m x f32>
// CHECK:       sweep.pass over @m reads [@w] writes [@w] tensors(%[[SHARE]] : !sweep.per_tensor<@m x f32>) [-1] [] {
// CHECK-NEXT:  ^bb0(%{{.*}}: f32, %{{.*}}: f32):
// CHECK:       sweep.scalar @final {
// CHECK-NEXT:    sweep.each over @m() : () -> () {
// CHECK-NEXT:      %[[T:.*]] = sweep.get @t : i64
// CHECK-NEXT:      %[[N:.*]] = sweep.numel of @m
// CHECK-NEXT:      %[[T1:.*]] = arith.addi %[[T]], %[[N]] : i64
// CHECK-NEXT:      sweep.set %[[T1]] to @t : i64

// -----

// Several models: a pass each at every level, a value of all of them between.
amp.model @a
amp.model @b
sweep.list state @x : !amp.tensors<@a x f32> {label = "x", init = 0.0 : f32}
sweep.list state @y : !amp.tensors<@b x f32> {label = "y", init = 0.0 : f32}
// CHECK-LABEL: sweep.step @s
sweep.step @s() {
  %x = sweep.element @x : f32
  %y = sweep.element @y : f32
  %p = sweep.reduce add %x over step of @a : f32 -> f64
  %q = sweep.reduce add %y over step of @b : f32 -> f64
  %sum = arith.addf %p, %q : f64
  %k = arith.truncf %sum : f64 to f32
  %x1 = arith.mulf %x, %k : f32
  %y1 = arith.mulf %y, %k : f32
  sweep.store %x1 to @x : f32
  sweep.store %y1 to @y : f32
}
// CHECK-NEXT:  %[[P:.*]] = sweep.pass over @a reads [@x] writes []
// CHECK:       %[[Q:.*]] = sweep.pass over @b reads [@y] writes []
// CHECK:       %[[K:.*]] = sweep.scalar @mid {
// CHECK-NEXT:    arith.addf %[[P]], %[[Q]] : f64
// CHECK:       sweep.pass over @a reads [@x] writes [@x]
// CHECK:       sweep.pass over @b reads [@y] writes [@y]

// -----

// The partial results of a pass are folded by the program after it, so there is one before the next
// pass even when only the end needs them.
amp.model @m
sweep.list argument @s.g : !amp.tensors<@m x f32> {label = "g", step = @s}
sweep.list state @w : !amp.tensors<@m x f32> {label = "w", init = 0.0 : f32}
// CHECK-LABEL: sweep.step @s
sweep.step @s() {
  %g = sweep.element @s.g : f32
  %sums = sweep.reduce add %g over tensor of @m : f32 -> f64
  %narrow = sweep.reduce max %sums over step of @m : f64 -> f64
  sweep.log "largest", %narrow last : f64
  %total = sweep.reduce add %g over step of @m : f32 -> f64
  %bad = arith.cmpf une, %total, %total : f64
  sweep.store %g to @w when %bad : f32
}
// CHECK-NEXT:  sweep.pass
// CHECK:       sweep.scalar @mid
// CHECK:       sweep.pass over @m reads [@s.g] writes [@w] when
// CHECK:       sweep.scalar @final

// -----

// The forward part runs as soon as its scalars are known; what it packs is read after it, what it
// takes is stored to after it.
amp.model @m
sweep.list state @h : !amp.tensors<@m x f16> {label = "h", init = 0.0 : f16}
sweep.list scratch @s.packed : !amp.tensors<@m x f16> {label = "packed", step = @s}
sweep.field state @scale : f32 {init = 1.0 : f32}
func.func private @s.model(tensor<2xf16>, f32, f32) -> (tensor<2xf16>, tensor<1xf32>)
// CHECK-LABEL: sweep.step @s
sweep.step @s() {
  %scale = sweep.get @scale : f32
  %one = arith.constant 1.0 : f32
  %loss = sweep.forward @s.model(%scale, %one) leaves [@h] ["a"] packs [@s.packed] ["a"] : (f32, f32) -> f32
  %g = sweep.element @s.packed : f16
  %lossD = arith.extf %loss : f32 to f64
  %k = arith.truncf %lossD : f64 to f32
  %x = arith.extf %g : f16 to f32
  %y = arith.mulf %x, %k : f32
  %z = arith.truncf %y : f32 to f16
  sweep.store %z to @h : f16
  sweep.log "loss", %loss mean : f32
}
// CHECK-NEXT:  %[[IN:.*]]:2 = sweep.scalar @entry {
// CHECK-DAG:     sweep.get @scale : f32
// CHECK-DAG:     arith.constant 1.000000e+00 : f32
// CHECK:       %[[LOSS:.*]] = sweep.forward @s.model(%[[IN]]#0, %[[IN]]#1) leaves [@h] ["a"] packs [@s.packed] ["a"] : (f32, f32) -> f32
// CHECK-NEXT:  %[[K:.*]] = sweep.scalar @mid {
// CHECK-NEXT:    arith.extf %[[LOSS]]
// CHECK:       sweep.pass over @m reads [@s.packed] writes [@h] [-1] [] {
// CHECK:       sweep.scalar @final {
// CHECK-NEXT:    sweep.log "loss", %[[LOSS]] mean : f32
