# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every rule against the oracle, one step ahead: from the f32 state that the tool left, the oracle
computes the next state in f64, and the tool's must lie within the rule's bounds. Steps whose
gradients are not finite are among them; they must leave everything as it was.
"""

import math
import random
import unittest

import programs
from harness import Bench, Tensor

from golden import golden
from oracle import contract
from oracle.optimizers import RULES, differences
from oracle.scaler import Scaler
from oracle.training import Training

# Rows of 16 elements and tails of every kind, a scalar, an empty tensor; "x.bias" sorts between.
SHAPES = {"x": (3, 11), "x.bias": (7,), "y": (1,), "e": (0, 4), "z": (64,), "s": ()}
STEPS = 50
TYPES = {"f16": "F16", "bf16": "BF16", "f32": "F32"}

CONFIGURATIONS = {
    "sgd": ("sgd", dict(lr=0.05, has_momentum=False)),
    "sgd_momentum": ("sgd", dict(lr=0.05, momentum=0.9, dampening=0.3, weight_decay=0.02)),
    "sgd_nesterov": ("sgd", dict(lr=0.05, momentum=0.8, nesterov=True, maximize=True)),
    "adam": ("adam", dict(lr=0.01, weight_decay=0.1, beta1=0.8, beta2=0.95)),
    "adam_amsgrad": ("adam", dict(lr=0.01, amsgrad=True, beta2=0.5, eps=1e-6)),
    "adamw": ("adamw", dict(lr=0.01, weight_decay=0.1)),
    "adamw_amsgrad_maximize": ("adamw", dict(lr=0.01, amsgrad=True, maximize=True, beta2=0.6)),
    "lion": ("lion", dict(lr=0.01, weight_decay=0.1)),
    "lamb": ("lamb", dict(lr=0.01, weight_decay=0.1)),
    "lamb_plain": ("lamb", dict(lr=0.01, grad_averaging=False, always_adapt=False)),
}


def oracle_settings(settings):
    return {name: value for name, value in settings.items() if name != "has_momentum"}


def oracle_state(rule, run, names):
    """The state of a file as the oracle holds it."""
    state = {"t": run.scalar("opt.t")}
    for field in ("w", *RULES[rule].fields):
        saved = run.list("w" if field == "w" else f"opt.{field}")
        state[field] = {n: saved[n].values if n in saved else [0.0] for n in names}
    return state


class Rules(unittest.TestCase):
    def run_rule(self, name, dtype):
        rule, settings = CONFIGURATIONS[name]
        draw = random.Random(f"{name} {dtype}")
        scale = dict(scale=1024.0, growth_interval=7, backoff_factor=0.5)
        module = programs.step(
            rule, settings, scale, gradients=dtype, copy=dtype if dtype != "f32" else None,
            max_norm=3.0,
        )
        weights = {
            n: [contract.to_f32(draw.gauss(0, 1)) for _ in range(math.prod(s))]
            for n, s in SHAPES.items()
        }
        training = Training(weights, rule, oracle_settings(settings), Scaler(**scale), max_norm=3.0)
        bind = {"w": {n: Tensor.of("F32", s, weights[n]) for n, s in SHAPES.items()}}
        load, before, skips = None, None, 0
        for step in range(STEPS):
            size = training.scaler.scale * 10.0 ** draw.randint(-4, 0)
            gradients = {
                n: Tensor.of(TYPES[dtype], s, [draw.gauss(0, size) for _ in range(math.prod(s))])
                for n, s in SHAPES.items()
            }
            if step % 7 == 5 or draw.random() < 0.1:
                spoiled = draw.choice([n for n, s in SHAPES.items() if math.prod(s)])
                values = gradients[spoiled].values
                values[draw.randrange(len(values))] = draw.choice([math.inf, -math.inf, math.nan])
                gradients[spoiled] = Tensor.of(TYPES[dtype], SHAPES[spoiled], values)
            run = self.bench.run(module, bind={"g": gradients, **bind}, load=load).expect(0)
            report = training.step({n: t.values for n, t in gradients.items()})
            self.assertEqual(run.applied, [report.applied], f"step {step}")
            got = oracle_state(rule, run, SHAPES)
            if report.applied:
                self.assertEqual(run.log[0]["log"]["norm"], report.norm)
                wrong = differences(RULES[rule], got, report.exact, report.largest)
                self.assertFalse(wrong, f"step {step}")
            else:
                skips += 1
                if before:
                    for key, tensor in run.state.items():
                        if key.split("/")[0] in ("w", "h") or key.startswith("opt."):
                            self.assertEqual(tensor, before[key], f"{key}, step {step}")
            if dtype != "f32":
                for n, w in run.list("w").items():
                    copy = Tensor.of(TYPES[dtype], w.shape, w.values)
                    self.assertEqual(run.list("h")[n], copy)
            self.assertEqual(run.scalar("s.scale"), training.scaler.scale)
            self.assertEqual(run.scalar("opt.t"), training.state["t"])
            training.state, before, load, bind = got, run.state, run.state_file, {}
        self.assertGreaterEqual(skips, STEPS // 7)
        self.assertLess(skips, STEPS // 2)

    def setUp(self):
        self.bench = self.enterContext(Bench())

    def run_golden(self, name):
        case = golden.load()[name]
        settings = dict(case.settings)
        if case.rule == "sgd" and not settings.get("momentum"):
            settings["has_momentum"] = False
        module = programs.step(
            case.rule, settings, {"mode": "disabled"}, gradients="f32",
            max_norm=case.max_norm, clip_epsilon=case.clip_epsilon,
        )
        for t, (before, after, gradients) in enumerate(
            zip(case.before, case.after, case.gradients, strict=True)
        ):
            bind = {"g": gradients, "w": before["w"]}
            for field in ("m", "v", "vmax", "b"):
                if field in before:
                    bind[f"opt.{field}"] = before[field]
            run = self.bench.run(module, bind=bind, set={"opt.t": t}).expect(0)
            got = oracle_state(case.rule, run, case.gradients[t])
            # The terms behind each value are the oracle's; the values are the library's own.
            state = RULES[case.rule].start({n: x.values for n, x in before["w"].items()})
            state |= {f: {n: x.values for n, x in l.items()} for f, l in before.items()} | {"t": t}
            _, largest = RULES[case.rule].step(state, case.clipped(t), **case.settings)
            want = {f: {n: x.values for n, x in l.items()} for f, l in after.items()}
            wrong = differences(RULES[case.rule], got, want, largest)
            self.assertFalse(wrong, f"{name}, step {t}")


def add(name, method, *arguments):
    setattr(Rules, f"test_{name}", lambda self: getattr(self, method)(*arguments))


for name in CONFIGURATIONS:
    for dtype in TYPES:
        add(f"{name}_{dtype}", "run_rule", name, dtype)
for name in golden.load():
    add(f"golden_{name}", "run_golden", name)

if __name__ == "__main__":
    unittest.main()
