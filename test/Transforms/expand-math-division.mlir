// RUN: sawtooth-opt %s --expand-math | FileCheck %s

// CHECK-LABEL: @signed
// CHECK-SAME: (%[[X:.*]]: i64, %[[D:.*]]: i64)
func.func @signed(%x: i64, %d: i64) -> i64 {
  // CHECK-DAG:  %[[ZERO:.*]] = arith.constant 0 : i64
  // CHECK-DAG:  %[[ONE:.*]] = arith.constant 1 : i64
  // CHECK:      %[[IS0:.*]] = arith.cmpi eq, %[[D]], %[[ZERO]] : i64
  // CHECK:      %[[S:.*]] = arith.select %[[IS0]], %[[ONE]], %[[D]] : i64
  // CHECK:      %[[MINUS:.*]] = arith.constant -1 : i64
  // CHECK:      %[[ISM:.*]] = arith.cmpi eq, %[[D]], %[[MINUS]] : i64
  // CHECK:      %[[SAFE:.*]] = arith.select %[[ISM]], %[[ONE]], %[[S]] : i64
  // CHECK:      %[[Q:.*]] = arith.divsi %[[X]], %[[SAFE]] : i64
  // CHECK:      %[[N:.*]] = arith.subi %[[ZERO]], %[[X]] : i64
  // CHECK:      %[[R:.*]] = arith.select %[[ISM]], %[[N]], %[[Q]] : i64
  // CHECK:      arith.select %[[IS0]], %[[ZERO]], %[[R]] : i64
  %0 = arith.divsi %x, %d : i64
  return %0 : i64
}

// CHECK-LABEL: @unsigned
// CHECK-SAME: (%[[X:.*]]: vector<8xi32>, %[[D:.*]]: vector<8xi32>)
func.func @unsigned(%x: vector<8xi32>, %d: vector<8xi32>) -> vector<8xi32> {
  // CHECK:      %[[IS0:.*]] = arith.cmpi eq, %[[D]], %{{.*}} : vector<8xi32>
  // CHECK-NOT:  arith.constant dense<-1>
  // CHECK:      %[[R:.*]] = arith.remui %[[X]], %{{.*}} : vector<8xi32>
  // CHECK:      arith.select %[[IS0]], %[[X]], %[[R]]
  %0 = arith.remui %x, %d : vector<8xi32>
  return %0 : vector<8xi32>
}

// What can never trap stays.
// CHECK-LABEL: @known
func.func @known(%x: i64) -> (i64, i64) {
  // CHECK-NOT: arith.select
  // CHECK:     arith.divsi
  // CHECK-NOT: arith.select
  // CHECK:     arith.remui
  // CHECK-NOT: arith.select
  // CHECK:     return
  %c10 = arith.constant 10 : i64
  %all = arith.constant -1 : i64
  %0 = arith.divsi %x, %c10 : i64
  %1 = arith.remui %x, %all : i64
  return %0, %1 : i64, i64
}

// CHECK-LABEL: @rounded
func.func @rounded(%x: i64, %d: i64) -> (i64, i64, i64) {
  // CHECK-NOT: {{ceildiv|floordiv}}
  // CHECK:     return
  %0 = arith.ceildivsi %x, %d : i64
  %1 = arith.ceildivui %x, %d : i64
  %2 = arith.floordivsi %x, %d : i64
  return %0, %1, %2 : i64, i64, i64
}
