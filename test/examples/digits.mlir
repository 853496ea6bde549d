// The example goes through every pass of its own dialect, for training and for a smaller last batch.
// RUN: sawtooth-opt %sourcedir/examples/digits/train.mlir --amp-link --amp-specialize-batch --amp-inline-layers --amp-outline-forward | FileCheck %s --check-prefixes=CHECK,FULL
// RUN: sawtooth-opt %sourcedir/examples/digits/train.mlir --amp-link --amp-specialize-batch=batch=8 --amp-inline-layers --amp-outline-forward | FileCheck %s --check-prefixes=CHECK,LAST

// Gradients of all tensors, then the loss.
// CHECK: func.func private @train.model(
// FULL-SAME: tensor<32x64xf16>
// LAST-SAME: tensor<8x64xf16>
// CHECK-SAME: -> (tensor<64x128xf16>, tensor<128xf16>, tensor<128x128xf16>, tensor<128xf16>, tensor<128x64xf16>, tensor<64xf16>, tensor<64x10xf16>, tensor<10xf16>, tensor<1xf32>)
// The input's gradient, which nobody asked for, is not computed: three layers turn their weights.
// CHECK-COUNT-3: ["parallel", "parallel"]} ins(%{{[^ ,]*}} : tensor<{{[0-9]+x[0-9]+}}xf16>) outs(%{{[^ ,]*}} : tensor<{{[0-9]+x[0-9]+}}xf16>) {
// CHECK-NOT: ["parallel", "parallel"]} ins(%{{[^ ,]*}} : tensor<{{[0-9]+x[0-9]+}}xf16>) outs(%{{[^ ,]*}} : tensor<{{[0-9]+x[0-9]+}}xf16>) {
// CHECK: amp.step @train
// CHECK: func.func private @test.model({{.*}}) -> (tensor<1xf32>, tensor<1xf32>)
// CHECK: amp.step @test
