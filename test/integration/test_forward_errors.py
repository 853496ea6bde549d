# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a user is told who writes a wrong forward or backward part: the place in their file, what
was expected and what was found, and no IR of ours."""

import re
import sys
import unittest

from harness import Bench

HEAD = """!list = !amp.tensors<@net x f32>
amp.model @net
amp.scaler @s by @pytorch
amp.state @w : !list = 0.0
amp.step @train(%x: tensor<?x4xf32> {amp.batch = "x"}) {
"""


class ForwardErrors(unittest.TestCase):
    def refused(self, body, *words, line, head=HEAD):
        with Bench() as bench:
            run = bench.run(head + body + "}\n", more=["--batch", "8"], save=False)
        run.expect(1, *words)
        self.assertRegex(run.stderr, rf"step1\.mlir:{line}:\d+: error: ")
        self.assertNotIn("see current operation", run.stderr)
        self.assertEqual(run.stdout, "")

    def test_sizes_that_disagree(self):
        self.refused(
            """  %w = amp.read @w : !list
  %l = amp.leaf %w["w"] : !list -> tensor<5x3xf32>
  %b = amp.leaf %w["b"] : !list -> tensor<3xf32>
  %y = amp.call @linear(%x, %l, %b)
      : (tensor<?x4xf32>, tensor<5x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  %g = amp.pack {"y" = %y : tensor<?x3xf32>} : !list
  %n = amp.norm %g : !list
  amp.log "n", %n : f64
""",
            "expected dimension 'in' of argument 1 to be 4 as in argument 0, got 5",
            line=9,
        )

    def test_a_sum_in_16_bits(self):
        self.refused(
            """  %h = arith.truncf %x : tensor<?x4xf32> to tensor<?x4xf16>
  %e = tensor.empty() : tensor<4xf16>
  %zero = arith.constant 0.0 : f16
  %z = linalg.fill ins(%zero : f16) outs(%e : tensor<4xf16>) -> tensor<4xf16>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%h : tensor<?x4xf16>) outs(%z : tensor<4xf16>) {
  ^bb0(%a: f16, %b: f16):
    %c = arith.addf %a, %b : f16
    linalg.yield %c : f16
  } -> tensor<4xf16>
  %sw = arith.extf %s : tensor<4xf16> to tensor<4xf32>
  %g = amp.pack {"y" = %sw : tensor<4xf32>} : !list
  %n = amp.norm %g : !list
  amp.log "n", %n : f64
""",
            "expected a reduction to accumulate in f32, got 'f16'",
            line=10,
        )

    def test_a_loss_without_a_dimension(self):
        self.refused(
            """  %e = tensor.empty() : tensor<f32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %loss = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
      iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<?x4xf32>) outs(%z : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<f32>
  %v = tensor.extract %loss[] : tensor<f32>
  amp.log "loss", %v : f32
""",
            "tensor<1xf32>",
            line=16,
        )

    def test_errors_in_a_layer_name_the_call(self):
        with Bench() as bench:
            bench.file(
                "mine.mlir",
                "func.func @mine(%x: tensor<?x?xf16>) -> tensor<?x?xf16> {\n"
                "  %y = math.sin %x : tensor<?x?xf16>\n"
                "  return %y : tensor<?x?xf16>\n}\n",
            )
            step = (
                'amp.import "mine.mlir"\n'
                + HEAD
                + """  %y = amp.call @mine(%x) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %g = amp.pack {"y" = %y : tensor<?x4xf32>} : !list
  %n = amp.norm %g : !list
  amp.log "n", %n : f64
}
"""
            )
            run = bench.run(step, more=["--batch", "8"], save=False).expect(1, "got 'math.sin'")
        places = re.findall(r"(\w+\.mlir):(\d+):\d+: (error|note)", run.stderr)
        self.assertEqual(places[0], ("mine.mlir", "2", "error"))
        self.assertIn(("step1.mlir", "7", "note"), places)

    def test_no_batch_size(self):
        with Bench() as bench:
            run = bench.run(HEAD + '  amp.log "x", %n : f64\n}\n', save=False)
            self.assertEqual(run.code, 1)
            step = HEAD + "  %y = amp.call @relu(%x) : (tensor<?x4xf32>) -> tensor<?x4xf32>\n}\n"
            bench.run(step, save=False).expect(1, "batch size")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
