# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`sawtooth explain`, on a plan written by hand (test/support/FakeModule.cpp)."""

import json
import os
import subprocess
import tempfile
import unittest


class Explain(unittest.TestCase):
    def explain(self, module, *more):
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as step:
            step.write(module)
            step.flush()
            done = subprocess.run(
                [os.environ["SAWTOOTH"], "explain", step.name, *more],
                capture_output=True,
                text=True,
                timeout=60,
            )
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_json(self):
        g = {"list": "g", "bytes_per_element": 2}
        w = {"list": "w", "bytes_per_element": 4}
        h = {"list": "h", "bytes_per_element": 2}
        m = {"list": "m", "bytes_per_element": 4}
        self.assertEqual(
            json.loads(self.explain("sgd", "--json")),
            {
                "steps": [
                    {
                        "name": "train",
                        "sweeps": [
                            {
                                "reads": [g],
                                "writes": [],
                                "bytes_per_element": 2,
                                "results": ["finite(g)", "sum u^2"],
                            },
                            {
                                "reads": [g, w],
                                "writes": [w, h, m],
                                "bytes_per_element": 16,
                                "results": [],
                            },
                        ],
                        "bytes_per_parameter": 18,
                        "resident_bytes_per_parameter": 12,
                        "lower_bound_bytes_per_parameter": 18,
                        "launches": 2,
                    }
                ]
            },
        )

    def test_text(self):
        lines = self.explain("sgd").splitlines()
        self.assertEqual(lines[0], "fake.mlir for cpu native")
        self.assertEqual(
            lines[2],
            "step train: 2 sweeps, 2 launches, 18 bytes moved per parameter (the lower bound)",
        )
        self.assertEqual(
            [" ".join(line.split()) for line in lines[3:]],
            [
                "scalars @entry",
                "sweep 1 over model 2 B",
                "reads g f16",
                "finds finite(g), sum u^2",
                "scalars @mid",
                "sweep 2 over model, unless the step is skipped 16 B",
                "reads g f16, w f32",
                "writes w f32, h f16, m f32",
                "again u = g * r: 2 bytes instead of 8",
                "scalars @final",
                "on a skip w, h and m keep every byte",
                "resident 12 bytes per parameter: w f32, h f16, m f32, g f16",
            ],
        )
        self.assertLessEqual(max(map(len, lines)), 92)

    def test_steps_without_sweeps(self):
        steps = json.loads(self.explain("fit", "--json"))["steps"]
        self.assertEqual([step["name"] for step in steps], ["train", "test"])
        self.assertEqual([step["launches"] for step in steps], [1, 1])
        text = self.explain("fit")
        self.assertIn("step train: 0 sweeps, 1 launch\n", text)
        self.assertIn("step test: 0 sweeps, 1 launch; commits nothing\n", text)


if __name__ == "__main__":
    unittest.main()
