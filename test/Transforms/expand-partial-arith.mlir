// RUN: sawtooth-opt %s --expand-partial-arith | FileCheck %s

// CHECK-LABEL: @signed
// CHECK-SAME: (%[[X:.*]]: i64, %[[Y:.*]]: i64)
// CHECK: %[[NOTHING:.*]] = arith.cmpi eq, %[[Y]], %{{.*}} : i64
// CHECK: arith.constant -9223372036854775808 : i64
// CHECK: %[[LEAST:.*]] = arith.cmpi eq, %[[X]], %{{.*}} : i64
// CHECK: %[[MINUS:.*]] = arith.cmpi eq, %[[Y]], %{{.*}} : i64
// CHECK: %[[OVERFLOWS:.*]] = arith.andi %[[LEAST]], %[[MINUS]]
// CHECK: %[[UNFIT:.*]] = arith.ori %[[NOTHING]], %[[OVERFLOWS]]
// CHECK: %[[DIVISOR:.*]] = arith.select %[[UNFIT]], %{{.*}}, %[[Y]]
// CHECK: arith.divsi %[[X]], %[[DIVISOR]]
func.func @signed(%x: i64, %y: i64) -> i64 {
  %0 = arith.divsi %x, %y : i64
  return %0 : i64
}

// CHECK-LABEL: @vector
// CHECK-SAME: (%[[X:.*]]: vector<8xi32>, %[[Y:.*]]: vector<8xi32>)
// CHECK: %[[NOTHING:.*]] = arith.cmpi eq, %[[Y]]
// CHECK: %[[DIVISOR:.*]] = arith.select %[[NOTHING]], %{{.*}}, %[[Y]]
// CHECK: arith.remui %[[X]], %[[DIVISOR]]
func.func @vector(%x: vector<8xi32>, %y: vector<8xi32>) -> vector<8xi32> {
  %0 = arith.remui %x, %y : vector<8xi32>
  return %0 : vector<8xi32>
}

// A divisor that is known to be harmless stays as it is; so does a shift.
// CHECK-LABEL: @known
// CHECK-NOT: arith.select
// CHECK: return
func.func @known(%x: i64) -> (i64, i64) {
  %c7 = arith.constant 7 : i64
  %0 = arith.divsi %x, %c7 : i64
  %1 = arith.shli %x, %c7 : i64
  return %0, %1 : i64, i64
}

// CHECK-LABEL: @rounded
// CHECK-NOT: floordivsi
// CHECK-COUNT-1: arith.divsi
// CHECK-NOT: floordivsi
func.func @rounded(%x: i64, %y: i64) -> i64 {
  %0 = arith.floordivsi %x, %y : i64
  return %0 : i64
}

// CHECK-LABEL: @shifts
// CHECK-SAME: (%[[X:.*]]: i32, %[[N:.*]]: i32)
// CHECK: %[[LEFT:.*]] = arith.minui %[[N]]
// CHECK: %[[SHIFTED:.*]] = arith.shli %[[X]], %[[LEFT]]
// CHECK: %[[ALL:.*]] = arith.cmpi ugt, %[[N]]
// CHECK: arith.select %[[ALL]], %{{.*}}, %[[SHIFTED]]
// CHECK: %[[RIGHT:.*]] = arith.minui %[[N]]
// CHECK: arith.shrsi %[[X]], %[[RIGHT]]
func.func @shifts(%x: i32, %n: i32) -> (i32, i32) {
  %0 = arith.shli %x, %n : i32
  %1 = arith.shrsi %x, %n : i32
  return %0, %1 : i32, i32
}

// CHECK-LABEL: @integers
// CHECK-SAME: (%[[X:.*]]: f32)
// CHECK: %[[SMALL:.*]] = arith.cmpf olt, %[[X]]
// CHECK: %[[LARGE:.*]] = arith.cmpf oge, %[[X]]
// CHECK: arith.cmpf uno, %[[X]], %[[X]]
// CHECK: %[[INSIDE:.*]] = arith.select %{{.*}}, %{{.*}}, %[[X]]
// CHECK: %[[N:.*]] = arith.fptosi %[[INSIDE]]
// CHECK: %[[BELOW:.*]] = arith.select %[[SMALL]], %{{.*}}, %[[N]]
// CHECK: arith.select %[[LARGE]], %{{.*}}, %[[BELOW]]
func.func @integers(%x: f32) -> i32 {
  %0 = arith.fptosi %x : f32 to i32
  return %0 : i32
}
