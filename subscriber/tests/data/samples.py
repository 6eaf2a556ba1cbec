"""Computes on one thread and sleeps on another until the test has seen both, after each has notified the stand-in for the runtime.

Usage: samples.py STAND_IN, with the recorder's settings in the environment.
"""

import ctypes
import os
import sys
import threading
import time

stand_in = ctypes.PyDLL(sys.argv[1], ctypes.RTLD_GLOBAL)


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


def notify(instance):
    for kind in (22, 23):  # a wait begins and ends
        stand_in.fake_notify(ctypes.c_uint8(stream), ctypes.c_uint8(0), ctypes.c_uint16(kind), None, ctypes.byref(event),
                             ctypes.c_uint64(instance), b"queue.wait[0x7]")


def is_seen():
    return os.path.exists("steps/1")


def assemble():
    total = 0
    while not is_seen():
        for number in range(10000):
            total += number * number
    return total


def rest():
    notify(2)
    while not is_seen():
        time.sleep(0.005)


stand_in.fake_load()
stand_in.fake_announce(b"sycl")
notify(1)
thread = threading.Thread(target=rest)
thread.start()
assemble()
thread.join()
stand_in.fake_finish(b"sycl")
