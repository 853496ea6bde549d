# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints every example of the reference pages as a module of its own, for sawtooth-opt
--split-input-file.

    examples.py PAGE.md…

An example is a block that is marked mlir. One with an ellipsis (…) in it is an outline and is left
out. Examples may use what a prelude declares, and values, which stand in a step, also what the step
has, without saying it again. One of a sweep op stands in what may hold that op.
"""

import re
import sys

ALIASES = """\
!half = !amp.tensors<@model x f16>
!full = !amp.tensors<@model x f32>
"""

PRELUDE = {
    "model": "amp.model @model",
    "s": "amp.scaler @s by @pytorch",
    "w": "amp.state @w : !full = required",
    "h": "amp.state @h : !half copy_of @w",
    "opt": "amp.optimizer @opt by @sgd over @model",
}

STEP = {
    "g": "!half {amp.scaled_by = [@s]}",
    "u": "!full",
    "lr": "f64",
    "max": "f64",
    "ok": "i1",
}

SWEEP_PRELUDE = {
    "model": "amp.model @model",
    "s": 'sweep.scaler @s "pytorch"',
    "s.scale": "sweep.field state @s.scale : f32 role scale {init = 1.0 : f32, scaler = @s}",
    "opt.t": "sweep.field state @opt.t : i64 {init = 0 : i64}",
    "w": 'sweep.list state @w : !full {label = "w", init = #amp.required}',
    "h": 'sweep.list state @h : !half {label = "h", copy_of = @w}',
    "acc": 'sweep.list state @acc : !full {label = "acc", init = 0.0 : f32}',
    "train.g": 'sweep.list argument @train.g : !half {label = "g", step = @train}',
    "train.packed": 'sweep.list scratch @train.packed : !half {label = "packed", step = @train}',
}

SWEEP_STEP = {
    "x": "tensor<64x64xf16>",
    "y": "tensor<64xi32>",
    "s": "f32",
    "k": "f32",
    "w1": "f32",
    "h1": "f16",
    "square": "f32",
    "loss": "f32",
    "ok": "i1",
    "bad": "i1",
    "t1": "i64",
    "causes": "i64",
}

# What the forward part of a step is outlined to, and the step that calls it.
FORWARD = (
    "func.func private @train.model(tensor<64x64xf16>, tensor<64xi32>, tensor<64x10xf16>, f32)"
    " -> (tensor<64x10xf16>, tensor<1xf32>)\n"
)

# Around an example whose first op is this one; {} is the example. Others stand in an uncut step.
PROGRAM = "sweep.scalar @program {{\n{}}}\n"
SUMS = """\
%{} = sweep.pass over @model reads [@w] writes [] [] [#sweep.reduction<add over tensor>] {{
^bb0(%element: f32):
  sweep.leave reduce(%element : f32)
}} : !sweep.per_tensor<@model x f64>
"""
END = "sweep.scalar @final {{\n}}\n"
CUT = {
    "scalar": "{}" + END,
    "pass": "{}" + END,
    "each": SUMS.format("sum").replace("{", "{{").replace("}", "}}") + PROGRAM,
    "fold": SUMS.format("sums").replace("{", "{{").replace("}", "}}") + PROGRAM,
    "yield": PROGRAM.rstrip() + " : i1, f32\n" + END,
    "leave": "sweep.pass over @model reads [] writes [@w, @h] [-1, -1] [#sweep.reduction<add over "
    "step>] {{\n{}}} : f64\n" + END,
}

MODULE_LEVEL = re.compile(
    r"^([!#]\w+ =|(amp\.(model|state|per_tensor|scaler|optimizer|import|rule|step|program|run)"
    r"|sweep\.(list|field|scaler|step)|func\.func)\b)",
    re.M,
)


def examples(text):
    """(line, block) of every example that is complete."""
    for match in re.finditer(r"^```mlir\n(.*?)^```$", text, re.M | re.S):
        if "…" not in match[1]:
            yield text.count("\n", 0, match.start()) + 2, match[1]


def missing(prelude, block):
    """The lines of a prelude for what the example does not define itself."""
    defined = re.findall(
        r"^(?:amp\.(?:model|state|per_tensor|scaler|optimizer)"
        r"|sweep\.(?:list|field|scaler)(?: [a-z]+)?) @([\w.]+)",
        block,
        re.M,
    )
    return [line for name, line in prelude.items() if name not in defined]


def arguments(values, block):
    """The arguments of a step for what the example does not compute itself."""
    places = re.findall(r"^ *(%.*?) =|^\^\w+\((.*)\):$", block, re.M)
    results = set(re.findall(r"%(\w+)", str(places)))
    return ", ".join(f"%{name}: {type}" for name, type in values.items() if name not in results)


def module(block):
    """The example with what it takes to stand alone."""
    sweep = re.search(r"\bsweep\.(\w+)", block)
    lines = missing(SWEEP_PRELUDE if sweep else PRELUDE, block)
    if MODULE_LEVEL.search(block):
        if sweep and "@train(" not in block:
            block += "sweep.step @train() {\n}\n"
    elif sweep:
        cut = CUT.get(sweep[1])
        head = f"sweep.step @train({arguments(SWEEP_STEP, block)}) attributes "
        head += "{commits, cut}" if cut else "{commits}"
        block = f"{head} {{\n{cut.format(block) if cut else block}}}\n"
        if sweep[1] == "forward":
            block = FORWARD + block
    else:
        block = f"amp.step @example({arguments(STEP, block)}) {{\n{block}}}\n"
    return ALIASES + "\n".join(lines) + "\n" + block


def main(pages):
    chunks = []
    for page in pages:
        with open(page, encoding="utf-8") as file:
            for line, block in examples(file.read()):
                chunks.append(f"// {page}:{line}\n" + module(block))
    if not chunks:
        sys.exit(f"expected examples in {' '.join(pages)}, got none")
    print("\n// -----\n\n".join(chunks))


if __name__ == "__main__":
    main(sys.argv[1:])
