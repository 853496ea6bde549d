# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The PTX of LLVM for every kernel and chip runs clean and gives the host's bits.

run.py --library libcuda.so.1 --chip sm_80 [--seed N] [--ptxas]
"""

import argparse
import ctypes
import math
import os
import random
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", ".."))
sys.path.insert(0, os.path.join(HERE, "..", "..", "forms"))

import exact
from driver import CudaError, Device

M32, M64 = (1 << 32) - 1, (1 << 64) - 1


def f32(x):
    """Rounds once: sums, products, quotients and roots of f32 survive the detour over f64."""
    return struct.unpack("<f", struct.pack("<f", x))[0]


def f16(x):
    return struct.unpack("<e", struct.pack("<e", x))[0]


def bf16_bits(x):
    return exact.encode("bf16", exact.decode("f32", struct.unpack("<I", struct.pack("<f", x))[0]))


def bf16(x):
    return struct.unpack("<f", struct.pack("<I", bf16_bits(x) << 16))[0]


def pack(kind, values):
    if kind == "bf16":
        return b"".join(bf16_bits(v).to_bytes(2, "little") for v in values)
    return struct.pack(f"<{len(values)}{kind}", *values)


def adam(p, g, m, v, c):
    lr, beta1, beta2, eps, decay, correction1, correction2 = c
    m = f32(f32(beta1 * m) + f32(f32(1.0 - beta1) * g))
    v = f32(f32(beta2 * v) + f32(f32(1.0 - beta2) * f32(g * g)))
    step = f32(f32(m / correction1) / f32(f32(math.sqrt(f32(v / correction2))) + eps))
    return f32(p - f32(lr * f32(step + f32(decay * p)))), m, v


class Run:
    """One launch: buffers in order of the parameters, then scalars."""

    def __init__(self, device, function):
        self.device, self.function, self.arguments, self.buffers = device, function, [], []

    def buffer(self, data):
        address = self.device.upload(data)
        self.buffers.append((address, len(data)))
        self.arguments.append(ctypes.c_uint64(address))
        return len(self.buffers) - 1

    def scalar(self, value):
        self.arguments.append(value)

    def launch(self, grid, block, **more):
        self.device.launch(self.function, grid, block, self.arguments, **more)

    def read(self, index, kind, count):
        address, size = self.buffers[index]
        raw = self.device.read(address, size)
        return list(struct.unpack_from(f"<{count}{kind}", raw)), raw


def adamw(run, gradient, parameter):
    rng = random.Random(1)
    n = 1000
    c = tuple(f32(x) for x in (1e-3, 0.9, 0.999, 1e-8, 0.01, 0.1, 0.001))
    rounding = {"e": f16, "bf16": bf16, "f": f32}
    p = [rounding[parameter](rng.uniform(-1, 1)) for _ in range(n)]
    g = [rounding[gradient](rng.uniform(-1, 1) * 10 ** rng.randint(-4, 1)) for _ in range(n)]
    m = [f32(rng.uniform(-0.1, 0.1)) for _ in range(n)]
    v = [f32(rng.uniform(0, 0.1)) for _ in range(n)]
    indices = [run.buffer(pack(kind, values)) for kind, values in ((parameter, p), (gradient, g), ("f", m), ("f", v))]
    run.scalar(ctypes.c_uint32(n))
    run.scalar((ctypes.c_float * 7)(*c))
    run.launch(3, 128)
    want = [adam(*each, c) for each in zip(p, g, m, v)]
    got = [run.device.read(*run.buffers[i]) for i in indices]
    expect(got[0] == pack(parameter, [w[0] for w in want]), "parameters")
    expect(got[2] == pack("f", [w[1] for w in want]), "first moments")
    expect(got[3] == pack("f", [w[2] for w in want]), "second moments")


def expect(condition, what):
    if not condition:
        raise AssertionError(f"{what} differ from the host's")


def stochastic(run):
    rng = random.Random(2)
    n, seed = 500, 0x123456789ABCDEF
    x = [f32(rng.uniform(-4, 4)) for _ in range(n)]
    run.buffer(pack("f", x))
    out = run.buffer(bytes(2 * n))
    run.scalar(ctypes.c_uint32(n))
    run.scalar(ctypes.c_uint64(seed))
    run.launch(4, 128)

    def philox(i):
        c, k = [i, 0, 0, 0], [seed & M32, seed >> 32]
        for _ in range(10):
            a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
            c = [b >> 32 ^ c[1] ^ k[0], b & M32, a >> 32 ^ c[3] ^ k[1], a & M32]
            k = [k[0] + 0x9E3779B9 & M32, k[1] + 0xBB67AE85 & M32]
        return c[0]

    want = [(struct.unpack("<I", struct.pack("<f", v))[0] + (philox(i) & 0xFFFF)) >> 16 & 0xFFFF for i, v in enumerate(x)]
    expect(run.read(out, "H", n)[0] == want, "rounded values")


def whole_numbers(n, seed):
    rng = random.Random(seed)
    return [float(rng.randint(-20, 20)) for _ in range(n)]  # their sums are exact in any order


def reduce_(run):
    x = whole_numbers(3000, 3)
    run.buffer(pack("f", x))
    out = run.buffer(bytes(4))
    run.scalar(ctypes.c_uint32(len(x)))
    run.launch(5, 256)
    expect(run.read(out, "f", 1)[0] == [sum(x)], "sums")


def last_block(run):
    x = whole_numbers(2000, 4)
    run.buffer(pack("f", x))
    out = run.buffer(bytes(4))
    run.scalar(ctypes.c_uint64(run.device.alloc(4 * 6)))  # partial sums: never initialised
    run.buffer(bytes(4))
    run.scalar(ctypes.c_uint32(len(x)))
    run.launch(6, 128)
    expect(run.read(out, "f", 1)[0] == [f32(math.sqrt(sum(v * v for v in x)))], "norms")


def grid_sync(run):
    n = 300
    a = whole_numbers(n, 5)
    index = run.buffer(pack("f", a))
    run.scalar(ctypes.c_uint64(run.device.alloc(4 * n)))
    run.buffer(bytes(4))
    run.scalar(ctypes.c_uint32(n))
    run.launch(5, 64, cooperative=True)
    for _ in range(4):
        b = [f32(a[(i + 1) % n] + a[i]) for i in range(n)]
        a = [f32(b[(i + n - 1) % n] * 0.5) for i in range(n)]
    expect(run.read(index, "f", n)[0] == a, "values")


def unary(run, x, function, grid=3, block=128, kind="I", **more):
    run.buffer(pack(kind, x))
    out = run.buffer(bytes(len(pack(kind, x))))
    run.scalar(ctypes.c_uint32(len(x)))
    run.launch(grid, block, **more)
    expect(run.read(out, kind, len(x))[0] == [function(i, v) for i, v in enumerate(x)], "results")


def numbers(n, seed, bits=32):
    rng = random.Random(seed)
    return [rng.getrandbits(rng.randint(1, bits)) for _ in range(n)]


def divergent(run):
    def collatz(_, v):
        steps = 0
        while v > 1:
            if v & 1:
                v = 3 * v + 1 & M64
                steps += 2 * (v & 3)
            else:
                v >>= 1
                if steps > 300:
                    break
            steps += 1
        return steps & M32

    unary(run, numbers(350, 6, 20), collatz)


def switch(run):
    def function(_, v):
        return [lambda: v * 3, lambda: v ^ 0x55, lambda: v // 7, lambda: v << 3, lambda: ~v, lambda: v % 13,
                lambda: bin(v).count("1"), lambda: 32 - v.bit_length(), lambda: int(format(v, "032b")[::-1], 2),
                lambda: v << 5 | v >> 27, lambda: v][v % 11]() & M32

    unary(run, numbers(380, 7), function)


def local_array(run):
    x = numbers(200, 8)
    unary(run, x, lambda i, v: sorted(x[(i * 16 + j) % len(x)] for j in range(16))[v & 15])


def byval(run):
    x = [f32(0.25 * i - 3) for i in range(64)]
    index, bias, scale, n = [(5 * j + 1) % 64 for j in range(24)], [1 << 40, 7, 3, 1 << 60], 1.5, 300
    run.buffer(pack("f", x))
    out = run.buffer(bytes(8 * n))
    table = struct.pack("<If24I4Q", 23, scale, *index, *bias)
    run.scalar((ctypes.c_ubyte * len(table)).from_buffer_copy(table))
    run.scalar(ctypes.c_uint32(n))
    run.launch(3, 128)
    want = [f32(x[index[i % 23]] * scale) + float(bias[i & 3]) for i in range(n)]
    expect(run.read(out, "d", n)[0] == want, "results")


def warp(run):
    rng = random.Random(9)
    x = [rng.randint(-500, 500) for _ in range(256)]
    x[70] = 77

    def function(i, _):
        lanes = x[i // 32 * 32 : i // 32 * 32 + 32]
        return sum(lanes[: i % 32 + 1]) * 7 + sum(v & 1 for v in lanes) + 1000 + 2000 * (77 in lanes) + 3 * max(lanes)

    unary(run, x, function, 2, 128, "i")


def integers(run):
    rng = random.Random(10)
    n = 300
    a = [exact.signed(rng.getrandbits(64), 64) >> rng.choice([0, 20, 40, 60]) for _ in range(n)]
    b = [exact.signed(rng.getrandbits(64), 64) >> rng.choice([0, 20, 40, 60]) for _ in range(n)]
    run.buffer(pack("q", a))
    run.buffer(pack("q", b))
    out = run.buffer(bytes(8 * n))
    run.scalar(ctypes.c_uint32(n))
    run.launch(3, 128)

    def s(v, w=64):
        return exact.signed(v, w)

    def quotient(x, y):
        return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)

    def function(x, y):
        y |= 1
        ux, uy = x & M64, y & M64
        r = s(quotient(x, y) + (x - y * quotient(x, y)))
        r ^= s(ux // uy + ux % uy)
        r = s(r + s(ux * uy >> 64))
        r ^= s(s(quotient(s(x, 32), s(y, 32) | 1), 32) + s(x, 16), 32)
        r = s(r + s(s(y, 8) + (x >> 9 & 255) + s(ux >> (y & 63))))
        return s(r + max(x, y))

    expect(run.read(out, "q", n)[0] == [function(*each) for each in zip(a, b)], "results")


def conversions(run):
    rng = random.Random(11)
    n = 300
    x = [f32(rng.uniform(-1, 1) * 2.0 ** rng.randint(-6, 14)) for _ in range(n)]
    run.buffer(pack("f", x))
    out = run.buffer(bytes(8 * n))
    run.scalar(ctypes.c_uint32(n))
    run.launch(3, 128)

    # The C text adds from left to right.
    def in_order(v):
        r = float(int(v)) + float(int(abs(v))) * 0.5
        r += (float(int(f32(v * 1000.0))) + f16(v)) + bf16(v)
        r += f32(f32(f32(float(math.floor(v)) + float(math.ceil(v))) + float(math.trunc(v))) + float(round(v)))
        r += f32(float(int(f32(v * 3.0)))) + math.sqrt(abs(v))
        r -= (math.copysign(2.0, v) + max(v, 0.25)) - min(v, -0.25)
        return r / 3.0

    got = run.read(out, "d", n)[0]
    want = [in_order(v) for v in x]
    expect(got == want, "results")


def dynamic_shared(run):
    x = numbers(512, 12)
    unary(run, x, lambda i, _: x[i // 256 * 256 + (i % 8) * 32 + i % 256 // 8], 2, 256, shared=32 * 9 * 4)


def calls(run):
    def ackermann(m, n):
        return n + 1 if m == 0 else ackermann(m - 1, 1 if n == 0 else ackermann(m, n - 1))

    unary(run, numbers(100, 13), lambda i, v: ackermann(v % 3, i % 5), 1, 128)


KERNELS = {
    "adamw-f32": lambda run: adamw(run, "f", "f"), "adamw-f16": lambda run: adamw(run, "e", "f"),
    "adamw-bf16": lambda run: adamw(run, "bf16", "bf16"), "stochastic": stochastic, "reduce": reduce_,
    "last-block": last_block, "grid-sync": grid_sync, "divergent": divergent, "switch": switch, "local-array": local_array,
    "byval": byval, "warp": warp, "integers": integers, "conversions": conversions, "dynamic-shared": dynamic_shared,
    "calls": calls}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    parser.add_argument("--chip", required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--ptxas", action="store_true")
    options = parser.parse_args()
    device = Device(options.library, f"chip={options.chip}:seed={options.seed}:ptxas={int(options.ptxas)}")
    files = sorted(f for f in os.listdir(os.path.join(HERE, "ptx")) if f.endswith(f".{options.chip}.ptx"))
    failures = 0
    if {f.split(".")[0] for f in files} != set(KERNELS):
        print("FAIL files and tests do not match:", files)
        failures += 1
    for file in files:
        name = file.split(".")[0]
        try:
            module = device.load(open(os.path.join(HERE, "ptx", file)).read())
            KERNELS[name](Run(device, device.function(module, "k")))
        except (AssertionError, CudaError) as error:
            failures += 1
            print(f"FAIL {file}: {error}")
            device.reset()
    print(f"{options.chip}, seed {options.seed}: {len(files)} kernels, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
