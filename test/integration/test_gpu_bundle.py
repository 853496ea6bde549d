# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bundle for machines with a GPU where things go wrong, on the simulator that LD_LIBRARY_PATH
leads to. GPU_BUNDLE is the packed folder."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest


class Bundle(unittest.TestCase):
    def setUp(self):
        """A bundle with one case, which a test may spoil."""
        packed = pathlib.Path(os.environ["GPU_BUNDLE"])
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()), "bundle")
        self.folder.mkdir()
        for name in ("bin", "lib", "artifacts"):
            (self.folder / name).symlink_to(packed / name)
        shutil.copy2(packed / "run.sh", self.folder)
        shutil.copytree(packed / "golden" / "sgd", self.folder / "golden" / "sgd")

    def run_it(self, *arguments, **environment):
        return subprocess.run(
            [str(self.folder / "run.sh"), *arguments], env={**os.environ, **environment},
            capture_output=True, text=True,
        )

    def report(self):
        return json.loads((self.folder / "report.json").read_text())

    def test_every_single_bit_is_compared(self):
        self.assertEqual(self.run_it().returncode, 0)
        self.assertTrue(self.report()["passed"])
        for name, place in (("state.safetensors", -1), ("log.jsonl", 12)):
            path = self.folder / "golden" / "sgd" / name
            good = path.read_bytes()
            spoiled = bytearray(good)
            spoiled[place] ^= 1
            path.write_bytes(spoiled)
            run = self.run_it()
            path.write_bytes(good)
            self.assertEqual(run.returncode, 1, run.stdout)
            self.assertIn("bits of sgd                  FAILED", run.stdout)
            self.assertIn(f"{name} differ", run.stdout)
            self.assertEqual((self.folder / "summary.txt").read_text(), run.stdout)
            self.assertFalse(self.report()["passed"])
            self.assertIn({"name": "bits of sgd", "passed": False}, self.report()["checks"])

    def test_what_does_not_run_is_a_failure(self):
        packed = pathlib.Path(os.environ["GPU_BUNDLE"], "artifacts")
        (self.folder / "artifacts").unlink()
        (self.folder / "artifacts").mkdir()
        (self.folder / "artifacts" / "sgd.so").symlink_to(packed / "sgd.so")
        run = self.run_it()
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertIn("bits of sgd                  ok", run.stdout)
        self.assertIn("capture and replay           FAILED", run.stdout)
        self.assertIn("AdamW on gpt2: FAILED: ", run.stdout)
        self.assertFalse(self.report()["passed"])

    def test_a_graph_is_checked_with_arguments_that_matter(self):
        def check(name):
            return subprocess.run(
                [self.folder / "bin" / "sawtooth-graph-check", self.folder / "artifacts" / name],
                capture_output=True, text=True,
            )

        self.assertEqual(check("arguments.so").returncode, 0)
        # A step without arguments cannot tell a replay with new ones from one with old ones.
        without = check("adamw.so")
        self.assertEqual(without.returncode, 1)
        self.assertIn("other arguments left the same bits", without.stderr)

    def test_a_device_without_room_is_a_failure(self):
        run = subprocess.run(
            [self.folder / "bin" / "sawtooth", "bench", self.folder / "artifacts" / "adamw.so",
             "--target=nvptx", "--tensors", "gpt2"],
            env={**os.environ, "PTXSIM_OPTIONS": "ptxas=0:chip=sm_90:memory=4000000"},
            capture_output=True, text=True,
        )
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertIn("not even tensor 'wte.weight' fits on PTX simulator", run.stderr)

    def test_without_a_driver_it_says_so(self):
        nothing = self.folder / "nothing"
        nothing.mkdir()
        (nothing / "libcuda.so.1").touch()
        (self.folder / "report.json").write_text("of another machine")
        run = self.run_it(LD_LIBRARY_PATH=str(nothing))
        self.assertEqual(run.returncode, 2)
        self.assertIn("no GPU: there is no CUDA driver", run.stdout)
        self.assertFalse((self.folder / "report.json").exists())

    def test_results_need_a_place(self):
        (self.folder / "file").touch()
        run = self.run_it(str(self.folder / "file" / "out"))
        self.assertEqual(run.returncode, 2)
        self.assertIn("give a folder", run.stderr)

    def test_the_systems_own_libraries_come_first(self):
        # The libraries here may want a newer C library than the system has.
        self.assertEqual(
            [path.name for path in (self.folder / "lib").glob("lib*")], ["libomp.so.5"]
        )
        (self.folder / "lib").unlink()
        (self.folder / "lib" / "c++").mkdir(parents=True)
        packed = pathlib.Path(os.environ["GPU_BUNDLE"], "lib")
        (self.folder / "lib" / "libomp.so.5").symlink_to(packed / "libomp.so.5")
        (self.folder / "lib" / "c++" / "libstdc++.so.6").write_text("from a newer system")
        self.assertEqual(self.run_it().returncode, 0)
        (self.folder / "lib" / "libomp.so.5").unlink()
        (self.folder / "lib" / "libomp.so.5").write_text("of another machine")
        run = self.run_it()
        self.assertEqual(run.returncode, 2)
        self.assertIn("the programs here do not start: ", run.stderr)
        self.assertIn("libomp.so.5", run.stderr)


if __name__ == "__main__":
    unittest.main()
