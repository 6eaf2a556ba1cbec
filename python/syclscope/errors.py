"""Errors, whose messages say what to do."""

from difflib import get_close_matches
from typing import Iterable


class SyclscopeError(Exception):
    """Base class of errors that syclscope raises."""


class ProgramMissing(SyclscopeError):
    """The program ``syclscope`` was not found."""


class ProgramFailed(SyclscopeError):
    """The program failed; the text is its error message."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        #: The program's exit code.
        self.status = status


class NotSupported(SyclscopeError):
    """The program is too old for the request."""


class PackageMissing(SyclscopeError, ImportError):
    """An optional Python package is required."""


class RuntimeLoaded(SyclscopeError):
    """The SYCL runtime of this process was loaded before the recording could be set up."""


class RecordingFailed(SyclscopeError):
    """Nothing was recorded, or recording can't work here."""


class UnknownName(SyclscopeError, KeyError):
    """No table or column has this name; the text lists the existing names."""

    # KeyError's own method would quote the text.
    __str__ = Exception.__str__


def similar(name: str, names: Iterable[str]) -> str:
    """Returns the end of an error with the existing name that is most similar to a wrong one; empty if there is none."""
    found = get_close_matches(name, list(names), 1)
    return f"; did you mean {found[0]!r}?" if found else ""


def existing(name: str, names: Iterable[str], kind: str) -> str:
    """Returns the end of an error about a wrong name, with the most similar name and all names of its kind."""
    known = list(names)
    hint = similar(name, known)
    return f"{hint} Its {kind} are {', '.join(known)}" if hint else f"; its {kind} are {', '.join(known)}"
