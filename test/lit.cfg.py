# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lit suites. Every file that sawtooth-opt reads must also survive a round trip through text
and bytecode, so that is part of the substitution."""

import os
import sys

import lit.formats

config.name = "Sawtooth"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
# Rooms of other kinds of test, and inputs of tests.
config.excludes = [
    "lit.cfg.py",
    "Inputs",
    "cases",
    "golden",
    "hygiene",
    "integration",
    "oracle",
    "ptxsim",
    "unit",
]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.sawtooth_build_dir, "test")
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.sawtooth_build_dir, "bin"), config.llvm_tools_dir, os.environ["PATH"]]
)
config.environment["LC_ALL"] = "C"
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
config.substitutions.append(("%builddir", config.sawtooth_build_dir))
config.substitutions.append(("%sourcedir", config.sawtooth_source_dir))
config.substitutions.append(("%python", f'"{sys.executable}" -B'))
config.substitutions.append((r"\bsawtooth-opt\b", "sawtooth-opt --verify-roundtrip"))
