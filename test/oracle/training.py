# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A whole mixed-precision step: unscale, finite test, norm, clip, update, scaler."""

import math
from dataclasses import dataclass, field

from . import contract
from .optimizers import RULES, narrowed
from .rounding import to_f32
from .scaler import Scaler


@dataclass
class Report:
    """What a step did. `exact` is the state in f64 before it was narrowed and `largest` the terms
    behind it; both are empty for a skipped step."""

    applied: bool
    cause: list
    norm: float
    exact: dict = field(default_factory=dict)
    largest: dict = field(default_factory=dict)


class Training:
    """One model, one optimizer, one scaler. Gradients come in as {TENSOR: values}, scaled."""

    def __init__(
        self, weights, rule="sgd", settings=None, scaler=None, max_norm=None, clip_epsilon=1e-6
    ):
        self.rule, self.settings = RULES[rule], settings or {}
        self.scaler = scaler or Scaler(mode="disabled")
        self.max_norm, self.clip_epsilon = max_norm, clip_epsilon
        self.state = narrowed(self.rule.start(weights))

    def step(self, gradients):
        unscaled = {name: contract.unscale(g, self.scaler.scale) for name, g in gradients.items()}
        norm = contract.norm([unscaled])
        finite = all(contract.all_finite(g, self.scaler.scale) for g in gradients.values())
        cause = [
            label
            for label, good in (("gradient", finite), ("norm", math.isfinite(norm)))
            if not good
        ]
        report = Report(not cause, cause, norm)
        if report.applied:
            report.exact, report.largest = self.rule.step(
                self.state, self._clipped(unscaled, norm), **self.settings
            )
            self.state = narrowed({**self.state, **report.exact})
        self.scaler = self.scaler.update(report.applied)
        return report

    def _clipped(self, unscaled, norm):
        if self.max_norm is None:
            return unscaled
        factor = to_f32(contract.clip_factor(norm, self.max_norm, self.clip_epsilon))
        return {name: contract.f32s(x * factor for x in u) for name, u in unscaled.items()}
