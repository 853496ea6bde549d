# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`sawtooth run --data`, with the least-squares module of test/support/FakeModule.cpp. What it must
come to is computed here: the generator, the order of examples, the batches and the descent."""

import math
import unittest

from integration.harness import Bench, Tensor
from oracle import tensorfile
from oracle.philox import philox
from oracle.rounding import to_f32

EXAMPLES, TESTS = 43, 21
MASK = 0xFFFFFFFF


def fnv1a(name):
    value = 0xCBF29CE484222325
    for byte in name.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def word(element, seed, stream, step, name):
    """As Random.h documents it."""
    name = fnv1a(name)
    key = philox((name & MASK, name >> 32, stream, 0), (seed & MASK, seed >> 32))[:2]
    block = element // 4
    return philox((block & MASK, block >> 32, step & MASK, step >> 32), key)[element % 4]


def shuffled(seed, epoch, count):
    """As Data.h documents it."""

    def key(i):
        first, second = (word(2 * i + k, seed, 0, epoch, "order") for k in (0, 1))
        return first << 32 | second, i

    return sorted(range(count), key=key)


def examples(count, shift):
    """y = 2 x0 - x1 with a little bend, exact in f32."""
    rows = [((i * 7 + shift) % 16 / 16, (i * 5 + shift) % 8 / 8) for i in range(count)]
    return rows, [to_f32(2 * a - b + a * b / 4) for a, b in rows]


class Descent:
    """The module's arithmetic, in Python."""

    def __init__(self, seed):
        # uniform by fan-in: of one dimension, 1
        self.w = [to_f32((word(e, seed, 0, 0, "w") >> 8) * 2.0**-23 - 1) for e in (0, 1)]

    def loss(self, rows, ys, train):
        loss, gradient, close, n = 0.0, [0.0, 0.0], 0, len(rows)
        for row, y in zip(rows, ys):
            error = self.w[0] * row[0] + self.w[1] * row[1] - y
            loss += error * error / n
            close += abs(error) < 0.5
            for k in (0, 1):
                gradient[k] += 2 * error * row[k] / n
        if train:
            self.w = [to_f32(w - 0.1 * g) for w, g in zip(self.w, gradient)]
        return to_f32(loss), close

    def epoch(self, data, seed, epoch, batch, batches):
        order = shuffled(seed, epoch, len(data[0]))
        for i in range(batches):
            which = order[i * batch : (i + 1) * batch]
            yield self.loss([data[0][j] for j in which], [data[1][j] for j in which], True)

    def test(self, data, batch):
        """Loss weighted by examples, and the number of close ones."""
        total, close = 0.0, 0
        for begin in range(0, len(data[0]), batch):
            rows, ys = data[0][begin : begin + batch], data[1][begin : begin + batch]
            loss, near = self.loss(rows, ys, False)
            total, close = total + loss * len(rows), close + near
        return total / len(data[0]), close


class Training(unittest.TestCase):
    def setUp(self):
        self.bench = Bench()
        self.addCleanup(self.bench.__exit__)
        self.train, self.test = examples(EXAMPLES, 0), examples(TESTS, 3)
        tensors = {}
        for split, (rows, ys) in (("train", self.train), ("test", self.test)):
            flat = [value for row in rows for value in row]
            tensors[f"{split}.x"] = Tensor.of("F32", (len(ys), 2), flat)
            tensors[f"{split}.y"] = Tensor.of("F32", (len(ys),), ys)
        self.tensors = tensors
        self.data = self.bench.file("data.safetensors", tensors)

    def run_fit(self, *more, step="train", **options):
        flags = [] if step is None else ["--step", step]
        return self.bench.run("fit", more=["--data", self.data, *flags, *more], **options)

    def test_epochs_batches_order_and_evaluation(self):
        # The module's own defaults: 3 epochs, batch 8, seed 7, evaluation by `test`.
        run = self.run_fit().expect(0)
        model, expected, evaluations = Descent(7), [], []
        for epoch in range(3):
            expected += model.epoch(self.train, 7, epoch, 8, 5)  # 43 examples, 3 dropped
            evaluations.append(model.test(self.test, 8))  # 8 + 8 + 5
        trained = [line for line in run.log if line["name"] == "train"]
        self.assertEqual(
            [(line["log"]["loss"], line["log"]["close"]) for line in trained], expected
        )
        tested = [line for line in run.log if line["name"] == "test"]
        self.assertEqual(len(tested), 3)
        for line, (loss, close) in zip(tested, evaluations):
            self.assertAlmostEqual(line["log"]["loss"], loss, delta=1e-14)
            self.assertEqual(line["log"]["close"], close)
        self.assertEqual(run.list("w")["w"].values, model.w)
        self.assertEqual(run.scalar("test.attempted"), 9)
        epochs = [line for line in run.stderr.splitlines() if line.startswith("epoch")]
        self.assertEqual(len(epochs), 3)
        self.assertRegex(
            epochs[2],
            r"^epoch 3/3: loss [\d.]+, close \d+, 5 applied, 0 skipped; test loss [\d.]+, close",
        )
        self.assertRegex(
            run.stdout,
            r"^train: 15 steps, 15 applied, 0 skipped, .*; test: loss [\d.]+, close \d+\n$",
        )

    def test_flags_override_the_modules_defaults(self):
        run = self.run_fit("--epochs", "1", "--batch", "16", "--seed", "9").expect(0)
        model = Descent(9)
        expected = list(model.epoch(self.train, 9, 0, 16, 2))
        self.assertEqual(
            [line["log"]["loss"] for line in run.log if line["name"] == "train"],
            [loss for loss, _ in expected],
        )
        self.assertEqual(run.metadata["seed"], "9")

    def test_stopping_anywhere_and_going_on_gives_the_same_bytes(self):
        whole = self.run_fit().expect(0)
        for steps in (1, 5, 7):  # within an epoch, at its end, in the next
            first = self.run_fit(steps=steps).expect(0)
            rest = self.run_fit("--epochs", "3", load=first.state_file).expect(0)
            self.assertEqual(rest.state_bytes, whole.state_bytes, steps)
        done = self.run_fit(load=whole.state_file).expect(0)
        self.assertEqual(done.state_bytes, whole.state_bytes)
        self.assertIn("all of 3 epochs were done before", done.stdout)

    def test_an_evaluation_that_was_interrupted_is_made_up_for(self):
        whole = self.run_fit().expect(0)
        run = self.run_fit(steps=5).expect(0)  # the first epoch, and its evaluation
        state = {
            name: Tensor.of("I64", (), [0]) if name.startswith("test.") else tensor
            for name, tensor in run.state.items()
        }
        path = self.bench.path("pending.safetensors")
        tensorfile.write(path, state, {**run.metadata, "epoch": "0", "batch": "5"})
        rest = self.run_fit("--epochs", "3", load=path).expect(0)
        self.assertEqual(rest.state_bytes, whole.state_bytes)
        self.assertEqual([line["name"] for line in rest.log[:2]], ["test", "train"])

    def test_steps_limit_epochs(self):
        run = self.run_fit(steps=12).expect(0)
        self.assertEqual(run.metadata["epoch"], "2")
        self.assertEqual(run.metadata["batch"], "2")
        run = self.run_fit("--epochs", "1", steps=12).expect(0)
        self.assertEqual(run.scalar("train.attempted"), 5)

    def test_a_program_takes_a_batch_for_each_step(self):
        run = self.run_fit("--epochs", "1", step=None).expect(0)  # the only program: train twice
        self.assertEqual(run.scalar("train.attempted"), 4)  # 5 batches make two runs
        run = self.run_fit(step=None, steps=1).expect(0)
        self.assertEqual(run.scalar("train.attempted"), 2)

    def test_save_every(self):
        run = self.run_fit("--save-every", "4", steps=6).expect(0)
        self.assertEqual(run.scalar("train.attempted"), 6)

    def test_a_step_without_commits_evaluates(self):
        trained = self.run_fit().expect(0)
        run = self.run_fit(step="test", load=trained.state_file).expect(0)
        self.assertEqual(len(run.log), 1)
        line = [line for line in trained.log if line["name"] == "test"][-1]
        self.assertEqual(run.log[0]["log"], line["log"])
        self.assertRegex(run.stdout, r"^test: loss [\d.]+, close \d+\n$")

    def test_errors(self):
        self.bench.run("fit", more=["--step", "train"]).expect(
            1, "argument 'x' of step 'train' comes from a data set: give --data FILE"
        )
        self.run_fit("--eval", "train").expect(1, "step 'train' commits, so it cannot evaluate")
        self.run_fit("--eval", "tset").expect(1, "unknown step 'tset'", "did you mean 'test'?")
        self.bench.run("fit", more=["--eval", "test"]).expect(1, "--eval needs --data FILE")
        for change, words in (
            ({"train.x": None}, "unknown tensor 'train.x'; there are"),
            (
                {"train.y": Tensor.of("F32", (3,), [0.0] * 3)},
                "expected 43 examples like the others",
            ),
            ({"train.y": Tensor.of("F16", (43,), [0.0] * 43)}, "expected F32 of ?, got F16 of 43"),
            (
                {"train.x": Tensor.of("F32", (43, 3), [0.0] * 129)},
                "'train.x': expected F32 of ?x2, got F32 of 43x3",
            ),
            (
                {
                    "train.x": Tensor.of("F32", (3, 2), [0.0] * 6),
                    "train.y": Tensor.of("F32", (3,), [0.0] * 3),
                },
                "expected at least 8 examples for a run of 'train', got 3",
            ),
            (
                {
                    "test.x": Tensor.of("F32", (0, 2), []),
                    "test.y": Tensor.of("F32", (0,), []),
                },
                "'test' has no examples",
            ),
        ):
            with self.subTest(words=words):
                tensors = {k: v for k, v in {**self.tensors, **change}.items() if v is not None}
                self.data = self.bench.file("changed.safetensors", tensors)
                run = self.run_fit().expect(1, words)
                self.assertIsNone(run.state)

    def test_mean_of_the_oracle_is_not_the_mean_of_batches(self):
        # Weighted by examples, the smaller last batch counts for less: the two differ here.
        model = Descent(7)
        weighted, _ = model.test(self.test, 8)
        plain = sum(
            model.loss(self.test[0][b : b + 8], self.test[1][b : b + 8], False)[0]
            for b in (0, 8, 16)
        )
        self.assertFalse(math.isclose(weighted, plain / 3, rel_tol=1e-3))


if __name__ == "__main__":
    unittest.main()
