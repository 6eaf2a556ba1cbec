"""eigenvalue: the largest eigenvalue of a matrix by power iteration, on a SYCL device through dpnp.

The matrix is made so that its eigenvalues are known: a diagonal of chosen values, reflected by a random
Householder matrix. So the result can be checked against the truth rather than against another computation.

    python eigenvalue.py [--size N] [--iterations N]
"""

import argparse
import sys

import dpctl
import dpnp
import numpy

LARGEST = 3.0  # the eigenvalue to be found
OTHERS = 1.0  # none of the others is above it


def whole_number(low, high):
    """Makes an argument type: a whole number from low to high."""

    def parse(text):
        if not text.isdecimal() or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from {low} to {high}")
        return int(text)

    return parse


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=whole_number(2, 8192), default=1024, help="rows of the matrix (default 1024)")
    parser.add_argument("--iterations", type=whole_number(20, 1000), default=40, help="steps (default 40)")
    return parser.parse_args()


def matrix_with_known_eigenvalues(size, queue):
    """A symmetric matrix, made on the device from two vectors of the host."""
    random = numpy.random.default_rng(seed=7)
    values = numpy.concatenate([[LARGEST], random.uniform(-OTHERS, OTHERS, size - 1)])
    mirror = random.normal(size=size)
    mirror /= numpy.linalg.norm(mirror)

    # Two copies to the device; everything else is computed there.
    diagonal = dpnp.diag(dpnp.asarray(values, sycl_queue=queue))
    v = dpnp.asarray(mirror, sycl_queue=queue)
    householder = dpnp.eye(size, sycl_queue=queue) - 2.0 * dpnp.outer(v, v)
    return householder @ diagonal @ householder


def largest_eigenvalue(matrix, iterations):
    """Power iteration: what is multiplied often enough turns towards the strongest eigenvector."""
    x = dpnp.ones(matrix.shape[0], sycl_queue=matrix.sycl_queue)
    for _ in range(iterations):
        x = matrix @ x
        x = x / dpnp.linalg.norm(x)
    return float(x @ (matrix @ x))  # the one number that comes back to the host


def main():
    arguments = parse_arguments()
    queue = dpctl.SyclQueue()
    print(f"eigenvalue: {arguments.size} x {arguments.size} on {queue.sycl_device.name.strip()}")

    matrix = matrix_with_known_eigenvalues(arguments.size, queue)
    found = largest_eigenvalue(matrix, arguments.iterations)

    ok = abs(found - LARGEST) < 1e-6
    print(f"eigenvalue: found {found:.6f}, expected {LARGEST:.6f} {'ok' if ok else 'WRONG'}")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
