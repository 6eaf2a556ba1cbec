"""A method for every query in docs/QUERIES.md."""

import re
from typing import TYPE_CHECKING, Any, List, Optional, Sequence, Union
from urllib.parse import quote

from .errors import ProgramFailed

if TYPE_CHECKING:
    from . import answers as a

#: Nanoseconds since the trace's start; where documented, also text with a unit (``"1.5s"``).
Time = Union[int, str]
#: The number of an iteration, or the first and the last (``"5-120"``).
Iterations = Union[int, str]
#: Several numbers, or one.
Numbers = Union[int, Sequence[int]]
#: Several words, or one.
Words = Union[str, Sequence[str]]


class Questions:
    """Queries of a trace. A parameter that is None is omitted, and the program uses its default.

    ``start`` and ``end`` are the queries' ``from`` and ``to`` (``from`` is a keyword in Python). Instead of them,
    ``iterations`` (a number, or ``"5-120"``) selects the time of these iterations of the main loop, and ``region`` the time
    from the first to the last region with a name (``"NAME#3"``: only the third). Both together select iterations of these
    regions. A *selection* is such a range, ``tracks`` (with those below them), ``objects`` and the filter ``where``.
    """

    def ask(self, question: str) -> Any:
        """Returns the answer to a query given as text."""
        raise NotImplementedError

    def _ask(self, question: str, **parameters: Any) -> Any:
        try:
            return self.ask(question + _query(parameters))
        except ProgramFailed as problem:
            raise ProgramFailed(_renamed(str(problem), question), problem.status) from None

    def report(
        self,
        *,
        start: Optional[int] = None,
        end: Optional[int] = None,
        iterations: Optional[Iterations] = None,
        region: Optional[str] = None,
    ) -> "a.Report":
        """Overview: run time, commands, copies, waits, memory, findings; of the run or of a range. Total times
        (ns) are those in the range, means and percentiles of whole executions."""
        return self._ask("report", **_time(start, end, iterations, region))

    def contents(self) -> "a.Contents":
        """Private data in the trace, about people, machines and code, by kind, with counts and examples."""
        return self._ask("contents")

    def critical_path(
        self,
        *,
        start: Optional[int] = None,
        end: Optional[int] = None,
        iterations: Optional[Iterations] = None,
        region: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> "a.CriticalPath":
        """The critical path of the run, or of a range of time: the chain of commands, submissions, calls and waits that
        determined its duration. Returns its ``limit`` longest steps."""
        return self._ask("critical_path", limit=limit, **_time(start, end, iterations, region))

    def iterations(
        self,
        *,
        region: Optional[str] = None,
        command: Optional[str] = None,
        start: Optional[int] = None,
        end: Optional[int] = None,
        iterations: Optional[Iterations] = None,
        offset: Optional[int] = None,
        limit: Optional[int] = None,
    ) -> "a.Iterations":
        """Iterations of the main loop, or of the loop that a ``region`` or a ``command`` marks: warm-up, durations, the
        slowest one, and the critical path in steady ones, or in those of a range. Times in ns."""
        time = _time(start, end, iterations, region)
        return self._ask("iterations", command=command, offset=offset, limit=limit, **time)

    def findings(
        self,
        *,
        start: Optional[int] = None,
        end: Optional[int] = None,
        iterations: Optional[Iterations] = None,
        region: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> "List[a.Finding]":
        """Probable faults and bottlenecks of the program, the most important first (docs/FINDINGS.md); of the run or of a
        range."""
        found: "Optional[a.Findings]" = self._ask("findings", limit=limit, **_time(start, end, iterations, region))
        return found["findings"] if found else []

    def start_up(self) -> "a.StartUp":
        """The time before the first command ran, by step of the critical path."""
        return self._ask("start_up")

    def builds(
        self,
        limit: Optional[int] = None,
        *,
        start: Optional[int] = None,
        end: Optional[int] = None,
        iterations: Optional[Iterations] = None,
        region: Optional[str] = None,
    ) -> "a.Builds":
        """Builds of device code, all or those that overlap a range: input, kernels, thread, line, and the reason for
        building again."""
        return self._ask("builds", limit=limit, **_time(start, end, iterations, region))

    def energy(
        self,
        limit: Optional[int] = None,
        *,
        start: Optional[int] = None,
        end: Optional[int] = None,
        iterations: Optional[Iterations] = None,
        region: Optional[str] = None,
    ) -> "a.Energy":
        """Energy in joules by kernel and command, for each power counter of a device: an estimate by time share. Idle time
        and unattributed energy are separate. ``limit`` applies to the commands of each counter."""
        return self._ask("energy", limit=limit, **_time(start, end, iterations, region))

    def regions(
        self,
        limit: Optional[int] = None,
        *,
        start: Optional[int] = None,
        end: Optional[int] = None,
        iterations: Optional[Iterations] = None,
        region: Optional[str] = None,
    ) -> "a.Regions":
        """Regions of the program by path, most time first: durations, commands that were submitted in them, and waits."""
        return self._ask("regions", limit=limit, **_time(start, end, iterations, region))

    def what_if(
        self,
        kernel: Optional[str] = None,
        faster: Optional[float] = None,
        copies: Optional[bool] = None,
        builds: Optional[bool] = None,
        *,
        schedule: Optional[bool] = None,
        schedule_from: Optional[int] = None,
        schedule_to: Optional[int] = None,
        columns: Optional[int] = None,
        start: Optional[int] = None,
        end: Optional[int] = None,
        iterations: Optional[Iterations] = None,
        region: Optional[str] = None,
    ) -> "a.WhatIf":
        """Predicted duration of the run if ``kernel`` were ``faster`` by a factor, copies free (``copies=False``), or device
        code already built (``builds=False``), in the whole run or only in a range. ``schedule=True`` adds the recorded and
        the predicted times of commands on the busiest queues, for the time from ``schedule_from`` to ``schedule_to`` in
        ``columns`` of equal length. ``is_refused`` is set if the replay of the unchanged run is off by more than 5 %."""
        free = [None if wanted is None or wanted else 0 for wanted in (copies, builds)]
        return self._ask(
            "what_if",
            kernel=kernel,
            faster=faster,
            copies=free[0],
            builds=free[1],
            schedule=1 if schedule else None,
            schedule_from=schedule_from,
            schedule_to=schedule_to,
            columns=columns,
            **_time(start, end, iterations, region),
        )

    def gaps(
        self,
        *,
        track: Optional[int] = None,
        at: Optional[int] = None,
        shortest: Optional[int] = None,
        limit: Optional[int] = None,
        start: Optional[int] = None,
        end: Optional[int] = None,
        iterations: Optional[Iterations] = None,
        region: Optional[str] = None,
    ) -> "a.Gaps":
        """Idle time of all devices, or of the device, queue or thread of a ``track``: gaps, longest first, each explained,
        and the time by cause. Times in ns; ``at`` selects the gap around a time."""
        return self._ask(
            "gaps", track=track, at=at, shortest=shortest, limit=limit, **_time(start, end, iterations, region)
        )

    def serialised(
        self,
        limit: Optional[int] = None,
        *,
        start: Optional[int] = None,
        end: Optional[int] = None,
        iterations: Optional[Iterations] = None,
        region: Optional[str] = None,
    ) -> "a.Serialised":
        """Pairs of commands that could have run side by side and did not, all or those whose second command started in a
        range, with the reason and the possible gain."""
        return self._ask("serialised", limit=limit, **_time(start, end, iterations, region))

    def kernel(
        self,
        name: str,
        *,
        points: Optional[int] = None,
        limit: Optional[int] = None,
        start: Optional[int] = None,
        end: Optional[int] = None,
        iterations: Optional[Iterations] = None,
        region: Optional[str] = None,
        tracks: Optional[Numbers] = None,
        objects: Optional[Numbers] = None,
        where: Optional[str] = None,
    ) -> "a.KernelProfile":
        """The executions of a kernel in a selection: by duration, over time, by queue and by launch size."""
        selection = _selection(start, end, iterations, region, tracks, objects, where)
        return self._ask("kernel", name=name, points=points, limit=limit, **selection)

    def select(
        self,
        *,
        sort: Optional[str] = None,
        groups: Optional[int] = None,
        start: Optional[int] = None,
        end: Optional[int] = None,
        iterations: Optional[Iterations] = None,
        region: Optional[str] = None,
        tracks: Optional[Numbers] = None,
        objects: Optional[Numbers] = None,
        where: Optional[str] = None,
    ) -> "a.Selected":
        """Totals of the slices of a selection: all, by category, and ``groups`` with the same name, category and kind.

        ``sort``: ``total``, ``clipped``, ``self``, ``count``, ``mean``, ``max`` or ``name``.
        """
        return self._ask("select", sort=sort, groups=groups, **_selection(start, end, iterations, region, tracks, objects, where))

    def slice_list(
        self,
        *,
        sort: Optional[str] = None,
        offset: Optional[int] = None,
        limit: Optional[int] = None,
        args: Optional[bool] = None,
        start: Optional[int] = None,
        end: Optional[int] = None,
        iterations: Optional[Iterations] = None,
        region: Optional[str] = None,
        tracks: Optional[Numbers] = None,
        objects: Optional[Numbers] = None,
        where: Optional[str] = None,
    ) -> "a.SliceList":
        """A page of the slices of a selection (the query ``slices``).

        ``sort``: ``start``, ``-start``, ``duration`` or ``-duration``; ``args`` adds the arguments of calls.
        """
        selection = _selection(start, end, iterations, region, tracks, objects, where)
        return self._ask("slices", sort=sort, offset=offset, limit=limit, args=args or None, **selection)

    def search(
        self,
        *,
        slice: Optional[int] = None,
        start: Optional[int] = None,
        end: Optional[int] = None,
        iterations: Optional[Iterations] = None,
        region: Optional[str] = None,
        tracks: Optional[Numbers] = None,
        objects: Optional[Numbers] = None,
        where: Optional[str] = None,
    ) -> "a.Found":
        """Number of a selection's slices on each track, the first and the last, and the position of ``slice`` among them."""
        return self._ask("search", slice=slice, **_selection(start, end, iterations, region, tracks, objects, where))

    def step(
        self,
        *,
        at: Optional[int] = None,
        slice: Optional[int] = None,
        back: Optional[bool] = None,
        start: Optional[int] = None,
        end: Optional[int] = None,
        iterations: Optional[Iterations] = None,
        region: Optional[str] = None,
        tracks: Optional[Numbers] = None,
        objects: Optional[Numbers] = None,
        where: Optional[str] = None,
    ) -> "a.Stepped":
        """The next slice of a selection after a time or a slice, or with ``back`` the previous one."""
        selection = _selection(start, end, iterations, region, tracks, objects, where)
        return self._ask("step", at=at, slice=slice, back=back or None, **selection)

    def find(self, text: str, limit: Optional[int] = None) -> "a.Matches":
        """Names of slices, objects (``buffer 3``) and lines (``heat.cpp:12``) that match a text, best match first."""
        return self._ask("find", text=text, limit=limit)

    def slice(self, slice: int) -> "a.SliceDetail":
        """All data of one slice."""
        return self._ask(f"slices/{slice}")

    def overlaps(
        self,
        slice: int,
        *,
        tracks: Optional[Numbers] = None,
        where: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> "a.Overlaps":
        """Slices of other tracks that overlap a slice, longest overlap first."""
        return self._ask(f"slices/{slice}/overlaps", tracks=tracks, where=where, limit=limit)

    def alike(self, slice: int, same_track: Optional[bool] = None) -> "a.Alike":
        """The number of slices like this one (same name, category and kind), and the previous and the next of them."""
        return self._ask(f"slices/{slice}/alike", same_track=same_track or None)

    def waited_for(
        self,
        slice: Optional[int] = None,
        *,
        node: Optional[int] = None,
        hops: Optional[int] = None,
        limit: Optional[int] = None,
    ) -> "a.Waits":
        """The dependences of a slice, or of a command by its number (``node``); ``hops=0`` follows them all the way."""
        return self._ask(f"{_step_of(slice, node)}/waited_for", hops=hops, limit=limit)

    def waited_by(
        self,
        slice: Optional[int] = None,
        *,
        node: Optional[int] = None,
        hops: Optional[int] = None,
        limit: Optional[int] = None,
    ) -> "a.Waits":
        """The dependents of a slice, or of a command by its number (``node``)."""
        return self._ask(f"{_step_of(slice, node)}/waited_by", hops=hops, limit=limit)

    def chain(
        self, slice: Optional[int] = None, *, node: Optional[int] = None, limit: Optional[int] = None
    ) -> "a.Waits":
        """The chain from a slice or command back to the start: at each step, what determined when it could begin."""
        return self._ask(f"{_step_of(slice, node)}/chain", limit=limit)

    def life(self, slice: int) -> "a.Life":
        """The phases of a slice's command, each with the median of commands with its name."""
        return self._ask(f"life/{slice}")

    def dependences(
        self,
        slice: int,
        *,
        hops: Optional[int] = None,
        way: Optional[str] = None,
        reasons: Optional[Words] = None,
        limit: Optional[int] = None,
    ) -> "a.Dependences":
        """The commands that a slice's command waited for, and those that waited for it; ``way``: ``before`` or ``after``."""
        return self._ask("dependences", slice=slice, hops=hops, way=way, reasons=reasons, limit=limit)

    def graph(
        self,
        level: Optional[str] = None,
        *,
        open: Optional[Words] = None,
        around: Optional[int] = None,
        width: Optional[int] = None,
        component: Optional[int] = None,
        reasons: Optional[Words] = None,
        kinds: Optional[Words] = None,
        order: Optional[bool] = None,
        redundant: Optional[str] = None,
        size: Optional[str] = None,
        grow: Optional[bool] = None,
        limit: Optional[int] = None,
    ) -> "a.GraphView":
        """A drawing of the task graph or of a part of it; ``level``: ``source``, ``kernels``, ``regions``, ``stacks``,
        ``iterations`` or ``full``."""
        return self._ask(
            "graph", level=level, open=open, around=around, width=width, component=component, reasons=reasons,
            kinds=kinds, order=_one(order), redundant=redundant, size=size, grow=_one(grow), limit=limit,
        )  # fmt: skip

    def graph_members(
        self,
        level: str,
        group: str,
        *,
        component: Optional[int] = None,
        offset: Optional[int] = None,
        count: Optional[int] = None,
    ) -> "a.GraphMembers":
        """The members of a folded node of the drawing, in pages; ``offset`` is the query's ``from``."""
        place = {"from": offset}
        return self._ask("graph_members", level=level, group=group, component=component, count=count, **place)

    def components(self) -> "a.GraphComponents":
        """The connected components of the task graph, largest first."""
        return self._ask("components")

    def files(self) -> "List[a.FileCost]":
        """Source files with the work that they caused, most device time first."""
        return self._ask("files")

    def lines(self, path: Optional[str] = None, *, source: Optional[int] = None) -> "a.FileLines":
        """The work that each line of a file caused; the file by its path, or by its number in ``info["sources"]``."""
        return self._ask("lines", path=path, source=source)

    def source(self, source: int) -> "a.SourceText":
        """The text of a source file, by its number in ``info["sources"]``."""
        return self._ask(f"sources/{source}")

    def call_summaries(
        self,
        *,
        start: Optional[int] = None,
        end: Optional[int] = None,
        iterations: Optional[Iterations] = None,
        region: Optional[str] = None,
    ) -> "List[a.CallSummary]":
        """Calls of the runtime and of the native API by name (the query ``calls``), most time first: all, or those that
        overlap a range."""
        return self._ask("calls", **_time(start, end, iterations, region))

    def calltree(
        self,
        by: Optional[str] = None,
        *,
        weight: Optional[str] = None,
        limit: Optional[int] = None,
        start: Optional[int] = None,
        end: Optional[int] = None,
        iterations: Optional[Iterations] = None,
        region: Optional[str] = None,
        tracks: Optional[Numbers] = None,
        objects: Optional[Numbers] = None,
        where: Optional[str] = None,
    ) -> "a.CallTree":
        """A flame graph of a selection. ``weight="calls"``: calls by caller. ``weight="device"``, ``weight="waits"``: device
        time of commands, or time of waits, by recorded call stack. ``weight="samples"``: time of host threads by their
        samples. ``weight="idle"``: idle time of devices by the stack of what the next command waited
        for. ``weight="allocated"``, ``weight="peak"``: bytes allocated, or live at the peak, by recorded call stack
        (``total_bytes``). ``by``: ``all``, ``process`` or ``thread`` (``device`` has no threads)."""
        selection = _selection(start, end, iterations, region, tracks, objects, where)
        return self._ask("calltree", by=by, weight=weight, limit=limit, **selection)

    def sandwich(
        self,
        name: str,
        *,
        limit: Optional[int] = None,
        start: Optional[int] = None,
        end: Optional[int] = None,
        iterations: Optional[Iterations] = None,
        region: Optional[str] = None,
        tracks: Optional[Numbers] = None,
        objects: Optional[Numbers] = None,
        where: Optional[str] = None,
    ) -> "a.Sandwich":
        """Callers and callees of the calls with a name."""
        selection = _selection(start, end, iterations, region, tracks, objects, where)
        return self._ask("sandwich", name=name, limit=limit, **selection)

    def memory_use(
        self,
        *,
        start: Optional[int] = None,
        end: Optional[int] = None,
        iterations: Optional[Iterations] = None,
        region: Optional[str] = None,
        points: Optional[int] = None,
        places: Optional[int] = None,
        process: Optional[int] = None,
        kinds: Optional[Words] = None,
        device: Optional[str] = None,
    ) -> "a.MemoryUse":
        """Memory in use over time by kind and device, its peak, and the live memory at the peak by source location."""
        memory = _memory(process, kinds, device)
        return self._ask("memory_use", points=points, places=places, **_time(start, end, iterations, region), **memory)

    def memory_at(
        self,
        at: int,
        end: Optional[int] = None,
        *,
        lowest: Optional[str] = None,
        highest: Optional[str] = None,
        merge: Optional[int] = None,
        offset: Optional[int] = None,
        limit: Optional[int] = None,
        places: Optional[int] = None,
        process: Optional[int] = None,
        kinds: Optional[Words] = None,
        device: Optional[str] = None,
    ) -> "a.MemoryAt":
        """Live memory at a time, by address and by source location; with ``end``, the difference to that time. Addresses are
        ``"0x…"``."""
        return self._ask(
            "memory_at", at=at, lowest=lowest, highest=highest, merge=merge, offset=offset, limit=limit, places=places,
            to=end, **_memory(process, kinds, device),
        )  # fmt: skip

    def allocation_list(
        self,
        *,
        start: Optional[int] = None,
        end: Optional[int] = None,
        iterations: Optional[Iterations] = None,
        region: Optional[str] = None,
        text: Optional[str] = None,
        path: Optional[str] = None,
        line: Optional[int] = None,
        least: Optional[int] = None,
        most: Optional[int] = None,
        unreleased: Optional[bool] = None,
        sort: Optional[str] = None,
        offset: Optional[int] = None,
        limit: Optional[int] = None,
        process: Optional[int] = None,
        kinds: Optional[Words] = None,
        device: Optional[str] = None,
    ) -> "a.AllocationList":
        """A page of the allocations (the query ``allocations``).

        ``sort``: ``at``, ``size``, ``lifetime`` or ``pointer``, with ``-`` in front for the reverse order.
        """
        return self._ask(
            "allocations", text=text, path=path, line=line, least=least, most=most, unreleased=unreleased or None,
            sort=sort, offset=offset, limit=limit, **_time(start, end, iterations, region), **_memory(process, kinds, device),
        )  # fmt: skip

    def object_list(
        self,
        *,
        process: Optional[int] = None,
        what: Optional[Words] = None,
        problems: Optional[Words] = None,
        start: Optional[int] = None,
        end: Optional[int] = None,
        iterations: Optional[Iterations] = None,
        region: Optional[str] = None,
        text: Optional[str] = None,
        sort: Optional[str] = None,
        offset: Optional[int] = None,
        limit: Optional[int] = None,
        mark: Optional[bool] = None,
        number: Optional[int] = None,
        allocation: Optional[int] = None,
        node: Optional[int] = None,
        slice: Optional[int] = None,
        name: Optional[str] = None,
        queue: Optional[int] = None,
        path: Optional[str] = None,
        line: Optional[int] = None,
    ) -> "a.ObjectList":
        """A page of buffers, images and USM with their use (the query ``objects``).

        ``number``, ``allocation``, ``node``, ``slice``, ``name``, ``queue``, or ``path`` and ``line`` select those related to
        one entity; with ``mark`` the list has all, and the positions of those.
        """
        related = _related(number, allocation, node, slice, name, queue, path, line)
        return self._ask(
            "objects", process=process, what=what, problems=problems, text=text, sort=sort, offset=offset, limit=limit,
            mark=mark or None, **_time(start, end, iterations, region), **related,
        )  # fmt: skip

    def object(self, id: int, *, offset: Optional[int] = None, limit: Optional[int] = None) -> "a.ObjectHistory":
        """A buffer, an image or USM by its id in ``object_list``, and its events."""
        return self._ask(f"objects/{id}", offset=offset, limit=limit)

    def transfers(
        self,
        *,
        object: Optional[int] = None,
        start: Optional[int] = None,
        end: Optional[int] = None,
        iterations: Optional[Iterations] = None,
        region: Optional[str] = None,
        need: Optional[str] = None,
        source: Optional[str] = None,
        target: Optional[str] = None,
        text: Optional[str] = None,
        sort: Optional[str] = None,
        offset: Optional[int] = None,
        limit: Optional[int] = None,
        mark: Optional[bool] = None,
        number: Optional[int] = None,
        allocation: Optional[int] = None,
        node: Optional[int] = None,
        slice: Optional[int] = None,
        name: Optional[str] = None,
        queue: Optional[int] = None,
        path: Optional[str] = None,
        line: Optional[int] = None,
    ) -> "a.TransferList":
        """A page of the copies, with their reasons and whether they were needed.

        ``need``: ``unchanged``, ``never_read``, ``needed`` or ``unknown``. For those related to one entity, see
        ``object_list``.
        """
        related = _related(number, allocation, node, slice, name, queue, path, line)
        return self._ask(
            "transfers", object=object, need=need, source=source, target=target, text=text, sort=sort, offset=offset,
            limit=limit, mark=mark or None, **_time(start, end, iterations, region), **related,
        )  # fmt: skip

    def leaks(self, *, process: Optional[int] = None, limit: Optional[int] = None) -> "a.Leaks":
        """Memory that is never released, that grows, or that is misused."""
        return self._ask("leaks", process=process, limit=limit)

    def sql_rows(self, query: Optional[str] = None, *, limit: Optional[int] = None) -> "a.SqlRows":
        """Rows that an SQL statement (SQLite's dialect) selects from the tables (docs/SQL.md), computed by the program
        without DuckDB; without a statement, the tables with their columns. ``t.sql`` uses DuckDB."""
        return self._ask("sql", query=query, limit=limit)

    def activity(self) -> "List[a.ActivityCounter]":
        """Counters derived from the commands: kernels in flight, queue depth, GB/s of copies."""
        return self._ask("activity")

    def kernel_lanes(self) -> List[int]:
        """The lanes in the tiles of each kernel."""
        return self._ask("kernel_lanes")

    def tile(
        self, view: str, track: int, level: int, index: int, *, where: Optional[str] = None
    ) -> "Union[a.TimelineTile, a.CounterTile, a.DensityTile]":
        """Data of a track for drawing at a resolution of 2^level ns.

        ``view``: ``timeline``, ``counter``, ``density``, ``kernel``, ``object`` or ``activity``.
        """
        return self._ask(f"tiles/{view}/{track}/{level}/{index}", where=where)

    def memory_tile(
        self, track: int, level: int, index: int, address_level: int, address_index: int
    ) -> "a.MemoryTile":
        """Allocations as rectangles of address and time (the query ``memory/…``)."""
        return self._ask(f"memory/{track}/{level}/{index}/{address_level}/{address_index}")


def _query(parameters: Any) -> str:
    """Returns parameters in the form of URLs, without those that are None."""
    pairs = [f"{name}={quote(_text(value), safe='')}" for name, value in parameters.items() if value is not None]
    return "?" + "&".join(pairs) if pairs else ""


def _renamed(message: str, question: str) -> str:
    """Translates the parameter names of a message to Python."""
    names = {"from": "offset"} if question == "graph_members" else {"from": "start", "to": "end"}
    message = re.sub(r"^`from` \((\d+)\) is after `to`", r"`start` (\1) is after `end`", message)
    return re.sub(r"^invalid `(\w+)`", lambda found: f"invalid `{names.get(found[1], found[1])}`", message)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        return str(value)
    return ".".join(str(part) for part in value)


def _one(flag: Optional[bool]) -> Optional[int]:
    return 1 if flag else None


def _time(
    start: Optional[int], end: Optional[int], iterations: Optional[Iterations], region: Optional[str]
) -> Any:
    return {"from": start, "to": end, "iterations": iterations, "region": region}


def _selection(
    start: Optional[int],
    end: Optional[int],
    iterations: Optional[Iterations],
    region: Optional[str],
    tracks: Optional[Numbers],
    objects: Optional[Numbers],
    where: Optional[str],
) -> Any:
    return {**_time(start, end, iterations, region), "tracks": tracks, "objects": objects, "where": where}


def _memory(process: Optional[int], kinds: Optional[Words], device: Optional[str]) -> Any:
    return {"process": process, "kinds": kinds, "device": device}


def _related(
    number: Optional[int],
    allocation: Optional[int],
    node: Optional[int],
    slice: Optional[int],
    name: Optional[str],
    queue: Optional[int],
    path: Optional[str],
    line: Optional[int],
) -> Any:
    related = {"number": number, "allocation": allocation, "node": node, "slice": slice}
    return {**related, "name": name, "queue": queue, "path": path, "line": line}


def _step_of(slice: Optional[int], node: Optional[int]) -> str:
    if (slice is None) == (node is None):
        raise ValueError("pass either slice or node")
    return f"slices/{slice}" if node is None else f"nodes/{node}"
