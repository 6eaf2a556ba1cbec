"""What can go wrong, each with a sentence that says what to do."""

from difflib import get_close_matches
from typing import Iterable


class SyclscopeError(Exception):
    """Something that syclscope can't do, with the reason."""


class ProgramMissing(SyclscopeError):
    """The program ``syclscope`` is nowhere to be found."""


class ProgramFailed(SyclscopeError):
    """The program ended with an error; the text is what it said."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        #: The program's exit code.
        self.status = status


class NotSupported(SyclscopeError):
    """The program that was found is too old for what was asked of it."""


class PackageMissing(SyclscopeError, ImportError):
    """An optional Python package is needed for this."""


class RuntimeLoaded(SyclscopeError):
    """The SYCL runtime of this process was loaded before the recording could be set up."""


class RecordingFailed(SyclscopeError):
    """Nothing was recorded, or recording can't work here."""


class UnknownName(SyclscopeError, KeyError):
    """A name that no table or column has; the text names those that exist."""

    # That of KeyError quotes the text.
    __str__ = Exception.__str__


def similar(name: str, names: Iterable[str]) -> str:
    """A question for the end of an error: the existing name that is most like a wrong one; empty if none is."""
    found = get_close_matches(name, list(names), 1)
    return f"; did you mean {found[0]!r}?" if found else ""


def existing(name: str, names: Iterable[str], kind: str) -> str:
    """The end of an error about a wrong name: the name that is most like it, and all names of its kind."""
    known = list(names)
    hint = similar(name, known)
    return f"{hint} Its {kind} are {', '.join(known)}" if hint else f"; its {kind} are {', '.join(known)}"
