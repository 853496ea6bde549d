// The whole way of one step: language to llvm and nvvm dialects.
// RUN: sawtooth-opt %s --sawtooth-to-nvptx | FileCheck %s

// CHECK: sawtooth.plan = "SAWTHPLN{{.*}}nvptx
// CHECK-NOT: {{fma|fastmath|nnan|contract}}
// CHECK: llvm.func @sawtooth_train_0({{.*}}) attributes {convergent, no_inline, nvvm.kernel
// CHECK: llvm.load {{.*}} -> vector<4xf16>
// CHECK: llvm.func @sawtooth_train_1({{.*}}) attributes {convergent, no_inline, nvvm.kernel
// CHECK-NOT: nvvm.kernel
// CHECK-NOT: @sawtooth_query
!grads  = !amp.tensors<@model x f16>
!master = !amp.tensors<@model x f32>
amp.model @model
amp.scaler @s by @pytorch
amp.state @w : !master = required
amp.optimizer @opt by @sgd over @model {momentum = 0.9}

amp.step @train(%g: !grads {amp.scaled_by = [@s]}, %lr: f64 {amp.default = 1.0e-2}) {
  %w = amp.read @w : !master
  %u = amp.unscale %g by @s : !grads -> !master
  %n = amp.norm %u : !master
  %ok = amp.is_finite %u, %n : !master, f64
  %c = amp.clip_by_norm %u, %n max(%lr) : !master
  %w1, %o1 = amp.apply @opt(%w, %c) hyper(lr = %lr) : (!master, !master) -> (!master)
  amp.update @s, %ok
  amp.commit %w1 to @w, %o1 to @opt when %ok : !master, !amp.next<@opt>
}
