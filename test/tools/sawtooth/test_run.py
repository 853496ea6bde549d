# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`sawtooth run` on bound lists, with the SGD module of test/support/FakeModule.cpp:
w -= lr * decay(tensor) * g / S; the scale halves on a skip and doubles after growth_interval."""

import json
import math
import os
import pty
import subprocess
import unittest

from integration.harness import Bench, Tensor

INF = math.inf


class Run(unittest.TestCase):
    def setUp(self):
        self.bench = Bench()
        self.addCleanup(self.bench.__exit__)

    def run_sgd(self, g=(65536.0 / 2,), w=(1.0,), tensor="a", **more):
        bind = {
            "w": {tensor: Tensor.of("F32", (len(w),), w)},
            "g": {tensor: Tensor.of("F16", (len(g),), g)},
        }
        bind.update(more.pop("bind", {}))
        return self.bench.run("sgd", bind=bind, **more)

    def test_one_step(self):
        run = self.run_sgd().expect(0)
        self.assertEqual(run.list("w")["a"].values, [0.5])
        self.assertEqual(run.list("h")["a"], Tensor.of("F16", (1,), [0.5]))
        self.assertEqual(run.scalar("opt.t"), 1)
        self.assertEqual(
            run.log,
            [
                {
                    "step": 1,
                    "name": "train",
                    "applied": True,
                    "scalers": {
                        "s": {"scale": 65536.0, "skipped": 0, "consecutive_skips": 0}
                    },
                    "log": {"norm2": 0.25},
                }
            ],
        )
        self.assertEqual(
            run.stdout,
            "train: 1 step, 1 applied, 0 skipped, norm2 0.25, scale 65536\n",
        )
        self.assertIn("state 'm' is not bound: starts as 0", run.stderr)
        self.assertIn("state 'h' is not bound: a copy of 'w'", run.stderr)

    def test_skips_are_told_with_their_cause_and_phase(self):
        run = self.run_sgd(g=[INF], steps=3).expect(0)
        self.assertEqual(run.applied, [False] * 3)
        self.assertEqual(run.log[0]["cause"], ["gradient"])
        self.assertEqual(run.log[2]["scalers"]["s"]["consecutive_skips"], 3)
        self.assertEqual(run.log[0]["log"], {"norm2": None, "norm2.class": "inf"})
        self.assertEqual(run.list("w")["a"].values, [1.0])
        self.assertIn("train: step 1 skipped, not finite: gradient; scale now 32768", run.stderr)
        self.assertIn("(calibration)", run.stderr)
        self.assertEqual(
            run.stdout,
            "train: 3 steps, 0 applied, 3 skipped (3 during calibration, 0 after), norm2 inf, "
            "scale 8192\n",
        )

    def test_nan_in_the_log(self):
        run = self.run_sgd(g=[math.nan]).expect(0)
        self.assertEqual(run.log[0]["log"], {"norm2": None, "norm2.class": "nan"})

    def test_b77_a_thousand_skips_are_a_few_lines(self):
        run = self.run_sgd(g=[INF], steps=1000, save=False).expect(0)
        told = [line for line in run.stderr.splitlines() if "skipped" in line]
        self.assertEqual(len(told), 4)  # the 1st, 10th, 100th, 1000th
        self.assertIn("train: 1,000 steps skipped so far", told[-1])
        self.assertLessEqual(len(run.stderr.splitlines()), 20)

    def test_a_stuck_scaler_is_an_error_that_keeps_the_state(self):
        run = self.run_sgd(g=[INF], steps=100, set={"s.max_consecutive_skips": 4})
        run.expect(1, "scaler 's' is stuck: 4 steps in a row", "the scale is 4096", "gradient")
        self.assertEqual(len(run.log), 4)
        self.assertEqual(run.scalar("train.attempted"), 4)
        self.assertEqual(run.list("w")["a"].values, [1.0])

    def test_until_counts_applied_steps(self):
        run = self.run_sgd(g=[INF], more=["--until", "applied=2"], steps=3)
        run.expect(0)
        self.assertEqual(len(run.log), 3)  # the other limit
        run = self.run_sgd(g=[1.0], more=["--until", "applied=2"]).expect(0)
        self.assertEqual(run.applied, [True, True])

    def test_set(self):
        run = self.run_sgd(set={"lr": 0.5, "s.scale": 32768, "train.lr": 2})
        run.expect(0)
        self.assertEqual(run.list("w")["a"].values, [-1.0])
        run = self.run_sgd(tensor="x.half").expect(0)
        self.assertEqual(run.list("w")["x.half"].values, [0.75])
        patterns = self.bench.file("p.json", '[["x.*", 0.25], ["*", 9]]')
        run = self.run_sgd(tensor="x.half", set={"decay": patterns}).expect(0)
        self.assertEqual(run.list("w")["x.half"].values, [0.875])
        self.assertEqual(run.state["decay/x.half"].item, 0.25)

    def test_set_errors(self):
        broken = self.bench.file("broken.json", "[[")
        for setting, code, words in (
            ("lr", 2, ["expected --set NAME=VALUE, got 'lr'"]),
            ("lr=", 2, ["expected --set NAME=VALUE"]),
            ("lr=fast", 2, ["argument 'lr': expected a number of type f64, got 'fast'"]),
            ("lr=nan", 2, ["argument 'lr': expected a number, got 'nan'"]),
            ("train.lr=-NAN", 2, ["argument 'lr': expected a number, got '-NAN'"]),
            ("decay=nan", 2, ["'decay': expected a number, got 'nan'"]),
            ("s.scale=nan", 2, ["'s.scale': expected a scale that is positive and finite"]),
            ("s.scale=inf", 2, ["expected a scale that is positive and finite, got 'inf'"]),
            ("s.scale=0", 2, ["expected a scale that is positive and finite, got '0'"]),
            ("s.scale=-2", 2, ["expected a scale that is positive and finite, got '-2'"]),
            ("s.scale=1e39", 2, ["expected a number in the range of type f32, got '1e39'"]),
            ("rl=1", 1, ["unknown argument or field 'rl'", "'s.scale'", "'lr'"]),
            ("s.growth_interval=1.5", 2, ["expected a whole number of type i64, got '1.5'"]),
            ("train.applied=7", 2, ["'train.applied' is counted, not set"]),
            ("decay=missing.json", 1, ["missing.json: No such file"]),
            (f"decay={broken}", 1, ["no valid JSON"]),
        ):
            with self.subTest(setting=setting):
                self.run_sgd(more=["--set", setting], save=False).expect(code, *words)

    def test_infinity_is_a_number(self):
        run = self.run_sgd(w=[1.0], set={"lr": "inf"}).expect(0)
        self.assertEqual([abs(x) for x in run.list("w")["a"].values], [INF])

    def test_prefixes(self):
        path = self.bench.file(
            "both.safetensors",
            {
                "g.a": Tensor.of("F16", (1,), [32768.0]),
                "w.a": Tensor.of("F32", (1,), [1.0]),
            },
        )
        run = self.bench.run("sgd", bind={"w": path + ":w.", "train.g": path + ":g."}).expect(0)
        self.assertEqual(run.list("w")["a"].values, [0.5])

    def test_bind_errors(self):
        with open(self.bench.path("junk"), "wb") as file:
            file.write(b"\xff" * 100)
        one = {"a": Tensor.of("F16", (1,), [1.0])}
        for bind, words in (
            ({"v": {}}, ["unknown list 'v'; there are 'w', 'h', 'm', 'g'"]),
            ({"g": "missing"}, ["missing: No such file or directory"]),
            ({"g": self.bench.path("junk")}, ["junk: expected a header of"]),
            ({"g": self.bench.folder}, ["expected a regular file"]),
            ({"g": {"b": one["a"]}}, ["list 'g' of step 'train' lacks tensor 'a'"]),
            ({"g": {**one, "b": one["a"]}}, ["has tensor 'b', which model 'model' lacks"]),
            (
                {"g": {"a": Tensor.of("F16", (2,), [1.0, 1.0])}},
                ["tensor 'a' of list 'g' of step 'train': expected shape 1, got 2"],
            ),
            ({"g": {"a": Tensor.of("F32", (1,), [1.0])}}, ["expected F16, got F32"]),
        ):
            with self.subTest(words=words):
                run = self.run_sgd(bind=bind).expect(1, *words)
                self.assertIsNone(run.state)
        w = {"a": Tensor.of("F32", (1,), [1.0])}
        self.bench.run("sgd", bind={"w": w}).expect(1, "list argument 'g' of step 'train'")
        self.bench.run("sgd", bind={"g": one}).expect(1, "state 'w' is required")
        self.bench.run("sgd").expect(1, "bind one of its lists, 'w', 'h', 'm', 'g'")
        self.run_sgd(more=["--bind", "g"]).expect(2, "expected --bind NAME=FILE[:PREFIX], got 'g'")
        again = self.bench.file("again.safetensors", one)
        self.run_sgd(more=["--bind", f"g={again}"]).expect(1, "is bound twice")

    def test_bound_files_are_never_written(self):
        path = self.bench.file("w.safetensors", {"a": Tensor.of("F32", (1,), [1.0])})
        with open(path, "rb") as file:
            before = file.read()
        self.run_sgd(bind={"w": path}).expect(0)
        run = self.run_sgd(bind={"w": path}, save=path)
        run.expect(1, "is one of the inputs and would be overwritten")
        link = self.bench.path("link")
        os.symlink(path, link)
        self.run_sgd(bind={"w": path}, save=link).expect(1, "would be overwritten")
        g = self.bench.file("g.safetensors", {"a": Tensor.of("F16", (1,), [1.0])})
        command = [*self.bench.tool, "run", self.bench.file("s.mlir", "sgd"), "--log", link]
        command += ["--bind", f"w={path}", "--bind", f"g={g}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("link is one of the inputs and would be overwritten", done.stderr)
        with open(path, "rb") as file:
            self.assertEqual(file.read(), before)

    def test_saving_and_loading_goes_on_where_it_stopped(self):
        values = {"set": {"s.growth_interval": 2, "lr": 0.125}}
        whole = self.run_sgd(g=[3.0], steps=6, **values).expect(0)
        first = self.run_sgd(g=[3.0], steps=2, **values).expect(0)
        g = {"g": {"a": Tensor.of("F16", (1,), [3.0])}}
        more = {"bind": g, "steps": 4, "set": {"lr": 0.125}}
        second = self.bench.run("sgd", load=first.state_file, **more).expect(0)
        self.assertEqual(second.state_bytes, whole.state_bytes)
        self.assertNotIn("warning", second.stderr)

    def test_order_is_load_bind_set(self):
        first = self.run_sgd(steps=1).expect(0)
        run = self.run_sgd(w=[8.0], load=first.state_file, set={"s.scale": 32768}).expect(0)
        self.assertEqual(run.list("w")["a"].values, [7.0])
        self.assertEqual(run.scalar("opt.t"), 2)

    def test_names_of_steps_and_programs(self):
        self.run_sgd(more=["--step", "trian"]).expect(
            1, "unknown step 'trian'; there is 'train'"
        )
        self.run_sgd(more=["--program", "x"]).expect(1, "unknown program 'x'; there is none")

    def test_no_steps_at_all(self):
        run = self.run_sgd(steps=0).expect(0)
        self.assertEqual(run.stdout, "train: no step run\n")
        self.assertEqual(run.list("w")["a"].values, [1.0])

    def test_gradscaler_dictionary(self):
        path = self.bench.path("scaler.json")
        self.run_sgd(g=[1.0], steps=3, more=["--save-scaler", path]).expect(0)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(
                json.load(file), {"scale": 65536.0, "growth_interval": 2000, "_growth_tracker": 3}
            )
        saved = self.bench.file(
            "torch.json", '{"scale": 32768.0, "growth_interval": 4, "_growth_tracker": 3}'
        )
        run = self.run_sgd(g=[1.0], more=["--load-scaler", f"s={saved}"]).expect(0)
        self.assertEqual(run.scalar("s.scale"), 65536.0)
        self.assertEqual(run.scalar("s.tracker"), 0)
        self.run_sgd(more=["--load-scaler", f"t={saved}"]).expect(1, "unknown scaler 't'")

    def test_b41_nothing_to_do_is_a_clean_step(self):
        run = self.bench.run("sgd", bind={"w": {}, "g": {}}, steps=2).expect(0)
        self.assertEqual(run.scalar("s.tracker"), 2)
        again = self.bench.run("sgd", bind={"g": {}}, load=run.state_file).expect(0)
        self.assertEqual(again.scalar("s.tracker"), 3)

    def test_threads_and_order_do_not_change_the_bytes(self):
        names = ["z", "a", "m", "b"]
        w = {name: Tensor.full("F32", (20000,), i + 1.0) for i, name in enumerate(names)}
        g = {name: Tensor.full("F16", (20000,), i + 0.5) for i, name in enumerate(names)}
        runs = [
            self.bench.run("sgd", bind={"w": w, "g": g}, threads=1),
            self.bench.run("sgd", bind={"g": g, "w": dict(reversed(w.items()))}, threads=2),
        ]
        self.assertEqual(runs[0].expect(0).state_bytes, runs[1].expect(0).state_bytes)

    def test_bars_are_for_terminals_and_leave_nothing_behind(self):
        w = self.bench.file("w.safetensors", {"a": Tensor.of("F32", (1,), [1.0])})
        g = self.bench.file("g.safetensors", {"a": Tensor.of("F16", (1,), [1.0])})
        command = [*self.bench.tool, "run", self.bench.file("s.mlir", "sgd"), "--steps", "1000"]
        command += ["--bind", f"w={w}", "--bind", f"g={g}"]
        try:
            ours, theirs = pty.openpty()
        except OSError as problem:  # a root without /dev/pts has none
            self.skipTest(f"no pseudo-terminal: {problem}")
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs) as run:
            os.close(theirs)
            told = b""
            while True:
                try:
                    told += os.read(ours, 65536)
                except OSError:  # how Linux says that nobody holds the other end
                    break
            out = run.stdout.read()
        os.close(ours)
        self.assertEqual(run.returncode, 0)
        self.assertIn(b"\r\x1b[Ktrain [", told)
        self.assertTrue(told.endswith(b"\r\x1b[K"), told[-80:])
        self.assertTrue(out.startswith(b"train: 1,000 steps"), out)
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        self.assertNotIn("\x1b", done.stderr)

    def test_saving_nowhere_is_an_error(self):
        nowhere = os.path.join(self.bench.folder, "no", "state.safetensors")
        self.run_sgd(save=nowhere).expect(1, "cannot create")
        folder = self.bench.path("folder")
        os.mkdir(folder)
        self.run_sgd(save=False, more=["--save", folder]).expect(1, "expected a regular file")


if __name__ == "__main__":
    unittest.main()
