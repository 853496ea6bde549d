#!/usr/bin/env python3
# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes optimizers.safetensors: what PyTorch and optax compute in float64, one step ahead.

usage: make_golden.py OUT.safetensors
needs: torch 2.15.0, jax 0.10.2, optax 0.2.8, numpy (the versions that the checked-in file is of)

Before every step all floating state is rounded to f32, so that an implementation in f32 can start
from the very same numbers; then the package makes one step in float64. The tensors, of the
parameters a [7] and b [3, 5], under the names of the oracle's fields:

  grad/STEP/TENSOR             f32, the same gradients for every case, of magnitudes 1e-3 to 1e1
  CASE/STEP/in/FIELD/TENSOR    f32, what the step starts from; FIELD is w, m, v, vmax or b
  CASE/STEP/out/FIELD/TENSOR   f64, what the package has afterwards

STEP counts the completed steps. A field that a package does not have yet (it makes some of them in
its first step) is not there. The metadata holds the settings of each case as JSON, in the names of
the oracle's rules, and "made_with".
"""

import json
import os
import sys

import jax
import numpy as np
import optax
import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from oracle import tensorfile  # noqa: E402 (the oracle lies beside this folder)

jax.config.update("jax_enable_x64", True)

SHAPES = {"a": (7,), "b": (3, 5)}
SEED = 0
STEPS = 8
# What the packages call the oracle's fields.
FIELDS = {
    "momentum_buffer": "b",
    "exp_avg": "m",
    "exp_avg_sq": "v",
    "max_exp_avg_sq": "vmax",
    "mu": "m",
    "nu": "v",
}


def torch_cases():
    """(case, class of torch.optim, the class's settings)"""
    optim = torch.optim
    yield "torch.sgd", optim.SGD, dict(lr=0.05)
    yield "torch.sgd.momentum", optim.SGD, dict(lr=0.05, momentum=0.9)
    yield "torch.sgd.dampening_decay", optim.SGD, dict(
        lr=0.05, momentum=0.9, dampening=0.3, weight_decay=0.02
    )
    yield "torch.sgd.nesterov_decay", optim.SGD, dict(
        lr=0.05, momentum=0.9, nesterov=True, weight_decay=0.02
    )
    yield "torch.sgd.maximize", optim.SGD, dict(
        lr=0.05, momentum=0.8, maximize=True, weight_decay=0.02
    )
    yield "torch.adam", optim.Adam, dict(lr=0.01)
    yield "torch.adam.l2", optim.Adam, dict(lr=0.01, weight_decay=0.1, betas=(0.8, 0.95))
    yield "torch.adam.amsgrad", optim.Adam, dict(lr=0.01, amsgrad=True, eps=1e-6, betas=(0.9, 0.5))
    yield "torch.adamw", optim.AdamW, dict(lr=0.01, weight_decay=0.1)
    yield "torch.adamw.amsgrad_maximize", optim.AdamW, dict(
        lr=0.01, weight_decay=0.1, amsgrad=True, maximize=True, betas=(0.9, 0.6)
    )


def optax_cases():
    """(case, transformation, the oracle's settings)"""
    yield "optax.lion", optax.lion(0.01, b1=0.9, b2=0.99, weight_decay=0.1), dict(
        rule="lion", lr=0.01, beta1=0.9, beta2=0.99, weight_decay=0.1
    )
    yield "optax.lamb", optax.lamb(0.01, weight_decay=0.1), dict(
        rule="lamb", lr=0.01, weight_decay=0.1, eps=1e-6
    )
    clipped = optax.chain(optax.clip_by_global_norm(0.5), optax.adam(0.01))
    yield "optax.clip_by_global_norm+adam", clipped, dict(
        rule="adam", lr=0.01, max_norm=0.5, clip_epsilon=0.0
    )


def oracle_settings(kind, settings):
    """torch's keyword arguments in the oracle's names."""
    settings = {"rule": kind.__name__.lower(), **settings}
    if "betas" in settings:
        settings["beta1"], settings["beta2"] = settings.pop("betas")
    return settings


def rounded(x):
    return np.asarray(x, np.float64).astype(np.float32).astype(np.float64)


def draw():
    """The weights and the gradients of every step."""
    generator = np.random.default_rng(SEED)
    weights = {name: rounded(generator.standard_normal(s)) for name, s in SHAPES.items()}
    gradients = [
        {
            name: rounded(generator.standard_normal(s) * 10.0 ** generator.integers(-3, 2))
            for name, s in SHAPES.items()
        }
        for _ in range(STEPS)
    ]
    return weights, gradients


class Recorder:
    def __init__(self):
        self.tensors, self.metadata = {}, {}

    def put(self, dtype, name, x):
        x = np.asarray(x, np.float64)
        self.tensors[name] = tensorfile.Tensor.of(dtype, x.shape, x.ravel().tolist())

    def put_state(self, dtype, prefix, state):
        """state: ((field, tensor), array) pairs."""
        for (field, tensor), x in state:
            self.put(dtype, f"{prefix}/{field}/{tensor}", x)


def run_torch(case, kind, settings, weights, gradients, record):
    parameters = {
        name: torch.nn.Parameter(torch.tensor(w, dtype=torch.float64))
        for name, w in weights.items()
    }
    optimizer = kind(parameters.values(), **settings)

    def state():
        for name, p in parameters.items():
            yield ("w", name), p.detach().numpy()
            for key, x in optimizer.state[p].items():
                if key in FIELDS and x is not None:
                    yield (FIELDS[key], name), x.numpy()

    for t in range(STEPS):
        for name, p in parameters.items():
            p.data = torch.tensor(rounded(p.detach().numpy()))
            p.grad = torch.tensor(gradients[t][name])
            kept = optimizer.state.get(p, {})
            for key in kept.keys() & FIELDS.keys():
                if kept[key] is not None:
                    kept[key] = torch.tensor(rounded(kept[key].numpy()))
        record.put_state("F32", f"{case}/{t}/in", state())
        optimizer.step()
        record.put_state("F64", f"{case}/{t}/out", state())


def run_optax(case, transformation, weights, gradients, record):
    parameters = {name: jax.numpy.asarray(w) for name, w in weights.items()}
    kept = transformation.init(parameters)

    def state():
        for name, w in parameters.items():
            yield ("w", name), w
        for path, x in jax.tree_util.tree_flatten_with_path(kept)[0]:
            keys = [str(getattr(k, "name", getattr(k, "key", ""))) for k in path]
            for field in FIELDS.keys() & set(keys):
                yield (FIELDS[field], keys[-1]), x

    def narrow(x):
        floating = jax.numpy.issubdtype(x.dtype, jax.numpy.floating)
        return jax.numpy.asarray(rounded(x)) if floating else x

    for t in range(STEPS):
        parameters, kept = jax.tree_util.tree_map(narrow, (parameters, kept))
        record.put_state("F32", f"{case}/{t}/in", state())
        gradient = {name: jax.numpy.asarray(g) for name, g in gradients[t].items()}
        updates, kept = transformation.update(gradient, kept, parameters)
        parameters = optax.apply_updates(parameters, updates)
        record.put_state("F64", f"{case}/{t}/out", state())


def main(path):
    weights, gradients = draw()
    record = Recorder()
    for t, step in enumerate(gradients):
        for name, g in step.items():
            record.put("F32", f"grad/{t}/{name}", g)
    for case, kind, settings in torch_cases():
        record.metadata[case] = json.dumps(oracle_settings(kind, settings))
        run_torch(case, kind, settings, weights, gradients, record)
    for case, transformation, settings in optax_cases():
        record.metadata[case] = json.dumps(settings)
        run_optax(case, transformation, weights, gradients, record)
    versions = (
        f"torch {torch.__version__.split('+')[0]}, jax {jax.__version__}, optax {optax.__version__}"
    )
    record.metadata["made_with"] = versions
    tensorfile.write(path, record.tensors, record.metadata)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
