# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a run needs beside its lists: never more than 64 MiB of memory of its own, compiler
included."""

import os
import resource
import subprocess
import unittest

from harness import Bench

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
STEP = os.path.join(ROOT, "examples", "adamw", "step.mlir")
ELEMENTS = 2_000_000
OWN = ELEMENTS * (4 + 2 + 4 + 4)  # w, h, m, v; the gradients are read where they lie


class Memory(unittest.TestCase):
    def setUp(self):
        self.bench = self.enterContext(Bench())
        with open(self.bench.tool[0], "rb") as tool:
            if b"__asan_init" in tool.read():
                self.skipTest("a sanitizer needs memory of its own")
        self.g, self.w = (
            self.bench.file(name + ".safetensors", self.zeros(kind, size))
            for name, kind, size in (("g", "F16", 2), ("w", "F32", 4))
        )

    @staticmethod
    def zeros(kind, size):
        place = f'"shape":[{ELEMENTS}],"data_offsets":[0,{ELEMENTS * size}]'
        text = f'{{"a":{{"dtype":"{kind}",{place}}}}}'
        return len(text).to_bytes(8, "little") + text.encode() + bytes(ELEMENTS * size)

    def run_within(self, limit):
        """Whether three steps run when all private memory that can be written is limited."""
        return subprocess.run(
            [*self.bench.tool, "run", STEP, "--bind", "g=" + self.g, "--bind", "w=" + self.w]
            + ["--steps", "3", "--threads", "2"],
            capture_output=True,
            text=True,
            timeout=120,
            env=self.bench.environment,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit)),
        )

    def test_lists_and_64_mib_are_enough(self):
        for cache in ("empty", "full"):
            with self.subTest(cache=cache):
                done = self.run_within(OWN + (64 << 20))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("3 applied", done.stdout)

    def test_the_limit_counts_lists(self):
        done = self.run_within(OWN)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot allocate", done.stderr)


if __name__ == "__main__":
    unittest.main()
