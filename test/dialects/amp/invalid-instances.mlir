// RUN: sawtooth-opt %s --amp-link -split-input-file -verify-diagnostics

// What an optimizer or scaler says of its rule, checked where the rule is known: in this module or
// after linking.

amp.model @model
// expected-error @below {{expected the name of a parameter or state of @adamw, got 'beta3'; did you mean 'beta1'?}}
// expected-note @below {{there is lr, beta1, beta2, eps, weight_decay, amsgrad, maximize, m, exp_avg, v, exp_avg_sq, vmax, max_exp_avg_sq, t, step, counter}}
amp.optimizer @opt by @adamw over @model {beta3 = 0.9}

// -----

amp.model @model
// expected-error @below {{expected a constant of type 'f64' as parameter 'beta1', got true}}
amp.optimizer @opt by @adamw over @model {beta1 = true}

// -----

amp.model @model
// expected-error @below {{expected a constant of type 'i1' as parameter 'amsgrad', got 1 : i64}}
amp.optimizer @opt by @adamw over @model {amsgrad = 1}

// -----

amp.model @model
amp.per_tensor @p : f64 over @model ["*" = 0.5]
// expected-error @below {{expected a constant for the static parameter 'amsgrad', got @p}}
amp.optimizer @opt by @adamw over @model {amsgrad = @p}

// -----

amp.model @model
amp.per_tensor @decay : f64 over @model ["*" = 0.5]
// expected-error @below {{expected a constant or the name of an amp.per_tensor for 'weight_decay', got @deca; did you mean @decay?}}
// expected-note @below {{there is @decay}}
amp.optimizer @opt by @adamw over @model {weight_decay = @deca}

// -----

amp.model @model
amp.model @other
// expected-note @below {{declared here}}
amp.per_tensor @decay : f64 over @other ["*" = 0.5]
// expected-error @below {{expected values of type 'f64' over @model for 'weight_decay', got 'f64' over @other}}
amp.optimizer @opt by @adamw over @model {weight_decay = @decay}

// -----

amp.model @model
// expected-error @below {{expected counter = "step" or "tensor", got "element"}}
amp.optimizer @opt by @adamw over @model {counter = "element"}

// -----

// expected-error @below {{expected the name of a model, got @model}}
// expected-note @below {{there is none}}
amp.optimizer @opt by @adamw over @model

// -----

amp.model @model
// expected-error @below {{expected a rule of kind 'optimizer', got @pytorch, which is of kind 'policy'}}
// expected-note @+2 {{declared here}}
amp.optimizer @opt by @pytorch over @model
amp.rule @pytorch policy state(scale %S: f32 = 1.0) inputs(%ok: i1) {
  amp.yield state(%S) state(f32)
}

// -----

// expected-note @below {{declared here}}
amp.model @model
// expected-error @below {{expected a rule of kind 'policy', got @model, which is an amp.model}}
amp.scaler @s by @model

// -----

// expected-error @below {{expected the name of a parameter or state of @static, got 'growth'}}
// expected-note @below {{there is max_consecutive_skips, scale, skipped, consecutive_skips, stuck, init}}
amp.scaler @s by @static {growth = 2.0}

// -----

// expected-error @below {{expected one value for 'growth', got another as 'growth_factor'}}
amp.scaler @s by @pytorch {growth = 2.0, growth_factor = 2.0}

// -----

// expected-error @below {{expected one initial scale, got another as 'scale'}}
amp.scaler @s by @pytorch {init = 2.0, scale = 4.0}

// -----

// expected-error @below {{expected a constant of type 'f32' as initial value 'init', got 1.000000e+300}}
amp.scaler @s by @pytorch {init = 1.0e300}

// -----

// expected-error @below {{expected a constant of type 'i64' as parameter 'growth_interval', got 2.000000e+00}}
amp.scaler @s by @pytorch {growth_interval = 2.0}

// -----

amp.model @model
amp.per_tensor @p : f64 over @model ["*" = 0.5]
// expected-error @below {{expected a constant for the parameter 'growth', got @p}}
amp.scaler @s by @pytorch {growth = @p}

// -----

amp.model @model
amp.per_tensor @p : f64 over @model ["*" = 0.5]
// A per-tensor rate makes a per-step state differ between tensors.
// expected-error @below {{expected a value of step extent for the state 'x', got one of tensor extent}}
amp.optimizer @opt by @mine over @model {rate = @p}
amp.rule @mine optimizer params(%rate: f64 = 0.5) state(%x: f64 per step = 0.0) inputs(%w: f32, %g: f32) {
  %x1 = arith.addf %x, %rate : f64
  // expected-note @below {{in amp.yield of @mine}}
  amp.yield %w state(%x1) : f32 state(f64)
}

// -----

// The same with a counter for each tensor is fine.
amp.model @model
amp.per_tensor @p : f64 over @model ["*" = 0.5]
amp.optimizer @opt by @mine over @model {rate = @p, counter = "tensor"}
amp.rule @mine optimizer params(%rate: f64 = 0.5) state(%x: f64 per step = 0.0) inputs(%w: f32, %g: f32) {
  %x1 = arith.addf %x, %rate : f64
  amp.yield %w state(%x1) : f32 state(f64)
}

// -----

amp.model @model
// expected-error @below {{expected a value for the static parameter 'way' of @mine}}
amp.optimizer @opt by @mine over @model
amp.rule @mine optimizer params(static %way: i1) inputs(%w: f32, %g: f32) {
  amp.yield %w : f32
}
