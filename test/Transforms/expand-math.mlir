// RUN: sawtooth-opt %s --expand-math | FileCheck %s
// RUN: sawtooth-opt %s --expand-math | FileCheck %s --check-prefix=GONE

// Nothing that a library, or a chip's fused multiply-add, would have to compute is left.
// GONE-NOT: math.{{exp|log|tanh|erf|cos|powf|fma}}
// GONE-NOT: amp.powi
// GONE-NOT: fastmath

// CHECK-LABEL: @functions
func.func @functions(%x: f64, %y: f64) -> (f64, f64, f64, f64, f64, f64) {
  %0 = math.exp %x : f64
  %1 = math.log %x : f64
  %2 = math.tanh %x : f64
  %3 = math.erf %x : f64
  %4 = math.cos %x : f64
  %5 = math.powf %x, %y : f64
  return %0, %1, %2, %3, %4, %5 : f64, f64, f64, f64, f64, f64
}

// A flag of the user's does not survive.
// CHECK-LABEL: @fast
func.func @fast(%x: f64) -> f64 {
  %0 = math.exp %x fastmath<fast> : f64
  return %0 : f64
}

// Narrow types are widened first and narrowed last.
// CHECK-LABEL: @narrow
// CHECK-SAME: (%[[X:.*]]: f32)
// CHECK-NEXT: %[[W:.*]] = arith.extf %[[X]] : f32 to f64
// CHECK-NOT: f32
// CHECK: %[[R:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK-NEXT: return %[[R]]
func.func @narrow(%x: f32) -> f32 {
  %0 = math.log %x : f32
  return %0 : f32
}

// CHECK-LABEL: @vectors
// CHECK: arith.extf %{{.*}} : vector<16xf16> to vector<16xf64>
// CHECK: arith.truncf %{{.*}} : vector<16xf64> to vector<16xf16>
func.func @vectors(%x: vector<16xf16>) -> vector<16xf16> {
  %0 = math.tanh %x : vector<16xf16>
  return %0 : vector<16xf16>
}

// Square and multiply, least significant bit first; the reciprocal for a negative exponent.
// CHECK-LABEL: @powi
// CHECK-SAME: (%[[B:.*]]: f64, %[[N:.*]]: i64)
// CHECK: %[[NEGATIVE:.*]] = arith.cmpi slt, %[[N]], %{{.*}} : i64
// CHECK: %[[FLIPPED:.*]] = arith.subi %{{.*}}, %[[N]] : i64
// CHECK: %[[SIZE:.*]] = arith.select %[[NEGATIVE]], %[[FLIPPED]], %[[N]] : i64
// CHECK: scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %[[B]], %{{.*}} = %[[SIZE]])
// CHECK: scf.condition
// CHECK: ^bb0(%[[PRODUCT:.*]]: f64, %[[POWER:.*]]: f64, %[[REST:.*]]: i64):
// CHECK: arith.andi %[[REST]]
// CHECK: %[[MORE:.*]] = arith.mulf %[[PRODUCT]], %[[POWER]] : f64
// CHECK: %[[NEXT:.*]] = arith.select %{{.*}}, %[[MORE]], %[[PRODUCT]] : f64
// CHECK: %[[SQUARE:.*]] = arith.mulf %[[POWER]], %[[POWER]] : f64
// CHECK: scf.yield %[[NEXT]], %[[SQUARE]]
// CHECK: arith.divf
func.func @powi(%b: f64, %n: i64) -> f64 {
  %0 = amp.powi %b, %n : f64
  return %0 : f64
}

// What IEEE arithmetic has stays.
// CHECK-LABEL: @exact
// CHECK-COUNT-1: math.sqrt
// CHECK: math.absf
// CHECK: math.copysign
// CHECK: math.floor
// CHECK: math.roundeven
// CHECK: arith.maximumf
// CHECK-NEXT: return
func.func @exact(%x: f32, %y: f32) -> f32 {
  %0 = math.sqrt %x : f32
  %1 = math.absf %0 : f32
  %2 = math.copysign %1, %y : f32
  %3 = math.floor %2 : f32
  %4 = math.roundeven %3 : f32
  %5 = arith.maximumf %4, %y : f32
  return %5 : f32
}
