# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long it takes from the start of `sawtooth run` to the end of a first, tiny step: with an
empty cache, with a full one, and, in turns with both, clang on the same step written in C.

    python3 benchmarks/compile.py [--sawtooth build/bin/sawtooth] [--clang clang-22] [--rounds 15]
"""

import argparse
import json
import os
import statistics
import struct
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def write_tensors(path, kind, elements):
    """One tensor `a` of zeros in a .safetensors file."""
    size = elements * {"F16": 2, "F32": 4}[kind]
    header = {"a": {"dtype": kind, "shape": [elements], "data_offsets": [0, size]}}
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + bytes(size))


def seconds(command, env=None):
    begin = time.perf_counter()
    subprocess.run(
        command, check=True, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    return time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--sawtooth", default=os.path.join(HERE, "../build/bin/sawtooth"))
    parser.add_argument("--clang", default="clang-22")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    step = os.path.join(HERE, "../examples/adamw/step.mlir")
    times = {"clang": [], "cold": [], "cached": []}
    with tempfile.TemporaryDirectory() as folder:
        g, w = os.path.join(folder, "g.safetensors"), os.path.join(folder, "w.safetensors")
        write_tensors(g, "F16", 64)
        write_tensors(w, "F32", 64)
        run = [
            options.sawtooth,
            "run",
            step,
            "--bind",
            "g=" + g,
            "--bind",
            "w=" + w,
            "--threads",
            "1",
        ]
        clang = [options.clang, "-O3", "-march=native", "-ffp-contract=off", "-c"]
        clang += [os.path.join(HERE, "adamw.c"), "-o", os.path.join(folder, "adamw.o")]
        for number in range(options.rounds + 1):
            cache = os.path.join(folder, f"cache{number}")
            os.mkdir(cache, 0o700)
            env = dict(os.environ, SAWTOOTH_CACHE_DIR=cache)
            measured = {
                "clang": seconds(clang),
                "cold": seconds(run, env),
                "cached": seconds(run, env),
            }
            for name, value in measured.items():
                if number:  # the first round brings files into memory
                    times[name].append(value)
    median = {name: statistics.median(values) for name, values in times.items()}
    ratios = {
        "cold_to_clang": median["cold"] / median["clang"],
        "cached_to_cold": median["cached"] / median["cold"],
    }
    if options.json:
        print(json.dumps({"seconds": median, **ratios}))
        return
    print(f"clang -O3 -c of the same step in C  {median['clang'] * 1e3:8.1f} ms")
    cold, cached = median["cold"] * 1e3, median["cached"] * 1e3
    print(
        f"first step, nothing in the cache    {cold:8.1f} ms  "
        f"({ratios['cold_to_clang']:.2f} of clang)"
    )
    print(
        f"first step, from the cache          {cached:8.1f} ms  "
        f"({ratios['cached_to_cold']:.2f} of cold)"
    )


if __name__ == "__main__":
    main()
