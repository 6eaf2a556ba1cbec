"""Every question of docs/QUERIES.md as a method."""

import re
from typing import TYPE_CHECKING, Any, List, Optional, Sequence, Union
from urllib.parse import quote

from .errors import ProgramFailed

if TYPE_CHECKING:
    from . import answers as a

#: Nanoseconds since the trace's start; where it says so, also text with a unit (``"1.5s"``).
Time = Union[int, str]
#: The number of an iteration, or the first and the last (``"5-120"``).
Iterations = Union[int, str]
#: Several numbers, or one.
Numbers = Union[int, Sequence[int]]
#: Several words, or one.
Words = Union[str, Sequence[str]]


class Questions:
    """What can be asked of a trace. A parameter that is None is left out, and the program's own default holds.

    ``start`` and ``end`` are the questions' ``from`` and ``to``, which Python keeps for itself. In their place ``iterations``
    (one number, or ``"5-120"``) chooses the time of these iterations of the main loop, and ``region`` that from the first region
    of a name to the end of the last (``"NAME#3"``: of the third). Both together are iterations of these regions. A *selection* is
    such a range, ``tracks`` (with those below them), ``objects`` and the filter ``where``.
    """

    def ask(self, question: str) -> Any:
        """The answer to a question in its own words."""
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
        """What a person wants to know first: where the time went, commands, copies, waits, memory, findings; of the run or of a
        range. Total times (ns) are those in the range, means and percentiles of whole executions."""
        return self._ask("report", **_time(start, end, iterations, region))

    def contents(self) -> "a.Contents":
        """What the trace says of people, machines and code, by kind, with counts and examples."""
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
        """The chain of commands, submissions, calls and waits that decided how long the run took, or the part of it in a range of
        time; its ``limit`` longest steps."""
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
        """Rounds of the main loop, or of the loop that a ``region`` or a ``command`` marks: warm-up, durations, the slowest one,
        and the critical path in steady ones, or in those of a range. Times in ns."""
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
        """What is probably wrong with the program or slower than it must be, the most important first (docs/FINDINGS.md); of the run or
        of a range."""
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
        """Builds of device code, all or those with some of their time in a range: input, kernels, thread, line, and the reason for
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
        """Energy in joules by kernel and command, for each counter of a device's power: an estimate by time share. Idle time and what
        can't be attributed are apart. ``limit`` is for the commands of each counter."""
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
        """How long the run could have taken, had ``kernel`` been so many times ``faster``, copies free (``copies=False``), or device
        code built already (``builds=False``), in all of the run or in a range only. ``schedule=True`` adds the recorded and the
        predicted times of commands on the busiest queues, of the time from ``schedule_from`` to ``schedule_to`` in ``columns``
        of equal length.
        ``is_refused`` where the replay of the unchanged run is more than 5 % off."""
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
        """Idle stretches of all devices, or of the device, queue or thread of a ``track``, longest first, each explained, and idle time
        by cause. Times in ns; ``at`` gives the stretch around a moment."""
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
        """Pairs of commands that could have run side by side and did not, all or those of which the second started in a range, with
        the reason and the time to gain."""
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
        """The executions of a kernel in a selection: by duration, over time, by queue and by size of launch."""
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
        """The slices of a selection, summed up: all, by category, and ``groups`` of one name, category and kind.

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
        """The slices of a selection one by one (the question ``slices``), a part of the list.

        ``sort``: ``start``, ``-start``, ``duration`` or ``-duration``; ``args``: with what they were called with.
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
        """How many slices of a selection each track has, the first and the last, and which of them ``slice`` is."""
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
        """The next slice of a selection from a moment or a slice on, or with ``back`` the one before."""
        selection = _selection(start, end, iterations, region, tracks, objects, where)
        return self._ask("step", at=at, slice=slice, back=back or None, **selection)

    def find(self, text: str, limit: Optional[int] = None) -> "a.Matches":
        """Names of slices, objects (``buffer 3``) and lines (``heat.cpp:12``) that fit a text, best first."""
        return self._ask("find", text=text, limit=limit)

    def slice(self, slice: int) -> "a.SliceDetail":
        """Everything known of one slice."""
        return self._ask(f"slices/{slice}")

    def overlaps(
        self,
        slice: int,
        *,
        tracks: Optional[Numbers] = None,
        where: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> "a.Overlaps":
        """Slices of other tracks that run while a slice does, most time in common first."""
        return self._ask(f"slices/{slice}/overlaps", tracks=tracks, where=where, limit=limit)

    def alike(self, slice: int, same_track: Optional[bool] = None) -> "a.Alike":
        """How many slices have the name, category and kind of one, the one before and the next."""
        return self._ask(f"slices/{slice}/alike", same_track=same_track or None)

    def waited_for(
        self,
        slice: Optional[int] = None,
        *,
        node: Optional[int] = None,
        hops: Optional[int] = None,
        limit: Optional[int] = None,
    ) -> "a.Waits":
        """What a slice, or a command by its number (``node``), waited for; ``hops=0`` goes all the way."""
        return self._ask(f"{_step_of(slice, node)}/waited_for", hops=hops, limit=limit)

    def waited_by(
        self,
        slice: Optional[int] = None,
        *,
        node: Optional[int] = None,
        hops: Optional[int] = None,
        limit: Optional[int] = None,
    ) -> "a.Waits":
        """What waited for a slice, or for a command by its number (``node``)."""
        return self._ask(f"{_step_of(slice, node)}/waited_by", hops=hops, limit=limit)

    def chain(
        self, slice: Optional[int] = None, *, node: Optional[int] = None, limit: Optional[int] = None
    ) -> "a.Waits":
        """From a slice or command back to the start, always to what decided when it could begin."""
        return self._ask(f"{_step_of(slice, node)}/chain", limit=limit)

    def life(self, slice: int) -> "a.Life":
        """What the command of a slice went through, each phase beside the median of its name."""
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
        """What the command of a slice waited for and what waited for it; ``way``: ``before`` or ``after``."""
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
        """A drawing of the task graph or of a part of it; ``level``: ``source``, ``kernels``, ``iterations`` or ``full``."""
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
        """The members of a folded node of the drawing, in pages; ``offset`` is the question's ``from``."""
        place = {"from": offset}
        return self._ask("graph_members", level=level, group=group, component=component, count=count, **place)

    def components(self) -> "a.GraphComponents":
        """What of the task graph hangs together, largest first."""
        return self._ask("components")

    def files(self) -> "List[a.FileCost]":
        """Source files by what they caused, most device time first."""
        return self._ask("files")

    def lines(self, path: Optional[str] = None, *, source: Optional[int] = None) -> "a.FileLines":
        """What each line of a file caused; the file by its path, or by its number in ``info["sources"]``."""
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
        """Calls of the runtime and of the native API by name (the question ``calls``), most time first: all, or those with some of
        their time in a range."""
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
        """A flame graph of a selection. ``weight="calls"``: calls by caller. ``weight="device"``, ``weight="waits"``: device time of
        commands, or time of waits, by recorded call stack. ``weight="samples"``: time of host threads by their samples.
        ``weight="idle"``: idle time of devices by the stack of what the next command waited for.
        ``weight="allocated"``, ``weight="peak"``: bytes that were allocated, or live at the peak, by recorded call stack (``total_bytes``).
        ``by``: ``all``, ``process`` or ``thread`` (``device`` has no threads)."""
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
        """What leads to the calls of a name, and what they lead to."""
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
        """Memory in use over time by kind and device, its peak, and what was live then by source location."""
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
        """What is live at a moment, by address and by place; with ``end`` what differs then. Addresses are ``"0x…"``."""
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
        """Allocations one by one (the question ``allocations``), a part of the list.

        ``sort``: ``at``, ``size``, ``lifetime`` or ``pointer``, with ``-`` in front the other way round.
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
        """Buffers, images and USM with their use (the question ``objects``), a part of the list.

        ``number``, ``allocation``, ``node``, ``slice``, ``name``, ``queue``, or ``path`` and ``line``: only those that are
        related to that one thing, or with ``mark`` all, and where these are in the list.
        """
        related = _related(number, allocation, node, slice, name, queue, path, line)
        return self._ask(
            "objects", process=process, what=what, problems=problems, text=text, sort=sort, offset=offset, limit=limit,
            mark=mark or None, **_time(start, end, iterations, region), **related,
        )  # fmt: skip

    def object(self, id: int, *, offset: Optional[int] = None, limit: Optional[int] = None) -> "a.ObjectHistory":
        """A buffer, an image or USM by its id in ``object_list``, with what happened to it."""
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
        """Copies one by one, why they were made and whether they were needed, a part of the list.

        ``need``: ``unchanged``, ``never_read``, ``needed`` or ``unknown``. What is related to one thing: as in ``object_list``.
        """
        related = _related(number, allocation, node, slice, name, queue, path, line)
        return self._ask(
            "transfers", object=object, need=need, source=source, target=target, text=text, sort=sort, offset=offset,
            limit=limit, mark=mark or None, **_time(start, end, iterations, region), **related,
        )  # fmt: skip

    def leaks(self, *, process: Optional[int] = None, limit: Optional[int] = None) -> "a.Leaks":
        """Memory that is never given back, that grows, and that is used wrongly."""
        return self._ask("leaks", process=process, limit=limit)

    def sql_rows(self, query: Optional[str] = None, *, limit: Optional[int] = None) -> "a.SqlRows":
        """Rows that one statement of SQLite's SQL selects from the tables (docs/SQL.md), by the program and without DuckDB; without
        a statement the tables with their columns. ``t.sql`` asks DuckDB."""
        return self._ask("sql", query=query, limit=limit)

    def activity(self) -> "List[a.ActivityCounter]":
        """Counters that follow from the commands: kernels in flight, depth of queues, GB/s of copies."""
        return self._ask("activity")

    def kernel_lanes(self) -> List[int]:
        """The lanes of each kernel's tiles."""
        return self._ask("kernel_lanes")

    def tile(
        self, view: str, track: int, level: int, index: int, *, where: Optional[str] = None
    ) -> "Union[a.TimelineTile, a.CounterTile, a.DensityTile]":
        """What a view draws of a track at a resolution of 2^level ns.

        ``view``: ``timeline``, ``counter``, ``density``, ``kernel``, ``object`` or ``activity``.
        """
        return self._ask(f"tiles/{view}/{track}/{level}/{index}", where=where)

    def memory_tile(
        self, track: int, level: int, index: int, address_level: int, address_index: int
    ) -> "a.MemoryTile":
        """Allocations as rectangles of address and time (the question ``memory/…``)."""
        return self._ask(f"memory/{track}/{level}/{index}/{address_level}/{address_index}")


def _query(parameters: Any) -> str:
    """Parameters as they stand in an address; without those that are None."""
    pairs = [f"{name}={quote(_text(value), safe='')}" for name, value in parameters.items() if value is not None]
    return "?" + "&".join(pairs) if pairs else ""


def _renamed(message: str, question: str) -> str:
    """A message about a parameter, with its name in Python."""
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
        raise ValueError("name either a slice or a node")
    return f"slices/{slice}" if node is None else f"nodes/{node}"
