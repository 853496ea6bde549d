# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""References of integer arithmetic, extended precision, logic, shifts and bit fields."""

from common import BITS, INTS, PACKED, lift, mask, same, types_in, width_of
from exact import signed
from kernels import Case


def clamp32(v):
    return max(-(1 << 31), min((1 << 31) - 1, v))


def c_div(a, b):
    return -1 if b == 0 else (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1)


def c_rem(a, b):
    return a if b == 0 else a - b * c_div(a, b)


def packed16(word, function):
    lane = lift(PACKED[word], function)
    return lambda *v: sum(lane(*[x >> s & 0xFFFF for x in v]) << s for s in (0, 16))


def integer(text, base, words):
    word = types_in(words)[-1] if types_in(words) else None
    plain = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "div": c_div, "rem": c_rem,
             "min": min, "max": max, "abs": abs, "neg": lambda a: -a}
    if base in ("dp4a", "dp2a"):
        ta, tb = words[-2:]
        sa, sb, high = ta == "s32", tb == "s32", "hi" in words

        def dot(a, b, c):
            total = c
            for i in range(4 if base == "dp4a" else 2):
                wide = 8 if base == "dp4a" else 16
                x = a >> wide * i & mask(wide)
                y = b >> 8 * (i + (2 if high else 0)) & 0xFF
                total += (signed(x, wide) if sa else x) * (signed(y, 8) if sb else y)
            return total & mask(32)

        return Case(text, 32, [("int", 32)] * 3, dot)
    if word in ("u16x2", "s16x2"):
        function = plain[base]
        if "relu" in words:
            inner = function
            function = lambda a, b: max(0, inner(a, b))
        return same(text, word, 2, packed16(word, function))
    if word not in INTS:
        return None
    is_signed, width = INTS[word]
    if base in ("add", "sub") and "cc" not in words:
        function = plain[base]
        if "sat" in words:
            inner = function
            function = lambda a, b: clamp32(inner(a, b))
        return same(text, word, 2, lift(word, function))
    if base in ("min", "max") and "relu" in words:
        inner = plain[base]
        return same(text, word, 2, lift(word, lambda a, b: max(0, inner(a, b))))
    if base in ("div", "rem", "min", "max"):
        return same(text, word, 2, lift(word, plain[base]))
    if base in ("abs", "neg"):
        return same(text, word, 1, lift(word, plain[base]))
    if base in ("mul", "mad") and not ("cc" in words):
        if "wide" in words:
            def wide(a, b, c=0):
                args = [signed(v, width) if is_signed else v for v in (a, b)]
                return (args[0] * args[1] + c) & mask(2 * width)

            sources = [("int", width)] * 2 + ([("int", 2 * width)] if base == "mad" else [])
            return Case(text, 2 * width, sources, wide)
        high = width if "hi" in words else 0
        if "sat" in words:
            return same(text, word, 3, lift(word, lambda a, b, c: clamp32((a * b >> high) + c)))
        return same(text, word, 3 if base == "mad" else 2, lift(word, lambda a, b, c=0: (a * b >> high) + c))
    if base in ("mul24", "mad24"):
        high = 16 if "hi" in words else 0

        def low(v):
            return signed(v, 24) if is_signed else v & mask(24)

        def product(a, b):
            value = low(a & mask(32)) * low(b & mask(32)) >> high
            return signed(value, 32) if is_signed else value & mask(32)

        if base == "mul24":
            return same(text, word, 2, lift(word, product))
        saturate = clamp32 if "sat" in words else lambda v: v
        return same(text, word, 3, lift(word, lambda a, b, c: saturate(product(a, b) + c)))
    if base == "sad":
        return same(text, word, 3, lift(word, lambda a, b, c: c + abs(a - b)))
    return None


def carry_case(text, base, words):
    """Extended precision: the carry comes from an add.cc of two more words before, and goes into
    an addc after. Subtraction is addition of the complement."""
    word = words[-1]
    is_signed, width = INTS[word]
    takes, gives = base in ("addc", "subc", "madc"), "cc" in words
    count = 3 if base in ("mad", "madc") else 2

    def function(*v):
        carry = v[-1] & 1 if takes else None
        a, b = v[0], v[1]
        if base in ("add", "addc"):
            total = a + b + (carry or 0)
        elif base in ("sub", "subc"):
            total = a + (~b & mask(width)) + (1 if carry is None else carry)
        else:
            args = [signed(x, width) if is_signed else x for x in (a, b)]
            product = args[0] * args[1] >> (width if "hi" in words else 0)
            total = (product & mask(width)) + v[2] + (carry or 0)
        return (total & mask(width), total >> width & 1 if gives else None)

    sources = [("int", width)] * count + ([("int", 32)] if takes else [])
    case = Case(text, width, sources, function)
    case.results = [width, 32]
    carry_register = "%s" + str(count)
    before = ""
    if takes:
        # 0xffffffff + (carry bit) carries exactly when the bit is set.
        before = f"and.b32 %u, {carry_register}, 1; add.cc.u32 %u, %u, 0xffffffff; "
    case.text = before + text
    operands = ", ".join(["{d}"] + ["{%s}" % c for c in "abc"[:count]])
    after = "; addc.u32 %d1, 0, 0" if gives else "; mov.u32 %d1, 0"
    case.operands = operands + after
    return case


def bits(text, base, words):
    word = types_in(words)[-1] if types_in(words) else None
    logic = {"and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b, "not": lambda a: ~a}
    if base in logic:
        count = 1 if base == "not" else 2
        if word == "pred":
            return Case(text, 0, [("int", 0)] * count, lambda *v: logic[base](*[int(x != 0) for x in v]) & 1)
        return same(text, word, count, lift(word, logic[base]))
    width = width_of(word) if word else 0
    if base == "cnot":
        return same(text, word, 1, lambda a: int(a == 0))
    if base == "shl":
        return Case(text, width, [("int", width), ("int", 32)],
                    lambda a, n: a << n & mask(width) if n < width else 0)
    if base == "shr":
        return Case(text, width, [("int", width), ("int", 32)],
                    lift(word, lambda a, n: a >> min(n, 70)) if not word.startswith("s") else
                    lambda a, n: signed(a, width) >> min(n, 70) & mask(width))
    if base == "shf":
        def funnel(a, b, n):
            n = min(n, 32) if "clamp" in words else n & 31
            both = b << 32 | a
            return (both >> (32 - n) if "l" in words else both >> n) & mask(32)

        return Case(text, 32, [("int", 32)] * 3, funnel)
    if base == "bfe":
        is_signed = word.startswith("s")

        def bfe(a, position, length):
            position, length, msb = position & 255, length & 255, width - 1
            sign = a >> min(position + length - 1, msb) & 1 if is_signed and length else 0
            return sum((a >> (position + i) & 1 if i < length and position + i <= msb else sign) << i
                       for i in range(width))

        return Case(text, width, [("int", width), ("int", 32), ("int", 32)], bfe)
    if base == "bfi":
        def bfi(a, b, position, length):
            position, length = position & 255, length & 255
            for i in range(length):
                if position + i < width:
                    b = b & ~(1 << (position + i)) | (a >> i & 1) << (position + i)
            return b

        return Case(text, width, [("int", width)] * 2 + [("int", 32)] * 2, bfi)
    if base == "prmt":
        mode = words[-1] if words[-1] != "b32" else None

        def prmt(a, b, c):
            data = [(b << 32 | a) >> 8 * i & 255 for i in range(8)]
            n = c & 3
            table = {"f4e": [n, n + 1, n + 2, n + 3], "b4e": [n, n - 1 & 7, n - 2 & 7, n - 3 & 7],
                     "rc8": [n] * 4, "ecl": [n, max(n, 1), max(n, 2), 3], "ecr": [0, min(n, 1), min(n, 2), n],
                     "rc16": [2 * (n & 1), 2 * (n & 1) + 1] * 2}
            picks = table[mode] if mode else [c >> 4 * i & 15 for i in range(4)]
            out = 0
            for i, pick in enumerate(picks):
                byte = data[pick & 7]
                out |= (255 * (byte >> 7) if pick & 8 else byte) << 8 * i
            return out

        return Case(text, 32, [("int", 32)] * 3, prmt)
    if base in ("popc", "clz"):
        return Case(text, 32, [("int", width)],
                    (lambda a: bin(a).count("1")) if base == "popc" else lambda a: width - a.bit_length())
    if base == "bfind":
        def bfind(a):
            if word.startswith("s") and a >> (width - 1):
                a = ~a & mask(width)
            if a == 0:
                return mask(32)
            return width - a.bit_length() if "shiftamt" in words else a.bit_length() - 1

        return Case(text, 32, [("int", width)], bfind)
    if base == "brev":
        return same(text, word, 1, lambda a: int(format(a, f"0{width}b")[::-1], 2))
    if base == "bmsk":
        def bmsk(position, length):
            if "wrap" in words:
                position, length = position & 31, length & 31
            return mask(min(length, 32)) << position & mask(32) if position < 32 else 0

        return Case(text, 32, [("int", 32)] * 2, bmsk)
    if base == "szext":
        def szext(a, n):
            n = n & 31 if "wrap" in words else min(n, 32)
            if n == 0:
                return 0
            value = a & mask(n)
            return (signed(value, n) if word == "s32" else value) & mask(32)

        return Case(text, 32, [("int", 32)] * 2, szext)
    if base == "lop3":
        table = 0x6A
        return Case(text, 32, [("int", 32)] * 3, lambda a, b, c: sum(
            (table >> (4 * (a >> i & 1) + 2 * (b >> i & 1) + (c >> i & 1)) & 1) << i for i in range(32)),
            operands="{d}, {a}, {b}, {c}, 0x6A")
    return None
