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

// What the forward part should have taken along.
amp.step @a(%x: tensor<3xf32>) {
  // expected-error @below {{cannot be computed here: expected a scalar op of arith or math}}
  // expected-note @below {{tensors are computed in the outlined part of the step (amp-outline-forward)}}
  %y = arith.negf %x : tensor<3xf32>
  %z = arith.addf %y, %y : tensor<3xf32>
}

// -----

amp.step @a(%x: tensor<1xf32>) {
  // expected-error @below {{expected a step value or a result of the outlined part, got 'tensor<1xf32>'}}
  // expected-note @below {{tensors are computed in the outlined part of the step (amp-outline-forward)}}
  amp.log "x", %x : tensor<1xf32>
}
