// RUN: sawtooth-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{expected 'optimizer' or 'policy', got 'schedule'}}
amp.rule @r schedule inputs(%w: f32) {
  amp.yield %w : f32
}

// -----

// expected-error @below {{expected each name once, got 'x' twice}}
amp.rule @r optimizer params(%x: f64 = 1.0) state(%m: f32 = 0.0 as "x") inputs(%w: f32) {
  amp.yield %w state(%m) : f32 state(f32)
}

// -----

// expected-error @below {{expected f32, f64, i1, i32 or i64 for the parameter 'x', got 'f16'}}
amp.rule @r optimizer params(%x: f16 = 1.0) inputs(%w: f32) {
  amp.yield %w : f32
}

// -----

// expected-error @below {{expected f32 for the state 'm' of element extent, got 'f64'}}
amp.rule @r optimizer state(%m: f64 = 0.0) inputs(%w: f32) {
  amp.yield %w state(%m) : f32 state(f64)
}

// -----

// expected-error @below {{expected f32, f64, i1, i32 or i64 for the state 'm' of tensor extent, got 'i8'}}
amp.rule @r optimizer state(%m: i8 per tensor = 0) inputs(%w: f32) {
  amp.yield %w : f32
}

// -----

// expected-error @below {{expected 'step', 'tensor' or 'element', got 'row'}}
amp.rule @r optimizer state(%m: f32 per row = 0.0) inputs(%w: f32) {
  amp.yield %w state(%m) : f32 state(f32)
}

// -----

// expected-error @below {{expected 'scale', 'skipped', 'consecutive_skips' or 'stuck', got 'scaled'}}
amp.rule @r policy state(scaled %S: f32 = 1.0) inputs(%ok: i1) {
  amp.yield state(%S) state(f32)
}

// -----

// expected-error @below {{expected 'f32' for the role 'scale', got 'f64'}}
amp.rule @r policy state(scale %S: f64 = 1.0) inputs(%ok: i1) {
  amp.yield state(%S) state(f64)
}

// -----

// expected-error @below {{expected the role 'scale' once, got it again for 'T'}}
amp.rule @r policy state(scale %S: f32 = 1.0, scale %T: f32 = 1.0) inputs(%ok: i1) {
  amp.yield state(%S, %T) state(f32, f32)
}

// -----

// expected-error @below {{expected a state with the role 'scale' in a policy, got none}}
amp.rule @r policy inputs(%ok: i1) {
  amp.yield
}

// -----

// expected-error @below {{expected the role 'scale' in a policy, got it for the state 'S' of an optimizer}}
amp.rule @r optimizer state(scale %S: f32 per step = 1.0) inputs(%w: f32) {
  amp.yield %w state(%S) : f32 state(f32)
}

// -----

// expected-error @below {{expected step extent for the state 'x' of a policy, got tensor}}
amp.rule @r policy state(scale %S: f32 = 1.0, %x: f32 per tensor = 0.0) inputs(%ok: i1) {
  amp.yield state(%S, %x) state(f32, f32)
}

// -----

// expected-error @below {{expected one input, an i1, in a policy, got 2}}
amp.rule @r policy state(scale %S: f32 = 1.0) inputs(%ok: i1, %norm: f64) {
  amp.yield state(%S) state(f32)
}

// -----

// expected-error @below {{expected f32 for the input 'g', got 'f16': inputs are widened, whatever is stored}}
amp.rule @r optimizer inputs(%w: f32, %g: f16) {
  amp.yield %w : f32
}

// -----

// expected-error @below {{expected at least one input, got none}}
amp.rule @r optimizer {
  amp.yield
}

// -----

amp.rule @r optimizer inputs(%w: f32) {
  // expected-error @below {{expected at least one result in an optimizer, got none}}
  amp.yield
}

// -----

amp.rule @r optimizer inputs(%w: f32) {
  %x = arith.extf %w : f32 to f64
  // expected-error @below {{expected results of type f32, got 'f64'}}
  amp.yield %x : f64
}

// -----

amp.rule @r optimizer state(%m: f32 = 0.0) inputs(%w: f32) {
  // expected-error @below {{expected a new value for each of 1 states, got 0}}
  amp.yield %w : f32
}

// -----

amp.rule @r optimizer state(%m: f32 = 0.0) inputs(%w: f32) {
  %x = arith.extf %w : f32 to f64
  // expected-error @below {{expected 'f32' for the state 'm', got 'f64'}}
  amp.yield %w state(%x) : f32 state(f64)
}

// -----

amp.rule @r optimizer state(%t: f32 per step = 0.0) inputs(%w: f32) {
  // expected-error @below {{expected a value of step extent for the state 't', got one of element extent}}
  amp.yield %w state(%w) : f32 state(f32)
}

// -----

amp.rule @r optimizer params(%lr: f64) inputs(%w: f32) {
  // expected-error @below {{expected a value that differs within the tensor to reduce over it, got one of step extent}}
  %x = amp.reduce add %lr over tensor : f64 -> f64
  amp.yield %w : f32
}

// -----

amp.rule @r optimizer inputs(%w: f32) {
  // expected-error @below {{expected to reduce over tensor or step, got element}}
  %x = amp.reduce add %w over element : f32 -> f64
  amp.yield %w : f32
}

// -----

amp.rule @r optimizer inputs(%w: f32) {
  // expected-error @below {{expected an i1 to combine with or, got 'f32'}}
  %x = amp.reduce or %w over tensor : f32 -> i1
  amp.yield %w : f32
}

// -----

amp.rule @r optimizer inputs(%w: f32) {
  // expected-error @below {{expected a result of type 'f64', got 'f32'}}
  %x = amp.reduce max %w over tensor : f32 -> f32
  amp.yield %w : f32
}

// -----

amp.rule @r optimizer params(%n: i64) inputs(%w: f32) {
  // expected-error @below {{expected an f32 or f64 to combine with add, got 'i64'}}
  %x = amp.reduce add %n over tensor : i64 -> f64
  amp.yield %w : f32
}

// -----

amp.rule @r optimizer inputs(%w: f32) {
  // expected-error @below {{is not in the numerics contract}}
  // expected-note @below {{of math, there are}}
  %x = arith.remf %w, %w : f32
  amp.yield %x : f32
}

// -----

amp.rule @r optimizer inputs(%w: f32) {
  // expected-error @below {{is not in the numerics contract}}
  // expected-note @below {{of math, there are absf, absi, ceil, copysign, cos, ctlz, ctpop, cttz, erf, exp, floor, fma, isfinite, isinf, isnan, isnormal, log, powf, round, roundeven, sqrt, tanh, trunc}}
  %x = math.rsqrt %w : f32
  amp.yield %x : f32
}

// -----

amp.rule @r optimizer params(%x: f64) inputs(%w: f32) {
  // expected-error @below {{expected f32, got 'f64'}}
  %y = math.fma %x, %x, %x : f64
  amp.yield %w : f32
}

// -----

amp.rule @r optimizer inputs(%w: f32) {
  // expected-error @below {{expected f32, f64, i1, i32 or i64 in amp.rule, got 'f16'}}
  %x = arith.truncf %w : f32 to f16
  amp.yield %w : f32
}

// -----

amp.rule @r optimizer inputs(%w: f32) {
  // expected-error @below {{expected f32, f64, i1, i32 or i64 in amp.rule, got 'vector<4xf32>'}}
  %x = arith.constant dense<0.0> : vector<4xf32>
  amp.yield %w : f32
}

// -----

amp.rule @r optimizer inputs(%w: f32) {
  // expected-error @below {{expected arith, math, amp.powi, amp.numel, amp.dim, amp.rank or amp.reduce in amp.rule}}
  %x = tensor.empty() : tensor<4xf32>
  amp.yield %w : f32
}

// -----

// expected-error @below {{expected 2 block arguments for its parameters, states and inputs, got 1}}
"amp.rule"() <{sym_name = "r", kind = 0 : i32, params = [], states = [], inputs = ["w", "g"]}> ({
^bb0(%w: f32):
  "amp.yield"(%w) <{operandSegmentSizes = array<i32: 1, 0>}> : (f32) -> ()
}) : () -> ()

// -----

// expected-error @below {{expected a block argument of type 'f64' for the parameter 'x', got 'f32'}}
"amp.rule"() <{sym_name = "r", kind = 0 : i32, params = [#amp.param<name = "x", type = f64>], states = [], inputs = ["w"]}> ({
^bb0(%x: f32, %w: f32):
  "amp.yield"(%w) <{operandSegmentSizes = array<i32: 1, 0>}> : (f32) -> ()
}) : () -> ()

// -----

// expected-error @below {{expected a constant of type 'f64' for the parameter 'x', got 1.000000e+00 : f32}}
"amp.rule"() <{sym_name = "r", kind = 0 : i32, params = [#amp.param<name = "x", type = f64, defaultValue = 1.0 : f32>], states = [], inputs = ["w"]}> ({
^bb0(%x: f64, %w: f32):
  "amp.yield"(%w) <{operandSegmentSizes = array<i32: 1, 0>}> : (f32) -> ()
}) : () -> ()

// -----

amp.model @model
amp.model @other
amp.step @s(%a: !amp.tensors<@other x f32>) {
  // expected-error @below {{expected lists over one model, @model, got @other}}
  %x = amp.map(%a) : (!amp.tensors<@other x f32>) -> !amp.tensors<@model x f32> {
  ^bb0(%e: f32):
    amp.yield %e : f32
  }
}

// -----

amp.model @model
amp.step @s(%a: !amp.tensors<@model x f32>) {
  // expected-error @below {{expected a result of f32 elements, got 'f16': narrow it with amp.cast}}
  %x = amp.map(%a) : (!amp.tensors<@model x f32>) -> !amp.tensors<@model x f16> {
  ^bb0(%e: f32):
    amp.yield %e : f32
  }
}

// -----

amp.model @model
amp.step @s(%a: !amp.tensors<@model x f16>) {
  // expected-error @below {{expected a block argument of type 'f32', got 'f16'}}
  %x = amp.map(%a) : (!amp.tensors<@model x f16>) -> !amp.tensors<@model x f32> {
  ^bb0(%e: f16):
    %y = arith.extf %e : f16 to f32
    amp.yield %y : f32
  }
}

// -----

amp.model @model
amp.step @s(%a: !amp.tensors<@model x f16>) {
  // expected-error @below {{expected inputs of tensor extent for a result of tensor extent}}
  %x = amp.map(%a) : (!amp.tensors<@model x f16>) -> !amp.tensors<@model x f32 per tensor> {
  ^bb0(%e: f32):
    amp.yield %e : f32
  }
}

// -----

amp.model @model
amp.step @s(%a: !amp.tensors<@model x f32>) {
  %x = amp.map(%a) : (!amp.tensors<@model x f32>) -> !amp.tensors<@model x f32> {
  ^bb0(%e: f32):
    // expected-error @below {{expected arith, math, amp.powi, amp.numel, amp.dim or amp.rank in amp.map}}
    %n = amp.reduce add %e over tensor : f32 -> f64
    amp.yield %e : f32
  }
}

// -----

amp.model @model
amp.step @s(%a: !amp.tensors<@model x f32>) {
  %x = amp.map(%a) : (!amp.tensors<@model x f32>) -> !amp.tensors<@model x f32> {
  ^bb0(%e: f32):
    // expected-error @below {{expected one value of type 'f32' and no state}}
    amp.yield %e state(%e) : f32 state(f32)
  }
}

// -----

amp.model @model
amp.step @s(%a: !amp.tensors<@model x f32>) {
  // expected-error @below {{expected 1 block arguments, got 0}}
  %x = amp.map(%a) : (!amp.tensors<@model x f32>) -> !amp.tensors<@model x f32> {
    %e = arith.constant 0.0 : f32
    amp.yield %e : f32
  }
}
