// The step of step.mlir with bf16 gradients and a bf16 copy. The range of bf16 is that of fp32, so
// the scale stays 1; a step with a non-finite gradient is skipped and counted all the same.
!grads  = !amp.tensors<@model x bf16>
!master = !amp.tensors<@model x f32>

amp.model @model
amp.scaler @s by @disabled
amp.state @w : !master = required
amp.state @h : !grads copy_of @w
amp.per_tensor @decay : f64 over @model ["*.bias" = 0.0, "*" = 0.01]
amp.optimizer @opt by @adamw over @model {weight_decay = @decay}

amp.step @train(%g: !grads {amp.scaled_by = [@s]}, %lr: f64 {amp.default = 1.0e-3}, %max: f64 {amp.default = 1.0}) {
  %w = amp.read @w : !master
  %u = amp.unscale %g by @s : !grads -> !master
  %n = amp.norm %u : !master
  %ok = amp.is_finite %u, %n : !master, f64
  %c = amp.clip_by_norm %u, %n max(%max) : !master
  %w1, %o1 = amp.apply @opt(%w, %c) hyper(lr = %lr) : (!master, !master) -> (!master)
  amp.update @s, %ok
  amp.commit %w1 to @w, %o1 to @opt when %ok : !master, !amp.next<@opt>
}
