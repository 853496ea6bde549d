#!/usr/bin/env python3
# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the tree to its own rules: usage: hygiene.py ROOT [CHECK...]

Each function named check_* yields complaints, one line each; none means the rule holds.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1]).resolve()

# Which rooms a room may include from, besides itself: dependencies point one way.
ABI = "abi"
# What compiler and runtime share: the ABI and the file format of artifacts.
SHARED = {
    "Abi.h",
    "ArtifactFormat.h",
    "ArtifactInfo.h",
    "CpuFeatures.def",
    "Digest.h",
    "GpuChips.def",
    "Status.h",
}
DIALECTS = {"dialects/amp", "dialects/sweep"}
ROOMS = {
    "runtime": {ABI},
    "dialects/amp": set(),
    "dialects/sweep": {"dialects/amp"},
    "Analysis": {ABI} | DIALECTS,
    "Transforms": {"Analysis"} | DIALECTS,
    "Conversion": {ABI, "Analysis", "Transforms"} | DIALECTS,
    "Target": {ABI, "Analysis", "Transforms", "Conversion"} | DIALECTS,
    "Pipelines": {ABI, "Analysis", "Transforms", "Conversion", "Target"} | DIALECTS,
    "Compiler": {ABI, "Analysis", "Transforms", "Conversion", "Target", "Pipelines"} | DIALECTS,
    "InitAll": {ABI, "Analysis", "Transforms", "Conversion", "Target", "Pipelines"} | DIALECTS,
    "CAPI": {ABI, "sawtooth-c", "Compiler", "Pipelines", "Target"} | DIALECTS,
    "sawtooth-c": {ABI},
    "tools/gpu-bundle": {"runtime", ABI},
    "tools/ptxsim": set(),
    "tools/sawtooth": {"runtime", ABI, "sawtooth-c"},
}
LICENCE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
CODE = {".h", ".cpp", ".td", ".py", ".c"}
COLUMNS = {".h", ".cpp", ".td", ".c", ".def", ".inc", ".py", ".cmake"}
# Data and text that is made by a tool or taken from elsewhere.
NOT_OURS = ("test/ptxsim/corpus", "docs/dialects/", "docs/passes")


def tracked():
    out = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True)
    if out.returncode == 0:
        names = [n for n in out.stdout.decode().split("\0") if n]
    else:
        names = [str(p.relative_to(ROOT)) for p in ROOT.rglob("*") if p.is_file()]
    return [n for n in names if not n.startswith("build") and (ROOT / n).is_file()]


FILES = tracked()


def text(name):
    return (ROOT / name).read_text(errors="replace")


def room_of_file(name):
    """The room that a file stands in, or None where includes are free (tests, tools with MLIR)."""
    parts = name.split("/")
    if name.startswith("runtime/"):
        return "runtime"
    if name.startswith("dialects/"):
        return "/".join(parts[:2])
    if name.startswith(("lib/", "include/sawtooth/")):
        inner = parts[1:] if parts[0] == "lib" else parts[2:]
        return inner[0] if len(inner) > 1 else None
    if name.startswith("include/sawtooth-c/"):
        return "sawtooth-c"
    if name.startswith(("tools/gpu-bundle/", "tools/ptxsim/", "tools/sawtooth/")):
        return "/".join(parts[:2])
    return None


def room_of_include(path):
    if path.removeprefix("sawtooth/runtime/") in SHARED:
        return ABI
    if path.startswith("sawtooth/runtime/"):
        return "runtime"
    if path.startswith(("amp/", "sweep/")):
        return "dialects/" + path.split("/")[0]
    if path.startswith("sawtooth-c/"):
        return "sawtooth-c"
    if path.startswith("sawtooth/") and path.count("/") > 1:
        return path.split("/")[1]
    if path.startswith(("mlir/", "llvm/", "llvm-c/", "mlir-c/")):
        return "llvm"
    return None


def check_includes():
    llvm_free = {"runtime", "tools/gpu-bundle", "tools/ptxsim", "tools/sawtooth", "sawtooth-c"}
    for name in FILES:
        room = room_of_file(name)
        if room is None or pathlib.Path(name).suffix not in {".h", ".cpp", ".td", ".c"}:
            continue
        if room not in ROOMS:
            yield f"{name}: no rule says what the room '{room}' may include"
            continue
        for number, line in enumerate(text(name).splitlines(), 1):
            match = re.match(r'\s*#?include\s+["<]([^">]+)[">]', line)
            target = room_of_include(match.group(1)) if match else None
            if target == "llvm" and room not in llvm_free or target in (None, room):
                continue
            if target not in ROOMS[room]:
                yield f"{name}:{number}: '{room}' may not include {match.group(1)}"


def check_size():
    for name in FILES:
        if pathlib.Path(name).suffix in {".h", ".cpp", ".td", ".py"} and not name.startswith(
            NOT_OURS
        ):
            count = text(name).count("\n")
            if count > 500:
                yield f"{name}: {count} lines; split it (500 is the limit)"


def check_columns():
    for name in FILES:
        # PTX in strings is read by the line.
        if name.startswith(NOT_OURS) or name.startswith("test/ptxsim/") and name.endswith(".py"):
            continue
        if pathlib.Path(name).suffix in COLUMNS or name.endswith("CMakeLists.txt"):
            for number, line in enumerate(text(name).splitlines(), 1):
                if len(line) > 100:
                    yield f"{name}:{number}: {len(line)} columns; wrap it (100 is the limit)"


def check_licence():
    for name in FILES:
        if (
            pathlib.Path(name).suffix in CODE
            and not name.startswith(NOT_OURS)
            and LICENCE not in text(name)[:400]
        ):
            yield f"{name}: no '{LICENCE}' in its head"


def check_words():
    unfinished = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")
    machine = re.compile(r"(?<![\w.])/(work|root|farm)/|/home/\w")
    for name in FILES:
        if pathlib.Path(name).suffix in {".safetensors", ".ptx", ".json"}:
            continue
        for number, line in enumerate(text(name).splitlines(), 1):
            if unfinished.search(line):
                yield f"{name}:{number}: unfinished by its own word: {line.strip()}"
            if machine.search(line):
                yield f"{name}:{number}: path of a machine: {line.strip()}"


def passes():
    """(flag, Passes.td) of every pass."""
    for name in FILES:
        if name.startswith("include/sawtooth/") and name.endswith(".td"):
            for flag in re.findall(r'^def \w+\s*:\s*Pass<"([\w-]+)"', text(name), re.M):
                yield flag, name


def tests():
    return {
        n: text(n)
        for n in FILES
        if n.startswith("test/") and n.endswith((".mlir", ".cpp", ".py", ".test"))
    }


def check_passes():
    documentation = "\n".join(text(n) for n in FILES if n.startswith("docs/passes"))
    all_tests = tests()
    for flag, where in passes():
        definition = re.search(rf'Pass<"{flag}".*?\n\}}', text(where), re.S).group(0)
        camel = "".join(word.capitalize() for word in flag.split("-"))
        if not any(camel in n for n in FILES if n.startswith("lib/")):
            yield f"{where}: pass '{flag}' has no file or folder {camel} under lib/"
        if not any(n.startswith("test/") and flag in n for n in all_tests):
            yield f"{where}: pass '{flag}' has no test file with its name"
        if "let description" not in definition or "```mlir" not in definition:
            yield f"{where}: pass '{flag}' has no description with an example"
        if flag not in documentation:
            yield f"docs/passes: pass '{flag}' is missing; run tools/dev.sh docs"


def check_ops():
    all_tests = "\n".join(tests().values())
    for dialect in ("amp", "sweep"):
        source = "\n".join(
            text(n) for n in FILES if n.startswith(f"dialects/{dialect}/") and n.endswith("Ops.td")
        )
        for match in re.finditer(r'^def \w+ :\s*\w+<"(\w+)".*?^\}', source, re.M | re.S):
            op, body = f"{dialect}.{match.group(1)}", match.group(0)
            if "let summary" not in body:
                yield f"{op}: no summary"
            if "```mlir" not in body:
                yield f"{op}: no example in its description"
            if not re.search(rf"\b{re.escape(op)}\b", all_tests):
                yield f"{op}: in no test"


CHECKS = {name[6:]: check for name, check in sorted(globals().items()) if name.startswith("check_")}

wanted = sys.argv[2:] or CHECKS
failed = 0
for check in wanted:
    complaints = list(CHECKS[check]())
    failed += len(complaints)
    print(f"{check}: {'ok' if not complaints else ''}")
    for complaint in complaints:
        print(f"  {complaint}")
sys.exit(1 if failed else 0)
