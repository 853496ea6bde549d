# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One training step's tail, by Sawtooth, by PyTorch and by JAX with optax: unscale, finite test,
clip to norm 1, AdamW, scaler update, on the same list of tensors, in turns, in one run.

    python3 benchmarks/compare.py [--tensors gpt2|COUNTxSIZE] [--gradients f32|f16|bf16]
                                  [--threads N] [--steps N] [--json]

What is not installed is said and left out. The others are measured as they are used: PyTorch's
GradScaler and clip_grad_norm_ around its optimizers with foreach, fused and torch.compile; optax's
chain of apply_if_finite, clip_by_global_norm and adamw under jit, with donated buffers. With 16-bit
gradients PyTorch holds 16-bit parameters, fp32 masters and copies between them, since its own
optimizers want gradients of their parameters' type; that is the loop of the mixed-precision recipe.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
STEPS = {"f32": "fp32.mlir", "f16": "step.mlir", "bf16": "bf16.mlir"}


def gpt2():
    """Radford et al. 2019: the 148 tensors of the smallest model."""
    width = 768
    shapes = [(50257, width), (1024, width)]
    for _ in range(12):
        shapes += [(width,), (width,), (width, 3 * width), (3 * width,), (width, width), (width,)]
        shapes += [
            (width,),
            (width,),
            (width, 4 * width),
            (4 * width,),
            (4 * width, width),
            (width,),
        ]
    return shapes + [(width,), (width,)]


def shapes_of(spec):
    if spec == "gpt2":
        return gpt2()
    count, _, size = spec.partition("x")
    return [(int(size),)] * int(count)


def timed(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


class Torch:
    """AdamW with GradScaler and clipping. `how`: foreach, fused or compiled."""

    def __init__(self, torch, how, shapes, gradients):
        self.torch, self.name = torch, f"torch {torch.__version__} {how}"
        kind = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}[gradients]
        generator = torch.Generator().manual_seed(0)
        draw = lambda shape: torch.rand(shape, generator=generator) * 2 - 1
        self.masters = [torch.nn.Parameter(draw(shape)) for shape in shapes]
        self.copies = None
        if gradients != "f32":
            self.copies = [p.detach().to(kind) for p in self.masters]
        self.scale = 65536.0
        self.raw = [draw(shape).to(kind) for shape in shapes]
        self.work = [torch.empty_like(p) for p in self.masters]
        # On the CPU the scaler multiplies by its scale as on a GPU.
        self.scaler = torch.amp.GradScaler("cpu", init_scale=self.scale, growth_interval=10**9)
        self.scaler.scale(torch.zeros(()))  # creates its tensors
        options = {"foreach": how != "fused", "fused": how == "fused"}
        self.optimizer = torch.optim.AdamW(self.masters, lr=1e-3, weight_decay=0.01, **options)
        self.step = self.plain
        if how == "compiled":
            self.step = self.compiled()

    def load(self):
        """Gradients as backward leaves them: raw for fp32, else widened copies of 16-bit ones."""
        self.torch._foreach_copy_(self.work, self.raw)
        for master, gradient in zip(self.masters, self.work):
            master.grad = gradient

    def plain(self):
        torch, scaler = self.torch, self.scaler
        scaler.unscale_(self.optimizer)
        torch.nn.utils.clip_grad_norm_(self.masters, 1.0, foreach=True)
        scaler.step(self.optimizer)
        scaler.update()
        if self.copies:
            with torch.no_grad():
                torch._foreach_copy_(self.copies, self.masters)

    def compiled(self):
        torch = self.torch
        # The scaler decides on the host, so what can be compiled is between its decisions.
        inner = torch.compile(lambda: self.optimizer.step(), fullgraph=False)

        def step():
            self.scaler.unscale_(self.optimizer)
            torch.nn.utils.clip_grad_norm_(self.masters, 1.0, foreach=True)
            found = sum(self.scaler._found_inf_per_device(self.optimizer).values())
            if not found.item():
                inner()
            self.scaler._per_optimizer_states[id(self.optimizer)]["stage"] = (
                torch.amp.grad_scaler.OptState.STEPPED
            )
            self.scaler.update()
            if self.copies:
                with torch.no_grad():
                    torch._foreach_copy_(self.copies, self.masters)

        return step

    def measure(self):
        """Seconds of a step. For fp32 the gradients are put in place outside; widening 16-bit ones
        is part of the step."""
        if self.copies:
            return timed(lambda: (self.load(), self.step()))
        self.load()
        return timed(self.step)


class Jax:
    """optax: clipping and AdamW behind apply_if_finite, gradients unscaled under the same jit."""

    def __init__(self, jax, optax, shapes, gradients):
        import jax.numpy as jnp

        self.jax, self.name = jax, f"jax {jax.__version__}, optax {optax.__version__}"
        kind = {"f32": jnp.float32, "f16": jnp.float16, "bf16": jnp.bfloat16}[gradients]
        keys = jax.random.split(jax.random.key(0), 2 * len(shapes))
        draw = lambda key, shape: jax.random.uniform(key, shape, minval=-1.0, maxval=1.0)
        self.weights = [draw(key, shape) for key, shape in zip(keys, shapes)]
        self.gradients = [draw(k, s).astype(kind) for k, s in zip(keys[len(shapes) :], shapes)]
        transform = optax.apply_if_finite(
            optax.chain(
                optax.clip_by_global_norm(1.0),
                optax.adamw(1e-3, weight_decay=0.01),
            ),
            max_consecutive_errors=10**9,
        )
        self.state = transform.init(self.weights)
        self.scale = jnp.float32(65536.0)
        copies = gradients != "f32"

        def step(weights, state, scale, gradients):
            unscaled = [g.astype(jnp.float32) / scale for g in gradients]
            updates, state = transform.update(unscaled, state, weights)
            weights = optax.apply_updates(weights, updates)
            scale = jnp.where(state.last_finite, scale, scale / 2)
            return weights, state, scale, [w.astype(kind) for w in weights] if copies else None

        self.step = jax.jit(step, donate_argnums=(0, 1, 2))

    def measure(self):
        def run():
            out = self.step(self.weights, self.state, self.scale, self.gradients)
            self.weights, self.state, self.scale, _ = self.jax.block_until_ready(out)

        return timed(run)


class Sawtooth:
    """`sawtooth bench` in a process of its own, a few steps a turn: its median stands for it."""

    def __init__(self, tool, options):
        self.name = "sawtooth"
        self.command = [
            tool,
            "bench",
            os.path.join(HERE, "../examples/adamw", STEPS[options.gradients]),
        ]
        self.command += ["--tensors", options.tensors, "--threads", str(options.threads)]
        self.command += ["--steps", "3", "--json"]

    def measure(self):
        done = subprocess.run(self.command, check=True, capture_output=True, text=True)
        report = json.loads(done.stdout)
        self.first = report["compile_seconds"] + report["first_step_seconds"]
        return report["seconds_per_step"]["median"]


def contestants(options, shapes):
    yield Sawtooth(options.sawtooth, options)
    try:
        import torch
    except ImportError as error:
        print(f"PyTorch is not installed: {error}", file=sys.stderr)
    else:
        torch.set_num_threads(options.threads)
        for how in ("foreach", "fused", "compiled"):
            if how in options.torch.split(","):
                yield Torch(torch, how, shapes, options.gradients)
    try:
        import jax
        import optax
    except ImportError as error:
        print(f"JAX with optax is not installed: {error}", file=sys.stderr)
    else:
        if options.jax:
            yield Jax(jax, optax, shapes, options.gradients)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--sawtooth", default=os.path.join(HERE, "../build/bin/sawtooth"))
    parser.add_argument("--tensors", default="gpt2", help="gpt2 or COUNTxSIZE")
    parser.add_argument("--gradients", default="f32", choices=STEPS)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--steps", type=int, default=10, help="turns")
    parser.add_argument("--torch", default="foreach,fused,compiled", help="ways to try")
    parser.add_argument("--jax", type=int, default=1, help="0 leaves JAX out")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    # JAX takes as many threads as it may run on.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: options.threads])

    shapes = shapes_of(options.tensors)
    parameters = sum(math.prod(shape) for shape in shapes)
    times, first, ready = {}, {}, []
    for contestant in contestants(options, shapes):
        try:
            # Compiles and touches memory.
            seconds = timed(contestant.measure)
            first[contestant.name] = getattr(contestant, "first", seconds)
            contestant.measure()
        except Exception as error:  # one that fails must not end the others' run
            print(f"{contestant.name}: left out: {error}", file=sys.stderr)
            continue
        ready.append(contestant)
        times[contestant.name] = []
    print("measuring", file=sys.stderr, flush=True)
    for _ in range(options.steps):
        for contestant in ready:
            times[contestant.name].append(contestant.measure())

    medians = {name: statistics.median(values) for name, values in times.items()}
    base = medians["sawtooth"]
    if options.json:
        report = {"parameters": parameters, "tensors": len(shapes), "threads": options.threads}
        report["gradients"] = options.gradients
        report["seconds_per_step"] = medians
        report["seconds_until_first_step"] = first
        report["ratio_to_sawtooth"] = {name: value / base for name, value in medians.items()}
        print(json.dumps(report, indent=2))
        return
    print(
        f"{parameters / 1e6:.1f} M parameters in {len(shapes)} tensors, "
        f"{options.gradients} gradients, "
        f"{options.threads} threads, medians of {options.steps}"
    )
    for name, value in medians.items():
        print(
            f"  {name:<32} {value * 1e3:9.2f} ms  {value / base:6.2f} x sawtooth"
            f"  (first step after {first[name]:.1f} s)"
        )


if __name__ == "__main__":
    main()
