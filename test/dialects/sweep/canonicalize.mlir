// RUN: sawtooth-opt %s --canonicalize | FileCheck %s

amp.model @model
sweep.list state @a : !amp.tensors<@model x f32> {label = "a", init = 0.0 : f32}
sweep.list state @b : !amp.tensors<@model x f32> {label = "b", init = 0.0 : f32}
sweep.field state @f : i64 {init = 0 : i64}
sweep.field state @g : i64 {init = 0 : i64}
sweep.field state @k : i64 {init = 0 : i64}

// A constant flag is none; what a field is set to anyway is not set.
// CHECK-LABEL: sweep.step @flags
sweep.step @flags() {
  %x = sweep.element @a : f32
  %true = arith.constant true
  %false = arith.constant false
  // CHECK: sweep.store %{{.*}} to @a : f32
  sweep.store %x to @a when %true : f32
  // CHECK-NOT: @b
  sweep.store %x to @b when %false : f32
  %f = sweep.get @f : i64
  // CHECK-NOT: to @f
  sweep.set %f to @f : i64
  // CHECK: sweep.set %{{.*}} to @g : i64
  sweep.set %f to @g when %true : i64
  // CHECK-NOT: @k
  sweep.set %f to @k when %false : i64
}

// Constants stay in the program or pass that uses them: outside they would cross a cut.
// CHECK-LABEL: sweep.step @constants
sweep.step @constants() attributes {cut} {
  // CHECK-NEXT: sweep.pass
  sweep.pass over @model reads [@a] writes [@a] [-1] [] {
  ^bb0(%x: f32):
    %one = arith.constant 1.0 : f32
    %two = arith.addf %one, %one : f32
    // CHECK: arith.constant 2.0
    %y = arith.mulf %x, %two : f32
    sweep.leave write(%y : f32)
  }
  // CHECK: sweep.scalar @final
  sweep.scalar @final {
    // CHECK-NEXT: arith.constant 1 : i64
    %one = arith.constant 1 : i64
    sweep.set %one to @f : i64
  }
}
