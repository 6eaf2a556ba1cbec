"""The tables of a trace (docs/TABLES.md), as Parquet files that are written when first used."""

import shutil
import tempfile
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, NoReturn, Optional, Sequence, Tuple, Type, Union, overload

from .errors import PackageMissing, UnknownName, existing, similar
from .forking import ForkLocal, at_end
from .printing import as_html, as_text
from .worker import Worker

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
    "samples",
    "stack_frames",
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


#: Names of columns, or a single one.
Columns = Union[str, Sequence[str]]
#: Number of printed rows.
_PRINTED = 10
#: Number of rows at the start of a file that are read separately.
_FEW = 4096


class Files(ForkLocal):
    """The Parquet files of a trace, each written when first used. They are removed with this object."""

    def __init__(self, trace: Path, worker: Optional[Worker] = None) -> None:
        super().__init__()
        self.trace = trace
        # The process ends with the trace's object, even if a table still exists.
        self._worker = weakref.ref(worker) if worker else None
        self._folder: Optional[Path] = None
        self._written: Dict[str, Path] = {}

    def write(self, names: Sequence[str]) -> Dict[str, Path]:
        """Returns the files of some tables, after writing missing ones."""
        with self._lock:
            missing = [name for name in NAMES if name in names and name not in self._written]
            if missing:
                worker = (self._worker and self._worker()) or Worker(self.trace)
                worker.write_tables(missing, self.folder)
                self._written.update((name, self.folder / f"{name}.parquet") for name in missing)
            return {name: self._written[name] for name in names}

    @property
    def folder(self) -> Path:
        """Their folder."""
        with self._lock:
            if self._folder is None:
                self._folder = Path(tempfile.mkdtemp(prefix="syclscope-tables-"))
                at_end(self, shutil.rmtree, self._folder, True)
            return self._folder

    def __reduce__(self) -> "Tuple[Type[Files], Tuple[Path]]":
        # Another process has its own files.
        return Files, (self.trace,)


class Table:
    """A table of a trace, or some of its columns and rows.

    It supports Arrow's interface between libraries: ``polars.DataFrame(t.executions)``, ``duckdb.sql("from x")`` and
    ``pyarrow.table(t.executions)`` accept it directly. Reading it needs pyarrow; ``path`` and :meth:`to_polars` do not.

    ``table["duration_ns"]`` is a column, ``table[["name", "duration_ns"]]`` a table of these columns, ``table[10:20]`` one of
    these rows. Iteration and ``in`` use names of columns, ``len`` counts rows.
    """

    def __init__(
        self, name: str, files: Files, columns: Optional[Sequence[str]] = None, rows: Optional[range] = None
    ) -> None:
        self.name = name
        self._files = files
        # None for all rows.
        self._columns = None if columns is None else list(columns)
        self._rows = rows
        self._arrow: "Optional[pyarrow.Table]" = None

    @property
    def path(self) -> Path:
        """The Parquet file of the whole table. It exists as long as the trace's object or one of its tables."""
        return self._files.write([self.name])[self.name]

    @property
    def columns(self) -> List[str]:
        """Names of the columns."""
        if self._columns is None:
            self._columns = list(_parquet().read_schema(self.path).names)
        return list(self._columns)

    @property
    def column_names(self) -> List[str]:
        """Names of the columns, like Arrow's attribute."""
        return self.columns

    @property
    def shape(self) -> Tuple[int, int]:
        """Numbers of rows and of columns."""
        return len(self), len(self.columns)

    def to_arrow(self, columns: Optional[Columns] = None) -> "pyarrow.Table":
        """The table, or some of its columns, as a ``pyarrow.Table``."""
        if columns is not None and self._arrow is None:
            return self._read(self._chosen(columns))
        if self._arrow is None:
            self._arrow = self._read(self.columns)
        return self._arrow if columns is None else self._arrow.select(self._chosen(columns))

    def to_pandas(self, columns: Optional[Columns] = None, **options: Any) -> "pandas.DataFrame":
        """The table, or some of its columns, as a pandas ``DataFrame``; options are those of ``pyarrow.Table.to_pandas``."""
        return self.to_arrow(columns).to_pandas(**options)

    def to_polars(self, columns: Optional[Columns] = None) -> "polars.DataFrame":
        """The table, or some of its columns, as a polars ``DataFrame``. Needs only polars."""
        try:
            import polars
        except ImportError as error:
            raise PackageMissing("to_polars needs polars: pip install polars") from error
        if self._columns is None:
            self._columns = list(polars.read_parquet_schema(self.path))
        frame = polars.scan_parquet(self.path).select(self.columns if columns is None else self._chosen(columns))
        return (frame if self._rows is None else frame.slice(self._rows.start, len(self._rows))).collect()

    def head(self, n: int = 5) -> "Table":
        """The first rows; with a negative ``n`` all but the last ones."""
        return self[:n]

    def tail(self, n: int = 5) -> "Table":
        """The last rows; with a negative ``n`` all but the first ones."""
        return self[-n:] if n else self[:0]

    @overload
    def __getitem__(self, key: str) -> "pyarrow.ChunkedArray": ...

    @overload
    def __getitem__(self, key: Union[Sequence[str], slice]) -> "Table": ...

    def __getitem__(self, key: Union[str, Sequence[str], slice]) -> "Union[pyarrow.ChunkedArray, Table]":
        if isinstance(key, str):
            return self.to_arrow([key]).column(0)
        if isinstance(key, slice) and key.step in (None, 1):
            return Table(self.name, self._files, self._columns, self._range()[key])
        if isinstance(key, (list, tuple)) and all(isinstance(name, str) for name in key):
            return Table(self.name, self._files, self._chosen(key), self._rows)
        raise TypeError(
            "index a table with the name of a column, a list of names, or a slice of rows such as [10:20]; to filter rows use "
            ".to_pandas(), .to_polars() or the trace's .sql()"
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __len__(self) -> int:
        return len(self._range())

    def __bool__(self) -> bool:
        return len(self) > 0

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Arrow's interface between libraries."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> NoReturn:
        # `pandas.DataFrame(table)` calls this, too, and would lose the names of the columns.
        raise TypeError('a table is not an array: use .to_pandas(), or a column such as table["duration_ns"]')

    def __getattr__(self, name: str) -> NoReturn:
        # Notebooks query many names of this form.
        if name.startswith("_"):
            raise AttributeError(f"a table has no attribute {name!r}")
        if name in self.columns:
            raise AttributeError(f"a table has no attribute {name!r}; its column is [{name!r}]")
        known = (known for known in super().__dir__() if not known.startswith("_"))
        raise AttributeError(f"a table has no attribute {name!r}{similar(name, [*known, *self.columns])}")

    def _ipython_key_completions_(self) -> List[str]:
        return self.columns

    def __repr__(self) -> str:
        try:
            shown = self.head(_PRINTED).to_arrow()
        except PackageMissing:
            return f"<table {self.name} of a trace: {self.path}>"
        return as_text(self._title(), shown.column_names, list(shown.to_pydict().values()), len(self))

    def _repr_html_(self) -> Optional[str]:
        try:
            shown = self.head(_PRINTED).to_arrow()
        except PackageMissing:
            return None
        return as_html(self._title(), shown.column_names, list(shown.to_pydict().values()), len(self))

    def _title(self) -> str:
        rows, columns = self.shape
        return f"{self.name}: {rows:,} {'row' if rows == 1 else 'rows'} × {columns} {'column' if columns == 1 else 'columns'}"

    def _range(self) -> range:
        """Returns the numbers of its rows in the file."""
        if self._rows is None:
            self._rows = range(int(_parquet().read_metadata(self.path).num_rows))
        return self._rows

    def _chosen(self, columns: Columns) -> List[str]:
        """Returns the names of columns; raises if one does not exist."""
        chosen = [columns] if isinstance(columns, str) else list(columns)
        known = self.columns
        for name in chosen:
            if name not in known:
                raise UnknownName(f"the table {self.name} has no column {name!r}{existing(str(name), known, 'columns')}")
        return chosen

    def _read(self, columns: List[str]) -> "pyarrow.Table":
        """Reads its rows in some columns, from only those row groups that contain them."""
        once = list(dict.fromkeys(columns))
        with _parquet().ParquetFile(self.path) as file:
            rows = self._range()
            groups: List[int] = []
            first = start = 0
            for number in range(file.num_row_groups):
                end = start + file.metadata.row_group(number).num_rows
                if start < rows.stop and end > rows.start:
                    first = first if groups else start
                    groups.append(number)
                start = end
            if groups and rows.stop - first <= _FEW:
                # Decodes only the needed part of a large group.
                batch = next(file.iter_batches(rows.stop - first, groups[:1], once), None)
                if batch is not None and batch.num_rows == rows.stop - first:
                    return _arrow().Table.from_batches([batch]).slice(rows.start - first).select(columns)
            found = file.read_row_groups(groups, columns=once)
        return found.slice(rows.start - first, len(rows)).select(columns)


class Tables(Mapping[str, Table]):
    """All tables of a trace by name, each written to a temporary folder when first used."""

    def __init__(self, trace: Path, worker: Optional[Worker] = None) -> None:
        self._files = Files(trace, worker)

    @property
    def folder(self) -> Path:
        """The folder of the Parquet files, with all tables. It is removed with this object and its tables."""
        self.write(NAMES)
        return self._files.folder

    def write(self, names: Sequence[str]) -> Dict[str, Path]:
        """Returns the Parquet files of some tables by name, after writing missing ones."""
        for name in names:
            self._check(name)
        return self._files.write(names)

    def _check(self, name: str) -> None:
        if name not in NAMES:
            raise UnknownName(f"a trace has no table {name!r}{existing(str(name), NAMES, 'tables')}")

    def __getitem__(self, name: str) -> Table:
        self._check(name)
        return Table(name, self._files)

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)

    def __repr__(self) -> str:
        return f"<tables of {self._files.trace}: {', '.join(NAMES)}>"


def _parquet() -> Any:
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise PackageMissing(
            "reading tables needs pyarrow: pip install pyarrow. Without it, `.path` is the Parquet file, "
            "and `.to_polars()` and `.sql()` work with polars and DuckDB alone"
        ) from error
    return pyarrow.parquet


def _arrow() -> Any:
    import pyarrow

    return pyarrow
