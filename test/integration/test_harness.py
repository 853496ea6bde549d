# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The harness against a stand-in for the tool, which reports how it was called."""

import json
import os
import sys
import unittest

from harness import Bench, Tensor

STAND_IN = """
import json, shutil, sys
arguments = sys.argv[1:]
value = lambda flag: arguments[arguments.index(flag) + 1]
print(json.dumps(arguments))
print("a complaint", file=sys.stderr)
if "--fail" in arguments:
    sys.exit(1)
with open(value("--log"), "w") as log:
    log.write('{"step": 1, "applied": false}\\n{"step": 2, "applied": true}\\n')
if "--save" in arguments:
    shutil.copy(value("--bind").split("=")[1], value("--save"))
"""
LIST = {"w/a.b": Tensor.of("F16", (2,), [1.0, 2.0]), "s.scale": Tensor.of("F32", (), [8.0])}


class Harness(unittest.TestCase):
    def setUp(self):
        self.bench = self.enterContext(Bench([sys.executable, "-c", STAND_IN]))

    def test_arguments(self):
        run = self.bench.run(
            "module {}",
            bind={"g": LIST, "w": "other.safetensors:model."},
            set={"lr": 1e-3, "s.growth_interval": 5},
            steps=3,
            load="before.safetensors",
            threads=2,
            chip="native",
            more=["--seed", "1"],
        ).expect(0)
        arguments = json.loads(run.stdout)
        self.assertEqual(arguments[0], "run")
        with open(arguments[1], encoding="utf-8") as file:
            self.assertEqual(file.read(), "module {}")
        pairs = list(zip(arguments, arguments[1:]))
        for pair in [
            ("--bind", "w=other.safetensors:model."),
            ("--set", "lr=0.001"),
            ("--set", "s.growth_interval=5"),
            ("--steps", "3"),
            ("--load", "before.safetensors"),
            ("--threads", "2"),
            ("--chip", "native"),
            ("--save", run.state_file),
            ("--seed", "1"),
        ]:
            self.assertIn(pair, pairs)

    def test_results(self):
        run = self.bench.run("examples/some.mlir", bind={"g": LIST})
        self.assertEqual(json.loads(run.stdout)[1], "examples/some.mlir")
        self.assertEqual(run.list("w"), {"a.b": LIST["w/a.b"]})
        self.assertEqual(run.scalar("s.scale"), 8.0)
        self.assertEqual(run.applied, [False, True])
        with open(run.state_file, "rb") as file:
            self.assertEqual(run.state_bytes, file.read())

    def test_nothing_saved(self):
        run = self.bench.run("module {}", bind={"g": LIST}, save=False)
        self.assertNotIn("--save", json.loads(run.stdout))
        self.assertIsNone(run.state)

    def test_failure(self):
        run = self.bench.run("module {}", more=["--fail"])
        run.expect(1, "complaint")
        self.assertEqual((run.state, run.log), (None, []))
        with self.assertRaisesRegex(AssertionError, "expected exit 0 .* got exit 1"):
            run.expect(0)
        with self.assertRaisesRegex(AssertionError, "praise"):
            run.expect(1, "praise")

    def test_no_tool(self):
        before = os.environ.pop("SAWTOOTH", None)
        try:
            with self.assertRaisesRegex(RuntimeError, "SAWTOOTH"):
                Bench()
        finally:
            if before is not None:
                os.environ["SAWTOOTH"] = before

    def test_the_folder_goes(self):
        with Bench("tool") as bench:
            path = bench.file("x.bin", b"x")
            self.assertTrue(os.path.exists(path))
        self.assertFalse(os.path.exists(path))


if __name__ == "__main__":
    unittest.main()
