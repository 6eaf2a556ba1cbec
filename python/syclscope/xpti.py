"""XPTI, the tracing framework of SYCL runtimes, as loaded in this process: streams, events, notifications.

``PyDLL`` and not ``CDLL``, because a notification takes less time than releasing and reacquiring the interpreter's lock.
"""

import atexit
import ctypes
import os
import threading
from functools import partial
from typing import Callable, Optional, Tuple

_DISPATCHER = "XPTI_FRAMEWORK_DISPATCHER"
_SUBSCRIBERS = "XPTI_SUBSCRIBERS"

REGION_BEGIN, REGION_END, FUNCTION_BEGIN, SIGNAL = 8, 9, 24, 16
_ALGORITHM, _ACTIVE = 2 << 1, 1
_HAS_NAME, _HAS_FILE, _HAS_LINE, _HAS_COLUMN = 1, 2, 8, 16


class _Payload(ctypes.Structure):
    """``xpti::payload_t``, which is the same in all versions that the recorder supports."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("stack_trace", ctypes.c_char_p),
        ("source_file", ctypes.c_char_p),
        ("line_no", ctypes.c_uint32),
        ("column_no", ctypes.c_uint32),
        ("code_ptr_va", ctypes.c_void_p),
        ("internal", ctypes.c_uint64),
        ("flags", ctypes.c_uint64),
        ("uid", ctypes.c_uint64 * 3),
    ]


class Framework:
    """The framework with a stream for Python."""

    STREAM = b"python"

    def __init__(self, path: str) -> None:
        self._library = library = ctypes.PyDLL(path)
        library.xptiRegisterStream.restype = ctypes.c_uint8
        library.xptiMakeEvent.restype = ctypes.c_void_p
        library.xptiMakeEvent.argtypes = [
            ctypes.c_char_p,
            ctypes.c_void_p,
            ctypes.c_uint16,
            ctypes.c_int,
            ctypes.POINTER(ctypes.c_uint64),
        ]
        self._notify = library.xptiNotifySubscribers
        # The returned value only shows whether there is a subscriber.
        self._notify.restype = None
        library.xptiInitialize(self.STREAM, 1, 0, b"1.0")
        # Strings and payloads of events, to which the framework keeps pointers.
        self._kept: "list[object]" = []
        self._stream: int = library.xptiRegisterStream(self.STREAM)
        self._control = ctypes.c_uint8(library.xptiRegisterStream(b"syclscope.control"))
        # Without an end of its stream, the recording has no end either.
        atexit.register(library.xptiFinalize, self.STREAM)

    def control(self, word: bytes) -> None:
        """Sends ``pause``, ``resume`` or ``alone`` (no recordings of forked children) to the recorder."""
        self._notify(self._control, ctypes.c_uint16(FUNCTION_BEGIN), None, None, ctypes.c_uint64(0), word)

    def event(self, name: str, file: str, line: int) -> "Callable[[int], Callable[[], None]]":
        """Registers a source location of the program. Returns a function that sends notifications of a trace type there."""
        # Names of files may contain bytes that are no text.
        text, path = name.encode("utf-8", "replace") or b" ", file.encode("utf-8", "surrogateescape")
        flags = _HAS_NAME | (_HAS_FILE | _HAS_LINE | _HAS_COLUMN if path else 0)
        payload = _Payload(text, None, path, line, 0, None, 0, flags)
        instance = ctypes.c_uint64(0)
        reference = ctypes.addressof(payload)
        event = self._library.xptiMakeEvent(text, reference, _ALGORITHM, _ACTIVE, ctypes.byref(instance))
        self._kept.append((payload, text, path))

        # Numbers that fit a C int are passed directly: a ctypes object for each would take a fifth of a notification's
        # time.
        known = instance.value if instance.value < 2**31 else instance
        # The result of `from_param` is also passed directly, while a `c_void_p` would be converted at each call.
        place = ctypes.c_void_p.from_param(event)

        def notifier(trace_type: int) -> Callable[[], None]:
            return partial(self._notify, self._stream, trace_type, None, place, known, None)

        return notifier


_lock = threading.Lock()
_framework: Optional[Framework] = None


def is_possible() -> bool:
    """Returns whether this process may be recorded: its environment names a framework and a subscriber."""
    return _framework is not None or (_SUBSCRIBERS in os.environ and _DISPATCHER in os.environ)


def framework() -> Optional[Framework]:
    """Returns the framework, loading it if needed; None if nothing is recording."""
    global _framework
    if _framework is None and is_possible():
        with _lock:
            if _framework is None:
                try:
                    _framework = Framework(os.environ[_DISPATCHER])
                except (OSError, AttributeError):
                    # If the framework can't be used, the runtime and the program work without it.
                    os.environ.pop(_SUBSCRIBERS, None)
    return _framework


def loaded_runtime() -> Optional[Tuple[str, str]]:
    """Returns name and file of the SYCL runtime that this process has loaded."""
    with open("/proc/self/maps") as maps:
        for line in maps:
            path = line.rstrip("\n").partition("/")
            name = os.path.basename(path[2])
            if name.startswith("libsycl.so"):
                return name, "/" + path[2]
    return None
