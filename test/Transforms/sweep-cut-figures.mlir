// RUN: sawtooth-opt %s --amp-link --amp-to-sweep --canonicalize --cse --sweep-cut --split-input-file | FileCheck %s

// Bytes per parameter that the passes of known optimizers move: 2 for f16, 4 for f32, once for each
// list that a pass reads and for each that it writes.

// AdamW with f16 gradients and copy: 2 + 28 = 30, the lower bound.
!grads  = !amp.tensors<@model x f16>
!master = !amp.tensors<@model x f32>
amp.model @model
amp.scaler @s by @pytorch
amp.state @w : !master = required
amp.state @h : !grads copy_of @w
amp.optimizer @opt by @adamw over @model
amp.step @adamw_f16(%g: !grads {amp.scaled_by = [@s]}, %lr: f64, %max: f64) {
  %w = amp.read @w : !master
  %u = amp.unscale %g by @s : !grads -> !master
  %n = amp.norm %u : !master
  %ok = amp.is_finite %u, %n : !master, f64
  %c = amp.clip_by_norm %u, %n max(%max) : !master
  %w1, %o1 = amp.apply @opt(%w, %c) hyper(lr = %lr) : (!master, !master) -> (!master)
  amp.update @s, %ok
  amp.commit %w1 to @w, %o1 to @opt when %ok : !master, !amp.next<@opt>
}
// CHECK-LABEL: sweep.step @adamw_f16
// CHECK-SAME:    commits, cut, lower_bound = 30
// CHECK-NOT:     kind = "missed"
// CHECK:         sweep.scalar @entry
// CHECK:         sweep.pass over @model reads [@adamw_f16.g] writes []
// CHECK-SAME:      [#sweep.reduction<add over step>, #sweep.reduction<or over step>]
// CHECK:         sweep.scalar @mid
// CHECK:         sweep.pass over @model reads [@adamw_f16.g, @w, @opt.m, @opt.v] writes [@w, @h, @opt.m, @opt.v] when
// CHECK-NOT:     sweep.pass
// CHECK:         sweep.scalar @final

// -----

// f32 gradients, no copy: 4 + 28 = 32.
!master = !amp.tensors<@model x f32>
amp.model @model
amp.scaler @s by @pytorch
amp.state @w : !master = required
amp.optimizer @opt by @adamw over @model
amp.step @adamw_f32(%g: !master {amp.scaled_by = [@s]}, %lr: f64, %max: f64) {
  %w = amp.read @w : !master
  %u = amp.unscale %g by @s : !master -> !master
  %n = amp.norm %u : !master
  %ok = amp.is_finite %u, %n : !master, f64
  %c = amp.clip_by_norm %u, %n max(%max) : !master
  %w1, %o1 = amp.apply @opt(%w, %c) hyper(lr = %lr) : (!master, !master) -> (!master)
  amp.update @s, %ok
  amp.commit %w1 to @w, %o1 to @opt when %ok : !master, !amp.next<@opt>
}
// CHECK-LABEL: sweep.step @adamw_f32
// CHECK-SAME:    lower_bound = 32
// CHECK:         sweep.pass over @model reads [@adamw_f32.g] writes []
// CHECK:         sweep.pass over @model reads [@adamw_f32.g, @w, @opt.m, @opt.v] writes [@w, @opt.m, @opt.v] when

// -----

// SGD with momentum, f32: 4 + 20 = 24 with a finite check, 20 in one pass without.
!master = !amp.tensors<@model x f32>
amp.model @model
amp.state @w : !master = required
amp.optimizer @opt by @sgd over @model {momentum = 0.9}
amp.step @momentum(%g: !master, %lr: f64) {
  %w = amp.read @w : !master
  %ok = amp.is_finite %g : !master
  %w1, %o1 = amp.apply @opt(%w, %g) hyper(lr = %lr) : (!master, !master) -> (!master)
  amp.commit %w1 to @w, %o1 to @opt when %ok : !master, !amp.next<@opt>
}
amp.step @unchecked(%g: !master, %lr: f64) {
  %w = amp.read @w : !master
  %w1, %o1 = amp.apply @opt(%w, %g) hyper(lr = %lr) : (!master, !master) -> (!master)
  amp.commit %w1 to @w, %o1 to @opt always : !master, !amp.next<@opt>
}
// CHECK-LABEL: sweep.step @momentum
// CHECK-SAME:    lower_bound = 24
// CHECK:         sweep.pass over @model reads [@momentum.g] writes [] [] [#sweep.reduction<or over step>]
// CHECK:         sweep.pass over @model reads [@momentum.g, @w, @opt.b] writes [@w, @opt.b] when
// CHECK-LABEL: sweep.step @unchecked
// CHECK-SAME:    lower_bound = 20
// CHECK:         sweep.pass over @model reads [@unchecked.g, @w, @opt.b] writes [@w, @opt.b] [-1, -1] []
// CHECK-NOT:     sweep.pass
// CHECK:         sweep.scalar @final

// -----

// LAMB, f16 gradients and copy: 2 + 22 + 18 = 42. The norms of the tensors cut the step once more; m
// and v are written in the second pass and read back in the third, where the update is computed again.
!grads  = !amp.tensors<@model x f16>
!master = !amp.tensors<@model x f32>
amp.model @model
amp.scaler @s by @pytorch
amp.state @w : !master = required
amp.state @h : !grads copy_of @w
amp.optimizer @opt by @lamb over @model
amp.step @three(%g: !grads {amp.scaled_by = [@s]}, %lr: f64, %max: f64) {
  %w = amp.read @w : !master
  %u = amp.unscale %g by @s : !grads -> !master
  %n = amp.norm %u : !master
  %ok = amp.is_finite %u, %n : !master, f64
  %c = amp.clip_by_norm %u, %n max(%max) : !master
  %w1, %o1 = amp.apply @opt(%w, %c) hyper(lr = %lr) : (!master, !master) -> (!master)
  amp.update @s, %ok
  amp.commit %w1 to @w, %o1 to @opt when %ok : !master, !amp.next<@opt>
}
// CHECK-LABEL: sweep.step @three
// CHECK-SAME:    lower_bound = 42
// CHECK-NOT:     kind = "missed"
// CHECK:         sweep.pass over @model reads [@three.g] writes []
// CHECK:         %[[MID:.*]]:{{.*}} = sweep.scalar @mid
// CHECK:         %[[NORMS:.*]]:2 = sweep.pass over @model reads [@three.g, @w, @opt.m, @opt.v] writes [@opt.m, @opt.v] when %[[MID]]#[[OK:.*]] [-1, -1] [#sweep.reduction<add over tensor>, #sweep.reduction<add over tensor>]
// CHECK:           kind = "store", text = "opt.m and opt.v are written here, before the last pass
// CHECK-SAME:      !sweep.per_tensor<@model x f64>, !sweep.per_tensor<@model x f64>
// CHECK:         %[[RATE:.*]] = sweep.scalar @mid2
// CHECK:           sweep.each over @model(%[[NORMS]]#0, %[[NORMS]]#1)
// CHECK:         sweep.pass over @model reads [@w, @opt.m, @opt.v] writes [@w, @h] tensors(%[[RATE]] : !sweep.per_tensor<@model x f32>) when %[[MID]]#[[OK]]
// CHECK-NOT:     sweep.pass
// CHECK:         sweep.scalar @final
