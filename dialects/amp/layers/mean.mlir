// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The mean of one f32 for each example: the sum from +0.0 in ascending index, divided by the number
// of examples. A loss has a dimension of size 1, never rank 0. And its backward.

func.func @mean(%x: tensor<?xf32> {amp.dims = ["batch"]}) -> tensor<1xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %batch = tensor.dim %x, %c0 : tensor<?xf32>
  %size = arith.index_cast %batch : index to i64
  %count = arith.sitofp %size : i64 to f32
  %single = tensor.empty() : tensor<1xf32>
  %start = linalg.fill ins(%zero : f32) outs(%single : tensor<1xf32>) -> tensor<1xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?xf32>) outs(%start : tensor<1xf32>) {
  ^bb0(%a: f32, %s: f32):
    %next = arith.addf %s, %a : f32
    linalg.yield %next : f32
  } -> tensor<1xf32>
  %mean = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                          iterator_types = ["parallel"]}
      ins(%sum : tensor<1xf32>) outs(%single : tensor<1xf32>) {
  ^bb0(%s: f32, %old: f32):
    %result = arith.divf %s, %count : f32
    linalg.yield %result : f32
  } -> tensor<1xf32>
  return %mean : tensor<1xf32>
}

// dx = seed / number of examples, for each of them. Takes the argument of @mean for its size.
func.func @mean_backward(%x: tensor<?xf32> {amp.dims = ["batch"]}, %seed: tensor<1xf32>)
    -> (tensor<?xf32> {amp.dims = ["batch"]}) {
  %c0 = arith.constant 0 : index
  %batch = tensor.dim %x, %c0 : tensor<?xf32>
  %size = arith.index_cast %batch : index to i64
  %count = arith.sitofp %size : i64 to f32
  %each = tensor.empty(%batch) : tensor<?xf32>
  %dx = linalg.generic {indexing_maps = [affine_map<(i) -> (0)>, affine_map<(i) -> (i)>],
                        iterator_types = ["parallel"]}
      ins(%seed : tensor<1xf32>) outs(%each : tensor<?xf32>) {
  ^bb0(%d: f32, %old: f32):
    %result = arith.divf %d, %count : f32
    linalg.yield %result : f32
  } -> tensor<?xf32>
  return %dx : tensor<?xf32>
}
