# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reductions of the numerics contract, bit for bit.

A chunk is C consecutive elements of one tensor. Element e of it goes to lane e mod L; a lane starts
at +0.0 and adds in ascending e, in f32; the lanes fold by halving in f32 and widen to f64. The
chunks of a tensor, the tensors of a model (by the byte order of their names) and the models follow
in f64.
"""

import math
import operator
from array import array

from .rounding import to_f32

CHUNK = 16384
LANES = 256


def f32s(values):
    """An array of f32: `array` narrows as a C cast does, to nearest even, overflow to infinity."""
    return array("f", values)


def unscale(gradients, scale):
    """f32(g) * r for every element, r = f32(1 / f64(S))."""
    factor = reciprocal(scale)
    return f32s(g * factor for g in gradients)


def reciprocal(scale):
    """The factor that unscaling multiplies by; infinite for a scale of zero."""
    return to_f32(1.0 / scale) if scale else math.copysign(math.inf, scale)


def halve(lanes, combine=operator.add):
    """Folds a power of two of lanes: the upper half onto the lower one until a single lane is left.
    An `array` of f32 rounds every partial result, a list keeps f64."""
    while len(lanes) > 1:
        half = len(lanes) // 2
        folded = map(combine, lanes[:half], lanes[half:])
        lanes = array("f", folded) if isinstance(lanes, array) else list(folded)
    return lanes[0]


def _ascending(values, lanes, combine):
    """Value i onto lane i mod len(lanes), in ascending i."""
    width = len(lanes)
    for begin in range(0, len(values), width):
        row = values[begin : begin + width]
        lanes[: len(row)] = (
            type(lanes)("f", map(combine, lanes, row))
            if isinstance(lanes, array)
            else list(map(combine, lanes, row))
        )
    return halve(lanes, combine)


def fold_chunk(terms, combine=operator.add):
    """The f64 partial of one chunk from its f32 terms."""
    return float(_ascending(terms, f32s([0.0] * LANES), combine))


def fold_f64(partials, combine=operator.add):
    """The fold in f64: chunks of a tensor, and again tensors of a model."""
    return _ascending(list(partials), [0.0] * LANES, combine)


def reduce_tensor(values, term, combine=operator.add):
    """One tensor: `term` makes an array of f32 terms from a chunk of f32 values."""
    chunks = (values[begin : begin + CHUNK] for begin in range(0, len(values), CHUNK))
    return fold_f64((fold_chunk(term(chunk), combine) for chunk in chunks), combine)


def reduce_model(tensors, term, combine=operator.add):
    """{NAME: f32 values} of one model, whatever the order of the mapping."""
    names = sorted(tensors, key=str.encode)
    return fold_f64((reduce_tensor(f32s(tensors[name]), term, combine) for name in names), combine)


def reduce_models(models, term, combine=operator.add):
    """A list of models in module order. So are several lists of an op: in operand order."""
    total = 0.0
    for tensors in models:
        total = combine(total, reduce_model(tensors, term, combine))
    return total


def squares(values):
    return f32s(map(operator.mul, values, values))


def magnitudes(values):
    return f32s(map(abs, values))


def larger(a, b):
    """IEEE 754-2019 maximum: NaN wins."""
    return math.nan if math.isnan(a) or math.isnan(b) else max(a, b)


def norm(models, order=2.0):
    """The norm of one or several models' f32 values, in f64. Order 1, 2 or infinity."""
    if order == 1.0:
        return reduce_models(models, magnitudes)
    if order == 2.0:
        return math.sqrt(reduce_models(models, squares))
    if order == math.inf:
        return reduce_models(models, magnitudes, larger)
    raise ValueError(f"expected a norm of order 1, 2 or inf, got {order}")


def all_finite(gradients, scale=1.0):
    """The exact test of one tensor: no element is infinite or NaN, before or after unscaling."""
    return all(map(math.isfinite, gradients)) and all(map(math.isfinite, unscale(gradients, scale)))


def clip_factor(total, limit, epsilon=1e-6):
    """min(1, C / (N + epsilon)) in f64, as torch's clip_grad_norm_; optax and LAMB take 0."""
    divisor = total + epsilon
    return min(1.0, limit / divisor) if divisor else 1.0
