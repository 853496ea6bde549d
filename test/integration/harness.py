# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs `sawtooth run` on tensors made by a test and hands back what it left.

    with Bench() as bench:
        first = bench.run(STEP, bind={"g": {"a": Tensor.of("F16", (2,), [1.0, 2.0])}}, steps=3)
        first.expect(0)
        first.list("w")["a"].values, first.state["s.scale"].item, first.log[0]["applied"]
        again = bench.run(STEP, bind=…, load=first.state_file)

The tool is the one given, else the one that the environment variable SAWTOOTH names. With
SAWTOOTH_TARGET=nvptx every run is one on a GPU, or on the simulator of one that LD_LIBRARY_PATH
leads to: tests that hold on a CPU hold there.
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from oracle import tensorfile  # noqa: E402 (the oracle lies beside this folder)
from oracle.tensorfile import Tensor  # noqa: E402, F401 (for those who import this module)


@dataclass
class Run:
    """What one run came to. `state` is None, and `state_bytes` empty, if no state was saved."""

    command: list
    code: int
    stdout: str
    stderr: str
    state_file: str
    state: dict | None
    metadata: dict
    state_bytes: bytes
    log: list

    def expect(self, code, *words):
        """Fails unless the tool exited with `code` and said all of `words` on stderr."""
        missing = [word for word in words if word not in self.stderr]
        if self.code != code or missing:
            raise AssertionError(
                f"expected exit {code} and {missing or 'no more'} on stderr, got exit {self.code}\n"
                f"{shlex.join(self.command)}\n--- stderr\n{self.stderr}--- stdout\n{self.stdout}"
            )
        return self

    def list(self, name):
        """{TENSOR: Tensor} of a saved list: `w`, `opt.m`, …"""
        prefix = name + "/"
        return {key[len(prefix) :]: t for key, t in self.state.items() if key.startswith(prefix)}

    def scalar(self, name):
        """The number that a saved step-extent field holds."""
        return self.state[name].item

    @property
    def applied(self):
        """Whether each attempted step was applied, in order."""
        return [line["applied"] for line in self.log]


class Bench:
    """A temporary folder and the tool; use it in a `with` statement."""

    def __init__(self, tool=None):
        tool = tool or os.environ.get("SAWTOOTH")
        if not tool:
            raise RuntimeError("expected the tool as an argument or in SAWTOOTH, got neither")
        self.tool = [tool] if isinstance(tool, str) else list(tool)
        self._folder = tempfile.TemporaryDirectory(prefix="sawtooth-")
        self.folder = self._folder.name
        # What a user's cache holds is nobody's business here.
        self.cache = self.path("cache")
        self._runs = 0
        self.target = os.environ.get("SAWTOOTH_TARGET", "cpu")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._folder.cleanup()

    @property
    def environment(self):
        return {**os.environ, "SAWTOOTH_CACHE_DIR": self.cache}

    def path(self, name):
        return os.path.join(self.folder, name)

    def file(self, name, content):
        """Writes text, bytes, or {TENSOR: Tensor} as safetensors, and returns the path."""
        path = self.path(name)
        if isinstance(content, dict):
            return tensorfile.write(path, content)
        with open(path, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        return path

    def call(self, *arguments, timeout=300):
        """The tool with any arguments: subprocess.CompletedProcess, as text."""
        return subprocess.run(
            [*self.tool, *arguments],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout,
            stdin=subprocess.DEVNULL,
            env=self.environment,
        )

    def emit(self, module, stage, *more):
        """What `sawtooth compile --emit=STAGE` makes of a module, as bytes."""
        path, output = self.file("emit.mlir", module), self.path("emit.out")
        done = self.call("compile", path, f"--emit={stage}", "-o", output, *more)
        if done.returncode:
            raise AssertionError(f"expected exit 0, got {done.returncode}\n{done.stderr}")
        with open(output, "rb") as file:
            return file.read()

    def run(
        self,
        step,
        bind=None,
        set=None,
        steps=None,
        load=None,
        save=True,
        threads=None,
        chip=None,
        more=(),
        environment=None,
        timeout=300,
    ):
        """One `sawtooth run`.

        step: the text of a module, or the path of one that ends in .mlir or .so.
        bind: {NAME: {TENSOR: Tensor}, or "FILE" or "FILE:PREFIX"}.
        set: {NAME: VALUE}, a float as its shortest exact decimal.
        save: False to save nothing, or the path to save to.
        more: further arguments, as they are.
        environment: {VARIABLE: VALUE or None}, changes to the environment.
        """
        self._runs += 1
        if not step.endswith((".mlir", ".so")):
            step = self.file(f"step{self._runs}.mlir", step)
        state_file = save if isinstance(save, str) else self.path(f"state{self._runs}.safetensors")
        log_file = self.path(f"log{self._runs}.jsonl")
        command = [*self.tool, "run", step, "--log", log_file]
        for name, value in (bind or {}).items():
            if isinstance(value, dict):
                value = self.file(f"bind{self._runs}.{name}.safetensors", value)
            command += ["--bind", f"{name}={value}"]
        for name, value in (set or {}).items():
            command += ["--set", f"{name}={value}"]
        if self.target != "cpu":
            command.append(f"--target={self.target}")
            chip = None  # of a CPU
        options = {"--steps": steps, "--load": load, "--threads": threads, "--chip": chip}
        options["--save"] = state_file if save else None
        for flag, value in options.items():
            if value is not None:
                command += [flag, str(value)]
        command += more
        variables = {**self.environment, **(environment or {})}
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=timeout,
            stdin=subprocess.DEVNULL,
            env={name: value for name, value in variables.items() if value is not None},
        )
        state, metadata, data = None, {}, b""
        if save and os.path.exists(state_file):
            with open(state_file, "rb") as file:
                data = file.read()
            state, metadata = tensorfile.decode(data)
        log = []
        if os.path.exists(log_file):
            with open(log_file, encoding="utf-8") as file:
                log = [json.loads(line) for line in file]
        return Run(
            command,
            done.returncode,
            done.stdout,
            done.stderr,
            state_file,
            state,
            metadata,
            data,
            log,
        )
