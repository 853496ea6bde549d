# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Artifacts as a user meets them: compiled by the tool, run by it and by a program of one's own."""

import json
import os
import random
import re
import shutil
import struct
import subprocess
import unittest

from integration.harness import Bench, Tensor

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
STEP = os.path.join(ROOT, "examples", "adamw", "step.mlir")
FP32 = os.path.join(ROOT, "examples", "adamw", "fp32.mlir")
RUNNER = os.environ["SAWTOOTH_RUN_ARTIFACT"]


def floats(count, seed):
    source = random.Random(seed)
    return [source.uniform(-4, 4) for _ in range(count)]


def lists(sizes, grads="F16"):
    names = {f"t{i:05}": size for i, size in enumerate(sizes)}
    return {
        "g": {n: Tensor.of(grads, (s,), floats(s, i)) for i, (n, s) in enumerate(names.items())},
        "w": {n: Tensor.of("F32", (s,), floats(s, -i)) for i, (n, s) in enumerate(names.items())},
    }


class ArtifactTest(unittest.TestCase):
    def setUp(self):
        self.bench = Bench()
        self.addCleanup(self.bench.__exit__)

    def tool(self, *arguments, code=0, **options):
        done = subprocess.run(
            [*self.bench.tool, *arguments],
            capture_output=True,
            text=True,
            timeout=300,
            env=self.bench.environment,
            **options,
        )
        self.assertEqual(done.returncode, code, done)
        return done

    def compile(self, source, name="step.so", *more):
        path = self.bench.path(name)
        self.tool("compile", source, "-o", path, *more)
        return path


class Artifact(ArtifactTest):
    def test_a_step_from_an_artifact_gives_the_same_bytes(self):
        artifact = self.compile(STEP)
        bind = lists([1, 3, 16385, 0, 700])
        plain = self.bench.run(STEP, bind=bind, steps=3).expect(0)
        self.assertEqual(plain.applied, [True] * 3)
        for chip in (None, "native", "x86-64-v3"):
            with self.subTest(chip=chip):
                run = self.bench.run(artifact, bind=bind, steps=3, chip=chip).expect(0)
                self.assertEqual(run.state_bytes, plain.state_bytes)
                self.assertEqual(run.log, plain.log)

    def test_explain_needs_no_ir(self):
        artifact = self.compile(STEP)
        self.assertEqual(
            json.loads(self.tool("explain", artifact, "--json").stdout),
            json.loads(self.tool("explain", STEP, "--json").stdout),
        )

    def test_run_and_explain_need_no_compiler(self):
        artifact = self.compile(STEP)
        alone = os.path.join(self.bench.folder, "alone", "bin")
        os.makedirs(alone)
        tool = shutil.copy(self.bench.tool[0], alone)
        other = Bench([tool])
        self.addCleanup(other.__exit__)
        other.run(artifact, bind=lists([5])).expect(0)
        other.run(STEP, bind=lists([5])).expect(1, "cannot load the compiler library")

    def test_a_program_with_the_runtime_alone_runs_it(self):
        artifact = self.compile(FP32)
        done = subprocess.run([RUNNER, artifact, "3"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done)
        bits = [int(line, 16) for line in done.stdout.split()]
        w = [float(i) - 500 for i in range(1000)]
        g = [float(i % 7) - 3 for i in range(1000)]
        bind = {"w": {"t": Tensor.of("F32", (1000,), w)}, "g": {"t": Tensor.of("F32", (1000,), g)}}
        run = self.bench.run(FP32, bind=bind, steps=3).expect(0)
        self.assertEqual(bits, list(struct.unpack("<1000I", run.list("w")["t"].data)))
        self.assertNotEqual(bits, list(struct.unpack("<1000I", bind["w"]["t"].data)))

        libraries = subprocess.run(["ldd", RUNNER], capture_output=True, text=True, check=True)
        self.assertNotRegex(libraries.stdout, "LLVM|MLIR|Sawtooth")
        symbols = subprocess.run(["nm", "-C", RUNNER], capture_output=True, text=True, check=True)
        self.assertIn("sawtooth::runtime::", symbols.stdout)
        self.assertNotRegex(symbols.stdout, r"\b(llvm|mlir)::")

    def test_an_artifact_has_no_constructors_and_no_ifuncs(self):
        artifact = self.compile(STEP)
        read = ["readelf", "-W", "-d", "-s", artifact]
        listing = subprocess.run(read, capture_output=True, text=True, check=True).stdout
        self.assertIn("sawtooth_query", listing)
        self.assertNotRegex(listing, r"INIT|IFUNC|NEEDED|TEXTREL")

    def test_without_a_linker(self):
        nowhere = ("--linker", "/nonexistent/ld.lld")
        done = self.tool("compile", STEP, "-o", self.bench.path("no.so"), *nowhere, code=1)
        self.assertIn("no linker: expected ld.lld at '/nonexistent/ld.lld'", done.stderr)
        self.assertIn("--emit=obj, which needs none", done.stderr)
        self.assertFalse(os.path.exists(self.bench.path("no.so")))
        self.compile(STEP, "step.o", "--emit", "obj", *nowhere)
        # The same object, linked into the process.
        bind = lists([5, 700])
        run = self.bench.run(STEP, bind=bind, more=[*nowhere, "--verbose"]).expect(0)
        self.assertNotIn("cache: hit", run.stderr)
        self.assertEqual(run.state_bytes, self.bench.run(STEP, bind=bind).expect(0).state_bytes)

    def test_damage_is_said_and_nothing_is_written(self):
        artifact = self.compile(STEP)
        with open(artifact, "rb") as file:
            whole = file.read()
        source = random.Random(1)
        damaged = [whole[: source.randrange(len(whole))] for _ in range(10)]
        for _ in range(20):
            bit = source.randrange(len(whole) * 8)
            damaged.append(bytearray(whole))
            damaged[-1][bit // 8] ^= 1 << bit % 8
        for content in damaged:
            path = self.bench.file("damaged.so", bytes(content))
            run = self.bench.run(path, bind=lists([5]))
            run.expect(1, "damaged.so: ")
            self.assertRegex(run.stderr, "damaged|cut short|something else|format|footer|bytes")
            self.assertFalse(os.path.exists(run.state_file))
            self.tool("explain", path, code=1)

    def test_inputs_that_are_no_files(self):
        with open(STEP, "rb") as file:
            text = file.read()
        done = subprocess.run(
            [*self.bench.tool, "explain", "/dev/stdin"],
            input=text,
            capture_output=True,
            timeout=60,
            env=self.bench.environment,
        )
        self.assertEqual(done.returncode, 0, done)
        self.assertIn(b"step train: 2 sweeps", done.stdout)
        for path in (
            self.bench.folder,
            self.bench.path("absent.mlir"),
            self.bench.path("absent.so"),
        ):
            self.assertIn(f"error: {path}: cannot ", self.tool("explain", path, code=1).stderr)
        os.mkdir(self.bench.path("folder.so"))
        done = self.tool("explain", self.bench.path("folder.so"), code=1)
        self.assertIn("folder.so: expected a regular file", done.stderr)

    def test_chips(self):
        artifact = self.compile(STEP, "v3.so", "--chip", "x86-64-v3")
        run = self.bench.run(artifact, bind=lists([5]), chip="x86-64-v4")
        run.expect(1, "unknown chip 'x86-64-v4'; there is 'x86-64-v3'")
        with open(self.compile(STEP, "all.so"), "rb") as file:
            info = file.read()[-4096:].decode("latin-1")
        chips = re.findall(r"^variant \S+ (\S+) \d+ \d+ \S+$", info, re.M)
        self.assertEqual(sorted(chips), ["native", "x86-64-v3", "x86-64-v4"])
        self.assertEqual(chips[0], "x86-64-v3", "the least demanding comes first")


class Cases(ArtifactTest):
    """Of the case list, by number."""

    def test_b65_an_artifact_needs_no_conversion_from_a_library(self):
        # f16, bf16 and f32 lists: the conversions that libgcc has or lacks.
        for source in ("step", "bf16", "fp32"):
            path = os.path.join(ROOT, "examples", "adamw", source + ".mlir")
            for name, more in (
                ("all.so", ()),
                ("v3.so", ("--chip", "x86-64-v3")),
                ("v3.o", ("--chip", "x86-64-v3", "--emit", "obj")),
                ("native.o", ("--emit", "obj")),
            ):
                with self.subTest(source=source, name=name):
                    artifact = self.compile(path, name, *more)
                    table = ["-D"] if name.endswith(".so") else []
                    nm = ["nm", *table, artifact]
                    listing = subprocess.run(nm, capture_output=True, text=True, check=True).stdout
                    self.assertIn(" T sawtooth_query", listing)
                    self.assertNotRegex(listing, r"\bU ", "an undefined symbol")

    def test_b59_code_does_not_know_the_number_of_tensors(self):
        sizes = set()
        for count in (10, 1000, 10000):
            run = self.bench.run(STEP, bind=lists([3] * count), more=["--verbose"]).expect(0)
            self.assertEqual(len(run.list("w")), count)
            entries = [n for n in os.listdir(self.bench.cache) if n.endswith(".so")]
            sizes.update((n, os.path.getsize(os.path.join(self.bench.cache, n))) for n in entries)
            self.assertEqual(run.stderr.count("cache: hit"), 0 if count == 10 else 1, run.stderr)
        self.assertEqual(len(sizes), 1, "one artifact, one size")


if __name__ == "__main__":
    unittest.main()
