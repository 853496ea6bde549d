# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The golden cases as the oracle's states; see README.md."""

import json
import math
import os
from dataclasses import dataclass

from oracle import contract, tensorfile

FOLDER = os.path.dirname(os.path.abspath(__file__))
PATH = os.path.join(FOLDER, "optimizers.safetensors")


@dataclass
class Case:
    """One optimizer with its settings over several steps.

    `before[t]` and `after[t]` are {FIELD: {TENSOR: Tensor}} around step t, f32 and f64;
    `gradients[t]` is {TENSOR: Tensor}, f32 and not clipped yet.
    """

    name: str
    rule: str
    settings: dict
    max_norm: float | None
    clip_epsilon: float
    gradients: list
    before: list
    after: list

    def clipped(self, t):
        """{TENSOR: values} of a step's gradients, clipped in f64 if the case clips."""
        values = {name: tensor.values for name, tensor in self.gradients[t].items()}
        if self.max_norm is None:
            return values
        norm = math.sqrt(math.fsum(x * x for g in values.values() for x in g))
        factor = contract.clip_factor(norm, self.max_norm, self.clip_epsilon)
        return {name: [x * factor for x in g] for name, g in values.items()}


def load(path=PATH):
    """All cases, by name."""
    tensors, metadata = tensorfile.read_with_metadata(path)
    gradients, states = {}, {}
    for key, tensor in tensors.items():
        case, *rest = key.split("/")
        if case == "grad":
            step, name = rest
            gradients.setdefault(int(step), {})[name] = tensor
        else:
            step, when, field, name = rest
            fields = states.setdefault(case, {}).setdefault((int(step), when), {})
            fields.setdefault(field, {})[name] = tensor
    cases = {}
    for case, by_step in states.items():
        settings = json.loads(metadata[case])
        cases[case] = Case(
            case,
            settings.pop("rule"),
            settings,
            settings.pop("max_norm", None),
            settings.pop("clip_epsilon", 1e-6),
            [gradients[t] for t in range(len(gradients))],
            [by_step[t, "in"] for t in range(len(gradients))],
            [by_step[t, "out"] for t in range(len(gradients))],
        )
    return cases


def policies(path=os.path.join(FOLDER, "policies.json")):
    """[(the oracle's settings, [whether a step overflowed], [scale before each step and after])]"""
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    traces = []
    for trace in data["traces"]:
        names = dict(init="scale", growth="growth_factor", backoff="backoff_factor")
        names["interval"] = "growth_interval"
        settings = {names[name]: value for name, value in trace["settings"].items()}
        overflows = [step == "X" for step in data["patterns"][trace["pattern"]]]
        scales = [scale for scale, count in trace["scale"] for _ in range(count)]
        traces.append((settings, overflows, scales))
    return traces
