"""A trace: its tables, its summary, and its queries."""

import json
import os
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple, Type

from .errors import SyclscopeError, similar
from .program import PathLike, run
from .questions import Iterations, Questions, Time
from .sql import Database
from .tables import NAMES, Table, Tables
from .worker import Worker

if TYPE_CHECKING:
    import duckdb

    from .answers import TraceInfo
    from .show import Widget


class Trace(Questions):
    """A trace file of syclscope or of another tool. :func:`syclscope.open` makes one.

    Each table of docs/TABLES.md is an attribute (``t.executions``), each query of docs/QUERIES.md a method
    (``t.critical_path()``). Times are nanoseconds since the trace's start, sizes bytes.

    The first query or table starts a process that reads the file once and keeps it in memory for later ones. It ends with this
    object, with :meth:`close`, and at the end of ``with syclscope.open(…) as t:``.
    """

    def __init__(self, path: PathLike) -> None:
        #: Absolute path of the file.
        self.path = Path(os.path.abspath(os.fspath(path)))
        if self.path.is_dir():
            raise IsADirectoryError(f"{self.path} is a folder: open a trace in it")
        if not self.path.is_file():
            raise FileNotFoundError(f"no trace at {self.path}")
        if not _may_be_a_trace(self.path):
            # The program's error says what the file is instead.
            run(["ask", self.path, ""])
        self._worker = Worker(self.path)
        #: Every table by name.
        self.tables = Tables(self.path, self._worker)
        self._answers: Dict[str, Any] = {}
        self._database: Optional[Database] = None

    def ask(self, question: str) -> Any:
        """Returns the answer to a query in the syntax of docs/QUERIES.md, such as ``"serialised?limit=10"``.

        A trace never changes, so answers are cached for the lifetime of this object. Raises :class:`syclscope.ProgramFailed`
        for an invalid query.
        """
        if not isinstance(question, str):
            raise TypeError(f"a query must be a text, not {type(question).__name__}")
        if question not in self._answers:
            self._answers[question] = self._worker.ask(question)
        return self._answers[question]

    def close(self) -> None:
        """Ends the process that answers queries and writes tables, and frees its memory. The next query restarts it."""
        self._worker.close()

    def __enter__(self) -> "Trace":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def __reduce__(self) -> "Tuple[Type[Trace], Tuple[Path]]":
        # Another process opens it again.
        return Trace, (self.path,)

    @property
    def info(self) -> "TraceInfo":
        """Contents of the trace: tracks, queues, kernels, processes, problems, facts."""
        return self.ask("")

    @property
    def duration_ns(self) -> int:
        """Duration of the trace."""
        return int(self.info["duration_ns"])

    def summary(
        self,
        section: Optional[str] = None,
        *,
        start: Optional[Time] = None,
        end: Optional[Time] = None,
        iterations: Optional[Iterations] = None,
        region: Optional[str] = None,
        where: Optional[str] = None,
        top: Optional[int] = None,
    ) -> "Summary":
        """The summary (docs/SUMMARY.md), or one section of it (``"kernels"``, ``"waits"``, …), as text that displays itself.

        ``start`` and ``end`` (nanoseconds, or ``"1.5s"``), or ``iterations`` and ``region``, and the filter ``where`` select a
        part of the run, ``top`` the maximum number of rows in a table.
        """
        choice: List[str] = []
        part = {"--from": start, "--to": end, "--iterations": iterations, "--region": region}
        for option, value in {"--section": section, **part, "--where": where}.items():
            if value is not None:
                # As one argument, so that a value may begin with a minus.
                choice.append(f"{option}={value}")
        return Summary(self.path, choice, top)

    def compare(
        self,
        other: "Trace",
        *,
        start: Optional[Time] = None,
        end: Optional[Time] = None,
        iterations: Optional[Iterations] = None,
        region: Optional[str] = None,
    ) -> Any:
        """Changes from this trace to another: the result of ``syclscope compare THIS OTHER --format json``.

        ``iterations`` (a number, or ``"5-120"``) and ``region``, or ``start`` and ``end`` (nanoseconds, or ``"1.5s"``) select
        the compared part of each run (docs/COMPARE.md).

        Raises :class:`syclscope.NotSupported` if the program has no such command, :class:`syclscope.ProgramFailed` if a run has
        no such part.
        """
        if not isinstance(other, Trace):
            raise TypeError(f"compare needs a trace, not {type(other).__name__}: open it with syclscope.open({other!r})")
        given = {"--from": start, "--to": end, "--iterations": iterations, "--region": region}
        part = [f"{option}={value}" for option, value in given.items() if value is not None]
        return json.loads(run(["compare", self.path, other.path, "--format", "json", *part]))

    def sql(self, query: str) -> "duckdb.DuckDBPyRelation":
        """The result of an SQL query over the tables and :data:`syclscope.VIEWS`, with DuckDB.

        Its ``.df()``, ``.pl()``, ``.arrow()`` and ``.fetchall()`` return the rows. A statement without rows, such as
        COPY, returns None. Only the tables in the query are written to files; all of them if it names none.
        """
        if self._database is None:
            self._database = Database(self.tables)
        return self._database.sql(query)

    def convert(self, output: PathLike, to: Optional[str] = None, *, force: bool = False) -> Path:
        """Writes the trace in another format: ``perfetto``, ``json``, ``fxprof`` or ``parquet`` (a folder of tables)."""
        choice = ["--to", to] if to else []
        run(["convert", "--quiet", *(["--force"] if force else []), *choice, "-o", output, self.path])
        return Path(output)

    def show(self, view: Optional[str] = None, **options: Any) -> "Widget":
        """The page in a notebook, at a view (``"timeline"``, ``"graph"``, …); see :class:`syclscope.Widget`."""
        from .show import Widget

        return Widget(self, view, **options)

    def __getattr__(self, name: str) -> Table:
        if name in NAMES:
            return self.tables[name]
        if name.startswith("_"):
            raise AttributeError(f"a trace has no attribute {name!r}")
        known = [*NAMES, *(known for known in super().__dir__() if not known.startswith("_"))]
        hint = similar(name, known)
        tables = f"{hint} Its" if hint else "; its"
        raise AttributeError(f"a trace has no attribute {name!r}{tables} tables are {', '.join(NAMES)}")

    def __dir__(self) -> Sequence[str]:
        return [*super().__dir__(), *NAMES]

    def __repr__(self) -> str:
        return f"<trace {self.path}>"


class Summary:
    """The summary of a run, which prints itself on a terminal and in a notebook."""

    def __init__(self, path: Path, choice: Sequence[str], top: Optional[int]) -> None:
        self._path, self._choice = path, list(choice)
        self._rows = [] if top is None else [f"--top={top}"]

    def _printed(self, format_: str, choice: Sequence[str]) -> str:
        return run(["summary", "--format", format_, *choice, self._path])

    @property
    def text(self) -> str:
        """Tables for people."""
        return self._printed("text", [*self._choice, *self._rows])

    @property
    def markdown(self) -> str:
        """Markdown for a CI comment: of the run, or of a part of it."""
        if any(option.startswith("--section") for option in self._choice):
            raise SyclscopeError("Markdown has all sections: request the summary without a section")
        return self._printed("markdown", self._choice)

    @property
    def data(self) -> Any:
        """All data as Python lists and dictionaries."""
        return json.loads(self._printed("json", self._choice))

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


#: First bytes of files that the program can read: packets of Perfetto, JSON, gzip, zstd, zip.
_STARTS = (b"\n", b"{", b"[", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04")


def _may_be_a_trace(path: Path) -> bool:
    """Returns whether a file begins like a trace. A large one is only read when it is used."""
    with path.open("rb") as file:
        start = file.read(64)
    text = start[3:] if start.startswith(b"\xef\xbb\xbf") else start
    return start.startswith(_STARTS) or text.lstrip().startswith((b"{", b"["))


def open(path: PathLike) -> Trace:
    """Opens a trace: Perfetto or Chrome JSON, also compressed, of syclscope or of another tool.

    Raises :class:`FileNotFoundError` or :class:`IsADirectoryError` if there is no file, and :class:`syclscope.ProgramFailed` if
    the file is not a trace.
    """
    return Trace(path)
