"""Regions: parts of a program with a name, which stand in the recording above what they caused."""

import functools
import sys
from types import CodeType, TracebackType
from typing import Any, Callable, Dict, Optional, Tuple, Type, TypeVar, cast

from . import xpti

F = TypeVar("F", bound=Callable[..., Any])

_Notify = Callable[[], None]
#: Begin and end by name, file and line. A place is known once: a function that is defined again, or a cell that runs
#: again, adds none.
_known: Dict[Tuple[str, str, int], Tuple[_Notify, _Notify]] = {}
#: The same by name, code and place in the code, which take no time to find: a line is counted from the function's first one. The
#: code is kept, so that no other one has its identity.
_places: Dict[Tuple[str, int, int], Tuple[_Notify, _Notify, CodeType]] = {}
#: So many places, and it begins anew: cells that run again and again leave code behind that nobody runs any more.
_MOST_PLACES = 4096
_frame = sys._getframe
#: Whether there may be a recorder. Set once one was prepared; a program that nobody records never looks further.
_is_on = xpti.is_possible()


def switch_on() -> None:
    """From now on regions may be recorded."""
    global _is_on
    _is_on = True


def _nothing() -> None:
    pass


def begin_and_end(key: Tuple[str, str, int]) -> Tuple[_Notify, _Notify]:
    """What notifies of the begin and of the end of a region of this name, in a file, on a line; kept from then on."""
    framework = xpti.framework()
    if framework is None:
        pair: Tuple[_Notify, _Notify] = (_nothing, _nothing)
    else:
        notifier = framework.event(*key)
        pair = notifier(xpti.REGION_BEGIN), notifier(xpti.REGION_END)
    return _known.setdefault(key, pair)


def _place(name: str, code: CodeType, instruction: int, line: int) -> Tuple[_Notify, _Notify, CodeType]:
    """The place of a region that is entered there for the first time."""
    key = (name, code.co_filename, line)
    begin, end = _known.get(key) or begin_and_end(key)
    if len(_places) >= _MOST_PLACES:
        _places.clear()
    return _places.setdefault((name, id(code), instruction), (begin, end, code))


class region:
    """A part of the program: ``with syclscope.region("solve"):``, or ``@syclscope.region("solve")`` before a function.

    It is a slice of the recording, with the place in the source where it begins. Without a recorder it does nothing.
    Regions of one thread lie in one another.
    """

    __slots__ = ("name", "_end")

    def __init__(self, name: str) -> None:
        #: What it is called.
        self.name = name
        self._end: _Notify = _nothing

    def __enter__(self) -> "region":
        if _is_on:
            frame = _frame(1)
            code = frame.f_code
            place = _places.get((self.name, id(code), frame.f_lasti)) or _place(self.name, code, frame.f_lasti, frame.f_lineno)
            self._end = place[1]
            place[0]()
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self._end()

    def __call__(self, function: F) -> F:
        """The function, with a region around each of its calls."""
        code = getattr(function, "__code__", None) or sys._getframe(1).f_code
        key = (self.name, code.co_filename, code.co_firstlineno)

        @functools.wraps(function)
        def within(*args: Any, **kwargs: Any) -> Any:
            if not _is_on:
                return function(*args, **kwargs)
            pair = _known.get(key) or begin_and_end(key)
            pair[0]()
            try:
                return function(*args, **kwargs)
            finally:
                pair[1]()

        return cast(F, within)
