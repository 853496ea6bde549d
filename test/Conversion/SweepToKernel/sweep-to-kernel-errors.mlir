// RUN: sawtooth-opt %s --sweep-to-kernel --verify-diagnostics --split-input-file

// expected-error @below {{expected a step in cut form, got the uncut one}}
sweep.step @train() {
  %true = arith.constant true
  sweep.outcome %true []
}

// -----

// expected-error @below {{expected a sweep.outcome in the last scalar program of a cut step, got none}}
sweep.step @train() attributes {cut} {
}

// -----

amp.model @model
sweep.list state @w : !amp.tensors<@model x f32> {label = "w", init = #amp.required}
sweep.step @train(%flag: i1) attributes {cut} {
  // expected-error @below {{expected a result of a scalar program as the flag of a pass, got an argument of the step}}
  sweep.pass over @model reads [@w] writes [@w] when %flag [-1] [] {
  ^bb0(%w: f32):
    sweep.leave write(%w : f32)
  }
  sweep.scalar @final {
    sweep.outcome %flag []
  }
}

// -----

amp.model @model
sweep.list state @w : !amp.tensors<@model x f32> {label = "w", init = #amp.required}
sweep.step @train() attributes {cut} {
  %sum = sweep.pass over @model reads [@w] writes [] [] [#sweep.reduction<add over step>] {
  ^bb0(%w: f32):
    sweep.leave reduce(%w : f32)
  } : f64
  // expected-error @below {{expected a scalar program between a pass and the use of its results}}
  sweep.pass over @model reads [@w] writes [@w] [-1] [] {
  ^bb0(%w: f32):
    %s = arith.truncf %sum : f64 to f32
    %x = arith.mulf %w, %s : f32
    sweep.leave write(%x : f32)
  }
  sweep.scalar @final {
    %true = arith.constant true
    sweep.outcome %true []
  }
}

// -----

amp.model @model
sweep.field state @t : i64 {model = @model, init = 0 : i64}
sweep.step @train() attributes {cut} {
  sweep.scalar @final {
    // expected-error @below {{expected a per-tensor field inside sweep.each over its model}}
    %t = sweep.get @t : i64
    %true = arith.constant true
    sweep.outcome %true []
  }
}

// -----

amp.model @model
sweep.field state @t : i64 {model = @model, init = 0 : i64}
sweep.step @train() attributes {cut} {
  sweep.scalar @final {
    sweep.each over @model() : () -> () {
      %t = sweep.get @t : i64
      sweep.set %t to @t : i64
    }
    sweep.each over @model() : () -> () {
      // expected-error @below {{expected every read of @t in sweep.each before the one that writes it}}
      %t = sweep.get @t : i64
    }
    %true = arith.constant true
    sweep.outcome %true []
  }
}

// -----

amp.model @model
sweep.list argument @train.g : !amp.tensors<@model x f32> {label = "g", step = @train}
sweep.step @train() attributes {cut} {
  sweep.pass over @model reads [@train.g] writes [] [] [#sweep.reduction<add over step>] {
  ^bb0(%g: f32):
    %n = arith.fptosi %g : f32 to i64
    %two = arith.constant 2.0 : f32
    // expected-error @below {{expected an exponent that is the same for all elements of a tensor}}
    %p = amp.powi %two, %n : f32
    sweep.leave reduce(%p : f32)
  } : f64
  sweep.scalar @final {
    %true = arith.constant true
    sweep.outcome %true []
  }
}

// -----

amp.model @model
sweep.list state @w : !amp.tensors<@model x f32> {label = "w", init = #amp.required}
func.func private @forward(%x: tensor<4x8xf32>, %y: tensor<8x4xf32>) -> tensor<1xf32> {
  %z = tensor.empty() : tensor<1xf32>
  return %z : tensor<1xf32>
}
sweep.step @train() attributes {cut} {
  // expected-error @below {{expected tensor "fc" of @w to have the shape [4, 8] that it has elsewhere, got [8, 4]}}
  %loss = sweep.forward @forward() leaves [@w, @w] ["fc", "fc"] packs [] [] : () -> f32
  sweep.scalar @final {
    %true = arith.constant true
    sweep.outcome %true []
  }
}

// -----

sweep.step @train() attributes {cut} {
  sweep.scalar @final {
    %true = arith.constant true
    sweep.outcome %true []
  }
}
amp.program @long {
  amp.repeat 1000 {
    amp.repeat 9223372036854775807 {}
    // expected-error @below {{expected a program of at most 1048576 steps, got more}}
    amp.repeat 1048577 {
      amp.run @train
    }
  }
}
