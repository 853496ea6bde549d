// RUN: sawtooth-opt %s --amp-link --amp-inline-layers --amp-outline-forward | FileCheck %s
!half = !amp.tensors<@net x f16>
amp.model @net
amp.scaler @s by @pytorch
amp.state @w : !amp.tensors<@net x f32> = 0.0
amp.state @h : !half copy_of @w

// Tensor arguments, leaves, scalars; packs, then the sources of extracts. The unused argument is
// not taken.
// CHECK-LABEL: func.func private @train.model(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<8x4xf16>, %[[W:[^:]*]]: tensor<4x6xf16>, %[[B:[^:]*]]: tensor<6xf16>, %[[S:[^:]*]]: f32)
// CHECK-SAME:    -> (tensor<8x6xf16>, tensor<8x6xf16>, tensor<1xf32>)
// The sums start as the layer says.
// CHECK:         %[[SUMS:.*]] = linalg.generic {{.*}}"reduction"]} ins(%[[X]], %[[W]] :
// The bias and @relu are one loop: what @linear rounds is widened again, not kept.
// CHECK:         %[[Y:.*]] = linalg.generic {{.*}} ins(%[[SUMS]], %[[B]] : tensor<8x6xf32>, tensor<6xf16>)
// CHECK:           arith.truncf
// CHECK-NEXT:      arith.extf
// CHECK-NEXT:      arith.maximumf
// CHECK-NEXT:      arith.truncf
// CHECK-NEXT:      linalg.yield
// The same tensor packed twice has two buffers.
// CHECK:         %[[COPY:.*]] = linalg.generic {{.*}} ins(%[[Y]] : tensor<8x6xf16>)
// CHECK:         return %[[Y]], %[[COPY]], %{{.*}} : tensor<8x6xf16>, tensor<8x6xf16>, tensor<1xf32>
// CHECK-LABEL: amp.step @train
amp.step @train(%x: tensor<8x4xf16>, %unused: tensor<3xf32>) {
  %h = amp.read @h : !half
  // CHECK-DAG: %[[LW:.*]] = amp.leaf %{{.*}}["w"]
  // CHECK-DAG: %[[LB:.*]] = amp.leaf %{{.*}}["b"]
  // CHECK-DAG: %[[LS:.*]] = amp.read @s : f32
  // CHECK: %[[ALL:.*]]:3 = func.call @train.model(%x, %[[LW]], %[[LB]], %[[LS]])
  // CHECK: %[[P:.*]] = amp.pack {"p" = %[[ALL]]#0 : tensor<8x6xf16>, "q" = %[[ALL]]#1 : tensor<8x6xf16>}
  // CHECK: %[[LOSS:.*]] = tensor.extract %[[ALL]]#2[%{{.*}}] : tensor<1xf32>
  // CHECK: amp.log "seed", %[[LOSS]] : f32
  %w = amp.leaf %h["w"] : !half -> tensor<4x6xf16>
  %b = amp.leaf %h["b"] : !half -> tensor<6xf16>
  %y = amp.call @linear(%x, %w, %b) : (tensor<8x4xf16>, tensor<4x6xf16>, tensor<6xf16>) -> tensor<8x6xf16>
  %z = amp.call @relu(%y) : (tensor<8x6xf16>) -> tensor<8x6xf16>
  %one = arith.constant dense<1.0> : tensor<1xf32>
  %seed = amp.scale %one by @s : tensor<1xf32>
  %g = amp.pack {"p" = %z : tensor<8x6xf16>, "q" = %z : tensor<8x6xf16>} : !half
  %seen = amp.norm %g : !half
  amp.log "norm", %seen : f64
  amp.log "seed", %seed : tensor<1xf32>
}

// A result of more dimensions leaves as one; a scalar of the step goes in, wherever it stands.
// CHECK-LABEL: func.func private @shapes.model(
// CHECK-SAME:    %{{.*}}: tensor<1x1xf32>, %[[K:[^:]*]]: f32) -> tensor<1xf32>
// CHECK:         arith.mulf %{{.*}}, %[[K]] : f32
// CHECK:         tensor.collapse_shape
// CHECK-LABEL: amp.step @shapes
amp.step @shapes(%x: tensor<1x1xf32>, %k: f64) {
  %c0 = arith.constant 0 : index
  // CHECK: arith.truncf %k : f64 to f32
  // CHECK: func.call @shapes.model
  %kf = arith.truncf %k : f64 to f32
  %t = tensor.splat %kf : tensor<1x1xf32>
  %y = arith.mulf %x, %t : tensor<1x1xf32>
  %v = tensor.extract %y[%c0, %c0] : tensor<1x1xf32>
  amp.log "v", %v : f32
}

// What is logged is no narrower than f32.
// CHECK-LABEL: func.func private @narrow.model(
// CHECK-SAME:    -> tensor<1xf32>
// CHECK:         arith.negf
// CHECK:         arith.extf
amp.step @narrow(%x: tensor<1xf16>) {
  // CHECK: amp.log "x", %{{.*}} : f32
  %y = arith.negf %x : tensor<1xf16>
  amp.log "x", %y : tensor<1xf16>
}

// A leaf or an argument that is packed as it is needs a copy of its own.
// CHECK-LABEL: func.func private @pass.model(
// CHECK:         linalg.generic
// CHECK:         linalg.generic
// CHECK:         return
amp.step @pass(%x: tensor<3xf16>) {
  %h = amp.read @h : !half
  %w = amp.leaf %h["w"] : !half -> tensor<4x6xf16>
  %negated = arith.negf %x : tensor<3xf16>
  %g = amp.pack {"p" = %negated : tensor<3xf16>, "q" = %w : tensor<4x6xf16>} : !half
  %seen = amp.norm %g : !half
  amp.log "norm", %seen : f64
}

// Without tensors there is no function.
// CHECK-NOT: @plain.model
amp.step @plain(%k: f64) {
  amp.log "k", %k : f64
}
