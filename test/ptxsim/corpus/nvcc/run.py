# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The PTX that nvcc made of ordinary CUDA C++ runs clean and gives the host's values.

run.py --library libcuda.so.1 [--seed N] [--ptxas]
"""

import argparse
import ctypes
import os
import random
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", ".."))
sys.path.insert(0, os.path.join(HERE, "..", "..", "forms"))

import exact
from driver import CudaError, Device
from exact import decode, encode, signed

M32 = (1 << 32) - 1


class Run:
    def __init__(self, device, function):
        self.device, self.function, self.arguments, self.buffers = device, function, [], []

    def buffer(self, kind, values):
        data = struct.pack(f"<{len(values)}{kind}", *values)
        address = self.device.upload(data)
        self.buffers.append((address, len(data), kind, len(values)))
        self.arguments.append(ctypes.c_uint64(address))
        return len(self.buffers) - 1

    def launch(self, grid, block, n, **more):
        self.arguments.append(ctypes.c_int32(n))
        self.device.launch(self.function, grid, block, self.arguments, **more)

    def expect(self, index, want, what="results"):
        address, size, kind, count = self.buffers[index]
        got = list(struct.unpack(f"<{count}{kind}", self.device.read(address, size)))
        for i, (w, g) in enumerate(zip(want, got)):
            if w != g:
                raise AssertionError(f"{what}: element {i}: expected {w}, got {g}")
        if len(want) != len(got):
            raise AssertionError(f"{what}: expected {len(want)} elements, got {len(got)}")


def ints(n, seed, low=-1000, high=1000):
    rng = random.Random(seed)
    return [rng.randint(low, high) for _ in range(n)]


def block_reduce(run):
    x = ints(600, 1)
    run.buffer("i", x)
    out = run.buffer("i", [0] * 10)
    run.launch(5, 128, len(x))
    want = []
    for b in range(5):
        part = x[128 * b : 128 * b + 128]
        want += [sum(part), max(part)]
    run.expect(out, want)


def block_scan(run):
    x = ints(1024, 2)
    run.buffer("i", x)
    out = run.buffer("i", [0] * 1024)
    run.launch(2, 128, 1024)
    want = []
    for b in range(2):
        total = 0
        for v in x[512 * b : 512 * b + 512]:
            total += v
            want.append(total)
    run.expect(out, want)


def radix_sort(run):
    rng = random.Random(3)
    x = [rng.getrandbits(32) for _ in range(1024)]
    run.buffer("I", x)
    out = run.buffer("I", [0] * 1024)
    run.launch(2, 128, 1024)
    run.expect(out, sorted(x[:512]) + sorted(x[512:]))


def cub_warp(run):
    x = ints(256, 4)
    run.buffer("i", x)
    out = run.buffer("i", [0] * 256)
    run.launch(2, 128, 256)
    run.expect(out, [sum(x[i // 32 * 32 : i // 32 * 32 + 32]) * 3 + sum(x[i // 32 * 32 : i]) * 5
                     + sum(x[i // 8 * 8 : i // 8 * 8 + 8]) * 7 for i in range(256)])


def groups_tile(run):
    x = ints(250, 5, 0, 50)
    run.buffer("i", x)
    out = run.buffer("i", [0] * 250)
    run.launch(2, 128, 250)
    padded = x + [0] * 6

    def value(i):
        tile = padded[i // 16 * 16 : i // 16 * 16 + 16]
        warp = padded[i // 32 * 32 : i // 32 * 32 + 32]
        odd = 0
        if x[i] & 1:
            odd = sum(v & 1 for v in warp) * 100 + sum(v & 1 for v in warp[: i % 32])
        return sum(tile) + 3 * sum(tile[: i % 16 + 1]) + 10000 * odd + (5 in tile)

    run.expect(out, [value(i) for i in range(250)])


def groups_grid(run):
    n = 200
    a = ints(n, 6, 0, 999)
    first = run.buffer("i", a)
    run.buffer("i", [0] * n)
    run.launch(4, 64, n, cooperative=True)
    for _ in range(3):
        b = [a[(i + 1) % n] + 1 for i in range(n)]
        a = [b[(i + 2) % n] * 2 % 1000 for i in range(n)]
    run.expect(first, a)


def halves(n, seed, kind):
    rng = random.Random(seed)
    return [encode(kind, (rng.randint(0, 1), rng.randint(0, 2000), rng.randint(-12, -6))) for _ in range(n)]


def half2(run):
    n = 150
    x, y = halves(2 * n, 7, "f16"), halves(2 * n, 8, "f16")
    run.buffer("H", x)
    run.buffer("H", y)
    out = run.buffer("H", [0] * (2 * n))
    run.launch(2, 128, n)

    def num(b):
        return decode("f16", b)

    def one(f):
        return encode("f16", f)

    half = (0, 1, -1)

    def lane(a, b):
        r = one(exact.fma(num(a), num(b), num(one(exact.mul(num(a), half))), "rn"))
        r = one(exact.add(num(r), num(one(exact.add(num(b), exact.neg(num(a)), "rn"))), "rn"))
        minus = b ^ 0x8000
        order = exact.compare(num(r), num(minus))
        return r if order > 0 or (order == 0 and not r >> 15) else minus

    want = []
    for i in range(n):
        low, high = lane(x[2 * i], y[2 * i]), lane(x[2 * i + 1], y[2 * i + 1])
        if exact.compare(num(low), num(high)) > 0:
            low, high = high, low
        wide = encode("f32", exact.add(num(low), (0, 1, 0), "rn"))
        want += [one(decode("f32", wide)), high]
    run.expect(out, want)


def bfloat2(run):
    n = 150
    x, y = halves(2 * n, 9, "bf16"), halves(2 * n, 10, "bf16")
    run.buffer("H", x)
    run.buffer("H", y)
    out = run.buffer("H", [0] * (2 * n))
    run.launch(2, 128, n)
    want = []
    for i in range(2 * n):
        r = encode("bf16", exact.fma(decode("bf16", x[i]), decode("bf16", y[i]), decode("bf16", x[i]), "rn"))
        wide = encode("f32", exact.add(decode("bf16", r), (i & 1, 1, -1), "rn"))
        want.append(encode("bf16", decode("f32", wide)))
    run.expect(out, want)


def histogram(run):
    x = ints(3000, 11, 0, 255)
    run.buffer("B", x)
    out = run.buffer("I", [0] * 256)
    run.launch(3, 128, len(x))
    run.expect(out, [x.count(v) for v in range(256)])


def atomic_cas(run):
    x = [float(v) / 4 for v in ints(300, 12)]
    run.buffer("d", x)
    most, low, total = run.buffer("d", [-1e9]), run.buffer("i", [0]), run.buffer("Q", [0])
    run.launch(3, 128, len(x))
    run.expect(most, [max(x)], "maximum")
    run.expect(low, [min(0, *[int(v) for v in x])], "minimum")
    run.expect(total, [sum(int(v * v) for v in x)], "sum")


def matmul(run):
    n = 40
    a, b = [float(v) for v in ints(n * n, 13, -9, 9)], [float(v) for v in ints(n * n, 14, -9, 9)]
    run.buffer("f", a)
    run.buffer("f", b)
    out = run.buffer("f", [0.0] * (n * n))
    run.launch((3, 3), (16, 16), n)
    run.expect(out, [sum(a[r * n + k] * b[k * n + c] for k in range(n)) for r in range(n) for c in range(n)])


def aggregate(run):
    n = 300
    x = ints(n, 15, 0, 1000)
    run.buffer("i", x)
    out, counts = run.buffer("i", [0] * (7 * n)), run.buffer("i", [0] * 7)
    run.launch(3, 128, n)
    run.expect(counts, [sum(v % 7 == key for v in x) for key in range(7)], "counts")
    address, size, _, count = run.buffers[out]
    got = struct.unpack(f"<{count}i", run.device.read(address, size))
    for key in range(7):
        mine = sorted(v for v in x if v % 7 == key)
        # The order among the values of a key is open.
        if sorted(got[key * n : key * n + len(mine)]) != mine or any(got[key * n + len(mine) : key * n + n]):
            raise AssertionError(f"places of key {key}")


def virtual(run):
    x = ints(200, 16, -40, 40)
    run.buffer("i", x)
    out = run.buffer("i", [0] * 200)
    run.launch(2, 128, 200)
    run.expect(out, [v * v + 1 if v & 1 else v * 3 + 3 for v in x])


def dot4(run):
    n = 250
    x, y = ints(n, 17, -(1 << 31), (1 << 31) - 1), ints(n, 18, -(1 << 31), (1 << 31) - 1)
    run.buffer("i", x)
    run.buffer("i", y)
    out = run.buffer("i", [0] * n)
    run.launch(2, 128, n)

    def value(i):
        a, b = x[i] & M32, y[i] & M32
        byte = lambda v, j: v >> 8 * j & 255
        r = 7 + sum(signed(byte(a, j), 8) * signed(byte(b, j), 8) for j in range(4))
        added = sum((byte(a, j) + byte(b, j) & 255) << 8 * j for j in range(4))
        permuted = byte(a, 0) | byte(b, 0) << 8 | byte(a, 1) << 16 | byte(b, 1) << 24
        r += added ^ permuted
        n5 = i & 31
        r += (b << 32 | a) << n5 >> 32
        r += int(format(a, "032b")[::-1], 2) + (x[i] * y[i] >> 32)
        r += (a & 0xFFFFFF) * (b & 0xFFFFFF) + abs(x[i] - y[i]) + 1
        r += 32 - b.bit_length() + ((a & -a).bit_length() if a else 0)
        return signed(r, 32)

    run.expect(out, [value(i) for i in range(n)])


KERNELS = {"cub-block-reduce": block_reduce, "cub-block-scan": block_scan, "cub-radix-sort": radix_sort,
           "cub-warp": cub_warp, "groups-tile": groups_tile, "groups-grid": groups_grid, "half2": half2, "bfloat2": bfloat2,
           "histogram": histogram, "atomic-cas": atomic_cas, "matmul": matmul, "aggregate": aggregate,
           "virtual": virtual, "dot4": dot4}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--ptxas", action="store_true")
    options = parser.parse_args()
    device = Device(options.library, f"chip=sm_90:seed={options.seed}:ptxas={int(options.ptxas)}")
    names = {f[:-4] for f in os.listdir(os.path.join(HERE, "ptx"))}
    failures = 0
    if names != set(KERNELS):
        failures += 1
        print("FAIL files and tests do not match:", names ^ set(KERNELS))
    for name, test in KERNELS.items():
        try:
            module = device.load(open(os.path.join(HERE, "ptx", name + ".ptx")).read())
            test(Run(device, device.function(module, "k")))
        except (AssertionError, CudaError) as error:
            failures += 1
            print(f"FAIL {name}: {error}")
            device.reset()
    print(f"seed {options.seed}: {len(KERNELS)} kernels, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
