# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The oracle: what a training step must come to, computed independently of the compiler.

Python's standard library only, so that every machine which can run the tests can run it. Nothing
here was derived from the compiler's code; the sources are the numerics contract, IEEE 754, the
papers and the packages that each module names.
"""
