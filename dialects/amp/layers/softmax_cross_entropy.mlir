// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The loss of each example, log(sum_c exp(x_c)) - x_label in f32, and its backward. The largest
// logit is taken out first, so that exp cannot overflow; exp and log are taken in f64 and narrowed
// once. Both functions begin alike, so that a step computes the common part once. A label outside
// 0 .. classes-1 gives NaN: in the loss of its example, and in its gradient, which a finite test
// then catches.

#row = affine_map<(i, j) -> (i, j)>
#first = affine_map<(i, j) -> (i)>
#one = affine_map<(i) -> (i)>

func.func @softmax_cross_entropy(%x: tensor<?x?xf16> {amp.dims = ["batch", "classes"]},
                                 %labels: tensor<?xi32> {amp.dims = ["batch"]})
    -> (tensor<?xf32> {amp.dims = ["batch"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %batch = tensor.dim %x, %c0 : tensor<?x?xf16>
  %classes = tensor.dim %x, %c1 : tensor<?x?xf16>
  %each = tensor.empty(%batch) : tensor<?xf32>

  %maxStart = linalg.fill ins(%lowest : f32) outs(%each : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.generic {indexing_maps = [#row, #first], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf16>) outs(%maxStart : tensor<?xf32>) {
  ^bb0(%a: f16, %m: f32):
    %wide = arith.extf %a : f16 to f32
    %next = arith.maximumf %m, %wide : f32
    linalg.yield %next : f32
  } -> tensor<?xf32>

  %exps = tensor.empty(%batch, %classes) : tensor<?x?xf32>
  %exp = linalg.generic {indexing_maps = [#row, #first, #row], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<?x?xf16>, tensor<?xf32>) outs(%exps : tensor<?x?xf32>) {
  ^bb0(%a: f16, %m: f32, %old: f32):
    %wide = arith.extf %a : f16 to f32
    %below = arith.subf %wide, %m : f32
    %below64 = arith.extf %below : f32 to f64
    %exp64 = math.exp %below64 : f64
    %result = arith.truncf %exp64 : f64 to f32
    linalg.yield %result : f32
  } -> tensor<?x?xf32>

  %sumStart = linalg.fill ins(%zero : f32) outs(%each : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#row, #first], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<?x?xf32>) outs(%sumStart : tensor<?xf32>) {
  ^bb0(%e: f32, %s: f32):
    %next = arith.addf %s, %e : f32
    linalg.yield %next : f32
  } -> tensor<?xf32>

  %labelStart = linalg.fill ins(%nan : f32) outs(%each : tensor<?xf32>) -> tensor<?xf32>
  %chosen = linalg.generic {indexing_maps = [#row, #first, #first], iterator_types = ["parallel", "reduction"]}
      ins(%x, %labels : tensor<?x?xf16>, tensor<?xi32>) outs(%labelStart : tensor<?xf32>) {
  ^bb0(%a: f16, %label: i32, %found: f32):
    %class = linalg.index 1 : index
    %number = arith.index_cast %class : index to i32
    %hit = arith.cmpi eq, %number, %label : i32
    %wide = arith.extf %a : f16 to f32
    %next = arith.select %hit, %wide, %found : f32
    linalg.yield %next : f32
  } -> tensor<?xf32>

  %loss = linalg.generic {indexing_maps = [#one, #one, #one, #one], iterator_types = ["parallel"]}
      ins(%max, %sum, %chosen : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
      outs(%each : tensor<?xf32>) {
  ^bb0(%m: f32, %s: f32, %a: f32, %old: f32):
    %s64 = arith.extf %s : f32 to f64
    %log64 = math.log %s64 : f64
    %log = arith.truncf %log64 : f64 to f32
    %below = arith.subf %m, %a : f32
    %result = arith.addf %log, %below : f32
    linalg.yield %result : f32
  } -> tensor<?xf32>
  return %loss : tensor<?xf32>
}

// dx_c = (exp(x_c) / sum - [c is the label]) * seed, with the seed of each example in f32, scaled or
// not.
func.func @softmax_cross_entropy_backward(%x: tensor<?x?xf16> {amp.dims = ["batch", "classes"]},
                                          %labels: tensor<?xi32> {amp.dims = ["batch"]},
                                          %seed: tensor<?xf32> {amp.dims = ["batch"]})
    -> (tensor<?x?xf16> {amp.dims = ["batch", "classes"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %batch = tensor.dim %x, %c0 : tensor<?x?xf16>
  %classes = tensor.dim %x, %c1 : tensor<?x?xf16>
  %each = tensor.empty(%batch) : tensor<?xf32>

  %maxStart = linalg.fill ins(%lowest : f32) outs(%each : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.generic {indexing_maps = [#row, #first], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf16>) outs(%maxStart : tensor<?xf32>) {
  ^bb0(%a: f16, %m: f32):
    %wide = arith.extf %a : f16 to f32
    %next = arith.maximumf %m, %wide : f32
    linalg.yield %next : f32
  } -> tensor<?xf32>

  %exps = tensor.empty(%batch, %classes) : tensor<?x?xf32>
  %exp = linalg.generic {indexing_maps = [#row, #first, #row], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<?x?xf16>, tensor<?xf32>) outs(%exps : tensor<?x?xf32>) {
  ^bb0(%a: f16, %m: f32, %old: f32):
    %wide = arith.extf %a : f16 to f32
    %below = arith.subf %wide, %m : f32
    %below64 = arith.extf %below : f32 to f64
    %exp64 = math.exp %below64 : f64
    %result = arith.truncf %exp64 : f64 to f32
    linalg.yield %result : f32
  } -> tensor<?x?xf32>

  %sumStart = linalg.fill ins(%zero : f32) outs(%each : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#row, #first], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<?x?xf32>) outs(%sumStart : tensor<?xf32>) {
  ^bb0(%e: f32, %s: f32):
    %next = arith.addf %s, %e : f32
    linalg.yield %next : f32
  } -> tensor<?xf32>

  %count = arith.index_cast %classes : index to i32
  %stored = tensor.empty(%batch, %classes) : tensor<?x?xf16>
  %dx = linalg.generic {indexing_maps = [#row, #first, #first, #first, #row],
                        iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum, %labels, %seed : tensor<?x?xf32>, tensor<?xf32>, tensor<?xi32>, tensor<?xf32>)
      outs(%stored : tensor<?x?xf16>) {
  ^bb0(%e: f32, %s: f32, %label: i32, %d: f32, %old: f16):
    %one = arith.constant 1.0 : f32
    %none = arith.constant 0.0 : f32
    %nan = arith.constant 0x7FC00000 : f32
    %class = linalg.index 1 : index
    %number = arith.index_cast %class : index to i32
    %hit = arith.cmpi eq, %number, %label : i32
    // Unsigned, a negative label is too large as well.
    %known = arith.cmpi ult, %label, %count : i32
    %p = arith.divf %e, %s : f32
    %target = arith.select %hit, %one, %none : f32
    %valid = arith.select %known, %target, %nan : f32
    %off = arith.subf %p, %valid : f32
    %result = arith.mulf %off, %d : f32
    %rounded = arith.truncf %result : f32 to f16
    linalg.yield %rounded : f16
  } -> tensor<?x?xf16>
  return %dx : tensor<?x?xf16>
}
