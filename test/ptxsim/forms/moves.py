# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Moves, packing, and the ways into and out of the generic address space."""

from batch import batch, pattern_words, register
from common import width_of


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
