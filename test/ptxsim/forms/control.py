# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls, branches, leaving, and instructions without a visible effect."""

from batch import batch

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
