// RUN: sawtooth-opt %s --amp-link --amp-inline-layers --cse | FileCheck %s
amp.model @net

// The body comes with the shapes and the storage type of the arguments; sums stay f32.
// CHECK-LABEL: amp.step @bf16
amp.step @bf16(%x: tensor<8x4xbf16>, %w: tensor<4x6xbf16>, %b: tensor<6xbf16>) {
  // CHECK-NOT: amp.call
  // CHECK: %[[START:.*]] = linalg.fill {{.*}} outs(%{{.*}} : tensor<8x6xf32>)
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]}
  // CHECK-SAME: ins(%x, %w : tensor<8x4xbf16>, tensor<4x6xbf16>) outs(%[[START]] : tensor<8x6xf32>)
  // CHECK: arith.extf %{{.*}} : bf16 to f32
  // CHECK: arith.extf %{{.*}} : bf16 to f32
  // CHECK: arith.mulf {{.*}} : f32
  // CHECK: arith.addf {{.*}} : f32
  // CHECK: arith.truncf %{{.*}} : f32 to bf16
  // CHECK: -> tensor<8x6xbf16>
  %y = amp.call @linear(%x, %w, %b) : (tensor<8x4xbf16>, tensor<4x6xbf16>, tensor<6xbf16>) -> tensor<8x6xbf16>
  %z = amp.call @relu(%y) : (tensor<8x6xbf16>) -> tensor<8x6xbf16>
  %p = amp.pack {"z" = %z : tensor<8x6xbf16>} : !amp.tensors<@net x bf16>
  %seen = amp.norm %p : !amp.tensors<@net x bf16>
  amp.log "norm", %seen : f64
}

// In f32 there is nothing to widen or to round.
// CHECK-LABEL: amp.step @f32
amp.step @f32(%x: tensor<8x6xf32>) {
  // CHECK: linalg.generic {{.*}} ins(%x : tensor<8x6xf32>)
  // CHECK-NOT: arith.extf
  // CHECK-NOT: arith.truncf
  // CHECK: amp.pack
  %y = amp.call @relu(%x) : (tensor<8x6xf32>) -> tensor<8x6xf32>
  %p = amp.pack {"y" = %y : tensor<8x6xf32>} : !amp.tensors<@net x f32>
  %seen = amp.norm %p : !amp.tensors<@net x f32>
  amp.log "norm", %seen : f64
}

// A size that a layer computes with is a constant: the mean divides by 5.
// CHECK-LABEL: amp.step @size
amp.step @size(%x: tensor<5xf32>) {
  // CHECK: arith.constant 5.000000e+00 : f32
  %m = amp.call @mean(%x) : (tensor<5xf32>) -> tensor<1xf32>
  amp.log "m", %m : tensor<1xf32>
}

// A layer of a layer.
func.func private @double(%x: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %y = arith.addf %x, %x : tensor<?x?xf16>
  return %y : tensor<?x?xf16>
}
func.func @twice(%x: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %y = func.call @double(%x) : (tensor<?x?xf16>) -> tensor<?x?xf16>
  %z = func.call @double(%y) : (tensor<?x?xf16>) -> tensor<?x?xf16>
  return %z : tensor<?x?xf16>
}
// CHECK-LABEL: amp.step @nested
amp.step @nested(%x: tensor<2x2xf16>) {
  // CHECK-COUNT-2: arith.addf
  %y = amp.call @twice(%x) : (tensor<2x2xf16>) -> tensor<2x2xf16>
  %p = amp.pack {"y" = %y : tensor<2x2xf16>} : !amp.tensors<@net x f16>
  %seen = amp.norm %p : !amp.tensors<@net x f16>
  amp.log "norm", %seen : f64
}

// What was called is gone, unless somebody else calls it.
// CHECK-NOT: @relu
// CHECK-NOT: @double
// CHECK-NOT: @twice
