# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""References of the element-wise instructions: integers, bits, floats, comparisons, conversions.

`case(base, words)` gives the Case of one form, or None when the form is none of these families.
Everything is computed on integers; nothing here was derived from the simulator's code.
"""

from comparisons import comparisons
from floats import conversions, floats
from integers import bits, carry_case, integer


def case(base, words):
    text = ".".join([base] + words)
    if base in ("addc", "subc", "madc") or (base in ("add", "sub", "mad") and "cc" in words):
        return carry_case(text, base, words)
    for family in (floats, integer, bits, comparisons, conversions):
        try:
            found = family(text, base, words)
        except (KeyError, StopIteration):
            found = None
        if found:
            return found
    return None
