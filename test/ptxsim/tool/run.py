# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ptxsim-run from the shell: values, exit codes, messages, figures that do not move, and speed.

run.py --tool ptxsim-run [--speed]
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CORPUS = os.path.join(HERE, "..", "corpus", "llvm", "ptx")

SUM = """.version 7.0
.target sm_75
.address_size 64
.visible .entry pairs(.param .u64 pin, .param .u64 pout) {
  .shared .align 4 .b8 sm[1024];
  .reg .b64 %a, %b, %x; .reg .b32 %t, %s, %v, %w; .reg .pred %p;
  ld.param.u64 %a, [pin]; ld.param.u64 %b, [pout];
  mov.u32 %t, %tid.x; mul.wide.u32 %x, %t, 4; add.s64 %a, %a, %x; add.s64 %b, %b, %x;
  ld.global.u32 %v, [%a];
  shl.b32 %s, %t, 3; mov.u32 %w, sm; add.u32 %s, %s, %w;
  st.shared.u32 [%s], %v;
  bar.sync 0;
  ld.shared.u32 %w, [%s];
  setp.lt.u32 %p, %t, 16;
  @%p bra LOW;
  add.u32 %w, %w, 100;
LOW:
  st.global.u32 [%b], %w;
  ret;
}
"""


class Shell:
    def __init__(self, tool):
        self.tool, self.failures = tool, 0
        self.file = os.path.join(tempfile.mkdtemp(), "sum.ptx")
        open(self.file, "w").write(SUM)

    def run(self, *words, environment=None):
        return subprocess.run([self.tool, *words], capture_output=True, text=True,
                              env={**os.environ, "PTXSIM_OPTIONS": environment or ""})

    def expect(self, words, code, out=None, err=None, environment=None):
        done = self.run(*words, environment=environment)
        wrong = []
        if done.returncode != code:
            wrong.append(f"exit code {done.returncode}, expected {code}")
        if out is not None and not re.search(out, done.stdout, re.M):
            wrong.append(f"no {out!r} in the output {done.stdout[:500]!r}")
        if err is not None and not re.search(err, done.stderr, re.M):
            wrong.append(f"no {err!r} in the errors {done.stderr[:500]!r}")
        for each in wrong:
            self.failures += 1
            print("FAIL", " ".join(words), ":", each)
        return done


def behaviour(shell):
    launch = [shell.file, "--entry", "pairs", "--block", "64"]
    full = launch + ["--arg", "u32[64]=iota", "--arg", "u32[64]=0"]
    want = " ".join(str(i if i < 16 else i + 100) for i in range(64))
    shell.expect(full + ["--print", "1"], 0, f"^{want}$")
    shell.expect([shell.file], 0, "^pairs$")
    shell.expect(launch + ["--arg", "u32[64]", "--arg", "u32[64]=0"], 3, err="Uninitialised __global__ memory read")
    shell.expect(launch + ["--arg", "u32[62]=1", "--arg", "u32[64]=0"], 3, err="0 bytes after argument 0 \\(248 bytes")
    shell.expect([shell.file, "--entry", "pears"], 2, err="unknown entry 'pears'; entries are pairs")
    shell.expect(launch, 2, err="expected 2 arguments, got 0")
    shell.expect(full + ["--options", "chip=sm_99"], 2, err="unknown chip 'sm_99'; chips are sm_75")
    shell.expect(full + ["--options", "rase=1"], 2, err="unknown option 'rase'; did you mean 'race'")
    shell.expect(full, 2, err="option 'race': expected 0 or 1, got '2'", environment="race=2")
    shell.expect(["no-such-file.ptx"], 1, err="cannot read")
    shell.expect(["--help"], 0, "seed=0 +order of warps")
    # Figures are exact: 18 instructions in warp 0; warp 1 branches nowhere, and an instruction whose
    # guard is false for all is not counted. Each line of memory requested once, a stride of two words in shared
    # memory puts two lanes on one bank, one warp of the two diverges.
    figures = {"instructions.warp": 18 + 17, "branches.divergent": 1, "barriers": 2, "global.load.requests": 2,
               "global.load.bytes": 256, "global.load.sectors": 8, "global.store.sectors": 8, "shared.load.passes": 4,
               "shared.store.passes": 4, "opcode.add.u32": 64 + 48, "opcode.bar.sync": 64}
    done = shell.expect(full + ["--stats"], 0)
    got = dict(line.rsplit(" ", 1) for line in done.stdout.splitlines())
    for name, value in figures.items():
        if got.get(name) != str(value):
            shell.failures += 1
            print(f"FAIL --stats: {name}: expected {value}, got {got.get(name)}")
    if shell.run(*full, "--stats").stdout != done.stdout:
        shell.failures += 1
        print("FAIL --stats: two runs differ")
    # What the decoder does not know is an error with file, line and text.
    for old, new, message in [("bar.sync 0;", "bar.sink 0;", "unsupported form 'bar.sink': unexpected '.sink'"),
                              ("st.shared.u32", "st.shared.mystery.u32", "unexpected '.mystery'"),
                              ("  ret;", "  retn;", "unknown instruction 'retn'; did you mean 'ret'"),
                              (".shared .align", ".mystery .align", "unsupported directive '.mystery'"),
                              ("%w, 100", "%w, 1.5", "a 64-bit literal does not fit .u32"),
                              ("add.u32 %w", "add.rn.bf16 %w", "'add.rn.bf16' needs sm_90, the target is sm_75"),
                              ("setp.lt.u32", "rsqrt.approx.f32", "allow it with approx=1"),
                              (".version 7.0", ".version 9.9", "expected .version 6.3 to 9.0, got 9.9")]:
        path = shell.file.replace("sum", "bad")
        assert old in SUM
        text = SUM.replace(old, new, 1)
        open(path, "w").write(text)
        line = text[: text.index(new)].count("\n") + 1
        shell.expect([path], 1, err=re.escape(f"{path}:{line}: error: ") + ".*" + re.escape(message))


def speed(shell):
    n = 1000000
    base = [os.path.join(CORPUS, "adamw-f32.sm_80.ptx"), "--entry", "k", "--grid", "3907", "--block", "256", "--time",
            "--arg", f"f32[{n}]=random", "--arg", f"f32[{n}]=random", "--arg", f"f32[{n}]=0", "--arg", f"f32[{n}]=0",
            "--arg", f"u32={n}", "--arg", "f32:7=0.001,0.9,0.999,1e-8,0.01,0.1,0.001"]
    for options, least, name in (("race=0", 0.5e9, "without race checks"), ("race=1", 0.15e9, "with everything on")):
        best, seconds = 0.0, 1e9
        for _ in range(3):
            done = shell.expect(base + ["--options", options], 0)
            figures = dict(line.split() for line in done.stdout.splitlines())
            best, seconds = max(best, float(figures["rate"])), min(seconds, float(figures["cpu-seconds"]))
        print(f"AdamW, 10^6 elements, {name}: {best / 1e9:.2f}e9 thread-instructions/s, {seconds:.3f} s")
        if best < least or seconds > 1:
            shell.failures += 1
            print(f"FAIL speed {name}: expected {least:.2g} thread-instructions/s and at most a second")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--speed", action="store_true")
    options = parser.parse_args()
    shell = Shell(options.tool)
    (speed if options.speed else behaviour)(shell)
    print(shell.failures, "failures")
    return 1 if shell.failures else 0


if __name__ == "__main__":
    sys.exit(main())
