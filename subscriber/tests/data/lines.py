"""Notifies the stand-in for the runtime of waits, a barrier and a buffer's memory, from all kinds of code, and prints the line of each.

Usage: lines.py STAND_IN, with the recorder's settings in the environment.
"""

import asyncio
import ctypes
import itertools
import sys
import threading

NODE_CREATE, TASK_BEGIN, WAIT_BEGIN, FUNCTION_WITH_ARGS_BEGIN, FUNCTION_WITH_ARGS_END = 4, 10, 22, 28, 29
ALLOCATE_BEGIN, ALLOCATE_END = 32, 33

# `CDLL` releases the interpreter's lock for a call, `PyDLL` keeps it. Like a second libpython, the library has symbols
# of Python's, which are visible to all libraries.
stand_ins = itertools.cycle([library(sys.argv[1], ctypes.RTLD_GLOBAL) for library in (ctypes.CDLL, ctypes.PyDLL)])
stand_in = next(stand_ins)
lock = threading.Lock()
instances = itertools.count(1)


class Payload(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("stack", ctypes.c_char_p), ("file", ctypes.c_char_p), ("rest", ctypes.c_uint32 * 14)]


class Event(ctypes.Structure):
    _fields_ = [("ids", ctypes.c_uint64 * 3), ("kinds", ctypes.c_uint16 * 4), ("ends", ctypes.c_uint64 * 2),
                ("payload", ctypes.POINTER(Payload)), ("rest", ctypes.c_uint64 * 8)]


class Call(ctypes.Structure):
    _fields_ = [("id", ctypes.c_uint32), ("name", ctypes.c_char_p), ("parameters", ctypes.POINTER(ctypes.c_void_p)), ("result", ctypes.POINTER(ctypes.c_int)),
                ("user", ctypes.c_uint64)]


payload = Payload(b"binding", None, b"/gone/binding.cpp")
payload.rest[0] = 7
event = Event(payload=ctypes.pointer(payload))
event.ids[0] = 1

stand_in.fake_stream.restype = ctypes.c_uint8
stream = stand_in.fake_stream(b"sycl")
calls = stand_in.fake_stream(b"ur.call")
memory = stand_in.fake_stream(b"sycl.experimental.mem_alloc")


def say():
    """Prints the caller's line, and returns the arguments of a notification that it is about to give itself."""
    frame = sys._getframe(1)
    code = frame.f_code
    with lock:
        instance = next(instances)
        print(f"{code.co_filename}:{frame.f_lineno} {getattr(code, 'co_qualname', code.co_name)}")
    return (
        ctypes.c_uint8(stream), ctypes.c_uint8(0), ctypes.c_uint16(WAIT_BEGIN), None, ctypes.byref(event), ctypes.c_uint64(instance),
        b"queue.wait[0x7]",
    )


def wait():
    """Returns the function that notifies, another one each time."""
    return next(stand_ins).fake_notify


def call(number, name, result):
    """Returns the arguments of the notifications of a call on a queue before it goes on and after it has returned."""
    values = (ctypes.c_uint64 * 12)(0x1000)
    parameters = (ctypes.c_void_p * 12)(*range(ctypes.addressof(values), ctypes.addressof(values) + 96, 8))
    user_data = Call(number, name, parameters, ctypes.pointer(ctypes.c_int(result)))
    user_data.values = values
    instance = ctypes.c_uint64(next(instances))
    head = ctypes.c_uint8(calls), ctypes.c_uint8(0)
    return [(*head, ctypes.c_uint16(kind), None, None, instance, ctypes.byref(user_data)) for kind in (FUNCTION_WITH_ARGS_BEGIN, FUNCTION_WITH_ARGS_END)]


def given_up():
    """A submission that an exception ends where its call fails, another command, and one for which the runtime makes no node."""
    def submission(kind, instance):
        return (
            ctypes.c_uint8(stream), ctypes.c_uint8(0), ctypes.c_uint16(kind), None, ctypes.byref(event), ctypes.c_uint64(instance),
            b"command_group_node",
        )

    failing, barrier = call(30, b"urEnqueueUSMFill", 39), call(31, b"urEnqueueEventsWaitWithBarrier", 0)
    for arguments in (submission(NODE_CREATE, 1), submission(TASK_BEGIN, 1), *failing, submission(NODE_CREATE, 2)):
        stand_in.fake_notify(*arguments)
    say(); stand_in.fake_notify(*barrier[0])
    stand_in.fake_notify(*barrier[1])


def buffer_memory():
    """Memory of a buffer, for which the runtime names no place."""
    handle = ctypes.c_uint64()
    created = call(32, b"urMemBufferCreate", 0)
    user_data = created[1][6]._obj
    user_data.values[2] = 512
    user_data.values[4] = ctypes.addressof(handle)
    instance = ctypes.c_uint64(next(instances))

    def notification(kind, handle):
        return (
            ctypes.c_uint8(memory), ctypes.c_uint8(0), ctypes.c_uint16(kind), None, None, instance, (ctypes.c_uint64 * 4)(0xB, handle, 512, 0),
        )

    say(); stand_in.fake_notify(*notification(ALLOCATE_BEGIN, 0))
    stand_in.fake_notify(*created[0])
    handle.value = 0xBF
    stand_in.fake_notify(*created[1])
    stand_in.fake_notify(*notification(ALLOCATE_END, 0xBF))


def generated():
    for _ in range(3):
        wait()(*say())
        yield


def decorated(function):
    def wrapper(*arguments):
        return function(*arguments)

    return wrapper


@decorated
def behind_a_decorator():
    wait()(*say())


class Solver:
    def __del__(self):
        wait()(*say())

    def method(self):
        def inner():
            wait()(*say())

        inner()


async def awaited():
    await asyncio.sleep(0)
    wait()(*say())


def deep(level):
    if level:
        return deep(level - 1)
    wait()(*say())


def long_function():
    """A function of many lines, made here."""
    lines = "".join(f"    x{number} = [{number}] * 2\n" for number in range(400))
    scope = {}
    exec(compile(f"def long():\n{lines}    wait()(*say())\n", "long.py", "exec"), globals(), scope)
    scope["long"]()


def main():
    wait()(*say())
    for _ in range(2):
        wait()(*say())
    given_up()
    buffer_memory()
    list(generated())
    behind_a_decorator()
    Solver().method()
    asyncio.run(awaited())
    deep(100)
    long_function()
    (lambda: wait()(*say()))()
    [wait()(*say()) for _ in range(2)]
    for name in ("größe.py", "Ωmega.py", "𝒻unction.py", "<string>"):
        exec(compile("\n" * len(name) + "wait()(*say())", name, "exec"))
    # Code is created and freed at the same addresses.
    for line in range(60):
        exec("\n" * (line * 37 % 60) + "wait()(*say())")
    for package in ("numpy", "other"):
        scope = {}
        exec(compile("def call(function):\n    function(*arguments())\n", f"/v/site-packages/{package}/core.py", "exec"), {"arguments": lambda: ready}, scope)
        ready = say(); scope["call"](wait())
    threads = [threading.Thread(target=lambda: [wait()(*say()) for _ in range(20)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


stand_in.fake_load()
stand_in.fake_announce(b"sycl")
stand_in.fake_announce(b"ur.call")
stand_in.fake_announce(b"sycl.experimental.mem_alloc")
main()
stand_in.fake_finish(b"sycl")
