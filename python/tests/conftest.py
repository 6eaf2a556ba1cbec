"""Fixtures: the real program (``SYCLSCOPE_PROGRAM``), recordings of ``e2e/traces``, and the Python of
``SYCL_PYTHON_VENV``, which has dpnp and a SYCL runtime with a CPU device."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Callable, Dict

import pytest

PACKAGE = Path(__file__).resolve().parents[1]
ROOT = PACKAGE.parent
TRACES = ROOT / "e2e/traces"
sys.path[:0] = [str(PACKAGE), str(PACKAGE / "tools")]

import answers  # noqa: E402

answers.main()

import syclscope  # noqa: E402

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def environment(**more: str) -> Dict[str, str]:
    """The environment of a Python program that uses SYCL."""
    venv = Path(os.environ["SYCL_PYTHON_VENV"])
    own = {"OCL_ICD_FILENAMES": str(venv / "lib/libintelocl.so"), "LD_LIBRARY_PATH": str(venv / "lib")}
    # The environment of the tests may contain settings of the program.
    others = {name: value for name, value in os.environ.items() if name == "SYCLSCOPE_PROGRAM" or not name.startswith("SYCLSCOPE_")}
    return {**others, "PYTHONPATH": str(PACKAGE), **own, **more}


@pytest.fixture
def dpnp(tmp_path: Path) -> Run:
    """Runs a script where dpnp is, in a folder of its own."""

    def run(script: str, *before: str, fails: bool = False, **more: str) -> "subprocess.CompletedProcess[str]":
        file = tmp_path / "program.py"
        file.write_text(script)
        python = Path(os.environ["SYCL_PYTHON_VENV"]) / "bin/python"
        done = subprocess.run(
            [*before, str(python), str(file)], cwd=tmp_path, env=environment(**more), capture_output=True, text=True, timeout=600
        )
        assert (done.returncode != 0) == fails, done.stdout + done.stderr
        return done

    return run


@pytest.fixture(scope="session")
def heat() -> "syclscope.Trace":
    """A recording of a C++ program: kernels, copies, buffers, USM, host tasks."""
    return syclscope.open(TRACES / "heat.pftrace.gz")
