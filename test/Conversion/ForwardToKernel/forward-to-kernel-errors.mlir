// RUN: sawtooth-opt %s --sweep-to-kernel --split-input-file --verify-diagnostics

amp.model @net
sweep.list scratch @run.g : !amp.tensors<@net x f32> {label = "g", step = @run}
func.func private @run.model(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expected to return results of linalg.generic, each once}}
  return %x : tensor<4xf32>
}
sweep.step @run(%x: tensor<4xf32>) attributes {cut} {
  sweep.forward @run.model(%x) leaves [] [] packs [@run.g] ["g"] : (tensor<4xf32>) -> ()
  sweep.scalar @final {
    %true = arith.constant true
    sweep.outcome %true []
    sweep.yield
  }
}

// -----

amp.model @net
sweep.list scratch @run.g : !amp.tensors<@net x f32> {label = "g", step = @run}
func.func private @run.model(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expected linalg ops, tensor.empty or reshapes in the forward and backward part of a step, got 'tensor.pad'}}
  %p = tensor.pad %x low[0] high[1] {
  ^bb0(%i: index):
    %c = arith.constant 0.0 : f32
    tensor.yield %c : f32
  } : tensor<4xf32> to tensor<5xf32>
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}
sweep.step @run(%x: tensor<4xf32>) attributes {cut} {
  sweep.forward @run.model(%x) leaves [] [] packs [@run.g] ["g"] : (tensor<4xf32>) -> ()
  sweep.scalar @final {
    %true = arith.constant true
    sweep.outcome %true []
    sweep.yield
  }
}

// -----

amp.model @net
sweep.list scratch @run.g : !amp.tensors<@net x f32> {label = "g", step = @run}
func.func private @run.model(%x: tensor<4xf32>, %k: f32) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}
sweep.step @run(%x: tensor<4xf32>) attributes {cut} {
  // expected-error@+1 {{expected a callee of 1 arguments and 1 results, got 2 and 1}}
  sweep.forward @run.model(%x) leaves [] [] packs [@run.g] ["g"] : (tensor<4xf32>) -> ()
  sweep.scalar @final {
    %true = arith.constant true
    sweep.outcome %true []
    sweep.yield
  }
}

// -----

amp.model @net
sweep.list scratch @run.g : !amp.tensors<@net x f32> {label = "g", step = @run}
func.func private @run.model(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}
sweep.step @run(%x: tensor<4xf32>) attributes {cut} {
  // expected-error@+1 {{expected a callee of 1 arguments and 0 results, got 1 and 1}}
  sweep.forward @run.model(%x) leaves [] [] packs [] [] : (tensor<4xf32>) -> ()
  sweep.scalar @final {
    %true = arith.constant true
    sweep.outcome %true []
    sweep.yield
  }
}

// -----

amp.model @net
sweep.list scratch @run.g : !amp.tensors<@net x f32> {label = "g", step = @run}
sweep.list scratch @run.h : !amp.tensors<@net x f16> {label = "h", step = @run}
func.func private @run.model(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}
sweep.step @run(%x: tensor<4xf16>) attributes {cut} {
  // expected-error@+1 {{expected argument 0 of @run.model to be of 'tensor<4xf16>', got 'tensor<4xf32>'}}
  sweep.forward @run.model(%x) leaves [] [] packs [@run.g] ["g"] : (tensor<4xf16>) -> ()
  sweep.scalar @final {
    %true = arith.constant true
    sweep.outcome %true []
    sweep.yield
  }
}

// -----

amp.model @net
sweep.list scratch @run.g : !amp.tensors<@net x f32> {label = "g", step = @run}
sweep.list scratch @run.h : !amp.tensors<@net x f16> {label = "h", step = @run}
func.func private @run.model(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}
sweep.step @run() attributes {cut} {
  // expected-error@+1 {{expected argument 0 of @run.model to be of 'f16', got 'f32'}}
  sweep.forward @run.model() leaves [@run.h] ["h"] packs [@run.g] ["g"] : () -> ()
  sweep.scalar @final {
    %true = arith.constant true
    sweep.outcome %true []
    sweep.yield
  }
}

// -----

amp.model @net
sweep.list scratch @run.g : !amp.tensors<@net x f32> {label = "g", step = @run}
sweep.list scratch @run.h : !amp.tensors<@net x f16> {label = "h", step = @run}
func.func private @run.model(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}
sweep.step @run(%x: tensor<4xf32>) attributes {cut} {
  // expected-error@+1 {{expected result 0 of @run.model to be of 'f16', got 'f32'}}
  sweep.forward @run.model(%x) leaves [] [] packs [@run.h] ["h"] : (tensor<4xf32>) -> ()
  sweep.scalar @final {
    %true = arith.constant true
    sweep.outcome %true []
    sweep.yield
  }
}

// -----

amp.model @net
sweep.list scratch @run.g : !amp.tensors<@net x f32> {label = "g", step = @run}
sweep.list scratch @run.h : !amp.tensors<@net x f16> {label = "h", step = @run}
func.func private @run.model(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}
sweep.step @run(%x: tensor<4xf32>) attributes {cut} {
  // expected-error@+1 {{expected result 0 of @run.model to be of 'tensor<1xf32>', got 'tensor<4xf32>'}}
  %l = sweep.forward @run.model(%x) leaves [] [] packs [] [] : (tensor<4xf32>) -> f32
  sweep.scalar @final {
    %true = arith.constant true
    sweep.outcome %true []
    sweep.yield
  }
}

// -----

amp.model @net
sweep.list scratch @run.g : !amp.tensors<@net x f32> {label = "g", step = @run}
sweep.list scratch @run.h : !amp.tensors<@net x f16> {label = "h", step = @run}
func.func private @run.model(%x: tensor<4xf32>, %k: f32) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}
sweep.step @run(%x: tensor<4xf32>, %k: f64) attributes {cut} {
  // expected-error@+1 {{expected argument 1 of @run.model to be of 'f64', got 'f32'}}
  sweep.forward @run.model(%x, %k) leaves [] [] packs [@run.g] ["g"] : (tensor<4xf32>, f64) -> ()
  sweep.scalar @final {
    %true = arith.constant true
    sweep.outcome %true []
    sweep.yield
  }
}
