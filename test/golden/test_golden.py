# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The oracle against the packages: it must reproduce every value they computed."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import golden  # noqa: E402
from oracle.optimizers import RULES  # noqa: E402
from oracle.rounding import to_f32  # noqa: E402
from oracle.scaler import Scaler  # noqa: E402

RELATIVE = 1e-14


class Golden(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cases = golden.load()

    def test_oracle_reproduces_the_packages(self):
        compared = 0
        for case in self.cases.values():
            rule = RULES[case.rule]
            for t, (before, after) in enumerate(zip(case.before, case.after)):
                state = rule.start({name: w.values for name, w in before["w"].items()})
                state["t"] = t
                for field, tensors in before.items():
                    state[field] = {name: x.values for name, x in tensors.items()}
                got, _ = rule.step(state, case.clipped(t), **case.settings)
                self.assertEqual(got["t"], t + 1)
                self.assertEqual(got.keys() - {"t"}, after.keys(), case.name)
                for field, tensors in after.items():
                    for name, tensor in tensors.items():
                        for a, b in zip(got[field][name], tensor.values, strict=True):
                            compared += 1
                            where = f"{case.name} step {t} {field}/{name}: {a} for {b}"
                            self.assertLessEqual(abs(a - b), RELATIVE * abs(b), where)
        # 22 elements and 8 steps, in as many fields as the 13 cases have together.
        self.assertEqual(compared, 22 * 8 * (1 + 4 * 2 + 3 * 3 + 2 * 4 + 2 + 3 + 3))

    def test_every_rule_is_covered(self):
        self.assertEqual({case.rule for case in self.cases.values()}, RULES.keys())

    def test_states_follow_from_each_other(self):
        for case in self.cases.values():
            self.assertEqual(len(case.before), 8)
            for after, before in zip(case.after, case.before[1:]):
                for field, tensors in after.items():
                    for name, tensor in tensors.items():
                        self.assertEqual(
                            before[field][name].values, [to_f32(x) for x in tensor.values]
                        )

    def test_a_wrong_setting_is_noticed(self):
        case = self.cases["torch.adam"]
        rule = RULES["adam"]
        start = rule.start({name: w.values for name, w in case.before[0]["w"].items()})
        got, _ = rule.step(start, case.clipped(0), **{**case.settings, "beta2": 0.99})
        want = case.after[0]["v"]["a"].values
        self.assertGreater(abs(got["v"]["a"][0] - want[0]), RELATIVE * abs(want[0]))


class Policies(unittest.TestCase):
    def test_oracle_reproduces_the_traces(self):
        traces = golden.policies()
        self.assertEqual(len(traces), 24)
        for settings, overflows, scales in traces:
            scaler = Scaler(**settings)
            got = [scaler.scale]
            for overflow in overflows:
                scaler = scaler.update(not overflow)
                got.append(scaler.scale)
            self.assertEqual(got, scales, settings)


if __name__ == "__main__":
    unittest.main()
