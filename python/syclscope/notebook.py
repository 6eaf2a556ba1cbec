"""``%load_ext syclscope`` and ``%%syclscope`` for notebooks and IPython.

A cell fails where its code or its recording fails, so that "Run all", nbconvert and papermill stop there.
"""

import argparse
import shlex
import sys
from pathlib import Path
from typing import Any, List, NoReturn, Optional

from .errors import RecordingFailed, RuntimeLoaded, SyclscopeError
from .recording import Recording, is_launched, prepare, record
from .trace import Trace


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        from IPython.core.error import UsageError

        raise UsageError(f"{message}. {self.format_usage().strip()}")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="%%syclscope", description="Records a cell.", add_help=False)
    parser.add_argument("output", nargs="?", help="file to write [default: cell-1.pftrace, cell-2.pftrace, …]")
    parser.add_argument("-f", "--force", action="store_true", help="overwrite the file if it exists")
    parser.add_argument("-n", "--name", help="variable for the trace [default: none]")
    parser.add_argument("-q", "--quiet", action="store_true", help="print no summary")
    parser.add_argument("-s", "--show", action="store_true", help="show the page below the cell")
    return parser


def _arguments(line: str) -> argparse.Namespace:
    parser = _parser()
    try:
        words = shlex.split(line)
    except ValueError as problem:
        parser.error(str(problem))
    return parser.parse_args(words)


def _short(problem: BaseException) -> BaseException:
    """An error that IPython shows once, as one line, instead of a traceback through this package, or of a second traceback
    of the cell's own error."""

    def lines() -> List[str]:
        # `%tb` and `%debug` show it completely.
        del vars(problem)["_render_traceback_"]
        return [f"{type(problem).__name__}: {problem}"]

    vars(problem)["_render_traceback_"] = lines
    return problem


def _unused() -> Path:
    number = 1
    while (path := Path(f"cell-{number}.pftrace")).exists():
        number += 1
    return path


def load_ipython_extension(shell: Any) -> None:
    """Implements ``%load_ext syclscope``: prepares this kernel for recording, and registers the magic."""

    def syclscope(line: str, cell: str) -> Optional[Any]:
        """Records a cell: ``%%syclscope [FILE] [--force] [--name VARIABLE] [--quiet] [--show]``."""
        choice = _arguments(line)
        output = Path(choice.output) if choice.output else _unused()
        if output.exists() and not choice.force and not is_launched():
            raise _short(FileExistsError(f"{output} exists; `%%syclscope {shlex.quote(str(output))} --force` overwrites it"))
        done = None
        try:
            with record(output, force=choice.force) as recording:
                done = shell.run_cell(cell)
        except (OSError, SyclscopeError) as problem:
            # The cell's own errors are handled elsewhere.
            if done is None or done.success:
                ran = "the cell ran, but was not recorded" if done is not None else "the cell did not run"
                print(f"syclscope: {ran}", file=sys.stderr)
                raise _short(problem) from None
            print(f"syclscope: {problem}", file=sys.stderr)
        if recording.path is None and is_launched():
            print(f"syclscope: the cell is the region {output.name} in the recording of `syclscope record`", file=sys.stderr)
        if not done.success:
            if recording.path is not None:
                print(f"syclscope: the cell failed; it is recorded until then in {recording.path}", file=sys.stderr)
            raise _short(done.error_before_exec or done.error_in_exec)
        if recording.path is None:
            return None
        try:
            trace = recording.open()
            if choice.name:
                shell.user_ns[choice.name] = trace
            if not choice.quiet:
                print(_summary(trace, recording))
            if choice.show and recording.range_ns:
                return trace.show(start=recording.range_ns[0], end=recording.range_ns[1])
            return None
        except (OSError, SyclscopeError) as problem:
            raise _short(problem) from None

    shell.register_magic_function(syclscope, "cell", "syclscope")
    if is_launched():
        return
    try:
        prepare()
    except (RuntimeLoaded, RecordingFailed) as problem:
        print(f"syclscope: {problem}")
    except SyclscopeError as problem:
        print(f"syclscope: can't record cells: {problem}")


def _summary(trace: Trace, recording: Recording) -> str:
    start, end = recording.range_ns or (None, None)
    kernels = trace.summary("kernels", start=start, end=end, top=8)
    return f"{trace.path.name}\n{kernels}"
