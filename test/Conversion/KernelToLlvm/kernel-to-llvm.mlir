// RUN: sawtooth-opt %s --kernel-to-llvm | FileCheck %s

// CHECK-NOT: sawtooth.plan =
// CHECK: llvm.func internal @step.0_pass(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64)
// CHECK: llvm.intr.sqrt
// CHECK: llvm.mlir.global internal constant @sawtooth.plan("plan bytes") {{.*}}alignment = 8
// CHECK: llvm.mlir.global internal constant @sawtooth.functions() {{.*}} : !llvm.array<1 x ptr>
// CHECK: llvm.mlir.addressof @step.0_pass
// CHECK: llvm.mlir.global internal constant @sawtooth.artifact() {{.*}} : !llvm.struct<(i32, i32, ptr, ptr, i64, ptr)>
// The only symbol that others see; null for an ABI that it does not know.
// CHECK: llvm.func @sawtooth_query(%[[ABI:.*]]: i32) -> !llvm.ptr
// CHECK: llvm.icmp "eq" %[[ABI]]
// CHECK: llvm.select
// CHECK-NOT: llvm.func
module attributes {sawtooth.functions = [@step.0_pass], sawtooth.plan = "plan bytes"} {
  func.func @step.0_pass(%ctx: !llvm.ptr, %begin: i64, %end: i64) {
    %one = arith.constant 1 : i64
    scf.for %i = %begin to %end step %one : i64 {
      %p = llvm.getelementptr %ctx[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %x = llvm.load %p : !llvm.ptr -> vector<8xf32>
      %y = math.sqrt %x : vector<8xf32>
      llvm.store %y, %p : vector<8xf32>, !llvm.ptr
    }
    return
  }
}
