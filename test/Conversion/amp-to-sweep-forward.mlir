// RUN: sawtooth-opt %s --amp-to-sweep | FileCheck %s

// The outlined part: leaves and packs by name, tensors and scalars as they come, one scalar for
// each tensor of one element. Packs are scratch lists, declared before the step.
!h = !amp.tensors<@net x f16>
amp.model @net
amp.state @h : !h = 0.0
func.func private @train.model(tensor<4x3xf16>, tensor<3xf16>, f32) -> (tensor<3xf16>, tensor<2xf16>, tensor<3xf16>, tensor<1xf32>)
amp.step @train(%x: tensor<4x3xf16> {amp.batch = "images"}, %k: f32, %g: !h) {
  %h = amp.read @h : !h
  %b = amp.leaf %h["bias"] : !h -> tensor<3xf16>
  %r:4 = func.call @train.model(%x, %b, %k) : (tensor<4x3xf16>, tensor<3xf16>, f32) -> (tensor<3xf16>, tensor<2xf16>, tensor<3xf16>, tensor<1xf32>)
  %p = amp.pack {"bias" = %r#0 : tensor<3xf16>, "other" = %r#1 : tensor<2xf16>} : !h
  %q = amp.pack {"bias" = %r#2 : tensor<3xf16>} : !h
  %n = amp.norm %p, %q, %g : !h, !h, !h
  %c0 = arith.constant 0 : index
  %loss = tensor.extract %r#3[%c0] : tensor<1xf32>
  amp.log "loss", %loss reduce(mean) : f32
  amp.log "n", %n : f64
}
// CHECK:       sweep.list argument @train.g : !amp.tensors<@net x f16> {label = "g", step = @train}
// CHECK-NEXT:  sweep.list scratch @train.net.packed : !amp.tensors<@net x f16> {label = "gradients of net", step = @train}
// CHECK-NEXT:  sweep.list scratch @train.net.packed.1 : !amp.tensors<@net x f16> {label = "gradients of net.1", step = @train}
// CHECK-LABEL: sweep.step @train(%x: tensor<4x3xf16> {amp.batch = "images"}, %k: f32) {
// CHECK:         %[[LOSS:.*]] = sweep.forward @train.model(%x, %k) leaves [@h] ["bias"] packs [@train.net.packed, @train.net.packed, @train.net.packed.1] ["bias", "other", "bias"] : (tensor<4x3xf16>, f32) -> f32
// CHECK:         sweep.element @train.net.packed : f16
// CHECK:         sweep.element @train.net.packed.1 : f16
// CHECK:         sweep.log "loss", %[[LOSS]] mean : f32
