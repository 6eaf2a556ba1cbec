"""``%load_ext syclscope`` and ``%%syclscope`` for notebooks and IPython."""

import argparse
import shlex
import sys
from pathlib import Path
from typing import Any, Optional

from .errors import RecordingFailed, RuntimeLoaded, SyclscopeError
from .recording import Recording, is_launched, prepare, record
from .trace import Trace


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="%%syclscope", description="Records what a cell does.", add_help=False)
    parser.add_argument("output", nargs="?", help="file to write [default: cell-1.pftrace, cell-2.pftrace, …]")
    parser.add_argument("-f", "--force", action="store_true", help="replace the file if it exists")
    parser.add_argument("-n", "--name", help="variable that gets the trace [default: none]")
    parser.add_argument("-q", "--quiet", action="store_true", help="print no summary")
    parser.add_argument("-s", "--show", action="store_true", help="show the page below the cell")
    return parser


def _way_out(problem: Exception) -> str:
    """What to do about it, where a cell says it otherwise than a block does."""
    return " (here: --force)" if isinstance(problem, FileExistsError) else ""


def _unused() -> Path:
    number = 1
    while (path := Path(f"cell-{number}.pftrace")).exists():
        number += 1
    return path


def load_ipython_extension(shell: Any) -> None:
    """What ``%load_ext syclscope`` does: sets this kernel up for recording, and makes the magic known."""

    def syclscope(line: str, cell: str) -> Optional[Any]:
        """Records what a cell does: ``%%syclscope [FILE] [--force] [--name VARIABLE] [--quiet] [--show]``."""
        try:
            choice = _parser().parse_args(shlex.split(line))
        except SystemExit:
            return None
        output = Path(choice.output) if choice.output else _unused()
        done = None
        try:
            with record(output, force=choice.force) as recording:
                done = shell.run_cell(cell)
        except (OSError, SyclscopeError) as problem:
            # One line in place of a traceback through this package; the cell's own errors never come here.
            ran = "the cell ran, but" if done is not None else "the cell did not run:"
            print(f"syclscope: {ran} {problem}{_way_out(problem)}", file=sys.stderr)
            return None
        if recording.path is None:
            print(f"syclscope: the cell is the region {output.name} of the recording that `syclscope record` makes", file=sys.stderr)
            return None
        if not done.success:
            print(f"syclscope: the cell failed; what it did until then is in {recording.path}", file=sys.stderr)
            return None
        trace = recording.open()
        if choice.name:
            shell.user_ns[choice.name] = trace
        if not choice.quiet:
            print(_summary(trace, recording))
        return trace.show(start=recording.range_ns[0], end=recording.range_ns[1]) if choice.show and recording.range_ns else None

    shell.register_magic_function(syclscope, "cell", "syclscope")
    if is_launched():
        return
    try:
        prepare()
    except (RuntimeLoaded, RecordingFailed) as problem:
        print(f"syclscope: {problem}")
    except SyclscopeError as problem:
        print(f"syclscope: cells can't be recorded: {problem}")


def _summary(trace: Trace, recording: Recording) -> str:
    start, end = recording.range_ns or (None, None)
    kernels = trace.summary("kernels", start=start, end=end, top=8)
    return f"{trace.path.name}\n{kernels}"
