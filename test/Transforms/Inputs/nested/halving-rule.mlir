amp.rule @halving optimizer inputs(%w: f32, %g: f32) {
  %half = arith.constant 0.5 : f32
  %w1 = arith.mulf %w, %half : f32
  amp.yield %w1 : f32
}
amp.rule @unused optimizer inputs(%w: f32, %g: f32) {
  amp.yield %w : f32
}
