#!/usr/bin/env python3
# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes digits.safetensors, the data of this example, from the copy of the set that scikit-learn
ships.

usage: make_digits.py OUT.safetensors needs: scikit-learn (1.9.1 was used; any version ships the
same images)

The file holds train.images f16 [1437, 64], train.labels i32 [1437], test.images f16 [360, 64] and
test.labels i32 [360]. A pixel is k/16 for an integer k of 0..16 and so exact in f16. The same file,
byte for byte, comes out on every machine: the split takes no random generator of any library.
"""

import hashlib
import json
import struct
import sys

from sklearn.datasets import load_digits

SEED = 0
TRAIN = 1437


def shuffled(count, seed):
    """The indices 0..count-1, ordered by the SHA-256 of "sawtooth digits SEED INDEX"."""
    digest = lambda index: hashlib.sha256(f"sawtooth digits {seed} {index}".encode()).digest()
    return sorted(range(count), key=digest)


def encode(tensors, metadata):
    """The bytes of a safetensors file. Tensors are (dtype, shape, little-endian bytes) by name; the
    wider element types must come first, so that every tensor is aligned to its elements."""
    header, offset = {"__metadata__": metadata}, 0
    for name, (dtype, shape, data) in tensors.items():
        header[name] = {
            "dtype": dtype,
            "shape": shape,
            "data_offsets": [offset, offset + len(data)],
        }
        offset += len(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(data for _, _, data in tensors.values())


def main(path):
    digits = load_digits()
    order = shuffled(len(digits.target), SEED)
    parts = {"train": order[:TRAIN], "test": order[TRAIN:]}
    tensors = {}
    for part, rows in parts.items():
        labels = [int(digits.target[row]) for row in rows]
        tensors[f"{part}.labels"] = ("I32", [len(rows)], struct.pack(f"<{len(rows)}i", *labels))
    for part, rows in parts.items():
        pixels = [float(pixel) / 16 for row in rows for pixel in digits.images[row].ravel()]
        tensors[f"{part}.images"] = (
            "F16",
            [len(rows), 64],
            struct.pack(f"<{len(pixels)}e", *pixels),
        )
    metadata = {
        "license": "CC BY 4.0, see LICENSE.data.md",
        "source": "E. Alpaydin and C. Kaynak, Optical Recognition of Handwritten Digits, UCI, 1998",
        "split": f"sha256, seed {SEED}",
    }
    with open(path, "wb") as file:
        file.write(encode(tensors, metadata))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
