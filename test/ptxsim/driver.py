# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The simulator's libcuda.so.1 from Python: the driver API through ctypes, nothing else."""

import ctypes
import os


class CudaError(Exception):
    def __init__(self, code, call, log=""):
        super().__init__(f"{call} returned {code}{': ' + log if log else ''}")
        self.code = code
        self.log = log


class Device:
    """One context on the simulated device. Options must be set before the library is loaded."""

    def __init__(self, library, options=""):
        os.environ["PTXSIM_OPTIONS"] = options
        self.lib = ctypes.CDLL(library)
        self.check("cuInit", 0)
        context = ctypes.c_void_p()
        self.check("cuCtxCreate_v2", ctypes.byref(context), 0, 0)
        self.context = context

    def reset(self):
        """A new context: the only way out of a sticky error."""
        self.call("cuCtxDestroy_v2", self.context)
        context = ctypes.c_void_p()
        self.check("cuCtxCreate_v2", ctypes.byref(context), 0, 0)
        self.context = context

    def call(self, name, *arguments):
        return getattr(self.lib, name)(*arguments)

    def check(self, name, *arguments):
        code = self.call(name, *arguments)
        if code:
            raise CudaError(code, name)

    def load(self, text):
        module = ctypes.c_void_p()
        log = ctypes.create_string_buffer(1 << 16)
        options = (ctypes.c_int * 2)(5, 6)  # error log buffer and its size
        values = (ctypes.c_void_p * 2)(ctypes.addressof(log), len(log))
        code = self.call("cuModuleLoadDataEx", ctypes.byref(module), text.encode() + b"\0", 2, options, values)
        if code:
            raise CudaError(code, "cuModuleLoadDataEx", log.value.decode())
        return module

    def unload(self, module):
        self.check("cuModuleUnload", module)

    def function(self, module, name):
        function = ctypes.c_void_p()
        self.check("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        return function

    def alloc(self, size):
        address = ctypes.c_uint64()
        self.check("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(size, 1)))
        return address.value

    def upload(self, data):
        address = self.alloc(len(data))
        self.write(address, data)
        return address

    def write(self, address, data):
        self.check("cuMemcpyHtoD_v2", ctypes.c_uint64(address), bytes(data), ctypes.c_size_t(len(data)))

    def read(self, address, size):
        buffer = ctypes.create_string_buffer(size)
        self.check("cuMemcpyDtoH_v2", buffer, ctypes.c_uint64(address), ctypes.c_size_t(size))
        return buffer.raw

    def free(self, address):
        self.check("cuMemFree_v2", ctypes.c_uint64(address))

    def launch(self, function, grid, block, arguments, shared=0, cooperative=False):
        """Arguments are ctypes values. Waits; the error of the launch is raised."""
        pointers = (ctypes.c_void_p * max(1, len(arguments)))(*[ctypes.addressof(a) for a in arguments])
        grid = (tuple(grid) + (1, 1))[:3] if isinstance(grid, (tuple, list)) else (grid, 1, 1)
        block = (tuple(block) + (1, 1))[:3] if isinstance(block, (tuple, list)) else (block, 1, 1)
        if cooperative:
            self.check("cuLaunchCooperativeKernel", function, *grid, *block, shared, None, pointers)
        else:
            self.check("cuLaunchKernel", function, *grid, *block, shared, None, pointers, None)
        self.check("cuCtxSynchronize")
