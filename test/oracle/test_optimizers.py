# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What can be checked by hand of the rules; the bulk of the evidence is in test/golden."""

import math
import unittest

from oracle import philox
from oracle.optimizers import RULES, differences, narrowed
from oracle.rounding import to_f32
from oracle.terms import Term


def once(rule, w=1.0, g=0.1, state=None, **settings):
    rule = RULES[rule]
    start = {**rule.start({"p": [w]}), **(state or {})}
    return rule.step(start, {"p": [g]}, **settings)


class Terms(unittest.TestCase):
    def test_a_cancelled_sum_keeps_its_largest_term(self):
        difference = Term(1.0) - Term(0.75)
        self.assertEqual((difference.value, difference.largest), (0.25, 1.0))
        scaled = 4.0 * difference
        self.assertEqual((scaled.value, scaled.largest), (1.0, 4.0))
        self.assertEqual((scaled / 8.0).largest, 0.5)
        self.assertEqual((1.0 / difference).largest, 16.0)

    def test_products_and_roots_carry_to_first_order(self):
        difference = Term(1.0) - Term(0.75)
        self.assertEqual((difference * difference).largest, 0.25)
        self.assertEqual((difference * difference).sqrt().largest, 0.5)
        nothing = Term(1.0) - Term(1.0)
        self.assertEqual((nothing * nothing).largest, 2.0**-24)
        self.assertEqual(Term(9.0).sqrt().largest, 3.0)

    def test_sign(self):
        self.assertEqual(
            [Term(x).sign().value for x in (-2.0, 0.0, -0.0, 3.0)], [-1.0, 0.0, 0.0, 1.0]
        )
        self.assertEqual(Term(1e-30).sign().largest, 1.0)
        self.assertEqual((Term(1.0) - Term(1.0 - 2.0**-22)).sign().largest, 2.0**23)
        self.assertEqual((Term(1.0) - Term(1.0 - 2.0**-20)).sign().largest, 1.0)
        self.assertEqual((Term(0.0) + Term(0.0)).sign().largest, 0.0)


class Steps(unittest.TestCase):
    def test_adam_first_step(self):
        after, largest = once("adam")
        self.assertAlmostEqual(1.0 - after["w"]["p"][0], 9.9999990e-4, delta=5e-11)
        self.assertEqual(after["t"], 1)
        self.assertEqual(largest["w"]["p"][0], 1.0)
        late, _ = once("adam", state={"t": 1})
        self.assertAlmostEqual(1.0 - late["w"]["p"][0], 7.4413672e-4, delta=5e-12)

    def test_adam_moves_on_momentum_alone(self):
        first, _ = once("adam")
        second, _ = RULES["adam"].step(first, {"p": [0.0]})
        self.assertAlmostEqual(first["w"]["p"][0] - second["w"]["p"][0], 6.7005816e-4, delta=5e-12)

    def test_adamw_decays_apart_from_the_moments(self):
        plain, _ = once("adamw", weight_decay=0.0)
        decayed, _ = once("adamw", weight_decay=0.1)
        self.assertEqual(plain["m"], decayed["m"])
        self.assertAlmostEqual(plain["w"]["p"][0] - decayed["w"]["p"][0], 1e-4, delta=1e-15)
        coupled, _ = once("adam", weight_decay=0.1)
        self.assertAlmostEqual(coupled["m"]["p"][0], 0.02, delta=1e-16)

    def test_amsgrad_keeps_the_larger_moment(self):
        after, _ = once(
            "adam", g=0.0, amsgrad=True, state={"vmax": {"p": [0.25]}, "m": {"p": [1.0]}, "t": 9}
        )
        self.assertEqual(after["vmax"]["p"], [0.25])
        rate = 1e-3 / (1 - 0.9**10)
        self.assertAlmostEqual(
            1.0 - after["w"]["p"][0],
            rate * 0.9 / (0.5 / math.sqrt(1 - 0.999**10) + 1e-8),
            delta=1e-15,
        )

    def test_sgd_first_step_takes_the_direction_undamped(self):
        settings = dict(lr=1.0, momentum=0.5, dampening=0.75)
        first, _ = once("sgd", g=4.0, state={"b": {"p": [99.0]}}, **settings)
        self.assertEqual((first["b"]["p"], first["w"]["p"]), ([4.0], [-3.0]))
        second, _ = RULES["sgd"].step(first, {"p": [4.0]}, **settings)
        self.assertEqual((second["b"]["p"], second["w"]["p"]), ([3.0], [-6.0]))
        nesterov, _ = once("sgd", g=4.0, lr=1.0, momentum=0.5, nesterov=True)
        self.assertEqual(nesterov["w"]["p"], [-5.0])

    def test_sgd_flips_the_sign_before_the_decay(self):
        after, _ = once("sgd", w=2.0, g=4.0, lr=1.0, weight_decay=0.5, maximize=True)
        self.assertEqual(after["w"]["p"], [5.0])

    def test_lion(self):
        after, _ = once("lion", g=-0.1, lr=0.5, weight_decay=0.25)
        self.assertEqual(after["w"]["p"], [1.0 - 0.125 + 0.5])
        self.assertAlmostEqual(after["m"]["p"][0], -0.001, delta=1e-18)
        still, _ = once("lion", g=0.0, lr=0.5)
        self.assertEqual(still["w"]["p"], [1.0])
        doubtful, largest = once("lion", g=-9.0, lr=0.5, state={"m": {"p": [1.0]}})
        self.assertGreater(largest["w"]["p"][0], 1e6, "0.9 m and 0.1 g cancel: either sign will do")
        self.assertAlmostEqual(doubtful["w"]["p"][0], 1.0, delta=0.5)

    def test_lamb_trust_ratio(self):
        rule = RULES["lamb"]
        settings = dict(lr=0.5, eps=0.0)
        after, _ = rule.step(rule.start({"p": [3.0, 4.0]}), {"p": [1.0, 1.0]}, **settings)
        for got, want in zip(after["w"]["p"], [3.0 - 2.5 / math.sqrt(2), 4.0 - 2.5 / math.sqrt(2)]):
            self.assertAlmostEqual(got, want, delta=1e-14)
        after, _ = rule.step(
            rule.start({"p": [3.0, 4.0]}), {"p": [1.0, 1.0]}, **settings, always_adapt=False
        )
        for got, want in zip(after["w"]["p"], [2.5, 3.5]):
            self.assertAlmostEqual(got, want, delta=1e-14)
        after, _ = rule.step(rule.start({"p": [0.0]}), {"p": [1.0]}, **settings)
        self.assertAlmostEqual(after["w"]["p"][0], -0.5, delta=1e-15)

    def test_lamb_clips_over_all_tensors(self):
        rule = RULES["lamb"]
        start = rule.start({"p": [1.0], "q": [1.0]})
        after, _ = rule.step(
            start, {"p": [3.0], "q": [4.0]}, max_grad_norm=1.0, grad_averaging=False
        )
        self.assertAlmostEqual(after["m"]["p"][0], 0.6, delta=1e-15)
        self.assertAlmostEqual(after["m"]["q"][0], 0.8, delta=1e-15)
        after, _ = rule.step(
            start, {"p": [3.0], "q": [4.0]}, max_grad_norm=9.0, grad_averaging=False
        )
        self.assertEqual(after["m"]["q"], [4.0])

    def test_parameter_groups(self):
        rule = RULES["sgd"]
        after, _ = rule.step(
            rule.start({"p": [1.0], "q": [1.0]}),
            {"p": [0.0], "q": [0.0]},
            lr=1.0,
            weight_decay={"p": 0.5, "q": 0.0},
        )
        self.assertEqual(after["w"], {"p": [0.5], "q": [1.0]})

    def test_counters_per_tensor(self):
        rule = RULES["adam"]
        start = {**rule.start({"p": [1.0], "q": [1.0]}), "t": {"p": 0, "q": 1}}
        after, _ = rule.step(start, {"p": [0.1], "q": [0.1]})
        self.assertEqual(after["t"], {"p": 1, "q": 2})
        self.assertAlmostEqual(1.0 - after["w"]["q"][0], 7.4413672e-4, delta=5e-12)

    def test_unknown_setting(self):
        with self.assertRaisesRegex(ValueError, "nesterov"):
            once("adam", nesterov=True)


def adam_f32(w, m, v, g, t):
    """One element, every operation rounded to f32: lr 0.01, decay 0.1, the rest default."""
    f = to_f32
    rate, root = f(1e-2 / (1.0 - 0.9**t)), f(math.sqrt(1.0 - 0.999**t))
    d = f(g + f(f(0.1) * w))
    m = f(f(f(0.9) * m) + f(f(1.0 - 0.9) * d))
    v = f(f(f(0.999) * v) + f(f(f(1.0 - 0.999) * d) * d))
    return f(w - f(f(rate * m) / f(f(f(math.sqrt(v)) / root) + f(1e-8)))), m, v


class Bounds(unittest.TestCase):
    def test_a_difference_beyond_the_bound_is_found(self):
        rule = RULES["adam"]
        want, largest = once("adam")
        got = narrowed(want)
        self.assertEqual(differences(rule, got, want, largest), [])
        w, ulp = got["w"]["p"][0], 2.0**-23
        for ulps, count in ((11, 0), (13, 1)):
            got["w"]["p"][0] = w - ulps * ulp
            self.assertEqual(len(differences(rule, got, want, largest)), count)

    def test_plain_f32_code_stays_within_the_bounds(self):
        """Adam with coupled decay, gradients that cancel against the decay among them, written down
        in f32. An unlucky bound would be as useless as one that a wrong counter can meet."""
        rule, settings = RULES["adam"], dict(lr=1e-2, weight_decay=0.1)
        draw = iter(philox.words(10000, (5, 6)))
        uniform = lambda: next(draw) / 2**31 - 1.0
        state = narrowed(rule.start({"p": [uniform() for _ in range(64)]}))
        for t in range(1, 21):
            near = [-0.1 * w * (1.0 + 1e-6 * uniform()) for w in state["w"]["p"]]
            gradients = [to_f32(x if i % 3 else uniform()) for i, x in enumerate(near)]
            want, largest = rule.step(state, {"p": gradients}, **settings)
            rows = [adam_f32(*row, t) for row in zip(*(state[k]["p"] for k in "wmv"), gradients)]
            got = {k: {"p": list(column)} for k, column in zip("wmv", zip(*rows))}
            self.assertEqual(differences(rule, got, want, largest), [])
            late = [
                adam_f32(*row, t + 1) for row in zip(*(state[k]["p"] for k in "wmv"), gradients)
            ]
            wrong = {**got, "w": {"p": [row[0] for row in late]}}
            self.assertTrue(differences(rule, wrong, want, largest))
            state = {**state, **got, "t": t}

    def test_narrowed(self):
        self.assertEqual(narrowed({"t": 3, "w": {"p": [0.1]}}), {"t": 3, "w": {"p": [to_f32(0.1)]}})


if __name__ == "__main__":
    unittest.main()
