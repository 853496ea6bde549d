# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is wrong with bound lists and files is said in words, with exit code 1, and nothing is
written: no state file, and not a byte of what was bound."""

import json
import os
import random
import unittest

import programs
from harness import Bench, Tensor

from oracle import tensorfile

MODULE = programs.step("adamw", dict(lr=0.1), dict(scale=2.0), copy="f16", max_norm=1.0)


def good(dtype):
    return {
        "layer.bias": Tensor.of(dtype, (4,), [1.0, 2.0, 3.0, 4.0]),
        "layer.weight": Tensor.of(dtype, (3, 4), range(12)),
    }


class Binding(unittest.TestCase):
    def setUp(self):
        self.bench = self.enterContext(Bench())

    def refuse(self, words, g=None, w=None, more=(), code=1, **options):
        g, w = good("F16") if g is None else g, good("F32") if w is None else w
        run = self.bench.run(MODULE, bind={"g": g, "w": w}, more=more, **options)
        run.expect(code, *words)
        self.assertFalse(os.path.exists(run.state_file), "expected no state file")
        self.assertFalse([f for f in os.listdir(self.bench.folder) if "tmp" in f])
        return run

    def without(self, name):
        return {n: t for n, t in good("F16").items() if n != name}

    def test_good_is_good(self):
        run = self.bench.run(MODULE, bind={"g": good("F16"), "w": good("F32")}).expect(0)
        self.assertEqual(run.applied, [True])

    def test_missing_tensor(self):
        self.refuse(["layer.bias"], g=self.without("layer.bias"))

    def test_one_tensor_too_many(self):
        self.refuse(["other"], g={**good("F16"), "other": Tensor.of("F16", (1,), [1.0])})

    def test_misspelled_tensor(self):
        renamed = {n.replace("weight", "wieght"): t for n, t in good("F16").items()}
        self.refuse(["layer.weight"], g=renamed)  # the first list bound defines the model

    def test_shape(self):
        turned = {**good("F16"), "layer.weight": Tensor.of("F16", (4, 3), range(12))}
        self.refuse(["layer.weight", "3", "4"], g=turned)
        flat = {**good("F16"), "layer.weight": Tensor.of("F16", (12,), range(12))}
        self.refuse(["layer.weight"], g=flat)

    def test_type(self):
        run = self.refuse(["g"], g=good("BF16"))
        self.assertRegex(run.stderr.lower(), "f16")
        self.assertRegex(run.stderr.lower(), "bf16")
        mixed = {**good("F16"), "layer.weight": good("F32")["layer.weight"]}
        self.refuse(["layer.weight"], g=mixed)

    def test_required_state_unbound(self):
        run = self.bench.run(MODULE, bind={"g": good("F16")}).expect(1, "w", "required")
        self.assertFalse(os.path.exists(run.state_file))

    def test_gradients_unbound(self):
        run = self.bench.run(MODULE, bind={"w": good("F32")}).expect(1, "g")
        self.assertFalse(os.path.exists(run.state_file))

    def test_unknown_list(self):
        lists = {"g": good("F16"), "w": good("F32"), "weigths": good("F32")}
        run = self.bench.run(MODULE, bind=lists)
        self.assertIn(run.code, (1, 2))
        self.assertIn("weigths", run.stderr)
        self.assertFalse(os.path.exists(run.state_file))

    def test_unknown_parameter(self):
        run = self.bench.run(
            MODULE, bind={"g": good("F16"), "w": good("F32")}, set={"opt.beta3": 0.5}
        )
        self.assertIn(run.code, (1, 2))
        self.assertIn("opt.beta3", run.stderr)
        self.assertIn("opt.beta", run.stderr.replace("opt.beta3", ""), "expected the nearest name")

    def test_missing_file(self):
        self.refuse(["nowhere.safetensors"], g=self.bench.path("nowhere.safetensors"))

    def test_prefix_that_matches_nothing(self):
        path = self.bench.file("g.safetensors", good("F16"))
        self.refuse(["decoder."], g=f"{path}:decoder.")

    def test_same_buffers_twice(self):
        """Two states over the same bytes of one file are refused or kept apart; the file stays."""
        path = self.bench.file("both.safetensors", good("F32"))
        with open(path, "rb") as file:
            before = file.read()
        run = self.bench.run(MODULE, bind={"g": good("F16"), "w": path, "opt.m": path})
        self.assertIn(run.code, (0, 1))
        with open(path, "rb") as file:
            self.assertEqual(file.read(), before)

    def test_bound_files_are_never_written(self):
        lists = {"g": good("F16"), "w": good("F32")}
        paths = {n: self.bench.file(f"{n}.safetensors", t) for n, t in lists.items()}
        before = {paths[n]: tensorfile.encode(t) for n, t in lists.items()}
        run = self.bench.run(MODULE, bind=paths, steps=3).expect(0)
        self.assertNotEqual(run.list("w"), good("F32"))
        for path, data in before.items():
            with open(path, "rb") as file:
                self.assertEqual(file.read(), data)

    def test_truncated_at_every_length(self):
        """A file that ends too soon, at any byte of its header and at some of its data."""
        data = tensorfile.encode(good("F16"))
        header = 8 + int.from_bytes(data[:8], "little")
        lengths = [0, 1, 7, 8, 9, header // 2, header - 1, header, header + 1, len(data) - 1]
        for length in lengths:
            with self.subTest(length=length):
                path = self.bench.file("cut.safetensors", data[:length])
                self.refuse(["cut.safetensors"], g=path)

    def hostile(self, header, data=b"\0" * 32, length=None):
        text = header if isinstance(header, bytes) else json.dumps(header).encode()
        size = len(text) if length is None else length
        path = self.bench.file("hostile.safetensors", size.to_bytes(8, "little") + text + data)
        self.refuse(["hostile.safetensors"], g=path)

    def test_hostile_headers(self):
        entry = {"dtype": "F16", "shape": [4], "data_offsets": [0, 8]}
        name = "layer.bias"
        headers = {
            "not JSON": b"{",
            "not an object": b"[]",
            "a number": b"1",
            "deeply nested": b'{"a":' * 100000 + b"1" + b"}" * 100000,
            "not UTF-8": b'{"\xff": 1}',
            "an entry that is no object": {name: 3},
            "no dtype": {name: {"shape": [4], "data_offsets": [0, 8]}},
            "an unknown dtype": {name: {**entry, "dtype": "F17"}},
            "no shape": {name: {"dtype": "F16", "data_offsets": [0, 8]}},
            "a negative size": {name: {**entry, "shape": [-4]}},
            "a fractional size": {name: {**entry, "shape": [4.5]}},
            "sizes whose product overflows": {name: {**entry, "shape": [2**62, 2**62, 4]}},
            "offsets beyond the file": {name: {**entry, "data_offsets": [0, 2**40]}},
            "offsets that overflow": {name: {**entry, "data_offsets": [2**64 - 8, 2**64]}},
            "offsets in the wrong order": {name: {**entry, "data_offsets": [8, 0]}},
            "negative offsets": {name: {**entry, "data_offsets": [-8, 0]}},
            "offsets that do not fit the shape": {name: {**entry, "data_offsets": [0, 6]}},
            "three offsets": {name: {**entry, "data_offsets": [0, 4, 8]}},
            "too many dimensions": {name: {**entry, "shape": [1] * 4000 + [4]}},
            "overlapping tensors": {name: entry, "layer.weight": entry},
            "a name twice": b'{"a": {"dtype": "F16", "shape": [0], "data_offsets": [0, 0]}, '
            b'"a": {"dtype": "F16", "shape": [0], "data_offsets": [0, 0]}}',
        }
        for title, header in headers.items():
            with self.subTest(title):
                self.hostile(header)

    def test_hostile_lengths(self):
        for length in (0, 2**31, 2**63 - 1, 2**64 - 1):
            with self.subTest(length=length):
                self.hostile(b"{}", length=length)

    def test_random_damage(self):
        """Single bytes of a header changed: whatever comes, an exit code that is meant."""
        data = tensorfile.encode(good("F16"))
        header = 8 + int.from_bytes(data[:8], "little")
        draw = random.Random(11)
        for _ in range(25):
            damaged = bytearray(data)
            damaged[draw.randrange(header)] = draw.randrange(256)
            path = self.bench.file("damaged.safetensors", bytes(damaged))
            run = self.bench.run(MODULE, bind={"g": path, "w": good("F32")})
            self.assertIn(run.code, (0, 1), run.stderr)
            self.assertEqual(os.path.exists(run.state_file), run.code == 0)


if __name__ == "__main__":
    unittest.main()
