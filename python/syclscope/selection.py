"""The selection in the page of a trace, as encoded in its URL."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, List, Mapping, Optional, Sequence, Tuple, Union
from urllib.parse import quote, unquote

from .errors import SyclscopeError

if TYPE_CHECKING:
    import duckdb

    from .trace import Trace

#: Kinds of entities with a number, by their letter in a URL. Slices have no letter.
_NUMBERED = {"n": "node", "q": "queue", "a": "allocation", "o": "object"}
_LETTERS = {kind: letter for letter, kind in _NUMBERED.items()}
_KEPT = "/:,()*!"

#: The rows of a selection, by kind. Nodes, queues and objects are identified by their numbers in the recording.
_ROWS: Mapping[str, str] = {
    "slice": "SELECT * FROM slices WHERE slice = {id}",
    "node": "SELECT e.* FROM executions e JOIN nodes n USING (node) WHERE n.number = {id} ORDER BY start_ns",
    "queue": "SELECT e.* FROM executions e JOIN queues q USING (queue) WHERE q.number = {id} ORDER BY e.start_ns",
    "allocation": "SELECT * FROM allocations WHERE allocation = {id}",
    "object": "SELECT * FROM objects WHERE number = {id}",
    "gap": "SELECT * FROM tracks WHERE track = {id}",
    "name": "SELECT * FROM slices WHERE name = {name} ORDER BY start_ns",
    "line": """
        SELECT s.* FROM slices s LEFT JOIN nodes n USING (node)
        WHERE (s.file, s.line) = ({file}, {line}) OR (n.file, n.line) = ({file}, {line}) ORDER BY s.start_ns
    """,
    # As in the page, a slice lies in a range if it overlaps or starts in it.
    "range": """
        SELECT * FROM slices WHERE start_ns < {end_ns} AND (start_ns >= {start_ns} OR start_ns + duration_ns > {start_ns}){tracks}
        ORDER BY start_ns
    """,
}
#: The slices of some tracks and of those below them: a closed group represents its tracks.
_TRACKS = """track IN (
    WITH RECURSIVE chosen AS (
        SELECT track FROM tracks WHERE track IN ({0}) UNION SELECT t.track FROM tracks t JOIN chosen c ON t.parent = c.track
    ) SELECT track FROM chosen
)"""
#: First numbers of tracks that only the page has: of kernels by their places in ``info["kernels"]``, of objects by their ids.
_KERNELS, _OBJECTS = 1 << 31, 3 << 30
#: Maximum number of slices in an answer.
_PAGE = 10_000


@dataclass(frozen=True)
class Selection:
    """Something of a trace that is selected in its page. ``kind`` says what else is set:

    ==============  ==========================================================================
    ``slice``       ``id``: the slice's number, as in the table ``slices``
    ``node``        ``id``: a command's number in the recording (``nodes.number``)
    ``name``        ``name``: every slice of that name: a kernel's executions, a function's calls
    ``queue``       ``id``: ``queues.number``
    ``allocation``  ``id``: the row in ``allocations``
    ``object``      ``id``: ``objects.number`` of a buffer or image
    ``line``        ``file`` and ``line`` of the source
    ``range``       ``start_ns`` and ``end_ns``; ``tracks`` where it is an area of some tracks
    ``gap``         idle time: ``id``: the track in ``tracks``; ``start_ns``: a moment within it
    ==============  ==========================================================================
    """

    kind: str
    id: Optional[int] = None
    name: Optional[str] = None
    file: Optional[str] = None
    line: Optional[int] = None
    start_ns: Optional[int] = None
    end_ns: Optional[int] = None
    tracks: Tuple[int, ...] = ()
    #: The trace, for ``rows()``.
    trace: "Optional[Trace]" = field(default=None, repr=False, compare=False)

    @classmethod
    def read(cls, text: str, trace: "Optional[Trace]" = None) -> "Optional[Selection]":
        """Parses the undecoded part ``s`` of a URL; None if it has no known selection."""
        if _is_number(text):
            return cls("slice", int(text), trace=trace)
        letter, rest = text[:1], text[1:]
        if letter == "k":
            return cls("name", name=unquote(rest), trace=trace)
        if letter == "t":
            return _range(rest, trace)
        if letter == "l":
            line, dot, file = rest.partition(".")
            return cls("line", file=unquote(file), line=int(line), trace=trace) if dot and _is_number(line) else None
        if letter == "g":
            track, _, at = rest.partition(".")
            known = _is_number(track) and _is_number(at)
            return cls("gap", int(track), start_ns=int(at), trace=trace) if known else None
        if letter in _NUMBERED and _is_number(rest):
            return cls(_NUMBERED[letter], int(rest), trace=trace)
        return None

    def __str__(self) -> str:
        """Returns its form in a URL: the part ``area`` for an area of some tracks, else the part ``s``."""
        if self.kind == "slice":
            return str(self.id)
        if self.kind == "name":
            return f"k{quote(self.name or '', _KEPT)}"
        if self.kind == "line":
            return f"l{self.line}.{quote(self.file or '', _KEPT)}"
        if self.kind == "range":
            if self.tracks:
                return f"{self.start_ns}-{self.end_ns}:{'.'.join(map(str, self.tracks))}"
            return f"t{self.start_ns}-{self.end_ns}"
        if self.kind == "gap":
            return f"g{self.id}.{self.start_ns}"
        return f"{_LETTERS[self.kind]}{self.id}"

    @property
    def range_ns(self) -> Optional[Tuple[int, int]]:
        """Returns its time range: of a range its own, of a slice its execution, of a gap all of it; None if it has no
        single one."""
        if self.start_ns is not None and self.end_ns is not None:
            return self.start_ns, self.end_ns
        if self.kind == "gap":
            gaps = self._of().gaps(track=self.id, at=self.start_ns)["gaps"]
            return (gaps[0]["from_ns"], gaps[0]["to_ns"]) if gaps else None
        if self.kind != "slice" or self.id is None:
            return None
        at = self._of().slice(self.id)["at"]
        return at["start_ns"], at["start_ns"] + at["duration_ns"]

    def rows(self) -> "duckdb.DuckDBPyRelation":
        """Returns its rows of the trace's tables, by DuckDB: ``.df()``, ``.pl()``, ``.arrow()``, ``.fetchall()``.

        For commands and queues these are executions; for a name, a line (including submitted commands) or a range, slices;
        of a gap its track; otherwise the selected row itself.
        """
        values = {name: _literal(getattr(self, name)) for name in ("id", "name", "file", "line", "start_ns", "end_ns")}
        tracks = f" AND ({self._on_tracks()})" if self.tracks else ""
        return self._of().sql(_ROWS[self.kind].format(**values, tracks=tracks))

    def _on_tracks(self) -> str:
        """Returns the condition for its tracks in SQL: their slices, the executions of kernels, and what touches objects."""
        recorded = [track for track in self.tracks if track < _KERNELS]
        parts = [_TRACKS.format(", ".join(map(str, recorded)))] if recorded else []
        places = [track - _KERNELS for track in self.tracks if _KERNELS <= track < _OBJECTS]
        for kernel in (kernel for place, kernel in enumerate(self._of().info["kernels"]) if place in places):
            of_kernel = f"(name, kind) = ({_literal(kernel['name'])}, {_literal(kernel['kind'])})"
            parts.append(f"slice IN (SELECT slice FROM executions WHERE {of_kernel})")
        objects = [track - _OBJECTS for track in self.tracks if track >= _OBJECTS]
        touching = self._touching(objects) if objects else []
        if touching:
            parts.append(f"slice IN ({', '.join(map(str, touching))})")
        return " OR ".join(parts) or "FALSE"

    def _touching(self, objects: Sequence[int]) -> List[int]:
        """Returns the numbers of the slices in its range that touch one of some objects."""
        found: List[int] = []
        while True:
            page = self._of().slice_list(objects=objects, start=self.start_ns, end=self.end_ns, offset=len(found), limit=_PAGE)
            found += [row["at"]["slice"] for row in page["slices"]]
            if len(page["slices"]) < _PAGE:
                return found

    def _of(self) -> "Trace":
        if self.trace is None:
            raise SyclscopeError("this selection has no trace: get it from a page (w.selection)")
        return self.trace


def area(text: str, trace: "Optional[Trace]" = None) -> Optional[Selection]:
    """Parses the part ``area`` of a URL: a range of time on some tracks, or on all."""
    times, _, tracks = unquote(text).partition(":")
    found = _range(times, trace)
    numbers = tuple(int(track) for track in tracks.split(".") if _is_number(track))
    if found is None:
        return None
    return Selection("range", start_ns=found.start_ns, end_ns=found.end_ns, tracks=numbers, trace=trace)


def _range(text: str, trace: "Optional[Trace]") -> Optional[Selection]:
    start, _, end = text.partition("-")
    if not (_is_number(start) and _is_number(end)) or int(start) > int(end):
        return None
    return Selection("range", start_ns=int(start), end_ns=int(end), trace=trace)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _literal(value: Union[None, int, str]) -> Any:
    """Returns a value as an SQL literal."""
    return value if isinstance(value, int) else "'" + str(value).replace("'", "''") + "'"
