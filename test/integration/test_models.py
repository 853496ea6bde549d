# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several models in a step, values by tensor, counters by tensor, clipping by value."""

import math
import random
import unittest

from harness import Bench, Tensor

from oracle import contract
from oracle.optimizers import RULES, differences
from oracle.rounding import to_f32

TWO = """
!eg = !amp.tensors<@encoder x f16>
!ew = !amp.tensors<@encoder x f32>
!dg = !amp.tensors<@decoder x bf16>
!dw = !amp.tensors<@decoder x f32>
amp.model @encoder
amp.model @decoder
amp.scaler @s by @pytorch {init = 8.0}
amp.state @we : !ew = 0.0
amp.state @wd : !dw = 0.0
amp.optimizer @oe by @sgd over @encoder {lr = 1.0, has_momentum = false}
amp.optimizer @od by @sgd over @decoder {lr = 1.0, has_momentum = false}
amp.step @train(%e: !eg {amp.scaled_by = [@s]}, %d: !dg {amp.scaled_by = [@s]}) {
  %ue = amp.unscale %e by @s : !eg -> !ew
  %ud = amp.unscale %d by @s : !dg -> !dw
  %n = amp.norm %ue, %ud : !ew, !dw
  %ok = amp.is_finite %ue, %ud : !ew, !dw
  amp.log "norm", %n : f64
  %we = amp.read @we : !ew
  %wd = amp.read @wd : !dw
  %we1, %oe1 = amp.apply @oe(%we, %ue) : (!ew, !ew) -> (!ew)
  %wd1, %od1 = amp.apply @od(%wd, %ud) : (!dw, !dw) -> (!dw)
  amp.update @s, %ok
  amp.commit %we1 to @we, %oe1 to @oe, %wd1 to @wd, %od1 to @od when %ok
    : !ew, !amp.next<@oe>, !dw, !amp.next<@od>
}
"""
# Two flags in one step: each optimizer is skipped on its own.
OWN_FLAGS = (
    TWO.replace(
        "%ok = amp.is_finite %ue, %ud : !ew, !dw",
        """%oke = amp.is_finite %ue : !ew
  %okd = amp.is_finite %ud : !dw
  %ok = arith.andi %oke, %okd : i1""",
    )
    .replace(
        """%oe1 to @oe, %wd1 to @wd, %od1 to @od when %ok
    : !ew, !amp.next<@oe>, !dw, !amp.next<@od>""",
        """%oe1 to @oe when %oke : !ew, !amp.next<@oe>
  amp.commit %wd1 to @wd, %od1 to @od when %okd : !dw, !amp.next<@od>""",
    )
)
GROUPS = """
!w = !amp.tensors<@model x f32>
amp.model @model
amp.state @w : !w = required
amp.per_tensor @decay : f64 over @model ["*.bias" = 0.0, "head.*" = 0.5, "*" = 0.125]
amp.optimizer @opt by @adamw over @model {lr = 0.01, weight_decay = @decay COUNTER}
amp.step @train(%g: !w) {
  %w = amp.read @w : !w
  %ok = amp.is_finite %g : !w
  %w1, %o1 = amp.apply @opt(%w, %g) : (!w, !w) -> (!w)
  amp.commit %w1 to @w, %o1 to @opt when %ok : !w, !amp.next<@opt>
}
"""
CLIP = """
!g = !amp.tensors<@model x f16>
!w = !amp.tensors<@model x f32>
amp.model @model
amp.state @w : !w = 0.0
amp.step @train(%g: !g, %limit: f64) {
  %f = amp.cast %g : !g to !w
  %c = amp.clip_by_value %f limit(%limit) : !w
  amp.commit %c to @w always : !w
}
"""


def f32(values):
    return [to_f32(x) for x in values]


class Models(unittest.TestCase):
    def setUp(self):
        self.bench = self.enterContext(Bench())
        draw = random.Random(1)
        self.e = {n: [draw.gauss(0, 5) for _ in range(k)] for n, k in (("a", 40), ("b", 16390))}
        self.d = {n: [draw.gauss(0, 5) for _ in range(k)] for n, k in (("a", 3), ("z", 300))}

    def lists(self, spoil=None):
        e = {n: Tensor.of("F16", (len(v),), v) for n, v in self.e.items()}
        d = {n: Tensor.of("BF16", (len(v),), v) for n, v in self.d.items()}
        if spoil:
            d["z"] = Tensor.of("BF16", (300,), [*self.d["z"][:-1], spoil])
        return {"e": e, "d": d}

    def test_norm_and_flag_over_two_models(self):
        lists = self.lists()
        run = self.bench.run(TWO, bind=lists).expect(0)
        models = [
            {n: contract.unscale(t.values, 8.0) for n, t in lists[key].items()} for key in "ed"
        ]
        # Each list is folded alone, then they combine in operand order.
        self.assertEqual(run.log[0]["log"]["norm"], contract.norm(models))
        for name, model in zip(("we", "wd"), models):
            for tensor, values in model.items():
                self.assertEqual(run.list(name)[tensor].values, [-x for x in values])
        run = self.bench.run(TWO, bind=self.lists(spoil=math.nan)).expect(0)
        self.assertEqual(run.applied, [False])
        (cause,) = run.log[0]["cause"]
        self.assertIn("gradient", cause)
        self.assertFalse(any(any(t.data) for n in ("we", "wd") for t in run.list(n).values()))

    def test_a_flag_for_each_optimizer(self):
        run = self.bench.run(OWN_FLAGS, bind=self.lists(spoil=math.inf)).expect(0)
        self.assertEqual(run.applied, [False])
        self.assertEqual(run.scalar("s.scale"), 4.0)
        self.assertFalse(any(any(t.data) for t in run.list("wd").values()))
        want = {n: contract.unscale(t.values, 8.0) for n, t in self.lists()["e"].items()}
        for name, values in want.items():
            self.assertEqual(run.list("we")[name].values, [-x for x in values])

    def groups(self, counter):
        names = ("body.bias", "body.weight", "head.bias", "head.weight")
        decays = dict(zip(names, (0.0, 0.125, 0.0, 0.5)))
        draw = random.Random(2)
        w, g = ({n: f32(draw.gauss(0, 1) for _ in range(37)) for n in names} for _ in range(2))
        bind = {
            key: {n: Tensor.of("F32", (37,), v) for n, v in lists.items()}
            for key, lists in (("w", w), ("g", g))
        }
        module = GROUPS.replace("COUNTER", counter)
        run = self.bench.run(module, bind=bind).expect(0)
        rule = RULES["adamw"]
        state, largest = rule.step(rule.start(w), g, lr=0.01, weight_decay=decays)
        got = {
            f: {n: t.values for n, t in run.list("w" if f == "w" else f"opt.{f}").items()}
            for f in ("w", "m", "v")
        }
        self.assertFalse(differences(rule, got, state, largest))
        return module, bind, run

    def test_decay_by_pattern(self):
        _, bind, run = self.groups("")
        self.assertEqual(run.scalar("opt.t"), 1)
        unmatched = self.bench.run(
            GROUPS.replace("COUNTER", "").replace(', "*" = 0.125', ""), bind=bind
        )
        unmatched.expect(1, "body.weight")

    def test_counter_by_tensor(self):
        module, bind, run = self.groups(', counter = "tensor"')
        counts = {n: t.item for n, t in run.list("opt.t").items()}
        self.assertEqual(counts, dict.fromkeys(bind["w"], 1))
        again = self.bench.run(module, bind={"g": bind["g"]}, load=run.state_file).expect(0)
        self.assertEqual({t.item for t in again.list("opt.t").values()}, {2})

    def test_clip_by_value(self):
        inf, nan = math.inf, math.nan
        values = [-3.0, -0.5, -0.0, 0.25, 0.1, inf, -inf, nan, 2.0]
        g = {"p": Tensor.of("F16", (len(values),), values)}
        run = self.bench.run(CLIP, bind={"g": g}, set={"limit": 0.3}).expect(0)
        limit = to_f32(0.3)
        want = [x if math.isnan(x) else max(-limit, min(limit, x)) for x in g["p"].values]
        self.assertEqual(run.list("w")["p"], Tensor.of("F32", (len(want),), want))


if __name__ == "__main__":
    unittest.main()
