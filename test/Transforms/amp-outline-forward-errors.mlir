// RUN: sawtooth-opt %s --amp-outline-forward --split-input-file --verify-diagnostics

amp.model @net
amp.step @rank(%x: tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  // expected-error@+1 {{expected tensors of static shape and rank 1 or more, with elements of f16, bf16, f32, f64, i32 or i64, got 'tensor<f32>'}}
  %e = tensor.empty() : tensor<f32>
  %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<f32>
  %p = amp.pack {"p" = %s : tensor<f32>} : !amp.tensors<@net x f32>
  %seen = amp.norm %p : !amp.tensors<@net x f32>
  amp.log "norm", %seen : f64
}

// -----

amp.model @net
amp.step @narrow(%x: tensor<8x4xf16>, %y: tensor<4x6xf16>, %z: tensor<8x6xf16>) {
  // expected-error@+2 {{expected a reduction to accumulate in f32, got 'f16'}}
  // expected-note@+1 {{give it an f32 result and narrow that}}
  %s = linalg.matmul ins(%x, %y : tensor<8x4xf16>, tensor<4x6xf16>) outs(%z : tensor<8x6xf16>) -> tensor<8x6xf16>
  %p = amp.pack {"p" = %s : tensor<8x6xf16>} : !amp.tensors<@net x f16>
  %seen = amp.norm %p : !amp.tensors<@net x f16>
  amp.log "norm", %seen : f64
}

// -----

amp.model @net
amp.step @unknown(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected linalg ops, tensor.empty or reshapes in the forward and backward part of a step, got 'tensor.extract_slice'}}
  %s = tensor.extract_slice %x[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %p = amp.pack {"p" = %s : tensor<4xf32>} : !amp.tensors<@net x f32>
  %seen = amp.norm %p : !amp.tensors<@net x f32>
  amp.log "norm", %seen : f64
}

// -----

amp.model @net
amp.step @function(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected arith, linalg.index or one of the math functions absf, ceil, copysign, cos, erf, exp, floor, fma, log, powf, round, roundeven, sqrt, tanh and trunc, got 'math.sin'}}
  %s = math.sin %x : tensor<8xf32>
  %p = amp.pack {"p" = %s : tensor<8xf32>} : !amp.tensors<@net x f32>
  %seen = amp.norm %p : !amp.tensors<@net x f32>
  amp.log "norm", %seen : f64
}

// -----

amp.model @net
amp.step @undefined() {
  %e = tensor.empty() : tensor<8xf32>
  // expected-error@+1 {{expected operand 0 to have a value, got 'tensor.empty'}}
  %s = arith.negf %e : tensor<8xf32>
  %p = amp.pack {"p" = %s : tensor<8xf32>} : !amp.tensors<@net x f32>
  %seen = amp.norm %p : !amp.tensors<@net x f32>
  amp.log "norm", %seen : f64
}

// -----

amp.model @net
amp.step @map(%x: tensor<8xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error@+1 {{expected indexing maps that pick dimensions or constants, got affine_map<(d0) -> (d0 * 2)>}}
  %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i * 2)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  %p = amp.pack {"p" = %s : tensor<4xf32>} : !amp.tensors<@net x f32>
  %seen = amp.norm %p : !amp.tensors<@net x f32>
  amp.log "norm", %seen : f64
}

// -----

amp.model @net
amp.step @flag(%x: tensor<8xf32>, %y: tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xi1>
  // expected-error@+1 {{elements of f16, bf16, f32, f64, i32 or i64, got 'tensor<8xi1>'}}
  %c = arith.cmpf olt, %x, %y : tensor<8xf32>
  %s = arith.select %c, %x, %y : tensor<8xi1>, tensor<8xf32>
  %r = arith.select %c, %y, %x : tensor<8xi1>, tensor<8xf32>
  %p = amp.pack {"p" = %s : tensor<8xf32>, "q" = %r : tensor<8xf32>} : !amp.tensors<@net x f32>
  %seen = amp.norm %p : !amp.tensors<@net x f32>
  amp.log "norm", %seen : f64
}

// -----

amp.model @net
amp.step @several(%x: tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %s = arith.negf %x : tensor<8xf32>
  // expected-error@+1 {{expected the only element of a tensor like tensor<1xf32>, got one of 'tensor<8xf32>'}}
  %v = tensor.extract %s[%c0] : tensor<8xf32>
  amp.log "v", %v : f32
}

// -----

amp.model @net
amp.step @back(%x: tensor<1xf32>) {
  %c0 = arith.constant 0 : index
  %s = arith.negf %x : tensor<1xf32>
  // expected-note@+1 {{taken out of a tensor here}}
  %v = tensor.extract %s[%c0] : tensor<1xf32>
  // expected-error@+1 {{expected the scalars of the forward and backward part to come from outside of it; keep this one as a tensor of one element}}
  %t = tensor.splat %v : tensor<8xf32>
  %p = amp.pack {"p" = %t : tensor<8xf32>} : !amp.tensors<@net x f32>
  %seen = amp.norm %p : !amp.tensors<@net x f32>
  amp.log "norm", %seen : f64
}

// -----

!w = !amp.tensors<@net x f32>
amp.model @net
amp.state @w : !w = 0.0
amp.step @late() {
  %w = amp.read @w : !w
  // expected-note@+1 {{computed here}}
  %n = amp.norm %w : !w
  %nf = arith.truncf %n : f64 to f32
  // expected-error@+1 {{expected the scalars of the forward and backward part to be known when the step begins, got one that depends on 'amp.norm'}}
  %t = tensor.splat %nf : tensor<8xf32>
  %p = amp.pack {"p" = %t : tensor<8xf32>} : !w
  %seen = amp.norm %p : !w
  amp.log "norm", %seen : f64
}

// -----

!w = !amp.tensors<@net x f32>
amp.model @net
amp.state @w : !w = 0.0
amp.step @leaf(%max: f64) {
  %w = amp.read @w : !w
  // expected-note@+1 {{this list is computed by the step}}
  %c = amp.clip_by_value %w limit(%max) : !w
  // expected-error@+1 {{expected a leaf of a list that is read or an argument}}
  %l = amp.leaf %c["a"] : !w -> tensor<8xf32>
  %t = arith.negf %l : tensor<8xf32>
  %p = amp.pack {"a" = %t : tensor<8xf32>} : !w
  %seen = amp.norm %p : !w
  amp.log "norm", %seen : f64
}

// -----

amp.model @net
amp.step @half(%x: tensor<8xf16>, %k: f32) {
  %kh = arith.truncf %k : f32 to f16
  // expected-error@+1 {{expected scalars of f32, f64, i1, i32 or i64 in the forward and backward part, got 'f16'}}
  %t = tensor.splat %kh : tensor<8xf16>
  %p = amp.pack {"p" = %t : tensor<8xf16>} : !amp.tensors<@net x f16>
  %seen = amp.norm %p : !amp.tensors<@net x f16>
  amp.log "norm", %seen : f64
}
