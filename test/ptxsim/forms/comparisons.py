# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""References of comparison and selection."""

import exact
from common import BITS, INTS, PACKED, kind_of, mask, same, types_in, width_of
from exact import FORMATS, compare, decode, flush, is_nan, is_zero, signed
from kernels import Case

COMPARE = {"eq": lambda o: o == 0, "ne": lambda o: o != 0, "lt": lambda o: o < 0, "le": lambda o: o <= 0,
           "gt": lambda o: o > 0, "ge": lambda o: o >= 0, "lo": lambda o: o < 0, "ls": lambda o: o <= 0,
           "hi": lambda o: o > 0, "hs": lambda o: o >= 0}
BOOLS = {"and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b}


def truth(word, words):
    """Comparison of the element type `word` as a function of bits to 0 or 1."""
    kind = PACKED.get(word, word)
    name = next(w for w in words if w in COMPARE or w in ("num", "nan") or w[:-1] in COMPARE and w[-1] == "u")
    if kind not in FORMATS:
        is_signed, width = INTS.get(kind, (False, BITS.get(kind)))

        def ints(a, b):
            a, b = (signed(a, width), signed(b, width)) if is_signed else (a, b)
            return int(COMPARE[name]((a > b) - (a < b)))

        return ints

    def ordered(a, b):
        if "ftz" in words:
            a, b = flush(kind, a), flush(kind, b)
        order = compare(decode(kind, a), decode(kind, b))
        if name in ("num", "nan"):
            return int((order is None) == (name == "nan"))
        if order is None:
            return int(name.endswith("u") and name not in COMPARE)
        return int(COMPARE[name if name in COMPARE else name[:-1]](order))

    return ordered


def comparisons(text, base, words):
    types = types_in(words)
    if base == "setp":
        word = types[-1]
        test, width = truth(word, words), width_of(word)
        combine = next((BOOLS[w] for w in words if w in BOOLS), None)
        packed = word in PACKED
        half = width // 2

        def setp(a, b, c=0):
            c = int(c != 0) ^ 1  # the predicate is given as !c
            if packed:
                p, q = (test(a >> s & mask(half), b >> s & mask(half)) for s in (0, half))
            else:
                p = test(a, b)
                q = 1 - p
            return (combine(p, c), combine(q, c)) if combine else (p, q)

        kind = word if packed or word in FORMATS else "int"
        sources = [(kind, width)] * 2 + ([("int", 0)] if combine else [])
        if word in ("f16", "bf16"):  # these have one result
            operands = "{d}, {a}, {b}" + (", !{c}" if combine else "")
            return Case(text, 0, sources, lambda *v: setp(*v)[0], operands)
        operands = "{d}|{q}, {a}, {b}" + (", !{c}" if combine else "")
        return Case(text, 0, sources, setp, operands, extra_results=1)
    if base == "set":
        result, word = types
        test, width = truth(word, words), width_of(word)
        combine = next((BOOLS[w] for w in words if w in BOOLS), None)
        packed = word in PACKED
        one = {"f32": 0x3F800000, "f16": 0x3C00, "f16x2": 0x3C00, "bf16": 0x3F80, "bf16x2": 0x3F80}.get(
            result, 0xFFFF if packed or width_of(result) == 16 else mask(32))

        def set_(a, b, c=0):
            if packed:
                t = [test(a >> s & 0xFFFF, b >> s & 0xFFFF) for s in (0, 16)]
            else:
                t = [test(a, b)]
            if combine:
                t = [combine(x, int(c != 0)) for x in t]
            return sum(x * one << 16 * i for i, x in enumerate(t))

        kind = word if packed or word in FORMATS else "int"
        return Case(text, width_of(result), [(kind, width)] * 2 + ([("int", 0)] if combine else []), set_)
    if base == "selp":
        width = width_of(types[-1])
        return Case(text, width, [("int", width)] * 2 + [("int", 0)], lambda a, b, c: a if c else b)
    if base == "slct":
        width, kind = width_of(types[0]), types[1]

        def slct(a, b, c):
            if kind == "s32":
                return a if signed(c, 32) >= 0 else b
            number = decode("f32", flush("f32", c) if "ftz" in words else c)
            order = compare(number, (0, 0, 0))
            return a if order is not None and order >= 0 else b

        return Case(text, width, [("int", width)] * 2 + [(kind_of(kind), 32)], slct)
    if base == "testp":
        word = types[-1]
        ebits, fbits = FORMATS[word]

        def testp(a):
            number = decode(word, a)
            if is_nan(number):
                return int("notanumber" in words)
            if exact.is_inf(number):
                return int("infinite" in words or "number" in words)
            subnormal = not is_zero(number) and not a >> fbits & mask(ebits)
            return int("finite" in words or "number" in words or (subnormal and "subnormal" in words)
                       or (not subnormal and "normal" in words))

        return Case(text, 0, [(word, width_of(word))], testp)
    if base == "copysign":
        word = types[-1]
        top = 1 << (width_of(word) - 1)
        return same(text, word, 2, lambda a, b: (a & top) | (b & ~top))
    return None
