#!/usr/bin/env python3
"""Measures the cost of recording for a short command, on the device of this machine.

    python3 bench/commands/measure.py --sycl /opt/intel/oneapi/compiler/latest

Compiles a program that submits short commands of several kinds without a pause. Runs it without recording, under a subscriber that
does nothing (the rest is the runtime's own tracing), with CUPTI's records and nothing else (--cupti), and recorded in several ways,
all in turns, so that all meet the same noise. Prints the median of the rounds in microseconds of the submitting thread for one
command, and its ratio to the bare run. --flame runs each way once more with the submitting threads sampled, and says whose
code those microseconds were in. Needs a C++17 compiler, the runtime's headers and libraries (--sycl: the folder with include/
and lib/), and `syclscope`.
"""

import argparse
import collections
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Dict, Iterable, List, Optional, Tuple

HERE = Path(__file__).resolve().parent
#: Subscriber that ignores all notifications.
EMPTY = HERE.parent.parent / "xtask/src/bench/empty_subscriber.cpp"
#: Ways to run the program, with their column headings. The first one is the baseline of the others.
BARE, CUPTI, NOTHING = "bare", "CUPTI alone", "a subscriber that does nothing"
RECORDED = {
    "recorded": [],
    "recorded, --for timing": ["--for", "timing"],
    "recorded, --for waits": ["--for", "waits"],
    "recorded, --for memory": ["--for", "memory"],
    "recorded, --graphs whole": ["--graphs", "whole"],
    "recorded, --streams sycl": ["--streams", "sycl"],
    "recorded, --for everything": ["--for", "everything"],
}
HEADS = {BARE: "bare", CUPTI: "CUPTI", NOTHING: "nothing"}
HEADS.update(zip(RECORDED, ("recorded", "timing", "waits", "memory", "whole", "sycl", "everything")))
#: Owners of libraries, by patterns of their names. Libraries without a match belong to the driver.
OWNERS = {
    "program": r"short_commands",
    "runtime": r"libsycl\.",
    "XPTI": r"libxptifw",
    "adapters": r"libur_|libumf",
    "CUPTI": r"libcupti|libnvperf|libpcsampling",
    "recorder": r"subscriber|recorder",
    "not running": r"not running",
}
DRIVER = "driver"
#: Libraries whose samples count for their callers.
SHARED = re.compile(r"(libc|libm|libstdc\+\+|libgcc_s|libpthread|ld-linux.*|linux-vdso|libsampler|unknown)\b")
#: A round's line: kind of command, and nanoseconds.
LINE = re.compile(r"^(?!device )([a-z0-9].*) ([0-9.]+)$", re.MULTILINE)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--sycl", type=Path, required=True, metavar="FOLDER", help="the runtime: the folder with include/ and lib/")
    parser.add_argument("--syclscope", default="syclscope", metavar="PROGRAM", help="the program to record with (default: that in PATH)")
    parser.add_argument("--cxx", default=os.environ.get("CXX", "c++"), help="the C++ compiler (default: CXX, else c++)")
    parser.add_argument("--turns", type=int, default=5, metavar="N", help="how often each way is run (default: 5)")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="rounds of a run (default: 3)")
    parser.add_argument("--commands", type=int, default=20_000, metavar="N", help="kernels of a round; of dearer commands there are fewer (default: 20000)")
    parser.add_argument("--kernels", type=Path, metavar="FILE", help="the kernels as SYCLBIN; written where it does not exist")
    parser.add_argument("--cupti", type=Path, metavar="FILE", help="libcupti.so, to run with CUPTI's records alone, too")
    parser.add_argument("--built", type=Path, metavar="FOLDER", help="where program and subscriber are kept; what is there is not compiled again")
    parser.add_argument("--ways", nargs="+", choices=list(HEADS.values()), metavar="WAY", help=f"only these, beside bare: {', '.join(HEADS.values())}")
    parser.add_argument("--flame", type=Path, metavar="FOLDER", help="sample the submitting threads, too: collapsed stacks, a file for each case and way")
    parser.add_argument("--subscriber", type=Path, metavar="FILE", help="the recorder to load instead of the built-in one")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all rounds there, too")
    return parser.parse_args()


def compiled(given: argparse.Namespace, folder: Path, name: str, source: Path, flags: List[str]) -> Path:
    """A program or library of one source, against the runtime."""
    made = folder / name
    if not made.exists():
        library = given.sycl / "lib"
        command = [*given.cxx.split(), "-std=c++17", "-O2", "-w", f"-I{given.sycl / 'include'}", str(source), f"-L{library}"]
        subprocess.run([*command, *flags, f"-Wl,-rpath,{library}", "-o", str(made)], check=True)
    return made


class Measured:
    """Runs of the program, in every way."""

    def __init__(self, given: argparse.Namespace, folder: Path) -> None:
        self.given = given
        self.folder = folder
        built = (given.built or folder).resolve()
        built.mkdir(parents=True, exist_ok=True)
        self.program = compiled(given, built, "short_commands", HERE / "short_commands.cpp", ["-lsycl", "-ldl", "-pthread"])
        self.empty = compiled(given, built, "libempty_subscriber.so", EMPTY, ["-shared", "-fPIC", "-ldl"])
        self.cupti = compiled(given, built, "libcupti_alone.so", HERE / "cupti_alone.cpp", ["-shared", "-fPIC", "-ldl"])
        self.sampler = compiled(given, built, "libsampler.so", HERE / "sampler.cpp", ["-shared", "-fPIC", "-ldl"]) if given.flame else None
        self.device: Optional[str] = None
        #: Seconds of one command and its samples by stack, by kind of command and way.
        self.stacks: Dict[str, Dict[str, Tuple[float, Dict[str, int]]]] = collections.defaultdict(dict)
        #: Nanoseconds of each round, by way and kind of command.
        self.rounds: Dict[str, Dict[str, List[float]]] = collections.defaultdict(lambda: collections.defaultdict(list))

    def run(self, way: str, is_sampled: bool = False) -> None:
        """Runs the program once, and reads its times or its samples."""
        command = [str(self.program), str(self.given.rounds), str(self.given.commands)]
        command += [str(self.given.kernels.resolve())] if self.given.kernels else []
        framework = self.given.sycl / "lib/libxptifw.so"
        environment = dict(os.environ)
        samples = self.folder / "samples"
        if is_sampled:
            environment.update(LD_PRELOAD=str(self.sampler), SAMPLER_FILE=str(samples))
        if way == NOTHING:
            environment.update(XPTI_TRACE_ENABLE="1", UR_ENABLE_LAYERS="UR_LAYER_TRACING")
            environment.update(XPTI_FRAMEWORK_DISPATCHER=str(framework), XPTI_SUBSCRIBERS=str(self.empty))
        elif way == CUPTI:
            environment.update(CUDA_INJECTION64_PATH=str(self.cupti), CUPTI_LIBRARY=str(self.given.cupti.resolve()))
        elif way != BARE:
            recorder = [self.given.syclscope, "record", "--quiet", "--force", "-o", str(self.folder / "run.pftrace")]
            recorder += ["--subscriber", str(self.given.subscriber.resolve())] if self.given.subscriber else []
            command = [*recorder, "--xptifw", str(framework), *RECORDED[way], "--", *command]
        run = subprocess.run(command, env=environment, cwd=self.folder, stdout=subprocess.PIPE, text=True, check=True)
        self.device = next(line[len("device ") :] for line in run.stdout.splitlines() if line.startswith("device "))
        if is_sampled:
            self.read_samples(samples, way)
            return
        for kind, nanoseconds in LINE.findall(run.stdout):
            self.rounds[way][kind].append(float(nanoseconds))


    def read_samples(self, file: Path, way: str) -> None:
        """Reads the samples of one run, as sampler.cpp wrote them."""
        commands: Dict[str, float] = collections.Counter()
        nanoseconds: Dict[str, float] = collections.Counter()
        stacks: Dict[str, Dict[str, int]] = collections.defaultdict(collections.Counter)
        for line in file.read_text().splitlines():
            what, kind, number, rest = line.split("\t")
            if what == "case":
                commands[kind] += int(number)
                nanoseconds[kind] += float(rest)
            else:
                stacks[kind][rest] += int(number)
        for kind, count in commands.items():
            self.stacks[kind][way] = (nanoseconds[kind] / count, stacks[kind])
            name = re.sub(r"[^a-z0-9]+", "-", f"{kind}.{HEADS[way]}".lower())
            lines = [f"{stack} {samples}" for stack, samples in sorted(stacks[kind].items())]
            (self.given.flame / f"{name}.folded").write_text("".join(line + "\n" for line in lines))


def owner(frame: str) -> str:
    """Whose code a frame is in."""
    library = frame.split("!")[0]
    return next((name for name, pattern in OWNERS.items() if re.search(pattern, library)), DRIVER)


def owner_of(frames: List[str]) -> str:
    """Whose a stack is: that of its innermost frame, where what the C library does is its caller's."""
    return owner(next((frame for frame in reversed(frames) if not SHARED.match(frame)), frames[0]))


def flames(stacks: Dict[str, Dict[str, Tuple[float, Dict[str, int]]]]) -> Iterable[str]:
    """Yields a table for each kind of command: microseconds of one command, by owner and way."""
    for kind, ways in stacks.items():
        yield f"{kind + ', µs':<32}" + "".join(f"{HEADS[way]:>12}" for way in ways)
        rows: Dict[str, List[float]] = {name: [] for name in [*OWNERS, DRIVER]}
        rows["all"] = []
        below = {f"in or below the {name}": [] for name in ("recorder", "CUPTI")}
        below["in the C library (of all)"] = []
        for nanoseconds, counts in ways.values():
            per_sample = nanoseconds / 1e3 / max(1, sum(counts.values()))
            of_owner: Dict[str, int] = collections.Counter()
            for stack, count in counts.items():
                frames = stack.split(";")
                of_owner[owner_of(frames)] += count
                if frames[-1] == "not running":
                    continue
                owners = {owner(frame) for frame in frames if not SHARED.match(frame)}
                for name in ("recorder", "CUPTI"):
                    of_owner[f"in or below the {name}"] += count * (name in owners)
                of_owner["in the C library (of all)"] += count * bool(SHARED.match(frames[-1]))
            of_owner["all"] = sum(counts.values())
            for name, cells in [*rows.items(), *below.items()]:
                cells.append(of_owner[name] * per_sample)
        for name, cells in [*rows.items(), *below.items()]:
            if any(cells):
                yield f"  {name:<30}" + "".join(f"{cell:12.2f}" for cell in cells)
        yield ""


def table(rounds: Dict[str, Dict[str, List[float]]]) -> List[str]:
    """A row for each kind of command: medians in all ways, each with its ratio to the bare run."""
    rows = [f"{'µs a command':<32}" + "".join(f"{HEADS[way]:>18}" for way in rounds)]
    for kind, bare in rounds[BARE].items():
        medians = [statistics.median(kinds[kind]) for kinds in rounds.values()]
        cells = [f"{median / 1e3:10.2f} ×{median / statistics.median(bare):<6.2f}" for median in medians]
        rows.append(f"{kind:<32}" + "".join(cells).rstrip())
    return rows


def main() -> int:
    given = arguments()
    given.sycl = given.sycl.resolve()
    if given.flame:
        given.flame.mkdir(parents=True, exist_ok=True)
    framework = given.sycl / "lib/libxptifw.so"
    if not framework.exists():
        print(f"there is no {framework}: --sycl names the folder of a runtime, with include/ and lib/", file=sys.stderr)
        return 1
    try:
        with tempfile.TemporaryDirectory() as folder:
            measured = Measured(given, Path(folder))
            ways = [BARE, *([CUPTI] if given.cupti else []), NOTHING, *RECORDED]
            ways = [way for way in ways if not given.ways or way == BARE or HEADS[way] in given.ways]
            for turn in range(given.turns):
                for way in ways:
                    print(f"\rturn {turn + 1} of {given.turns}: {way:<32}", end="", file=sys.stderr, flush=True)
                    measured.run(way)
            for way in ways if given.flame else []:
                print(f"\rsampled: {way:<40}", end="", file=sys.stderr, flush=True)
                measured.run(way, is_sampled=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    count = given.turns * given.rounds
    print(f"\r{measured.device}, medians of {count} rounds of {given.commands} commands\n", file=sys.stderr)
    print("\n".join(table(measured.rounds)))
    print("\n" + "\n".join(f"{HEADS[way]}: {way}" for way in measured.rounds if HEADS[way] != way))
    if given.flame:
        print("\n" + "\n".join(flames(measured.stacks)))
    if given.json:
        given.json.write_text(json.dumps({"device": measured.device, "commands": given.commands, "ns": measured.rounds}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
