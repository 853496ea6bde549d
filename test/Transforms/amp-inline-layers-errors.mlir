// RUN: sawtooth-opt %s --amp-link --amp-inline-layers --split-input-file --verify-diagnostics

amp.model @net
amp.step @test(%x: tensor<8x4xf16>, %w: tensor<5x6xf16>, %b: tensor<6xf16>) {
  // expected-error@+1 {{expected dimension 'in' of argument 1 to be 4 as in argument 0, got 5}}
  %y = amp.call @linear(%x, %w, %b) : (tensor<8x4xf16>, tensor<5x6xf16>, tensor<6xf16>) -> tensor<8x6xf16>
}

// -----

amp.model @net
amp.step @test(%x: tensor<8x4xf16>, %w: tensor<4x6xf16>, %b: tensor<6xf16>) {
  // expected-error@+1 {{expected dimension 'batch' of result 0 to be 8 as in argument 0, got 9}}
  %y = amp.call @linear(%x, %w, %b) : (tensor<8x4xf16>, tensor<4x6xf16>, tensor<6xf16>) -> tensor<9x6xf16>
}

// -----

amp.model @net
amp.step @test(%x: tensor<8x4xf16>, %w: tensor<4x6xbf16>, %b: tensor<6xf16>) {
  // expected-error@+1 {{expected one storage type for the arguments of @linear, got 'f16' for argument 0 and 'bf16' for argument 1}}
  %y = amp.call @linear(%x, %w, %b) : (tensor<8x4xf16>, tensor<4x6xbf16>, tensor<6xf16>) -> tensor<8x6xf16>
}

// -----

amp.model @net
amp.step @test(%x: tensor<8x4xf64>) {
  // expected-error@+1 {{expected argument 0 of @relu to have elements of f16, bf16 or f32, got 'f64'}}
  %y = amp.call @relu(%x) : (tensor<8x4xf64>) -> tensor<8x4xf64>
}

// -----

amp.model @net
amp.step @test(%x: tensor<8x4xf16>) {
  // expected-error@+1 {{expected result 0 of @relu to be 'tensor<?x?xf16>', got 'tensor<8x4xf32>'}}
  %y = amp.call @relu(%x) : (tensor<8x4xf16>) -> tensor<8x4xf32>
}

// -----

amp.model @net
amp.step @test(%x: tensor<8xf16>) {
  // expected-error@+1 {{expected argument 0 of @relu to be 'tensor<?x?xf16>', got 'tensor<8xf16>'}}
  %y = amp.call @relu(%x) : (tensor<8xf16>) -> tensor<8xf16>
}

// -----

amp.model @net
func.func @again(%x: tensor<?xf16>) -> tensor<?xf16> {
  // expected-error@+1 {{expected at most 32 layers within each other, got @again calling itself}}
  %y = func.call @again(%x) : (tensor<?xf16>) -> tensor<?xf16>
  return %y : tensor<?xf16>
}
amp.step @test(%x: tensor<8xf16>) {
  %y = amp.call @again(%x) : (tensor<8xf16>) -> tensor<8xf16>
}

// -----

amp.model @net
func.func @loose(%x: tensor<1xf32>, %n: index) -> tensor<1xf32> {
  // expected-error@+1 {{expected a shape that follows from the arguments of the layer, got 'tensor<?xf32>'}}
  %e = tensor.empty(%n) : tensor<?xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%z : tensor<?xf32>) outs(%x : tensor<1xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<1xf32>
  return %s : tensor<1xf32>
}
amp.step @test(%x: tensor<1xf32>, %n: i64) {
  %size = arith.index_cast %n : i64 to index
  %y = amp.call @loose(%x, %size) : (tensor<1xf32>, index) -> tensor<1xf32>
  amp.log "y", %y : tensor<1xf32>
}
