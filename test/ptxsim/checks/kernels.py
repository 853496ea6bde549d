# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Correct kernels, and mutants of them with the check that has to catch each.

A mutant is a list of (old, new) replacements in the kernel's text; the text must contain `old`.
`values_stay` marks mutants whose results are right all the same: no test of values can find those.
"""

HEADER = ".version 8.6\n.target sm_80\n.address_size 64\n"

# out[i] = 2 * in[i] for i < n, four at a time when marked.
SCALE = HEADER + """
.visible .entry k(.param .u64 pin, .param .u64 pout, .param .u32 pn) {
  .reg .b64 %a, %b, %x; .reg .b32 %i, %n, %c, %t; .reg .pred %p; .reg .f32 %f<4>;
  ld.param.u64 %a, [pin]; ld.param.u64 %b, [pout]; ld.param.u32 %n, [pn];
  mov.u32 %t, %tid.x; mov.u32 %c, %ctaid.x; mov.u32 %i, %ntid.x; mad.lo.u32 %i, %c, %i, %t;
  setp.ge.u32 %p, %i, %n;
  @%p bra END;
  mul.wide.u32 %x, %i, 4; add.s64 %a, %a, %x; add.s64 %b, %b, %x;
  ld.global.f32 %f0, [%a];
  add.rn.f32 %f0, %f0, %f0;
  st.global.f32 [%b], %f0;
END:
  ret;
}
"""

VECTOR = HEADER + """
.visible .entry k(.param .u64 pin, .param .u64 pout, .param .u32 pn) {
  .reg .b64 %a, %b, %x; .reg .b32 %t; .reg .f32 %f<4>;
  ld.param.u64 %a, [pin]; ld.param.u64 %b, [pout];
  mov.u32 %t, %tid.x; mul.wide.u32 %x, %t, 16; add.s64 %a, %a, %x; add.s64 %b, %b, %x;
  ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%a];
  add.rn.f32 %f0, %f0, %f0; add.rn.f32 %f1, %f1, %f1; add.rn.f32 %f2, %f2, %f2; add.rn.f32 %f3, %f3, %f3;
  st.global.v4.f32 [%b], {%f0, %f1, %f2, %f3};
  ret;
}
"""

# Each block reverses its 256 values through shared memory, twice.
REVERSE = HEADER + """
.visible .entry k(.param .u64 pin, .param .u64 pout, .param .u32 pn) {
  .shared .align 4 .b8 sm[1024];
  .reg .b64 %a, %b, %x; .reg .b32 %t, %s, %r, %i, %v, %k, %acc; .reg .pred %p;
  ld.param.u64 %a, [pin]; ld.param.u64 %b, [pout];
  mov.u32 %t, %tid.x; mov.u32 %i, %ctaid.x; shl.b32 %i, %i, 8; add.u32 %i, %i, %t;
  mul.wide.u32 %x, %i, 4; add.s64 %a, %a, %x; add.s64 %b, %b, %x;
  mov.u32 %s, sm; shl.b32 %r, %t, 2; add.u32 %s, %s, %r; mov.u32 %v, sm; xor.b32 %r, %r, 1020; add.u32 %r, %v, %r;
  ld.global.u32 %v, [%a];
  mov.u32 %acc, 0;
  mov.u32 %k, 0;
LOOP:
  st.shared.u32 [%s], %v;
  bar.sync 0; // first
  ld.shared.u32 %v, [%r];
  bar.sync 0; // second
  add.u32 %acc, %acc, 1;
  add.u32 %k, %k, 1;
  setp.lt.u32 %p, %k, 3;
  @%p bra LOOP;
  add.u32 %v, %v, %acc;
  st.global.u32 [%b], %v;
  ret;
}
"""

# Sum over all blocks: partial sums, a ticket, and the last block adds them up in order.
LAST_BLOCK = HEADER + """
.global .align 4 .u32 ticket = 0;
.global .align 4 .b8 partials[256];
.visible .entry k(.param .u64 pin, .param .u64 pout, .param .u32 pn) {
  .shared .align 4 .b8 sm[8];
  .reg .b64 %a, %b, %x, %y; .reg .b32 %t, %c, %n, %v, %sum, %k, %old; .reg .pred %p, %last;
  ld.param.u64 %a, [pin]; ld.param.u64 %b, [pout];
  mov.u32 %t, %tid.x; mov.u32 %c, %ctaid.x; mov.u32 %n, %nctaid.x;
  setp.ne.u32 %p, %t, 0;
  @%p bra MEET;
  // Thread 0 adds the block's 64 values.
  mov.u32 %sum, 0; mov.u32 %k, 0; mul.wide.u32 %x, %c, 256; add.s64 %x, %x, %a;
SUM:
  ld.global.u32 %v, [%x]; add.u32 %sum, %sum, %v; add.s64 %x, %x, 4; add.u32 %k, %k, 1;
  setp.lt.u32 %p, %k, 64;
  @%p bra SUM;
  mov.u64 %y, partials; mul.wide.u32 %x, %c, 4; add.s64 %y, %y, %x;
  st.global.u32 [%y], %sum;
  fence.acq_rel.gpu; // release
  mov.u64 %y, ticket;
  atom.relaxed.gpu.global.add.u32 %old, [%y], 1;
  fence.acq_rel.gpu; // acquire
  add.u32 %old, %old, 1;
  st.shared.u32 [sm], %old;
MEET:
  bar.sync 0;
  ld.shared.u32 %old, [sm];
  setp.ne.u32 %p, %old, %n;
  @%p bra END;
  setp.ne.u32 %p, %t, 1;
  @%p bra END;
  mov.u32 %sum, 0; mov.u32 %k, 0; mov.u64 %y, partials;
ADD:
  ld.global.u32 %v, [%y]; add.u32 %sum, %sum, %v; add.s64 %y, %y, 4; add.u32 %k, %k, 1;
  setp.lt.u32 %p, %k, %n;
  @%p bra ADD;
  st.global.u32 [%b], %sum;
END:
  ret;
}
"""

# Warp sum by shuffles, written by lane 0.
WARP_SUM = HEADER + """
.visible .entry k(.param .u64 pin, .param .u64 pout, .param .u32 pn) {
  .reg .b64 %a, %b, %x; .reg .b32 %t, %v, %w, %i; .reg .pred %p;
  ld.param.u64 %a, [pin]; ld.param.u64 %b, [pout];
  mov.u32 %t, %tid.x; mul.wide.u32 %x, %t, 4; add.s64 %a, %a, %x;
  ld.global.u32 %v, [%a];
  setp.lt.u32 %p, %t, 32;
  shfl.sync.bfly.b32 %w, %v, 16, 31, 0xffffffff; add.u32 %v, %v, %w;
  shfl.sync.bfly.b32 %w, %v, 8, 31, 0xffffffff; add.u32 %v, %v, %w;
  shfl.sync.bfly.b32 %w, %v, 4, 31, 0xffffffff; add.u32 %v, %v, %w;
  shfl.sync.bfly.b32 %w, %v, 2, 31, 0xffffffff; add.u32 %v, %v, %w;
  shfl.sync.bfly.b32 %w, %v, 1, 31, 0xffffffff; add.u32 %v, %v, %w;
  bar.sync 0;
  setp.ne.u32 %p, %t, 0;
  @%p bra END;
  st.global.u32 [%b], %v;
END:
  ret;
}
"""

# Lanes exchange through shared memory inside a warp.
WARP_SHARED = HEADER + """
.visible .entry k(.param .u64 pin, .param .u64 pout, .param .u32 pn) {
  .shared .align 4 .b8 sm[128];
  .reg .b64 %a, %b, %x; .reg .b32 %t, %v, %s, %r;
  ld.param.u64 %a, [pin]; ld.param.u64 %b, [pout];
  mov.u32 %t, %tid.x; mul.wide.u32 %x, %t, 4; add.s64 %a, %a, %x; add.s64 %b, %b, %x;
  ld.global.u32 %v, [%a];
  mov.u32 %s, sm; shl.b32 %r, %t, 2; add.u32 %s, %s, %r; mov.u32 %t, sm; xor.b32 %r, %r, 4; add.u32 %r, %t, %r;
  st.shared.u32 [%s], %v;
  bar.warp.sync 0xffffffff;
  ld.shared.u32 %v, [%r];
  st.global.u32 [%b], %v;
  ret;
}
"""

# Block 1 waits for what block 0 gives; both must be resident.
HANDOVER = HEADER + """
.global .align 4 .u32 flag = 0;
.visible .entry k(.param .u64 pin, .param .u64 pout, .param .u32 pn) {
  .reg .b64 %a, %b, %y; .reg .b32 %t, %c, %v; .reg .pred %p;
  ld.param.u64 %a, [pin]; ld.param.u64 %b, [pout];
  mov.u32 %c, %ctaid.x; mov.u64 %y, flag; setp.ne.u32 %p, %c, 0;
  @%p bra TAKE;
  ld.global.u32 %v, [%a];
  st.global.u32 [%b+4], %v;
  st.release.gpu.global.u32 [%y], 1;
  bra END;
TAKE:
  ld.acquire.gpu.global.u32 %v, [%y];
  setp.eq.u32 %p, %v, 0;
  @%p bra TAKE;
  ld.global.u32 %v, [%b+4];
  st.global.u32 [%b], %v;
END:
  ret;
}
"""

# Reads what other threads wrote in an earlier launch only.
THROUGH_CACHE = HEADER + """
.visible .entry k(.param .u64 pin, .param .u64 pout, .param .u32 pn) {
  .reg .b64 %a, %b, %x; .reg .b32 %t, %v;
  ld.param.u64 %a, [pin]; ld.param.u64 %b, [pout];
  mov.u32 %t, %tid.x; mul.wide.u32 %x, %t, 4; add.s64 %a, %a, %x; add.s64 %b, %b, %x;
  ld.global.nc.u32 %v, [%a];
  add.u32 %v, %v, 1;
  st.global.u32 [%b], %v;
  ret;
}
"""

# Locals, constants, a parameter structure, a call.
SPACES = HEADER + """
.const .align 4 .u32 c[4] = {1, 2, 3, 4};
.func (.param .b32 r) twice(.param .b32 a) {
  .reg .b32 %x; ld.param.b32 %x, [a]; add.u32 %x, %x, %x; st.param.b32 [r], %x; ret; }
.visible .entry k(.param .u64 pin, .param .u64 pout, .param .u32 pn) {
  .local .align 4 .b8 lm[16]; .shared .align 4 .b8 sm[128];
  .reg .b64 %a, %b, %x, %y; .reg .b32 %t, %v, %w, %s; .reg .pred %p;
  ld.param.u64 %a, [pin]; ld.param.u64 %b, [pout];
  mov.u32 %t, %tid.x; mul.wide.u32 %x, %t, 4; add.s64 %b, %b, %x; add.s64 %a, %a, %x;
  and.b32 %v, %t, 3; mul.wide.u32 %x, %v, 4; mov.u64 %y, c; add.s64 %y, %y, %x; ld.const.u32 %w, [%y];
  mov.u64 %y, lm; add.s64 %y, %y, %x; st.local.u32 [%y], %w; ld.local.u32 %w, [%y];
  mov.u32 %s, sm; shl.b32 %v, %t, 2; add.u32 %s, %s, %v; st.shared.u32 [%s], %w; ld.shared.u32 %w, [%s];
  { .param .b32 pa; .param .b32 pr; st.param.b32 [pa], %w; call.uni (pr), twice, (pa); ld.param.b32 %w, [pr]; }
  ld.global.u32 %v, [%a]; add.u32 %w, %w, %v;
  st.global.u32 [%b], %w;
  ret;
}
"""

# kernel: (text, grid, block, words in, words out)
KERNELS = {
    "scale": (SCALE, 4, 64, 200, 200),
    "vector": (VECTOR, 1, 32, 128, 128),
    "reverse": (REVERSE, 2, 256, 512, 512),
    "last-block": (LAST_BLOCK, 8, 64, 512, 1),
    "warp-sum": (WARP_SUM, 1, 32, 32, 1),
    "warp-shared": (WARP_SHARED, 1, 32, 32, 32),
    "handover": (HANDOVER, 2, 1, 2, 2),
    "through-cache": (THROUGH_CACHE, 1, 64, 64, 64),
    "spaces": (SPACES, 1, 32, 32, 32),
}
COOPERATIVE = {"handover"}


class Mutant:
    def __init__(self, kernel, name, finding, error, edits=(), values_stay=False, short=0, shift=0, unwritten=False):
        self.kernel, self.name, self.finding, self.error = kernel, name, finding, error
        self.edits, self.values_stay = edits, values_stay
        self.short = short  # bytes that the output buffer lacks
        self.shift = shift  # bytes that the input pointer is off
        self.unwritten = unwritten  # the input was never written


ADDRESS, MISALIGNED, TIMEOUT, FAILED, TRAP, STACK, PC = 700, 716, 702, 719, 715, 714, 718

MUTANTS = [
    # Bounds and alignment.
    Mutant("scale", "buffer 8 bytes short", "out-of-bounds", ADDRESS, short=8),
    Mutant("scale", "bounds test dropped", "out-of-bounds", ADDRESS, [("  @%p bra END;\n", "")]),
    Mutant("vector", "v4 at 4-byte alignment", "misaligned", MISALIGNED, shift=4),
    Mutant("spaces", "constant table overrun", "out-of-bounds", ADDRESS, [("ld.const.u32 %w, [%y]", "ld.const.u32 %w, [%y+16]")]),
    Mutant("spaces", "local array overrun", "out-of-bounds", ADDRESS,
           [("ld.local.u32 %w, [%y]", "ld.local.u32 %w, [%y+4096]")]),
    Mutant("spaces", "shared window overrun", "out-of-bounds", ADDRESS, [("ld.shared.u32 %w, [%s]", "ld.shared.u32 %w, [%s+128]")]),
    Mutant("spaces", "write to a constant", "read-only-write", ADDRESS,
           [("ld.const.u32 %w, [%y];", "ld.const.u32 %w, [%y]; st.u32 [%y], %w;")]),
    Mutant("spaces", "parameter overrun", "out-of-bounds", ADDRESS, [("ld.param.u64 %a, [pin];", "ld.param.u64 %a, [pin+24];")]),
    # Unwritten bytes and registers.
    Mutant("scale", "input never written", "uninitialised-memory", FAILED, unwritten=True),
    Mutant("reverse", "shared memory read before the first write", "uninitialised-memory", FAILED,
           [("  st.shared.u32 [%s], %v;\n  bar.sync 0; // first\n  ld.shared.u32 %v, [%r];\n",
             "  ld.shared.u32 %v, [%r];\n  bar.sync 0; // first\n  st.shared.u32 [%s], %v;\n")]),
    Mutant("reverse", "missing first barrier", "uninitialised-memory", FAILED, [("  bar.sync 0; // first\n", "")]),
    Mutant("spaces", "local array read before the first write", "uninitialised-memory", FAILED,
           [("st.local.u32 [%y], %w; ", "")]),
    Mutant("spaces", "argument of a call never written", "uninitialised-memory", FAILED, [("st.param.b32 [pa], %w; ", "")]),
    Mutant("reverse", "dropped initialisation", "uninitialised-register", FAILED, [("  mov.u32 %acc, 0;\n", "")]),
    # The unwritten register is an index here, so the launch ends with a bad address.
    Mutant("spaces", "register written on one path only", "uninitialised-register", ADDRESS,
           [("and.b32 %v, %t, 3;", "setp.lt.u32 %p, %t, 16; @%p and.b32 %v, %t, 3;")]),
    # Races: the values stay right.
    Mutant("reverse", "missing second barrier", "race", FAILED, [("  bar.sync 0; // second\n", "")]),
    Mutant("last-block", "missing release fence", "race", FAILED, [("  fence.acq_rel.gpu; // release\n", "")], values_stay=True),
    Mutant("last-block", "missing acquire fence", "race", FAILED, [("  fence.acq_rel.gpu; // acquire\n", "")], values_stay=True),
    Mutant("last-block", "fence of block scope", "race", FAILED,
           [("fence.acq_rel.gpu; // release", "fence.acq_rel.cta; // release")], values_stay=True),
    Mutant("last-block", "atomic replaced by a plain store", "race", FAILED,
           [("atom.relaxed.gpu.global.add.u32 %old, [%y], 1;",
             "ld.global.u32 %old, [%y]; add.u32 %v, %old, 1; st.global.u32 [%y], %v;")], values_stay=True),
    Mutant("last-block", "atomic of block scope", "race", FAILED, [("atom.relaxed.gpu", "atom.relaxed.cta")], values_stay=True),
    Mutant("warp-shared", "missing warp barrier", "race", FAILED, [("  bar.warp.sync 0xffffffff;\n", "")], values_stay=True),
    Mutant("handover", "store without release", "race", FAILED, [("st.release.gpu", "st.relaxed.gpu")], values_stay=True),
    Mutant("handover", "load without acquire", "race", FAILED, [("ld.acquire.gpu", "ld.relaxed.gpu")], values_stay=True),
    Mutant("handover", "release of block scope", "race", FAILED, [("st.release.gpu", "st.release.cta")], values_stay=True),
    # Barriers and member masks.
    Mutant("warp-sum", "barrier in a divergent branch", "barrier-divergence", FAILED,
           [("  bar.sync 0;\n  setp.ne.u32 %p, %t, 0;\n  @%p bra END;\n",
             "  setp.ne.u32 %p, %t, 0;\n  @%p bra END;\n  bar.sync 0;\n")]),
    Mutant("reverse", "half of the lanes wait elsewhere", "barrier-divergence", FAILED,
           [("  bar.sync 0; // second\n",
             "  and.b32 %v, %t, 1; setp.eq.u32 %p, %v, 0; @%p bra ODD; bar.sync 0; bra MET;\nODD: bar.sync 0;\nMET:\n"
             "  ld.shared.u32 %v, [%r];\n")]),
    Mutant("warp-sum", "missing lanes in a member mask", "missing-lanes", FAILED,
           [("  setp.lt.u32 %p, %t, 32;\n", "  setp.lt.u32 %p, %t, 16;\n  @!%p bra MEET;\n"), ("  bar.sync 0;\n", "MEET:\n  bar.sync 0;\n")]),
    Mutant("warp-sum", "lane outside its own member mask", "missing-lanes", FAILED,
           [("%w, %v, 16, 31, 0xffffffff", "%w, %v, 16, 31, 0x0000ffff")]),
    Mutant("warp-sum", "shuffle from a lane that does not take part", "inactive-lane", FAILED,
           [("  setp.lt.u32 %p, %t, 32;\n  shfl.sync.bfly.b32 %w, %v, 16, 31, 0xffffffff;",
             "  setp.lt.u32 %p, %t, 16;\n  @%p shfl.sync.bfly.b32 %w, %v, 16, 31, 0x0000ffff;\n  @!%p mov.u32 %w, 0;\n")]),
    Mutant("spaces", "divergent bra.uni", "divergent-uniform", FAILED,
           [("and.b32 %v, %t, 3;", "setp.lt.u32 %p, %t, 16; @%p bra.uni ON;\nON: and.b32 %v, %t, 3;")]),
    # The read-only path, progress, and what ends a kernel.
    Mutant("through-cache", "data written in the same launch", "non-coherent", FAILED,
           [("ld.global.nc.u32 %v, [%a];", "ld.global.u32 %v, [%a]; st.global.u32 [%a], %v; ld.global.nc.u32 %v, [%a];")]),
    Mutant("handover", "spin without a partner", "no-progress", TIMEOUT, [("  st.release.gpu.global.u32 [%y], 1;\n", "")]),
    Mutant("scale", "trap", "trap", TRAP, [("  @%p bra END;\n", "  @%p bra END;\n  trap;\n")]),
    Mutant("spaces", "endless recursion", "stack-overflow", STACK,
           [("  .reg .b32 %x; ld.param.b32 %x, [a]; add.u32",
             "  .reg .b32 %x; ld.param.b32 %x, [a]; { .param .b32 pa; .param .b32 pr; st.param.b32 [pa], %x; "
             "call.uni (pr), twice, (pa); ld.param.b32 %x, [pr]; } add.u32")]),
    Mutant("spaces", "call of no function", "bad-call", PC,
           [("call.uni (pr), twice, (pa);", "P: .callprototype (.param .b32 _) _ (.param .b32 _); call (pr), %b, (pa), P;")]),
]
