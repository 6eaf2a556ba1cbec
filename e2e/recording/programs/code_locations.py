"""Copies while a framework has given the runtime a code location: first one in this file, then one in a file that is not here.

It does so by the class that libsycl exports for it, `sycl::detail::tls_code_loc_t`. Prints the line of each copy.
"""

import contextlib
import ctypes
import sys

import dpctl
import dpctl.memory

runtime = ctypes.CDLL("libsycl.so.9")
begin = runtime._ZN4sycl3_V16detail14tls_code_loc_tC1ERKNS1_13code_locationE
end = runtime._ZN4sycl3_V16detail14tls_code_loc_tD1Ev


class CodeLocation(ctypes.Structure):
    _fields_ = [("file", ctypes.c_char_p), ("function", ctypes.c_char_p), ("line", ctypes.c_ulong), ("column", ctypes.c_ulong)]


kept = []


@contextlib.contextmanager
def at(file, line):
    location = CodeLocation(file.encode(), b"framework", line, 0)
    kept.append(location)
    place = ctypes.create_string_buffer(64)
    begin(place, ctypes.byref(location))
    try:
        yield
    finally:
        end(place)


queue = dpctl.SyclQueue()
source = dpctl.memory.MemoryUSMShared(4096, queue=queue)
target = dpctl.memory.MemoryUSMDevice(4096, queue=queue)
with at(__file__, 7):
    queue.memcpy(target, source, 64)
with at("/gone/binding.cpp", 7):
    queue.memcpy(target, source, 128); print(sys._getframe().f_lineno)
