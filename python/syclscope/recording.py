"""Recording from within the program: :func:`record`, :func:`prepare`, :func:`pause`, :func:`resume`."""

import json
import os
import secrets
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Callable, Dict, List, Optional, Tuple, Type

from . import regions, snapshot, xpti
from .errors import RecordingFailed, RuntimeLoaded, SyclscopeError
from .forking import at_end
from .program import PathLike, find_program, in_python, reason_of
from .trace import Trace

#: Settings of :func:`prepare` and the recorder's variables for them (docs/RECORDING.md).
_VARIABLES = {
    "streams": "SYCLSCOPE_STREAMS",
    "detail": "SYCLSCOPE_DETAIL",
    "kernels": "SYCLSCOPE_KERNELS",
    "buffer_size": "SYCLSCOPE_BUFFER_SIZE",
}
#: Variables that the launcher sets for a program, except for those only the launcher needs.
_WANTED = ("XPTI_TRACE_ENABLE", "XPTI_FRAMEWORK_DISPATCHER", "XPTI_SUBSCRIBERS", "UR_ENABLE_LAYERS")
_PROBE = "import json, os; print(json.dumps({n: os.environ[n] for n in %r if n in os.environ}))" % (_WANTED,)
#: The program's exit code for a wrong command line.
_WRONG = 2
#: Longer than the recorder's longest pause between writes.
_PATIENCE_S = 10.0
#: Start of the names of folders for recordings that no block has written to a file yet.
_FOLDER = "syclscope-recording-"


class _Process:
    """The recording of this process. Each block with :func:`record` gets a copy."""

    def __init__(self, file: Path, settings: Dict[str, Any]) -> None:
        self.file = file
        self.settings = settings
        self.pid = os.getpid()
        self.blocks = 0
        self.is_open = False


_lock = threading.RLock()
_process: Optional[_Process] = None


def is_launched() -> bool:
    """Returns whether ``syclscope record`` started this program, or its environment was set up by hand. It is then recorded
    as a whole."""
    return _process is None and "XPTI_SUBSCRIBERS" in os.environ and "XPTI_FRAMEWORK_DISPATCHER" in os.environ


def prepare(
    *,
    streams: Optional[str] = None,
    detail: Optional[str] = None,
    kernels: Optional[str] = None,
    buffer_size: Optional[str] = None,
    sources: bool = True,
    environment: bool = True,
    xptifw: Optional[PathLike] = None,
) -> None:
    """Prepares this process for recording, paused, before its SYCL runtime is loaded. :func:`record` does so, too.

    For programs and notebooks that import dpnp, dpctl or torch long before they record. The settings are those of ``syclscope
    record`` (docs/RECORDING.md) and apply to the whole process. Raises :class:`syclscope.RuntimeLoaded` if the runtime is
    already loaded, and :class:`syclscope.RecordingFailed` with the reason if recording can't work here.
    """
    settings: Dict[str, Any] = {"streams": streams, "detail": detail, "kernels": kernels, "buffer_size": buffer_size}
    settings.update(sources=sources, environment=environment, xptifw=None if xptifw is None else os.fspath(xptifw))
    folder = Path(tempfile.mkdtemp(prefix=_FOLDER))
    process = None
    try:
        process = _prepare(folder / "recording.pftrace", settings)
    finally:
        if process is None or process.file.parent != folder:
            folder.rmdir()


def _prepare(file: Path, settings: Dict[str, Any]) -> _Process:
    global _process
    with _lock:
        if _process is not None:
            if _process.pid != os.getpid():
                raise SyclscopeError(
                    "this process was forked from one that records: record there, or start it with multiprocessing's spawn"
                )
            if any(value != _process.settings[name] for name, value in settings.items() if value not in (None, True)):
                raise SyclscopeError(
                    "this process already records with other settings, which are set once, by the first "
                    "syclscope.prepare or syclscope.record"
                )
            return _process
        if is_launched():
            raise SyclscopeError("`syclscope record` already records this program")
        loaded = xpti.loaded_runtime()
        if loaded is not None:
            raise RuntimeLoaded(
                f"the SYCL runtime ({loaded[1]}) is already loaded, but the recorder must be loaded before it. Call "
                "syclscope.prepare() before the import of dpnp, dpctl, torch or another package that loads it; in a notebook run "
                "%load_ext syclscope in the first cell, after a restart of its kernel. Or record the whole program: "
                "syclscope record -- python …"
            )
        found = _launchers_environment(settings)
        own = {"SYCLSCOPE_OUT": str(file).replace("%", "%%"), "SYCLSCOPE_PAUSED": "1", "SYCLSCOPE_FORMAT": "perfetto"}
        for name, variable in _VARIABLES.items():
            if settings[name] is not None:
                own[variable] = str(settings[name])
        if not settings["sources"]:
            own["SYCLSCOPE_SOURCES"] = "0"
        if not settings["environment"]:
            own["SYCLSCOPE_ENVIRONMENT"] = "0"
        before = {name: os.environ.get(name) for name in ("XPTI_SUBSCRIBERS", *own)}
        os.environ.update(found)
        os.environ.update(own)
        # The framework loads the recorder now. The runtime must still find the framework, but child processes must not
        # load the recorder: no process would wait for their recordings.
        framework = xpti.framework()
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        if framework is None:
            raise RecordingFailed(f"can't load {found.get('XPTI_FRAMEWORK_DISPATCHER')}; see `syclscope doctor`")
        # Forked children inherit the recorder.
        framework.control(b"alone")
        regions.switch_on()
        _process = _Process(file, settings)
        is_own_folder = file.parent.name.startswith(_FOLDER)
        # Only at a normal exit: the files of a killed program are the only remains of its recording.
        at_end(None, _remove_afterwards, file.parent if is_own_folder else file)
        return _process


def _launchers_environment(settings: Dict[str, Any]) -> Dict[str, str]:
    """Returns the variables that ``syclscope record`` would set for this Python. It finds the runtime, unpacks the recorder,
    and checks both, and the settings."""
    with tempfile.TemporaryDirectory(prefix="syclscope-probe-") as folder:
        names = [name for name in (*_VARIABLES, "xptifw") if settings[name] is not None]
        choice = [f"--{name.replace('_', '-')}={settings[name]}" for name in names]
        command = [str(find_program()), "record", "--quiet", "-o", os.path.join(folder, "probe.pftrace"), *choice, "--"]
        # Not isolated, because the environment may determine where the runtime is found.
        command += [sys.executable, "-S", "-c", _PROBE]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        try:
            return dict(json.loads(done.stdout))
        except ValueError:
            reason = in_python(reason_of(done.stderr.decode("utf-8", "replace")))
            if done.returncode == _WRONG:
                raise SyclscopeError(reason) from None
            raise RecordingFailed(f"recording can't work here: {reason}") from None


class Recording:
    """A recording of a block, from :func:`record`."""

    def __init__(self, path: Optional[Path]) -> None:
        #: The file, once the block has ended; None if ``syclscope record`` records the whole program.
        self.path = path
        #: Start and end of the block in ns of its trace, once the block has ended.
        self.range_ns: Optional[Tuple[int, int]] = None

    def open(self) -> Trace:
        """Opens the trace."""
        if self.path is None:
            raise SyclscopeError("`syclscope record` records this whole program: open its file when the program has ended")
        return Trace(self.path)

    def pause(self) -> None:
        """Pauses the recording."""
        pause()

    def resume(self) -> None:
        """Resumes the recording."""
        resume()


class record:
    """Records a block of the program: ``with syclscope.record("run.pftrace") as recording:``.

    The file is complete when the block has ended, and :meth:`Recording.open` opens it. It is in Perfetto's format, or in
    Chrome's JSON if its name ends in ``.json``. An existing file is only replaced with ``force``. Settings are those of
    :func:`prepare`, which must have been called if the SYCL runtime is loaded before the block.

    A process has one recording, which is paused outside blocks: the file of a later block begins with the events of earlier
    ones, and ``recording.range_ns`` is the time of the block. At the block's end ``wait`` is called, so that submitted work
    ends; by default it waits for the queues that dpctl and torch keep for each device.

    If ``syclscope record`` started the program, the block is a region of that recording and writes no file.
    """

    def __init__(
        self,
        output: PathLike = "run.pftrace",
        *,
        force: bool = False,
        wait: Optional[Callable[[], object]] = None,
        streams: Optional[str] = None,
        detail: Optional[str] = None,
        kernels: Optional[str] = None,
        buffer_size: Optional[str] = None,
        sources: bool = True,
        environment: bool = True,
        xptifw: Optional[PathLike] = None,
    ) -> None:
        self._output = Path(os.path.abspath(os.fspath(output)))
        self._force, self._wait = force, wait
        settings: Dict[str, Any] = {"streams": streams, "detail": detail, "kernels": kernels}
        settings.update(buffer_size=buffer_size, sources=sources, environment=environment)
        settings["xptifw"] = None if xptifw is None else os.fspath(xptifw)
        self._settings = settings
        self._end: Callable[[], None] = pause
        self._recording = Recording(None)
        self._process: Optional[_Process] = None

    def __enter__(self) -> Recording:
        if is_launched():
            self._begin(sys._getframe(1))
            return self._recording
        if self._output.is_dir():
            raise IsADirectoryError(f"{self._output} is a folder: name a file in it")
        if self._output.exists() and not self._force:
            raise FileExistsError(f"{self._output} exists; force=True overwrites it")
        if not self._output.parent.is_dir():
            raise FileNotFoundError(f"no folder {self._output.parent}")
        with _lock:
            # The file is on the same disk as the result. Its name shows its origin if the program is killed.
            process = _prepare(self._output.with_name(f"{self._output.stem}.part.{os.getpid()}.pftrace"), self._settings)
            if process.is_open:
                raise SyclscopeError("another block is already recording: a process has one recording at a time")
            process.is_open = True
            process.blocks += 1
        self._process = process
        self._begin_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        resume()
        self._begin(sys._getframe(1))
        return self._recording

    def _begin(self, caller: FrameType) -> None:
        begin, self._end = regions.begin_and_end((self._output.name, caller.f_code.co_filename, caller.f_lineno))
        begin()

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        process = self._process
        if process is None:
            self._end()
            return
        if process.pid != os.getpid():
            # A forked child leaves the block: the recording is its parent's.
            return
        is_over = False
        try:
            if kind is None:
                (self._wait or _wait_for_devices)()
            is_over = kind is None
        finally:
            # Also if the wait fails or is interrupted: the work before it is recorded.
            try:
                self._end()
                end_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
                mark = f"end of recording {process.blocks}.{secrets.token_hex(4)}"
                _point(mark)
                pause()
                self._save(process, mark, end_ns, is_over)
            finally:
                process.is_open = False

    def _save(self, process: _Process, mark: str, end_ns: int, is_needed: bool) -> None:
        try:
            is_whole = snapshot.wait_for(process.file, mark.encode(), _PATIENCE_S)
            path, start_ns = self._write(process, end_ns)
        except (OSError, SyclscopeError) as problem:
            if is_needed:
                raise RecordingFailed(f"can't write the recording to {self._output}: {problem}") from problem
            # The program's own error matters more.
            warnings.warn(f"syclscope: can't write the recording to {self._output}: {problem}", stacklevel=3)
            return
        if path != self._output:
            warnings.warn(f"syclscope: {self._output} was written by another process meanwhile: this recording is {path}", stacklevel=3)
        if not is_whole:
            warnings.warn(f"syclscope: {path} may lack the last events", stacklevel=3)
        self._recording.path = path
        self._recording.range_ns = (self._begin_ns - start_ns, end_ns - start_ns)

    def _write(self, process: _Process, end_ns: int) -> Tuple[Path, int]:
        """Writes the file, or one beside it if there is one now: ranks of one program name the same file."""
        beside = self._output.with_name(f"{self._output.stem}.{process.pid}{self._output.suffix}")
        try:
            return self._output, snapshot.save(process.file, self._output, end_ns, self._force)
        except FileExistsError:
            return beside, snapshot.save(process.file, beside, end_ns, self._force)


def pause() -> None:
    """Pauses the recording of this process, also one of ``syclscope record``. Does nothing without a recording."""
    framework = xpti.framework()
    if framework is not None:
        framework.control(b"pause")


def resume() -> None:
    """Resumes a paused recording. Does nothing without one."""
    framework = xpti.framework()
    if framework is not None:
        framework.control(b"resume")


def _point(name: str) -> None:
    framework = xpti.framework()
    if framework is not None:
        framework.event(name, "", 0)(xpti.SIGNAL)()


def _remove_afterwards(file: Path) -> None:
    """Removes a file when this process has ended. Until then the recorder writes to it, and would report if it were gone."""
    ended, self_alive = os.pipe()
    # Only this process has the other end, so `cat` reads until this process ends.
    command = ["/bin/sh", "-c", 'cat >/dev/null; rm -rf -- "$1"', "sh", os.fspath(file)]
    streams = {"stdin": ended, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.Popen(command, start_new_session=True, **streams)  # type: ignore[call-overload]
    os.close(ended)
    # Never closed here.
    del self_alive


def _wait_for_devices() -> None:
    """Waits for the work of dpctl's queues (also dpnp's) and torch's."""
    waits: List[Callable[[], object]] = []
    dpctl = sys.modules.get("dpctl")
    if dpctl is not None:
        manager = sys.modules.get("dpctl._sycl_queue_manager")
        queue_of = getattr(manager, "get_device_cached_queue", None)
        waits += [queue_of(device).wait for device in dpctl.get_devices()] if queue_of else []
    xpu = getattr(sys.modules.get("torch"), "xpu", None)
    if xpu is not None and xpu.is_available():
        waits.append(xpu.synchronize)
    for wait in waits:
        wait()
