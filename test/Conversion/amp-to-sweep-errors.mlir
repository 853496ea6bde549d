// RUN: sawtooth-opt %s --amp-to-sweep --split-input-file --verify-diagnostics

// A field of the optimizer would have the name of a state.
!w = !amp.tensors<@m x f32>
amp.rule @r optimizer params(%rate: f64 = 1.0) inputs(%w: f32) { amp.yield %w : f32 }
amp.model @m
// expected-note @below {{declared here}}
amp.state @opt.rate : f64 = 0.0
// expected-error @below {{needs the symbol @opt.rate, which is taken}}
amp.optimizer @opt by @r over @m

// -----

// A parameter without a value, and nobody gives it.
!w = !amp.tensors<@m x f32>
amp.rule @r optimizer params(%rate: f64) inputs(%w: f32) { amp.yield %w : f32 }
amp.model @m
amp.state @w : !w = 0.0
amp.optimizer @opt by @r over @m
amp.step @a(%rate: f64) {
  %w = amp.read @w : !w
  // expected-error @below {{parameter 'rate' has no default: give it in hyper(rate = …) or in @opt}}
  %w1, %o = amp.apply @opt(%w) : (!w) -> !w
  amp.commit %w1 to @w, %o to @opt always : !w, !amp.next<@opt>
}

// -----

// Policies run once a step and have no elements.
// expected-error @below {{state 'x' of a policy cannot be per element}}
amp.rule @p policy state(scale %s: f32 = 1.0, %x: f32 per element = 0.0) inputs(%ok: i1) {
  amp.yield state(%s, %x) state(f32, f32)
}
amp.scaler @s by @p

// -----

// A policy without a scale cannot unscale anything.
// expected-error @below {{expected one state of a policy, f32 or f64, to have the role 'scale'}}
amp.rule @p policy state(%x: f32 = 0.0) inputs(%ok: i1) { amp.yield state(%x) state(f32) }
amp.scaler @s by @p

// -----

// What the forward part should have taken along.
amp.step @a(%x: tensor<3xf32>) {
  // expected-error @below {{cannot be computed here: expected a scalar op of arith or math}}
  // expected-note @below {{tensors are computed in the outlined part of the step (amp-outline-forward)}}
  %y = arith.negf %x : tensor<3xf32>
  amp.log "y", %y : tensor<3xf32>
}
