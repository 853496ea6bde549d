# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every mutant is caught by the check that is named for it; the kernels themselves are clean.

run.py --library libcuda.so.1 --seed N
"""

import argparse
import ctypes
import json
import os
import struct
import sys
import tempfile

sys.path.insert(0, __file__.rsplit("/", 1)[0])
sys.path.insert(0, __file__.rsplit("/", 2)[0])

from driver import CudaError, Device
from kernels import COOPERATIVE, KERNELS, MUTANTS

FLOATS = {"scale", "vector"}


def expected(kernel, words):
    """What each kernel computes, in plain integers and exactly representable floats."""
    if kernel in FLOATS:
        return [2 * w for w in words]
    if kernel == "reverse":
        out = []
        for block in (words[:256], words[256:]):
            out += [v + 3 for v in reversed(block)]
        return out
    if kernel in ("last-block", "warp-sum"):
        return [sum(words) & 0xFFFFFFFF]
    if kernel == "warp-shared":
        return [words[i ^ 1] for i in range(32)]
    if kernel == "handover":
        return [words[0], words[0]]
    if kernel == "through-cache":
        return [w + 1 for w in words]
    return [2 * (1 + (i & 3)) + w for i, w in enumerate(words)]


class Bench:
    def __init__(self, library, seed, fail=1):
        self.report = os.path.join(tempfile.mkdtemp(), "report.json")
        self.device = Device(library, f"chip=sm_90:ptxas=0:seed={seed}:fail={fail}:progress=300000:report={self.report}")

    def run(self, kernel, text, short=0, shift=0, unwritten=False):
        """(error code, findings, results or None)"""
        _, grid, block, words_in, words_out = KERNELS[kernel]
        if os.path.exists(self.report):
            os.unlink(self.report)
        device = self.device
        function = device.function(device.load(text), "k")
        words = [(7 * i + 3) % 1000 for i in range(words_in)]
        kind = "f" if kernel in FLOATS else "I"
        data = struct.pack(f"<{words_in}{kind}", *words)
        source = device.alloc(len(data)) if unwritten else device.upload(data + bytes(shift))
        target = device.alloc(4 * words_out - short)
        code, results = 0, None
        try:
            device.launch(function, grid, block, [ctypes.c_uint64(source + shift), ctypes.c_uint64(target),
                                                  ctypes.c_uint32(words_in)], cooperative=kernel in COOPERATIVE)
            raw = device.read(target, 4 * words_out - short)
            results = list(struct.unpack(f"<{words_out}{kind}", raw))
        except CudaError as error:
            code = error.code
        findings = []
        if os.path.exists(self.report):
            findings = [json.loads(line) for line in open(self.report)]
            os.unlink(self.report)
        device.reset()
        return code, findings, results, expected(kernel, words)


def mutate(mutant):
    text = KERNELS[mutant.kernel][0]
    for old, new in mutant.edits:
        assert old in text, f"mutant '{mutant.name}': the kernel has no {old!r}"
        text = text.replace(old, new, 1)
    return text


def values(options):
    bench = Bench(options.library, options.seed, fail=0)
    silent = [m for m in MUTANTS if m.values_stay]
    failures = 0
    for mutant in silent:
        code, findings, results, want = bench.run(mutant.kernel, mutate(mutant))
        kinds = {f["finding"] for f in findings}
        if code or results != want or kinds != {mutant.finding}:
            failures += 1
            print(f"FAIL {mutant.kernel}, {mutant.name}: error {code}, findings {sorted(kinds)}, values {results}")
    print(f"{len(silent)} mutants with right values, {failures} failures")
    return 1 if failures or not silent else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--values", action="store_true",
                        help="with fail=0: the mutants that no value shows give right values, and are reported")
    options = parser.parse_args()
    if options.values:
        return values(options)
    bench = Bench(options.library, options.seed)
    failures = 0

    def complain(what):
        nonlocal failures
        failures += 1
        print("FAIL", what)

    for kernel, (text, *_) in KERNELS.items():
        code, findings, results, want = bench.run(kernel, text)
        if code or findings:
            complain(f"kernel {kernel}: expected no findings, got error {code} and {findings}")
        elif results != want:
            complain(f"kernel {kernel}: expected {want[:8]}…, got {results[:8]}…")
    for mutant in MUTANTS:
        code, findings, _, _ = bench.run(mutant.kernel, mutate(mutant), mutant.short, mutant.shift, mutant.unwritten)
        kinds = {f["finding"] for f in findings}
        if mutant.finding not in kinds:
            complain(f"{mutant.kernel}, {mutant.name}: expected {mutant.finding}, got {sorted(kinds)} and error {code}")
            continue
        if code != mutant.error:
            complain(f"{mutant.kernel}, {mutant.name}: expected error {mutant.error}, got {code}")
        report = next(f for f in findings if f["finding"] == mutant.finding)
        if report["kernel"] != "k" or report["line"] == 0 or not report["text"]:
            complain(f"{mutant.kernel}, {mutant.name}: the report does not say where: {report}")
    print(f"seed {options.seed}: {len(KERNELS)} kernels, {len(MUTANTS)} mutants, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
