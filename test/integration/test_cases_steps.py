# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cases of kind "steps", run by the tool: usage: test_cases_steps.py [-v] [Cases.test_B08]

One test a case. Every variant runs for every type of gradient that it names, step by step, each
from the state file of the one before; repeated steps with stored gradients are one run.
"""

import json
import math
import unittest

import programs
from harness import Bench, Tensor

from cases import cases

TYPES = {"F16": "f16", "BF16": "bf16", "F32": "f32"}
CASES = cases.load()


def repetitions(variant):
    """[steps] of equal gradients as stored, which one run can take: until it is stuck."""
    runs = []
    for step in variant.steps():
        last = runs[-1][-1] if runs else None
        stuck = last and last.expect.get("stuck")
        if step.scaled and last and last.gradients is step.gradients and not stuck:
            runs[-1].append(step)
        else:
            runs.append([step])
    return runs


def padded(tensors, align, fill):
    """The bytes of a file in which tensors of another prefix fill up after each tensor."""
    header, data = {}, b""
    for name, tensor in tensors.items():
        for key, part in ((f"g.{name}", tensor.data), (f"padding.{name}", None)):
            if part is None:
                part = bytes.fromhex(fill)[::-1] * (-len(data) % align // 4)
            header[key] = {
                "dtype": "F32",
                "shape": [len(part) // 4],
                "data_offsets": [len(data), len(data) + len(part)],
            }
            data += part
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + data


class Trial:
    """A variant with one type of gradient."""

    def __init__(self, test, bench, entry, variant, dtype):
        self.test, self.bench, self.variant, self.dtype = test, bench, variant, dtype
        self.micro = any("micro" in data for data in variant.data["steps"])
        self.has_rule = "optimizer" in variant.data
        copy = variant.data.get("types", {}).get("copy")
        self.module = programs.step(
            variant.rule if self.has_rule else None,
            {"lr": 1e-3, **variant.settings},
            variant.scaler,
            gradients=TYPES[dtype],
            copy=TYPES[copy] if copy else None,
            max_norm=variant.max_norm,
            micro=self.micro,
            fastmath=entry.get("fastmath", False),
        )
        self.state_file, self.state, self.lines = None, None, []

    def run(self, steps):
        """Runs a group of equal steps and compares what came out."""
        micros = steps[0].stored(self.scale)
        weights = {"w": self.tensors("F32", self.variant.weights)} if self.has_rule else {}
        for k, values in enumerate(micros if self.micro else micros[:1]):
            binding, path = self.gradients(values)
            last = not self.micro and k == len(micros) - 1
            run = self.one(
                bind={**binding, **({} if self.state_file else weights)},
                steps=len(steps) if last else 1,
                more=["--step", "train" if last else "accumulate"],
                stuck=last and steps[-1].expect.get("stuck"),
            )
            with open(path, "rb") as file:
                after = file.read()
            with self.test.subTest("gradients are read-only"):
                self.test.assertEqual(after, self.before)
        if self.micro:
            run = self.one(steps=1, more=["--step", "train"])
        self.test.assertEqual(len(run.log), len(steps))
        for step, line in zip(steps, run.log):
            self.compare_log(step.expect, line)
        self.compare_state(steps[-1].expect, run)

    def one(self, bind=None, steps=1, more=(), stuck=False):
        """One run from where the last one ended. A scaler that is stuck ends it as an error."""
        self.previous = self.state
        run = self.bench.run(
            self.module, bind=bind, steps=steps, load=self.state_file, more=more
        ).expect(*((1, "stuck") if stuck else (0,)))
        self.state_file, self.state = run.state_file, run.state
        self.lines += run.stderr.splitlines()
        return run

    @property
    def scale(self):
        if self.state is None:
            default = 1.0 if self.variant.scaler.get("mode") == "disabled" else 65536.0
            return self.variant.scaler.get("scale", default)
        return self.state["s.scale"].item

    def tensors(self, dtype, lists):
        return {
            name: Tensor.of(dtype, shape, lists[name]) for name, shape in self.variant.model.items()
        }

    def gradients(self, values):
        """A file of the gradients; where the case says so, with padding between its tensors."""
        tensors, prefix = self.tensors(self.dtype, values), ""
        padding = self.variant.data.get("padding")
        if padding:
            tensors, prefix = padded(tensors, **padding), ":g."
        path = self.bench.file("gradients.safetensors", tensors)
        with open(path, "rb") as file:
            self.before = file.read()
        return {"g": path + prefix}, path

    def compare_log(self, expect, line):
        check = self.test.assertEqual
        if "applied" in expect:
            check(line["applied"], expect["applied"])
        if "cause_includes" in expect:
            self.test.assertIn(expect["cause_includes"], line["cause"])
        if "norm" in expect:
            self.matches(line["log"]["norm"], expect["norm"])
        scaler = line["scalers"]["s"]
        if "scale" in expect:
            self.matches(scaler["scale"], expect["scale"])
        if expect.get("scale_finite"):
            self.test.assertTrue(math.isfinite(scaler["scale"]))
        for name in ("skipped", "consecutive_skips"):
            if name in expect:
                check(scaler[name], expect[name])

    def compare_state(self, expect, run):
        state = self.state
        for name, key in {"scale": "s.scale", "tracker": "s.tracker", "t": "opt.t"}.items():
            if name in expect:
                self.matches(state[key].item, expect[name])
        for name in ("skipped", "consecutive_skips"):
            if name in expect:
                self.test.assertEqual(state[f"train.{name}"].item, expect[name])
        if "stuck" in expect:
            self.test.assertEqual(bool(state["s.stuck"].item), expect["stuck"])
        for name in ("w", "m", "v", "b"):
            if name in expect:
                got = run.list(name if name == "w" else f"opt.{name}")
                for tensor, want in self.variant.expected(expect[name]).items():
                    for a, b in zip(got[tensor].values, want, strict=True):
                        self.matches(a, b)
        if expect.get("unchanged") and self.previous:
            for key, tensor in state.items():
                if key.split("/")[0] in ("w", "h", "opt.m", "opt.v", "opt.b", "opt.t"):
                    self.test.assertEqual(tensor, self.previous[key], key)
        elif expect.get("unchanged"):
            # The first step: the state is what was bound, and zeros.
            self.test.assertEqual(run.list("w"), self.tensors("F32", self.variant.weights))
            for key, tensor in state.items():
                if key.startswith("opt.") and "/" in key:
                    self.test.assertFalse(any(tensor.data), key)

    def matches(self, got, want):
        self.test.assertTrue(cases.matches(got, want), f"expected {want}, got {got}")


class Cases(unittest.TestCase):
    def run_case(self, name):
        entry = CASES[name]
        for data, variant in zip(entry["variants"], cases.variants(entry)):
            for dtype in variant.gradient_types:
                with self.subTest(data["name"], type=dtype), Bench() as bench:
                    trial = Trial(self, bench, entry, variant, dtype)
                    for steps in repetitions(variant):
                        trial.run(steps)
                    self.check_more(entry, trial)

    def check_more(self, entry, trial):
        """What a case expects beside the steps."""
        if "most_lines" in entry:
            skips = [line for line in trial.lines if "skip" in line]
            self.assertTrue(skips, "expected the skips to be said, got nothing")
            self.assertLessEqual(len(trial.lines), entry["most_lines"])
        for text in entry.get("forbidden", ()):
            self.assertNotIn(text.encode(), trial.bench.emit(trial.module, "llvm"))


def add(name):
    setattr(Cases, f"test_{name}", lambda self: self.run_case(name))


for name, entry in CASES.items():
    if entry["kind"] == "steps":
        add(name)

if __name__ == "__main__":
    unittest.main()
