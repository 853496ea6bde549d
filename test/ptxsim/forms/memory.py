# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads, stores, prefetches and atomics: every spelling of a row, with at most one cache hint."""

import random

import exact
from batch import batch, pattern_words, register, width128
from common import INTS, types_in, width_of
from exact import WIDTH, decode, encode, signed


def plain_only(words):
    """Spellings with at most one cache hint, and those with .b32 only: hints change no result, and
    their product with everything else is huge."""
    if "b128" in words and any(w in ("v2", "v4", "v8") for w in words):
        return False
    hints = [w for w in words if "::" in w and not w.startswith(("shared", "param"))]
    hints += [w for w in words if w in ("ca", "cg", "cs", "lu", "cv", "wb", "wt")]
    spaces = [w.split("::")[0] for w in words]
    if any("::" in h for h in hints) and any(w in spaces for w in ("shared", "local", "const", "param")):
        return False  # illegal: these are not cached in L1 and L2
    needed = sum(w.startswith("L2::evict") for w in words)
    return len(hints) <= needed + (1 if "b32" in words else 0)


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
