// The whole way of one step: language to llvm dialect.
// RUN: sawtooth-opt %s --sawtooth-to-cpu=width=8 | FileCheck %s
// RUN: sawtooth-opt %s --sawtooth-to-cpu | FileCheck %s --check-prefix=WIDE

// CHECK-NOT: {{fma|fastmath|nnan|contract}}
// CHECK: llvm.func internal @train.{{[0-9]+}}_pass
// CHECK: llvm.load {{.*}} -> vector<8xf16>
// Functions that folds do not need are gone.
// CHECK-NOT: @sawtooth.fold_tensors_add
// CHECK: llvm.mlir.global internal constant @sawtooth.plan("SAWTHPLN{{.*}}cpu
// CHECK: llvm.func @sawtooth_query
// WIDE: llvm.load {{.*}} -> vector<16xf16>
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
