"""A process of the program that reads a trace once, answers all queries about it and writes its tables."""

import json
import os
import subprocess
import tempfile
import weakref
from pathlib import Path
from typing import IO, Any, List, Optional, Sequence, Tuple

from .errors import ProgramFailed
from .forking import ForkLocal, ForkLocalFinalizer
from .program import failure, find_program

#: Maximum number of processes, each with its trace in memory. The least recently used one ends first.
_MAX_PROCESSES = 4
#: Bytes of one read.
_PIECE = 1 << 20


class Worker(ForkLocal):
    """Queries of one trace. Its process starts with the first query, is restarted if it died, and ends with this object."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self._process: "Optional[subprocess.Popen[bytes]]" = None
        self._said: Optional[IO[bytes]] = None
        self._finalizer: "Optional[weakref.finalize[[subprocess.Popen[bytes]], Worker]]" = None

    def ask(self, question: str) -> Any:
        """Returns the answer to a query. Raises :class:`ProgramFailed` if it fails."""
        # Each line is a query; a line break in a URL is escaped like this.
        line = question.replace("\r", "%0D").replace("\n", "%0A").encode("utf-8", "surrogatepass") + b"\n"
        return self._answer(line)

    def write_tables(self, names: Sequence[str], folder: Path) -> None:
        """Writes the named tables of the trace as Parquet files to a folder."""
        line = b"\ttables\t" + ",".join(names).encode() + b"\t" + os.fsencode(folder)
        if b"\n" in line:
            raise ValueError(f"can't write tables to {str(folder)!r}: its name contains a line break")
        self._answer(line + b"\n")

    def _answer(self, line: bytes) -> Any:
        with self._lock:
            reply = json.loads(self._exchange(line))
        if "error" in reply:
            raise ProgramFailed(reply["error"], reply["code"])
        return reply["answer"]

    def close(self) -> None:
        """Ends the process. The next query starts a new one."""
        with self._lock:
            self._end()

    def _exchange(self, line: bytes) -> bytes:
        """Sends a line and returns the line with the answer."""
        was_running = self._process is not None
        reply = self._attempt(line)
        if reply is None and was_running:
            # The process died after the last answer.
            reply = self._attempt(line)
        if reply is not None:
            return reply
        said, status = self._ended
        raise failure(["ask", self._path, "--lines"], said, status)

    def _attempt(self, line: bytes) -> Optional[bytes]:
        """Sends a line and returns the answer; None if the process ended without one."""
        process = self._process or self._start()
        _mark_used(self)
        assert process.stdin is not None and process.stdout is not None
        reply = bytearray()
        try:
            place = 0
            while place < len(line):
                place += process.stdin.write(line[place:]) or 0
            while not reply.endswith(b"\n"):
                piece = process.stdout.read(_PIECE)
                if not piece:
                    break
                reply += piece
        except BrokenPipeError:
            pass
        except BaseException:
            # After an interrupt, for example, the process's next output would be mistaken for the answer to a later
            # query.
            self._end()
            raise
        if reply.endswith(b"\n"):
            return bytes(reply)
        assert self._said is not None
        said, status = self._said, process.wait()
        said.seek(0)
        self._ended = said.read().decode("utf-8", "replace"), status
        self._end()
        return None

    #: Standard error of the last process, and its exit code.
    _ended: Tuple[str, int] = ("", 0)

    def _start(self) -> "subprocess.Popen[bytes]":
        _make_room()
        command = [str(find_program()), "ask", str(self._path), "--lines"]
        # A file, which doesn't need a thread to empty it.
        self._said = tempfile.TemporaryFile()
        # In a separate session, so that Ctrl-C in a terminal is only for Python. Unbuffered, because a forked process
        # would share the buffers.
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said, bufsize=0, start_new_session=True
        )
        self._finalizer = weakref.finalize(self, ForkLocalFinalizer(_end), self._process)
        return self._process

    def _end(self) -> None:
        if self._finalizer is not None:
            self._finalizer()
        if self._said is not None:
            self._said.close()
        self._process = self._said = self._finalizer = None

    def _forget(self) -> None:
        super()._forget()
        if self._process is not None:
            _close_pipes(self._process)
            # It is not a child of this process.
            self._process.returncode = 0
        self._process = self._said = self._finalizer = None


def _end(process: "subprocess.Popen[bytes]") -> None:
    # The process doesn't write a file that could be left incomplete.
    process.kill()
    process.wait()
    _close_pipes(process)


def _close_pipes(process: "subprocess.Popen[bytes]") -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()


class _RunningProcesses(ForkLocal):
    """Workers with running processes, least recently used first."""

    def __init__(self) -> None:
        super().__init__()
        self.list: "List[weakref.ref[Worker]]" = []

    def _forget(self) -> None:
        super()._forget()
        self.list = []


_running = _RunningProcesses()


def _mark_used(worker: Worker) -> None:
    """Moves a worker to the end of the list."""
    with _running._lock:
        _running.list = [one for one in _running.list if one() not in (None, worker)]
        _running.list.append(weakref.ref(worker))


def _make_room() -> None:
    """Ends the least recently used processes until another one may start, except for those that are answering a query."""
    with _running._lock:
        running = [one for one in (reference() for reference in _running.list) if one is not None and one._process is not None]
    for one in running[: max(len(running) - _MAX_PROCESSES + 1, 0)]:
        if one._lock.acquire(blocking=False):
            try:
                one._end()
            finally:
                one._lock.release()
