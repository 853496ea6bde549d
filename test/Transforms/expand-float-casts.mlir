// RUN: sawtooth-opt %s --expand-float-casts --split-input-file | FileCheck %s

// CHECK-LABEL: @f32_to_bf16
// CHECK-SAME: (%[[X:.*]]: vector<8xf32>)
// CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[X]], %[[X]]
// CHECK: %[[RAW:.*]] = arith.bitcast %[[X]] : vector<8xf32> to vector<8xi32>
// CHECK: %[[QUIET:.*]] = arith.constant dense<2143289344> : vector<8xi32>
// CHECK: %[[BITS:.*]] = arith.select %[[NAN]], %[[QUIET]], %[[RAW]]
// CHECK: %[[UPPER:.*]] = arith.shrui %[[BITS]]
// CHECK: %[[LAST:.*]] = arith.andi %[[UPPER]]
// CHECK: %[[BIAS:.*]] = arith.addi %[[LAST]]
// CHECK: %[[SUM:.*]] = arith.addi %[[BITS]], %[[BIAS]]
// CHECK: %[[ROUNDED:.*]] = arith.shrui %[[SUM]]
// CHECK: %[[HALF:.*]] = arith.trunci %[[ROUNDED]] : vector<8xi32> to vector<8xi16>
// CHECK: arith.bitcast %[[HALF]] : vector<8xi16> to vector<8xbf16>
// CHECK-NOT: truncf
func.func @f32_to_bf16(%x: vector<8xf32>) -> vector<8xbf16> {
  %0 = arith.truncf %x : vector<8xf32> to vector<8xbf16>
  return %0 : vector<8xbf16>
}

// -----

// A value whose NaNs have been replaced is not tested again.
// CHECK-LABEL: @canonical_f32_to_bf16
// CHECK: %[[CLEAN:.*]] = arith.select
// CHECK: arith.bitcast %[[CLEAN]] : vector<8xf32> to vector<8xi32>
// CHECK-NOT: arith.select
// CHECK: arith.trunci
func.func @canonical_f32_to_bf16(%x: vector<8xf32>) -> vector<8xbf16> {
  %nan = arith.cmpf uno, %x, %x : vector<8xf32>
  %quiet = arith.constant dense<0x7FC00000> : vector<8xf32>
  %clean = arith.select %nan, %quiet, %x : vector<8xi1>, vector<8xf32>
  %0 = arith.truncf %clean : vector<8xf32> to vector<8xbf16>
  return %0 : vector<8xbf16>
}

// -----

// Another choice may leave a NaN that rounding would break.
// CHECK-LABEL: @other_f32_to_bf16
// CHECK: arith.select
// CHECK: arith.cmpf uno
// CHECK: arith.select
func.func @other_f32_to_bf16(%x: f32, %y: f32) -> bf16 {
  %nan = arith.cmpf uno, %x, %x : f32
  %quiet = arith.constant 0x7FC00000 : f32
  %mixed = arith.select %nan, %quiet, %y : f32
  %0 = arith.truncf %mixed : f32 to bf16
  return %0 : bf16
}

// -----

// Through f32, with the last bit set where that was not exact.
// CHECK-LABEL: @f64_to_f16
// CHECK-SAME: (%[[X:.*]]: f64)
// CHECK: %[[NEAREST:.*]] = arith.truncf %[[X]] : f64 to f32
// CHECK: %[[BACK:.*]] = arith.extf %[[NEAREST]] : f32 to f64
// CHECK: %[[AWAY:.*]] = arith.cmpf ogt
// CHECK: %[[INEXACT:.*]] = arith.cmpf one, %[[BACK]], %[[X]]
// CHECK: %[[TOZERO:.*]] = arith.subi
// CHECK: %[[ODD:.*]] = arith.ori %[[TOZERO]]
// CHECK: %[[SINGLE:.*]] = arith.bitcast %[[ODD]] : i32 to f32
// CHECK: arith.truncf %[[SINGLE]] : f32 to f16
// CHECK-NOT: f64 to f16
func.func @f64_to_f16(%x: f64) -> f16 {
  %0 = arith.truncf %x : f64 to f16
  return %0 : f16
}

// -----

// CHECK-LABEL: @f64_to_bf16
// CHECK: arith.truncf %{{.*}} : f64 to f32
// CHECK-NOT: arith.truncf {{.*}} bf16
func.func @f64_to_bf16(%x: f64) -> bf16 {
  %0 = arith.truncf %x : f64 to bf16
  return %0 : bf16
}

// -----

// CHECK-LABEL: @bf16_to_f32
// CHECK: %[[BITS:.*]] = arith.bitcast %{{.*}} : bf16 to i16
// CHECK: %[[WORD:.*]] = arith.extui %[[BITS]] : i16 to i32
// CHECK: %[[UP:.*]] = arith.shli %[[WORD]]
// CHECK: arith.bitcast %[[UP]] : i32 to f32
// CHECK-NOT: extf
func.func @bf16_to_f32(%x: bf16) -> f32 {
  %0 = arith.extf %x : bf16 to f32
  return %0 : f32
}

// -----

// CHECK-LABEL: @f16_to_f64
// CHECK: %[[SINGLE:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK: arith.extf %[[SINGLE]] : f32 to f64
func.func @f16_to_f64(%x: f16) -> f64 {
  %0 = arith.extf %x : f16 to f64
  return %0 : f64
}

// -----

// Every target has these.
// CHECK-LABEL: @stay
// CHECK-NEXT: arith.truncf %{{.*}} : f32 to f16
// CHECK-NEXT: arith.extf %{{.*}} : f16 to f32
// CHECK-NEXT: arith.truncf %{{.*}} : f64 to f32
// CHECK-NEXT: return
func.func @stay(%x: f32, %y: f64) -> (f32, f32) {
  %0 = arith.truncf %x : f32 to f16
  %1 = arith.extf %0 : f16 to f32
  %2 = arith.truncf %y : f64 to f32
  return %1, %2 : f32, f32
}

// -----

// CHECK-LABEL: @arithmetic
// CHECK: arith.mulf %{{.*}}, %{{.*}} : f64
// CHECK: arith.cmpf olt, %{{.*}}, %{{.*}} : f64
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : bf16
// CHECK: arith.sitofp %{{.*}} : i32 to f64
func.func @arithmetic(%x: bf16, %i: i32) -> (bf16, f16) {
  %0 = arith.mulf %x, %x : bf16
  %1 = arith.cmpf olt, %0, %x : bf16
  %2 = arith.select %1, %0, %x : bf16
  %3 = arith.sitofp %i : i32 to f16
  return %2, %3 : bf16, f16
}
