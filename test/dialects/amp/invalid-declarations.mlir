// RUN: sawtooth-opt %s -split-input-file -verify-diagnostics

amp.model @model
// expected-error @below {{expected an initial value, as in '= 0.0' or '= required', or copy_of, got neither}}
amp.state @w : !amp.tensors<@model x f32>

// -----

amp.model @model
amp.state @w : !amp.tensors<@model x f32> = required
// expected-error @below {{expected either an initial value or copy_of, got both}}
amp.state @h : !amp.tensors<@model x f16> = 0.0 copy_of @w

// -----

// expected-error @below {{expected a list, f32, f64, i1, i32 or i64, got 'i8'}}
amp.state @x : i8 = 0

// -----

// expected-error @below {{expected a constant as initial value of a 'f32', got #amp.required}}
amp.state @x : f32 = required

// -----

// expected-error @below {{expected a constant as initial value of a scalar, got #amp.uniform}}
amp.state @x : f32 = #amp.uniform<fan_in>

// -----

amp.model @model
// expected-error @below {{expected a constant as initial value of a per-tensor list, got #amp.uniform}}
amp.state @x : !amp.tensors<@model x f32 per tensor> = #amp.uniform<fan_in>

// -----

amp.model @model
// expected-error @below {{expected a standard deviation that is finite and not negative, got -1}}
amp.state @x : !amp.tensors<@model x f32> = #amp.normal<std = -1.0>

// -----

amp.model @model
// expected-error @below {{expected a constant of type 'f16', required, cast or a random initial value, got 1.000000e+05}}
amp.state @x : !amp.tensors<@model x f16> = ["*" = 1.0e5]

// -----

amp.model @model
// expected-error @below {{expected a name pattern, got an empty one}}
amp.state @x : !amp.tensors<@model x f16> = ["" = 1.0]

// -----

// expected-error @below {{expected a constant as initial value of a 'f64', got patterns}}
amp.state @x : f64 = ["*" = 1.0]

// -----

amp.model @model
// expected-error @below {{expected the name of a model, got @modle; did you mean @model?}}
// expected-note @below {{there is @model}}
amp.state @x : !amp.tensors<@modle x f32> = 0.0

// -----

// expected-error @below {{expected the name of a model, got @model}}
// expected-note @below {{there is none}}
amp.state @x : !amp.tensors<@model x f32> = 0.0

// -----

// expected-error @below {{expected a list of f16, bf16 or f32, got 'f64'}}
amp.state @x : !amp.tensors<@model x f64> = 0.0

// -----

// expected-error @below {{expected a list of f16, bf16 or f32, f64 or i64, got 'i8'}}
amp.state @x : !amp.tensors<@model x i8 per tensor> = 0

// -----

amp.model @model
// expected-error @below {{expected the name of a scaler, got @t; did you mean @s?}}
// expected-note @below {{there is @s}}
amp.state @x : !amp.tensors<@model x f32> = 0.0 scaled_by [@t]
amp.scaler @s by @pytorch

// -----

amp.model @model
// expected-error @below {{expected each scaler once in scaled_by, got @s twice}}
amp.state @x : !amp.tensors<@model x f32> = 0.0 scaled_by [@s, @s]
amp.scaler @s by @pytorch

// -----

amp.model @model
// expected-error @below {{expected scalers in scaled_by, got 4 : i64}}
amp.state @x : !amp.tensors<@model x f32> = 0.0 scaled_by [4]

// -----

amp.model @model
// expected-error @below {{expected the name of the state that this is a copy of, got @w}}
// expected-note @below {{there is @h}}
amp.state @h : !amp.tensors<@model x f16> copy_of @w

// -----

amp.model @model
amp.model @other
amp.state @w : !amp.tensors<@other x f32> = required
// expected-error @below {{expected a list over @model to copy, got '!amp.tensors<@other x f32>'}}
amp.state @h : !amp.tensors<@model x f16> copy_of @w

// -----

amp.model @model
amp.state @w : !amp.tensors<@model x f32> = required
amp.state @h : !amp.tensors<@model x f16> copy_of @w
// expected-error @below {{expected a state that is written by commits as source of the copy, got @h, a copy of @w}}
amp.state @b : !amp.tensors<@model x bf16> copy_of @h

// -----

// expected-error @below {{expected a list of elements as the copy of @w, got 'f32'}}
amp.state @h : f32 copy_of @w

// -----

amp.model @model
// expected-error @below {{expected an initial value to start from, got a circle of casts through @a}}
amp.state @a : !amp.tensors<@model x f32> = cast @b
amp.state @b : !amp.tensors<@model x f32> = cast @a

// -----

amp.model @model
amp.state @b : f32 = 0.0
// expected-error @below {{expected a list like '!amp.tensors<@model x f32>' to cast, got 'f32'}}
amp.state @a : !amp.tensors<@model x f32> = cast @b

// -----

amp.model @model
// expected-error @below {{expected the name of a state to cast, got @nowhere}}
// expected-note @below {{there is @a}}
amp.state @a : !amp.tensors<@model x f32> = ["*" = #amp.cast<@nowhere>]

// -----

amp.model @model
// expected-error @below {{expected values of type f64 or i64, got 'f32'}}
amp.per_tensor @p : f32 over @model ["*" = 0.0]

// -----

amp.model @model
// expected-error @below {{expected constants of type 'i64', got 5.000000e-01 : f64}}
amp.per_tensor @p : i64 over @model ["*" = 0.5]

// -----

amp.model @model
// expected-error @below {{expected at least one pattern, got none}}
amp.per_tensor @p : i64 over @model []

// -----

// expected-error @below {{expected the name of a model, got @model}}
// expected-note @below {{there is none}}
amp.per_tensor @p : f64 over @model ["*" = 0.5]

// -----

amp.program @p {
  // expected-error @below {{expected the name of a step to run, got none}}
  amp.run
}

// -----

amp.program @p {
  // expected-error @below {{expected batch, epochs, seed and eval in the module's amp.run, got them in a program}}
  amp.run @s {batch = 3}
}
amp.step @s() {}

// -----

amp.program @p {
  // expected-error @below {{expected the name of a step, got @tarin; did you mean @train?}}
  // expected-note @below {{there is @train, @test}}
  amp.run @tarin
}
amp.step @train() {}
amp.step @test() {}

// -----

amp.program @p {
  amp.repeat 2 {
    // expected-error @below {{expected amp.run or amp.repeat in amp.repeat, got arith.constant}}
    %x = arith.constant 1.0 : f32
  }
}

// -----

amp.step @train() {}
// expected-error @below {{got @train: the order of steps is an amp.program's}}
amp.run @train {batch = 3}

// -----

// expected-error @below {{expected a batch of at least 1, got 0}}
amp.run {batch = 0}

// -----

// expected-error @below {{expected epochs of at least 0, got -2}}
amp.run {epochs = -2}

// -----

// expected-error @below {{expected the name of a step, got @test}}
// expected-note @below {{there is none}}
amp.run {eval = @test}

// -----

// expected-note @below {{the first is here}}
amp.run {batch = 1}
// expected-error @below {{expected one amp.run in the module, got another}}
amp.run {batch = 2}

// -----

// expected-error @below {{count}}
"amp.program"() <{sym_name = "p"}> ({ "amp.repeat"() <{count = 0 : i64}> ({}) : () -> () }) : () -> ()

// -----

amp.model @model
// expected-error @below {{expected one element type, got a set of them: lists of several element types are not supported yet}}
amp.state @w : !amp.tensors<@model x (f16 | f32)> = 0.0
