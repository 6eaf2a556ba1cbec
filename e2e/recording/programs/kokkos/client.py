"""A circuit of four qubits, which a module calculates with Kokkos, and a sum by dpnp. Prints a line of JSON for each of its
lines that use Kokkos: the line, and the times of the machine's clock before and after it.
"""

import importlib.util
import json
import sys
import time

import dpnp
import numpy


def timed(call):
    before = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    result = call()
    after = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    print(json.dumps({"line": call.__code__.co_firstlineno, "before": before, "after": after}))
    return result


# The module is loaded without its package, which needs others.
spec = importlib.util.spec_from_file_location("lightning_kokkos_ops", sys.argv[1])
ops = importlib.util.module_from_spec(spec)
spec.loader.exec_module(ops)

timed(lambda: ops.kokkos_initialize())
state = timed(lambda: ops.StateVectorC128(4))
timed(lambda: state.resetStateVector())
for wire in range(4):
    timed(lambda: state.Hadamard([wire], False, []))
timed(lambda: state.CNOT([0, 1], False, []))
float(dpnp.sum(dpnp.ones(1000)))
measured = ops.MeasurementsC128(state)
assert numpy.allclose(timed(lambda: measured.probs()), 1 / 16)
assert abs(timed(lambda: measured.expval("PauliZ", [0]))) < 1e-9
host = numpy.empty(16, dtype=complex)
timed(lambda: state.DeviceToHost(host))
timed(lambda: state.HostToDevice(host))
del measured
timed(lambda: globals().pop("state") and None)
ops.kokkos_finalize()
