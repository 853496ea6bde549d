# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests every row of the form table; a row without a test is a failure.

run.py --library libcuda.so.1 --tool ptxsim-run [--only REGEX] [--docs FILE [--write]] [--ptxas]
"""

import argparse
import re
import sys
import zlib

sys.path.insert(0, __file__.rsplit("/", 1)[0])
sys.path.insert(0, __file__.rsplit("/", 2)[0])

import approximate
import elementwise
import kernels
import machine
import table
from driver import CudaError, Device
from values import inputs

HEADER = ".version 9.0\n.target {}\n.address_size 64\n"
MODULE_CASES = 150


def elementwise_cases(row):
    cases = []
    for words in row.expansions():
        case = elementwise.case(row.base, words)
        # cvt to integers of equal types, f32.f32 without rounding and the like are all real forms.
        if case:
            cases.append(case)
    return cases


def rows_of(case):
    sources = []
    for kind, width in case.sources:
        sources.append((kind if not kind.endswith("x2") else "int", max(width, 1)))
    seed = zlib.crc32(case.text.encode())
    rows = inputs(sources, kernels.COUNT, seed)
    halves = [k for k, (kind, _) in enumerate(case.sources) if kind.endswith("x2")]
    if halves:
        # Each half gets corner cases of its own.
        kind = case.sources[halves[0]][0][:-2]
        width = case.sources[halves[0]][1] // 2
        low = inputs([(kind, width)] * len(case.sources), kernels.COUNT, seed)
        high = inputs([(kind, width)] * len(case.sources), kernels.COUNT, seed + 1)
        rows = [tuple(l | h << width if i in halves else r for i, (l, h, r) in enumerate(zip(a, b, c)))
                for a, b, c in zip(low, high, rows)]
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--docs")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--ptxas", action="store_true", help="also let the real assembler judge the kernels")
    options = parser.parse_args()
    all_rows = table.rows(options.tool)
    if options.docs:
        return check_docs(all_rows, options.docs, options.write)
    device = Device(options.library, f"chip=sm_100:ptxas={int(options.ptxas)}:approx=1")
    header = HEADER.format("sm_100")
    failures, forms, compared = [], 0, 0
    pending = []

    def flush():
        nonlocal compared
        try:
            for case, row, want, got in kernels.run(device, header, pending, rows_of):
                failures.append(f"{case.text} {[hex(v) for v in row]}: expected {want:#x}, got {got:#x}"
                                if not isinstance(want, str) else f"{case.text}: expected NaN, got {got:#x}")
        except CudaError as error:
            failures.append(f"{error}")
        compared += len(pending) * kernels.COUNT
        pending.clear()

    for row in all_rows:
        if not re.search(options.only, row.pattern):
            continue
        cases = elementwise_cases(row)
        forms += len(cases)
        for case in cases:
            pending.append(case)
            if len(pending) == MODULE_CASES:
                flush()
        if not cases:
            runner = machine.runner(row) or approximate.runner(row)
            if not runner:
                failures.append(f"no test for the form {row.pattern}")
                continue
            try:
                count = runner(device, header, row)
                forms += count
                if not count:
                    failures.append(f"{row.pattern}: its test ran no form")
            except (AssertionError, CudaError) as error:
                failures.append(f"{row.pattern}: {error}")
    if pending:
        flush()
    for failure in failures[:60]:
        print("FAIL", failure)
    print(f"{len(all_rows)} rows, {forms} forms, {compared} element-wise results, {len(failures)} failures")
    return 1 if failures else 0


def test_name(row):
    if elementwise_cases(row):
        return "elementwise.py"
    runner = machine.runner(row) or approximate.runner(row)
    return f"{runner.__module__}.py, {runner.__name__}" if runner else "none"


def check_docs(all_rows, path, write):
    lines = ["# Instruction forms of the PTX simulator", "",
             "Generated from the decoder's table by `test/ptxsim/forms/run.py --docs`; a test keeps it current.",
             "Pattern: `.x` must be there, `.{a|b}` is one of these, `?x` and `?{a|b}` may be left out. "
             "A modifier that no pattern takes is an error.", "",
             "| form | operands | PTX ISA section | from | forms | test |", "|---|---|---|---|---|---|"]
    total = 0
    for row in all_rows:
        count = sum(1 for _ in row.expansions())
        total += count
        escaped = [t.replace("|", "\\|") for t in (row.pattern, row.operands)]
        lines.append(f"| `{escaped[0]}` | {escaped[1] or '–'} | {row.section} | PTX {row.ptx}, {row.sm} | {count} | "
                     f"{test_name(row)} |")
    lines += ["", f"{len(all_rows)} rows, {total} spellings."]
    text = "\n".join(lines) + "\n"
    if write:
        open(path, "w").write(text)
        return 0
    if open(path).read() != text:
        print(f"{path} is out of date: run this with --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
