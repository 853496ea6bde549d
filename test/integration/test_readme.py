# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the README shows is what a reader gets."""

import os
import re
import shlex
import subprocess
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def blocks(language):
    fences = re.findall(r"^```(\w*)\n(.*?)^```$", read("README.md"), re.M | re.S)
    return [text for name, text in fences if name == language]


class Readme(unittest.TestCase):
    def test_the_step_is_that_of_the_example(self):
        (step,) = blocks("mlir")
        self.assertIn(step, read("examples", "adamw", "step.mlir"))

    def test_commands_print_what_is_shown(self):
        shown = [block for block in blocks("") if block.startswith("$ build/bin/sawtooth ")]
        self.assertTrue(shown)
        for block in shown:
            command, *expected = block.splitlines()
            _, _, *arguments = shlex.split(command)
            done = subprocess.run(
                [os.environ["SAWTOOTH"], *arguments], cwd=ROOT, capture_output=True, text=True
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            # A line of dots stands for any number of lines.
            pattern = "".join(
                "(?s:.*)" if line == "…" else re.escape(line) + "\n" for line in expected
            )
            self.assertRegex(done.stdout, f"^{pattern}$")


if __name__ == "__main__":
    unittest.main()
