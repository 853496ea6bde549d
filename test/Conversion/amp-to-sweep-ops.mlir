// RUN: sawtooth-opt %s --amp-to-sweep --split-input-file | FileCheck %s

// Clipping by value: a limit narrowed once, then minimum and maximum that keep NaN.
!w = !amp.tensors<@m x f32>
amp.model @m
amp.state @w : !w = 1.0
amp.step @clip(%limit: f64) {
  %w = amp.read @w : !w
  %c = amp.clip_by_value %w limit(%limit) : !w
  amp.commit %c to @w always : !w
}
// CHECK:       sweep.list state @w : !amp.tensors<@m x f32> {init = 1.000000e+00 : f32, label = "w"}
// CHECK-LABEL: sweep.step @clip
// CHECK:         %[[W:.*]] = sweep.element @w : f32
// CHECK:         %[[HIGH:.*]] = arith.truncf %limit : f64 to f32
// CHECK:         %[[LOW:.*]] = arith.negf %[[HIGH]] : f32
// CHECK:         %[[UP:.*]] = arith.maximumf %[[W]], %[[LOW]] : f32
// CHECK:         %[[C:.*]] = arith.minimumf %[[UP]], %[[HIGH]] : f32
// CHECK:         sweep.store %[[C]] to @w : f32
// Without a `when` the step is always applied, for no cause.
// CHECK:         %[[TRUE:.*]] = arith.constant true
// CHECK:         sweep.outcome %[[TRUE]] []

// -----

// Norms of several lists: each alone to step extent, then combined in f64 in the order of operands.
!a = !amp.tensors<@a x f16>
!b = !amp.tensors<@b x bf16>
amp.model @a
amp.model @b
amp.step @norms(%x: !a, %y: !b) {
  %one = amp.norm %x, %y {order = 1.0} : !a, !b
  %two = amp.norm %y : !b
  %inf = amp.norm %x {order = 0x7FF0000000000000 : f64} : !a
  amp.log "one", %one : f64
  amp.log "two", %two : f64
  amp.log "inf", %inf reduce(max) : f64
}
// CHECK-LABEL: sweep.step @norms() {
// CHECK:         %[[X:.*]] = sweep.element @norms.x : f16
// CHECK:         %[[Y:.*]] = sweep.element @norms.y : bf16
// CHECK:         %[[XF:.*]] = arith.extf %[[X]] : f16 to f32
// CHECK:         %[[XA:.*]] = math.absf %[[XF]] : f32
// CHECK:         %[[XS:.*]] = sweep.reduce add %[[XA]] over step of @a {what = "sum of magnitudes of x"} : f32 -> f64
// CHECK:         %[[YF:.*]] = arith.extf %[[Y]] : bf16 to f32
// CHECK:         %[[YS:.*]] = sweep.reduce add %{{.*}} over step of @b
// CHECK:         %[[ONE:.*]] = arith.addf %[[XS]], %[[YS]] : f64
// CHECK:         arith.mulf
// CHECK:         %[[SQ:.*]] = sweep.reduce add %{{.*}} over step of @b {what = "sum of squares of y"}
// CHECK:         %[[TWO:.*]] = math.sqrt %[[SQ]] : f64
// The largest magnitude of nothing is 0; NaN stays.
// CHECK:         %[[ZERO:.*]] = arith.constant 0.000000e+00 : f64
// CHECK:         %[[MAX:.*]] = sweep.reduce max %{{.*}} over step of @a {what = "largest magnitude of x"} : f32 -> f64
// CHECK:         %[[INF:.*]] = arith.maximumf %[[ZERO]], %[[MAX]] : f64
// CHECK:         sweep.log "one", %[[ONE]] last : f64
// CHECK:         sweep.log "two", %[[TWO]] last : f64
// CHECK:         sweep.log "inf", %[[INF]] max : f64

// -----

// Labels of causes: given ones, defaults, and lists' names where two are the same.
!g = !amp.tensors<@m x f32>
amp.model @m
amp.state @w : !g = 0.0
amp.step @causes(%a: !g, %b: !g, %loss: f32) {
  %n = amp.norm %a : !g
  %ok = amp.is_finite %a, %b, %n, %loss : !g, !g, f64, f32
  %fine = amp.is_finite %loss {labels = ["loss"]} : f32
  %w = amp.read @w : !g
  amp.commit %w to @w when %ok : !g
  %best = arith.andi %ok, %fine : i1
}
// CHECK-LABEL: sweep.step @causes
// Bits count from the first operand of the first test; a flag that gates nothing reports all the same.
// CHECK-DAG:     arith.constant 1 : i64
// CHECK-DAG:     arith.constant 2 : i64
// CHECK-DAG:     arith.constant 16 : i64
// CHECK:         sweep.outcome %{{.*}} causes %{{.*}} ["gradient @causes.a", "gradient @causes.b", "norm", "value", "loss"]

// -----

// Two flags: applied means that both held. What is committed always has none.
!w = !amp.tensors<@m x f32>
amp.model @m
amp.state @v : !w = 0.0
amp.state @w : !w = 0.0
amp.state @k : f64 = 0.5
amp.step @flags(%p: i1, %q: i1, %x: f64) {
  %v = amp.read @v : !w
  %w = amp.read @w : !w
  %k = amp.read @k : f64
  amp.commit %v to @w when %p : !w
  amp.commit %w to @v when %q : !w
  %next = arith.addf %k, %x : f64
  amp.commit %next to @k always : f64
}
// CHECK:       sweep.field state @k : f64 {init = 5.000000e-01 : f64}
// CHECK-LABEL: sweep.step @flags
// CHECK:         %[[K:.*]] = sweep.get @k : f64
// CHECK:         sweep.store %{{.*}} to @w when %p : f32
// CHECK:         sweep.store %{{.*}} to @v when %q : f32
// CHECK:         %[[NEXT:.*]] = arith.addf %[[K]], %x : f64
// CHECK:         sweep.set %[[NEXT]] to @k : f64
// CHECK:         %[[BOTH:.*]] = arith.andi %p, %q : i1
// CHECK:         sweep.outcome %[[BOTH]] []

// -----

// Maps, casts, copies, values per tensor, scaling of elements and step values.
!f = !amp.tensors<@m x f32>
!h = !amp.tensors<@m x f16>
!b = !amp.tensors<@m x bf16>
!t = !amp.tensors<@m x i64 per tensor>
!k = !amp.tensors<@m x f64 per tensor>
amp.model @m
amp.rule @plain policy state(scale %S: f32 = 8.0) inputs(%ok: i1) { amp.yield state(%S) state(f32) }
amp.scaler @s by @plain
amp.state @w : !f = 0.0
amp.state @h : !h copy_of @w
amp.state @b : !b copy_of @w
amp.state @count : !t = 0
amp.state @gain : !k = 2.0
amp.step @maps(%g: !h, %x: f64) {
  %count = amp.read @count : !t
  %gain = amp.read @gain : !k
  %w1 = amp.map(%g, %gain) : (!h, !k) -> !f {
  ^bb0(%e: f32, %k: f64):
    %n = amp.numel
    %d = amp.dim 0
    %r = amp.rank
    %kf = arith.truncf %k : f64 to f32
    %y = arith.mulf %e, %kf fastmath<fast> : f32
    amp.yield %y : f32
  }
  %c1 = amp.map(%count) : (!t) -> !t {
  ^bb0(%c: i64):
    %one = arith.constant 1 : i64
    %next = arith.addi %c, %one : i64
    amp.yield %next : i64
  }
  %scaled = amp.scale %g by @s : !h
  %seen = amp.norm %scaled : !h
  %y = amp.scale %x by @s : f64
  amp.log "seen", %seen : f64
  amp.log "y", %y : f64
  %narrow = amp.cast %w1 : !f to !h
  %wide = amp.cast %narrow : !h to !f
  amp.commit %wide to @w, %c1 to @count always : !f, !t
}
// CHECK-DAG:   sweep.field state @count : i64 {init = 0 : i64, model = @m}
// CHECK-DAG:   sweep.field state @gain : f64 {init = 2.000000e+00 : f64, model = @m}
// A policy that never moves its scale still has it.
// CHECK-DAG:   sweep.field state @s.scale : f32 role scale {{.*}}init = 8.000000e+00 : f32, scaler = @s}
// CHECK-LABEL: sweep.step @maps
// CHECK:         %[[G:.*]] = sweep.element @maps.g : f16
// CHECK:         %[[COUNT:.*]] = sweep.get @count : i64
// CHECK:         %[[GAIN:.*]] = sweep.get @gain : f64
// CHECK:         %[[E:.*]] = arith.extf %[[G]] : f16 to f32
// CHECK:         sweep.numel of @m
// CHECK:         sweep.dim 0 of @m
// CHECK:         sweep.rank of @m
// CHECK:         %[[KF:.*]] = arith.truncf %[[GAIN]] : f64 to f32
// Fast-math flags are gone.
// CHECK:         %[[Y:.*]] = arith.mulf %[[E]], %[[KF]] : f32
// CHECK:         %[[NEXT:.*]] = arith.addi %[[COUNT]], %{{.*}} : i64
// Scaled in f32, rounded to f16, before the norm widens it again.
// CHECK:         %[[S:.*]] = sweep.get @s.scale : f32
// CHECK:         %[[SCALED:.*]] = arith.mulf %{{.*}}, %[[S]] : f32
// CHECK:         %[[ROUNDED:.*]] = arith.truncf %[[SCALED]] : f32 to f16
// CHECK:         arith.extf %[[ROUNDED]] : f16 to f32
// A step value in f64 is scaled in f64.
// CHECK:         arith.mulf %x, %{{.*}} : f64
// CHECK:         %[[NARROW:.*]] = arith.truncf %[[Y]] : f32 to f16
// CHECK:         %[[WIDE:.*]] = arith.extf %[[NARROW]] : f16 to f32
// CHECK:         sweep.store %[[WIDE]] to @w : f32
// CHECK:         %[[H:.*]] = arith.truncf %[[WIDE]] : f32 to f16
// CHECK:         sweep.store %[[H]] to @h : f16
// CHECK:         %[[B:.*]] = arith.truncf %[[WIDE]] : f32 to bf16
// CHECK:         sweep.store %[[B]] to @b : bf16
// CHECK:         sweep.set %[[NEXT]] to @count : i64
