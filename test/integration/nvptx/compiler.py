# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler's C API from Python, and ptxas."""

import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

TEXT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)


class Options(ctypes.Structure):
    """SawtoothCompileOptions."""

    _fields_ = [
        ("target", ctypes.c_char_p),
        ("chip", ctypes.c_char_p),
        ("batch", ctypes.c_uint64),
        ("diagnostic", TEXT),
        ("diagnosticUser", ctypes.c_void_p),
        ("linker", ctypes.c_char_p),
        ("ptxas", ctypes.c_char_p),
    ]


def emit(path, stage, chip, target="nvptx", ptxas=None):
    """What `sawtooth compile --emit=STAGE` prints, or an AssertionError with the diagnostics."""
    library = ctypes.CDLL(os.environ["SAWTOOTH_COMPILER"])
    output, diagnostics = [], []
    collect = TEXT(lambda text, size, _: output.append(ctypes.string_at(text, size)))
    complain = TEXT(lambda text, size, _: diagnostics.append(ctypes.string_at(text, size)))
    assembler = str(ptxas).encode() if ptxas else None
    options = Options(target.encode(), chip.encode(), 0, complain, None, None, assembler)
    failed = library.sawtoothEmitFile(
        str(path).encode(), stage.encode(), ctypes.byref(options), collect, None
    )
    if failed:
        raise AssertionError(b"".join(diagnostics).decode())
    return b"".join(output)


def find_ptxas():
    """CUDA's assembler, or None."""
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    return shutil.which("ptxas") or shutil.which("ptxas", path=f"{home}/bin")


def assemble(ptx, chip):
    """Kernel name -> (registers, bytes spilled by it and by what it calls)."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "step.ptx")
        source.write_bytes(ptx)
        command = [find_ptxas(), "-v", f"-arch={chip}", "-o", "/dev/null", str(source)]
        run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        raise AssertionError(f"ptxas refuses the PTX for {chip}: {run.stderr}{run.stdout}")
    kernels, name = {}, None
    for line in (run.stderr + run.stdout).splitlines():
        if found := re.search(r"Compiling entry function '(\w+)'", line):
            name = found[1]
            kernels[name] = [0, 0]
        if found := re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", line):
            kernels[name][1] += int(found[1]) + int(found[2])
        if found := re.search(r"Used (\d+) registers", line):
            kernels[name][0] = int(found[1])
    return kernels
