// RUN: sawtooth-opt %s --amp-link --canonicalize | FileCheck %s
// RUN: sawtooth-opt %s --amp-link --canonicalize --expand-math | FileCheck %s --check-prefix=GONE

// What the host's library makes of a constant is not what runs.
// CHECK-LABEL: func.func @functions
// CHECK: %[[C:.*]] = arith.constant 5.000000e-01 : f64
// CHECK: %[[X:.*]] = amp.opaque %[[C]] : f64
// CHECK: math.exp %[[X]] : f64
// CHECK: math.powf %{{.*}}, %{{.*}} : f64
// CHECK: math.cos %{{.*}} : vector<2xf32>
// CHECK-NOT: math.sqrt
// GONE-LABEL: func.func @functions
// GONE-NOT: amp.opaque
// GONE-NOT: math.exp
func.func @functions() -> (f64, f64, vector<2xf32>, f64) {
  %c = arith.constant 0.5 : f64
  %t = arith.constant dense<0.5> : vector<2xf32>
  %0 = math.exp %c : f64
  %1 = math.powf %c, %0 : f64
  %2 = math.cos %t : vector<2xf32>
  // The root has one right value, whoever folds it.
  %3 = math.sqrt %c : f64
  return %0, %1, %2, %3 : f64, f64, vector<2xf32>, f64
}
