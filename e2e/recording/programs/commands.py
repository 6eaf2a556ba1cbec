"""Commands through dpctl, in the words that every version from 0.17 on has: each queue copies numbers to device
memory, multiplies them twice by an OpenCL kernel, and copies them back. One queue is in order, one is not.

With --profiling the queues are made for it, and the program prints a line of JSON for every command whose times it can
read from an event.
"""

import ctypes
import json
import sys

import dpctl
import dpctl.memory
import dpctl.program
import numpy

COUNT = 1 << 12
SOURCE = """
kernel void multiply(global int *numbers, int by) { numbers[get_global_id(0)] *= by; }
kernel void add(global int *numbers, int what) { numbers[get_global_id(0)] += what; }
"""


def report(name, event):
    """Prints what SYCL says of a command that is over."""
    times = {"queued": event.profiling_info_submit, "start": event.profiling_info_start, "end": event.profiling_info_end}
    print(json.dumps({"kind": "kernel", "name": name} | times))


def commands(queue, profiling):
    """The commands of one queue; True if the numbers come back right."""
    program = dpctl.program.create_program_from_source(queue, SOURCE)
    numbers = numpy.arange(COUNT, dtype=numpy.int32)
    back = numpy.zeros_like(numbers)
    device = dpctl.memory.MemoryUSMDevice(numbers.nbytes, queue=queue)
    shared = dpctl.memory.MemoryUSMShared(numbers.nbytes, queue=queue)
    host = dpctl.memory.MemoryUSMHost(numbers.nbytes, queue=queue)

    host.copy_from_host(numbers.view(numpy.uint8))
    queue.memcpy(device, host, numbers.nbytes)
    last = None
    events = []
    for name, argument in (("multiply", 3), ("add", 5), ("multiply", 7)):
        kernel = program.get_sycl_kernel(name)
        last = queue.submit_async(kernel, [device, ctypes.c_int(argument)], [COUNT], None, [last] if last else [])
        events.append((name, last))
    barrier = queue.submit_barrier([last])
    copied = queue.memcpy_async(shared, device, numbers.nbytes, [barrier])
    copied.wait()
    queue.prefetch(shared, numbers.nbytes)
    queue.wait()
    back = shared.copy_to_host().view(numpy.int32)
    if profiling:
        for name, event in events:
            report(name, event)
    return bool((back == (numbers * 3 + 5) * 7).all())


def main():
    profiling = "--profiling" in sys.argv[1:]
    for order in ("in_order", None):
        wanted = [order] * (order is not None) + ["enable_profiling"] * profiling
        queue = dpctl.SyclQueue(property=wanted)
        if not commands(queue, profiling):
            sys.exit(f"commands, {order or 'out of order'}: WRONG")
        print(f"commands, {order or 'out of order'}: ok")


if __name__ == "__main__":
    main()
