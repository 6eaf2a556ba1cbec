"""What questions answer with, as types: JSON objects, which are dictionaries here. Times in ns, sizes in bytes.

Made by python/tools/answers.py of what the program itself answers with; do not change it by hand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple, TypedDict, Union

if TYPE_CHECKING:
    from typing_extensions import NotRequired


class Arg(TypedDict):
    """An argument's value."""

    type: str
    """`str`, `int`, `uint`, `float`, `bool` or `pointer`."""

    value: Union[str, int, float, bool]
    """The value; a pointer is text (`0x…`)."""


class AccessorCount(TypedDict):
    """How often an object was accessed in one way."""

    target: str
    """Where from: `device`, `host_buffer`, `host_task`, …"""

    mode: str
    """How: `read`, `write`, `read_write`, …"""

    count: int
    """How often."""


class AccessorDetail(TypedDict):
    """An accessor."""

    object: int
    """Number of the object that it accesses."""

    at_ns: int
    """When it was made."""

    target: str
    """Where it accesses from (`device`, `host_task`, …)."""

    mode: str
    """How (`read`, `read_write`, …)."""

    address: str
    """Address by which the runtime knows it, as `0x…`."""

    location: Optional[LocationInfo]
    """Source code that made it."""

    args: List[Tuple[str, Arg]]
    """More of what the runtime says."""


class ActivityCounter(TypedDict):
    """A counter that follows from a trace's commands. Its samples are tiles of
    `TileView.Activity`, by its place in the answer.
    """

    kind: str
    """What it counts."""

    track: int
    """The track that it belongs to: a queue's, else a device's."""

    name: str
    """What it counts, in words."""

    unit: str
    """Unit of its values; empty for plain numbers."""

    max: float
    """Highest value; the lowest is 0."""


class Alike(TypedDict):
    """The slices of a slice's name, category and kind, in the order of start and number."""

    total: int
    """How many there are, itself included."""

    position: int
    """How many of them come before it."""

    previous: Optional[SliceItem]
    """The one before."""

    next: Optional[SliceItem]
    """The next one."""


class AllocationItem(TypedDict):
    """An allocation."""

    allocation: int
    """Its row, as in `MemoryTile`."""

    process: int
    """Its process, an index into `TraceInfo.processes`."""

    kind: str
    """Kind of memory."""

    device: str
    """Name of the device that owns it, empty if it belongs to none or it is not known."""

    pointer: int
    """Its address; for buffers and images the handle of their memory."""

    size_bytes: int
    """Size."""

    guard_bytes: int
    """Size of the guard zone around it."""

    tid: int
    """Thread that made it."""

    at_ns: int
    """When it was made."""

    released_ns: Optional[int]
    """When it was released, if it was."""

    location: Optional[LocationInfo]
    """Source code that allocated it, or that made the buffer or image whose memory it is."""

    object: int
    """Its id in `objects`; that of the buffer or image whose memory it is."""


class AllocationList(TypedDict):
    """A part of a list of allocations."""

    total: Amount
    """All that were asked for."""

    offset: int
    """Allocations before these, in the order asked for."""

    allocations: List[AllocationItem]
    """These."""


class Amount(TypedDict):
    """How many, and their bytes together."""

    count: int
    """How many."""

    bytes: int
    """Bytes of all of them."""


class CallGroup(TypedDict):
    """The calls of a thread, of a process or of all."""

    name: str
    """Name of the thread or process; empty for all together."""

    track: Optional[int]
    """The thread's track."""

    process: Optional[int]
    """The process, an index into `super.TraceInfo.processes`."""

    total_ns: int
    """Time of its outermost slices."""

    threads: int
    """How many threads that is summed over."""

    nodes: List[CallNode]
    """Its nodes, parents before children and most time first among those of one parent."""


class CallNode(TypedDict):
    """Slices of one name and category that were reached in the same way."""

    parent: Optional[int]
    """Position of the node above in `CallGroup.nodes`; `None` at the top."""

    name: int
    """Index into `CallTree.names`."""

    category: str
    """Coarse class."""

    count: int
    """Slices."""

    errors: int
    """Calls that returned something other than success."""

    total_ns: int
    """Their time."""

    self_ns: int
    """Their time without that of slices within them."""

    max_ns: int
    """The longest of them."""


class CallSummary(TypedDict):
    """Calls of one name, summed."""

    name: str
    """Name of the function."""

    category: str
    """`Category.Call` for the Unified Runtime and its forerunner, `Category.Native` for what lies below."""

    count: int
    """Calls, those included that had not returned when the recording ended."""

    errors: int
    """Calls that returned something other than success. Not all of these are failures: a runtime asks for what it can
    do without.
    """

    unfinished: int
    """Calls that had not returned when the recording ended; their time counts up to there."""

    total_ns: int
    """Sum of the times that they took."""

    min_ns: int
    """Shortest."""

    p95_ns: int
    """Time that 95 of 100 of them don't exceed (nearest rank)."""

    max_ns: int
    """Longest."""


class CallTree(TypedDict):
    """Which slices a tree of calls holds, and how much of it an answer shows.

    A node stands for all slices of one name and category that were reached by the same names from the top.
    """

    groups: List[CallGroup]
    """Its threads, or processes, or everything together: each with a tree of its own, most time first."""

    names: List[str]
    """Names of the nodes."""

    left_out: int
    """Nodes that were left out because they took least time, with all below them."""


class CategoryStats(TypedDict):
    """Slices of one category."""

    category: str
    """Their category."""

    stats: SliceStats
    """Their numbers."""


class ClockInfo(TypedDict):
    """How a device's clock was mapped to the host's."""

    mappings: int
    """Mappings that were made."""

    pairs: int
    """Pairs of readings that the last one rests on; 0 if the device's clock was taken for the host's."""

    offset_ns: int
    """Host time minus device time at the last pair."""

    drift_ppb: int
    """How much faster than the device's the host's clock runs, in parts per billion."""

    residual_ns: int
    """Largest distance of a pair from its mapping, over all mappings: how far off device times may be."""


class CommandReport(TypedDict):
    """Executions of one name and kind."""

    name: str
    """Kernel or command name."""

    kind: str
    """Kernel, copy, fill, …"""

    count: int
    """Executions."""

    total_ns: int
    """Device time of all."""

    min_ns: int
    """Shortest device time."""

    mean_ns: int
    """Mean device time."""

    p50_ns: int
    """Device time that half of them don't exceed."""

    p95_ns: int
    """Device time that 95 of 100 don't exceed."""

    max_ns: int
    """Longest device time."""

    mean_queueing_delay_ns: Optional[int]
    """Mean queueing delay: from the end of the submission to the start on the device; `None` if no submission was
    recorded. Starts before the submission's end count as no delay.
    """


class Concurrency(TypedDict):
    """How much ran on the devices at once."""

    max_kernels: int
    """Most kernels at one time."""

    mean_kernels: float
    """Kernels at one time on average, over the time in which at least one ran; 0 without kernels."""

    kernel_ns: int
    """Time in which at least one kernel ran."""

    copy_overlap_ns: int
    """Time in which copies and kernels ran at the same time."""


class Contents(TypedDict):
    """Every kind of private thing that a trace has."""

    kinds: List[KindContents]
    """The kinds of which there is something, in the order of `ContentKind.ALL`."""


CopyReport = TypedDict(
    "CopyReport",
    {
        "from": "str",
        "to": "str",
        "count": "int",
        "bytes": "int",
        "total_ns": "int",
        "bytes_per_ns": "float",
    },
)
"""Copies of one direction."""


class CounterInfo(TypedDict):
    """A counter track's range."""

    min: float
    """Lowest value."""

    max: float
    """Highest value."""

    unit: str
    """Unit (`bytes`), empty if not known."""


class CounterTile(TypedDict):
    """Samples of a counter at a resolution: one entry for each bucket that holds a sample, ordered, columns of
    equal length. A counter keeps its value until the next sample.
    """

    before: float
    """The value when the tile's span begins (0 before the first sample)."""

    at_ns: List[int]
    """Time of the first sample in the bucket."""

    min: List[float]
    """Lowest sample in the bucket."""

    max: List[float]
    """Highest sample in the bucket."""

    last: List[float]
    """Last sample in the bucket."""

    mean: List[float]
    """Mean over the bucket: each value weighs as long as it holds there, from the counter's first sample on."""


class Counts(TypedDict):
    """How much a trace holds."""

    slices: int
    """Slices of every track."""

    nodes: int
    """Nodes of the task graph, the runtime's place-holders among them."""

    commands: int
    """Commands: nodes but for the runtime's place-holders, and executions of other tools' files, which have no nodes."""

    launches: int
    """Those of them that launch a kernel."""

    edges: int
    """Edges of the task graph."""

    executions: int
    """Executions with device times."""

    allocations: int
    """Allocations."""

    unreleased: int
    """Allocations that were never released."""

    flows: int
    """Flows: arrows between slices that are no dependences."""

    calls: int
    """Calls of the Unified Runtime."""

    native_calls: int
    """Calls of the native API below it."""

    objects: int
    """Buffers and images."""

    accessors: int
    """Accessors."""

    partitions: int
    """Partitions of command graphs."""

    graph_commands: int
    """Commands appended to them."""

    graph_runs: int
    """Runs of them."""

    native_handles: int
    """Native handles that entered SYCL or left it."""

    dropped: int
    """Events lost while recording."""


class Covered(TypedDict):
    """Time in which something of a kind went on: what overlaps counts once, unlike in the sums of `CommandReport`,
    `CopyReport` and `WaitReport`. Of a part of a run, the slices count as a whole.
    """

    device_ns: int
    """A device ran something."""

    copy_ns: int
    """A device copied."""

    wait_ns: int
    """A thread of the host waited."""


class CriticalPath(TypedDict):
    """The critical path: recorded times that follow one another from the run's start to its end."""

    length_ns: int
    """Length of the path: that of the run."""

    unlimited_ns: int
    """Length of the longest chain of dependences alone: with unlimited devices and a host without delay the run
    could not have been shorter.
    """

    device_ns: int
    """Device time on the path."""

    launch_ns: int
    """Commands that could start had not started: the way through runtime and driver, or other work of the device."""

    submission_ns: int
    """Submissions on the path."""

    call_ns: int
    """Calls of the runtime on the path, outside of submissions."""

    wait_ns: int
    """Waits on the path, as far as what they waited for does not explain them."""

    host_ns: int
    """Time of the host on the path of which the recording says nothing."""

    steps: List[CriticalStep]
    """The path, first to last."""

    more_steps: int
    """Steps beyond those listed: a long chain's shortest ones."""


class CriticalStep(TypedDict):
    """A link of the critical path."""

    kind: str
    """What it is."""

    name: str
    """Kernel or command name, name of the call or of the wait; of unknown time of the host, the name of its thread, or
    of the host task that ran in it.
    """

    start_ns: Optional[int]
    """When it began, in nanoseconds; of several calls, the longest one. Steps of `waits` have none."""

    duration_ns: int
    """Time of the path: device time of a command, the part of a wait that what it waited for does not explain, the
    time of the thread for all else.
    """

    node: Optional[int]
    """Number of the node, for a command, its submission, or a host task."""

    at: Optional[SliceRef]
    """Where to look: execution, else submission; the wait; the longest of the calls."""

    location: Optional[LocationInfo]
    """Source code."""

    count: int
    """How many calls it stands for: those of one name between two waits are one step."""

    after: str
    """Unknown time of the host: the call before it, or empty."""

    until: str
    """Unknown time of the host: what the thread did next, or empty."""


class DensityTile(TypedDict):
    """How busy a track is at a resolution: one entry for each bucket in which something is, ordered, columns of equal
    length. Lanes of a queue count each; of other tracks the outermost lane only, which holds all the others.
    """

    bucket: List[int]
    """Position of the bucket in the tile."""

    busy_ns: List[int]
    """Time of the bucket that slices take; more than its width where lanes of a queue overlap."""

    count: List[int]
    """Slices that start in the bucket."""

    category: List[str]
    """Category of the longest slice that overlaps the bucket; the first of equal ones."""

    matching: NotRequired[List[int]]
    """Of how many slices that a filter means the bucket holds a part; empty where none was asked for."""


Dependence = TypedDict(
    "Dependence",
    {
        "before": "bool",
        "hop": "int",
        "from": "SliceRef",
        "to": "SliceRef",
        "from_name": "str",
        "to_name": "str",
        "reason": "str",
        "access_mode": "str",
    },
)
"""A dependence between two commands that can be shown."""


class Dependences(TypedDict):
    """The dependences around a command, nearest first."""

    edges: List[Dependence]
    """Those asked for."""

    more: int
    """Those beyond that number."""


class DeviceInfo(TypedDict):
    """A device of the run."""

    device: int
    """Its number in the recording."""

    process: int
    """Its process, an index into `super.TraceInfo.processes`."""

    name: str
    """Name."""

    device_type: str
    """Type as the runtime says it (`CPU`, `GPU`, …)."""

    platform: str
    """Name of its platform, empty if not known."""

    driver: str
    """Version of its driver, empty if not known."""

    handle: str
    """Handle of the Unified Runtime as `0x…`."""

    args: List[Tuple[str, Arg]]
    """More properties, by the names of `sycl.info.device`."""

    clock: Optional[ClockInfo]
    """How its clock was mapped to the host's; `None` if the recording doesn't say."""


class DiagnosticInfo(TypedDict):
    """A kind of problem with its count."""

    severity: str
    """How bad."""

    kind: str
    """Stable name (`truncated_file`, `unknown_packet`, `dropped_full_buffer`, …)."""

    message: str
    """One sentence for people: what it means and the remedy."""

    count: int
    """How often."""

    first_offset: Optional[int]
    """Byte offset in the file where it was first found, if it was found there."""


class DurationBins(TypedDict):
    """How many executions have which duration: bin `i` holds durations from `edges_ns[i]` to below `edges_ns[i + 1]`.

    Where the longest is four times the shortest or more, each power of two is divided into the same number of bins;
    else all bins have the same width. Begins and ends with a bin that holds something.
    """

    is_logarithmic: bool
    """Whether bins are wider the longer their durations are."""

    edges_ns: List[int]
    """Bounds of the bins, one more than bins; none without executions."""

    counts: List[int]
    """Executions of each bin."""

    first: List[int]
    """Those of them that are the first on their queue."""


class EdgeDetail(TypedDict):
    """A dependence seen from one of its ends."""

    node: int
    """The other node."""

    kind: str
    """Its kind."""

    name: str
    """Its name."""

    reason: str
    """Why."""

    access_mode: str
    """Access mode, empty if not by an accessor."""

    memory_object: str
    """Memory object as `0x…`, empty if none."""

    object: Optional[int]
    """Number of that object in the recording, if it is known."""

    at: Optional[SliceRef]
    """Where to jump: the other node's execution, else its submission."""


class ExecutionDetail(TypedDict):
    """The run of a command on its device."""

    at: SliceRef
    """Its slice."""

    queued_ns: Optional[int]
    """When it was put on the queue."""

    submitted_ns: Optional[int]
    """When it was handed to the device."""

    queueing_delay_ns: Optional[int]
    """Execution start − submission end; negative when the device was faster than the host's call. `None`
    without a recorded submission.
    """


class ExecutionPoints(TypedDict):
    """Executions over time, a value of each list for each point.

    A point is an execution, or several with near starts and durations of one bin where there are more than fit.
    """

    slice: List[int]
    """Slice of the longest of them."""

    start_ns: List[int]
    """When that one started."""

    duration_ns: List[int]
    """How long that one took."""

    count: List[int]
    """How many they are."""


class ExecutionStats(TypedDict):
    """Numbers of some executions. A percentile is the shortest duration that so many of 100 don't exceed (nearest rank)."""

    count: int
    """Executions."""

    total_ns: int
    """Their durations together."""

    min_ns: int
    """Shortest duration."""

    p50_ns: int
    """Duration that half of them don't exceed."""

    p95_ns: int
    """Duration that 95 of 100 don't exceed."""

    max_ns: int
    """Longest duration."""

    submission_p50_ns: Optional[int]
    """How long half of their submissions took on the host at most; `None` if no submission is known."""


class FactInfo(TypedDict):
    """A fact of a process."""

    process: int
    """Its process, an index into `super.TraceInfo.processes`."""

    kind: str
    """What it is about."""

    name: str
    """Name of the variable, component or setting."""

    value: str
    """Its value."""


class FileCost(TypedDict):
    """What a file caused."""

    path: str
    """Its path as source locations have it."""

    source: Optional[int]
    """The recorded file, an index into `super.TraceInfo.sources`; the last version where there are several.
    `None` if the recording doesn't mention the file.
    """

    state: Optional[str]
    """Whether its text was recorded, if the recording mentions the file."""

    submissions: int
    """Commands that it submitted."""

    device_ns: int
    """Time in which at least one of these commands ran on a device: what overlaps counts once."""

    moved_bytes: int
    """Bytes of its copies."""

    allocations: int
    """Allocations that it made."""

    allocated_bytes: int
    """Bytes of these allocations."""

    waits: int
    """Waits of the host at this place. The end of a buffer has none of its own: it waits at the place that made the buffer."""

    wait_ns: int
    """Time in which at least one thread was in such a wait: what overlaps counts once."""

    slices: int
    """Slices of this place, or of commands that it submitted: what a selection's filter `file` and `line` finds."""


class FileLines(TypedDict):
    """What the lines of a file caused."""

    file: FileCost
    """The file."""

    lines: List[Line]
    """Its lines that caused something, by number."""


class Finding(TypedDict):
    """Something that is probably wrong with the program itself or slower than it must be, with what tells so.
    `docs/FINDINGS.md` says what each kind means.
    """

    kind: str
    """Stable name (`kept_handle_never_released`, `wait_after_kernel`, …)."""

    severity: str
    """How bad."""

    message: str
    """In plain words: what is wrong and the remedy."""

    evidence: List[str]
    """What the recording holds that tells so."""

    process: int
    """Its process, an index into `super.TraceInfo.processes`."""

    at_ns: int
    """When; the first time of several."""

    until_ns: int
    """When the last of it was over, if that is known; else `at_ns`."""

    location: Optional[LocationInfo]
    """Source code where it began."""

    at: Optional[SliceRef]
    """What to jump to: the call or the first of the slices that tell so."""

    count: int
    """How often it happened; 0 where that means nothing."""

    gain: Optional[Gain]
    """What would be gained without it, at most; `None` where nothing is known of that."""

    slices: List[SliceRef]
    """Slices that tell so: the first of them, not more than 20."""

    nodes: List[int]
    """Numbers of commands that tell so: the first of them, not more than 20."""

    filter: str
    """A filter (`docs/QUERIES.md`) that finds what tells so in a view, or something near it; empty if there is none."""


class FlowDetail(TypedDict):
    """A flow seen from one of its ends."""

    name: str
    """Its name, empty if it has none."""

    slice: str
    """Name of the other slice."""

    at: SliceRef
    """Where to jump: the other slice."""


class Found(TypedDict):
    """Where a search found something."""

    total: int
    """Slices found."""

    tracks: List[TrackMatches]
    """Tracks with slices found, in the order of tracks."""

    first: Optional[SliceItem]
    """The first one by start."""

    last: Optional[SliceItem]
    """The last one by start."""

    place: Optional[int]
    """Which of them the slice is that was asked for, counted from 1 in the order of start and number; `None` where it
    is none of them.
    """


class FreeMemory(TypedDict):
    """Free memory of a device, as the program was told. Columns of equal length: one entry for each bucket that holds a
    sample.
    """

    track: int
    """The counter's track."""

    process: int
    """Its process."""

    device: str
    """Name of the device."""

    before_bytes: Optional[int]
    """The value when the range begins; `None` before the first sample."""

    at_ns: List[int]
    """Time of the first sample in the bucket."""

    min_bytes: List[int]
    """Lowest sample in the bucket."""

    last_bytes: List[int]
    """Last sample in the bucket."""


class Gain(TypedDict):
    """An estimate of what a remedy brings, at most. Each moment counts with one finding, so that the gains of a process's
    findings add up to what is there: idle and busy time of its devices.
    """

    ns: int
    """Time that counts with this finding."""

    bytes: int
    """Bytes that would not be moved; 0 if it is not about bytes."""

    how: str
    """How it was estimated."""

    shared_ns: int
    """Time that this finding concerns, too, but that counts with another one."""

    shared_with: List[str]
    """Kinds of the findings that it counts with."""


class GraphChangeDetail(TypedDict):
    """A change of a partition."""

    at_ns: int
    """When."""

    change: str
    """What happened."""

    args: List[Tuple[str, Arg]]
    """More of what the call says."""


class GraphCommandDetail(TypedDict):
    """A node's place in a command graph."""

    partition: PartitionDetail
    """The partition that it was appended to."""

    position: int
    """Its place in the partition, from 0."""

    sync_point: Optional[int]
    """Its sync point, if it has one."""

    runs: List[NodeRef]
    """Runs of the partition, the first `MOST_LISTED`."""


class GraphComponent(TypedDict):
    """What depends on each other, directly or not."""

    node: int
    """Number of its first node, by which questions name it."""

    nodes: int
    """Nodes."""

    edges: int
    """Edges."""

    begin_ns: int
    """Start of the first execution, or when the first node was made where none ran."""

    end_ns: int
    """End of the last execution."""

    total_ns: int
    """Device time."""

    bytes: int
    """Bytes that copies and fills moved."""

    kinds: List[Tuple[str, int]]
    """What its nodes do: kinds with counts, most first."""


class GraphComponents(TypedDict):
    """The connected components of the task graph."""

    count: int
    """How many there are."""

    single: int
    """How many of them are single nodes without an edge."""

    components: List[GraphComponent]
    """The largest ones, most nodes first."""

    left_out: int
    """Components that are not listed."""


class GraphMember(TypedDict):
    """A member of a group."""

    node: int
    """Number in the recording."""

    kind: str
    """What it does."""

    name: str
    """Kernel or command name."""

    at: Optional[SliceRef]
    """Its execution, else its submission."""

    queue: Optional[int]
    """Number of its queue."""

    begin_ns: int
    """When it started on its device; when it was made, if it never ran."""

    duration_ns: int
    """Device time."""

    slack_ns: int
    """How much later it could have been without making the critical path longer."""

    is_critical: bool
    """Whether it is on the critical path."""


GraphMembers = TypedDict(
    "GraphMembers",
    {
        "count": "int",
        "from": "int",
        "members": "List[GraphMember]",
    },
)
"""The members of a group."""


class GraphRunDetail(TypedDict):
    """A run of a command graph's partition."""

    partition: PartitionDetail
    """The partition that ran."""

    run: int
    """Which of its runs, from 0."""

    commands: List[NodeRef]
    """Commands of the partition, the first `MOST_LISTED`."""


class GraphView(TypedDict):
    """A drawing of the task graph or of a part of it."""

    names: List[str]
    """Names that nodes refer to."""

    locations: List[LocationInfo]
    """Places in the source code that nodes refer to."""

    nodes: List[ViewNode]
    """Shown nodes, by the time of their first members."""

    edges: List[ViewEdge]
    """Edges between shown nodes, folded where both ends are."""

    loops: List[ViewLoop]
    """Loops of the iteration graph that shown nodes stand in, outer before inner ones."""

    frames: List[ViewFrame]
    """Partitions of command graphs whose commands are shown, and those without any command."""

    width: int
    """Width of the drawing, in the unit of the nodes' sizes; its left edge is 0."""

    height: int
    """Height of the drawing; its upper edge is 0, y grows downwards."""

    crossings: int
    """How often lines cross."""

    left_out: LeftOut
    """What is not shown."""


class Growth(TypedDict):
    """Memory of one place that grows."""

    process: int
    """Its process."""

    kind: str
    """Kind of memory."""

    device: str
    """Name of the device."""

    location: Optional[LocationInfo]
    """Source code that allocates it."""

    rounds: int
    """Rounds that were looked at. A round is one of the loop around the allocations, where what the thread allocates
    repeats; else each allocation of the place is one.
    """

    is_loop: bool
    """Whether rounds are those of a loop."""

    loop_location: Optional[LocationInfo]
    """Source code of that loop's first allocation."""

    bytes_per_round: float
    """Bytes that each round leaves behind, on average."""

    count_per_round: float
    """Allocations that each round leaves behind, on average."""

    at_ns: List[int]
    """Ends of rounds, at most 64 of them."""

    live: List[Amount]
    """What is live of the place at the end of these rounds."""


class Histogram(TypedDict):
    """How often which durations: `counts[i]` are those of bucket `first + i`. Bucket 0 holds 0 ns, bucket b from 2^(b-1) to
    below 2^b ns. Begins and ends with a bucket that holds something.
    """

    first: int
    """First bucket."""

    counts: List[int]
    """Slices in it and in those that follow."""


class HostTaskEstimate(TypedDict):
    """The time in which the body of a host task ran."""

    from_ns: int
    """It had been submitted, and what it depends on had ended."""

    to_ns: int
    """What depends on it began, or a wait for it returned."""

    track: Optional[int]
    """Track of the runtime's thread that ran it, if it is known."""


class HostTaskReport(TypedDict):
    """Host tasks of one place. Their times are estimates, from what is known of the time around them: each took that long
    at most.
    """

    location: Optional[LocationInfo]
    """Source code that submitted them."""

    count: int
    """Host tasks."""

    estimated: int
    """Those whose time is bounded on both sides."""

    at_most_ns: int
    """Time in which at least one of these ran, at most."""

    longest_ns: int
    """The longest of these, at most."""


class IdleTime(TypedDict):
    """When all devices were idle. Each moment counts once, for the first of these that is true, so that the parts sum up to the time
    in which a run's devices were idle.
    """

    build_ns: int
    """While a program was being built."""

    start_ns: int
    """Before the first command ran; all of the run if none did."""

    end_ns: int
    """After the last command."""

    between_ns: int
    """Between commands."""


class KernelProfile(TypedDict):
    """The executions of one name. Of none, all numbers are 0 and all lists are empty."""

    kind: Optional[str]
    """What they do, as the first of them says; `None` where that is not known."""

    all: ExecutionStats
    """All of them."""

    first: ExecutionStats
    """The first one on each queue."""

    later: ExecutionStats
    """All others."""

    builds: List[SliceRef]
    """Calls that built the programs of the first ones before these were launched, by start: at most as many as are
    listed. A program may hold other kernels, too.
    """

    build_ns: int
    """The time of all such calls; what overlaps counts once."""

    bins: DurationBins
    """How many have which duration."""

    points: ExecutionPoints
    """They over time."""

    queues: List[QueueExecutions]
    """By queue, most time first."""

    more_queues: int
    """Queues beyond those."""

    sizes: List[SizeExecutions]
    """By size of launch, most time first."""

    more_sizes: int
    """Sizes beyond those."""


class KernelSummary(TypedDict):
    """Executions of one name and kind, summed."""

    name: str
    """Kernel or command name."""

    kind: str
    """Kernel, copy, fill, …"""

    count: int
    """Executions."""

    total_ns: int
    """Sum of device time."""

    min_ns: int
    """Shortest."""

    max_ns: int
    """Longest."""


class KindContents(TypedDict):
    """What a trace has of one kind."""

    kind: str
    """The kind."""

    count: int
    """How many different things."""

    examples: List[str]
    """Some of them, long ones cut."""


class LeakPlace(TypedDict):
    """Memory of one place that is live at the end."""

    process: int
    """Its process, an index into `TraceInfo.processes`."""

    kind: str
    """Kind of memory."""

    device: str
    """Name of the device that owns it, empty if it belongs to none or it is not known."""

    location: Optional[LocationInfo]
    """Source code that allocated it, or that made the buffer or image whose memory it is."""

    live: Amount
    """What is live."""

    made: Amount
    """All that the place ever allocated."""

    first_ns: int
    """When the first that is live was made."""

    last_ns: int
    """When the last was."""

    objects: List[int]
    """Ids in `objects` of the first twenty."""


class Leaks(TypedDict):
    """What is wrong with how a program uses memory."""

    complete: bool
    """Whether every process ended in an orderly way. If not, what is live at the end of the recording may have been
    released afterwards.
    """

    at_end: Amount
    """What is live at the end."""

    places: List[LeakPlace]
    """The same by place, most bytes first; the first ones if there are many."""

    more_places: int
    """Places beyond those listed."""

    growth: List[Growth]
    """Places whose live memory grows from round to round, most bytes first."""

    misuse: List[Misuse]
    """Releases that are wrong, and uses after a release, by time; the first ones if there are many."""

    more_misuse: int
    """Misuse beyond what is listed."""


class LeftOut(TypedDict):
    """What a drawing does not show."""

    nodes: int
    """Nodes, folded ones counted once, of all that the question's level, component and neighbourhood name."""

    edges: int
    """Edges that have an end at a node that is not shown."""

    redundant_edges: int
    """Edges that were asked to be hidden because they are redundant."""

    unchecked_edges: int
    """Edges that are shown and may be redundant, but it would have taken too long to know."""

    lines: int
    """Shown edges without a line."""

    notes: List[str]
    """Each of it in words, with what to ask to see it."""


class Life(TypedDict):
    """The life of the command that a slice belongs to."""

    node: int
    """Number of the node."""

    name: str
    """Kernel or command name."""

    phases: List[Phase]
    """What it went through, first to last; phases that the recording can't tell are left out."""

    wait: Optional[SliceRef]
    """The host's wait that ended because of it, if there is one: the first that waited for it, or for its queue."""

    samples: int
    """Commands of the same name and kind that the medians are of. A long run's are every so many, evenly."""

    same: int
    """Commands of the same name and kind."""


class Line(TypedDict):
    """What one line of a file caused."""

    line: int
    """Its number, from 1; 0 for what is known of the file alone."""

    submissions: int
    """Commands that it submitted."""

    device_ns: int
    """Time in which at least one of these commands ran on a device: what overlaps counts once."""

    moved_bytes: int
    """Bytes of its copies."""

    allocations: int
    """Allocations that it made."""

    allocated_bytes: int
    """Bytes of these allocations."""

    waits: int
    """Waits of the host at this place. The end of a buffer has none of its own: it waits at the place that made the buffer."""

    wait_ns: int
    """Time in which at least one thread was in such a wait: what overlaps counts once."""

    slices: int
    """Slices of this place, or of commands that it submitted: what a selection's filter `file` and `line` finds."""


class LocationInfo(TypedDict):
    """A place in the source code."""

    function: str
    """Function."""

    file: str
    """File."""

    line: int
    """Line from 1, 0 if not known."""

    column: int
    """Column from 1, 0 if not known."""


class Match(TypedDict):
    """A thing that fits."""

    kind: str
    """What it is."""

    name: str
    """What it is called; of a line its file."""

    count: int
    """Slices of this name, or at this line."""

    at: Optional[SliceRef]
    """The longest of them, where there are some."""

    id: int
    """Id of an object, number of a line."""


class Matches(TypedDict):
    """What of a trace is called so, or nearly so."""

    matches: List[Match]
    """Those that fit best, best first."""

    more: int
    """How many others fit, too."""


class MemoryAt(TypedDict):
    """The memory that is live at a moment; with a second one, what differs between the two."""

    at_ns: int
    """The moment."""

    to_ns: Optional[int]
    """The second moment, if one was asked for."""

    live: Amount
    """What is live at the (first) moment."""

    spaces: List[MemorySpace]
    """Memory of one process, kind and device each."""

    blocks: List[MemoryBlock]
    """Blocks by space and address: a part of them."""

    offset: int
    """Blocks before these."""

    total: int
    """Blocks in all (after merging)."""

    locations: List[LocationInfo]
    """Places that blocks refer to."""

    places: List[MemoryPlace]
    """What is live at the (first) moment by place, most bytes first; the first ones if there are many."""

    more_places: int
    """Places beyond those listed."""

    change: Optional[MemoryChange]
    """What differs at the second moment."""


class MemoryBlock(TypedDict):
    """A block of memory, or several neighbours that are too small to be seen."""

    allocation: int
    """Row of the allocation, as in `MemoryTile`; the first by address of several."""

    space: int
    """Its space, an index into `MemoryAt.spaces`."""

    pointer: int
    """First address."""

    span_bytes: int
    """Bytes from there to the end of the last of them."""

    count: int
    """Allocations that it stands for."""

    bytes: int
    """Bytes of all of them."""

    at_ns: int
    """When it was made, the first of several."""

    released_ns: Optional[int]
    """When it is released, the last of several; `None` if one of them never is."""

    location: Optional[int]
    """Place in the source code, an index into `MemoryAt.locations`, if it is known and all have the same."""

    object: int
    """Its id in `objects`; that of the buffer or image whose memory it is. That of the first of several."""

    kept_bytes: int
    """With a second moment: bytes that are there at both."""

    allocated_bytes: int
    """With a second moment: bytes that are only there at the second."""

    released_bytes: int
    """With a second moment: bytes that are only there at the first."""


class MemoryChange(TypedDict):
    """What differs from one moment to another."""

    kept: Amount
    """Live at both."""

    allocated: Amount
    """Live at the second only."""

    released: Amount
    """Live at the first only."""

    passed: Amount
    """Made and released between the two."""

    places: List[PlaceChange]
    """The same by place, largest change in bytes first; the first ones if there are many."""

    more_places: int
    """Places beyond those listed."""


class MemoryPeak(TypedDict):
    """The moment with most memory in use, and what is live then."""

    at_ns: int
    """The first such moment of the range."""

    bytes: int
    """Bytes of all series together."""

    count: int
    """Allocations that are live."""

    series_bytes: List[int]
    """Bytes of each of `MemoryUse.series`."""

    places: List[MemoryPlace]
    """What is live by place, most bytes first."""

    more_places: int
    """Places beyond those listed."""


class MemoryPlace(TypedDict):
    """Memory of one kind, of one device, that one place in the source code allocated."""

    process: int
    """Its process, an index into `TraceInfo.processes`."""

    kind: str
    """Kind of memory."""

    device: str
    """Name of the device that owns it, empty if it belongs to none or it is not known."""

    location: Optional[LocationInfo]
    """Source code that allocated it; for the memory of a buffer or image, that made the buffer or image."""

    count: int
    """How many."""

    bytes: int
    """Bytes of all of them."""


class MemoryRegion(TypedDict):
    """A stretch of addresses."""

    pointer: int
    """First address."""

    span_bytes: int
    """Bytes to the end of the last block."""

    live: Amount
    """Blocks in it."""

    gaps: int
    """Gaps between blocks."""

    gap_bytes: int
    """Bytes of all gaps."""

    largest_gap_bytes: int
    """The largest gap."""


class MemoryReport(TypedDict):
    """Memory of one kind."""

    kind: str
    """Kind."""

    peak_bytes: int
    """Most bytes at one time."""

    peak_at_ns: int
    """When that was."""

    count: int
    """Allocations."""

    total_bytes: int
    """Bytes of all of them."""


class MemorySeries(TypedDict):
    """Memory in use of one kind and device."""

    process: int
    """Its process, an index into `TraceInfo.processes`."""

    kind: str
    """Kind of memory."""

    device: str
    """Name of the device that owns it, empty if it belongs to none or it is not known."""

    before_bytes: int
    """Bytes just before the range."""

    max_bytes: List[int]
    """Most bytes in each bucket."""

    last_bytes: List[int]
    """Bytes at the end of each bucket."""

    peak_bytes: int
    """Most bytes in the range."""

    peak_at_ns: int
    """The first moment of the range with so many."""


class MemorySpace(TypedDict):
    """What is live of one process, kind and device. Sizes are those of what was asked for."""

    process: int
    """Its process, an index into `TraceInfo.processes`."""

    kind: str
    """Kind of memory."""

    device: str
    """Name of the device that owns it, empty if it belongs to none or it is not known."""

    has_addresses: bool
    """Whether its blocks lie at their addresses. Those of buffers and images are handles, which say nothing about where
    the memory is: gaps between them mean nothing, so there are no regions.
    """

    live: Amount
    """What is live."""

    lowest: int
    """Lowest address."""

    highest: int
    """Behind the highest address."""

    regions: List[MemoryRegion]
    """Stretches of addresses without a gap of more than 64 MiB between blocks, by address; the first hundred."""

    more_regions: int
    """Regions beyond those listed."""

    gap_bytes: int
    """Bytes of all gaps between blocks within regions."""

    largest_gap_bytes: int
    """The largest gap within a region."""

    largest_gap_at: int
    """Where that begins; 0 without gaps."""

    utilisation: float
    """Bytes of blocks for each byte of the regions, from 0 to 1; 0 without regions. Blocks that overlap count once."""


class MemoryTile(TypedDict):
    """Allocations of one kind of memory as rectangles of address and time: columns of equal length, ordered by moment and
    address.

    An allocation at least as long as a bucket and as large as an address bucket stands alone with its real bounds. The
    others are merged with those that begin in the same bucket of both: the bounds are those around all of them. What
    reaches into the tile from before or from lower addresses counts as beginning at its edge, so that a tile shows at
    most so many merged ones as it has places.
    """

    allocation: List[int]
    """Row of the allocation shown, the first of several."""

    at_ns: List[int]
    """When the first of them is made."""

    until_ns: List[int]
    """When the last of them is released; the trace's end where one never is."""

    pointer: List[int]
    """Lowest address."""

    span_bytes: List[int]
    """Bytes from there to the end of the highest."""

    count: List[int]
    """How many allocations it stands for."""

    total_bytes: List[int]
    """Their bytes together."""


class MemoryUse(TypedDict):
    """Memory in use in a range of time, by process, kind and device.

    Memory in use is what was allocated up to and at a moment and not yet released then: what is allocated or released at
    a moment counts from that moment on. All numbers are exact, at any width of a bucket.
    """

    from_ns: int
    """Begin of the range."""

    to_ns: int
    """End of the range, which it does not contain."""

    at_ns: List[int]
    """Begins of the buckets, ascending; a bucket ends where the next one begins, the last one at `to_ns`."""

    series: List[MemorySeries]
    """What is stacked, in the order of process, kind and device."""

    total_max_bytes: List[int]
    """Most bytes of all series together in each bucket. (The sum of their own maxima may be more.)"""

    total_last_bytes: List[int]
    """Bytes of all series together at the end of each bucket."""

    peak: MemoryPeak
    """The moment of the range with most bytes."""

    free: List[FreeMemory]
    """Free memory of devices, where the program asked for it."""


class Misuse(TypedDict):
    """Something that was done wrongly with memory."""

    kind: str
    """What."""

    message: str
    """In words, with the remedy."""

    process: int
    """Its process."""

    at_ns: int
    """When."""

    pointer: int
    """The address."""

    location: Optional[LocationInfo]
    """Source code that did it."""

    certain: bool
    """Whether the recording proves it. If not, the address may have been given to something else since, of which the
    recording does not tell: a device on the host's memory shares its addresses with the program's own memory.
    """

    at: Optional[SliceRef]
    """Where to jump: the call or command that did it."""

    object: Optional[int]
    """Id in `objects` of the memory that had the address last."""

    allocated_location: Optional[LocationInfo]
    """Source code that allocated that memory."""

    released_ns: Optional[int]
    """When it had been released."""

    released_location: Optional[LocationInfo]
    """Source code that released it."""

    released_at: Optional[SliceRef]
    """Where to jump: the call that released it."""

    result: str
    """The error that the call returned, empty if it succeeded."""


class NativeHandleDetail(TypedDict):
    """A native handle that entered SYCL or left it."""

    object: str
    """What it is: `queue`, `mem`, …"""

    handle: str
    """Handle of the Unified Runtime that stands for it, as `0x…`."""

    native: str
    """The native handle, as `0x…`."""

    direction: str
    """Which way it went."""

    ownership: str
    """Who must release it."""

    at_ns: int
    """When it went."""

    released_ns: Optional[int]
    """When SYCL gave back the last reference to what stands for it, if it did."""

    location: Optional[LocationInfo]
    """Source code that caused it."""


class NativeMemory(TypedDict):
    """Memory of an object below SYCL."""

    allocation: Optional[int]
    """Row of the allocation, as in `MemoryTile`, if it was recorded."""

    handle: int
    """Handle of the Unified Runtime, 0 for USM."""

    native: int
    """The native memory object or the address behind the handle, 0 if not known."""

    size_bytes: Optional[int]
    """Size, where the allocation was recorded."""

    from_ns: Optional[int]
    """When the object got it."""

    to_ns: Optional[int]
    """When the object lost it, if it did."""


class NodeDetail(TypedDict):
    """A command, with its life and its dependences."""

    id: int
    """Number in the recording."""

    kind: str
    """What it does."""

    name: str
    """Kernel or command name."""

    queue: Optional[int]
    """Its queue's number."""

    created_ns: int
    """When the runtime made it."""

    location: Optional[LocationInfo]
    """Source code that submitted it."""

    args: List[Tuple[str, Arg]]
    """Metadata."""

    submission: Optional[SliceRef]
    """The host's submission."""

    execution: Optional[ExecutionDetail]
    """The run on the device."""

    estimate: NotRequired[Optional[HostTaskEstimate]]
    """For a host task: when its body ran, as far as what is known of the time around it tells. It need not have taken
    all of that time.
    """

    waits_for: List[EdgeDetail]
    """What it had to wait for."""

    waited_by: List[EdgeDetail]
    """What had to wait for it."""

    accessors: List[AccessorDetail]
    """Its accessors."""

    objects: List[ObjectDetail]
    """The buffers and images of its accessors and edges, each once."""

    graph_commands: List[GraphCommandDetail]
    """Its places in command graphs."""

    graph_runs: List[GraphRunDetail]
    """The command graphs that it runs."""


class NodeRef(TypedDict):
    """A node, to name it and to jump to it."""

    node: int
    """Number in the recording."""

    kind: str
    """What it does."""

    name: str
    """Kernel or command name."""

    at: Optional[SliceRef]
    """Its execution, else its submission."""


class ObjectDetail(TypedDict):
    """A buffer or image."""

    object: int
    """Number in the recording."""

    kind: str
    """What it is."""

    address: str
    """Address by which the runtime knows it, as `0x…`."""

    host_pointer: str
    """Host memory that it was made over as `0x…`, empty if none."""

    element_type: str
    """Element type in words if it is a plain one, else as `typeid` names it; empty if not known."""

    element_size_bytes: int
    """Size of an element."""

    range: List[int]
    """Elements along each dimension."""

    created_ns: int
    """When it was made."""

    destroyed_ns: Optional[int]
    """When it was destroyed, if it was."""

    location: Optional[LocationInfo]
    """Source code that made it."""

    args: List[Tuple[str, Arg]]
    """More of what the runtime says (an image's format and sampler)."""

    memory: List[ObjectMemory]
    """The memory that it had, in recorded order."""

    accessors: int
    """Accessors that were made on it."""


class ObjectEvent(TypedDict):
    """Something that happened to an object."""

    kind: str
    """What."""

    start_ns: int
    """When it began: on the device, if it has device times."""

    end_ns: int
    """When it was over; not before `start_ns`."""

    name: str
    """Name of the command or call."""

    mode: str
    """Mode of the accessor, empty if it was by none."""

    bytes: Optional[int]
    """Bytes that it moved, filled or made, if that is known."""

    offset_bytes: Optional[int]
    """First byte of the object that it touched, if that is known."""

    node: Optional[int]
    """Number of the command."""

    at: Optional[SliceRef]
    """Where to jump: its execution, its submission or the call."""

    location: Optional[LocationInfo]
    """Source code that caused it."""


class ObjectHistory(TypedDict):
    """An object and what happened to it."""

    id: int
    """Its id, for `objects/ID`: buffers and images in the order of their making, then all other memory."""

    what: str
    """What it is."""

    object: Optional[int]
    """Number of a buffer or image in the recording."""

    process: int
    """Its process, an index into `TraceInfo.processes`."""

    pointer: int
    """Address of USM; the address by which the runtime knows a buffer or image."""

    host_pointer: int
    """Host memory that a buffer or image was made over, 0 if none."""

    over: Optional[int]
    """The USM allocation that this host memory lies in, an id of an object."""

    part_of: Optional[int]
    """The buffer that it is a part of, an id of an object."""

    device: str
    """Name of the device of USM, empty if it belongs to none or it is not known."""

    element_type: str
    """Element type in words if it is a plain one, else as `typeid` names it; empty if not known."""

    element_size_bytes: int
    """Size of an element, 0 if not known."""

    range: List[int]
    """Elements along each dimension."""

    size_bytes: int
    """Size."""

    made_ns: int
    """When it was made."""

    gone_ns: Optional[int]
    """When it was gone, if it was."""

    location: Optional[LocationInfo]
    """Source code that made it."""

    memory: List[NativeMemory]
    """Native memory that it had: of a buffer or image one for each context and part."""

    accessors: List[AccessorCount]
    """Accessors by target and mode, most first."""

    commands: int
    """Commands that are known to use it, copies and maps among them."""

    copied_in: Amount
    """Copies that brought something into it; of a buffer or image, to a device."""

    copied_out: Amount
    """Copies that took something out of it; of a buffer or image, to the host."""

    first_use_ns: Optional[int]
    """When its first known use began."""

    last_use_ns: Optional[int]
    """When its last known use was over."""

    uses_known: bool
    """Whether all its uses are known. Kernels may use USM without a trace, unless recorded with `--detail high`."""

    unused: Optional[bool]
    """Whether nothing was done with it; `None` if the recording can't tell."""

    untouched_bytes: Optional[int]
    """Bytes that no accessor, copy or fill touched; `None` if the recording can't tell."""

    idle_at_end_ns: Optional[int]
    """From its last use to its end; `None` if the recording can't tell, or it never was used."""

    problems: List[str]
    """What may be wrong with it."""

    placement: List[Placement]
    """Where its newest content was, by time; the first 64 stretches."""

    args: List[Tuple[str, Arg]]
    """More of what the runtime says (an image's format and sampler)."""

    parts: List[int]
    """Its parts, ids of objects."""

    lanes: int
    """Lanes of its tiles: what gives it memory and takes it, and as many as uses overlap."""

    events: List[ObjectEvent]
    """What happened to it, by start: a part of it."""

    offset: int
    """Events before these."""

    total: int
    """Events in all."""


class ObjectItem(TypedDict):
    """An object: buffer or image, the native memory that it had, and USM, on one row."""

    id: int
    """Its id, for `objects/ID`: buffers and images in the order of their making, then all other memory."""

    what: str
    """What it is."""

    object: Optional[int]
    """Number of a buffer or image in the recording."""

    process: int
    """Its process, an index into `TraceInfo.processes`."""

    pointer: int
    """Address of USM; the address by which the runtime knows a buffer or image."""

    host_pointer: int
    """Host memory that a buffer or image was made over, 0 if none."""

    over: Optional[int]
    """The USM allocation that this host memory lies in, an id of an object."""

    part_of: Optional[int]
    """The buffer that it is a part of, an id of an object."""

    device: str
    """Name of the device of USM, empty if it belongs to none or it is not known."""

    element_type: str
    """Element type in words if it is a plain one, else as `typeid` names it; empty if not known."""

    element_size_bytes: int
    """Size of an element, 0 if not known."""

    range: List[int]
    """Elements along each dimension."""

    size_bytes: int
    """Size."""

    made_ns: int
    """When it was made."""

    gone_ns: Optional[int]
    """When it was gone, if it was."""

    location: Optional[LocationInfo]
    """Source code that made it."""

    memory: List[NativeMemory]
    """Native memory that it had: of a buffer or image one for each context and part."""

    accessors: List[AccessorCount]
    """Accessors by target and mode, most first."""

    commands: int
    """Commands that are known to use it, copies and maps among them."""

    copied_in: Amount
    """Copies that brought something into it; of a buffer or image, to a device."""

    copied_out: Amount
    """Copies that took something out of it; of a buffer or image, to the host."""

    first_use_ns: Optional[int]
    """When its first known use began."""

    last_use_ns: Optional[int]
    """When its last known use was over."""

    uses_known: bool
    """Whether all its uses are known. Kernels may use USM without a trace, unless recorded with `--detail high`."""

    unused: Optional[bool]
    """Whether nothing was done with it; `None` if the recording can't tell."""

    untouched_bytes: Optional[int]
    """Bytes that no accessor, copy or fill touched; `None` if the recording can't tell."""

    idle_at_end_ns: Optional[int]
    """From its last use to its end; `None` if the recording can't tell, or it never was used."""

    problems: List[str]
    """What may be wrong with it."""

    placement: List[Placement]
    """Where its newest content was, by time; the first 64 stretches."""


class ObjectList(TypedDict):
    """A part of the list of a program's objects."""

    total: Amount
    """All that were asked for."""

    offset: int
    """Objects before these, in the order asked for."""

    objects: List[ObjectItem]
    """These."""

    marked: List[int]
    """Where those that were to be marked are in that order: the first 10,000."""


class ObjectMemory(TypedDict):
    """Memory that an object had in a context."""

    handle: str
    """Handle of the Unified Runtime, as `0x…`."""

    bound_ns: Optional[int]
    """When the object got it."""

    unbound_ns: Optional[int]
    """When the object lost it, if it did."""

    size_bytes: Optional[int]
    """Size, where the allocation was recorded."""

    allocated_ns: Optional[int]
    """When it was allocated."""

    released_ns: Optional[int]
    """When it was released, if it was."""


class Overlap(TypedDict):
    """A slice that runs while another one does."""

    slice: SliceItem
    """It."""

    overlap_ns: int
    """Time that they have in common."""


class Overlaps(TypedDict):
    """Slices of other tracks that run while a slice does."""

    slices: List[Overlap]
    """Most time in common first; equal ones by start."""

    more: int
    """How many more there are."""


class PartitionDetail(TypedDict):
    """A partition of a command graph."""

    partition: int
    """Number of the partition in the recording."""

    graph: int
    """Number of the graph: that of its first partition."""

    place: int
    """Its place among the partitions of the graph, from 0."""

    partitions: int
    """Partitions of the graph."""

    handle: str
    """Handle of the command buffer, as `0x…`."""

    device: str
    """Name of its device, empty if not known."""

    is_in_order: bool
    """Whether its commands run in the order in which they were appended."""

    is_updatable: bool
    """Whether parameters of its commands can be replaced."""

    created_ns: int
    """When it was made."""

    changes: List[GraphChangeDetail]
    """What happened to it, in recorded order; the first `MOST_LISTED`."""

    change_count: int
    """How often it changed."""

    commands: int
    """Its commands."""

    runs: int
    """How often it ran."""

    location: Optional[LocationInfo]
    """Source code that made it."""

    args: List[Tuple[str, Arg]]
    """More of what the call says."""


class PauseInfo(TypedDict):
    """A time in which a process was not recorded."""

    process: int
    """Its process, an index into `super.TraceInfo.processes`."""

    start_ns: int
    """Start."""

    end_ns: Optional[int]
    """End; `None` if it never went on."""

    reason: str
    """Who asked for it (`signal`, `program`, …)."""


class Phase(TypedDict):
    """A part of a command's life."""

    kind: str
    """Which."""

    from_ns: int
    """Begin."""

    to_ns: int
    """End."""

    median_ns: Optional[int]
    """What half of the commands of the same name and kind don't exceed, of those that have the phase."""


class PlaceChange(TypedDict):
    """What differs of one place."""

    process: int
    """Its process."""

    kind: str
    """Kind of memory."""

    device: str
    """Name of the device."""

    location: Optional[LocationInfo]
    """Source code that allocated it."""

    kept: Amount
    """Live at both moments."""

    allocated: Amount
    """Live at the second only."""

    released: Amount
    """Live at the first only."""

    passed: Amount
    """Made and released between the two."""


class Placement(TypedDict):
    """Where an object's newest content was for a time."""

    from_ns: int
    """From when."""

    to_ns: int
    """Until when."""

    side: str
    """Where."""


class ProcessInfo(TypedDict):
    """Facts of the recorded process. Empty and 0 mean "not known"."""

    pid: int
    """Process id."""

    name: str
    """Program name."""

    command_line: str
    """Command line."""

    host: str
    """Host name."""

    start_unix_ns: int
    """Wall-clock time of the trace's start, ns since 1970-01-01 UTC."""

    start_monotonic_ns: int
    """The machine's monotonic clock at the trace's start, ns; 0 if the recording does not say it."""

    recorder: str
    """What wrote the recording."""

    complete: bool
    """Whether its recording ended in an orderly way."""


class QueueExecutions(TypedDict):
    """Executions on one queue."""

    first: SliceRef
    """The first of them, on the queue's track."""

    is_first_on_device: bool
    """Whether it is the first on its device, too."""

    submission_ns: Optional[int]
    """How long its submission took on the host, if that is known."""

    count: int
    """Executions."""

    total_ns: int
    """Their durations together."""

    min_ns: int
    """Shortest duration."""

    p50_ns: int
    """Duration that half of them don't exceed."""

    p95_ns: int
    """Duration that 95 of 100 don't exceed."""

    max_ns: int
    """Longest duration."""

    submission_p50_ns: Optional[int]
    """How long half of their submissions took on the host at most; `None` if no submission is known."""


class QueueIdle(TypedDict):
    """Where a queue's time went, from its creation to its end; the parts add up."""

    queue: int
    """Number of the queue."""

    busy_ns: int
    """At least one command ran."""

    host_ns: int
    """Idle: the host had not submitted the next command."""

    dependence_ns: int
    """Idle: what the next command depends on had not ended."""

    other_ns: int
    """Idle though the next command could have run: the device ran commands of other queues."""

    ready_ns: int
    """Idle though the next command could have run and the device was idle: the way through runtime and driver."""

    after_ns: int
    """Idle after the last command."""


class QueueInfo(TypedDict):
    """A queue."""

    id: int
    """Its number in the recording."""

    track: int
    """Track of its executions."""

    order: str
    """In-order or out-of-order."""

    device: str
    """Device name."""

    device_type: str
    """Device type."""

    created_ns: int
    """When it was created."""

    destroyed_ns: Optional[int]
    """When it was destroyed, if it was."""


class RecordingCost(TypedDict):
    """What recording took of a thread's time, in the recorder's own code. What the runtime's tracing and a vendor's records of
    devices add is not known.
    """

    track: int
    """Track of the thread."""

    thread: str
    """Its name."""

    notifications: int
    """Notifications on the thread, as far as they have left something on its tracks."""

    least_ns: int
    """What they took if code and data were always in the processor's caches."""

    most_ns: int
    """What they took if they never were."""

    thread_ns: int
    """From the thread's first event to its last."""


class Report(TypedDict):
    """The report of a run."""

    split: RunSplit
    """Where the run's time went."""

    concurrency: Concurrency
    """How much ran at once."""

    covered: Covered
    """Time that something took, where what overlaps counts once."""

    commands: List[CommandReport]
    """Kernels and other commands, most device time first."""

    host_tasks: List[HostTaskReport]
    """Host tasks by place, most time first. No runtime reports when their bodies ran: these are estimates."""

    copies: List[CopyReport]
    """Copies by where from and where to, most device time first."""

    waits: List[WaitReport]
    """Waits of the host by name and place, most time first."""

    memory: List[MemoryReport]
    """Memory by kind, in the order of `AllocationKind.ALL`; kinds that were not used are left out."""

    unreleased: List[UnreleasedReport]
    """Memory that was never released, by place, most bytes first."""

    critical_path: CriticalPath
    """The chain of commands and host work that decided how long the run took."""

    queues: List[QueueIdle]
    """Where each queue's time went."""

    findings: List[Finding]
    """What is probably wrong with the program or slower than it must be: errors first, then most gain first."""

    recording: Optional[RecordingCost]
    """What recording took of the thread of which it took most; nothing where the recorder did not measure what
    it costs.
    """

    build_remedy: str
    """The remedy for run-time compilation in the first process, in a sentence."""


class RunSplit(TypedDict):
    """Where the time of a run went. Each moment counts once, for the first of these that is true, so that the parts sum up to
    `run_ns`.
    """

    run_ns: int
    """The whole run."""

    device_ns: int
    """A device ran something other than copies."""

    copy_ns: int
    """A device did nothing but copy."""

    wait_ns: int
    """All devices were idle and a thread of the host waited."""

    host_ns: int
    """All devices were idle and no thread waited: work of the program or the runtime on the host."""

    unknown_ns: int
    """After the last device time that is known, where times of later commands were lost with a killed program: devices may have
    worked or not.
    """

    idle: IdleTime
    """When all devices were idle."""


class Sandwich(TypedDict):
    """What leads to the calls of a name, and what they lead to."""

    count: int
    """Slices of that name."""

    total_ns: int
    """Time of those that are not within another one of that name."""

    self_ns: int
    """Time of all of them without that of slices within them."""

    callers: List[CallNode]
    """Upside down: at the top the name itself, below each node what called it. A node's times are those of the slices
    of the name that were reached this way, `self_ns` of those that nothing else called.
    """

    callees: List[CallNode]
    """At the top the name itself, below each node what it called."""

    names: List[str]
    """Names of the nodes."""

    left_out: int
    """Nodes that were left out because they took least time, with all below them."""


class Selected(TypedDict):
    """The slices of a selection, summed up."""

    from_ns: int
    """Begin of the range."""

    to_ns: int
    """End of the range, which it does not contain."""

    total: SliceStats
    """All of them, of whatever category: durations of different things, so that only their number says much."""

    categories: List[CategoryStats]
    """Those of each category, most time first: what a device ran, calls and waits overlap, and one mean of them says nothing."""

    groups: List[SliceGroup]
    """By name, category and kind, in the order asked for."""

    more_groups: int
    """Groups beyond those asked for."""


class Serialised(TypedDict):
    """Pairs of commands that ran one after the other though nothing in the program asked for it."""

    pairs: List[SerialisedPair]
    """Pairs of equal places, names and reason, those with most to gain first."""

    more: int
    """Groups beyond those listed."""

    count: int
    """How many commands missed an overlap, over all groups."""

    gain_ns: int
    """Time that pairs could have overlapped, summed up; the run cannot have been shorter by more than that."""

    unknown: int
    """Pairs with unknown memory accesses: the recording does not show whether they had to wait."""


class SerialisedCommand(TypedDict):
    """A command of a pair."""

    node: int
    """Number in the recording."""

    kind: str
    """What it does."""

    name: str
    """Kernel or command name."""

    at: Optional[SliceRef]
    """Its execution, else its submission."""

    begin_ns: int
    """Start on the device."""

    end_ns: int
    """End on the device."""

    location: Optional[LocationInfo]
    """Source code that submitted it."""


class SerialisedPair(TypedDict):
    """Commands of one place that could have run beside commands of another and did not."""

    reason: str
    """What held the second command back."""

    count: int
    """How many pairs."""

    gain_ns: int
    """Time that they could have overlapped, summed up."""

    first: SerialisedCommand
    """The longest example: the command that ran first."""

    second: SerialisedCommand
    """The one that could have run beside it."""

    overlap_ns: int
    """Time that these two could have overlapped."""

    queue: Optional[int]
    """Number of the queue that both are on."""

    object: Optional[int]
    """Number of the buffer or image that both use."""

    wait: Optional[SerialisedWait]
    """The host's wait between them."""

    message: str
    """What happened, in words, and what to do about it."""


class SerialisedWait(TypedDict):
    """A wait of the host."""

    at: SliceRef
    """Where to jump."""

    location: Optional[LocationInfo]
    """Source code that waited."""


SizeExecutions = TypedDict(
    "SizeExecutions",
    {
        "global": "str",
        "local": "str",
        "bytes": "Optional[int]",
        "longest": "SliceRef",
        "count": "int",
        "total_ns": "int",
        "min_ns": "int",
        "p50_ns": "int",
        "p95_ns": "int",
        "max_ns": "int",
        "submission_p50_ns": "Optional[int]",
    },
)
"""Executions of one size."""


class SliceDetail(TypedDict):
    """Everything known of one slice."""

    at: SliceRef
    """Where it is."""

    name: str
    """Shown name."""

    category: str
    """Category."""

    unfinished: bool
    """Whether the recording ended before the slice did."""

    location: Optional[LocationInfo]
    """Source code that caused it."""

    args: List[Tuple[str, Arg]]
    """Arguments in the recorded order."""

    native_handles: List[NativeHandleDetail]
    """Native handles that entered SYCL or left it by this call."""

    node: Optional[NodeDetail]
    """The command that it belongs to."""

    flows_in: List[FlowDetail]
    """Flows that come from other slices."""

    flows_out: List[FlowDetail]
    """Flows that go to other slices."""


class SliceGroup(TypedDict):
    """Slices of one name, category and kind."""

    name: str
    """Their name."""

    category: str
    """Their category."""

    kind: Optional[str]
    """What their commands do; `None` where they belong to none."""

    longest: SliceRef
    """The longest of them, the first of equals."""

    count: int
    """Slices."""

    total_ns: int
    """Their durations together, whole."""

    clipped_ns: int
    """The parts of their durations that lie in the range, together."""

    self_ns: int
    """Their self time together: durations (whole) without the slices on the next lane of the same track that lie within
    them. On a queue's track, where lanes hold what overlaps, all of it is their own.
    """

    mean_ns: int
    """Mean duration."""

    min_ns: int
    """Shortest duration."""

    max_ns: int
    """Longest duration."""

    p50_ns: int
    """Duration that half of them don't exceed."""

    p95_ns: int
    """Duration that 95 of 100 don't exceed."""

    p99_ns: int
    """Duration that 99 of 100 don't exceed."""

    histogram: Histogram
    """How often which durations."""


class SliceItem(TypedDict):
    """A slice in a list."""

    at: SliceRef
    """Where it is."""

    name: str
    """Its name."""

    category: str
    """Its category."""

    kind: Optional[str]
    """What its command does, if it belongs to one."""

    node: Optional[int]
    """Number of its command, if it belongs to one."""

    self_ns: int
    """Its self time, as in `SliceStats.self_ns`."""

    location: Optional[LocationInfo]
    """Source code that caused it: its own place, else its command's."""

    args: NotRequired[List[Tuple[str, str]]]
    """Names and values of its arguments as text, where the question asked for them."""


class SliceList(TypedDict):
    """A part of the list of a selection's slices."""

    total: int
    """Slices of the selection."""

    offset: int
    """Slices before these, in the order asked for."""

    slices: List[SliceItem]
    """These."""


class SliceRef(TypedDict):
    """Where a slice is, to jump to it."""

    slice: int
    """Slice id."""

    track: int
    """Its track."""

    lane: int
    """Its lane on that track."""

    start_ns: int
    """Start."""

    duration_ns: int
    """Duration."""


class SliceStats(TypedDict):
    """Numbers of some slices. A mean is cut to whole nanoseconds; of no slices all are 0.

    A percentile is the shortest duration that so many of 100 slices don't exceed (nearest rank).
    """

    count: int
    """Slices."""

    total_ns: int
    """Their durations together, whole."""

    clipped_ns: int
    """The parts of their durations that lie in the range, together."""

    self_ns: int
    """Their self time together: durations (whole) without the slices on the next lane of the same track that lie within
    them. On a queue's track, where lanes hold what overlaps, all of it is their own.
    """

    mean_ns: int
    """Mean duration."""

    min_ns: int
    """Shortest duration."""

    max_ns: int
    """Longest duration."""

    p50_ns: int
    """Duration that half of them don't exceed."""

    p95_ns: int
    """Duration that 95 of 100 don't exceed."""

    p99_ns: int
    """Duration that 99 of 100 don't exceed."""

    histogram: Histogram
    """How often which durations."""


class SourceInfo(TypedDict):
    """A source file that the recording holds or names. Its position is the number to ask for its text."""

    path: str
    """Path, as source locations have it."""

    state: str
    """What of it is here."""

    sha256: str
    """SHA-256 of the text in hexadecimal, empty without a text."""

    size_bytes: int
    """Size of the file."""


class SourceText(TypedDict):
    """A source file's text."""

    file: SourceInfo
    """The file."""

    text: str
    """The whole text; empty where the recording doesn't hold it."""


class Stepped(TypedDict):
    """The next slice of a search."""

    slice: Optional[SliceItem]
    """It; `None` where there is none in that direction."""


class TileLane(TypedDict):
    """One lane of a `TimelineTile`: columns of equal length, ordered by start."""

    start_ns: List[int]
    """Real start of the slice shown."""

    duration_ns: List[int]
    """Real duration of the slice shown."""

    name: List[int]
    """Its name, an index into `TimelineTile.names`."""

    category: List[str]
    """Its category."""

    slice: List[int]
    """Its id, to ask for details."""

    count: List[int]
    """Slices that it stands for, itself included; 1 when it stands alone."""

    total_ns: List[int]
    """Sum of the durations of the slices that it stands for."""

    matching: NotRequired[List[int]]
    """How many of the slices that it stands for a filter means; empty where none was asked for."""

    touch: NotRequired[List[str]]
    """What it does with the object; only in tiles of objects, where a slice is none of the trace's
    (`NO_SLICE`) if what happened has none.
    """


class TimelineTile(TypedDict):
    """Slices of a track at a resolution, lane by lane.

    A slice at least one bucket long stands alone with its real bounds. Shorter ones are merged with those of
    the same lane that start in the same bucket: the longest stands for them with its real bounds, `count` says
    how many there are and `total_ns` how long they are together. Nothing is left out.
    """

    names: List[str]
    """Names that the lanes index into."""

    lanes: List[TileLane]
    """One entry a lane, from the top; lanes without anything in the tile's span are empty."""


class TraceInfo(TypedDict):
    """What is known of a trace before anything is drawn."""

    api_version: int
    """`API_VERSION` of the answering side."""

    duration_ns: int
    """End of the last event."""

    process: ProcessInfo
    """Facts of the recorded process; of the first one where there are several."""

    processes: List[ProcessInfo]
    """Every recorded process, in the order of their starts."""

    tracks: List[TrackInfo]
    """Every track; a track's id is its index here. Parents come before children, and the children of one parent are
    in the order in which a view shows them.
    """

    queues: List[QueueInfo]
    """Queues in the order of their creation."""

    counts: Counts
    """How much the trace holds."""

    kernels: List[KernelSummary]
    """Kernels and other device commands by name, most device time first."""

    diagnostics: List[DiagnosticInfo]
    """Problems found on import and events lost while recording."""

    findings: List[Finding]
    """What is probably wrong with the program itself."""

    devices: List[DeviceInfo]
    """Devices in the order in which they were first heard of."""

    facts: List[FactInfo]
    """Facts of the processes: environment, versions, settings of the recording."""

    sources: List[SourceInfo]
    """Source files; a file's index here is the number to ask for its text."""

    pauses: List[PauseInfo]
    """Times in which recording was paused."""

    active_ns: Optional[Tuple[int, int]]
    """From the first execution's start to the last one's end, in nanoseconds; of all slices where nothing was executed."""

    complete: bool
    """Whether the recording ended in an orderly way."""


class TrackInfo(TypedDict):
    """A track."""

    id: int
    """Its index in `TraceInfo.tracks`."""

    parent: Optional[int]
    """The track group that holds it."""

    process: int
    """Its process, an index into `TraceInfo.processes`."""

    kind: str
    """What it shows."""

    name: str
    """Shown name."""

    lanes: int
    """Lanes: nesting depth of a thread's slices, or sub-lanes of a queue whose executions overlap. 0 for a
    track that only groups others.
    """

    slices: int
    """Slices on it."""

    counter: Optional[CounterInfo]
    """For a counter: lowest and highest value and the unit."""


class TrackMatches(TypedDict):
    """What a search found on a track."""

    track: int
    """The track."""

    count: int
    """Slices found on it."""


Transfer = TypedDict(
    "Transfer",
    {
        "transfer": "int",
        "node": "Optional[int]",
        "name": "str",
        "at": "Optional[SliceRef]",
        "call": "Optional[SliceRef]",
        "start_ns": "int",
        "duration_ns": "Optional[int]",
        "from": "str",
        "to": "str",
        "from_object": "Optional[int]",
        "to_object": "Optional[int]",
        "from_pointer": "int",
        "to_pointer": "int",
        "bytes": "Optional[int]",
        "bytes_per_ns": "Optional[float]",
        "cause": "TransferCause",
        "need": "str",
        "unchanged": "Optional[bool]",
        "read": "Optional[bool]",
        "why": "str",
        "evidence": "Optional[SliceRef]",
        "location": "Optional[LocationInfo]",
    },
)
"""A copy."""


class TransferCause(TypedDict):
    """Why a copy was made."""

    kind: str
    """What kind of reason."""

    node: Optional[int]
    """Number of the command that needed the data."""

    name: str
    """Its name; or the name of the call."""

    mode: str
    """Mode of the accessor, empty if not known."""

    at: Optional[SliceRef]
    """Where to jump: that command."""

    location: Optional[LocationInfo]
    """Source code of the accessor or of the command."""


class TransferList(TypedDict):
    """A part of the list of a run's copies."""

    total: TransferSums
    """All that were asked for."""

    needed: TransferSums
    """Those of them that were needed."""

    unchanged: TransferSums
    """Those that brought what was there already."""

    never_read: TransferSums
    """Copies whose result no command or host access read."""

    unknown: TransferSums
    """Copies for which the recording proves nothing."""

    offset: int
    """Copies before these, in the order asked for."""

    transfers: List[Transfer]
    """These."""

    marked: List[int]
    """Where those that were to be marked are in that order: the first 10,000."""


class TransferSums(TypedDict):
    """Some copies, summed up."""

    count: int
    """How many."""

    bytes: int
    """Bytes of those whose size is known."""

    total_ns: int
    """Device time of those that have one."""

    bytes_per_ns: float
    """Rate of those whose size and time are known, in bytes a nanosecond (which is GB/s); 0 if none is."""


class UnreleasedReport(TypedDict):
    """Memory of one place that was never released."""

    kind: str
    """Kind."""

    location: Optional[LocationInfo]
    """Source code that allocated it."""

    count: int
    """Allocations."""

    bytes: int
    """Bytes of all of them."""


class ViewEdge(TypedDict):
    """Edges from one shown node to another."""

    source: int
    """Index into `GraphView.nodes`."""

    target: int
    """Index into `GraphView.nodes`; the source itself where members of one group depend on each other."""

    count: int
    """How many edges it stands for."""

    reasons: List[Tuple[str, int]]
    """How many of each reason, most first."""

    implied: int
    """How many follow from the order of an in-order queue alone, and are not in the recording."""

    objects: NotRequired[List[int]]
    """Numbers of the memory objects that carry it, a few of them."""

    modes: NotRequired[List[str]]
    """Access modes, each once."""

    redundant: bool
    """Whether other edges say the same: without it, nothing could run earlier. Known if it was asked for."""

    critical: int
    """How many of them the critical path goes along."""

    points: List[int]
    """Its line from source to target as x, y, x, y, …; empty for the longest of a large graph."""


class ViewFrame(TypedDict):
    """A partition of a command graph (`sycl_ext_oneapi_graph`): a region of the drawing."""

    graph: int
    """Number of the graph: that of its first partition. Commands of one graph stand together in the drawing."""

    partition: int
    """Number of the partition in the recording."""

    place: int
    """Its place among the partitions of the graph, from 0."""

    partitions: int
    """Partitions of the graph."""

    device: Optional[int]
    """Name of its device, an index into `GraphView.names`."""

    is_in_order: bool
    """Whether its commands run in the order in which they were appended."""

    is_updatable: bool
    """Whether parameters of its commands can be replaced."""

    created_ns: int
    """When it was made."""

    location: Optional[int]
    """Place in the source code that made it, an index into `GraphView.locations`."""

    nodes: List[int]
    """Shown nodes that hold its commands, indices into `GraphView.nodes`, in recorded order."""

    commands: int
    """How many commands it has."""

    hidden: int
    """How many of them are in nodes that are not shown."""

    run_count: int
    """How often it was executed; 0: it was recorded and never executed."""

    runs: List[NodeRef]
    """Its executions, the first `MOST_LISTED`, with the slice of each."""


class ViewLoop(TypedDict):
    """A loop of the iteration graph."""

    parent: Optional[int]
    """The loop around it, an index into `GraphView.loops`."""

    times: int
    """How often it ran, over all rounds of the loops around it."""


class ViewNode(TypedDict):
    """A node of the drawing: a command, or several that are folded to one. Sums and bounds are over all members."""

    id: str
    """Its name in questions: `12` for a single node, `12x500` for five hundred of which 12 is the first."""

    node: int
    """Number of its first member."""

    count: int
    """How many members it has."""

    kind: str
    """What its members do."""

    name: int
    """Name of its members, an index into `GraphView.names`."""

    location: Optional[int]
    """Place in the source code, an index into `GraphView.locations`, if all members have the same."""

    queue: Optional[int]
    """Number of its queue, if all members have the same."""

    device: Optional[int]
    """Name of its device, an index into `GraphView.names`, if all members have the same."""

    loop: Optional[int]
    """Its loop, an index into `GraphView.loops`."""

    x: int
    """Middle of the node from the left."""

    y: int
    """Middle of the node from the top."""

    width: int
    """Width."""

    height: int
    """Height."""

    begin_ns: int
    """When the first execution of a member started; when it was made, where none ran."""

    end_ns: int
    """When the last execution ended."""

    total_ns: int
    """Device time, summed over its members whether or not they overlap."""

    max_ns: int
    """Longest execution."""

    delay_ns: int
    """Queueing delay: from the ends of submissions to the starts of executions, summed over its members."""

    bytes: int
    """Bytes that copies and fills moved."""

    slack_ns: int
    """The least that a member could have been later without making the critical path longer."""

    critical: int
    """How many members are on the critical path."""

    hidden_edges: int
    """Edges to and from nodes that are not shown."""

    direction: NotRequired[Optional[Tuple[str, str]]]
    """From where to where its copies go (`host`, `device`, `shared`), if that is known and the same for all of them."""

    inside: NotRequired[Optional[str]]
    """Name of the innermost unfolded group that its members are of: without it in `open`, they are folded again."""


class WaitLink(TypedDict):
    """One step that waited for another."""

    step: CriticalStep
    """The other step, that is not nearer to the one asked for."""

    hop: int
    """How many links away from the one asked for it is, from 1."""

    of: Optional[int]
    """Position in `Waits.links` of the step that waited for it, or that it waited for; `None` for the one asked for."""

    reason: str
    """Why."""

    edge: Optional[str]
    """Reason of the edge, where the task graph has one between the two."""

    object: Optional[int]
    """Number of the memory object of that edge, if it is known."""

    lag_ns: int
    """Time of the host between the two."""

    decided: bool
    """Whether this is what decided when the later one could start, as the critical path has it."""


class WaitReport(TypedDict):
    """Waits of one name and place. A thread is held once at a time: a wait in another one is part of it."""

    name: str
    """`queue.wait`, `event.wait`, `host accessor`, `buffer destructor`, or the call of the runtime."""

    location: Optional[LocationInfo]
    """Source code that waits; of a destructor, that made the buffer. `None` if it is not known."""

    submitted: NotRequired[Optional[LocationInfo]]
    """Where that is not known: source code that submitted what was waited for, if that is one place."""

    count: int
    """How often."""

    total_ns: int
    """Time of all."""

    max_ns: int
    """Longest."""


class Waits(TypedDict):
    """What a command or a wait of the host waited for, or what waited for it, by the constraints of the critical path."""

    step: Optional[CriticalStep]
    """The command or wait asked for; `None` for a slice that belongs to none: then nothing is known."""

    links: List[WaitLink]
    """What waited or was waited for, nearest first. Within a hop and for one step: what decided first, then what ended
    last (what starts first, of those that waited).
    """

    more: int
    """Links within the hops asked for that are not listed."""


class WhatIf(TypedDict):
    """How long the run could have taken, had it been otherwise."""

    recorded_ns: int
    """Duration of the run up to the end of its last command or wait."""

    path_ns: int
    """The same in the replay, with nothing changed: its durations, dependences, the order of queues and devices, and the host's work
    and waits.
    """

    is_refused: bool
    """True where the replay of the unchanged run differs from the run by more than 5 %: then nothing can be said of a changed one, and
    `changed_path_ns` is `path_ns`.
    """

    unlimited_ns: int
    """The longest chain of dependences as it was: what unlimited devices and a host without delay would need."""

    changed_path_ns: int
    """Duration of the replay with the changes."""

    changed_unlimited_ns: int
    """The longest chain of dependences with the changes."""

    device_ns: int
    """Device time of all commands as it was."""

    changed_device_ns: int
    """Device time of all commands with the changes."""

    changed: int
    """Commands whose time the changes touch."""
