# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kernels.c → ll/NAME.ll → ptx/NAME.CHIP.ptx.

generate.py ir            needs clang with NVPTX; rewrites ll/ and ptx/
generate.py ptx           needs llc; rewrites ptx/ from ll/
generate.py check LLC     compares what this llc makes of ll/ with ptx/; writes nothing
"""

import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CHIPS = ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"]


def names():
    return re.findall(r"^#ifdef ([A-Z_0-9]+)$", open(os.path.join(HERE, "kernels.c")).read(), re.M)


def path(kind, name):
    return os.path.join(HERE, kind, name.lower().replace("_", "-"))


def make_ir():
    os.makedirs(os.path.join(HERE, "ll"), exist_ok=True)
    for name in names():
        command = ["clang-22", "--target=nvptx64-nvidia-cuda", "-Xclang", "-target-cpu", "-Xclang", "sm_75", "-Xclang",
                   "-target-feature", "-Xclang", "+ptx63", "-O2", "-ffp-contract=off", "-fno-math-errno", "-nogpulib",
                   f"-D{name}", "-S", "-emit-llvm", "-o", "-", "kernels.c"]
        text = subprocess.run(command, check=True, capture_output=True, text=True, cwd=HERE).stdout
        # The IR is for every chip: what the front end was told about one goes.
        text = re.sub(r' "target-(cpu|features)"="[^"]*"', "", text)
        text = re.sub(r"\n!llvm.ident = .*\n", "\n", text)
        text = re.sub(r'\n!\d+ = !\{!"[^"]*clang version[^"]*"\}\n', "\n", text)
        open(path("ll", name) + ".ll", "w").write(text)


def compile_one(llc, name, chip):
    return subprocess.run([llc, "-O3", f"-mcpu={chip}", path("ll", name) + ".ll", "-o", "-"], check=True,
                          capture_output=True, text=True).stdout


def make_ptx(llc="llc-22"):
    os.makedirs(os.path.join(HERE, "ptx"), exist_ok=True)
    for name in names():
        for chip in CHIPS:
            open(f"{path('ptx', name)}.{chip}.ptx", "w").write(compile_one(llc, name, chip))


def check(llc):
    version = subprocess.run([llc, "--version"], capture_output=True, text=True).stdout
    if "LLVM version 22." not in version:
        print("this llc is not LLVM 22: nothing to compare")
        return 0
    stale = [f"{name} {chip}" for name in names() for chip in CHIPS
             if compile_one(llc, name, chip) != open(f"{path('ptx', name)}.{chip}.ptx").read()]
    for each in stale:
        print("FAIL out of date:", each)
    return 1 if stale else 0


if __name__ == "__main__":
    if sys.argv[1] == "check":
        sys.exit(check(sys.argv[2]))
    if sys.argv[1] == "ir":
        make_ir()
    make_ptx()
