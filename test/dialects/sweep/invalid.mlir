// RUN: sawtooth-opt %s --split-input-file --verify-diagnostics

amp.model @m
// expected-error @below {{expected a list with a value for each element, got '!amp.tensors<@m x f32 per tensor>'}}
sweep.list state @w : !amp.tensors<@m x f32 per tensor> {label = "w", init = 0.0 : f32}

// -----

amp.model @m
// expected-error @below {{expected state to have either an initial value or a list that it copies}}
sweep.list state @w : !amp.tensors<@m x f32> {label = "w"}

// -----

amp.model @m
// expected-error @below {{expected the step that this scratch belongs to}}
sweep.list scratch @w : !amp.tensors<@m x f32> {label = "w"}

// -----

// expected-error @below {{expected @m to name a model, got nothing}}
sweep.list state @w : !amp.tensors<@m x f32> {label = "w", init = 0.0 : f32}

// -----

amp.model @m
amp.model @n
sweep.list state @w : !amp.tensors<@m x f32> {label = "w", init = 0.0 : f32}
// expected-error @below {{expected a copy of a list of @n, got @w of @m}}
sweep.list state @h : !amp.tensors<@n x f16> {label = "h", copy_of = @w}

// -----

// expected-error @below {{expected f32, f64, i1, i32 or i64, got 'f16'}}
sweep.field state @f : f16 {init = 0.0 : f16}

// -----

// expected-error @below {{expected an initial value of type 'f32', got 0 : i64}}
sweep.field state @f : f32 {init = 0 : i64}

// -----

// expected-error @below {{expected one initial value, got values by name without a model}}
sweep.field parameter @f : f64 {init = #amp.patterns<"*" = 1.0>}

// -----

// expected-error @below {{expected a field with a role to belong to a scaler}}
sweep.field state @f : f32 role scale {init = 0.0 : f32}

// -----

amp.model @m
sweep.list argument @g : !amp.tensors<@m x f16> {label = "g", step = @s}
sweep.step @s() {
  // expected-error @below {{expected an element of type 'f16', got 'f32'}}
  %x = sweep.element @g : f32
}

// -----

amp.model @m
sweep.list argument @g : !amp.tensors<@m x f16> {label = "g", step = @s}
sweep.step @s() {
  %x = sweep.element @g : f16
  // expected-error @below {{expected state or scratch, got the argument @g, which is read-only}}
  sweep.store %x to @g : f16
}

// -----

sweep.field parameter @p : i64 {init = 0 : i64}
sweep.step @s() {
  %p = sweep.get @p : i64
  // expected-error @below {{expected state or a counter, got the parameter @p, which no step writes}}
  sweep.set %p to @p : i64
}

// -----

sweep.step @s() {
  // expected-error @below {{expected @p to name a field, got nothing}}
  %p = sweep.get @p : i64
}

// -----

amp.model @m
sweep.step @s(%x: f32, %y: i1) {
  // expected-error @below {{expected 'add' of f32 or f64, got 'i1'}}
  %a = sweep.reduce add %y over step of @m : i1 -> i1
}

// -----

amp.model @m
sweep.step @s(%x: f32) {
  // expected-error @below {{expected a result of type 'f64', got 'f32'}}
  %a = sweep.reduce add %x over step of @m : f32 -> f32
}

// -----

amp.model @m
sweep.step @s(%x: f32) {
  // expected-error @below {{expected a reduction over tensor or step, got element}}
  %a = sweep.reduce add %x over element of @m : f32 -> f64
}

// -----

amp.model @m
sweep.list state @w : !amp.tensors<@m x f32> {label = "w", init = 0.0 : f32}
sweep.step @s(%x: f32) {
  // expected-note @below {{first written here}}
  sweep.store %x to @w : f32
  // expected-error @below {{writes @w a second time}}
  sweep.store %x to @w : f32
}

// -----

sweep.step @s() {
  // expected-error @below {{cannot stand in an uncut step: expected scalars alone (or the attribute 'cut')}}
  sweep.scalar @entry {
  }
}

// -----

sweep.step @s(%x: tensor<2xf32>) {
  // expected-error @below {{cannot stand in an uncut step: expected a scalar op of arith or math, or one of sweep}}
  %y = arith.negf %x : tensor<2xf32>
}

// -----

sweep.step @s(%ok: i1) {
  sweep.outcome %ok []
  // expected-error @below {{is the second outcome of the step}}
  sweep.outcome %ok []
}

// -----

sweep.step @s(%ok: i1) {
  // expected-error @below {{expected a label for each cause, got 1 and no word of causes}}
  sweep.outcome %ok ["gradient"]
}

// -----

// expected-error @below {{expected argument 0 to be a scalar or a tensor, got '!amp.tensors<@m x f32>'}}
sweep.step @s(%x: !amp.tensors<@m x f32>) {
}

// -----

sweep.step @s() attributes {cut} {
  // expected-error @below {{cannot stand in a cut step: expected a scalar program, a pass or the forward part}}
  %x = arith.constant 1.0 : f32
}

// -----

sweep.field state @f : i64 {init = 0 : i64}
sweep.step @s(%x: i64) attributes {cut} {
  sweep.scalar @entry {
    // expected-error @below {{cannot stand in the middle of a step: expected it in the last scalar program}}
    sweep.set %x to @f : i64
  }
  sweep.scalar @final {
  }
}

// -----

amp.model @m
sweep.step @s() attributes {cut} {
  // expected-error @below {{cannot stand in the last place of a cut step: expected a scalar program}}
  sweep.pass over @m reads [] writes [] [] [] {
  }
}

// -----

sweep.step @s(%x: f64) attributes {cut} {
  // expected-error @below {{expected value 0 yielded of type 'f32', got 'f64'}}
  %y = sweep.scalar @entry {
    sweep.yield %x : f64
  } : f32
  sweep.scalar @final {
  }
}

// -----

amp.model @m
sweep.step @s(%x: f64) attributes {cut} {
  sweep.scalar @final {
    // expected-error @below {{expected 1 values yielded, got 0}}
    %y = sweep.each over @m() : () -> !sweep.per_tensor<@m x f64> {
    }
  }
}

// -----

amp.model @m
amp.model @n
sweep.step @s(%x: f64) attributes {cut} {
  sweep.scalar @final {
    // expected-error @below {{expected values of the tensors of @m, got '!sweep.per_tensor<@n x f64>'}}
    %y = sweep.each over @m() : () -> !sweep.per_tensor<@n x f64> {
      sweep.yield %x : f64
    }
  }
}

// -----

amp.model @m
sweep.list state @w : !amp.tensors<@m x f32> {label = "w", init = 0.0 : f32}
sweep.step @s() attributes {cut} {
  // expected-error @below {{expected 1 block arguments, for 1 lists and 0 values of tensors, got 0}}
  sweep.pass over @m reads [@w] writes [] [] [] {
  }
  sweep.scalar @final {
  }
}

// -----

amp.model @m
sweep.list state @w : !amp.tensors<@m x f32> {label = "w", init = 0.0 : f32}
sweep.step @s() attributes {cut} {
  // expected-error @below {{expected an element of @w of type 'f32', got 'f16'}}
  sweep.pass over @m reads [@w] writes [] [] [] {
  ^bb0(%x: f16):
    sweep.leave
  }
  sweep.scalar @final {
  }
}

// -----

amp.model @m
amp.model @n
sweep.list state @w : !amp.tensors<@n x f32> {label = "w", init = 0.0 : f32}
sweep.step @s() attributes {cut} {
  // expected-error @below {{expected lists of @m, got @w of @n}}
  sweep.pass over @m reads [@w] writes [] [] [] {
  ^bb0(%x: f32):
    sweep.leave
  }
  sweep.scalar @final {
  }
}

// -----

amp.model @m
sweep.list state @w : !amp.tensors<@m x f32> {label = "w", init = 0.0 : f32}
sweep.step @s(%x: f32, %ok: i1) attributes {cut} {
  // expected-error @below {{expected the number of one of 1 flags, or -1, got 1}}
  sweep.pass over @m reads [] writes [@w] flags(%ok) [1] [] {
    sweep.leave write(%x : f32)
  }
  sweep.scalar @final {
  }
}

// -----

amp.model @m
sweep.step @s(%x: f32) attributes {cut} {
  // expected-error @below {{expected reduction 0 of 'f32' to '!sweep.per_tensor<@m x f64>', got 'f32' to 'f64'}}
  %r = sweep.pass over @m reads [] writes [] [] [#sweep.reduction<add over tensor>] {
    sweep.leave reduce(%x : f32)
  } : f64
  sweep.scalar @final {
  }
}

// -----

amp.model @m
sweep.field parameter @p : f32 {init = 0.0 : f32}
sweep.step @s() attributes {cut} {
  sweep.pass over @m reads [] writes [] [] [] {
    // expected-error @below {{cannot stand in a pass: expected scalar arithmetic, sweep.numel, dim or rank}}
    %p = sweep.get @p : f32
  }
  sweep.scalar @final {
  }
}

// -----

amp.model @m
sweep.list state @w : !amp.tensors<@m x f16> {label = "w", init = 0.0 : f16}
func.func private @s.model() -> tensor<1xf16>
sweep.step @s() {
  // expected-error @below {{expected packs to be scratch, got the state @w}}
  sweep.forward @s.model() leaves [] [] packs [@w] ["a"] : () -> ()
}

// -----

sweep.field parameter @p : f32 {init = 0.0 : f32}
// expected-error @below {{expects parent op to be one of}}
%p = sweep.get @p : f32

// -----

amp.model @m
sweep.step @s() attributes {cut} {
  // expected-error @below {{expected @h to name a list}}
  sweep.pass over @m reads [@h] writes [] [] [] {
  ^bb0(%x: f16):
    sweep.leave
  }
  sweep.scalar @final {
  }
}

// -----

// The verifiers of ops with bodies meet bodies without an end, or with another's.
sweep.step @s() attributes {cut} {
  "sweep.scalar"() <{label = @final}> ({
    // expected-error @below {{block with no terminator}}
    %0 = arith.constant true
  }) : () -> ()
}

// -----

amp.model @m
sweep.step @s() attributes {cut} {
  sweep.scalar @final {
    // expected-error @below {{expects a non-empty block}}
    "sweep.each"() <{model = @m}> ({
    ^bb0:
    }) : () -> ()
  }
}

// -----

amp.model @m
sweep.step @s() attributes {cut} {
  "sweep.pass"() <{model = @m, reads = [], writes = [], write_flags = array<i32>, reductions = [], operandSegmentSizes = array<i32: 0, 0, 0>}> ({
    // expected-error @below {{'sweep.yield' op expects parent op to be one of 'sweep.scalar, sweep.each'}}
    "sweep.yield"() : () -> ()
  }) : () -> ()
  sweep.scalar @final {
  }
}
