"""The tables of a trace, which docs/TABLES.md describes: Parquet files that ``syclscope convert`` writes."""

import shutil
import tempfile
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Optional, Sequence

from .errors import PackageMissing
from .program import run

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

#: Every table, in the order of docs/TABLES.md.
NAMES = (
    "tracks",
    "slices",
    "executions",
    "calls",
    "counters",
    "flows",
    "nodes",
    "edges",
    "queues",
    "allocations",
    "objects",
    "bindings",
    "accessors",
    "command_graphs",
    "graph_commands",
    "graph_runs",
    "processes",
    "devices",
    "clocks",
    "facts",
    "native_handles",
    "diagnostics",
)


class Table:
    """A table of a trace.

    It is an Arrow table for whoever asks: ``polars.DataFrame(t.executions)``, ``duckdb.sql("from x")`` and
    ``pyarrow.table(t.executions)`` take it as it is. Reading it takes pyarrow, ``path`` nothing.
    """

    def __init__(self, name: str, path: Path) -> None:
        #: Its name.
        self.name = name
        #: The Parquet file that holds it. It is there for as long as the trace's object is.
        self.path = path
        self._arrow: "Optional[pyarrow.Table]" = None

    def to_arrow(self, columns: Optional[Sequence[str]] = None) -> "pyarrow.Table":
        """The table, or some of its columns, as a ``pyarrow.Table``."""
        if columns is not None:
            return _parquet().read_table(self.path, columns=list(columns))
        if self._arrow is None:
            self._arrow = _parquet().read_table(self.path)
        return self._arrow

    def to_pandas(self, **options: Any) -> "pandas.DataFrame":
        """The table as a pandas ``DataFrame``; options are those of ``pyarrow.Table.to_pandas``."""
        return self.to_arrow().to_pandas(**options)

    def to_polars(self) -> "polars.DataFrame":
        """The table as a polars ``DataFrame``. It takes polars alone."""
        try:
            import polars
        except ImportError as error:
            raise PackageMissing("to_polars needs polars: pip install polars") from error
        return polars.read_parquet(self.path)

    @property
    def column_names(self) -> Sequence[str]:
        """Names of the columns."""
        return list(_parquet().read_schema(self.path).names)

    def __len__(self) -> int:
        return int(_parquet().read_metadata(self.path).num_rows)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Arrow's interface between libraries."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"<table {self.name} of a trace: {self.path}>"


class Tables(Mapping[str, Table]):
    """All tables of a trace by name, written to a temporary folder when one is first asked for."""

    def __init__(self, trace: Path) -> None:
        self._trace = trace
        self._folder: Optional[Path] = None

    @property
    def folder(self) -> Path:
        """The folder of the Parquet files. It goes when this object does."""
        if self._folder is None:
            folder = Path(tempfile.mkdtemp(prefix="syclscope-tables-"))
            weakref.finalize(self, shutil.rmtree, folder, True)
            # Not the folder itself: what is there already would have to be replaced.
            run(["convert", "--quiet", self._trace, "--to", "parquet", "-o", folder / "tables"])
            self._folder = folder / "tables"
        return self._folder

    def __getitem__(self, name: str) -> Table:
        if name not in NAMES:
            raise KeyError(name)
        return Table(name, self.folder / f"{name}.parquet")

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)

    def __repr__(self) -> str:
        return f"<tables of {self._trace}: {', '.join(NAMES)}>"


def _parquet() -> Any:
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise PackageMissing(
            "tables are read with pyarrow: pip install pyarrow. Without it, `.path` is the Parquet file, "
            "and `.to_polars()` and `.sql()` work with polars and DuckDB alone"
        ) from error
    return pyarrow.parquet
