!g = !amp.tensors<@model x f16>
amp.model @model
amp.step @look(%g: !g) {
  %top = amp.norm %g {order = 0x7FF0000000000000 : f64} : !g
  %sum = amp.norm %g {order = 1.0} : !g
  amp.log "top", %top : f64
  amp.log "sum", %sum : f64
}
