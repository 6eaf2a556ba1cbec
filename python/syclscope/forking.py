"""Forked processes, which must not share with their parent what only one process can use."""

import os
import threading
import weakref
from typing import Any, Callable


class ForkLocal:
    """An object with a lock and other state of one process, which a forked process drops."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        _all.add(self)

    def _forget(self) -> None:
        """Drops the state in a forked process, where another thread may have held the lock."""
        self._lock = threading.RLock()


_all: "weakref.WeakSet[ForkLocal]" = weakref.WeakSet()


def _after_fork() -> None:
    for one in list(_all):
        one._forget()


os.register_at_fork(after_in_child=_after_fork)


class ForkLocalFinalizer:
    """Wraps a function for :class:`weakref.finalize`, so that it does nothing in a forked process."""

    def __init__(self, function: Any) -> None:
        self._function, self._process = function, os.getpid()

    def __call__(self, *arguments: Any) -> None:
        if os.getpid() == self._process:
            self._function(*arguments)


def at_end(owner: Any, function: Callable[..., Any], *arguments: Any) -> None:
    """Calls a function when ``owner`` is gone, or else when this process ends, but not in a forked one.

    A worker of multiprocessing ends without :mod:`atexit`, and so without :func:`weakref.finalize`.
    """
    from multiprocessing.util import Finalize

    # Below zero: after the workers that Python waits for at its end.
    Finalize(owner, function, args=arguments, exitpriority=-100)
