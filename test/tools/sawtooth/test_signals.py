# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""SIGINT and SIGTERM end the step, save, and leave a state to go on from."""

import os
import signal
import subprocess
import time
import unittest

from integration.harness import Bench, Tensor
from oracle import tensorfile


class Signals(unittest.TestCase):
    def setUp(self):
        self.bench = Bench()
        self.addCleanup(self.bench.__exit__)

    def interrupt(self, number, code):
        state, log = self.bench.path("state.safetensors"), self.bench.path("log.jsonl")
        command = [*self.bench.tool, "run", self.bench.file("step.mlir", "sgd")]
        g = self.bench.file("g.safetensors", {"a": Tensor.of("F16", (1,), [1.0])})
        w = self.bench.file("w.safetensors", {"a": Tensor.of("F32", (1,), [1.0])})
        command += ["--bind", f"g={g}", "--bind", f"w={w}", "--steps", "1000000000"]
        command += ["--save", state, "--log", log]
        run = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        deadline = time.monotonic() + 30
        while not (os.path.exists(log) and os.path.getsize(log)):
            self.assertLess(time.monotonic(), deadline, "the first step never came")
            time.sleep(0.01)
        run.send_signal(number)
        out, err = run.communicate(timeout=30)
        self.assertEqual(run.returncode, code, err)
        self.assertRegex(out, r"^train: [\d,]+ steps?, .* \(interrupted\)\n$")
        attempted = tensorfile.read(state)["train.attempted"].item
        with open(log, encoding="utf-8") as file:
            self.assertEqual(attempted, sum(1 for _ in file))
        again = self.bench.run("sgd", bind={"g": g}, load=state).expect(0)
        self.assertEqual(again.scalar("train.attempted"), attempted + 1)

    def test_sigint(self):
        self.interrupt(signal.SIGINT, 130)

    def test_sigterm(self):
        self.interrupt(signal.SIGTERM, 143)


if __name__ == "__main__":
    unittest.main()
