amp.rule @broken optimizer inputs(%w: f32, %g: f32) {
  amp.yield %u : f32
}
