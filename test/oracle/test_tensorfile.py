# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import math
import os
import struct
import tempfile
import unittest

from oracle import tensorfile
from oracle.tensorfile import Tensor


def file_of(header, data):
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


class TensorFile(unittest.TestCase):
    def test_round_trip_of_every_type(self):
        tensors = {
            "half": Tensor.of("F16", (2, 2), [1.0, -0.0, math.inf, 2.0**-24]),
            "brain": Tensor.of("BF16", (3,), [1.0, 2.0, math.nan]),
            "single": Tensor.of("F32", (), [0.1]),
            "double": Tensor.of("F64", (1,), [0.1]),
            "long": Tensor.of("I64", (2,), [-1, 2**62]),
            "int": Tensor.of("I32", (2,), [-1, 7]),
            "flag": Tensor.of("BOOL", (2,), [True, False]),
            "none": Tensor.of("F32", (0, 4), []),
            "größe": Tensor.of("U8", (1,), [255]),
        }
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "all.safetensors")
            tensorfile.write(path, tensors, {"version": "1"})
            read, metadata = tensorfile.read_with_metadata(path)
        self.assertEqual(read, tensors)
        self.assertEqual(metadata, {"version": "1"})
        self.assertEqual(read["half"].values, [1.0, 0.0, math.inf, 2.0**-24])
        self.assertEqual(read["double"].item, 0.1)

    def test_layout(self):
        data = tensorfile.encode(
            {"a": Tensor.of("F16", (1,), [1.0]), "b": Tensor.of("F64", (1,), [1.0])}
        )
        (length,) = struct.unpack_from("<Q", data)
        self.assertEqual(length % 8, 0)
        header = json.loads(data[8 : 8 + length])
        self.assertEqual(header["b"]["data_offsets"], [0, 8])
        self.assertEqual(header["a"]["data_offsets"], [8, 10])
        self.assertEqual(data[8 + length :].hex(), "000000000000f03f" + "003c")

    def test_bytes_of_bf16_are_in_element_order(self):
        self.assertEqual(Tensor.of("BF16", (2,), [1.0, 2.0]).data.hex(), "803f0040")

    def test_rounding_and_overflow_when_made(self):
        self.assertEqual(
            Tensor.of("F16", (3,), [65519.0, 65520.0, -1e300]).bits, [0x7BFF, 0x7C00, 0xFC00]
        )
        self.assertEqual(Tensor.of("F32", (2,), [-math.nan, 1e39]).bits, [0x7FC00000, 0x7F800000])
        self.assertEqual(Tensor.of_bits("F32", (1,), [0x7F800001]).bits, [0x7F800001])
        self.assertEqual(Tensor.full("F16", (2, 3), 1.0), Tensor.of("F16", (2, 3), [1.0] * 6))

    def test_shape_and_data_must_agree(self):
        with self.assertRaisesRegex(ValueError, "expected 8 bytes"):
            Tensor("F32", (2,), bytes(4))

    def test_hostile_files_are_refused(self):
        entry = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}
        hostile = {
            "short": b"\1\2\3",
            "header beyond the file": struct.pack("<Q", 1 << 40) + b"{}",
            "truncated data": file_of({"a": entry}, bytes(3)),
            "trailing data": file_of({"a": entry}, bytes(5)),
            "gap": file_of({"a": {**entry, "data_offsets": [4, 8]}}, bytes(8)),
            "overlap": file_of({"a": entry, "b": entry}, bytes(4)),
            "backwards": file_of({"a": {**entry, "data_offsets": [4, 0]}}, bytes(4)),
            "unknown type": file_of({"a": {**entry, "dtype": "F31"}}, bytes(4)),
            "not JSON": struct.pack("<Q", 2) + b"{{",
        }
        with tempfile.TemporaryDirectory() as folder:
            for what, data in hostile.items():
                path = os.path.join(folder, "hostile.safetensors")
                with open(path, "wb") as file:
                    file.write(data)
                with self.subTest(what), self.assertRaisesRegex(ValueError, "hostile.safetensors"):
                    tensorfile.read(path)


if __name__ == "__main__":
    unittest.main()
