// RUN: sawtooth-opt %s -split-input-file -verify-diagnostics

amp.model @model
amp.state @wide : !amp.tensors<@model x f32> = required
amp.scaler @s by @pytorch
amp.step @t() {
  // expected-error @below {{expected the name of a state or scaler, got @wid; did you mean @wide?}}
  // expected-note @below {{there is @wide, @s}}
  %w = amp.read @wid : !amp.tensors<@model x f32>
}

// -----

amp.model @model
// expected-note @below {{declared here}}
amp.state @w : !amp.tensors<@model x f32> = required
amp.step @t() {
  // expected-error @below {{expected a result of type '!amp.tensors<@model x f32>', got '!amp.tensors<@model x f16>'}}
  %w = amp.read @w : !amp.tensors<@model x f16>
}

// -----

amp.step @t(%x: f32) {
  // expected-error @below {{expected the name of a scaler, got @s}}
  // expected-note @below {{there is none}}
  %y = amp.scale %x by @s : f32
}

// -----

amp.scaler @s by @pytorch
amp.step @t(%x: tensor<4xi32>) {
  // expected-error @below {{expected a tensor of floats, got 'tensor<4xi32>'}}
  %y = amp.scale %x by @s : tensor<4xi32>
}

// -----

amp.model @model
amp.scaler @s by @pytorch
amp.step @t(%g: !amp.tensors<@model x f16> {amp.scaled_by = [@s]}) {
  // expected-error @below {{expected a result of f32 elements, got 'f16': in 16 bits, what the scale had saved is lost again}}
  %u = amp.unscale %g by @s : !amp.tensors<@model x f16> -> !amp.tensors<@model x f16>
}

// -----

amp.model @model
amp.model @other
amp.scaler @s by @pytorch
amp.step @t(%g: !amp.tensors<@model x f16> {amp.scaled_by = [@s]}) {
  // expected-error @below {{expected lists over one model, @model, got @other}}
  %u = amp.unscale %g by @s : !amp.tensors<@model x f16> -> !amp.tensors<@other x f32>
}

// -----

amp.step @t() {
  // expected-error @below {{expected at least one value to test, got none}}
  %ok = "amp.is_finite"() : () -> i1
}

// -----

amp.step @t(%a: f32, %b: f32) {
  // expected-error @below {{expected a label for each of 2 values, got 1}}
  %ok = amp.is_finite %a, %b {labels = ["x"]} : f32, f32
}

// -----

amp.step @t(%a: f32, %b: f32) {
  // expected-error @below {{expected each label once, got 'x' twice}}
  %ok = amp.is_finite %a, %b {labels = ["x", "x"]} : f32, f32
}

// -----

amp.model @model
amp.state @n : !amp.tensors<@model x f32 per tensor> = 0.0
amp.step @t() {
  %n = amp.read @n : !amp.tensors<@model x f32 per tensor>
  // expected-error @below {{expected a list of elements, got one of values per tensor}}
  %ok = amp.is_finite %n : !amp.tensors<@model x f32 per tensor>
}

// -----

amp.model @model
amp.step @t(%g: !amp.tensors<@model x f16>) {
  // expected-error @below {{expected an order of 1, 2 or infinity (0x7FF0000000000000), got 3.000000e+00}}
  %n = amp.norm %g {order = 3.0} : !amp.tensors<@model x f16>
}

// -----

amp.step @t() {
  // expected-error @below {{expected at least one list, got none}}
  %n = "amp.norm"() : () -> f64
}

// -----

amp.model @model
amp.step @t(%g: !amp.tensors<@model x f32>, %max: f64) {
  %n = amp.norm %g : !amp.tensors<@model x f32>
  // expected-error @below {{expected an eps that is finite and not negative, got -1}}
  %c = amp.clip_by_norm %g, %n max(%max) {eps = -1.0} : !amp.tensors<@model x f32>
}

// -----

amp.model @model
amp.model @other
amp.step @t(%g: !amp.tensors<@model x f32>) {
  // expected-error @below {{expected lists over one model, @model, got @other}}
  %c = amp.cast %g : !amp.tensors<@model x f32> to !amp.tensors<@other x f32>
}

// -----

amp.model @model
amp.step @t(%g: !amp.tensors<@model x f32>) {
  // expected-error @below {{expected the name of an optimizer, got @opt}}
  // expected-note @below {{there is none}}
  %w, %o = amp.apply @opt(%g) : (!amp.tensors<@model x f32>) -> (!amp.tensors<@model x f32>)
}

// -----

!l = !amp.tensors<@model x f32>
!m = !amp.tensors<@other x f32>
amp.model @model
amp.model @other
amp.optimizer @opt by @adamw over @model
amp.step @t(%w: !l, %g: !m) {
  // expected-error @below {{expected lists over @model, the model of @opt, got @other}}
  %w1, %o = amp.apply @opt(%w, %g) : (!l, !m) -> (!l)
}

// -----

!l = !amp.tensors<@model x f32>
!h = !amp.tensors<@model x f16>
amp.model @model
amp.optimizer @opt by @adamw over @model
amp.step @t(%w: !l, %g: !l) {
  // expected-error @below {{expected results of f32 elements, got 'f16': narrow them with amp.cast}}
  %w1, %o = amp.apply @opt(%w, %g) : (!l, !l) -> (!h)
}

// -----

!l = !amp.tensors<@model x f32>
amp.model @model
amp.optimizer @opt by @mine over @model
// expected-note @below {{declared here}}
amp.rule @mine optimizer inputs(%w: f32, %g: f32) {
  amp.yield %w : f32
}
amp.step @t(%w: !l, %g: !l) {
  // expected-error @below {{expected 2 inputs and 1 results as @mine has them, got 1 and 1}}
  %w1, %o = amp.apply @opt(%w) : (!l) -> (!l)
}

// -----

!l = !amp.tensors<@model x f32>
amp.model @model
amp.optimizer @opt by @mine over @model
amp.rule @mine optimizer params(%lr: f64) inputs(%w: f32, %g: f32) {
  amp.yield %w : f32
}
amp.step @t(%w: !l, %g: !l) {
  // expected-error @below {{expected a value for the parameter 'lr' of @mine, which has no default: give it in hyper(lr = ...) or in the dictionary of @opt}}
  %w1, %o = amp.apply @opt(%w, %g) : (!l, !l) -> (!l)
}

// -----

!l = !amp.tensors<@model x f32>
amp.model @model
amp.optimizer @opt by @mine over @model
amp.rule @mine optimizer params(%lr: f64) inputs(%w: f32, %g: f32) {
  amp.yield %w : f32
}
amp.step @t(%w: !l, %g: !l, %lr: f32) {
  // expected-error @below {{expected a value of type 'f64' for the parameter 'lr', got 'f32'}}
  %w1, %o = amp.apply @opt(%w, %g) hyper(lr = %lr : f32) : (!l, !l) -> (!l)
}

// -----

!l = !amp.tensors<@model x f32>
amp.model @model
amp.optimizer @opt by @mine over @model
amp.rule @mine optimizer params(%rate: f64 = 1.0) inputs(%w: f32, %g: f32) {
  amp.yield %w : f32
}
amp.step @t(%w: !l, %g: !l, %lr: f64) {
  // expected-error @below {{expected the name of a parameter of @mine, got 'rata'; did you mean 'rate'?}}
  // expected-note @below {{there is rate}}
  %w1, %o = amp.apply @opt(%w, %g) hyper(rata = %lr) : (!l, !l) -> (!l)
}

// -----

!l = !amp.tensors<@model x f32>
amp.model @model
amp.optimizer @opt by @mine over @model
amp.rule @mine optimizer params(static %way: i1 = true) inputs(%w: f32, %g: f32) {
  amp.yield %w : f32
}
amp.step @t(%w: !l, %g: !l, %way: i1) {
  // expected-error @below {{expected a run-time parameter in hyper, got 'way', which is static: set it in the dictionary of @opt}}
  %w1, %o = amp.apply @opt(%w, %g) hyper(way = %way : i1) : (!l, !l) -> (!l)
}

// -----

!l = !amp.tensors<@model x f32>
amp.model @model
amp.optimizer @opt by @mine over @model
amp.step @t(%w: !l, %g: !l, %lr: f64) {
  // expected-error @below {{expected each name once in hyper, got 'lr' twice}}
  %w1, %o = amp.apply @opt(%w, %g) hyper(lr = %lr, lr = %lr) : (!l, !l) -> (!l)
}

// -----

!h = !amp.tensors<@model x f16>
amp.model @model
amp.step @t(%h: !h) {
  // expected-error @below {{expected a tensor of 'f16' as in the list, got 'f32'}}
  %x = amp.leaf %h["a"] : !h -> tensor<4xf32>
}

// -----

!h = !amp.tensors<@model x f16>
amp.model @model
amp.step @t(%h: !h) {
  // expected-error @below {{expected a static shape of at most 8 dimensions, got 'tensor<?xf16>'}}
  %x = amp.leaf %h["a"] : !h -> tensor<?xf16>
}

// -----

!h = !amp.tensors<@model x f16>
amp.model @model
amp.step @t(%h: !h) {
  // expected-error @below {{expected the name of a tensor, got an empty one}}
  %x = amp.leaf %h[""] : !h -> tensor<4xf16>
}

// -----

!h = !amp.tensors<@model x f16>
amp.model @model
amp.step @t() {
  %x = tensor.empty() : tensor<1x1x1x1x1x1x1x1x1xf16>
  // expected-error @below {{expected at most 8 dimensions for "a", got 'tensor<1x1x1x1x1x1x1x1x1xf16>'}}
  %g = amp.pack {"a" = %x : tensor<1x1x1x1x1x1x1x1x1xf16>} : !h
}

// -----

!h = !amp.tensors<@model x f16>
amp.model @model
amp.step @t(%x: tensor<4xf16>) {
  // expected-error @below {{expected each name once, got "a" twice}}
  %g = amp.pack {"a" = %x : tensor<4xf16>, "a" = %x : tensor<4xf16>} : !h
}

// -----

!h = !amp.tensors<@model x f16>
amp.model @model
amp.step @t(%x: tensor<4xf32>) {
  // expected-error @below {{expected a tensor of 'f16' as in the list for "a", got 'f32'}}
  %g = amp.pack {"a" = %x : tensor<4xf32>} : !h
}

// -----

!h = !amp.tensors<@model x f16>
amp.model @model
amp.step @t(%x: tensor<4xf16>) {
  // expected-error @below {{expected the name of a scaler, got @s}}
  // expected-note @below {{there is none}}
  %g = amp.pack {"a" = %x : tensor<4xf16>} {scaled_by = [@s]} : !h
}

// -----

amp.step @t(%x: tensor<4xf16>) {
  // expected-error @below {{expected 1 arguments and 1 results as @f has them, got 2 and 1}}
  %y = amp.call @f(%x, %x) : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
}
// expected-note @below {{declared here}}
func.func private @f(%x: tensor<4xf16>) -> tensor<4xf16> {
  return %x : tensor<4xf16>
}

// -----

amp.step @t(%x: tensor<4xf16>) {
  // expected-error @below {{expected a scalar or a tensor of one f16, bf16, f32 or f64 element, got 'tensor<4xf16>'}}
  amp.log "loss", %x : tensor<4xf16>
}

// -----

amp.step @t(%x: f32) {
  // expected-error @below {{expected a key, got an empty one}}
  amp.log "", %x : f32
}

// -----

amp.step @t(%ok: i1) {
  // expected-error @below {{expected the name of a scaler, got @s}}
  // expected-note @below {{there is none}}
  amp.update @s, %ok
}
