# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forms that are more than functions of their operands: moves, memory, atomics, warps, control.

Each test runs every spelling of its row (cache hints one at a time) and returns how many it ran.
"""

import ctypes
import random

import exact
from elementwise import INTS, types_in, width_of
from exact import WIDTH, decode, encode, signed

CHUNK = 60  # kernels a module


def batch(device, header, bodies, threads=32, module="", block=None):
    """Runs kernels `(body, input words, words out a thread)`; gives the 64-bit results of each.

    A body finds %t (thread), %in and %out (its own 64 bytes of each), and %r, %b, %h, %d, %p registers.
    """
    results = []
    for start in range(0, len(bodies), CHUNK):
        part = bodies[start : start + CHUNK]
        text = header + module
        for i, (body, _) in enumerate(part):
            text += f"""
.visible .entry k{i}(.param .u64 pin, .param .u64 pout) {{
  .reg .b64 %in, %out, %base, %x, %d<24>; .reg .b32 %t, %r<24>; .reg .b16 %h<24>; .reg .pred %p<8>; .reg .b128 %q<6>;
  .reg .f32 %f<8>; .reg .f64 %fd<8>;
  ld.param.u64 %base, [pin]; ld.param.u64 %out, [pout]; mov.u32 %t, %tid.x;
  mul.wide.u32 %x, %t, 64; add.s64 %in, %base, %x; add.s64 %out, %out, %x;
{body}
  ret;
}}
"""
        loaded = device.load(text)
        for i, (_, data) in enumerate(part):
            words = b"".join(v.to_bytes(8, "little") for v in data)
            words += bytes(64 * threads - len(words)) if len(words) < 64 * threads else b""
            source, target = device.upload(words), device.upload(bytes(64 * threads))
            device.launch(device.function(loaded, f"k{i}"), 1, block or threads,
                          [ctypes.c_uint64(source), ctypes.c_uint64(target)])
            raw = device.read(target, 64 * threads)
            results.append([[int.from_bytes(raw[64 * t + 8 * j : 64 * t + 8 * j + 8], "little") for j in range(8)]
                            for t in range(threads)])
            device.free(source)
            device.free(target)
        device.unload(loaded)
    return results


def pattern_words(threads, seed=1):
    rng = random.Random(seed)
    return [rng.getrandbits(64) for _ in range(8 * threads)]


def register(width):
    return {8: "%h", 16: "%h", 32: "%r", 64: "%d", 128: "%q"}[width]


def width128(word):
    return 128 if word == "b128" else width_of(word)


def plain_only(words):
    """Spellings with at most one cache hint, and those with .b32 only: hints change no result, and
    their product with everything else is huge."""
    if "b128" in words and any(w in ("v2", "v4", "v8") for w in words):
        return False
    hints = [w for w in words if "::" in w and not w.startswith(("shared", "param"))]
    hints += [w for w in words if w in ("ca", "cg", "cs", "lu", "cv", "wb", "wt")]
    return len(hints) <= (1 if "b32" in words else 0)


def loads(device, header, row):
    data = pattern_words(32)
    bodies, checks = [], []
    raw = b"".join(v.to_bytes(8, "little") for v in data)
    for words in row.expansions():
        if not plain_only(words):
            continue
        word = types_in(words)[-1] if "b128" not in words else "b128"
        width = width128(word)
        vector = next((int(w[1:]) for w in words if w in ("v2", "v4", "v8")), 1)
        size = vector * width // 8
        space = next((w for w in words if w.split("::")[0] in
                      ("global", "shared", "local", "const", "param")), "generic").split("::")[0]
        if size > 32 or (size > 16 and space != "global"):
            continue
        if space == "param" and ("volatile" in words or "relaxed" in words or "acquire" in words):
            continue
        if "nc" in words and "volatile" in words:
            continue
        wide = {8: 8, 16: 16}.get(width)
        regs = [register(width) + str(i) for i in range(vector)]
        text = ".".join(["ld"] + words)
        target = regs[0] if vector == 1 else "{" + ", ".join(regs) + "}"
        prologue, address = "", "%in"
        if space == "shared":
            prologue = ".shared .align 32 .b8 sm[2048]; .reg .b32 %sa; mov.u32 %sa, sm; shl.b32 %r20, %t, 6; " \
                       "add.u32 %sa, %sa, %r20;\n"
            address = "%sa"
            for j in range(4):
                prologue += f"ld.global.u64 %d20, [%in+{8 * j}]; st.shared.u64 [%sa+{8 * j}], %d20;\n"
        elif space == "local":
            prologue = ".local .align 32 .b8 lm[64]; .reg .b64 %la; mov.u64 %la, lm;\n"
            address = "%la"
            for j in range(4):
                prologue += f"ld.global.u64 %d20, [%in+{8 * j}]; st.local.u64 [%la+{8 * j}], %d20;\n"
        elif space == "param":
            address = "pin"
            if vector * width > 64:
                continue
        elif space == "const":
            address = "ctable"
        body = prologue + f"{text} {target}, [{address}];\n"
        for i, reg in enumerate(regs):
            if wide:
                sign = "s" if word.startswith("s") else "u"
                body += f"cvt.{sign}64.{sign}16 %d21, {reg}; st.global.u64 [%out+{8 * i}], %d21;\n"
            elif width == 32:
                body += f"cvt.u64.u32 %d21, {reg}; st.global.u64 [%out+{8 * i}], %d21;\n"
            elif width == 64:
                body += f"st.global.u64 [%out+{8 * i}], {reg};\n"
            else:
                body += f"mov.b128 {{%d21, %d22}}, {reg}; st.global.u64 [%out], %d21; st.global.u64 [%out+8], %d22;\n"
        bodies.append((body, data))
        checks.append((text, word, width, vector, space))
    table = raw[:64]
    module = ".const .align 32 .b8 ctable[64] = {" + ", ".join(str(b) for b in table) + "};\n"
    for (text, word, width, vector, space), result in zip(checks, batch(device, header, bodies, module=module)):
        if space == "param":
            continue  # holds an address; that the rest of the kernel works shows that it is right
        for t in range(32):
            memory = table if space == "const" else raw[64 * t : 64 * t + 64]
            if width == 128:
                want = [int.from_bytes(memory[0:8], "little"), int.from_bytes(memory[8:16], "little")]
            else:
                want = []
                for i in range(vector):
                    value = int.from_bytes(memory[i * width // 8 : (i + 1) * width // 8], "little")
                    if word.startswith("s") and width <= 16:
                        value = signed(value, width) & (1 << 64) - 1
                    want.append(value)
            assert result[t][: len(want)] == want, f"{text}, thread {t}: expected {want}, got {result[t][:len(want)]}"
    return len(bodies)


def stores(device, header, row):
    data = pattern_words(32, 2)
    raw = b"".join(v.to_bytes(8, "little") for v in data)
    bodies, checks = [], []
    for words in row.expansions():
        if not plain_only(words):
            continue
        word = "b128" if "b128" in words else types_in(words)[-1]
        width = width128(word)
        vector = next((int(w[1:]) for w in words if w in ("v2", "v4", "v8")), 1)
        size = vector * width // 8
        space = next((w for w in words if w.split("::")[0] in ("global", "shared", "local", "param")), "generic").split(
            "::")[0]
        if size > 32 or (size > 16 and space != "global") or space == "param":
            continue  # .param is written by calls: the test of call covers it
        text = ".".join(["st"] + words)
        body, regs = "", []
        for i in range(vector):
            at = i * width // 8
            reg = register(width) + str(i)
            regs.append(reg)
            if width == 128:
                body += f"ld.global.v2.u64 {{%d20, %d21}}, [%in]; mov.b128 {reg}, {{%d20, %d21}};\n"
            else:
                body += f"ld.global.b{width} {reg}, [%in+{at}];\n"
        source = regs[0] if vector == 1 else "{" + ", ".join(regs) + "}"
        if space == "shared":
            body += ".shared .align 32 .b8 sm[2048]; .reg .b32 %sa; mov.u32 %sa, sm; shl.b32 %r20, %t, 6; " \
                    f"add.u32 %sa, %sa, %r20; {text} [%sa], {source};\n"
            read = "ld.shared.u8 %r21, [%sa+{}];"
        elif space == "local":
            body += f".local .align 32 .b8 lm[64]; .reg .b64 %la; mov.u64 %la, lm; {text} [%la], {source};\n"
            read = "ld.local.u8 %r21, [%la+{}];"
        else:
            body += f"{text} [%out], {source};\n"
            read = ""
        if read:
            for j in range(size):
                body += read.format(j) + f" st.global.u8 [%out+{j}], %r21;\n"
        bodies.append((body, data))
        checks.append((text, size))
    for (text, size), result in zip(checks, batch(device, header, bodies)):
        for t in range(32):
            got = b"".join(v.to_bytes(8, "little") for v in result[t])
            want = raw[64 * t : 64 * t + size]
            assert got[:size] == want and not any(got[size:]), f"{text}, thread {t}: expected {want}, got {got[:size]}"
    return len(bodies)


def prefetches(device, header, row):
    bodies = []
    for words in row.expansions():
        local = ".local .align 8 .b8 lm[8]; .reg .b64 %la; mov.u64 %la, lm;\n" if "local" in words else ""
        address = "%la" if local else "%in"
        bodies.append((f"{local}{'.'.join([row.base] + words)} [{address}]; st.global.u64 [%out], 7;\n", []))
    for result in batch(device, header, bodies):
        assert all(thread[0] == 7 for thread in result)
    return len(bodies)


def float_sum(kind, a, b, ftz):
    if ftz:
        a, b = exact.flush(kind, a), exact.flush(kind, b)
    total = encode(kind, exact.add(decode(kind, a), decode(kind, b), "rn"))
    return exact.flush(kind, total) if ftz else total


def atomic_step(op, word, old, b, c, shared):
    width = width128(word)
    top = (1 << width) - 1
    if word in ("f16x2", "bf16x2"):
        kind = word[:-2]
        return sum(float_sum(kind, old >> s & 0xFFFF, b >> s & 0xFFFF, False) << s for s in (0, 16))
    if word in WIDTH:
        # On global memory atom.add.f32 flushes subnormals, on shared memory it does not.
        return float_sum(word, old, b, word == "f32" and not shared)
    value = (lambda v: signed(v, width)) if INTS.get(word, (False,))[0] else (lambda v: v)
    return {"add": lambda: old + b, "and": lambda: old & b, "or": lambda: old | b, "xor": lambda: old ^ b,
            "exch": lambda: b, "min": lambda: min(value(old), value(b)), "max": lambda: max(value(old), value(b)),
            "inc": lambda: 0 if old >= b else old + 1, "dec": lambda: b if old == 0 or old > b else old - 1,
            "cas": lambda: c if old == b else old}[op]() & top


def atomics(device, header, row):
    rng = random.Random(3)
    returns = row.base == "atom"
    bodies, checks = [], []
    for words in row.expansions():
        word = "b128" if "b128" in words else types_in(words)[-1]
        op = next(w for w in words if w in ("add", "and", "or", "xor", "exch", "min", "max", "inc", "dec", "cas"))
        width = width128(word)
        shared = any(w.startswith("shared") for w in words)
        kind = word[:-2] if word.endswith("x2") else word

        def operand():
            if kind in WIDTH:
                pool = [0, 1, 0x8000 >> 0 if WIDTH[kind] == 16 else 1 << (WIDTH[kind] - 1), 3,
                        encode(kind, (0, rng.randint(1, 1000), -6)), encode(kind, (1, rng.randint(1, 1000), -6)),
                        encode(kind, (0, 7, -3))]
                value = rng.choice(pool)
                return value | rng.choice(pool) << 16 if word.endswith("x2") else value
            return rng.choice([0, 1, 2, 5, (1 << width) - 1, 1 << (width - 1), rng.getrandbits(width)])

        # Lane l of the warp updates cell l % 3: the order within a warp is by lane.
        start = [operand() for _ in range(3)]
        operands = [(operand(), operand()) for _ in range(32)]
        if op == "cas":
            # Lanes of one cell expect what the lane before them leaves, some of them wrongly.
            now = list(start)
            fixed = []
            for lane in range(32):
                want = now[lane % 3] if lane % 4 != 3 else operand()
                new = rng.getrandbits(width)
                fixed.append((want, new))
                if want == now[lane % 3]:
                    now[lane % 3] = new
            operands = fixed
        reg = register(width)
        data = []
        for lane in range(32):
            b, c = operands[lane]
            data += [b & (1 << 64) - 1, b >> 64, c & (1 << 64) - 1, c >> 64, start[lane % 3] & (1 << 64) - 1,
                     start[lane % 3] >> 64, 0, 0]
        text = ".".join([row.base] + words)
        body = ".shared .align 16 .b8 sm[64]; .reg .b64 %cell; .reg .b32 %m;\n"
        body += "rem.u32 %m, %t, 3; mul.wide.u32 %cell, %m, 16;\n"
        if shared:
            body += "mov.u64 %x, sm; add.s64 %cell, %cell, %x;\n"
        else:
            # Cells are the unused words of thread 0 to 2's output.
            body += "mul.wide.u32 %cell, %m, 64; ld.param.u64 %x, [pout]; add.s64 %cell, %cell, %x; " \
                    "add.s64 %cell, %cell, 48;\n"
        where = "shared" if shared else "global"
        load = {128: "ld.global.v2.u64 {{%d20, %d21}}, [%in+{1}]; mov.b128 {0}, {{%d20, %d21}};"}.get(
            width, "ld.global.b" + str(width) + " {0}, [%in+{1}];")
        body += load.format(reg + "0", 0) + load.format(reg + "1", 16)
        body += f"setp.lt.u32 %p0, %t, 3;\nld.global.v2.u64 {{%d10, %d11}}, [%in+32];\n" \
                f"@%p0 st.{where}.v2.u64 [%cell], {{%d10, %d11}};\nbar.warp.sync 0xffffffff;\n"
        sources = f"{reg}0, {reg}1" if op == "cas" else f"{reg}0"
        body += f"{text} {reg + '2, ' if returns else ''}[%cell], {sources};\nbar.warp.sync 0xffffffff;\n"
        if returns:
            store = "mov.b128 {%d20, %d21}, %q2; st.global.v2.u64 [%out], {%d20, %d21};" if width == 128 else \
                f"st.global.b{width} [%out], {reg}2;"
            body += store + "\n"
        body += f"@%p0 ld.{where}.v2.u64 {{%d12, %d13}}, [%cell];\n@%p0 st.global.v2.u64 [%out+16], {{%d12, %d13}};\n"
        bodies.append((body, data))
        checks.append((text, op, word, width, start, operands, shared))
    for (text, op, word, width, start, operands, shared), result in zip(checks, batch(device, header, bodies)):
        now = list(start)
        for lane in range(32):
            old = now[lane % 3]
            if returns:
                got = result[lane][0] | result[lane][1] << 64
                assert got == old, f"{text}, lane {lane}: expected the old value {old:#x}, got {got:#x}"
            now[lane % 3] = atomic_step(op, word, old, *operands[lane], shared)
        for cell in range(3):
            got = (result[cell][2] | result[cell][3] << 64) & ((1 << width) - 1)
            assert got == now[cell], f"{text}, cell {cell}: expected {now[cell]:#x}, got {got:#x}"
    return len(bodies)


def moves(device, header, row):
    bodies, checks = [], []
    data = pattern_words(32, 4)
    for words in row.expansions():
        word = words[-1]
        if word == "pred":
            bodies.append(("and.b32 %r0, %t, 1; setp.ne.s32 %p0, %r0, 0; mov.pred %p1, %p0; selp.u32 %r1, 1, 0, %p1;"
                           " cvt.u64.u32 %d0, %r1; st.global.u64 [%out], %d0;", data))
            checks.append(lambda t, words: t & 1)
        elif word == "b128":
            bodies.append(("ld.global.v2.u64 {%d0, %d1}, [%in]; mov.b128 %q0, {%d0, %d1}; mov.b128 %q1, %q0; "
                           "mov.b128 {%d2, %d3}, %q1; st.global.v2.u64 [%out], {%d2, %d3};", data))
            checks.append(lambda t, words: words[0])
        else:
            width = width_of(word)
            reg = register(width)
            pack = ""
            if word == "b32":
                pack = "mov.b32 {%h0, %h1}, %r0; mov.b32 %r1, {%h0, %h1};"
            elif word == "b64":
                pack = "mov.b64 {%r3, %r4}, %d0; mov.b64 %d1, {%r3, %r4}; mov.b64 {%h0, %h1, %h2, %h3}, %d1; " \
                       "mov.b64 %d1, {%h0, %h1, %h2, %h3};"
            body = f"ld.global.b{width} {reg}0, [%in]; mov.{word} {reg}1, {reg}0; {pack} st.global.b{width} [%out], {reg}1;"
            bodies.append((body, data))
            checks.append(lambda t, words, w=width: words[0] & ((1 << w) - 1))
    for check, result in zip(checks, batch(device, header, bodies)):
        for t in range(32):
            want = check(t, data[8 * t : 8 * t + 8])
            assert result[t][0] == want, f"{row.pattern}, thread {t}: expected {want:#x}, got {result[t][0]:#x}"
    return len(bodies)


SPACE_SETUP = {
    "global": "mov.u64 %d0, gv; ", "const": "mov.u64 %d0, cv; ",
    "shared": ".shared .align 8 .b8 sv[8]; mov.u64 %d0, sv; setp.eq.u32 %p7, %t, 0; @%p7 st.shared.u64 [sv], 77; "
              "bar.warp.sync 0xffffffff; ",
    "local": ".local .align 8 .b8 lv[8]; mov.u64 %d0, lv; st.local.u64 [lv], 77; ", "param": "mov.u64 %d0, pin; "}
GENERIC_MODULE = ".global .align 8 .u64 gv = 77;\n.const .align 8 .u64 cv = 77;\n"


def address_conversions(device, header, row):
    """To generic and back: the generic address reads the variable, the way back gives the first address."""
    bodies = []
    for words in row.expansions():
        full = words[-2]
        space = full.split("::")[0]
        body = SPACE_SETUP[space] + f"cvta.{full}.u64 %d1, %d0; ld.u64 %d2, [%d1]; cvta.to.{full}.u64 %d3, %d1; " \
            "sub.s64 %d3, %d3, %d0; st.global.v2.u64 [%out], {%d2, %d3};"
        if space == "param":
            body += " st.global.u64 [%out+16], %base;"
        bodies.append((body, []))
    for result in batch(device, header, bodies, module=GENERIC_MODULE):
        for thread in result:
            want = thread[2] if thread[2] else 77
            assert thread[0] == want and thread[1] == 0, f"{row.pattern}: {thread}"
    return len(bodies)


def space_tests(device, header, row):
    spaces = ["global", "const", "shared", "local", "param"]
    count = 0
    for words in row.expansions():
        full = words[-1]
        bodies = []
        for space in spaces:
            window = full if full.split("::")[0] == space else space
            bodies.append((SPACE_SETUP[space] + f"cvta.{window}.u64 %d1, %d0; isspacep.{full} %p0, %d1; "
                           "selp.u64 %d2, 1, 0, %p0; st.global.u64 [%out], %d2;", []))
        for space, result in zip(spaces, batch(device, header, bodies, module=GENERIC_MODULE)):
            want = int(full.split("::")[0] == space or (space == "const" and full == "global"))
            assert result[0][0] == want, f"isspacep.{full} of a {space} address: expected {want}, got {result[0][0]}"
        count += 1
    return count


def shuffles(device, header, row):
    rng = random.Random(5)
    count = 0
    for words in row.expansions():
        mode = words[1]
        bodies, checks = [], []
        for clamp_segment in (0x1F, 0, 0x1C03, 0x181F, 0x0F10, 0x1003):
            data, b, a = [], [], []
            for lane in range(32):
                a.append(rng.getrandbits(32))
                b.append(rng.choice([0, 1, 2, 4, 8, 16, 31, 33, rng.randint(0, 31)]))
                data += [a[-1], b[-1]] + [0] * 6
            bodies.append((f"ld.global.u32 %r0, [%in]; ld.global.u32 %r1, [%in+8]; shfl.sync.{mode}.b32 %r0|%p0, %r0, %r1, "
                           f"{clamp_segment}, 0xffffffff; selp.u32 %r3, 1, 0, %p0; st.global.u32 [%out], %r0; "
                           "st.global.u32 [%out+8], %r3;", data))
            checks.append((a, b, clamp_segment))
        for (a, b, c), result in zip(checks, batch(device, header, bodies)):
            for lane in range(32):
                amount, clamp, segment = b[lane] & 31, c & 31, c >> 8 & 31
                most, least = (lane & segment) | (clamp & ~segment), lane & segment
                source, valid = {"up": (lane - amount, lane - amount >= most), "down": (lane + amount, lane + amount <= most),
                                 "bfly": (lane ^ amount, lane ^ amount <= most),
                                 "idx": (least | (amount & ~segment), least | (amount & ~segment) <= most)}[mode]
                if mode == "bfly":
                    valid = (lane ^ amount) <= most
                if mode == "idx":
                    valid = (least | (amount & ~segment)) <= most
                want = [a[source] if valid else a[lane], int(valid)]
                assert result[lane][:2] == want, f"shfl.sync.{mode} c={c:#x} lane {lane}: expected {want}, got {result[lane]}"
        count += 1
    return count


def votes(device, header, row):
    count = 0
    for words in row.expansions():
        mode = words[1]
        patterns = [0, 0xFFFFFFFF, 0x1, 0x80000000, 0x0F0F00FF]
        for members in (0xFFFFFFFF, 0x0000FF0F):
            for negated in ("", "!"):
                bodies = []
                for p in patterns:
                    result = "%r2" if mode == "ballot" else "%p2"
                    tail = "" if mode == "ballot" else "selp.u32 %r2, 1, 0, %p2;"
                    bodies.append((f"mov.u32 %r0, {p}; shr.u32 %r0, %r0, %t; and.b32 %r0, %r0, 1; setp.ne.u32 %p0, %r0, 0; "
                                   f"mov.u32 %r3, {members}; shr.u32 %r3, %r3, %t; and.b32 %r3, %r3, 1; "
                                   f"setp.ne.u32 %p1, %r3, 0; @!%p1 bra DONE; vote.sync.{'.'.join(words[1:])} {result}, "
                                   f"{negated}%p0, {members}; {tail} st.global.u32 [%out], %r2; DONE:\n", []))
                for p, result in zip(patterns, batch(device, header, bodies)):
                    value = (~p if negated else p) & members
                    want = {"all": int(value == members), "any": int(value != 0), "uni": int(value in (0, members)),
                            "ballot": value}[mode]
                    for lane in range(32):
                        expected = want if members >> lane & 1 else 0
                        assert result[lane][0] == expected, f"vote.sync.{mode} {p:#x}/{members:#x}: {result[lane][0]:#x}"
        count += 1
    return count


def matches(device, header, row):
    count = 0
    for words in row.expansions():
        width = width_of(words[-1])
        reg = register(width)
        for keys in ([lane % 3 for lane in range(32)], [9] * 32):
            data = [v for k in keys for v in [k | (k << 40 if width == 64 else 0)] + [0] * 7]
            target = "%r2|%p0" if "all" in words else "%r2"
            tail = "selp.u32 %r3, 1, 0, %p0; st.global.u32 [%out+8], %r3;" if "all" in words else ""
            body = f"ld.global.b{width} {reg}0, [%in]; match.{'.'.join(words)} {target}, {reg}0, 0xffffffff; " \
                   f"st.global.u32 [%out], %r2; {tail}"
            result = batch(device, header, [(body, data)])[0]
            for lane in range(32):
                equal = sum(1 << k for k in range(32) if keys[k] == keys[lane])
                if "all" in words:
                    want = [0xFFFFFFFF, 1] if equal == 0xFFFFFFFF else [0, 0]
                else:
                    want = [equal, 0]
                assert result[lane][:2] == want, f"match.{'.'.join(words)}: expected {want}, got {result[lane]}"
        count += 1
    return count


def reductions(device, header, row):
    rng = random.Random(6)
    count = 0
    for words in row.expansions():
        op, word = words[1], words[2]
        values = [rng.getrandbits(32) for _ in range(32)]
        data = [v for k in values for v in [k] + [0] * 7]
        result = batch(device, header, [(f"ld.global.u32 %r0, [%in]; redux.sync.{op}.{word} %r1, %r0, 0xffffffff; "
                                         "st.global.u32 [%out], %r1;", data)])[0]
        items = [signed(v, 32) for v in values] if word == "s32" else values
        want = {"add": lambda: sum(items), "min": lambda: min(items), "max": lambda: max(items),
                "and": lambda: fold(items, lambda a, b: a & b), "or": lambda: fold(items, lambda a, b: a | b),
                "xor": lambda: fold(items, lambda a, b: a ^ b)}[op]() & 0xFFFFFFFF
        assert all(thread[0] == want for thread in result), f"redux.sync.{op}.{word}"
        count += 1
    return count


def fold(items, function):
    result = items[0]
    for item in items[1:]:
        result = function(result, item)
    return result


def active_lanes(device, header, row):
    body = "setp.lt.u32 %p0, %t, 5; @%p0 bra LESS; activemask.b32 %r0; st.global.u32 [%out], %r0; bra END;\n" \
           "LESS: activemask.b32 %r0; st.global.u32 [%out], %r0;\nEND:\n"
    if row.base == "elect":
        body = "elect.sync %r0|%p0, 0xffffffff; selp.u32 %r1, 1, 0, %p0; st.global.u32 [%out], %r0; " \
               "st.global.u32 [%out+8], %r1;"
    result = batch(device, header, [(body, [])])[0]
    if row.base == "elect":
        leader = result[0][0]
        assert all(t[0] == leader for t in result) and [t[1] for t in result] == [int(l == leader) for l in range(32)]
    else:
        assert [t[0] for t in result] == [0x1F if l < 5 else 0xFFFFFFE0 for l in range(32)]
    return 1


def lane_exchange(device, header, row):
    """bar.warp.sync makes one lane's store visible to its neighbour."""
    body = ".shared .align 4 .b8 sm[128]; .reg .b32 %sa, %sb; mov.u32 %sa, sm; shl.b32 %r0, %t, 2; add.u32 %sb, %sa, %r0; " \
           "st.shared.u32 [%sb], %t; bar.warp.sync 0xffffffff; xor.b32 %r0, %r0, 124; add.u32 %sa, %sa, %r0; " \
           "ld.shared.u32 %r1, [%sa]; st.global.u32 [%out], %r1;"
    result = batch(device, header, [(body, [])])[0]
    assert [t[0] for t in result] == [31 - l for l in range(32)]
    return 1


def barriers(device, header, row):
    """Thread t of 64 writes, all meet, thread t reads what thread 63 - t wrote; reductions count odd threads."""
    count = 0
    for words in row.expansions():
        text = ".".join([row.base] + words)
        variants = []
        if "red" in words:
            target = "%r3" if "popc" in words else "%p3"
            after = "" if "popc" in words else "selp.u32 %r3, 1, 0, %p3;"
            variants = [(f"{text} {target}, 1, %p0; {after}", ""), (f"{text} {target}, 1, 64, !%p0; {after}", "!")]
        elif "arrive" in words:
            # Warp 0 arrives, warp 1 waits: only warp 1 may read.
            sync = text.replace("arrive", "sync")
            variants = [(f"setp.lt.u32 %p1, %t, 32; @%p1 bra ARRIVE; {sync} 1, 64; bra MET; ARRIVE: {text} 1, 64; MET:\n", "")]
        else:
            variants = [(f"{text} 0;", ""), (f"{text} 3, 64;", "")]
        for code, negated in variants:
            body = ".shared .align 4 .b8 sm[256]; .reg .b32 %sa, %sb; mov.u32 %sa, sm; shl.b32 %r0, %t, 2; " \
                   "add.u32 %sb, %sa, %r0; mul.lo.u32 %r1, %t, 3; st.shared.u32 [%sb], %r1; and.b32 %r2, %t, 1; " \
                   "setp.ne.u32 %p0, %r2, 0; mov.u32 %r3, 0;\n" + code + \
                   "\nxor.b32 %r0, %r0, 252; add.u32 %sa, %sa, %r0; setp.ge.u32 %p2, %t, 32; mov.u32 %r4, 0;\n" + \
                   ("@%p2 " if "arrive" in words else "") + "ld.shared.u32 %r4, [%sa]; st.global.u32 [%out], %r4; " \
                   "st.global.u32 [%out+8], %r3;"
            result = batch(device, header, [(body, [])], threads=64)[0]
            for t in range(64):
                want = 3 * (63 - t) if "arrive" not in words or t >= 32 else 0
                red = {"popc": 32, "and": 0, "or": 1}.get(words[-2] if words[-2] != "aligned" else words[-3], 0) \
                    if "red" in words else 0
                assert result[t][:2] == [want, red], f"{code}: thread {t}: expected {[want, red]}, got {result[t][:2]}"
        count += 1
    return count


def fences(device, header, row):
    """One thread hands a value to one of another warp: data, fence, flag; flag, fence, data."""
    bodies = []
    for words in row.expansions():
        text = ".".join([row.base] + words)
        release = text.replace("acquire", "release")
        acquire = text.replace("release", "acquire")
        bodies.append((".shared .align 8 .b8 sm[16]; .reg .b32 %v; setp.eq.u32 %p0, %t, 0; setp.eq.u32 %p1, %t, 32; "
                       "@%p0 st.shared.u32 [sm], 0; bar.sync 0;\n@%p0 bra GIVE; @%p1 bra TAKE; bra END;\n"
                       f"GIVE: st.shared.u32 [sm+4], 99; {release}; st.volatile.shared.u32 [sm], 1; bra END;\n"
                       "TAKE: ld.volatile.shared.u32 %v, [sm]; setp.eq.u32 %p2, %v, 0; @%p2 bra TAKE;\n"
                       f"{acquire}; ld.shared.u32 %v, [sm+4]; st.global.u32 [%out], %v;\nEND:\n", []))
    for result in batch(device, header, bodies, threads=64):
        assert result[32][0] == 99, f"{row.pattern}: got {result[32][0]}"
    return len(bodies)


FUNCTIONS = """
.func (.param .b32 r) twice(.param .b32 a) { .reg .b32 %x; ld.param.b32 %x, [a]; add.u32 %x, %x, %x; st.param.b32 [r], %x; ret; }
.func (.param .b32 r) fact(.param .b32 a) { .reg .b32 %x, %y; .reg .pred %p;
  ld.param.b32 %x, [a]; mov.u32 %y, 1; setp.le.u32 %p, %x, 1; @%p bra OUT;
  sub.u32 %y, %x, 1; { .param .b32 pa; .param .b32 pr; st.param.b32 [pa], %y; call.uni (pr), fact, (pa); ld.param.b32 %y, [pr]; }
  mul.lo.u32 %y, %y, %x;
OUT: st.param.b32 [r], %y; ret; }
.global .u64 table[2] = {twice, fact};
"""


def calls(device, header, row):
    """Direct, recursive with lanes of different depth, and indirect calls with two targets in one warp."""
    count = 0
    for words in row.expansions():
        name = ".".join(["call"] + words)
        frame = "{{ .param .b32 pa; .param .b32 pr; st.param.b32 [pa], {0}; {1}; ld.param.b32 {2}, [pr]; }}\n"
        body = "and.b32 %r0, %t, 7;\n" + frame.format("%t", f"{name} (pr), twice, (pa)", "%r1") + \
            frame.format("%r0", f"{name} (pr), fact, (pa)", "%r2") + \
            "and.b32 %r3, %t, 1; mul.wide.u32 %d0, %r3, 8; mov.u64 %d1, table; add.s64 %d0, %d0, %d1; ld.global.u64 %d2, [%d0];\n" \
            "PROTO: .callprototype (.param .b32 _) _ (.param .b32 _);\n" + \
            frame.format("%r0", "call (pr), %d2, (pa), PROTO", "%r4") + \
            "st.global.u32 [%out], %r1; st.global.u32 [%out+8], %r2; st.global.u32 [%out+16], %r4;"
        result = batch(device, header, [(body, [])], module=FUNCTIONS)[0]
        factorial = [1, 1, 2, 6, 24, 120, 720, 5040]
        for t in range(32):
            want = [2 * t, factorial[t & 7], factorial[t & 7] if t & 1 else 2 * (t & 7)]
            assert result[t][:3] == want, f"{name}, thread {t}: expected {want}, got {result[t][:3]}"
        count += 1
    return count


def branches(device, header, row):
    bodies, checks = [], []
    for words in row.expansions():
        text = ".".join([row.base] + words)
        if row.base == "bra":
            # Loops of different length in every lane; .uni only where all go the same way.
            if "uni" in words:
                body = f"mov.u32 %r0, 0; {text} L; mov.u32 %r0, 5; L: st.global.u32 [%out], %r0;"
                checks.append(lambda t: 0)
            else:
                body = "mov.u32 %r0, 0; mov.u32 %r1, %t;\nLOOP: setp.eq.u32 %p0, %r1, 0; " \
                       f"@%p0 {text} OUT; add.u32 %r0, %r0, %r1; sub.u32 %r1, %r1, 1; {text} LOOP;\nOUT: st.global.u32 [%out], %r0;"
                checks.append(lambda t: t * (t + 1) // 2)
        else:
            index = "mov.u32 %r0, 2" if "uni" in words else "rem.u32 %r0, %t, 3"
            body = f"{index}; TABLE: .branchtargets A, B, C; {text} %r0, TABLE;\n" \
                   "A: mov.u32 %r1, 10; bra END; B: mov.u32 %r1, 11; bra END; C: mov.u32 %r1, 12;\nEND: st.global.u32 [%out], %r1;"
            checks.append((lambda t: 12) if "uni" in words else (lambda t: 10 + t % 3))
        bodies.append((body, []))
    for check, result in zip(checks, batch(device, header, bodies)):
        assert [t[0] for t in result] == [check(t) for t in range(32)], f"{row.pattern}: {[t[0] for t in result]}"
    return len(bodies)


def leaving(device, header, row):
    """Odd lanes leave, even ones write."""
    bodies = []
    for words in row.expansions():
        text = ".".join([row.base] + words)
        # Marked .uni only where no lane stays.
        if "uni" in words:
            bodies.append((f"st.global.u32 [%out], 1; and.b32 %r0, %t, 1; add.u32 %r0, %r0, 1;"
                           f" setp.eq.u32 %p0, %r0, 2; @!%p0 st.global.u32 [%out], 2; {text};", []))
        else:
            bodies.append((f"st.global.u32 [%out], 1; and.b32 %r0, %t, 1; setp.ne.u32 %p0, %r0, 0; @%p0 {text}; "
                           "st.global.u32 [%out], 2;", []))
    for result in batch(device, header, bodies):
        assert [t[0] for t in result] == [1 if t & 1 else 2 for t in range(32)]
    return len(bodies)


def traps(device, header, row):
    """Not taken here; `checks` tests that a trap taken is an error."""
    result = batch(device, header, [(f"setp.gt.u32 %p0, %t, 100; @%p0 {row.base}; st.global.u32 [%out], 3;", [])])[0]
    assert all(t[0] == 3 for t in result)
    return 1


def no_effect(device, header, row):
    bodies = []
    for words in row.expansions():
        operand = {"nanosleep": "20", "pmevent": "1"}.get(row.base, "")
        bodies.append((f"{'.'.join([row.base] + words)} {operand}; st.global.u32 [%out], 4;", []))
    for result in batch(device, header, bodies):
        assert all(t[0] == 4 for t in result)
    return len(bodies)


RUNNERS = {"ld": loads, "st": stores, "prefetch": prefetches, "prefetchu": prefetches, "atom": atomics, "red": atomics,
           "mov": moves, "cvta": address_conversions, "isspacep": space_tests, "shfl": shuffles, "vote": votes,
           "match": matches, "redux": reductions, "activemask": active_lanes, "elect": active_lanes,
           "barrier": barriers, "membar": fences, "fence": fences, "call": calls, "bra": branches, "brx": branches,
           "ret": leaving, "exit": leaving, "trap": traps, "brkpt": traps, "nanosleep": no_effect,
           "griddepcontrol": no_effect, "pmevent": no_effect}


def runner(row):
    if row.base == "bar":
        return lane_exchange if "warp" in row.pattern else barriers
    return RUNNERS.get(row.base)
