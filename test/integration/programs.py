# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the steps that tests run, in the settings of the oracle (PyTorch's names)."""

# The oracle's settings of a scaler, as the policies call them.
POLICY_NAMES = {"scale": "init", "growth_factor": "growth", "backoff_factor": "backoff"}


def literal(x):
    """A number as MLIR writes it: floats need a point, integers and truth values none."""
    if isinstance(x, bool):
        return "true" if x else "false"
    text = repr(x)
    mantissa, exponent, power = text.partition("e")
    if isinstance(x, float) and "." not in mantissa:
        mantissa += ".0"
    return mantissa + exponent + power


def dictionary(settings):
    inner = ", ".join(f"{name} = {literal(value)}" for name, value in settings.items())
    return f"{{{inner}}}"


def scaler(settings):
    settings = dict(settings)
    mode = settings.pop("mode", "pytorch")
    named = {POLICY_NAMES.get(name, name): value for name, value in settings.items()}
    return f"amp.scaler @s by @{mode} {dictionary(named)}"


def step(
    rule=None,
    settings=None,
    scale=None,
    gradients="f16",
    copy=None,
    max_norm=None,
    clip_epsilon=1e-6,
    micro=False,
    fastmath=False,
):
    """A module with the step @train over the argument `g` and the states `w`, `opt`, `s`.

    rule, settings: of the optimizer; without a rule the step only takes the norm.
    scale: the scaler's settings. gradients, copy: element types. max_norm: clips.
    micro: gradients are accumulated by @accumulate in `acc`, which @train uses and zeroes.
    fastmath: the user multiplies by one under fast-math flags before all tests.
    The norm of the unscaled gradients is logged as "norm".
    """
    lines = [
        f"!g = !amp.tensors<@model x {gradients}>",
        "!w = !amp.tensors<@model x f32>",
        "amp.model @model",
        scaler(scale or {}),
    ]
    if rule:
        lines.append("amp.state @w : !w = required")
        lines.append(f"amp.optimizer @opt by @{rule} over @model {dictionary(settings or {})}")
    if copy:
        lines.append(f"amp.state @h : !amp.tensors<@model x {copy}> copy_of @w")
    source, kind = ("%acc", "!w") if micro else ("%g", "!g")
    if micro:
        lines += [
            "amp.state @acc : !w = 0.0 scaled_by [@s]",
            "amp.step @accumulate(%g: !g {amp.scaled_by = [@s]}) {",
            "  %acc = amp.read @acc : !w",
            "  %sum = amp.map(%acc, %g) : (!w, !g) -> !w {",
            "  ^bb0(%x: f32, %y: f32):",
            "    %z = arith.addf %x, %y : f32",
            "    amp.yield %z : f32",
            "  }",
            "  amp.commit %sum to @acc always : !w",
            "}",
        ]
    arguments = [] if micro else ["%g: !g {amp.scaled_by = [@s]}"]
    if max_norm is not None:
        arguments.append(f"%max: f64 {{amp.default = {literal(float(max_norm))}}}")
    lines.append(f"amp.step @train({', '.join(arguments)}) {{")
    if micro:
        lines.append("  %acc = amp.read @acc : !w")
    lines.append(f"  %u{'0' if fastmath else ''} = amp.unscale {source} by @s : {kind} -> !w")
    if fastmath:
        lines += [
            "  %u = amp.map(%u0) : (!w) -> !w {",
            "  ^bb0(%x: f32):",
            "    %one = arith.constant 1.0 : f32",
            "    %y = arith.mulf %x, %one fastmath<fast> : f32",
            "    amp.yield %y : f32",
            "  }",
        ]
    lines += [
        "  %n = amp.norm %u : !w",
        '  amp.log "norm", %n : f64',
        "  %ok = amp.is_finite %u, %n : !w, f64",
    ]
    gradient = "%u"
    if max_norm is not None:
        epsilon = "" if clip_epsilon == 1e-6 else f" {{eps = {literal(float(clip_epsilon))}}}"
        lines.append(f"  %c = amp.clip_by_norm %u, %n max(%max){epsilon} : !w")
        gradient = "%c"
    if rule:
        lines += [
            "  %w = amp.read @w : !w",
            f"  %w1, %o1 = amp.apply @opt(%w, {gradient}) : (!w, !w) -> (!w)",
        ]
    lines.append("  amp.update @s, %ok")
    if rule:
        lines.append("  amp.commit %w1 to @w, %o1 to @opt when %ok : !w, !amp.next<@opt>")
    if micro:
        lines += [
            "  %zero = amp.map(%acc) : (!w) -> !w {",
            "  ^bb0(%x: f32):",
            "    %z = arith.constant 0.0 : f32",
            "    amp.yield %z : f32",
            "  }",
            "  amp.commit %zero to @acc always : !w",
        ]
    lines.append("}")
    return "\n".join(lines) + "\n"
