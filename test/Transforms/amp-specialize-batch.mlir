// RUN: sawtooth-opt %s --amp-specialize-batch=batch=6 | FileCheck %s
// RUN: sawtooth-opt %s --amp-specialize-batch | FileCheck %s --check-prefix=DEFAULT
amp.model @net
amp.run {batch = 4}

// Arguments, results, attributes of arguments and nested types; other steps stay.
// CHECK-LABEL: amp.step @test(%x: tensor<6x64xf16> {amp.batch = "images"}, %k: tensor<3xf32>)
// DEFAULT-LABEL: amp.step @test(%x: tensor<4x64xf16> {amp.batch = "images"}, %k: tensor<3xf32>)
amp.step @test(%x: tensor<?x64xf16> {amp.batch = "images"}, %k: tensor<3xf32>) {
  %c0 = arith.constant 0 : index
  // CHECK: tensor.dim %x, %{{.*}} : tensor<6x64xf16>
  %n = tensor.dim %x, %c0 : tensor<?x64xf16>
  // The size is in the type alone.
  // CHECK: tensor.empty() : tensor<6x64xf16>
  %e = tensor.empty(%n) : tensor<?x64xf16>
  // CHECK: amp.call @f(%x, %{{.*}}) : (tensor<6x64xf16>, tensor<6x64xf16>) -> tensor<6xf32>
  %y = amp.call @f(%x, %e) : (tensor<?x64xf16>, tensor<?x64xf16>) -> tensor<?xf32>
}

// Layers keep their `?`.
// CHECK-LABEL: func.func private @f(tensor<?x64xf16>, tensor<?x64xf16>) -> tensor<?xf32>
func.func private @f(tensor<?x64xf16>, tensor<?x64xf16>) -> tensor<?xf32>

// CHECK-LABEL: amp.step @plain(%x: tensor<8xf32>)
amp.step @plain(%x: tensor<8xf32>) {
}
