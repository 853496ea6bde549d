#!/usr/bin/env python3
# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Traces of PyTorch's loss scaler, from its own code: the scale around each of 200 steps, given
which of them overflowed.

usage: make_policies.py > policies.json        needs torch

{"patterns": {NAME: "..X…", one character a step, X for an overflow},
 "traces": [{"policy", "settings", "pattern", "scale": [[SCALE, COUNT], …]}]}
`scale` run-length encodes one entry more than the pattern has: the last is after the last step.
"""

import itertools
import json
import random

import torch

STEPS = 200
SETTINGS = (
    dict(init=65536.0, growth=2.0, backoff=0.5, interval=2000),
    dict(init=65536.0, growth=2.0, backoff=0.5, interval=7),
    dict(init=2.0**120, growth=4.0, backoff=0.25, interval=5),
    dict(init=1024.0, growth=1.5, backoff=0.75, interval=3),
)


def patterns():
    draw = random.Random(0)
    return {
        "rare": [draw.random() < 0.04 for _ in range(STEPS)],
        "bursts": [(i // 5) % 6 == 0 and draw.random() < 0.8 for i in range(STEPS)],
        "start": [i < 9 or i == 60 for i in range(STEPS)],
        "clean": [False] * STEPS,
        "pairs": [i % 11 in (3, 4) for i in range(STEPS)],
        "collapse": [i < 40 for i in range(STEPS)],
    }


def trace(settings, overflows):
    scale, tracker = torch.tensor(settings["init"]), torch.tensor(0, dtype=torch.int32)
    scales = [scale.item()]
    for overflow in overflows:
        torch._amp_update_scale_(
            scale,
            tracker,
            torch.tensor(float(overflow)),
            settings["growth"],
            settings["backoff"],
            settings["interval"],
        )
        scales.append(scale.item())
    return [[s, len(list(run))] for s, run in itertools.groupby(scales)]


def main():
    steps = patterns()
    traces = [
        dict(policy="torch", settings=s, pattern=name, scale=trace(s, overflows))
        for s in SETTINGS
        for name, overflows in steps.items()
    ]
    shown = {name: "".join(".X"[x] for x in overflows) for name, overflows in steps.items()}
    print(json.dumps({"patterns": shown, "traces": traces}, indent=None))


main()
