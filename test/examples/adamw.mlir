// The design's step links as it stands.
// RUN: sawtooth-opt %sourcedir/examples/adamw/step.mlir --amp-link | FileCheck %s
// CHECK: amp.rule @pytorch policy
// CHECK: amp.rule @adamw optimizer
