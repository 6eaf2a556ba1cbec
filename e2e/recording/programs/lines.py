"""Allocations, copies and waits at known lines of Python, from all kinds of code. Prints a line of JSON for each of them:
what it is, its size in bytes, which no other has, and the file, line and function that `sys` gives.
"""

import asyncio
import contextlib
import functools
import importlib
import itertools
import json
import os
import sys
import threading

import dpctl
import dpctl.memory

ROUNDS = 4
sizes = itertools.count(4096)
lock = threading.Lock()


def size(what, more=0):
    """A size for what the caller does on the same line, which it prints."""
    frame = sys._getframe(1)
    with lock:
        bytes_ = next(sizes) + more
        code = frame.f_code
        function = getattr(code, "co_qualname", code.co_name)
        print(json.dumps({"what": what, "bytes": bytes_, "file": code.co_filename, "line": frame.f_lineno, "function": function}))
    return bytes_


queue = dpctl.SyclQueue()
device = dpctl.memory.MemoryUSMDevice(size("allocation"), queue=queue)
other = dpctl.memory.MemoryUSMShared(size("allocation", 100_000), queue=queue)


def nested():
    def inner():
        return dpctl.memory.MemoryUSMHost(size("allocation"), queue=queue)

    return inner()


def generated():
    for _ in range(ROUNDS):
        yield dpctl.memory.MemoryUSMDevice(size("allocation"), queue=queue)


def decorated(function):
    @functools.wraps(function)
    def wrapper(*arguments):
        return function(*arguments)

    return wrapper


@decorated
def behind_a_decorator():
    return dpctl.memory.MemoryUSMDevice(size("allocation"), queue=queue)


class Solver:
    @property
    def memory(self):
        return dpctl.memory.MemoryUSMDevice(size("allocation"), queue=queue)

    @contextlib.contextmanager
    def managed(self):
        memory = dpctl.memory.MemoryUSMDevice(size("allocation"), queue=queue)
        yield memory


async def awaited():
    await asyncio.sleep(0)
    return dpctl.memory.MemoryUSMDevice(size("allocation"), queue=queue)


def deep(level):
    return deep(level - 1) if level else dpctl.memory.MemoryUSMDevice(size("allocation"), queue=queue)


def work(own):
    """What every thread does, with a queue of its own."""
    memory = dpctl.memory.MemoryUSMDevice(size("allocation", 100_000), queue=own)
    for _ in range(ROUNDS):
        own.memcpy(memory, other, size("copy"))
        (own.wait(), size("wait"))
        own.memcpy_async(memory, other, size("copy")).wait()


def write(name, text):
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)


def modules():
    """Modules in files of their own: with names of all kinds, and one that is installed."""
    sys.path[:0] = [os.getcwd(), os.path.join(os.getcwd(), "site-packages")]
    code = "\n\ndef allocate(dpctl, size, queue):\n    return dpctl.memory.MemoryUSMDevice(size('allocation'), queue=queue)\n"
    for name in ("größe", "Ωmega", "𝒻unction"):
        write(f"{name}.py", "\n" * len(name) + code)
        yield importlib.import_module(name).allocate(dpctl, size, queue)
    write("site-packages/library/__init__.py", "def allocate(dpctl, bytes_, queue):\n    return dpctl.memory.MemoryUSMDevice(bytes_, queue=queue)\n")
    library = importlib.import_module("library")
    yield library.allocate(dpctl, size("allocation"), queue)


def main():
    kept = [nested(), behind_a_decorator(), Solver().memory, asyncio.run(awaited()), deep(80)]
    kept += generated()
    with Solver().managed() as memory:
        kept.append(memory)
    kept.append((lambda: dpctl.memory.MemoryUSMDevice(size("allocation"), queue=queue))())
    kept += [dpctl.memory.MemoryUSMDevice(size("allocation"), queue=queue) for _ in range(ROUNDS)]
    kept += modules()
    # Code is created and freed at the same addresses.
    for line in range(40):
        exec("\n" * (line * 7 % 40) + "dpctl.memory.MemoryUSMDevice(size('allocation'), queue=queue)")
    threads = [threading.Thread(target=work, args=(dpctl.SyclQueue(),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    work(queue)
    for thread in threads:
        thread.join()
    (queue.wait(), size("wait"))


if __name__ == "__main__":
    main()
