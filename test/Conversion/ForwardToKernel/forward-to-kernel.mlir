// RUN: sawtooth-opt %s --sweep-to-kernel=width=8 --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,W8
// RUN: sawtooth-opt %s --sweep-to-kernel=width=16 --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,W16

// A product: rows are divided among units, columns run along vectors (four at once), the reduction
// is innermost and ascending, multiply and add apart. What all columns share is loaded once.
// CHECK-LABEL: func.func @run.0_forward.0(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64)
// CHECK:       scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} : i64 {
// CHECK:         scf.for
// CHECK:           scf.for
// W8:                scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>) : i64 {
// W16:               scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>) : i64 {
// CHECK:               llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr -> f16
// W8:                  llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr -> vector<8xf16>
// W16:                 llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr -> vector<16xf16>
// CHECK:               arith.mulf
// CHECK-NEXT:          arith.addf
// CHECK-NOT:           !llvm.ptr -> f16
// CHECK-NOT:           math.fma
// CHECK:               scf.yield
// Before it is stored a NaN takes the one form.
// CHECK:             %[[NAN:.*]] = arith.cmpf uno, %[[V:.*]], %[[V]]
// CHECK:             %[[S:.*]] = arith.select %[[NAN]], %{{.*}}, %[[V]]
// CHECK:             llvm.store %[[S]], %{{.*}} {alignment = 4 : i64}

// One element: no vectors, and the place is the frame's slot.
// CHECK-LABEL: func.func @run.0_forward.1(
// CHECK-NOT:   vector<
// CHECK:       llvm.store %{{.*}}, %{{.*}} {alignment = 4 : i64} : f32, !llvm.ptr
// CHECK-LABEL: func.func @run.2_final
amp.model @net
sweep.list state @h : !amp.tensors<@net x f16> {label = "h", init = 0.0 : f16}
sweep.list scratch @run.g : !amp.tensors<@net x f32> {label = "g", step = @run}
func.func private @run.model(%x: tensor<4x3xf16>, %w: tensor<3x128xf16>, %k: f32) -> (tensor<4x128xf32>, tensor<1xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x128xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x128xf32>) -> tensor<4x128xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x3xf16>, tensor<3x128xf16>) outs(%z : tensor<4x128xf32>) {
  ^bb0(%a: f16, %b: f16, %s: f32):
    %wa = arith.extf %a : f16 to f32
    %wb = arith.extf %b : f16 to f32
    %m = arith.mulf %wa, %wb : f32
    %n = arith.addf %s, %m : f32
    linalg.yield %n : f32
  } -> tensor<4x128xf32>
  %o = tensor.empty() : tensor<1xf32>
  %l = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%o : tensor<1xf32>) {
  ^bb0(%s: f32):
    %d = arith.addf %k, %k : f32
    linalg.yield %d : f32
  } -> tensor<1xf32>
  return %y, %l : tensor<4x128xf32>, tensor<1xf32>
}
sweep.step @run(%x: tensor<4x3xf16>, %k: f32) attributes {cut} {
  %l = sweep.forward @run.model(%x, %k) leaves [@h] ["w"] packs [@run.g] ["g"] : (tensor<4x3xf16>, f32) -> f32
  sweep.scalar @final {
    %true = arith.constant true
    sweep.log "l", %l last : f32
    sweep.outcome %true []
    sweep.yield
  }
}
