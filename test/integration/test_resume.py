# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stopping, saving, loading and going on gives the bytes of never stopping; so do other numbers of
threads and other chips."""

import json
import math
import unittest

import programs
from harness import Bench, Tensor

with open("/proc/cpuinfo", encoding="utf-8") as file:
    HAS_AVX512 = "avx512vl" in file.read()

SIZES = {"a": (5,), "b": (300, 7), "c": (0,), "d": (16384 + 3,)}

# Clean and spoiled gradients as two steps over one state, so that one process can run both.
WINDOW = """
!g = !amp.tensors<@model x f16>
!w = !amp.tensors<@model x f32>
amp.model @model
amp.scaler @s by @pytorch {growth_interval = 3}
amp.state @w : !w = required
amp.optimizer @opt by @adam over @model {lr = 0.001}
BODIES
amp.program @straight {
  amp.repeat 5 { amp.run @clean }
  amp.run @spoiled
  amp.repeat 4 { amp.run @clean }
}
amp.program @before { amp.repeat 5 { amp.run @clean } }
amp.program @after { amp.run @spoiled amp.repeat 4 { amp.run @clean } }
amp.program @skips { amp.repeat 3 { amp.run @spoiled } }
"""
BODY = """
amp.step @NAME(%g_NAME: !g {amp.scaled_by = [@s]}) {
  %w = amp.read @w : !w
  %u = amp.unscale %g_NAME by @s : !g -> !w
  %ok = amp.is_finite %u : !w
  %w1, %o1 = amp.apply @opt(%w, %u) : (!w, !w) -> (!w)
  amp.update @s, %ok
  amp.commit %w1 to @w, %o1 to @opt when %ok : !w, !amp.next<@opt>
}"""
WINDOW = WINDOW.replace(
    "BODIES", "\n".join(BODY.replace("NAME", name) for name in ("clean", "spoiled"))
)


def tensors(dtype, seed, spoil=None):
    lists = {
        name: [math.sin(seed + i) for i in range(math.prod(shape))] for name, shape in SIZES.items()
    }
    if spoil is not None:
        lists["b"][77] = spoil
    return {name: Tensor.of(dtype, SIZES[name], values) for name, values in lists.items()}


class Resume(unittest.TestCase):
    def setUp(self):
        self.bench = self.enterContext(Bench())
        self.lists = {"g": tensors("F16", 1), "w": tensors("F32", 2)}
        self.module = programs.step(
            "adamw", dict(lr=0.01), dict(scale=64.0, growth_interval=4), copy="f16", max_norm=1.0
        )

    def test_stopped_or_not(self):
        straight = self.bench.run(self.module, bind=self.lists, steps=10).expect(0)
        first = self.bench.run(self.module, bind=self.lists, steps=3).expect(0)
        again = self.bench.run(
            self.module, bind={"g": self.lists["g"]}, steps=7, load=first.state_file
        ).expect(0)
        self.assertEqual(straight.state_bytes, again.state_bytes)
        self.assertEqual(straight.log[3:], again.log)

    def test_loaded_and_saved_is_the_same_file(self):
        first = self.bench.run(self.module, bind=self.lists, steps=2).expect(0)
        again = self.bench.run(
            self.module, bind={"g": self.lists["g"]}, steps=0, load=first.state_file
        ).expect(0)
        self.assertEqual(first.state_bytes, again.state_bytes)

    def test_threads_and_chips(self):
        runs = [
            self.bench.run(
                self.module, bind=self.lists, steps=4, threads=threads, chip=chip
            ).expect(0)
            for threads, chip in [(1, "x86-64-v3"), (2, "x86-64-v3"), (2, "native"), (3, "native")]
            + [(2, "x86-64-v4")] * HAS_AVX512
        ]
        for run in runs[1:]:
            self.assertEqual(run.state_bytes, runs[0].state_bytes)
            self.assertEqual(run.log, runs[0].log)

    def test_scaler_dictionary(self):
        path = self.bench.path("scaler.json")
        run = self.bench.run(
            self.module, bind=self.lists, steps=3, more=["--save-scaler", path]
        ).expect(0)
        with open(path, encoding="utf-8") as file:
            saved = json.load(file)
        self.assertEqual(
            saved,
            {
                "scale": run.scalar("s.scale"),
                "growth_factor": 2.0,
                "backoff_factor": 0.5,
                "growth_interval": 4,
                "_growth_tracker": 3,
            },
        )
        saved |= {"scale": 1024.0, "_growth_tracker": 1, "growth_interval": 3}
        self.bench.file("scaler.json", json.dumps(saved))
        run = self.bench.run(
            self.module, bind=self.lists, steps=2, more=["--load-scaler", path]
        ).expect(0)
        self.assertEqual(run.scalar("s.scale"), 2048.0)


class Stopped(unittest.TestCase):
    """The cases of the list about stopping at a bad moment."""

    def setUp(self):
        self.bench = self.enterContext(Bench())

    def window(self, program, load=None):
        bind = {"g_clean": tensors("F16", 1), "g_spoiled": tensors("F16", 1, math.inf)}
        if not load:
            bind["w"] = tensors("F32", 2)
        more = ["--program", program]
        return self.bench.run(WINDOW, bind=bind, load=load, more=more).expect(0)

    def test_B43_stopped_before_an_overflow(self):
        """Ten steps with growth at 3 and, after the overflow at 6, at 9."""
        straight = self.window("straight")
        scales = [line["scalers"]["s"]["scale"] for line in straight.log]
        one = 65536.0
        self.assertEqual(scales, [one, one, *[2 * one] * 3, one, one, one, 2 * one, 2 * one])
        first = self.window("before")
        again = self.window("after", first.state_file)
        self.assertEqual(straight.state, again.state)

    def test_B45_stopped_before_any_step_was_applied(self):
        skips = self.window("skips")
        self.assertEqual(skips.scalar("s.scale"), 8192.0)
        self.assertEqual(skips.scalar("opt.t"), 0)
        for name in ("opt.m", "opt.v"):
            self.assertFalse(any(any(t.data) for t in skips.list(name).values()))
        again = self.window("before", skips.state_file)
        self.assertEqual(again.applied, [True] * 5)


if __name__ == "__main__":
    unittest.main()
