# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""References of the element-wise instructions: integers, bits, floats, comparisons, conversions.

`case(base, words)` gives the Case of one form, or None when the form is none of these families.
Everything is computed on integers; nothing here was derived from the simulator's code.
"""

import exact
from exact import FORMATS, WIDTH, compare, decode, encode, flush, is_nan, is_zero, sign_of, signed
from kernels import Case

INTS = {s + str(w): (s == "s", w) for s in "us" for w in (8, 16, 32, 64)}
BITS = {"b8": 8, "b16": 16, "b32": 32, "b64": 64}
ROUNDINGS = ("rn", "rz", "rm", "rp")
PACKED = {"f16x2": "f16", "bf16x2": "bf16", "f32x2": "f32", "u16x2": "u16", "s16x2": "s16"}


def width_of(word):
    if word in PACKED:
        return 2 * width_of(PACKED[word])
    return WIDTH.get(word) or BITS.get(word) or INTS[word][1]


def types_in(words):
    return [w for w in words if w in WIDTH or w in BITS or w in INTS or w in PACKED or w == "pred"]


def kind_of(word):
    return word if word in FORMATS else "int"


def mask(width):
    return (1 << width) - 1


def lift(word, function):
    """A function of signed or unsigned values as one of bits."""
    is_signed, width = INTS.get(word, (False, BITS.get(word)))

    def wrapped(*bits):
        args = [signed(b, width) if is_signed else b for b in bits]
        return function(*args) & mask(width)

    return wrapped


def clamp32(v):
    return max(-(1 << 31), min((1 << 31) - 1, v))


def c_div(a, b):
    return -1 if b == 0 else (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1)


def c_rem(a, b):
    return a if b == 0 else a - b * c_div(a, b)


def same(text, word, count, function):
    width = width_of(word)
    return Case(text, width, [(kind_of(word), width)] * count, function)


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


def rounding(words):
    return next((w for w in ROUNDINGS if w in words), "rn")


def finish(kind, bits_or_nan, words):
    """.ftz, .sat and .relu of a result."""
    if bits_or_nan == "nan":
        return 0 if "sat" in words else "nan"
    ebits, fbits = FORMATS[kind]
    if "ftz" in words:
        bits_or_nan = flush(kind, bits_or_nan)
    number = decode(kind, bits_or_nan)
    one = ((1 << (ebits - 1)) - 1) << fbits
    if "sat" in words:
        if is_nan(number) or sign_of(number):
            return 0
        return min(bits_or_nan, one)
    if "relu" in words and not is_nan(number) and sign_of(number):
        return 0
    return bits_or_nan


def floating(kind, words, base):
    """Function of bits of one element."""
    mode = rounding(words)

    def take(b):
        return decode(kind, flush(kind, b) if "ftz" in words else b)

    def give(number, sticky=0):
        return finish(kind, encode(kind, number, mode, sticky), words)

    if base == "add":
        return lambda a, b: give(exact.add(take(a), take(b), mode))
    if base == "sub":
        return lambda a, b: give(exact.add(take(a), exact.neg(take(b)), mode))
    if base == "mul":
        return lambda a, b: give(exact.mul(take(a), take(b)))
    if base in ("fma", "mad"):
        return lambda a, b, c: give(exact.fma(take(a), take(b), take(c), mode))
    if base == "div":
        return lambda a, b: give(*exact.div(take(a), take(b)))
    if base == "rcp":
        one = (0, 1, 0)
        return lambda a: give(*exact.div(one, take(a)))
    if base == "sqrt":
        return lambda a: give(*exact.sqrt(take(a)))
    if base in ("min", "max"):
        return lambda a, b: extreme(kind, words, base, a, b)
    top = 1 << (WIDTH[kind] - 1)
    if base in ("abs", "neg"):
        def sign(a):
            a = flush(kind, a) if "ftz" in words else a
            if is_nan(decode(kind, a)):
                return None  # the manual leaves NaN results open
            return a & ~top if base == "abs" else a ^ top

        return sign
    return None


def extreme(kind, words, base, a, b):
    top = 1 << (WIDTH[kind] - 1)
    if "ftz" in words:
        a, b = flush(kind, a), flush(kind, b)
    product_sign = (a ^ b) & top
    if "xorsign" in words:
        a, b = a & ~top, b & ~top
    x, y = decode(kind, a), decode(kind, b)
    if (is_nan(x) and is_nan(y)) or ("NaN" in words and (is_nan(x) or is_nan(y))):
        return encode(kind, (exact.NAN,))
    if is_nan(x) or is_nan(y):
        result = b if is_nan(x) else a
    else:
        order = compare(x, y)
        if order == 0:  # -0 is less than +0
            order = (b >> (WIDTH[kind] - 1)) - (a >> (WIDTH[kind] - 1))
        result = (a if order <= 0 else b) if base == "min" else (a if order >= 0 else b)
    return result | product_sign if "xorsign" in words else result


def floats(text, base, words):
    types = types_in(words)
    if base not in ("add", "sub", "mul", "fma", "mad", "div", "rcp", "sqrt", "min", "max", "abs", "neg"):
        return None
    if not types or "approx" in words or "full" in words:
        return None
    arity = {"fma": 3, "mad": 3, "rcp": 1, "sqrt": 1, "abs": 1, "neg": 1}.get(base, 2)
    if len(types) == 2 and types[0] == "f32" and types[1] in ("f16", "bf16"):
        narrow, mode = types[1], rounding(words)

        def mixed(*v):
            x = decode(narrow, v[0])
            if base == "fma":
                number = exact.fma(x, decode(narrow, v[1]), decode("f32", v[2]), mode)
            else:
                c = decode("f32", v[1])
                number = exact.add(x, exact.neg(c) if base == "sub" else c, mode)
            return finish("f32", encode("f32", number, mode), words)

        sources = [(narrow, 16)] * (arity - 1) + [("f32", 32)]
        return Case(text, 32, sources, mixed)
    word = types[-1]
    kind = PACKED.get(word, word)
    if kind not in FORMATS:
        return None
    function = floating(kind, words, base)
    if word in PACKED:
        width = WIDTH[kind]

        def both(*v):
            parts = [function(*[x >> s & mask(width) for x in v]) for s in (0, width)]
            return None if None in parts else parts[0] | parts[1] << width

        return Case(text, 2 * width, [(kind + "x2", 2 * width)] * arity, both)
    return same(text, word, arity, function)


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


def convert_float(source, target, words):
    integral = next((w for w in words if w in ("rni", "rzi", "rmi", "rpi")), None)
    mode = "rna" if "rna" in words else rounding(words)

    def function(a):
        a = flush(source, a) if "ftz" in words and source == "f32" else a
        number = decode(source, a)
        if integral and len(number) == 3:
            whole = exact.to_integer(number, integral)
            number = (number[0], abs(whole), 0)
        result = encode(target, number, mode)
        flags = [w for w in words if w != "ftz" or target == "f32"]
        return finish(target, result, flags)

    return function


def convert_to_integer(source, target, words):
    is_signed, width = INTS[target]
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if is_signed else (0, mask(width))
    mode = next(w for w in words if w in ("rni", "rzi", "rmi", "rpi"))

    def function(a):
        number = decode(source, flush(source, a) if "ftz" in words and source == "f32" else a)
        if is_nan(number):
            # PTX ISA: zero unless the source is f64 or the destination has 64 bits.
            return 1 << (width - 1) if source == "f64" or width == 64 else 0
        if exact.is_inf(number):
            return (low if number[1] else high) & mask(width)
        return max(low, min(high, exact.to_integer(number, mode))) & mask(width)

    return function


def convert_from_integer(source, target, words):
    is_signed, width = INTS[source]

    def function(a):
        value = signed(a, width) if is_signed else a
        result = encode(target, (int(value < 0), abs(value), 0), rounding(words))
        return finish(target, result, [w for w in words if w != "ftz"])

    return function


def conversions(text, base, words):
    if base != "cvt":
        return None
    types = types_in(words)
    if "tf32" in words:
        def tf32(a):
            number = decode("f32", a)
            if is_nan(number):
                return 0x7FFFFFFF
            if "relu" in words and sign_of(number):
                return 0
            return encode("tf32", number, "rna" if "rna" in words else rounding(words)) << 13

        return Case(text, 32, [("f32", 32)], tf32)
    target, source = types
    if target in PACKED:
        one = convert_float("f32", PACKED[target], words)
        return Case(text, 32, [("f32", 32)] * 2, lambda a, b: one(a) << 16 | one(b))
    if target in FORMATS:
        function = (convert_float if source in FORMATS else convert_from_integer)(source, target, words)
    elif source in FORMATS:
        function = convert_to_integer(source, target, words)
    else:
        from_signed, from_width = INTS[source]
        to_signed, to_width = INTS[target]

        def function(a):
            value = signed(a, from_width) if from_signed else a & mask(from_width)
            if "sat" in words:
                low, high = (-(1 << (to_width - 1)), mask(to_width - 1)) if to_signed else (0, mask(to_width))
                value = max(low, min(high, value))
            return value & mask(to_width)

    # 8-bit values live in wider registers: the result is extended by the sign of its type.
    to_width, from_width = width_of(target), width_of(source)
    inner = function
    if to_width == 8:
        extend = (lambda v: signed(v, 8) & 0xFFFF) if target == "s8" else (lambda v: v)
        function = lambda a: extend(inner(a & mask(from_width)))
    else:
        function = lambda a: inner(a & mask(from_width))
    return Case(text, max(16, to_width), [(kind_of(source), max(16, from_width))], function)


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
