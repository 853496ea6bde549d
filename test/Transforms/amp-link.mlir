// RUN: sawtooth-opt %s --amp-link | FileCheck %s
// RUN: sawtooth-opt %s --amp-link | sawtooth-opt --amp-link | FileCheck %s

// Only what is named comes in, once, in the order of the first mention, and the module's own
// definition of a name goes before the built-in one.

// CHECK-NOT: amp.import
// CHECK: amp.scaler @s by @pytorch
// CHECK: amp.rule @lion optimizer
// CHECK-SAME: inputs(%w: f32, %g: f32) {
// CHECK-NEXT: amp.yield %w : f32
// CHECK: amp.rule @pytorch policy
// CHECK: amp.rule @sgd optimizer
// CHECK: amp.rule @halving optimizer
// CHECK-NOT: amp.rule
amp.import "Inputs/halving.mlir"
amp.model @model
amp.scaler @s by @pytorch {init = 1024.0}
amp.optimizer @a by @sgd over @model
amp.optimizer @b by @sgd over @model
amp.optimizer @c by @lion over @model
amp.optimizer @d by @halving over @model
amp.rule @lion optimizer inputs(%w: f32, %g: f32) {
  amp.yield %w : f32
}
