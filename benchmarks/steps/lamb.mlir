// LAMB with fp16 gradients: three passes, 42 bytes per parameter.
!grads = !amp.tensors<@model x f16>
!list = !amp.tensors<@model x f32>

amp.model @model
amp.scaler @s by @pytorch
amp.state @w : !list = required
amp.optimizer @opt by @lamb over @model {weight_decay = 0.01}

amp.step @train(%g: !grads {amp.scaled_by = [@s]}, %lr: f64 {amp.default = 1.0e-3}, %max: f64 {amp.default = 1.0}) {
  %w = amp.read @w : !list
  %u = amp.unscale %g by @s : !grads -> !list
  %n = amp.norm %u : !list
  %ok = amp.is_finite %u, %n : !list, f64
  %c = amp.clip_by_norm %u, %n max(%max) : !list
  %w1, %o1 = amp.apply @opt(%w, %c) hyper(lr = %lr) : (!list, !list) -> (!list)
  amp.update @s, %ok
  amp.commit %w1 to @w, %o1 to @opt when %ok : !list, !amp.next<@opt>
}
