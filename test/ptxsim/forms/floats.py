# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""References of floating-point arithmetic and conversions, on exact integers."""

import exact
from common import INTS, PACKED, kind_of, mask, same, types_in, width_of
from exact import FORMATS, WIDTH, compare, decode, encode, flush, is_nan, sign_of, signed
from kernels import Case

ROUNDINGS = ("rn", "rz", "rm", "rp")


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
        holds = to_signed >= from_signed and to_width >= from_width + (to_signed != from_signed)
        if "sat" in words and holds:
            return None  # illegal: nothing could saturate

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
