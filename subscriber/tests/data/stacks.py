"""Notifies the stand-in for the runtime of waits, and prints the stack that Python itself names, the innermost frame first.

Usage: stacks.py STAND_IN, with the recorder's settings in the environment.
"""

import ctypes
import itertools
import sys
import threading

sys.argv[1:] = sys.argv[1:2]
WAIT_BEGIN = 22
stand_in = ctypes.PyDLL(sys.argv[1], ctypes.RTLD_GLOBAL)
instances = itertools.count(1)
lock = threading.Lock()


class Payload(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("stack", ctypes.c_char_p), ("file", ctypes.c_char_p), ("rest", ctypes.c_uint32 * 14)]


class Event(ctypes.Structure):
    _fields_ = [("ids", ctypes.c_uint64 * 3), ("kinds", ctypes.c_uint16 * 4), ("ends", ctypes.c_uint64 * 2),
                ("payload", ctypes.POINTER(Payload)), ("rest", ctypes.c_uint64 * 8)]


payload = Payload(b"binding", None, b"/gone/binding.cpp")
event = Event(payload=ctypes.pointer(payload))
event.ids[0] = 1
stand_in.fake_stream.restype = ctypes.c_uint8
stream = stand_in.fake_stream(b"sycl")
Back = ctypes.PYFUNCTYPE(None)


def say():
    """Prints the caller's stack, and returns the arguments of a notification that it is about to give itself."""
    frames, frame = [], sys._getframe(1)
    while frame:
        code = frame.f_code
        if not code.co_filename.startswith("<frozen") and "/threading.py" not in code.co_filename:
            frames.append(f"{getattr(code, 'co_qualname', code.co_name)}:{frame.f_lineno}")
        frame = frame.f_back
    with lock:
        print(" ".join(frames))
        instance = next(instances)
    return ctypes.c_uint8(stream), ctypes.c_uint8(0), ctypes.c_uint16(WAIT_BEGIN), None, ctypes.byref(event), ctypes.c_uint64(instance), b"queue.wait[0x7]"


def wait():
    stand_in.fake_notify(*say())


def deep(level):
    if level:
        deep(level - 1)
    else:
        wait()


def called_back():
    """Python below native code below Python."""
    Back(wait)()
    list(map(lambda level: deep(level), [1]))
    sorted([2, 1], key=lambda number: wait() or number)


class Solver:
    def step(self):
        def inner():
            called_back()

        inner()


def generated():
    for _ in range(2):
        wait()
        yield


stand_in.fake_load()
stand_in.fake_announce(b"sycl")
wait()
for level in (0, 1, 60):
    deep(level)
called_back()
Solver().step()
list(generated())
threads = [threading.Thread(target=called_back) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
stand_in.fake_finish(b"sycl")
