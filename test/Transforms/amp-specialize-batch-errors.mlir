// RUN: sawtooth-opt %s --amp-specialize-batch --split-input-file --verify-diagnostics

amp.model @net
// expected-error@+1 {{expected a batch size of at least 1 for the '?' of 'tensor<?x64xf16>', got 0; give one as an option, or amp.run {batch = ...}}}
amp.step @test(%x: tensor<?x64xf16> {amp.batch = "images"}) {
}

// -----

amp.model @net
amp.step @test(%n: i64) {
  %size = arith.index_cast %n : i64 to index
  // expected-error@+1 {{expected a batch size of at least 1 for the '?' of 'tensor<?xf32>', got 0}}
  %e = tensor.empty(%size) : tensor<?xf32>
}
