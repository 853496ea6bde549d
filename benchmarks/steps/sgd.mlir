// SGD with momentum in fp32: two passes, 24 bytes per parameter.
!list = !amp.tensors<@model x f32>

amp.model @model
amp.scaler @s by @pytorch
amp.state @w : !list = required
amp.optimizer @opt by @sgd over @model {momentum = 0.9, weight_decay = 0.0001}

amp.step @train(%g: !list {amp.scaled_by = [@s]}, %lr: f64 {amp.default = 1.0e-1}, %max: f64 {amp.default = 1.0}) {
  %w = amp.read @w : !list
  %u = amp.unscale %g by @s : !list -> !list
  %n = amp.norm %u : !list
  %ok = amp.is_finite %u, %n : !list, f64
  %c = amp.clip_by_norm %u, %n max(%max) : !list
  %w1, %o1 = amp.apply @opt(%w, %c) hyper(lr = %lr) : (!list, !list) -> (!list)
  amp.update @s, %ok
  amp.commit %w1 to @w, %o1 to @opt when %ok : !list, !amp.next<@opt>
}
