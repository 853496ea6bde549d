# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reading and writing safetensors files, strictly and down to the bit.

Format: an 8-byte little-endian header length, a JSON object {NAME: {"dtype", "shape",
"data_offsets"}} with optional "__metadata__" of strings, then the data without gaps.
"""

import json
import math
import os
import struct

from . import rounding

# Element type: its size and, where `struct` knows it, its code. bf16 goes by its bits.
DTYPES = {
    "F64": (8, "d"),
    "F32": (4, "f"),
    "F16": (2, "e"),
    "BF16": (2, None),
    "I64": (8, "q"),
    "I32": (4, "i"),
    "I8": (1, "b"),
    "U8": (1, "B"),
    "BOOL": (1, "?"),
}
_FORMATS = {"F64": rounding.F64, "F32": rounding.F32, "F16": rounding.F16, "BF16": rounding.BF16}
_BIT_CODES = {8: "Q", 4: "I", 2: "H", 1: "B"}


class Tensor:
    """A dtype (as safetensors spells it), a shape and the little-endian bytes of the elements."""

    def __init__(self, dtype, shape, data):
        self.dtype, self.shape, self.data = dtype, tuple(shape), bytes(data)
        size = math.prod(self.shape) * DTYPES[dtype][0]
        if len(self.data) != size:
            raise ValueError(
                f"expected {size} bytes for {dtype} {list(self.shape)}, got {len(self.data)}"
            )

    @classmethod
    def of(cls, dtype, shape, values):
        """Rounds floating-point values once to `dtype`; NaNs become canonical."""
        values, code = list(values), DTYPES[dtype][1]
        if dtype not in _FORMATS:
            return cls(dtype, shape, struct.pack(f"<{len(values)}{code}", *values))
        # `struct` rounds as the exact code does, many times faster, but keeps the sign of a NaN and
        # refuses what overflows.
        if code and not any(map(math.isnan, values)):
            try:
                return cls(dtype, shape, struct.pack(f"<{len(values)}{code}", *values))
            except OverflowError:
                pass
        return cls.of_bits(
            dtype, shape, [rounding.encode(float(v), _FORMATS[dtype]) for v in values]
        )

    @classmethod
    def of_bits(cls, dtype, shape, bits):
        """From the bit patterns as unsigned integers, untouched."""
        bits = list(bits)
        return cls(dtype, shape, struct.pack(f"<{len(bits)}{_BIT_CODES[DTYPES[dtype][0]]}", *bits))

    @classmethod
    def full(cls, dtype, shape, value):
        element = cls.of(dtype, (), [value]).data
        return cls(dtype, shape, element * math.prod(shape))

    @property
    def bits(self):
        """The elements' bit patterns as unsigned integers."""
        size = DTYPES[self.dtype][0]
        return list(struct.unpack(f"<{len(self.data) // size}{_BIT_CODES[size]}", self.data))

    @property
    def values(self):
        """The elements as Python numbers, exactly."""
        if self.dtype == "BF16":
            wide = struct.pack(f"<{len(self.data) // 2}I", *(bits << 16 for bits in self.bits))
            return list(struct.unpack(f"<{len(self.data) // 2}f", wide))
        size, code = DTYPES[self.dtype]
        return list(struct.unpack(f"<{len(self.data) // size}{code}", self.data))

    @property
    def item(self):
        """The only element."""
        (value,) = self.values
        return value

    def __eq__(self, other):
        return (self.dtype, self.shape, self.data) == (other.dtype, other.shape, other.data)

    def __repr__(self):
        shown = ", ".join(map(str, self.values[:8])) + (", …" if len(self.values) > 8 else "")
        return f"Tensor({self.dtype}, {list(self.shape)}, [{shown}])"


def encode(tensors, metadata=None):
    """The bytes of a file with {NAME: Tensor}; wide elements first, so that all are aligned."""
    names = sorted(tensors, key=lambda name: (-DTYPES[tensors[name].dtype][0], name.encode()))
    header, offset = {}, 0
    if metadata:
        header["__metadata__"] = metadata
    for name in names:
        tensor = tensors[name]
        header[name] = {
            "dtype": tensor.dtype,
            "shape": list(tensor.shape),
            "data_offsets": [offset, offset + len(tensor.data)],
        }
        offset += len(tensor.data)
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    return b"".join([struct.pack("<Q", len(text)), text, *(tensors[name].data for name in names)])


def decode(data):
    """({NAME: Tensor}, metadata) of a file's bytes; ValueError for whatever the format forbids."""
    if len(data) < 8:
        raise ValueError(f"expected at least 8 bytes, got {len(data)}")
    (length,) = struct.unpack_from("<Q", data)
    if length > len(data) - 8:
        raise ValueError(f"expected a header of {length} bytes, got {len(data) - 8}")
    header = json.loads(data[8 : 8 + length].decode())
    body = memoryview(data)[8 + length :]
    metadata = header.pop("__metadata__", {})
    tensors, spans = {}, []
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        if not 0 <= begin <= end <= len(body):
            raise ValueError(
                f"expected offsets of {name!r} within {len(body)} bytes, got {begin}, {end}"
            )
        tensors[name] = Tensor(entry["dtype"], entry["shape"], body[begin:end])
        spans.append((begin, end))
    position = 0
    for begin, end in sorted(spans):
        if begin != position:
            raise ValueError(f"expected data without gaps or overlaps at {position}, got {begin}")
        position = end
    if position != len(body):
        raise ValueError(f"expected {position} bytes of data, got {len(body)}")
    return tensors, metadata


def write(path, tensors, metadata=None):
    with open(path, "wb") as file:
        file.write(encode(tensors, metadata))
    return path


def read(path):
    """{NAME: Tensor}"""
    return read_with_metadata(path)[0]


def read_with_metadata(path):
    with open(path, "rb") as file:
        data = file.read()
    try:
        return decode(data)
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{os.fspath(path)}: {error}") from error
