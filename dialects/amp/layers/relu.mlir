// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// y = max(x, 0), and its backward. NaN stays NaN, so that a broken forward is seen by the loss.

#row = affine_map<(i, j) -> (i, j)>

func.func @relu(%x: tensor<?x?xf16> {amp.dims = ["batch", "width"]})
    -> (tensor<?x?xf16> {amp.dims = ["batch", "width"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %batch = tensor.dim %x, %c0 : tensor<?x?xf16>
  %width = tensor.dim %x, %c1 : tensor<?x?xf16>
  %stored = tensor.empty(%batch, %width) : tensor<?x?xf16>
  %y = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf16>) outs(%stored : tensor<?x?xf16>) {
  ^bb0(%a: f16, %old: f16):
    %zero = arith.constant 0.0 : f32
    %wide = arith.extf %a : f16 to f32
    %max = arith.maximumf %wide, %zero : f32
    %rounded = arith.truncf %max : f32 to f16
    linalg.yield %rounded : f16
  } -> tensor<?x?xf16>
  return %y : tensor<?x?xf16>
}

// dx = dy where y > 0, else 0. Takes the result of @relu: y > 0 exactly where x > 0, and x need not
// be kept.
func.func @relu_backward(%y: tensor<?x?xf16> {amp.dims = ["batch", "width"]},
                         %dy: tensor<?x?xf16> {amp.dims = ["batch", "width"]})
    -> (tensor<?x?xf16> {amp.dims = ["batch", "width"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %batch = tensor.dim %y, %c0 : tensor<?x?xf16>
  %width = tensor.dim %y, %c1 : tensor<?x?xf16>
  %stored = tensor.empty(%batch, %width) : tensor<?x?xf16>
  %dx = linalg.generic {indexing_maps = [#row, #row, #row], iterator_types = ["parallel", "parallel"]}
      ins(%y, %dy : tensor<?x?xf16>, tensor<?x?xf16>) outs(%stored : tensor<?x?xf16>) {
  ^bb0(%a: f16, %d: f16, %old: f16):
    %zero = arith.constant 0.0 : f32
    %none = arith.constant 0.0 : f16
    %wide = arith.extf %a : f16 to f32
    %on = arith.cmpf ogt, %wide, %zero : f32
    %kept = arith.select %on, %d, %none : f16
    linalg.yield %kept : f16
  } -> tensor<?x?xf16>
  return %dx : tensor<?x?xf16>
}
