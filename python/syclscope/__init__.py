"""syclscope in Python: record SYCL programs, query traces, show them in notebooks. docs/PYTHON.md is the manual."""

from .errors import (
    NotSupported,
    PackageMissing,
    ProgramFailed,
    ProgramMissing,
    RecordingFailed,
    RuntimeLoaded,
    SyclscopeError,
    UnknownName,
)
from .program import find_program, package_version, version
from .notebook import load_ipython_extension
from .questions import Questions
from .recording import Recording, pause, prepare, record, resume
from .regions import region
from .selection import Selection
from .show import Widget
from .sql import VIEWS, views
from .tables import Table, Tables
from .trace import Summary, Trace, open



def __getattr__(name: str) -> str:
    # Computed on first use, because it reads a file or runs the program.
    if name == "__version__":
        return package_version()
    raise AttributeError(f"module 'syclscope' has no attribute {name!r}")


__all__ = [
    "NotSupported",
    "PackageMissing",
    "ProgramFailed",
    "ProgramMissing",
    "Questions",
    "Recording",
    "RecordingFailed",
    "RuntimeLoaded",
    "Selection",
    "Summary",
    "SyclscopeError",
    "Table",
    "Tables",
    "Trace",
    "UnknownName",
    "VIEWS",
    "Widget",
    "find_program",
    "load_ipython_extension",
    "open",
    "pause",
    "prepare",
    "record",
    "region",
    "resume",
    "version",
    "views",
]
