# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integer division: what arith says, and no divisor that a user sets stops the process."""

import sys
import unittest

from harness import Bench

OPS = ("divsi", "remsi", "ceildivsi", "floordivsi", "divui", "remui", "ceildivui")
STEP = (
    "amp.step @test(%n: i64 {amp.default = 0}, %m: i64 {amp.default = 0}) {\n"
    + "".join(
        f'  %{op} = arith.{op} %n, %m : i64\n  amp.log "{op}", %{op} : i64\n' for op in OPS
    )
    + "}\n"
)
LEAST = -(2**63)


def wrapped(value):
    return (value + 2**63) % 2**64 - 2**63


def expected(n, m):
    """By exact arithmetic; a zero divisor gives 0 and, as remainder, the dividend."""
    if m == 0:
        return {op: n if op.startswith("rem") else 0 for op in ("divsi", "remsi", "divui", "remui")}
    quotient = abs(n) // abs(m) * (1 if (n < 0) == (m < 0) else -1)
    un, um = n % 2**64, m % 2**64
    return {
        "divsi": wrapped(quotient),
        "remsi": n - quotient * m,
        "floordivsi": wrapped(n // m),
        "ceildivsi": wrapped(-(-n // m)),
        "divui": wrapped(un // um),
        "remui": wrapped(un % um),
        "ceildivui": wrapped(-(-un // um)),
    }


class Division(unittest.TestCase):
    def test_every_kind(self):
        with Bench() as bench:
            for n in (0, 7, -7, LEAST, 2**62 + 1):
                for m in (1, -1, 2, -2, 0, 3, LEAST):
                    run = bench.run(
                        STEP, set={"n": n, "m": m}, save=False, more=["--step", "test"]
                    ).expect(0)
                    log = run.log[0]["log"]
                    for op, value in expected(n, m).items():
                        if (n, m) == (LEAST, -1) and op in ("floordivsi", "ceildivsi"):
                            continue  # no representable result
                        # Logs carry f64.
                        self.assertEqual(float(log[op]), float(value), (op, n, m))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
