// Sizes of the tensor that is worked on: tables of the model, read once a chunk or a tensor.
// RUN: sawtooth-opt %s --sweep-to-kernel --canonicalize | FileCheck %s

amp.model @model
sweep.list state @w : !amp.tensors<@model x f32> {label = "w", init = #amp.required}

// CHECK-LABEL: func.func @sizes.0_shape(
// CHECK: scf.for
// numel, then rank, then dimension 1, of 8 a tensor.
// CHECK: llvm.getelementptr %[[M:.*]][24]
// CHECK: llvm.getelementptr %[[M]][32]
// CHECK: llvm.getelementptr %[[M]][40]
// CHECK: llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<64 x i8>
// CHECK-NEXT: llvm.getelementptr %{{.*}}[8]

// CHECK-LABEL: func.func @sizes.1_pass(
// CHECK: arith.sitofp {{.*}} : i64 to f32
// CHECK: vector.broadcast {{.*}} : f32 to vector<16xf32>
// CHECK: scf.for
// CHECK-NOT: arith.sitofp
sweep.step @sizes() attributes {cut, commits} {
  %t = sweep.scalar @shape {
    %e = sweep.each over @model() : () -> (!sweep.per_tensor<@model x i64>) {
      %n = sweep.numel of @model
      %r = sweep.rank of @model
      %d = sweep.dim 1 of @model
      %0 = arith.muli %n, %r : i64
      %1 = arith.addi %0, %d : i64
      sweep.yield %1 : i64
    }
    sweep.yield %e : !sweep.per_tensor<@model x i64>
  } : !sweep.per_tensor<@model x i64>
  sweep.pass over @model reads [@w] writes [@w] tensors(%t : !sweep.per_tensor<@model x i64>) [-1] [] {
  ^bb0(%w: f32, %s: i64):
    %r = sweep.rank of @model
    %d = sweep.dim 0 of @model
    %0 = arith.muli %r, %d : i64
    %1 = arith.addi %0, %s : i64
    %2 = arith.sitofp %1 : i64 to f32
    %3 = arith.addf %w, %2 : f32
    sweep.leave write(%3 : f32)
  }
  sweep.scalar @final {
    %true = arith.constant true
    sweep.outcome %true []
  }
}
