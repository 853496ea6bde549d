// RUN: sawtooth-opt %s -split-input-file -verify-diagnostics

//===------------------------------------------------------------------------------------------===//
// The signature
//===------------------------------------------------------------------------------------------===//

// expected-error @below {{argument 'x': expected a list of elements, a tensor or f32, f64, i1, i32 or i64, got 'i8'}}
amp.step @t(%x: i8) {}

// -----

// expected-error @below {{argument 'x': expected ? only as first dimension of a tensor with amp.batch, got 'tensor<?x4xf16>'}}
amp.step @t(%x: tensor<?x4xf16>) {}

// -----

// expected-error @below {{argument 'x': expected ? only as first dimension}}
amp.step @t(%x: tensor<?x?xf16> {amp.batch = "x"}) {}

// -----

// expected-error @below {{argument 'x': expected amp.batch = "NAME" on a tensor of at least one dimension, got "x" on 'f64'}}
amp.step @t(%x: f64 {amp.batch = "x"}) {}

// -----

// expected-error @below {{argument 'x': expected amp.default to be a constant of a scalar's type, got true for 'f64'}}
amp.step @t(%x: f64 {amp.default = true}) {}

// -----

// expected-error @below {{argument 'x': expected an attribute of an argument, got 'amp.defualt'; did you mean 'amp.default'?}}
// expected-note @below {{there is amp.batch, amp.default, amp.name, amp.scaled_by}}
amp.step @t(%x: f64 {amp.defualt = 1.0}) {}

// -----

// expected-error @below {{expected each argument name once, got 'a' twice}}
amp.step @t(%x: f64 {amp.name = "a"}, %y: f64 {amp.name = "a"}) {}

// -----

amp.model @model
// expected-error @below {{expected the name of a scaler, got @t; did you mean @s?}}
// expected-note @below {{there is @s}}
amp.step @train(%g: !amp.tensors<@model x f16> {amp.scaled_by = [@t]}) {}
amp.scaler @s by @pytorch

// -----

// expected-error @below {{expected the name of a model, got @model}}
// expected-note @below {{there is none}}
amp.step @train(%g: !amp.tensors<@model x f16>) {}

// -----

//===------------------------------------------------------------------------------------------===//
// The order
//===------------------------------------------------------------------------------------------===//

amp.state @x : f32 = 0.0
amp.step @t(%y: f32) {
  // expected-note @below {{the first is here}}
  amp.commit %y to @x always : f32
  // expected-error @below {{expected to stand before the first commit or update: it takes the state at entry}}
  %x = amp.read @x : f32
}

// -----

// An unscale behind the update would look as if it took the new scale.
!l = !amp.tensors<@model x f32>
amp.model @model
amp.scaler @s by @pytorch
amp.step @t(%g: !l {amp.scaled_by = [@s]}, %ok: i1) {
  // expected-note @below {{the first is here}}
  amp.update @s, %ok
  // expected-error @below {{expected to stand before the first commit or update}}
  %u = amp.unscale %g by @s : !l -> !l
}

// -----

amp.state @x : f32 = 0.0
amp.step @t(%y: f32) {
  // expected-note @below {{the first is here}}
  amp.commit %y to @x always : f32
  // expected-error @below {{expected one commit to @x in a step, got another}}
  amp.commit %y to @x always : f32
}

// -----

amp.state @x : f32 = 0.0
amp.step @t(%y: f32) {
  // expected-error @below {{expected one commit to @x in a step, got another}}
  // expected-note @below {{the first is here}}
  amp.commit %y to @x, %y to @x always : f32, f32
}

// -----

amp.scaler @s by @pytorch
amp.step @t(%ok: i1) {
  // expected-note @below {{the first is here}}
  amp.update @s, %ok
  // expected-error @below {{expected one update of @s in a step, got another}}
  amp.update @s, %ok
}

// -----

amp.step @t(%x: f32) {
  // expected-note @below {{the first is here}}
  amp.log "x", %x : f32
  // expected-error @below {{expected one value under the key "x", got another}}
  amp.log "x", %x : f32
}

// -----

!h = !amp.tensors<@model x f16>
amp.model @model
amp.step @t(%h: !h, %x: tensor<4x5xf16>) {
  // expected-note @below {{the first is here}}
  %a = amp.leaf %h["a"] : !h -> tensor<4xf16>
  // expected-error @below {{expected the shape of 'tensor<4xf16>' for "a", got that of 'tensor<4x5xf16>'}}
  %g = amp.pack {"a" = %x : tensor<4x5xf16>} : !h
}

// -----

//===------------------------------------------------------------------------------------------===//
// Commits
//===------------------------------------------------------------------------------------------===//

amp.state @x : f32 = 0.0
amp.step @t(%y: f32) {
  // expected-error @below {{expected a flag, as in 'when %ok', or always, got neither}}
  amp.commit %y to @x : f32
}

// -----

amp.state @x : f32 = 0.0
amp.step @t(%y: f32, %ok: i1) {
  // expected-error @below {{expected either a flag (when) or always, got both}}
  amp.commit %y to @x when %ok always : f32
}

// -----

amp.state @x : f32 = 0.0
amp.step @t(%y: f32) {
  // expected-error @below {{expected the name of a state or optimizer, got @z; did you mean @x?}}
  // expected-note @below {{there is @x}}
  amp.commit %y to @z always : f32
}

// -----

amp.scaler @s by @pytorch
amp.step @t(%y: f32) {
  // expected-error @below {{expected a state or optimizer, got the scaler @s: its policy writes it, through amp.update}}
  amp.commit %y to @s always : f32
}

// -----

!l = !amp.tensors<@model x f32>
!h = !amp.tensors<@model x f16>
amp.model @model
amp.state @w : !l = required
// expected-note @below {{declared here}}
amp.state @h : !h copy_of @w
amp.step @t(%x: !h) {
  // expected-error @below {{expected a state that is written by commits, got @h, a copy of @w: it follows every commit to @w}}
  amp.commit %x to @h always : !h
}

// -----

!l = !amp.tensors<@model x f32>
!h = !amp.tensors<@model x f16>
amp.model @model
// expected-note @below {{declared here}}
amp.state @w : !l = required
amp.step @t(%x: !h) {
  // expected-error @below {{expected a value of type '!amp.tensors<@model x f32>' for @w, got '!amp.tensors<@model x f16>': insert amp.cast}}
  amp.commit %x to @w always : !h
}

// -----

amp.model @model
amp.optimizer @opt by @adamw over @model
amp.step @t(%x: f32) {
  // expected-error @below {{expected '!amp.next<@opt>' for @opt, got 'f32'}}
  amp.commit %x to @opt always : f32
}

// -----

//===------------------------------------------------------------------------------------------===//
// Scaling
//===------------------------------------------------------------------------------------------===//

!l = !amp.tensors<@model x f32>
amp.model @model
amp.scaler @s by @pytorch
amp.step @t(%g: !l {amp.scaled_by = [@s]}) {
  // expected-note @below {{unscaled here}}
  %u = amp.unscale %g by @s : !l -> !l
  %c = amp.cast %u : !l to !amp.tensors<@model x bf16>
  // expected-error @below {{expected a value scaled by @s, got one scaled by no scaler: it has been unscaled already}}
  %v = amp.unscale %c by @s : !amp.tensors<@model x bf16> -> !l
}

// -----

!l = !amp.tensors<@model x f32>
amp.model @model
amp.scaler @s by @pytorch
// expected-note @below {{this is where the value comes from}}
amp.step @t(%g: !l) {
  // expected-error @below {{expected a value scaled by @s, got one scaled by no scaler: mark the argument {amp.scaled_by = [@s]} if it carries the scale}}
  %u = amp.unscale %g by @s : !l -> !l
}

// -----

!l = !amp.tensors<@model x f32>
amp.model @model
amp.scaler @s by @pytorch
amp.scaler @r by @pytorch
// expected-note @below {{this is where the value comes from}}
amp.step @t(%g: !l {amp.scaled_by = [@r]}) {
  // expected-error @below {{expected a value scaled by @s, got one scaled by @r}}
  %u = amp.unscale %g by @s : !l -> !l
}

// -----

!l = !amp.tensors<@model x f32>
amp.model @model
amp.scaler @s by @pytorch
amp.state @acc : !l = 0.0
amp.step @t() {
  // expected-note @below {{this is where the value comes from}}
  %a = amp.read @acc : !l
  // expected-error @below {{expected a value scaled by @s, got one scaled by no scaler}}
  %u = amp.unscale %a by @s : !l -> !l
}

// -----

!h = !amp.tensors<@model x f16>
amp.model @model
amp.scaler @s by @pytorch
// expected-note @below {{this is where the value comes from}}
amp.step @t(%g: !h {amp.scaled_by = [@s]}, %max: f64) {
  %n = amp.norm %g : !h
  // expected-error @below {{expected a value to clip without a loss scale, got one scaled by @s: insert amp.unscale}}
  %c = amp.clip_by_norm %g, %n max(%max) : !h
}

// -----

!h = !amp.tensors<@model x f16>
!l = !amp.tensors<@model x f32>
amp.model @model
amp.scaler @s by @pytorch
// expected-note @below {{this is where the value comes from}}
amp.step @t(%g: !h {amp.scaled_by = [@s]}, %max: f64) {
  %n = amp.norm %g : !h
  %u = amp.unscale %g by @s : !h -> !l
  // expected-error @below {{expected a norm to clip by without a loss scale, got one scaled by @s: insert amp.unscale}}
  %c = amp.clip_by_norm %u, %n max(%max) : !l
}

// -----

!h = !amp.tensors<@model x f16>
amp.model @model
amp.scaler @s by @pytorch
// expected-note @below {{this is where the value comes from}}
amp.step @t(%g: !h {amp.scaled_by = [@s]}, %max: f64) {
  // expected-error @below {{expected a value to clip without a loss scale, got one scaled by @s}}
  %c = amp.clip_by_value %g limit(%max) : !h
}

// -----

!h = !amp.tensors<@model x f16>
!l = !amp.tensors<@model x f32>
amp.model @model
amp.scaler @s by @pytorch
amp.optimizer @opt by @adamw over @model
// expected-note @below {{this is where the value comes from}}
amp.step @t(%w: !l, %g: !h {amp.scaled_by = [@s]}, %lr: f64) {
  // expected-error @below {{expected inputs of a rule without a loss scale, got one scaled by @s: insert amp.unscale}}
  %w1, %o = amp.apply @opt(%w, %g) hyper(lr = %lr) : (!l, !h) -> (!l)
}

// -----

!h = !amp.tensors<@model x f16>
!l = !amp.tensors<@model x f32>
amp.model @model
amp.scaler @s by @pytorch
// expected-note @below {{this is where the value comes from}}
amp.step @t(%g: !h {amp.scaled_by = [@s]}, %x: !l) {
  // expected-error @below {{expected lists of the same scale, got one scaled by no scaler and one scaled by @s}}
  %n = amp.norm %x, %g : !l, !h
}

// -----

!l = !amp.tensors<@model x f32>
amp.model @model
amp.scaler @s by @pytorch
// expected-note @below {{declared here}}
amp.state @acc : !l = 0.0
// expected-note @below {{this is where the value comes from}}
amp.step @t(%g: !l {amp.scaled_by = [@s]}) {
  // expected-error @below {{expected a value scaled by no scaler for @acc, got one scaled by @s}}
  amp.commit %g to @acc always : !l
}

// -----

!l = !amp.tensors<@model x f32>
amp.model @model
amp.scaler @s by @pytorch
// expected-note @below {{declared here}}
amp.state @acc : !l = 0.0 scaled_by [@s]
// expected-note @below {{this is where the value comes from}}
amp.step @t(%g: !l) {
  // expected-error @below {{expected a value scaled by @s for @acc, got one scaled by no scaler}}
  amp.commit %g to @acc always : !l
}

// -----

// Scaling again what was unscaled, and keeping what is declared to be scaled, is fine.
!l = !amp.tensors<@model x f32>
amp.model @model
amp.scaler @s by @pytorch
amp.state @acc : !l = 0.0 scaled_by [@s]
amp.step @t(%g: !l {amp.scaled_by = [@s]}) {
  %u = amp.unscale %g by @s : !l -> !l
  %a = amp.scale %u by @s : !l
  %v = amp.unscale %a by @s : !l -> !l
  amp.commit %a to @acc always : !l
}

// -----

//===------------------------------------------------------------------------------------------===//
// Flags
//===------------------------------------------------------------------------------------------===//

!l = !amp.tensors<@model x f32>
amp.model @model
amp.state @w : !l = required
amp.optimizer @opt by @adamw over @model
amp.step @t(%g: !l, %max: f64, %lr: f64) {
  %w = amp.read @w : !l
  %n = amp.norm %g : !l
  %ok = amp.is_finite %g : !l
  // expected-note @below {{clipped here: give its norm to the amp.is_finite of the flag too}}
  %c = amp.clip_by_norm %g, %n max(%max) : !l
  %w1, %o = amp.apply @opt(%w, %c) hyper(lr = %lr) : (!l, !l) -> (!l)
  // expected-error @below {{expected a flag that covers the norm by which the value for @w was clipped}}
  amp.commit %w1 to @w, %o to @opt when %ok : !l, !amp.next<@opt>
}

// -----

// A conjunction of flags covers what each of them covers.
!l = !amp.tensors<@model x f32>
amp.model @model
amp.state @w : !l = required
amp.optimizer @opt by @adamw over @model
amp.step @t(%g: !l, %max: f64, %lr: f64) {
  %w = amp.read @w : !l
  %n = amp.norm %g : !l
  %a = amp.is_finite %g : !l
  %b = amp.is_finite %n : f64
  %ok = arith.andi %a, %b : i1
  %c = amp.clip_by_norm %g, %n max(%max) : !l
  %w1, %o = amp.apply @opt(%w, %c) hyper(lr = %lr) : (!l, !l) -> (!l)
  amp.commit %w1 to @w, %o to @opt when %ok : !l, !amp.next<@opt>
}

// -----

// A disjunction does not.
!l = !amp.tensors<@model x f32>
amp.model @model
amp.state @w : !l = required
amp.step @t(%g: !l, %max: f64) {
  %n = amp.norm %g : !l
  %a = amp.is_finite %g : !l
  %b = amp.is_finite %n : f64
  %ok = arith.ori %a, %b : i1
  // expected-note @below {{clipped here}}
  %c = amp.clip_by_norm %g, %n max(%max) : !l
  // expected-error @below {{expected a flag that covers the norm by which the value for @w was clipped}}
  amp.commit %c to @w when %ok : !l
}

// -----

//===------------------------------------------------------------------------------------------===//
// Sums in 16 bits
//===------------------------------------------------------------------------------------------===//

amp.step @t(%a: tensor<4x5xf16>, %b: tensor<5x6xf16>) {
  %c = tensor.empty() : tensor<4x6xf16>
  // expected-error @below {{expected a reduction to accumulate in f32, got 'f16'}}
  // expected-note @below {{give it an f32 result and narrow that, or give up the order of the sum with {amp.accumulate = "any"}}}
  %d = linalg.matmul ins(%a, %b : tensor<4x5xf16>, tensor<5x6xf16>) outs(%c : tensor<4x6xf16>) -> tensor<4x6xf16>
}

// -----

amp.step @t(%a: tensor<4x5xbf16>, %b: tensor<4xbf16>) {
  // expected-error @below {{expected a reduction to accumulate in f32, got 'bf16'}}
  // expected-note @below {{give it an f32 result}}
  %d = linalg.reduce ins(%a : tensor<4x5xbf16>) outs(%b : tensor<4xbf16>) dimensions = [1]
    (%x: bf16, %y: bf16) {
      %z = arith.addf %x, %y : bf16
      linalg.yield %z : bf16
    }
}

// -----

// f32 sums, maxima, element by element, and whoever says so.
amp.step @t(%a: tensor<4x5xf16>, %b: tensor<5x6xf16>, %e: tensor<4xf16>) {
  %c = tensor.empty() : tensor<4x6xf32>
  %d = linalg.matmul ins(%a, %b : tensor<4x5xf16>, tensor<5x6xf16>) outs(%c : tensor<4x6xf32>) -> tensor<4x6xf32>
  %h = tensor.empty() : tensor<4x6xf16>
  %i = linalg.matmul {amp.accumulate = "any"} ins(%a, %b : tensor<4x5xf16>, tensor<5x6xf16>) outs(%h : tensor<4x6xf16>) -> tensor<4x6xf16>
  %j = linalg.reduce ins(%a : tensor<4x5xf16>) outs(%e : tensor<4xf16>) dimensions = [1]
    (%x: f16, %y: f16) {
      %z = arith.maximumf %x, %y : f16
      linalg.yield %z : f16
    }
  %k = linalg.add ins(%i, %i : tensor<4x6xf16>, tensor<4x6xf16>) outs(%h : tensor<4x6xf16>) -> tensor<4x6xf16>
}
