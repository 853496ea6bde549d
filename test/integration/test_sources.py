# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Broken sources and arguments: a diagnostic and an exit code that is meant, never a signal."""

import os
import random
import re
import unittest
from unittest import mock

from harness import Bench

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")
STEP = "amp.state @k : i64 = 0\namp.step @train() {\n%k = amp.read @k : i64\n}\n"
TOKENS = ("f16", "bf16", "f64", "i64", "i1", "@w", "@s", "@model", "%w", "%u", "%g", "0.0", "-1")
TOKENS += ("99999999999999999999", '""', "{}", "[]", "tensor<4xf32>", "vector<4xf32>", "f128")


class Sources(unittest.TestCase):
    def setUp(self):
        self.bench = self.enterContext(Bench())

    def compile(self, text, *more):
        return self.bench.call(
            "compile", self.bench.file("x.mlir", text), "--emit=obj", "-o", os.devnull, *more
        )

    def refuse(self, text, *words):
        done = self.compile(text)
        self.assertEqual(done.returncode, 1, done.stderr[-500:])
        for word in words:
            self.assertIn(word, done.stderr)

    def test_nested_too_deep(self):
        limit = "brackets to nest at most 200 deep"
        self.refuse("module {" * 100000 + "}" * 100000, "x.mlir:1:1608: error", limit)
        self.refuse(STEP + "\n#a = " + "[" * 100000, "x.mlir:6:", limit)
        self.refuse("!t = " + "tuple<" * 50000, limit)
        self.bench.file("deep.mlir", "module {" * 1000)
        self.refuse('amp.import "deep.mlir"\n' + STEP, "deep.mlir:1:1608: error", limit)

    def test_nested_too_deep_by_aliases(self):
        limit = "brackets to nest at most 200 deep, aliases included"
        for kind, open, close in (("#", "[", "]"), ("!", "tuple<", ">")):
            for end in ("\n", " ", " // comment\n"):
                chain = f"{kind}a0 = {open}{close}{end}" + "".join(
                    f"{kind}a{i} ={end}{open}{kind}a{i - 1}{close}{end}" for i in range(1, 20000)
                )
                self.refuse(chain + "\n" + STEP, limit)
        # What follows an alias is no part of it.
        models = "".join(f"amp.model @m{i} {{a = [[[[#v]]]]}}\n" for i in range(100))
        source = "!k = i64\n#v = 0 : !k\n" + models + STEP.replace("i64", "!k") + "#u = [#v]\n"
        self.assertEqual(self.compile(source).returncode, 0)

    def test_affine_expressions_too_long(self):
        limit = "expected affine maps and sets of at most 4096 characters"
        for map in (
            "affine_map<(d0) -> (d0" + " + d0" * 100000 + ")>",
            "affine_map<(d0) -> (" + "-" * 100000 + "d0)>",
            "affine_set<(d0) : (d0" + " - 1" * 100000 + " >= 0)>",
        ):
            self.refuse("#m = " + map + "\n" + STEP, "x.mlir:1:", limit)
        # The longest that is allowed, of each kind, overflows nothing.
        for term in (" + d0", " mod 2 floordiv 3", " - (-d0)"):
            map = "affine_map<(d0) -> (d0" + term * (4060 // len(term)) + ")>"
            self.assertEqual(self.compile("#m = " + map + "\n" + STEP).returncode, 0)
        map = "affine_map<(d0) -> (" + "-" * 4060 + "d0)>"
        self.assertEqual(self.compile("#m = " + map + "\n" + STEP).returncode, 0)

    def test_what_looks_like_nesting_but_is_none(self):
        comment = "// " + "{" * 1000 + "\n"
        text = 'module attributes {a = "' + "(" * 1000 + '\\"[[[" } {\n' + STEP + "}\n"
        for source in (comment + STEP, STEP.replace("@k : i64", "@k : i64") + comment):
            self.assertEqual(self.compile(source).returncode, 0)
        self.refuse(text + "oops", "x.mlir:7:")  # read to its end

    def test_crashes_of_the_parser(self):
        # MLIR 22 puts an attribute that did not parse into the op's dictionary.
        text = "func.func @f(%a: tensor<4x5xf32>, %b: tensor<4xf32>) {\n"
        text += "%d = linalg.reduce ins(%a : tensor<4x5xf32>) outs(%b : tensor<4xf32>)"
        text += " dimensions = 1] (%x: f32, %y: f32) { linalg.yield %x : f32 }\nreturn }\n"
        # A sanitizer would rather report it itself.
        with mock.patch.dict(os.environ, ASAN_OPTIONS="allow_user_segv_handler=1"):
            self.refuse(text, "x.mlir:2:83: error: expected '['", "internal error: SIGSEGV")

    def test_bytecode(self):
        self.refuse(b"ML\xefR" + bytes(100), "expected the text of a module, got MLIR bytecode")

    def test_no_end(self):
        done = self.bench.call("explain", "/dev/zero")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/dev/zero: expected at most 256 MiB, got more", done.stderr)

    def test_other_rubbish(self):
        for rubbish in (b"\xff\xfe\xfd", "}", "amp.step", "module {", '"', "#" * 100):
            self.refuse(rubbish, "error")

    def test_arguments(self):
        path = self.bench.file("k.mlir", STEP)
        for flag, value in (
            ("--steps", "99999999999999999999999"),
            ("--steps", "-1"),
            ("--steps", "1.5"),
            ("--steps", "1e3"),
            ("--epochs", "x"),
            ("--threads", "0"),
            ("--chip", "i386"),
            ("--until", "applied=-1"),
            ("--until", "applied=18446744073709551616"),
            ("--save", ""),
            ("--step", ""),
            ("--set", ""),
        ):
            with self.subTest(flag, value=value):
                done = self.bench.call("run", path, flag, value, timeout=60)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(flag, done.stderr)

    def test_random_damage(self):
        """Tokens of the examples deleted, doubled, swapped or replaced."""
        draw = random.Random(17)
        sources = []
        for name in ("adamw/step.mlir", "adamw/bf16.mlir", "digits/train.mlir"):
            with open(os.path.join(EXAMPLES, name), encoding="utf-8") as file:
                sources.append(re.findall(r"\s+|[\w.@%!#$]+|.", file.read()))
        codes = set()
        for _ in range(60):
            tokens = list(draw.choice(sources))
            for _ in range(draw.randint(1, 3)):
                i, j = draw.randrange(len(tokens)), draw.randrange(len(tokens))
                kind = draw.randrange(4)
                if kind == 0:
                    del tokens[i]
                elif kind == 1:
                    tokens.insert(i, tokens[j])
                elif kind == 2:
                    tokens[i], tokens[j] = tokens[j], tokens[i]
                else:
                    tokens[i] = draw.choice(TOKENS)
            done = self.compile("".join(tokens))
            self.assertIn(done.returncode, (0, 1), "".join(tokens))
            self.assertEqual("error" in done.stderr, done.returncode == 1, "".join(tokens))
            codes.add(done.returncode)
        self.assertEqual(codes, {0, 1})


if __name__ == "__main__":
    unittest.main()
