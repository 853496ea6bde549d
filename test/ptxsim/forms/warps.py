# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lanes of a warp among each other, barriers of a block, fences."""

import random

from batch import batch, register
from common import width_of
from exact import signed


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
