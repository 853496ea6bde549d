# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One step of the published optimizers in float64, constants included, from a given state.

A state is {"t": completed steps, "w": {TENSOR: values}, FIELD: {TENSOR: values}, …}; "t" may also
be {TENSOR: steps}. A rule's `step` gives the next state and, in the same shape, the largest term
that went into the sum of every value, those that it was computed from included: an f32
implementation is held to `bounds` ulps of that. Settings are numbers, or {TENSOR: number} for
parameter groups.
"""

import math

from .rounding import error_in_ulps, to_f32
from .terms import Term


class Rule:
    """What every rule shares: settings by tensor, the walk over tensors, the counter."""

    defaults = {}
    fields = ()
    bounds = {"w": 12.0, "m": 4.0, "b": 4.0, "v": 6.0, "vmax": 6.0}  # in ulps

    def start(self, weights):
        """The state before the first step, everything but the weights zero."""
        state = {
            field: {name: [0.0] * len(w) for name, w in weights.items()} for field in self.fields
        }
        return {"t": 0, "w": {name: list(w) for name, w in weights.items()}, **state}

    def step(self, state, gradients, **settings):
        """The state after a step on unscaled gradients, and the largest terms behind it."""
        unknown = settings.keys() - self.defaults.keys()
        if unknown:
            raise ValueError(
                f"expected settings out of {sorted(self.defaults)}, got {sorted(unknown)}"
            )
        settings = {**self.defaults, **settings}
        gradients = self.prepare(gradients, settings)
        after, largest = {"t": self._advance(state["t"])}, {}
        for name, w in state["w"].items():
            h = {key: s[name] if isinstance(s, dict) else s for key, s in settings.items()}
            t = after["t"][name] if isinstance(after["t"], dict) else after["t"]
            fields = {field: state[field][name] for field in self.fields if field in state}
            for field, terms in self.tensor(w, gradients[name], fields, t, h).items():
                after.setdefault(field, {})[name] = [x.value for x in terms]
                largest.setdefault(field, {})[name] = [x.largest for x in terms]
        return after, largest

    @staticmethod
    def _advance(t):
        return {name: steps + 1 for name, steps in t.items()} if isinstance(t, dict) else t + 1

    def prepare(self, gradients, settings):
        return gradients

    def tensor(self, w, g, fields, t, h):
        """{FIELD: terms} of one tensor; t counts this step."""
        raise NotImplementedError


def descent(w, g, h):
    """The direction before any moment: the sign for maximising first, then coupled decay."""
    terms = [Term(-x if h.get("maximize") else x) for x in g]
    decay = h.get("coupled_decay", 0.0)
    return [d + decay * Term(x) for d, x in zip(terms, w)] if decay else terms


def moving(old, factor, new):
    """An exponential moving average."""
    return [factor * Term(m) + (1.0 - factor) * d for m, d in zip(old, new)]


def squared(terms):
    return [d * d for d in terms]


def corrected(beta, t):
    """The bias correction 1 - beta^t."""
    return 1.0 - beta**t


class SGD(Rule):
    """torch.optim.SGD. The first applied step sets the momentum buffer to the direction itself,
    without dampening; without momentum there is no buffer."""

    defaults = dict(
        lr=1e-3, momentum=0.0, dampening=0.0, weight_decay=0.0, nesterov=False, maximize=False
    )
    fields = ("b",)

    def tensor(self, w, g, fields, t, h):
        mu, result = h["momentum"], {}
        direction = descent(w, g, {**h, "coupled_decay": h["weight_decay"]})
        if mu:
            b = (
                direction
                if t == 1
                else [
                    mu * Term(b) + (1.0 - h["dampening"]) * d
                    for b, d in zip(fields["b"], direction)
                ]
            )
            direction = [d + mu * b for d, b in zip(direction, b)] if h["nesterov"] else b
            result["b"] = b
        result["w"] = [x - h["lr"] * d for x, d in zip(map(Term, w), direction)]
        return result


class Adam(Rule):
    """torch.optim.Adam: Kingma and Ba 2015, with coupled decay; amsgrad after Reddi et al. 2018, on
    the uncorrected second moment."""

    defaults = dict(
        lr=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.0, amsgrad=False, maximize=False
    )
    fields = ("m", "v", "vmax")
    decoupled = False

    def tensor(self, w, g, fields, t, h):
        d = descent(w, g, h if self.decoupled else {**h, "coupled_decay": h["weight_decay"]})
        result = {
            "m": moving(fields["m"], h["beta1"], d),
            "v": moving(fields["v"], h["beta2"], squared(d)),
        }
        second = result["v"]
        if h["amsgrad"]:
            second = result["vmax"] = [v.maximum(Term(z)) for v, z in zip(second, fields["vmax"])]
        rate = h["lr"] / corrected(h["beta1"], t)
        root = math.sqrt(corrected(h["beta2"], t))
        decay = h["lr"] * h["weight_decay"] if self.decoupled else 0.0
        result["w"] = [
            Term(x) - decay * Term(x) - rate * m / (z.sqrt() / root + h["eps"])
            for x, m, z in zip(w, result["m"], second)
        ]
        return result


class AdamW(Adam):
    """torch.optim.AdamW: Loshchilov and Hutter 2019, the decay times the learning rate."""

    defaults = {**Adam.defaults, "weight_decay": 0.01}
    decoupled = True


class Lion(Rule):
    """Chen et al. 2023, as optax.lion; the sign of zero is zero."""

    defaults = dict(lr=1e-4, beta1=0.9, beta2=0.99, weight_decay=0.0, maximize=False)
    fields = ("m",)

    def tensor(self, w, g, fields, t, h):
        d = descent(w, g, h)
        decay = h["lr"] * h["weight_decay"]
        step = [c.sign() for c in moving(fields["m"], h["beta1"], d)]
        return {
            "m": moving(fields["m"], h["beta2"], d),
            "w": [Term(x) - decay * Term(x) - h["lr"] * s for x, s in zip(w, step)],
        }


class LAMB(Rule):
    """You et al. 2020. The trust ratio is taken per tensor, with the norm of the weights before the
    step, and is 1 where either norm is 0.

    `always_adapt` (as optax.lamb) uses it whatever the decay; without it (as timm and Apex) only
    where there is decay. `max_grad_norm`, if not 0, divides all gradients by max(1, N /
    max_grad_norm) first, N the norm over all tensors. Without `grad_averaging` the gradient enters
    m with factor 1.
    """

    defaults = dict(
        lr=1e-3,
        beta1=0.9,
        beta2=0.999,
        eps=1e-6,
        weight_decay=0.0,
        max_grad_norm=0.0,
        grad_averaging=True,
        always_adapt=True,
        maximize=False,
    )
    fields = ("m", "v")
    bounds = {**Rule.bounds, "w": 32.0}

    def prepare(self, gradients, settings):
        limit = settings["max_grad_norm"]
        if not limit:
            return gradients
        total = math.sqrt(math.fsum(x * x for g in gradients.values() for x in g))
        return {name: [x / max(1.0, total / limit) for x in g] for name, g in gradients.items()}

    def tensor(self, w, g, fields, t, h):
        d = descent(w, g, h)
        added = 1.0 - h["beta1"] if h["grad_averaging"] else 1.0
        m = [h["beta1"] * Term(old) + added * new for old, new in zip(fields["m"], d)]
        v = moving(fields["v"], h["beta2"], squared(d))
        c1, c2 = corrected(h["beta1"], t), corrected(h["beta2"], t)
        u = [
            (a / c1) / ((b / c2).sqrt() + h["eps"]) + h["weight_decay"] * Term(x)
            for a, b, x in zip(m, v, w)
        ]
        rate = h["lr"] * self.trust_ratio(w, [x.value for x in u], h)
        return {"m": m, "v": v, "w": [Term(x) - rate * y for x, y in zip(w, u)]}

    @staticmethod
    def trust_ratio(w, u, h):
        if not (h["weight_decay"] or h["always_adapt"]):
            return 1.0
        weight, update = (math.sqrt(math.fsum(x * x for x in values)) for values in (w, u))
        return weight / update if weight > 0.0 and update > 0.0 else 1.0


RULES = {"sgd": SGD(), "adam": Adam(), "adamw": AdamW(), "lion": Lion(), "lamb": LAMB()}


def narrowed(state):
    """The state as f32 storage holds it."""
    return {
        field: (
            {name: [to_f32(x) for x in values] for name, values in tensors.items()}
            if field != "t"
            else tensors
        )
        for field, tensors in state.items()
    }


def differences(rule, got, want, largest):
    """What of `got`, an f32 state, is further from `want` than the rule's bounds: (field, tensor,
    element, got, want, ulps) each. Only fields that the step computes are looked at."""
    found = []
    for field, tensors in largest.items():
        for name, scale in tensors.items():
            for i, (a, b, term) in enumerate(
                zip(got[field][name], want[field][name], scale, strict=True)
            ):
                ulps = error_in_ulps(a, b, term)
                if ulps > rule.bounds[field]:
                    found.append((field, name, i, a, b, ulps))
    return found
