"""What can go wrong, each with a sentence that says what to do."""


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
