# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels with one body and 64 bytes in and out for each thread."""

import ctypes
import random

from common import width_of

CHUNK = 60  # kernels a module


def batch(device, header, bodies, threads=32, module="", block=None):
    """Runs kernels `(body, input words, words out a thread)`; gives the 64-bit results of each.

    A body finds %t (thread), %in and %out (its own 64 bytes of each), and %r, %b, %h, %d, %p registers.
    """
    results = []
    for start in range(0, len(bodies), CHUNK):
        part = bodies[start : start + CHUNK]
        text = header + module
        for i, (body, _) in enumerate(part):
            text += f"""
.visible .entry k{i}(.param .u64 pin, .param .u64 pout) {{
  .reg .b64 %in, %out, %base, %x, %d<24>; .reg .b32 %t, %r<24>; .reg .b16 %h<24>; .reg .pred %p<8>; .reg .b128 %q<6>;
  .reg .f32 %f<8>; .reg .f64 %fd<8>;
  ld.param.u64 %base, [pin]; ld.param.u64 %out, [pout]; mov.u32 %t, %tid.x;
  mul.wide.u32 %x, %t, 64; add.s64 %in, %base, %x; add.s64 %out, %out, %x;
{body}
  ret;
}}
"""
        loaded = device.load(text)
        for i, (_, data) in enumerate(part):
            words = b"".join(v.to_bytes(8, "little") for v in data)
            words += bytes(64 * threads - len(words)) if len(words) < 64 * threads else b""
            source, target = device.upload(words), device.upload(bytes(64 * threads))
            device.launch(device.function(loaded, f"k{i}"), 1, block or threads,
                          [ctypes.c_uint64(source), ctypes.c_uint64(target)])
            raw = device.read(target, 64 * threads)
            results.append([[int.from_bytes(raw[64 * t + 8 * j : 64 * t + 8 * j + 8], "little") for j in range(8)]
                            for t in range(threads)])
            device.free(source)
            device.free(target)
        device.unload(loaded)
    return results


def pattern_words(threads, seed=1):
    rng = random.Random(seed)
    return [rng.getrandbits(64) for _ in range(8 * threads)]


def register(width):
    return {8: "%h", 16: "%h", 32: "%r", 64: "%d", 128: "%q"}[width]


def width128(word):
    return 128 if word == "b128" else width_of(word)
