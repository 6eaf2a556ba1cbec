"""A program of one's own for minute.sh: a kernel in OpenCL C, run on SYCL's CPU device by dpctl alone, since dpnp wants a gigabyte of MKL."""

import sys

import dpctl
import dpctl.memory
import dpctl.program
import numpy

COUNT = 1 << 20
STEPS = 20
SOURCE = """
__kernel void grow(__global double *values) {
  size_t i = get_global_id(0);
  values[i] = values[i] * 0.5 + 1.0;
}
"""


def main():
    queue = dpctl.SyclQueue("opencl:cpu")
    grow = dpctl.program.create_program_from_source(queue, SOURCE).get_sycl_kernel("grow")
    values = dpctl.memory.MemoryUSMDevice(COUNT * 8, queue=queue)
    values.copy_from_host(numpy.arange(COUNT, dtype=numpy.float64).view(numpy.uint8))
    for _ in range(STEPS):
        queue.submit(grow, [values], [COUNT]).wait()
    found = values.copy_to_host().view(numpy.float64)
    expected = numpy.arange(COUNT, dtype=numpy.float64)
    for _ in range(STEPS):
        expected = expected * 0.5 + 1.0
    ok = numpy.allclose(found, expected)
    print(f"{STEPS} kernels on {queue.sycl_device.name.strip()}: {'ok' if ok else 'WRONG'}")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
