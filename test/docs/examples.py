# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints every example of the reference pages as a module of its own, for sawtooth-opt
--split-input-file.

    examples.py PAGE.md…

An example is a block that is marked mlir. One with an ellipsis (…) in it is an outline and is left
out. Examples may use what PRELUDE declares, and values, which stand in a step, also what STEP has,
without saying it again.
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


def module(block):
    """The example with what it takes to stand alone."""
    defined = set(
        re.findall(r"^amp\.(?:model|state|per_tensor|scaler|optimizer) @(\w+)", block, re.M)
    )
    lines = [line for name, line in PRELUDE.items() if name not in defined]
    if not MODULE_LEVEL.search(block):
        results = set(re.findall(r"%(\w+)", " ".join(re.findall(r"^ *(%.*?) =", block, re.M))))
        arguments = ", ".join(
            f"%{name}: {type}" for name, type in STEP.items() if name not in results
        )
        block = f"amp.step @example({arguments}) {{\n{block}}}\n"
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
