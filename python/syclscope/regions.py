"""Regions: named parts of a program, which the recording shows above the work that they caused."""

import functools
import inspect
import sys
from types import CodeType, TracebackType
from typing import Any, Callable, Dict, Optional, Tuple, Type, TypeVar, cast

from . import xpti

F = TypeVar("F", bound=Callable[..., Any])

_Notify = Callable[[], None]
#: Begin and end events by name, file and line. Each location is registered once; redefined functions and repeated cells
#: add none.
_known: Dict[Tuple[str, str, int], Tuple[_Notify, _Notify]] = {}
#: Begin and end events by name, code and position in the code, which is faster to look up, since lines are relative to
#: the function. The code is kept, so that no other code gets its identity.
_places: Dict[Tuple[str, int, int], Tuple[_Notify, _Notify, CodeType]] = {}
#: Maximum number of locations, after which the table is cleared: cells that are repeated leave unused code behind.
_MAX_PLACES = 4096
_frame = sys._getframe
#: True if there may be a recorder; set by `prepare`. A program that is not recorded skips everything else.
_is_on = xpti.is_possible()


def switch_on() -> None:
    """Enables the recording of regions."""
    global _is_on
    _is_on = True


def _nothing() -> None:
    pass


def begin_and_end(key: Tuple[str, str, int]) -> Tuple[_Notify, _Notify]:
    """Returns the functions that notify of the begin and the end of a region with this name, file and line, and caches them."""
    framework = xpti.framework()
    if framework is None:
        pair: Tuple[_Notify, _Notify] = (_nothing, _nothing)
    else:
        notifier = framework.event(*key)
        pair = notifier(xpti.REGION_BEGIN), notifier(xpti.REGION_END)
    return _known.setdefault(key, pair)


def _place(name: str, code: CodeType, instruction: int, line: int) -> Tuple[_Notify, _Notify, CodeType]:
    """Registers the location of a region that is entered there for the first time."""
    key = (name, code.co_filename, line)
    begin, end = _known.get(key) or begin_and_end(key)
    if len(_places) >= _MAX_PLACES:
        _places.clear()
    return _places.setdefault((name, id(code), instruction), (begin, end, code))


class region:
    """A named part of the program: ``with syclscope.region("solve"):``, or ``@syclscope.region("solve")`` before a function.

    It is a slice of the recording, with the source location where it begins. Without a recorder it does nothing. Regions of a
    thread are nested.
    """

    __slots__ = ("name", "_end")

    def __init__(self, name: str) -> None:
        #: Its name.
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
        """Returns the function with a region around each call, up to the end of a coroutine or a generator."""
        code = getattr(function, "__code__", None) or sys._getframe(1).f_code
        key = (self.name, code.co_filename, code.co_firstlineno)

        def pair() -> Tuple[_Notify, _Notify]:
            return (_known.get(key) or begin_and_end(key)) if _is_on else (_nothing, _nothing)

        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def awaited(*args: Any, **kwargs: Any) -> Any:
                begin, end = pair()
                begin()
                try:
                    return await function(*args, **kwargs)
                finally:
                    end()

            return cast(F, awaited)

        if inspect.isgeneratorfunction(function):

            @functools.wraps(function)
            def stepped(*args: Any, **kwargs: Any) -> Any:
                begin, end = pair()
                begin()
                try:
                    return (yield from function(*args, **kwargs))
                finally:
                    end()

            return cast(F, stepped)

        if inspect.isasyncgenfunction(function):

            @functools.wraps(function)
            async def streamed(*args: Any, **kwargs: Any) -> Any:
                begin, end = pair()
                begin()
                inner = function(*args, **kwargs)
                try:
                    step = inner.asend(None)
                    while True:
                        try:
                            item = await step
                        except StopAsyncIteration:
                            return
                        try:
                            step = inner.asend((yield item))
                        except Exception as error:
                            step = inner.athrow(error)
                finally:
                    try:
                        await inner.aclose()
                    finally:
                        end()

            return cast(F, streamed)

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
