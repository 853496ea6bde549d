// RUN: sawtooth-opt %s --kernel-to-nvvm | FileCheck %s

// The plan stays what it was: the device has no use for it.
// CHECK: module attributes {sawtooth.plan = "bytes"}
module attributes {sawtooth.plan = "bytes"} {
  // CHECK: llvm.func @k(%{{.*}}: !llvm.ptr<1>) attributes {convergent, no_inline, nvvm.kernel, nvvm.maxntid = array<i32: 256>}
  func.func @k(%ctx: !llvm.ptr<1>) attributes {sawtooth.threads = 256 : i32} {
    // CHECK: nvvm.read.ptx.sreg.tid.x
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %x = llvm.load %ctx : !llvm.ptr<1> -> f32
    // No library: an intrinsic with a rounding of its own.
    // CHECK: llvm.intr.sqrt
    %root = math.sqrt %x : f32
    llvm.store %root, %ctx : f32, !llvm.ptr<1>
    func.call @helper(%thread) : (i32) -> ()
    return
  }
  // CHECK: llvm.func internal @helper(%{{.*}}: i32) attributes {convergent, no_inline
  func.func private @helper(%x: i32) {
    nvvm.barrier0
    return
  }
}
