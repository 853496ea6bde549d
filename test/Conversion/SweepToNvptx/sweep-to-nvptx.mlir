// Passes of a GPU: shares of the work, wide accesses and single ones, reductions, who is last.
// RUN: split-file %s %t
// RUN: sawtooth-opt %t/map.mlir --sweep-to-nvptx | FileCheck %s --check-prefix=MAP
// RUN: sawtooth-opt %t/reduce.mlir --sweep-to-nvptx | FileCheck %s --check-prefix=REDUCE
// RUN: sawtooth-opt %t/two.mlir --sweep-to-nvptx | FileCheck %s --check-prefix=TWO
// RUN: sawtooth-opt %t/gate.mlir --sweep-to-nvptx | FileCheck %s --check-prefix=GATE

//--- map.mlir
// MAP: module attributes {sawtooth.plan = "SAWTHPLN
// MAP-LABEL: func.func @sawtooth_scale_0(%arg0: !llvm.ptr<1>) attributes {sawtooth.threads = 256 : i32}
// Eight warps share a row.
// MAP: nvvm.read.ptx.sreg.nctaid.x
// MAP: scf.for {{.*}} : i32
// MAP: arith.constant 3 : i64
// MAP-NEXT: arith.shrui
// Elements one by one: neighbours by neighbours.
// MAP: scf.for {{.*}} : i32
// MAP: llvm.load {{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<1xf32>
// MAP: llvm.store {{.*}} {alignment = 2 : i64} : vector<1xf16>
// Four at a time.
// MAP: scf.for {{.*}} : i32
// MAP: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// A NaN is chosen behind the conversion to 16 bits, which has one of its own.
// MAP: arith.truncf {{.*}} : vector<4xf32> to vector<4xf16>
// MAP: llvm.store {{.*}} {alignment = 16 : i64} : vector<4xf32>
// MAP: arith.constant dense<0x7E00> : vector<4xf16>
// MAP: llvm.store {{.*}} {alignment = 8 : i64} : vector<4xf16>
// The ticket, between fences of the device, by one thread between barriers.
// MAP: nvvm.barrier0
// MAP: scf.if
// MAP: llvm.fence syncscope("device") acq_rel
// MAP: llvm.atomicrmw add {{.*}} monotonic
// MAP-NEXT: llvm.fence syncscope("device") acq_rel
// MAP: nvvm.barrier0
// The row of the ring: 0 first, then what each thread writes behind a fence of its own, and the
// number last, behind a fence.
// MAP: llvm.store volatile
// MAP: nvvm.barrier0
// MAP-NEXT: llvm.fence acq_rel
// MAP: llvm.store volatile
// MAP: scf.for
// MAP: llvm.store volatile
// MAP: llvm.fence acq_rel
// MAP-NEXT: nvvm.barrier0
// MAP: llvm.fence acq_rel
// MAP: llvm.store volatile
// MAP-NOT: sweep.
amp.model @model
sweep.list state @w : !amp.tensors<@model x f32> {init = #amp.required, label = "w"}
sweep.list state @h : !amp.tensors<@model x f16> {copy_of = @w, label = "h"}
sweep.step @scale(%k: f32) attributes {commits, cut} {
  sweep.pass over @model reads [@w] writes [@w, @h] [-1, -1] [] {
  ^bb0(%w: f32):
    %0 = arith.mulf %w, %k : f32
    %1 = arith.truncf %0 : f32 to f16
    sweep.leave write(%0, %1 : f32, f16)
  }
  sweep.scalar @final {
    %true = arith.constant true
    sweep.outcome %true []
  }
}

//--- reduce.mlir
// A step's name need not be one of PTX.
// REDUCE-LABEL: func.func @sawtooth_look_at_it_0(
// Two rounds at once: four vectors; the sum is carried in two vectors, the flag in a bit.
// REDUCE: scf.for {{.*}} -> (vector<4xf32>, vector<4xf32>, i1)
// REDUCE-COUNT-4: llvm.load {{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<4xf16>
// The last round, which may be partial or unaligned.
// REDUCE: scf.for {{.*}} -> (vector<4xf32>, vector<4xf32>, i1)
// REDUCE: scf.if {{.*}} -> (vector<4xf16>)
// REDUCE: llvm.load {{.*}} {alignment = 2 : i64} : !llvm.ptr<1> -> f16
// Halving: the two vectors, then between threads, then in the first one.
// REDUCE: arith.addf {{.*}} : vector<4xf32>
// REDUCE-COUNT-20: nvvm.shfl.sync down
// REDUCE: arith.extf {{.*}} : f32 to f64
// REDUCE: nvvm.vote.sync any
// The last block folds; the flag in any order.
// REDUCE: call @sawtooth.fold_tensors_add_16(
// REDUCE: nvvm.barrier0
// REDUCE: call @sawtooth.fold_rows_add_16(
// REDUCE: call @sawtooth.fold_column_or_16(
// REDUCE-LABEL: func.func private @sawtooth.fold_tensors_add_16(
// Several chunks: a warp a tensor, eight lanes a thread.
// REDUCE: scf.while
// REDUCE: scf.for {{.*}} -> (f64, f64, f64, f64, f64, f64, f64, f64)
amp.model @model
sweep.list argument @g : !amp.tensors<@model x f16> {label = "g", step = @"look at it"}
sweep.step @"look at it"() attributes {cut} {
  %sum, %bad = sweep.pass over @model reads [@g] writes [] [] [#sweep.reduction<add over step>, #sweep.reduction<or over step>] {
  ^bb0(%g: f16):
    %x = arith.extf %g : f16 to f32
    %square = arith.mulf %x, %x : f32
    %zero = arith.constant 0.0 : f32
    %negative = arith.cmpf olt, %x, %zero : f32
    sweep.leave reduce(%square, %negative : f32, i1)
  } : f64, i1
  sweep.scalar @final {
    sweep.log "sum", %sum last : f64
    %true = arith.constant true
    %ok = arith.xori %bad, %true : i1
    sweep.outcome %ok []
  }
}

//--- two.mlir
// Passes over two models are one launch; the second finds its share behind the first.
// TWO: func.func @sawtooth_both_0(
// TWO: vector<4xf32>
// TWO: arith.remui
// TWO: vector<4xf32>
// TWO-NOT: func.func @sawtooth_both_1(
amp.model @a
amp.model @b
sweep.list state @v : !amp.tensors<@a x f32> {init = 0.0 : f32, label = "v"}
sweep.list state @w : !amp.tensors<@b x f32> {init = 0.0 : f32, label = "w"}
sweep.step @both(%k: f32) attributes {commits, cut} {
  sweep.pass over @a reads [@v] writes [@v] [-1] [] {
  ^bb0(%x: f32):
    %0 = arith.addf %x, %k : f32
    sweep.leave write(%0 : f32)
  }
  sweep.pass over @b reads [@w] writes [@w] [-1] [] {
  ^bb0(%x: f32):
    %0 = arith.mulf %x, %k : f32
    sweep.leave write(%0 : f32)
  }
  sweep.scalar @final {
    %true = arith.constant true
    sweep.outcome %true []
  }
}

//--- gate.mlir
// An entry program: one thread of each block, to shared memory; the gate is read there.
// GATE: llvm.mlir.global internal @sawtooth_maybe_0.entry() {addr_space = 3
// GATE: func.func @sawtooth_maybe_0(
// GATE: scf.if
// GATE: llvm.store {{.*}} : i8, !llvm.ptr<3>
// GATE: nvvm.barrier0
// GATE: llvm.load {{.*}} : !llvm.ptr<3> -> i8
// GATE: scf.if
// GATE: scf.for
amp.model @model
sweep.list state @w : !amp.tensors<@model x f32> {init = 0.0 : f32, label = "w"}
sweep.step @maybe(%k: f32) attributes {commits, cut} {
  %ok = sweep.scalar @entry {
    %zero = arith.constant 0.0 : f32
    %positive = arith.cmpf ogt, %k, %zero : f32
    sweep.yield %positive : i1
  } : i1
  sweep.pass over @model reads [@w] writes [@w] when %ok [-1] [] {
  ^bb0(%x: f32):
    %0 = arith.mulf %x, %k : f32
    sweep.leave write(%0 : f32)
  }
  sweep.scalar @final {
    sweep.outcome %ok []
  }
}
