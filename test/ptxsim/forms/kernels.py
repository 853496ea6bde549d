# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX around single instructions, and the loop that compares them with the reference."""

import ctypes
import struct

COUNT = 256  # inputs of one form; one thread each
SLOT = 16  # bytes of one operand in memory


class Case:
    """One form: its text, operand widths (0 is a predicate), and a function from bits to bits."""

    def __init__(self, text, result, sources, function, operands=None, extra_results=0, immediates=()):
        self.text = text
        self.results = [result] + [0] * extra_results
        self.sources = sources  # [(kind, width)]; kind drives the choice of inputs
        self.function = function
        self.operands = operands  # format with {d} {q} {a} {b} {c} {e}
        self.immediates = immediates


def declaration(case, name, guard=""):
    lines = [f".visible .entry {name}(.param .u64 in, .param .u64 out)", "{",
             "  .reg .b64 %in, %out, %t64; .reg .b32 %t, %u; .reg .pred %keep;"]
    for prefix, widths in (("s", [w for _, w in case.sources]), ("d", case.results)):
        for i, width in enumerate(widths):
            lines.append(f"  .reg .{'pred' if width == 0 else 'b%d' % width} %{prefix}{i};")
    lines += ["  ld.param.u64 %in, [in];", "  ld.param.u64 %out, [out];", "  mov.u32 %t, %tid.x;",
              f"  mul.wide.u32 %t64, %t, {SLOT * len(case.sources)};", "  add.s64 %in, %in, %t64;",
              f"  mul.wide.u32 %t64, %t, {SLOT * len(case.results)};", "  add.s64 %out, %out, %t64;"]
    for i, (_, width) in enumerate(case.sources):
        if width == 0:
            lines += [f"  ld.global.b32 %u, [%in+{SLOT * i}];", f"  setp.ne.s32 %s{i}, %u, 0;"]
        else:
            lines.append(f"  ld.global.b{width} %s{i}, [%in+{SLOT * i}];")
    names = {"a": "%s0", "b": "%s1", "c": "%s2", "e": "%s3", "d": "%d0", "q": "%d1"}
    operands = case.operands or ", ".join(["{d}"] + ["{%s}" % c for c in "abce"[: len(case.sources)]])
    lines.append(f"  {guard}{case.text} {operands.format(**names)};")
    for i, width in enumerate(case.results):
        if width == 0:
            lines += [f"  selp.u32 %u, 1, 0, %d{i};", f"  st.global.b32 [%out+{SLOT * i}], %u;"]
        else:
            lines.append(f"  st.global.b{width} [%out+{SLOT * i}], %d{i};")
    return "\n".join(lines + ["  ret;", "}"])


def run(device, header, cases, rows_of):
    """Runs all cases; yields (case, row, expected, got) for every difference."""
    text = header + "\n".join(declaration(case, f"k{i}") for i, case in enumerate(cases))
    module = device.load(text)
    for i, case in enumerate(cases):
        rows = rows_of(case)
        data = bytearray()
        for row in rows:
            for value in row:
                data += value.to_bytes(SLOT, "little")
        source = device.upload(data)
        size = len(rows) * SLOT * len(case.results)
        target = device.upload(bytes(size))
        device.launch(device.function(module, f"k{i}"), 1, len(rows),
                      [ctypes.c_uint64(source), ctypes.c_uint64(target)])
        raw = device.read(target, size)
        device.free(source)
        device.free(target)
        for j, row in enumerate(rows):
            expected = case.function(*row)
            expected = expected if isinstance(expected, tuple) else (expected,)
            for k, want in enumerate(expected):
                at = (j * len(case.results) + k) * SLOT
                width = case.results[k] or 32
                got = int.from_bytes(raw[at : at + width // 8], "little")
                if want == "nan":  # f64: the manual fixes no pattern
                    bits = struct.unpack("<d", got.to_bytes(8, "little"))[0]
                    if bits != bits:
                        continue
                if want is not None and got != want:
                    yield case, row, want, got
    device.unload(module)
