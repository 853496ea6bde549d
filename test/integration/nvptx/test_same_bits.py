# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps on the simulator, with races, initialisation and bounds checked, against the CPU's bits."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1])]

import programs
import test_models
from nvptx import cuts

EXAMPLES = HERE.parents[2] / "examples" / "adamw"
DIGITS = HERE.parents[2] / "examples" / "digits" / "train.mlir"
NORMS = """
!g = !amp.tensors<@model x {type}>
amp.model @model
amp.step @look(%g: !g) {{
  %top = amp.norm %g {{order = 0x7FF0000000000000 : f64}} : !g
  %sum = amp.norm %g {{order = 1.0}} : !g
  amp.log "top", %top : f64
  amp.log "sum", %sum : f64
}}
"""
# Tensors without elements, with less than a vector, a vector and a bit, less than a round, exactly
# one chunk, one element more, several chunks.
SIZES = (5, 0, 1000, 3, 16384, 16385, 0, 40003)


def compare(path, chip, *arguments, steps=3, sizes=SIZES, options=""):
    """The last line of CompareTargets; AssertionError when a bit differs or a check fails."""
    environment = dict(
        os.environ,
        LD_LIBRARY_PATH=os.environ["PTXSIM"],
        PTXSIM_OPTIONS=f"chip={chip.rstrip('a')}:ptxas=0{options}",
    )
    command = [os.environ["SAWTOOTH_COMPARE"], str(path), chip, str(steps), *arguments]
    run = subprocess.run(
        command + [str(size) for size in sizes],
        env=environment,
        capture_output=True,
        text=True,
    )
    if run.returncode:
        raise AssertionError(f"{run.stdout}{run.stderr}")
    assert "=========" not in run.stderr, run.stderr
    return run


def write(test, text):
    """The path of a file that lasts as long as the test."""
    folder = tempfile.TemporaryDirectory()
    test.addCleanup(folder.cleanup)
    path = pathlib.Path(folder.name, "step.mlir")
    path.write_text(text)
    return path


class SameBits(unittest.TestCase):
    def check(self, *arguments, applied, steps=3, **options):
        run = compare(*arguments, steps=steps, **options)
        self.assertIn(f"{steps} rows, {applied} applied, same bits", run.stdout)

    def check_rule(self, rule):
        for gradients in ("f16", "bf16", "f32"):
            with self.subTest(gradients=gradients):
                copy = None if gradients == "f32" else gradients
                text = programs.step(rule, {"lr": 1e-3}, {}, gradients, copy, max_norm=1.0)
                # The second step finds a NaN and skips.
                self.check(write(self, text), "sm_80", "special=1", applied=2)

    def test_sgd_(self):
        self.check_rule("sgd")

    def test_adam_(self):
        self.check_rule("adam")

    def test_adamw_(self):
        self.check_rule("adamw")

    def test_lion_(self):
        self.check_rule("lion")

    def test_lamb_(self):
        self.check_rule("lamb")

    def test_chips(self):
        for chip in ("sm_75", "sm_80", "sm_90", "sm_90a", "sm_100", "sm_120"):
            for name in ("step", "bf16", "fp32"):
                with self.subTest(chip=chip, name=name):
                    self.check(EXAMPLES / f"{name}.mlir", chip, "special=1", applied=2)

    def test_forward_and_backward(self):
        """A network from its loss to its update, and an evaluation, in 8 batches of images."""
        for chip in ("sm_75", "sm_80", "sm_90", "sm_100"):
            with self.subTest(chip=chip):
                run = compare(DIGITS, chip, steps=8, sizes=())
                rows, applied = re.search(
                    r"(\d+) rows, (\d+) applied, same bits", run.stdout
                ).groups()
                # The scale starts too high: some steps skip, later ones do not. Evaluations apply.
                self.assertEqual(int(rows), 16)
                self.assertGreater(int(applied), 8)
                self.assertLess(int(applied), 16)

    def test_kinds_of_steps(self):
        """Several models, a flag for each optimizer, values and counters by tensor, sums."""
        groups = test_models.GROUPS
        kinds = {
            "two models": (test_models.TWO, 3, 2),
            "own flags": (test_models.OWN_FLAGS, 3, 2),
            "by tensor": (groups.replace("COUNTER", ""), 3, 2),
            "counter by tensor": (groups.replace("COUNTER", ', counter = "tensor"'), 3, 2),
            "clip by value": (test_models.CLIP, 3, 3),
            "micro-batches": (
                programs.step("adamw", {"lr": 1e-3}, {}, max_norm=1.0, micro=True),
                6,
                5,
            ),
            "no scaler": (programs.step("sgd", {"lr": 1e-3}, {"mode": "disabled"}, "f32"), 3, 2),
            "known flag": (cuts.GATED, 3, 1),
            "stored NaNs": (cuts.NANS, 3, 3),
            "two passes, one model": (cuts.TWICE, 3, 3),
            "two passes with sums": (cuts.SUMS, 3, 3),
        }
        for name, (text, rows, applied) in kinds.items():
            for offset in (0, 1):
                with self.subTest(name=name, offset=offset):
                    run = compare(write(self, text), "sm_90", "special=1", f"offset={offset}")
                    self.assertIn(f"{rows} rows, {applied} applied, same bits", run.stdout)

    def test_tails_end_where_tensors_do(self):
        for offset in (0, 1):
            self.check(write(self, cuts.TAILS), "sm_90", f"offset={offset}", applied=3)

    def test_B70_the_largest_element_may_be_a_nan(self):
        # Where the hardware has no maximum that keeps NaN (sm_75), and where it has one.
        for chip in ("sm_75", "sm_80"):
            for kind in ("f16", "bf16", "f32"):
                with self.subTest(chip=chip, kind=kind):
                    text = NORMS.format(type=kind)
                    self.check(write(self, text), chip, "special=1", applied=3)

    def test_unaligned(self):
        for offset in (1, 2, 3):
            with self.subTest(offset=offset):
                path = EXAMPLES / "step.mlir"
                self.check(path, "sm_90", f"offset={offset}", "special=0", applied=2)
                text = programs.step("lamb", {"lr": 1e-3}, {}, "bf16", "bf16", max_norm=1.0)
                self.check(write(self, text), "sm_90", f"offset={offset}", applied=3)

    def test_orders(self):
        # Other orders of warps, blocks and divergent paths.
        for seed in (1, 2, 3, 4):
            with self.subTest(seed=seed):
                text = programs.step("lamb", {"lr": 1e-3}, {}, "f16", "f16", max_norm=1.0)
                options = f":seed={seed}"
                self.check(write(self, text), "sm_90", "special=2", applied=2, options=options)

    def test_numbers_of_tensors(self):
        path = EXAMPLES / "step.mlir"
        for sizes in ((1,), (0,), (0, 0, 0), (7,) * 148, (1, 0, 2, 260) * 2500):
            with self.subTest(tensors=len(sizes)):
                self.check(path, "sm_90", sizes=sizes, applied=2, steps=2)

    def test_many_chunks_fold_in_the_order_of_the_contract(self):
        # 300 chunks: lanes of the fold get more than one; without the race checks for time. Sums in
        # f64 of values of about one size are exact, so they must differ much to have an order.
        path = EXAMPLES / "fp32.mlir"
        self.check(
            path, "sm_90", "spread=40", sizes=(300 * 16384 - 5, 3), applied=1, steps=1,
            options=":race=0",
        )

    def test_many_tensors_fold_in_the_order_of_the_contract(self):
        # The same for lanes of tensors, and for two passes' sums that are logged as they are.
        path = write(self, NORMS.format(type="f32"))
        self.check(path, "sm_90", "spread=40", sizes=(5, 0, 130) * 200, applied=1, steps=1)


class Traffic(unittest.TestCase):
    # Rule, its settings, gradients, copy; bytes that a parameter is read and written in all passes:
    # gradients once to look at them; then they and the states of the rule; and LAMB's second pass
    # over w, m and v, which applies what its first one, of all four, has found.
    STEPS = (
        ("adamw", {}, "f16", "f16", 2 + (2 + 12), 12 + 2),
        ("adamw", {}, "bf16", "bf16", 2 + (2 + 12), 12 + 2),
        ("adamw", {}, "f32", None, 4 + (4 + 12), 12),
        ("adam", {"amsgrad": True}, "f16", None, 2 + (2 + 16), 16),
        ("sgd", {"momentum": 0.9}, "f32", None, 4 + (4 + 8), 8),
        ("lion", {}, "f16", "f16", 2 + (2 + 8), 8 + 2),
        ("lamb", {}, "f16", "f16", 2 + (2 + 12) + 12, 8 + (4 + 2)),
    )

    def test_no_sector_is_asked_for_twice(self):
        elements = 64 * 16384
        for rule, settings, gradients, copy, reads, writes in self.STEPS:
            with self.subTest(rule=rule, gradients=gradients):
                settings = {"lr": 1e-3, **settings}
                path = write(self, programs.step(rule, settings, {}, gradients, copy, max_norm=1.0))
                run = compare(path, "sm_90", steps=1, sizes=(elements,), options=":stats=1")
                figures = dict(re.findall(r"^(\S+) (\d+)$", run.stderr + run.stdout, re.M))
                loads, stores = (
                    int(figures[f"global.{way}.sectors"]) * 32 for way in ("load", "store")
                )
                # What is beyond is tables, partials and programs: some twenty sectors for 2048
                # elements.
                self.assertGreaterEqual(loads, reads * elements)
                self.assertLess(loads, (reads + 0.9) * elements)
                self.assertGreaterEqual(stores, writes * elements)
                self.assertLess(stores, (writes + 0.04) * elements)
                # Coalesced: a request of a warp is for 32 times 16 or 8 bytes.
                wide = sum(
                    int(figures.get(f"opcode.ld.global.v4.{type}", 0)) * bytes
                    for type, bytes in (("b32", 16), ("b16", 8))
                )
                self.assertEqual(wide, reads * elements)


if __name__ == "__main__":
    unittest.main()
