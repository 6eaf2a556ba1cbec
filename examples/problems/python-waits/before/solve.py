"""solve: conjugate gradients with dpnp."""

import sys

import dpnp

SIZE = 256


def solve(a, b, tolerance):
    x = dpnp.zeros_like(b)
    r = b - a @ x
    p = r.copy()
    rr = float(r @ r)
    for step in range(200):
        ap = a @ p
        alpha = rr / float(p @ ap)
        x += alpha * p
        r -= alpha * ap
        new = float(r @ r)
        if new < tolerance:
            break
        p = r + (new / rr) * p
        rr = new
    return x


def main():
    i = dpnp.arange(SIZE, dtype=dpnp.float32)
    distance = dpnp.abs(i[:, None] - i[None, :])
    a = dpnp.exp(-0.25 * distance) + 0.2 * dpnp.eye(SIZE, dtype=dpnp.float32)
    b = dpnp.cos(0.1 * i) + dpnp.sin(i * i)

    x = solve(a, b, 1e-6)
    left = float(dpnp.max(dpnp.abs(a @ x - b)))
    print(f"solve: {'ok' if left < 1e-3 else 'WRONG'}")
    return 0 if left < 1e-3 else 1


if __name__ == "__main__":
    sys.exit(main())
