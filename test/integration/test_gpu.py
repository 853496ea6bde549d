# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tool with --target=nvptx against itself on the CPU, on the simulator that LD_LIBRARY_PATH
leads to. The other suites hold the oracle to both targets, see harness.py."""

import json
import os
import re
import subprocess
import unittest

import programs
from harness import Bench, Tensor
from oracle import tensorfile

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLE = os.path.join(HERE, "..", "..", "examples", "digits")
TRAIN = os.path.join(EXAMPLE, "train.mlir")
CHIPS = ("sm_75", "sm_80", "sm_90", "sm_100")
SIZES = {"a.weight": 37, "b.bias": 300, "empty": 0, "long": 16384 + 5}


def simulate(chip):
    return {"PTXSIM_OPTIONS": f"ptxas=0:chip={chip}"}


def tensors(kind, phase):
    return {
        name: Tensor.of(kind, (n,), [((i * 37 + phase) % 201 - 100) / 128 for i in range(n)])
        for name, n in SIZES.items()
    }


def first_examples(path, train, test):
    """The digits with so many examples of each split."""
    counts = {"train": train, "test": test}
    with open(path, "rb") as file:
        whole, _ = tensorfile.decode(file.read())
    some = {}
    for name, tensor in whole.items():
        count = counts[name.split(".")[0]]
        bytes_each = len(tensor.data) // tensor.shape[0]
        some[name] = Tensor(
            tensor.dtype, (count, *tensor.shape[1:]), tensor.data[: count * bytes_each]
        )
    return some


class Gpu(unittest.TestCase):
    def setUp(self):
        self.bench = self.enterContext(Bench())
        self.bench.target = "cpu"  # each run says its own

    def both(self, module, chips=("sm_90",), more=(), **arguments):
        """Runs on the CPU and on chips; everything that they leave must be equal."""
        cpu = self.bench.run(module, more=more, **arguments).expect(0)
        for chip in chips:
            gpu = self.bench.run(
                module, more=[*more, "--target=nvptx"], environment=simulate(chip), **arguments
            ).expect(0)
            self.assertEqual(gpu.state_bytes, cpu.state_bytes, chip)
            self.assertEqual(gpu.log, cpu.log, chip)
            self.assertEqual(gpu.stdout, cpu.stdout, chip)
        return cpu

    def step(self):
        return programs.step("adamw", dict(lr=0.01), dict(scale=8.0), copy="f16", max_norm=1.0)

    def test_every_chip_gives_the_bytes_of_the_cpu(self):
        bind = {"g": tensors("F16", 0), "w": tensors("F32", 77)}
        self.both(self.step(), CHIPS, bind=bind, steps=3)

    def test_digits_from_forward_to_update(self):
        # Two batches of 32, and an evaluation whose last batch is smaller.
        data = self.bench.file(
            "few.safetensors",
            first_examples(os.path.join(EXAMPLE, "digits.safetensors"), 70, 40),
        )
        run = self.both(TRAIN, CHIPS, more=["--data", data, "--epochs", "1"])
        self.assertEqual([line["name"] for line in run.log], ["train", "train", "test"])

    def test_a_run_may_change_between_targets(self):
        bind = {"g": tensors("F16", 0), "w": tensors("F32", 77)}
        whole = self.bench.run(self.step(), bind=bind, steps=4).expect(0)
        half = self.bench.run(
            self.step(), bind=bind, steps=2, more=["--target=nvptx"], environment=simulate("sm_80")
        ).expect(0)
        rest = self.bench.run(
            self.step(), bind={"g": bind["g"]}, steps=2, load=half.state_file
        ).expect(0)
        self.assertEqual(rest.state_bytes, whole.state_bytes)

    def test_one_bad_element_among_thousands_of_chunks(self):
        # Wherever its chunk is folded: first and last, in a round of eight values and behind it.
        module = programs.step("sgd", dict(lr=0.5), dict(scale=8.0))
        names = [f"t{i:04}" for i in range(5000)]
        good = {name: Tensor.of("F16", (1,), [1.0]) for name in names}
        w = {name: Tensor.of("F32", (1,), [1.0]) for name in names}
        bad = Tensor.of("F16", (1,), [float("nan")])
        for place in (None, 0, 2047, 2048, 4095, 4096, 4351, 4352, 4999):
            g = good if place is None else {**good, names[place]: bad}
            run = self.bench.run(
                module, bind={"g": g, "w": w}, save=False, more=["--target=nvptx"],
                environment={"PTXSIM_OPTIONS": "ptxas=0:chip=sm_90:race=0"},
            ).expect(0)
            self.assertEqual(run.applied, [place is None], place)

    def test_until_counts_applied_steps_alone(self):
        g = tensors("F16", 0)
        bad = dict(g, **{"a.weight": Tensor.of("F16", (37,), [float("inf")] * 37)})
        module = programs.step("sgd", dict(lr=0.5), dict(scale=8.0))
        self.both(module, bind={"g": g, "w": tensors("F32", 1)}, more=["--until", "applied=3"])
        stuck = programs.step(
            "sgd", dict(lr=0.5), dict(scale=8.0, min_scale=1.0, max_consecutive_skips=5)
        )
        runs = [
            self.bench.run(
                stuck, bind={"g": bad, "w": tensors("F32", 1)}, steps=20, more=more,
                environment=simulate("sm_90"),
            )
            for more in ((), ["--target=nvptx"])
        ]
        self.assertEqual(runs[0].code, runs[1].code)
        self.assertEqual(len(runs[1].log), 5)
        self.assertEqual(runs[1].state_bytes, runs[0].state_bytes)

    def test_an_artifact_for_both_targets(self):
        path, artifact = self.bench.file("step.mlir", self.step()), self.bench.path("both.so")
        done = self.bench.call(
            "compile", path, "--target=cpu", "--target=nvptx", "--chip=x86-64-v3", "--chip=sm_75",
            "--chip=sm_90", "-o", artifact,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        again = self.bench.path("again.so")
        self.bench.call(
            "compile", path, "--target=nvptx", "--chip=sm_90", "--chip=x86-64-v3", "--chip=sm_75",
            "-o", again,
        )
        with open(artifact, "rb") as one, open(again, "rb") as other:
            self.assertEqual(one.read(), other.read())
        bind = {"g": tensors("F16", 0), "w": tensors("F32", 77)}
        self.both(artifact, ("sm_75", "sm_80", "sm_120"), bind=bind, steps=2)
        done = self.bench.call("explain", artifact, "--target=nvptx", "--json")
        self.assertEqual(json.loads(done.stdout)["steps"][0]["launches"], 2, done.stderr)
        only = self.bench.path("only.so")
        self.bench.call("compile", path, "--chip=sm_90", "-o", only)
        # Nothing has to be said of an artifact for one target.
        run = self.bench.run(only, bind=bind, environment=simulate("sm_90")).expect(0)
        self.assertEqual(run.applied, [True])
        self.bench.run(only, bind=bind, environment=simulate("sm_80")).expect(
            1, "no code that sm_80 runs"
        )

    def test_an_artifact_with_cubins(self):
        # The simulator refuses machine code as a driver does that of another chip, so any will do.
        folder = self.bench.path("cuda")
        os.makedirs(os.path.join(folder, "bin"))
        assembler = self.bench.file("cuda/bin/ptxas", "#!/bin/sh\nprintf '\\177ELF' > \"$4\"\n")
        os.chmod(assembler, 0o755)
        path, artifact = self.bench.file("step.mlir", self.step()), self.bench.path("fat.so")
        chips = ("sm_100", "sm_80", "sm_90")
        done = self.bench.call(
            "compile",
            path,
            f"--ptxas={assembler}",
            *(f"--chip={chip}" for chip in chips),
            "-o",
            artifact,
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = self.bench.call("explain", artifact)
        self.assertIn("for nvptx sm_80, sm_90, sm_100\n", done.stdout)
        bind = {"g": tensors("F16", 0), "w": tensors("F32", 77)}
        cpu = self.bench.run(self.step(), bind=bind, steps=2).expect(0)
        for device, picked, refused in (
            ("sm_80", "PTX 7.0 for sm_80", ["sm_80"]),
            ("sm_86", "PTX 7.0 for sm_80", ["sm_80"]),
            ("sm_90", "PTX 7.8 for sm_90", ["sm_90"]),
            ("sm_120", "PTX 8.6 for sm_100", []),
        ):
            run = self.bench.run(
                artifact, bind=bind, steps=2, more=["--verbose"], environment=simulate(device)
            ).expect(0, f", {picked}")
            self.assertEqual(re.findall(r"not cubin for (\w+):", run.stderr), refused)
            self.assertEqual(run.state_bytes, cpu.state_bytes, device)

    def test_the_cache_tells_assemblers_apart(self):
        path, said = self.bench.file("step.mlir", self.step()), []
        for name in ("one", "other", "one"):
            text = f"#!/bin/sh\n# {name}\nprintf '\\177ELF' > \"$4\"\n"
            assembler = self.bench.file(f"{name}-ptxas", text)
            os.chmod(assembler, 0o755)
            done = self.bench.call(
                "compile",
                path,
                "--chip=sm_90",
                f"--ptxas={assembler}",
                "--verbose",
                "-o",
                self.bench.path("out.so"),
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            said.append("cache: hit" in done.stderr)
        self.assertEqual(said, [False, False, True])

    def test_B55_the_cache_tells_chips_apart(self):
        bind = {"g": tensors("F16", 0), "w": tensors("F32", 77)}
        said = []
        for chip in ("sm_80", "sm_90", "sm_80"):
            run = self.bench.run(
                self.step(), bind=bind, more=["--target=nvptx", "--verbose"],
                environment=simulate(chip),
            ).expect(0)
            said.append("cache: hit" in run.stderr)
            self.assertEqual(run.stderr.count(f"chips:5={chip}") > 0, True, run.stderr)
        self.assertEqual(said, [False, False, True])

    def test_without_a_gpu_it_says_how_to_simulate_one(self):
        nothing = self.bench.path("nothing")
        os.mkdir(nothing)
        self.bench.file("nothing/libcuda.so.1", "")  # even where there is a driver
        run = self.bench.run(
            self.step(), bind={"g": tensors("F16", 0)}, more=["--target=nvptx"],
            environment={"LD_LIBRARY_PATH": nothing},
        )
        run.expect(1, "there is no CUDA driver", "LD_LIBRARY_PATH=", "ptxsim")


class Calls(unittest.TestCase):
    """What the driver is asked for, counted by a library between it and the tool."""

    def setUp(self):
        self.bench = self.enterContext(Bench())
        self.bench.target = "cpu"

    def counts(self, run):
        """{entry point: calls} of what `run` does in the environment that it gets."""
        report = self.bench.path("calls")
        run({
            "CUDASPY_REPORT": report,
            "LD_LIBRARY_PATH": os.environ["CUDASPY_PATH"],
            "PTXSIM_OPTIONS": "ptxas=0:chip=sm_90:race=0",  # other tests look at what kernels do
        })
        if not os.path.exists(report):
            return {}
        with open(report, encoding="utf-8") as file:
            counts = {name: int(count) for name, count in (line.split() for line in file)}
        os.remove(report)
        return counts

    def calls(self, *arguments, **options):
        """The same of one run of a step."""
        return self.counts(
            lambda environment: self.bench.run(
                *arguments, environment=environment, **options
            ).expect(0)
        )

    def each_step(self, module, more=(), **options):
        """The calls that one step more makes."""
        few, many = (
            self.calls(module, steps=steps, more=["--target=nvptx", *more], save=False, **options)
            for steps in (1, 4)
        )
        more = {name: (many[name] - few.get(name, 0)) / 3 for name in many}
        return {name: count for name, count in more.items() if count}

    def test_B42_a_tail_is_its_launches_for_any_number_of_tensors(self):
        for rule, launches in (("adamw", 2), ("sgd", 2), ("lamb", 3)):
            module = programs.step(rule, dict(lr=0.01), dict(scale=8.0), copy="f16", max_norm=1.0)
            for count in (1, 148, 10000) if rule == "adamw" else (1, 148):
                sizes = {f"t{i}": 0 if i % 5 == 3 else i % 7 + 1 for i in range(count)}
                bind = {
                    name: {
                        tensor: Tensor.of(kind, (n,), [0.5] * n) for tensor, n in sizes.items()
                    }
                    for name, kind in (("g", "F16"), ("w", "F32"))
                }
                # The one query finds out whether the context has to be made current.
                self.assertEqual(
                    self.each_step(module, bind=bind),
                    {"cuLaunchKernel": launches, "cuCtxGetCurrent": 1,
                     "cuCtxPushCurrent": 1, "cuCtxPopCurrent": 1},
                    f"{rule} on {count} tensors",
                )

    def test_skips_of_a_benchmark_wait_for_nothing(self):
        path = self.bench.file("step.mlir", programs.step("sgd", dict(lr=0.5), {}))

        def time(rate):
            def run(environment):
                subprocess.run(
                    [*self.bench.tool, "bench", path, "--target=nvptx", "--tensors", "4x100",
                     "--steps", "6", "--skip-rate", rate],
                    capture_output=True, check=True, timeout=300, env={**os.environ, **environment},
                )
            return self.counts(run)

        # An infinity comes and goes by a copy within the device's memory, in the stream's order.
        none, all_six = time("0"), time("1")
        more = {name: count - none.get(name, 0) for name, count in all_six.items()}
        self.assertEqual({n: k for n, k in more.items() if k}, {"cuMemcpyDtoDAsync": 2 * 6})

    def test_a_run_creates_one_context(self):
        # Asking the GPU which chip it is, and running there.
        bind = {"g": tensors("F16", 0), "w": tensors("F32", 77)}
        made = self.calls(
            programs.step("sgd", dict(lr=0.5), {}), bind=bind, more=["--target=nvptx"]
        )
        self.assertEqual(made["cuDevicePrimaryCtxRetain"], 1)
        self.assertEqual(made["cuStreamCreate"], 1)
        self.assertEqual(made["cuModuleLoadDataEx"], 1)

    def test_explain_counts_the_launches_of_a_forward_part(self):
        data = self.bench.file(
            "few.safetensors", first_examples(os.path.join(EXAMPLE, "digits.safetensors"), 160, 20)
        )
        done = self.bench.call("explain", TRAIN, "--target=nvptx", "--json")
        launches = {step["name"]: step["launches"] for step in json.loads(done.stdout)["steps"]}
        loops = {"train": 42, "test": 18}
        # Beside its loops a step launches what comes before them, and its two passes.
        self.assertEqual(launches, {"train": 1 + loops["train"] + 2, "test": 1 + loops["test"]})
        made = self.each_step(TRAIN, more=["--data", data])
        self.assertEqual(made["cuLaunchKernel"], launches["train"])

    def test_B72_code_for_a_gpu_calls_no_driver_before_its_first_step(self):
        path = self.bench.file("step.mlir", programs.step("sgd", dict(lr=0.5), {}))
        artifact = self.bench.path("both.so")
        done = self.bench.call("compile", path, "--target=cpu", "--target=nvptx", "-o", artifact)
        self.assertEqual(done.returncode, 0, done.stderr)
        bind = {"g": tensors("F16", 0), "w": tensors("F32", 77)}
        self.assertEqual(self.calls(artifact, bind=bind), {})  # on the CPU
        with open(artifact, "rb") as file:
            self.assertNotIn(b".init_array", file.read())


class Killed(unittest.TestCase):
    """Killed before any call of the driver, a run leaves the old state file or the new one."""

    def test_the_state_file_is_the_old_or_the_new_one(self):
        bench = self.enterContext(Bench())
        bench.target = "cpu"
        module = programs.step("sgd", dict(lr=0.5), dict(scale=8.0))
        artifact = bench.path("step.so")
        done = bench.call(
            "compile", bench.file("step.mlir", module), "--chip=sm_75", "-o", artifact
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        g = {"a": Tensor.of("F16", (3,), [1.0, 2.0, 3.0])}
        w = {"a": Tensor.of("F32", (3,), [1.0, 1.0, 1.0])}
        state = bench.path("state.safetensors")
        first = bench.run(artifact, bind={"g": g, "w": w}, save=state).expect(0).state_bytes
        arguments = dict(bind={"g": g}, load=bench.path("old.safetensors"), save=state, steps=2)
        bench.file("old.safetensors", first)
        last = bench.run(artifact, **arguments).expect(0).state_bytes
        self.assertNotEqual(first, last)
        seen, call, killed = set(), 0, True
        while killed:
            call += 1
            bench.file("state.safetensors", first)
            run = bench.run(
                artifact,
                **arguments,
                environment={
                    "CUDASPY": f"killAt={call}",
                    "LD_LIBRARY_PATH": os.environ["CUDASPY_PATH"],
                },
            )
            killed = run.code == -9
            self.assertIn(run.code, (0, -9), run.stderr)
            self.assertIn(run.state_bytes, (first, last), f"killed before call {call}")
            seen.add(run.state_bytes)
        self.assertEqual(seen, {first, last})
        self.assertGreater(call, 60)  # many calls were there to be killed before


if __name__ == "__main__":
    unittest.main()
