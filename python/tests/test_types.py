"""The package's types, as a strict checker sees them."""

import subprocess
import sys

from conftest import PACKAGE


def test_types_hold() -> None:
    done = subprocess.run([sys.executable, "-m", "mypy", "syclscope", "tools", "wheel.py"], cwd=PACKAGE, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
