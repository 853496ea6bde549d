// A user's own rule in a file of their own.
amp.rule @clipped_sgd optimizer params(%limit: f64, %rate: f64 = 0.1) inputs(%w: f32, %g: f32) {
  %limitF = arith.truncf %limit : f64 to f32
  %rateF = arith.truncf %rate : f64 to f32
  %d = arith.minimumf %g, %limitF : f32
  %step = arith.mulf %rateF, %d : f32
  %w1 = arith.subf %w, %step : f32
  amp.yield %w1 : f32
}
