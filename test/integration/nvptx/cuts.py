# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps after the cut, as no step of the amp dialect has them today."""

# A pass with reductions whose flag is known before it, as every second time.
GATED = """
amp.model @model
sweep.list argument @look.g : !amp.tensors<@model x f16> {label = "g", step = @look}
sweep.field state @n : i64 {init = 0 : i64}
sweep.step @look() attributes {commits, cut} {
  %odd = sweep.scalar @entry {
    %n = sweep.get @n : i64
    %one = arith.constant 1 : i64
    %bit = arith.andi %n, %one : i64
    %odd = arith.cmpi eq, %bit, %one : i64
    sweep.yield %odd : i1
  } : i1
  %negative, %sum = sweep.pass over @model reads [@look.g] writes [] when %odd []
      [#sweep.reduction<or over step>, #sweep.reduction<add over step>] {
  ^bb0(%g: f16):
    %x = arith.extf %g : f16 to f32
    %zero = arith.constant 0.0 : f32
    %below = arith.cmpf olt, %x, %zero : f32
    sweep.leave reduce(%below, %x : i1, f32)
  } : i1, f64
  sweep.scalar @final {
    %n = sweep.get @n : i64
    %one = arith.constant 1 : i64
    %next = arith.addi %n, %one : i64
    sweep.log "sum", %sum last : f64
    sweep.log "negative", %negative last : i1
    sweep.set %next to @n : i64
    sweep.outcome %odd []
  }
}
"""

# NaNs that reach memory: made by a sum, as they came, and narrowed.
NANS = """
amp.model @model
sweep.list argument @add.g : !amp.tensors<@model x f16> {label = "g", step = @add}
sweep.list argument @add.x : !amp.tensors<@model x f32> {label = "x", step = @add}
sweep.list state @sum : !amp.tensors<@model x f32> {init = 0.0 : f32, label = "sum"}
sweep.list state @copy : !amp.tensors<@model x f16> {init = 0.0 : f16, label = "copy"}
sweep.list state @half : !amp.tensors<@model x bf16> {init = 0.0 : bf16, label = "half"}
sweep.step @add() attributes {commits, cut} {
  sweep.pass over @model reads [@sum, @add.g, @add.x] writes [@sum, @copy, @half] [-1, -1, -1] [] {
  ^bb0(%sum: f32, %g: f16, %x: f32):
    %next = arith.addf %sum, %x : f32
    %narrow = arith.truncf %x : f32 to bf16
    sweep.leave write(%next, %g, %narrow : f32, f16, bf16)
  }
  sweep.scalar @final {
    %true = arith.constant true
    sweep.outcome %true []
  }
}
"""

# Reductions that any element beyond a tail would change: no gradient is 0.
TAILS = """
amp.model @model
sweep.list argument @look.g : !amp.tensors<@model x f16> {label = "g", step = @look}
sweep.step @look() attributes {cut} {
  %any, %count, %least = sweep.pass over @model reads [@look.g] writes [] []
      [#sweep.reduction<or over step>, #sweep.reduction<add over step>,
       #sweep.reduction<min over step>] {
  ^bb0(%g: f16):
    %x = arith.extf %g : f16 to f32
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %none = arith.cmpf oeq, %x, %zero : f32
    %counted = arith.select %none, %one, %zero : f32
    %size = math.absf %x : f32
    sweep.leave reduce(%none, %counted, %size : i1, f32, f32)
  } : i1, f64, f64
  sweep.scalar @final {
    sweep.log "any", %any last : i1
    sweep.log "count", %count last : f64
    sweep.log "least", %least last : f64
    %true = arith.constant true
    %ok = arith.xori %any, %true : i1
    sweep.outcome %ok []
  }
}
"""

# Two passes over one model with nothing between them, both of which want what the entry computes.
TWICE = """
amp.model @model
sweep.list state @w : !amp.tensors<@model x f32> {init = #amp.required, label = "w"}
sweep.list state @v : !amp.tensors<@model x f32> {init = 0.0 : f32, label = "v"}
sweep.step @twice(%k: f64 {amp.default = 0.75}) attributes {commits, cut} {
  %rate = sweep.scalar @entry {
    %narrow = arith.truncf %k : f64 to f32
    sweep.yield %narrow : f32
  } : f32
  sweep.pass over @model reads [@w] writes [@w] [-1] [] {
  ^bb0(%w: f32):
    %next = arith.mulf %w, %rate : f32
    sweep.leave write(%next : f32)
  }
  sweep.pass over @model reads [@w, @v] writes [@v] [-1] [] {
  ^bb0(%w: f32, %v: f32):
    %part = arith.mulf %w, %rate : f32
    %next = arith.addf %v, %part : f32
    sweep.leave write(%next : f32)
  }
  sweep.scalar @final {
    %true = arith.constant true
    sweep.outcome %true []
  }
}
"""

# Two passes over one model with sums of their own, and no program between them.
SUMS = """
amp.model @model
sweep.list argument @look.g : !amp.tensors<@model x f16> {label = "g", step = @look}
sweep.list argument @look.h : !amp.tensors<@model x f32> {label = "h", step = @look}
sweep.step @look() attributes {cut} {
  %first = sweep.pass over @model reads [@look.g] writes [] [] [#sweep.reduction<add over step>] {
  ^bb0(%g: f16):
    %x = arith.extf %g : f16 to f32
    sweep.leave reduce(%x : f32)
  } : f64
  %second = sweep.pass over @model reads [@look.h] writes [] [] [#sweep.reduction<add over step>] {
  ^bb0(%h: f32):
    sweep.leave reduce(%h : f32)
  } : f64
  sweep.scalar @final {
    sweep.log "first", %first last : f64
    sweep.log "second", %second last : f64
    %true = arith.constant true
    sweep.outcome %true []
  }
}
"""
