// RUN: sawtooth-opt %s --sweep-cut --split-input-file --verify-diagnostics

amp.model @a
amp.model @b
sweep.list state @x : !amp.tensors<@a x f32> {label = "x", init = 0.0 : f32}
sweep.list state @y : !amp.tensors<@b x f32> {label = "y", init = 0.0 : f32}
sweep.step @s() {
  %x = sweep.element @x : f32
  %y = sweep.element @y : f32
  // expected-error @below {{mixes values of @a and @b}}
  %z = arith.addf %x, %y : f32
  sweep.store %z to @x : f32
}

// -----

amp.model @a
sweep.list state @x : !amp.tensors<@a x f32> {label = "x", init = 0.0 : f32}
sweep.step @s() {
  %x = sweep.element @x : f32
  // expected-error @below {{expected values of extent step, got element}}
  sweep.log "x", %x last : f32
}

// -----

amp.model @a
sweep.field state @f : i64 {init = 0 : i64}
sweep.step @s() {
  %n = sweep.numel of @a
  // expected-error @below {{expected a value of extent step, got tensor}}
  sweep.set %n to @f : i64
}

// -----

amp.model @a
amp.model @b
sweep.list state @x : !amp.tensors<@a x f32> {label = "x", init = 0.0 : f32}
sweep.step @s() {
  %x = sweep.element @x : f32
  // expected-error @below {{expected a value of model @b, got one of @a}}
  %sum = sweep.reduce add %x over step of @b : f32 -> f64
  sweep.log "x", %sum last : f64
}

// -----

amp.model @a
sweep.list state @x : !amp.tensors<@a x f32> {label = "x", init = 0.0 : f32}
sweep.step @s() {
  %x = sweep.element @x : f32
  %sums = sweep.reduce add %x over tensor of @a : f32 -> f64
  // expected-error @below {{combines values of tensors, expected it over step}}
  %again = sweep.reduce add %sums over tensor of @a : f64 -> f64
  %all = sweep.reduce add %again over step of @a : f64 -> f64
  sweep.log "x", %all last : f64
}

// -----

amp.model @a
sweep.list state @x : !amp.tensors<@a x f32> {label = "x", init = 0.0 : f32}
sweep.step @s() {
  %x = sweep.element @x : f32
  %zero = arith.constant 0.0 : f32
  %bad = arith.cmpf olt, %x, %zero : f32
  // expected-error @below {{expected a flag of extent step, got element}}
  sweep.store %zero to @x when %bad : f32
}
