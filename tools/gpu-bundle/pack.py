#!/usr/bin/env python3
# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packs a folder that checks and times Sawtooth on a machine with a GPU and its driver alone.

    pack.py BUILD FOLDER

Artifacts hold code for the CPU and for GPUs; what the CPU makes of each case is the golden result.
"""

import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "test"))
sys.path.insert(0, os.path.join(ROOT, "test", "integration"))
sys.dont_write_bytecode = True

import programs  # noqa: E402
from oracle.tensorfile import Tensor, write  # noqa: E402

SIZES = {"a.weight": 37, "b.bias": 300, "empty": 0, "long": 3 * 16384 + 5, "row": 1024}
# With ptxas, a cubin for each of the usual GPUs; the other case is PTX to all but the oldest.
USUAL_CHIPS = ("x86-64-v3", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120")
CHIPS = {"driver-compiled": ("x86-64-v3", "sm_75")}
SCALER = dict(scale=65536.0, growth_interval=2)
RULES = {
    "adamw": dict(lr=0.01),
    "sgd": dict(lr=0.1, momentum=0.9),
    "lamb": dict(lr=0.01),
    "lion": dict(lr=0.001),
}


def tensors(kind, phase, infinite=False):
    made = {
        name: [((i * 37 + phase) % 2001 - 1000) / 1280 for i in range(n)]
        for name, n in SIZES.items()
    }
    if infinite:
        made["long"][20000] = float("inf")
    return {name: Tensor.of(kind, (len(x),), x) for name, x in made.items()}


def c_library(path):
    """The version of the C library that a program or library wants, as numbers."""
    with open(path, "rb") as file:
        versions = re.findall(rb"\0GLIBC_([0-9.]+)(?=\0)", file.read())
    return max((tuple(map(int, version.split(b"."))) for version in versions), default=(0,))


def main(build, folder):
    tool = os.path.join(build, "bin", "sawtooth")
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("bin", "lib", os.path.join("lib", "c++"), "artifacts", "golden"):
        os.makedirs(os.path.join(folder, name))
    for name in ("sawtooth", "sawtooth-device", "sawtooth-graph-check"):
        path = os.path.join(folder, "bin", name)
        shutil.copy2(os.path.join(build, "bin", name), path)
        subprocess.run(["strip", path], check=False)
    shutil.copy2(os.path.join(ROOT, "tools", "gpu-bundle", "run.sh"), folder)
    # What a plain system may lack. The C++ library goes where run.sh looks for it last: it may want
    # a newer C library than the programs do, and a system mostly has one.
    listed = subprocess.run(["ldd", tool], capture_output=True, text=True, check=True).stdout
    wanted = c_library(tool)
    for line in listed.splitlines():
        name, _, rest = line.strip().partition(" => ")
        if name.startswith("libomp"):
            copied = shutil.copy2(rest.split()[0], os.path.join(folder, "lib", name))
            wanted = max(wanted, c_library(copied))
        elif name.startswith(("libstdc++", "libgcc_s")):
            shutil.copy2(rest.split()[0], os.path.join(folder, "lib", "c++", name))

    cases = {}
    for rule, settings in RULES.items():
        module = programs.step(rule, settings, SCALER, copy="f16", max_norm=1.0)
        cases[rule] = (module, {"g": tensors("F16", 5), "w": tensors("F32", 77)}, ["--steps", "6"])
    module = programs.step("adamw", RULES["adamw"], SCALER, copy="f16", max_norm=1.0)
    cases["driver-compiled"] = cases["adamw"]
    cases["skip"] = (
        module,
        {"g": tensors("F16", 5, True), "w": tensors("F32", 77)},
        ["--steps", "3"],
    )
    # The one whose learning rate is an argument, so the one that a graph is replayed with.
    example = os.path.join(ROOT, "examples", "adamw", "step.mlir")
    cases["arguments"] = (example, cases["adamw"][1], ["--steps", "4", "--set", "lr=0.02"])
    digits = os.path.join(ROOT, "examples", "digits")
    cases["digits"] = (
        os.path.join(digits, "train.mlir"),
        {},
        ["--data", "digits.safetensors", "--steps", "5"],
    )

    environment = {**os.environ, "SAWTOOTH_CACHE_DIR": ""}
    for name, (module, lists, arguments) in cases.items():
        golden = os.path.join(folder, "golden", name)
        os.makedirs(golden)
        source = module
        if not module.endswith(".mlir"):
            source = os.path.join(golden, f"{name}.mlir")
            with open(source, "w", encoding="utf-8") as file:
                file.write(module)
        for key, content in lists.items():
            write(os.path.join(golden, f"{key}.safetensors"), content)
            arguments = ["--bind", f"{key}={key}.safetensors", *arguments]
        if "--data" in arguments:
            shutil.copy2(os.path.join(digits, "digits.safetensors"), golden)
        artifact = os.path.join(folder, "artifacts", f"{name}.so")
        chips = [f"--chip={chip}" for chip in CHIPS.get(name, USUAL_CHIPS)]
        subprocess.run(
            [tool, "compile", source, *chips, "-o", artifact], check=True, env=environment
        )
        with open(os.path.join(golden, "arguments"), "w", encoding="utf-8") as file:
            file.write("".join(f"{argument}\n" for argument in arguments))
        save = ["--save", "state.safetensors", "--log", "log.jsonl"]
        subprocess.run(
            [tool, "run", os.path.abspath(artifact), *arguments, *save],
            check=True,
            env=environment,
            cwd=golden,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    total = sum(
        os.path.getsize(os.path.join(where, name))
        for where, _, names in os.walk(folder)
        for name in names
    )
    version = ".".join(map(str, wanted))
    print(f"{folder}: {total / 2**20:.1f} MiB, for systems with glibc {version} or newer")
    if total > 60 * 2**20:
        sys.exit("expected at most 60 MiB")


if __name__ == "__main__":
    main(*(os.path.abspath(argument) for argument in sys.argv[1:3]))
