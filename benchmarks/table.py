# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of docs/performance.md: steps against their streaming bounds, each row one run of
`sawtooth bench`, on all threads and on one.

    python3 benchmarks/table.py [--sawtooth build/bin/sawtooth] [--threads 2,1] [--only WORD]
                                [--prefix COMMAND]

--prefix runs each row under a command, to keep others off the machine meanwhile.
"""

import argparse
import json
import os
import shlex
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
ADAMW, STEPS = os.path.join(HERE, "../examples/adamw"), os.path.join(HERE, "steps")

# What, file, further options, the ratio to reach.
ROWS = [
    ("GPT-2, AdamW, fp32", f"{ADAMW}/fp32.mlir", [], 1.05),
    ("GPT-2, AdamW, fp16 and copy", f"{ADAMW}/step.mlir", [], 1.08),
    ("GPT-2, AdamW, bf16 and copy, v3", f"{ADAMW}/bf16.mlir", ["--chip", "x86-64-v3"], 1.15),
    ("10,000 x 1,000, AdamW, fp32", f"{ADAMW}/fp32.mlir", ["--tensors", "10000x1000"], 1.15),
    ("1 x 124 M, AdamW, fp32", f"{ADAMW}/fp32.mlir", ["--tensors", "1x124000000"], 1.05),
    ("GPT-2, SGD momentum", f"{STEPS}/sgd.mlir", [], 1.08),
    ("GPT-2, Lion", f"{STEPS}/lion.mlir", [], 1.08),
    ("GPT-2, LAMB", f"{STEPS}/lamb.mlir", [], 1.08),
    ("GPT-2, skipped, fp32", f"{ADAMW}/fp32.mlir", ["--skip-rate", "1"], 1.2),
    ("GPT-2, skipped, fp16", f"{ADAMW}/step.mlir", ["--skip-rate", "1"], 1.2),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--sawtooth", default=os.path.join(HERE, "../build/bin/sawtooth"))
    parser.add_argument("--threads", default=f"{os.cpu_count()},1")
    parser.add_argument("--steps", default="15")
    parser.add_argument("--only", default="")
    parser.add_argument("--prefix", default="")
    options = parser.parse_args()
    print(
        "| step | threads | step, ms | bound, ms | step / bound "
        "| to reach | bound, GB/s | copy, GB/s |"
    )
    print("|---|---|---|---|---|---|---|---|")
    fixed = []
    for what, file, more, most in ROWS:
        if options.only not in what:
            continue
        for threads in options.threads.split(","):
            command = shlex.split(options.prefix) + [options.sawtooth, "bench", file, *more]
            command += ["--threads", threads, "--steps", options.steps, "--json"]
            report = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
            step, bound = (report[k]["median"] for k in ("seconds_per_step", "bound_seconds"))
            fixed.append(report["fixed_seconds_per_step"])
            print(
                f"| {what} | {threads} | {step * 1e3:.2f} | {bound * 1e3:.2f} "
                f"| {report['ratio_to_bound']:.3f} | {most} "
                f"| {report['bound_bytes_per_second'] / 1e9:.1f} "
                f"| {report['copy_bytes_per_second'] / 1e9:.1f} |",
                flush=True,
            )
    if fixed:
        print(
            f"\nfixed cost of a step: {min(fixed) * 1e6:.1f} to {max(fixed) * 1e6:.1f} us "
            "(to reach: 10)"
        )


if __name__ == "__main__":
    main()
