// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// y = x . w + b, and its backward. Products accumulate in f32 from +0.0 in ascending index; a result
// is rounded to storage once. `amp.dims` names the dimensions that must agree.

#row = affine_map<(i, j) -> (i, j)>
#last = affine_map<(i, j) -> (j)>
#first = affine_map<(i, j) -> (i)>
#turned = affine_map<(i, j) -> (j, i)>

func.func @linear(%x: tensor<?x?xf16> {amp.dims = ["batch", "in"]},
                  %w: tensor<?x?xf16> {amp.dims = ["in", "out"]},
                  %b: tensor<?xf16> {amp.dims = ["out"]})
    -> (tensor<?x?xf16> {amp.dims = ["batch", "out"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %batch = tensor.dim %x, %c0 : tensor<?x?xf16>
  %out = tensor.dim %w, %c1 : tensor<?x?xf16>
  %sums = tensor.empty(%batch, %out) : tensor<?x?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%sums : tensor<?x?xf32>) -> tensor<?x?xf32>
  %xw = linalg.matmul ins(%x, %w : tensor<?x?xf16>, tensor<?x?xf16>)
                      outs(%start : tensor<?x?xf32>) -> tensor<?x?xf32>
  %stored = tensor.empty(%batch, %out) : tensor<?x?xf16>
  %y = linalg.generic {indexing_maps = [#row, #last, #row], iterator_types = ["parallel", "parallel"]}
      ins(%xw, %b : tensor<?x?xf32>, tensor<?xf16>) outs(%stored : tensor<?x?xf16>) {
  ^bb0(%p: f32, %bias: f16, %old: f16):
    %wide = arith.extf %bias : f16 to f32
    %sum = arith.addf %p, %wide : f32
    %rounded = arith.truncf %sum : f32 to f16
    linalg.yield %rounded : f16
  } -> tensor<?x?xf16>
  return %y : tensor<?x?xf16>
}

// dx = dy . wT, dw = xT . dy, db = the sum of dy over the batch.
func.func @linear_backward(%x: tensor<?x?xf16> {amp.dims = ["batch", "in"]},
                           %w: tensor<?x?xf16> {amp.dims = ["in", "out"]},
                           %dy: tensor<?x?xf16> {amp.dims = ["batch", "out"]})
    -> (tensor<?x?xf16> {amp.dims = ["batch", "in"]},
        tensor<?x?xf16> {amp.dims = ["in", "out"]},
        tensor<?xf16> {amp.dims = ["out"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %batch = tensor.dim %x, %c0 : tensor<?x?xf16>
  %in = tensor.dim %w, %c0 : tensor<?x?xf16>
  %out = tensor.dim %w, %c1 : tensor<?x?xf16>

  // Both products run along rows of their right operand: w is turned first.
  %turned = tensor.empty(%out, %in) : tensor<?x?xf16>
  %wt = linalg.transpose ins(%w : tensor<?x?xf16>) outs(%turned : tensor<?x?xf16>) permutation = [1, 0]
  %dxSums = tensor.empty(%batch, %in) : tensor<?x?xf32>
  %dxStart = linalg.fill ins(%zero : f32) outs(%dxSums : tensor<?x?xf32>) -> tensor<?x?xf32>
  %dxWide = linalg.matmul ins(%dy, %wt : tensor<?x?xf16>, tensor<?x?xf16>)
                          outs(%dxStart : tensor<?x?xf32>) -> tensor<?x?xf32>
  %dxStored = tensor.empty(%batch, %in) : tensor<?x?xf16>
  %dx = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]}
      ins(%dxWide : tensor<?x?xf32>) outs(%dxStored : tensor<?x?xf16>) {
  ^bb0(%sum: f32, %old: f16):
    %rounded = arith.truncf %sum : f32 to f16
    linalg.yield %rounded : f16
  } -> tensor<?x?xf16>

  %dwSums = tensor.empty(%in, %out) : tensor<?x?xf32>
  %dwStart = linalg.fill ins(%zero : f32) outs(%dwSums : tensor<?x?xf32>) -> tensor<?x?xf32>
  %dwWide = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>,
                                           affine_map<(i, j, k) -> (k, j)>,
                                           affine_map<(i, j, k) -> (i, j)>]
                          ins(%x, %dy : tensor<?x?xf16>, tensor<?x?xf16>)
                          outs(%dwStart : tensor<?x?xf32>) -> tensor<?x?xf32>
  %dwStored = tensor.empty(%in, %out) : tensor<?x?xf16>
  %dw = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]}
      ins(%dwWide : tensor<?x?xf32>) outs(%dwStored : tensor<?x?xf16>) {
  ^bb0(%sum: f32, %old: f16):
    %rounded = arith.truncf %sum : f32 to f16
    linalg.yield %rounded : f16
  } -> tensor<?x?xf16>

  %dbSums = tensor.empty(%out) : tensor<?xf32>
  %dbStart = linalg.fill ins(%zero : f32) outs(%dbSums : tensor<?xf32>) -> tensor<?xf32>
  %dbWide = linalg.generic {indexing_maps = [#turned, #first], iterator_types = ["parallel", "reduction"]}
      ins(%dy : tensor<?x?xf16>) outs(%dbStart : tensor<?xf32>) {
  ^bb0(%d: f16, %sum: f32):
    %wide = arith.extf %d : f16 to f32
    %next = arith.addf %sum, %wide : f32
    linalg.yield %next : f32
  } -> tensor<?xf32>
  %dbStored = tensor.empty(%out) : tensor<?xf16>
  %db = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                        iterator_types = ["parallel"]}
      ins(%dbWide : tensor<?xf32>) outs(%dbStored : tensor<?xf16>) {
  ^bb0(%sum: f32, %old: f16):
    %rounded = arith.truncf %sum : f32 to f16
    linalg.yield %rounded : f16
  } -> tensor<?xf16>
  return %dx, %dw, %db : tensor<?x?xf16>, tensor<?x?xf16>, tensor<?xf16>
}
