// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The share of examples whose largest logit stands at the label; of equal ones the first counts. An
// example with a NaN among its logits has no largest one and counts as wrong.

#row = affine_map<(i, j) -> (i, j)>
#first = affine_map<(i, j) -> (i)>

func.func @accuracy(%x: tensor<?x?xf16> {amp.dims = ["batch", "classes"]},
                    %labels: tensor<?xi32> {amp.dims = ["batch"]}) -> tensor<1xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %nobody = arith.constant 0x7FFFFFFF : i32
  %batch = tensor.dim %x, %c0 : tensor<?x?xf16>
  %size = arith.index_cast %batch : index to i64
  %count = arith.sitofp %size : i64 to f32

  %maxEach = tensor.empty(%batch) : tensor<?xf32>
  %maxStart = linalg.fill ins(%lowest : f32) outs(%maxEach : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.generic {indexing_maps = [#row, #first], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf16>) outs(%maxStart : tensor<?xf32>) {
  ^bb0(%a: f16, %m: f32):
    %wide = arith.extf %a : f16 to f32
    %next = arith.maximumf %m, %wide : f32
    linalg.yield %next : f32
  } -> tensor<?xf32>

  %bestEach = tensor.empty(%batch) : tensor<?xi32>
  %bestStart = linalg.fill ins(%nobody : i32) outs(%bestEach : tensor<?xi32>) -> tensor<?xi32>
  %best = linalg.generic {indexing_maps = [#row, #first, #first], iterator_types = ["parallel", "reduction"]}
      ins(%x, %max : tensor<?x?xf16>, tensor<?xf32>) outs(%bestStart : tensor<?xi32>) {
  ^bb0(%a: f16, %m: f32, %found: i32):
    %nothing = arith.constant 0x7FFFFFFF : i32
    %class = linalg.index 1 : index
    %number = arith.index_cast %class : index to i32
    %wide = arith.extf %a : f16 to f32
    %largest = arith.cmpf oeq, %wide, %m : f32
    %here = arith.select %largest, %number, %nothing : i32
    %next = arith.minsi %found, %here : i32
    linalg.yield %next : i32
  } -> tensor<?xi32>

  %single = tensor.empty() : tensor<1xf32>
  %start = linalg.fill ins(%zero : f32) outs(%single : tensor<1xf32>) -> tensor<1xf32>
  %hits = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j)>,
                                           affine_map<(i, j) -> (i)>],
                          iterator_types = ["parallel", "reduction"]}
      ins(%best, %labels : tensor<?xi32>, tensor<?xi32>) outs(%start : tensor<1xf32>) {
  ^bb0(%b: i32, %label: i32, %s: f32):
    %right = arith.cmpi eq, %b, %label : i32
    %one = arith.uitofp %right : i1 to f32
    %next = arith.addf %s, %one : f32
    linalg.yield %next : f32
  } -> tensor<1xf32>
  %share = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                           iterator_types = ["parallel"]}
      ins(%hits : tensor<1xf32>) outs(%single : tensor<1xf32>) {
  ^bb0(%s: f32, %old: f32):
    %result = arith.divf %s, %count : f32
    linalg.yield %result : f32
  } -> tensor<1xf32>
  return %share : tensor<1xf32>
}
