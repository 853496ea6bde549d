// Trains a classifier of hand-written digits in fp16: forward, backward, loss scaling, finite test,
// unscale, clip, AdamW and the scaler's update, in one step.
//
//   sawtooth run examples/digits/train.mlir --data examples/digits/digits.safetensors
//
// The scale starts so high that the first gradients overflow: the first steps are skipped until it
// fits.
!half   = !amp.tensors<@net x f16>
!master = !amp.tensors<@net x f32>

amp.model  @net
amp.scaler @s by @pytorch {init = 16777216.0, growth_interval = 200}
amp.state  @w : !master = ["*.bias" = 0.0, "*" = #amp.uniform<fan_in>]
amp.state  @h : !half copy_of @w
amp.per_tensor @decay : f64 over @net ["*.bias" = 0.0, "*" = 0.01]
amp.optimizer @opt by @adamw over @net {weight_decay = @decay}
amp.run {batch = 32, epochs = 20, seed = 0, eval = @test}

amp.step @train(%x: tensor<?x64xf16> {amp.batch = "images"}, %labels: tensor<?xi32> {amp.batch = "labels"},
                %lr: f64 {amp.default = 1.0e-3}, %max: f64 {amp.default = 1.0}, %weight: f64 {amp.default = 1.0}) {
  %w = amp.read @w : !master
  %h = amp.read @h : !half
  %w1 = amp.leaf %h["fc1.weight"] : !half -> tensor<64x128xf16>
  %b1 = amp.leaf %h["fc1.bias"]   : !half -> tensor<128xf16>
  %w2 = amp.leaf %h["fc2.weight"] : !half -> tensor<128x128xf16>
  %b2 = amp.leaf %h["fc2.bias"]   : !half -> tensor<128xf16>
  %w3 = amp.leaf %h["fc3.weight"] : !half -> tensor<128x64xf16>
  %b3 = amp.leaf %h["fc3.bias"]   : !half -> tensor<64xf16>
  %w4 = amp.leaf %h["fc4.weight"] : !half -> tensor<64x10xf16>
  %b4 = amp.leaf %h["fc4.bias"]   : !half -> tensor<10xf16>

  // Forward, in fp16 with f32 sums.
  %z1 = amp.call @linear(%x, %w1, %b1) : (tensor<?x64xf16>, tensor<64x128xf16>, tensor<128xf16>) -> tensor<?x128xf16>
  %a1 = amp.call @relu(%z1) : (tensor<?x128xf16>) -> tensor<?x128xf16>
  %z2 = amp.call @linear(%a1, %w2, %b2) : (tensor<?x128xf16>, tensor<128x128xf16>, tensor<128xf16>) -> tensor<?x128xf16>
  %a2 = amp.call @relu(%z2) : (tensor<?x128xf16>) -> tensor<?x128xf16>
  %z3 = amp.call @linear(%a2, %w3, %b3) : (tensor<?x128xf16>, tensor<128x64xf16>, tensor<64xf16>) -> tensor<?x64xf16>
  %a3 = amp.call @relu(%z3) : (tensor<?x64xf16>) -> tensor<?x64xf16>
  %z4 = amp.call @linear(%a3, %w4, %b4) : (tensor<?x64xf16>, tensor<64x10xf16>, tensor<10xf16>) -> tensor<?x10xf16>
  %losses = amp.call @softmax_cross_entropy(%z4, %labels) : (tensor<?x10xf16>, tensor<?xi32>) -> tensor<?xf32>
  %loss = amp.call @mean(%losses) : (tensor<?xf32>) -> tensor<1xf32>

  // Backward, from the loss's weight times the scale.
  %wf = arith.truncf %weight : f64 to f32
  %one = tensor.from_elements %wf : tensor<1xf32>
  %seed = amp.scale %one by @s : tensor<1xf32>
  %dl = amp.call @mean_backward(%losses, %seed) : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
  %dz4 = amp.call @softmax_cross_entropy_backward(%z4, %labels, %dl) : (tensor<?x10xf16>, tensor<?xi32>, tensor<?xf32>) -> tensor<?x10xf16>
  %da3, %dw4, %db4 = amp.call @linear_backward(%a3, %w4, %dz4) : (tensor<?x64xf16>, tensor<64x10xf16>, tensor<?x10xf16>) -> (tensor<?x64xf16>, tensor<64x10xf16>, tensor<10xf16>)
  %dz3 = amp.call @relu_backward(%a3, %da3) : (tensor<?x64xf16>, tensor<?x64xf16>) -> tensor<?x64xf16>
  %da2, %dw3, %db3 = amp.call @linear_backward(%a2, %w3, %dz3) : (tensor<?x128xf16>, tensor<128x64xf16>, tensor<?x64xf16>) -> (tensor<?x128xf16>, tensor<128x64xf16>, tensor<64xf16>)
  %dz2 = amp.call @relu_backward(%a2, %da2) : (tensor<?x128xf16>, tensor<?x128xf16>) -> tensor<?x128xf16>
  %da1, %dw2, %db2 = amp.call @linear_backward(%a1, %w2, %dz2) : (tensor<?x128xf16>, tensor<128x128xf16>, tensor<?x128xf16>) -> (tensor<?x128xf16>, tensor<128x128xf16>, tensor<128xf16>)
  %dz1 = amp.call @relu_backward(%a1, %da1) : (tensor<?x128xf16>, tensor<?x128xf16>) -> tensor<?x128xf16>
  %dx, %dw1, %db1 = amp.call @linear_backward(%x, %w1, %dz1) : (tensor<?x64xf16>, tensor<64x128xf16>, tensor<?x128xf16>) -> (tensor<?x64xf16>, tensor<64x128xf16>, tensor<128xf16>)
  %g = amp.pack {"fc1.weight" = %dw1 : tensor<64x128xf16>, "fc1.bias" = %db1 : tensor<128xf16>,
                 "fc2.weight" = %dw2 : tensor<128x128xf16>, "fc2.bias" = %db2 : tensor<128xf16>,
                 "fc3.weight" = %dw3 : tensor<128x64xf16>, "fc3.bias" = %db3 : tensor<64xf16>,
                 "fc4.weight" = %dw4 : tensor<64x10xf16>, "fc4.bias" = %db4 : tensor<10xf16>} {scaled_by = [@s]} : !half

  // The fused tail: unscale, finite test, clip, AdamW, scaler.
  %u = amp.unscale %g by @s : !half -> !master
  %n = amp.norm %u : !master
  %ok = amp.is_finite %u, %n : !master, f64
  %c = amp.clip_by_norm %u, %n max(%max) : !master
  %next, %o = amp.apply @opt(%w, %c) hyper(lr = %lr) : (!master, !master) -> (!master)
  amp.update @s, %ok
  amp.commit %next to @w, %o to @opt when %ok : !master, !amp.next<@opt>

  // How many of the gradient's 33738 elements fp16 cannot hold well: zero or subnormal.
  %poor = amp.map(%g) : (!half) -> !master {
  ^bb0(%e: f32):
    %normal = arith.constant 6.103515625e-5 : f32
    %yes = arith.constant 1.0 : f32
    %no = arith.constant 0.0 : f32
    %size = math.absf %e : f32
    %small = arith.cmpf olt, %size, %normal : f32
    %counted = arith.select %small, %yes, %no : f32
    amp.yield %counted : f32
  }
  %count = amp.norm %poor {order = 1.0} : !master
  %all = arith.constant 33738.0 : f64
  %share = arith.divf %count, %all : f64
  amp.log "loss", %loss reduce(mean) : tensor<1xf32>
  amp.log "underflow", %share reduce(mean) : f64
}

// A step without commits evaluates.
amp.step @test(%x: tensor<?x64xf16> {amp.batch = "images"}, %labels: tensor<?xi32> {amp.batch = "labels"}) {
  %h = amp.read @h : !half
  %w1 = amp.leaf %h["fc1.weight"] : !half -> tensor<64x128xf16>
  %b1 = amp.leaf %h["fc1.bias"]   : !half -> tensor<128xf16>
  %w2 = amp.leaf %h["fc2.weight"] : !half -> tensor<128x128xf16>
  %b2 = amp.leaf %h["fc2.bias"]   : !half -> tensor<128xf16>
  %w3 = amp.leaf %h["fc3.weight"] : !half -> tensor<128x64xf16>
  %b3 = amp.leaf %h["fc3.bias"]   : !half -> tensor<64xf16>
  %w4 = amp.leaf %h["fc4.weight"] : !half -> tensor<64x10xf16>
  %b4 = amp.leaf %h["fc4.bias"]   : !half -> tensor<10xf16>
  %z1 = amp.call @linear(%x, %w1, %b1) : (tensor<?x64xf16>, tensor<64x128xf16>, tensor<128xf16>) -> tensor<?x128xf16>
  %a1 = amp.call @relu(%z1) : (tensor<?x128xf16>) -> tensor<?x128xf16>
  %z2 = amp.call @linear(%a1, %w2, %b2) : (tensor<?x128xf16>, tensor<128x128xf16>, tensor<128xf16>) -> tensor<?x128xf16>
  %a2 = amp.call @relu(%z2) : (tensor<?x128xf16>) -> tensor<?x128xf16>
  %z3 = amp.call @linear(%a2, %w3, %b3) : (tensor<?x128xf16>, tensor<128x64xf16>, tensor<64xf16>) -> tensor<?x64xf16>
  %a3 = amp.call @relu(%z3) : (tensor<?x64xf16>) -> tensor<?x64xf16>
  %z4 = amp.call @linear(%a3, %w4, %b4) : (tensor<?x64xf16>, tensor<64x10xf16>, tensor<10xf16>) -> tensor<?x10xf16>
  %losses = amp.call @softmax_cross_entropy(%z4, %labels) : (tensor<?x10xf16>, tensor<?xi32>) -> tensor<?xf32>
  %loss = amp.call @mean(%losses) : (tensor<?xf32>) -> tensor<1xf32>
  %accuracy = amp.call @accuracy(%z4, %labels) : (tensor<?x10xf16>, tensor<?xi32>) -> tensor<1xf32>
  amp.log "loss", %loss reduce(mean) : tensor<1xf32>
  amp.log "accuracy", %accuracy reduce(mean) : tensor<1xf32>
}
