// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// gelu(x) = x * P(x) with P the normal distribution's cumulative function, by erf and not by the
// tanh approximation: Hendrycks and Gimpel 2016, arXiv:1606.08415. erf and exp are taken in f64 and
// narrowed once, everything else is f32.

#row = affine_map<(i, j) -> (i, j)>

func.func @gelu(%x: tensor<?x?xf16> {amp.dims = ["batch", "width"]})
    -> (tensor<?x?xf16> {amp.dims = ["batch", "width"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %batch = tensor.dim %x, %c0 : tensor<?x?xf16>
  %width = tensor.dim %x, %c1 : tensor<?x?xf16>
  %stored = tensor.empty(%batch, %width) : tensor<?x?xf16>
  %y = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf16>) outs(%stored : tensor<?x?xf16>) {
  ^bb0(%a: f16, %old: f16):
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %rsqrt2 = arith.constant 0.70710678118654752440 : f32
    %wide = arith.extf %a : f16 to f32
    %z = arith.mulf %wide, %rsqrt2 : f32
    %z64 = arith.extf %z : f32 to f64
    %erf64 = math.erf %z64 : f64
    %erf = arith.truncf %erf64 : f64 to f32
    %erf1 = arith.addf %erf, %one : f32
    %p = arith.mulf %erf1, %half : f32
    %result = arith.mulf %wide, %p : f32
    %rounded = arith.truncf %result : f32 to f16
    linalg.yield %rounded : f16
  } -> tensor<?x?xf16>
  return %y : tensor<?x?xf16>
}

// dx = dy * (P(x) + x * p(x)) with the density p(x) = exp(-x^2 / 2) / sqrt(2 pi). Takes the argument
// of @gelu.
func.func @gelu_backward(%x: tensor<?x?xf16> {amp.dims = ["batch", "width"]},
                         %dy: tensor<?x?xf16> {amp.dims = ["batch", "width"]})
    -> (tensor<?x?xf16> {amp.dims = ["batch", "width"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %batch = tensor.dim %x, %c0 : tensor<?x?xf16>
  %width = tensor.dim %x, %c1 : tensor<?x?xf16>
  %stored = tensor.empty(%batch, %width) : tensor<?x?xf16>
  %dx = linalg.generic {indexing_maps = [#row, #row, #row], iterator_types = ["parallel", "parallel"]}
      ins(%x, %dy : tensor<?x?xf16>, tensor<?x?xf16>) outs(%stored : tensor<?x?xf16>) {
  ^bb0(%a: f16, %d: f16, %old: f16):
    %half = arith.constant 0.5 : f32
    %minusHalf = arith.constant -0.5 : f32
    %one = arith.constant 1.0 : f32
    %rsqrt2 = arith.constant 0.70710678118654752440 : f32
    %rsqrt2pi = arith.constant 0.39894228040143267794 : f32
    %wide = arith.extf %a : f16 to f32
    %z = arith.mulf %wide, %rsqrt2 : f32
    %z64 = arith.extf %z : f32 to f64
    %erf64 = math.erf %z64 : f64
    %erf = arith.truncf %erf64 : f64 to f32
    %erf1 = arith.addf %erf, %one : f32
    %p = arith.mulf %erf1, %half : f32
    %square = arith.mulf %wide, %wide : f32
    %exponent = arith.mulf %square, %minusHalf : f32
    %exponent64 = arith.extf %exponent : f32 to f64
    %exp64 = math.exp %exponent64 : f64
    %exp = arith.truncf %exp64 : f64 to f32
    %density = arith.mulf %exp, %rsqrt2pi : f32
    %moved = arith.mulf %wide, %density : f32
    %slope = arith.addf %p, %moved : f32
    %dWide = arith.extf %d : f16 to f32
    %result = arith.mulf %dWide, %slope : f32
    %rounded = arith.truncf %result : f32 to f16
    linalg.yield %rounded : f16
  } -> tensor<?x?xf16>
  return %dx : tensor<?x?xf16>
}
