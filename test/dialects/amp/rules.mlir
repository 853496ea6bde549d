// Every built-in rule and policy links into a module, specialised or not, and keeps its names.
// RUN: sawtooth-opt %s --amp-link | FileCheck %s
// RUN: sawtooth-opt %sourcedir/dialects/amp/rules/sgd.mlir | FileCheck %s --check-prefix=SGD
// RUN: sawtooth-opt %sourcedir/dialects/amp/rules/adam.mlir | FileCheck %s --check-prefix=ADAM
// RUN: sawtooth-opt %sourcedir/dialects/amp/rules/adamw.mlir | FileCheck %s --check-prefix=ADAMW
// RUN: sawtooth-opt %sourcedir/dialects/amp/rules/lion.mlir | FileCheck %s --check-prefix=LION
// RUN: sawtooth-opt %sourcedir/dialects/amp/rules/lamb.mlir | FileCheck %s --check-prefix=LAMB
// RUN: sawtooth-opt %sourcedir/dialects/amp/policies/pytorch.mlir | FileCheck %s --check-prefix=PYTORCH
// RUN: sawtooth-opt %sourcedir/dialects/amp/policies/static.mlir | FileCheck %s --check-prefix=STATIC
// RUN: sawtooth-opt %sourcedir/dialects/amp/policies/disabled.mlir | FileCheck %s --check-prefix=DISABLED

// Checkpoints and GradScaler's dictionary depend on these names.
// SGD: amp.rule @sgd optimizer params(%lr: f64, %momentum: f64 = 0.000000e+00, %dampening: f64 = 0.000000e+00, %weight_decay: f64 = 0.000000e+00, static %nesterov: i1 = false, static %maximize: i1 = false, static %has_momentum: i1 = true)
// SGD-SAME: state(%b: f32 = 0.000000e+00 as "momentum_buffer", %t: i64 per step = 0 as "step") inputs(%w: f32, %g: f32)
// ADAM: amp.rule @adam optimizer params(%lr: f64, %beta1: f64 = 9.000000e-01, %beta2: f64 = 0.99899999999999999, %eps: f64 = 1.000000e-08, %weight_decay: f64 = 0.000000e+00, static %amsgrad: i1 = false, static %maximize: i1 = false)
// ADAM-SAME: state(%m: f32 = 0.000000e+00 as "exp_avg", %v: f32 = 0.000000e+00 as "exp_avg_sq", %vmax: f32 = 0.000000e+00 as "max_exp_avg_sq", %t: i64 per step = 0 as "step")
// ADAMW: amp.rule @adamw optimizer params(%lr: f64, %beta1: f64 = 9.000000e-01, %beta2: f64 = 0.99899999999999999, %eps: f64 = 1.000000e-08, %weight_decay: f64 = 1.000000e-02, static %amsgrad: i1 = false, static %maximize: i1 = false)
// ADAMW-SAME: state(%m: f32 = 0.000000e+00 as "exp_avg", %v: f32 = 0.000000e+00 as "exp_avg_sq", %vmax: f32 = 0.000000e+00 as "max_exp_avg_sq", %t: i64 per step = 0 as "step")
// LION: amp.rule @lion optimizer params(%lr: f64, %beta1: f64 = 9.000000e-01, %beta2: f64 = 0.98999999999999999, %weight_decay: f64 = 0.000000e+00, static %maximize: i1 = false)
// LION-SAME: state(%m: f32 = 0.000000e+00 as "exp_avg", %t: i64 per step = 0 as "step")
// LAMB: amp.rule @lamb optimizer params(%lr: f64, %beta1: f64 = 9.000000e-01, %beta2: f64 = 0.99899999999999999, %eps: f64 = {{1.000000e-06|9.9999999999999995E-7}}, %weight_decay: f64 = 0.000000e+00, static %grad_averaging: i1 = true, static %always_adapt: i1 = true, static %maximize: i1 = false)
// LAMB: amp.reduce add %{{.*}} over tensor
// LAMB: amp.reduce add %{{.*}} over tensor
// PYTORCH: amp.rule @pytorch policy params(%growth: f64 = 2.000000e+00 as "growth_factor", %backoff: f64 = 5.000000e-01 as "backoff_factor", %growth_interval: i64 = 2000 as "growth_interval", %min_scale: f64 = 0.000000e+00, %max_scale: f64 = {{1.7014118346046923[eE]\+38}}, %max_consecutive_skips: i64 = 0)
// PYTORCH-SAME: state(scale %scale: f32 = 6.553600e+04 as "scale", %tracker: i64 = 0 as "_growth_tracker", skipped %skipped: i64 = 0, consecutive_skips %consecutive_skips: i64 = 0, stuck %stuck: i1 = false) inputs(%ok: i1)
// STATIC: amp.rule @static policy params(%max_consecutive_skips: i64 = 0) state(scale %scale: f32 = 6.553600e+04 as "scale"
// DISABLED: amp.rule @disabled policy params(%max_consecutive_skips: i64 = 0) state(scale %scale: f32 = 1.000000e+00 as "scale"

// A user's own rule, parameters by step value, constant, tensor and default, and counters for each
// tensor.
// CHECK-DAG: amp.rule @clipped_sgd optimizer
// CHECK-DAG: amp.rule @sgd optimizer
// CHECK-DAG: amp.rule @adam optimizer
// CHECK-DAG: amp.rule @adamw optimizer
// CHECK-DAG: amp.rule @lion optimizer
// CHECK-DAG: amp.rule @lamb optimizer
// CHECK-DAG: amp.rule @pytorch policy
// CHECK-DAG: amp.rule @static policy
// CHECK-DAG: amp.rule @disabled policy
amp.import "Inputs/clipped_sgd.mlir"
!l = !amp.tensors<@m x f32>
amp.model @m
amp.scaler @s0 by @pytorch {init = 1024.0, growth_factor = 4.0, _growth_tracker = 3}
amp.scaler @s1 by @static {init = 128.0}
amp.scaler @s2 by @disabled
amp.per_tensor @decay : f64 over @m ["*.bias" = 0.0, "*" = 0.01]
amp.state @w : !l = required
amp.optimizer @mine by @clipped_sgd over @m {limit = 2, rate = @decay}
amp.optimizer @o0 by @sgd over @m {momentum = 0.9, nesterov = true}
amp.optimizer @o1 by @adam over @m {amsgrad = true, counter = "tensor"}
amp.optimizer @o2 by @adamw over @m {weight_decay = @decay, exp_avg_sq = 0.5}
amp.optimizer @o3 by @lion over @m {lr = 1.0e-4}
amp.optimizer @o4 by @lamb over @m {lr = @decay, counter = "step"}
amp.step @t(%g: !l, %lr: f64) {
  %w = amp.read @w : !l
  %a, %a1 = amp.apply @mine(%w, %g) : (!l, !l) -> (!l)
  %b, %b1 = amp.apply @o0(%a, %g) hyper(lr = %lr) : (!l, !l) -> (!l)
  %c, %c1 = amp.apply @o1(%b, %g) hyper(beta1 = %lr, lr = %lr) : (!l, !l) -> (!l)
  %d, %d1 = amp.apply @o2(%c, %g) hyper(lr = %lr) : (!l, !l) -> (!l)
  %e, %e1 = amp.apply @o3(%d, %g) : (!l, !l) -> (!l)
  %f, %f1 = amp.apply @o4(%e, %g) : (!l, !l) -> (!l)
  amp.commit %f to @w, %a1 to @mine, %b1 to @o0, %c1 to @o1, %d1 to @o2, %e1 to @o3, %f1 to @o4 always
      : !l, !amp.next<@mine>, !amp.next<@o0>, !amp.next<@o1>, !amp.next<@o2>, !amp.next<@o3>, !amp.next<@o4>
}
