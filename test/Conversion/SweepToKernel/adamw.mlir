// The cut form of AdamW with fp16 gradients and an fp16 copy of the weights, by hand.
// RUN: sawtooth-opt %s --sweep-to-kernel | FileCheck %s --check-prefixes=CHECK,W16
// RUN: sawtooth-opt %s --sweep-to-kernel=width=8 | FileCheck %s --check-prefixes=CHECK,W8
// The same module gives the same plan, byte for byte.
// RUN: sawtooth-opt %s --sweep-to-kernel -o %t.1
// RUN: sawtooth-opt %s --sweep-to-kernel -o %t.2
// RUN: cmp %t.1 %t.2

// CHECK: module attributes {sawtooth.functions = [@train.0_entry, @train.1_pass, @train.2_mid, @train.3_pass, @train.4_final], sawtooth.plan = "SAWTHPLN

// 1 / S in f64, narrowed once.
// CHECK-LABEL: func.func @train.0_entry(
// CHECK: llvm.load {{.*}} -> f32
// CHECK: arith.divf {{.*}} : f64
// CHECK: llvm.store {{.*}} : f32

// Whole rounds of vectors, then single ones of which the last may be partial.
// CHECK-LABEL: func.func @train.1_pass(
// W16: llvm.alloca %{{.*}} x f16 {alignment = 64
// CHECK: llvm.alloca %{{.*}} x f32 {alignment = 64
// CHECK: scf.for
// W16: scf.for {{.*}} -> (vector<16xi32>)
// W16: llvm.load {{.*}} {alignment = 2 : i64} : !llvm.ptr -> vector<16xf16>
// W16: arith.cmpi eq, {{.*}} : vector<16xi32>
// W16: arith.ori
// W8: scf.for {{.*}} -> (vector<8xi32>)
// W8: llvm.load {{.*}} {alignment = 2 : i64} : !llvm.ptr -> vector<8xf16>
// CHECK: scf.if
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : !llvm.ptr
// The mask keeps what is beyond the tail out of the lanes.
// CHECK: arith.select {{.*}} : vector<{{.*}}xi1>, vector<{{.*}}xf32>
// CHECK: vector.reduction <or>
// CHECK: vector.shuffle
// CHECK: llvm.store {{.*}} : f64

// CHECK-LABEL: func.func @train.2_mid(
// CHECK: call @sawtooth.fold_or
// CHECK: call @sawtooth.fold_step_add
// CHECK: math.sqrt {{.*}} : f64
// One value for each tensor.
// CHECK: scf.for
// CHECK: llvm.load {{.*}} -> f64
// CHECK: llvm.store {{.*}} : f32

// CHECK: func.func private @sawtooth.fold_or(
// CHECK: func.func private @sawtooth.fold_add(
// CHECK: func.func private @sawtooth.fold_step_add(

// CHECK-LABEL: func.func @train.3_pass(
// CHECK: math.sqrt {{.*}} : vector<{{.*}}xf32>
// NaNs are cleaned before they are narrowed.
// CHECK: arith.cmpf uno, %[[W:.*]], %[[W]] : vector
// CHECK: arith.select {{.*}} : vector<{{.*}}xi1>, vector<{{.*}}xf32>
// Two vectors a store, and past the caches in a large model, as nobody in the step reads the copy.
// W16: arith.truncf {{.*}} : vector<32xf32> to vector<32xf16>
// W16: scf.if
// W16: llvm.store volatile {{.*}} {alignment = 64 : i64, nontemporal} : vector<16xi32>
// W16: llvm.store {{.*}} {alignment = 2 : i64} : vector<32xf16>
// W8: arith.truncf {{.*}} : vector<16xf32> to vector<16xf16>
// W8: llvm.store volatile {{.*}} {alignment = 32 : i64, nontemporal} : vector<8xi32>
// CHECK-NOT: nontemporal} : vector<{{.*}}xf32>
// CHECK: llvm.call_intrinsic "llvm.x86.sse.sfence"

// CHECK-LABEL: func.func @train.4_final(
// The scale is written whatever happened, the counter under the flag.
// CHECK: arith.select
// CHECK: llvm.store {{.*}} : f32
// CHECK: scf.if
// CHECK-NEXT: llvm.store {{.*}} : i64
// CHECK-NOT: sweep.
// CHECK-NOT: amp.

amp.model @model
sweep.scaler @s "pytorch"
sweep.list state @w : !amp.tensors<@model x f32> {label = "w", init = #amp.required}
sweep.list state @h : !amp.tensors<@model x f16> {label = "h", copy_of = @w}
sweep.list state @opt.m : !amp.tensors<@model x f32> {label = "opt.m", init = 0.0 : f32}
sweep.list state @opt.v : !amp.tensors<@model x f32> {label = "opt.v", init = 0.0 : f32}
sweep.list argument @train.g : !amp.tensors<@model x f16> {label = "g", step = @train}
sweep.field state @s.scale : f32 role scale {init = 65536.0 : f32, scaler = @s, alias = "scale"}
sweep.field parameter @opt.beta1 : f64 {init = 0.9 : f64}
sweep.field parameter @decay : f64 {model = @model, init = #amp.patterns<"*.bias" = 0.0, "*" = 0.01>}
sweep.field counter @train.applied : i64 {init = 0 : i64}

sweep.step @train(%lr: f64 {amp.default = 1.0e-3}, %max: f64 {amp.default = 1.0}) attributes {cut, commits} {
  %r = sweep.scalar @entry {
    %s = sweep.get @s.scale : f32
    %d = arith.extf %s : f32 to f64
    %one = arith.constant 1.0 : f64
    %q = arith.divf %one, %d : f64
    %n = arith.truncf %q : f64 to f32
    sweep.yield %n : f32
  } : f32
  %bad, %sum = sweep.pass over @model reads [@train.g] writes [] [] [#sweep.reduction<or over step>, #sweep.reduction<add over step>] {
  ^bb0(%g: f16):
    %x = arith.extf %g : f16 to f32
    %u = arith.mulf %x, %r : f32
    %bits = arith.bitcast %u : f32 to i32
    %mask = arith.constant 0x7f800000 : i32
    %exp = arith.andi %bits, %mask : i32
    %b = arith.cmpi eq, %exp, %mask : i32
    %sq = arith.mulf %u, %u : f32
    sweep.leave reduce(%b, %sq : i1, f32)
  } : i1, f64
  %ok, %k, %lrf, %b1, %c1, %dt = sweep.scalar @mid {
    %true = arith.constant true
    %fine = arith.xori %bad, %true : i1
    %one = arith.constant 1.0 : f64
    %eps = arith.constant 1.0e-6 : f64
    %norm = math.sqrt %sum : f64
    %den = arith.addf %norm, %eps : f64
    %quot = arith.divf %max, %den : f64
    %min = arith.minimumf %quot, %one : f64
    %kf = arith.truncf %min : f64 to f32
    %lrn = arith.truncf %lr : f64 to f32
    %beta = sweep.get @opt.beta1 : f64
    %betan = arith.truncf %beta : f64 to f32
    %com = arith.subf %one, %beta : f64
    %comn = arith.truncf %com : f64 to f32
    %dta = sweep.each over @model () : () -> !sweep.per_tensor<@model x f32> {
      %dd = sweep.get @decay : f64
      %p = arith.mulf %dd, %lr : f64
      %q = arith.subf %one, %p : f64
      %qn = arith.truncf %q : f64 to f32
      sweep.yield %qn : f32
    }
    sweep.yield %fine, %kf, %lrn, %betan, %comn, %dta : i1, f32, f32, f32, f32, !sweep.per_tensor<@model x f32>
  } : i1, f32, f32, f32, f32, !sweep.per_tensor<@model x f32>
  sweep.pass over @model reads [@train.g, @w, @opt.m, @opt.v] writes [@w, @opt.m, @opt.v, @h] tensors(%dt : !sweep.per_tensor<@model x f32>) when %ok [-1, -1, -1, -1] [] {
  ^bb0(%g: f16, %w: f32, %m: f32, %v: f32, %d: f32):
    %x = arith.extf %g : f16 to f32
    %u = arith.mulf %x, %r : f32
    %c = arith.mulf %u, %k : f32
    %m0 = arith.mulf %m, %b1 : f32
    %m1 = arith.mulf %c, %c1 : f32
    %m2 = arith.addf %m0, %m1 : f32
    %b2 = arith.constant 0.999 : f32
    %c2 = arith.constant 0.001 : f32
    %v0 = arith.mulf %v, %b2 : f32
    %cc = arith.mulf %c, %c : f32
    %v1 = arith.mulf %cc, %c2 : f32
    %v2 = arith.addf %v0, %v1 : f32
    %e = arith.constant 1.0e-8 : f32
    %sq = math.sqrt %v2 : f32
    %den = arith.addf %sq, %e : f32
    %q = arith.divf %m2, %den : f32
    %st = arith.mulf %q, %lrf : f32
    %wd = arith.mulf %w, %d : f32
    %w1 = arith.subf %wd, %st : f32
    %h = arith.truncf %w1 : f32 to f16
    sweep.leave write(%w1, %m2, %v2, %h : f32, f32, f32, f16)
  }
  sweep.scalar @final {
    %s = sweep.get @s.scale : f32
    %half = arith.constant 0.5 : f32
    %back = arith.mulf %s, %half : f32
    %s1 = arith.select %ok, %s, %back : f32
    sweep.set %s1 to @s.scale : f32
    %n = sweep.get @train.applied : i64
    %one = arith.constant 1 : i64
    %n1 = arith.addi %n, %one : i64
    sweep.set %n1 to @train.applied when %ok : i64
    %causes = arith.extui %bad : i1 to i64
    sweep.log "norm", %sum last : f64
    sweep.outcome %ok causes %causes ["gradient"]
  }
}
