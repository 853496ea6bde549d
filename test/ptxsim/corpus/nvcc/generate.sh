#!/bin/sh
# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# kernels.cu -> ptx/NAME.ptx with the nvcc on PATH. Needs CUDA's headers; the tests need only ptx/.
set -e
cd "$(dirname "$0")"
mkdir -p ptx
for name in $(sed -n 's/^#ifdef \([A-Z0-9_]*\)$/\1/p' kernels.cu); do
  nvcc -std=c++17 -arch=compute_80 -ptx -fmad=false -D"$name" -o "ptx/$(echo "$name" | tr A-Z_ a-z-).ptx" kernels.cu
done
