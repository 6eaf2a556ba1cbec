# A few array operations; `arrays.py flip` differs from `arrays.py sort` in one line.
import sys

import dpnp as np

a = np.ones((64, 64)) * 0.5
b = np.ones((64, 64)) * 0.25
for _ in range(6):
    c = np.matmul(a, b)
    a = np.sin(c) / 64
    b = np.flip(a, axis=1) if sys.argv[1] == "flip" else np.sort(a, axis=1)
print(float(np.sum(b)) >= 0)
