"""Recording from within a program, on a real runtime: what is in the file, and what is said where it can't be."""

import asyncio
import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import AsyncGenerator, Iterator, List

import pytest

import syclscope
from conftest import Run, environment
from syclscope import regions

WORK = """def work(times=3):
    import dpnp
    x = dpnp.arange(1000.0)
    for _ in range(times):
        x = x * 2
    return float(x.sum())
"""


def kernels(trace: syclscope.Trace, name: str = "multiply") -> int:
    return sum(row["count"] for row in trace.report()["commands"] if name in row["name"])


def test_a_block_is_recorded_whole(dpnp: Run, tmp_path: Path) -> None:
    dpnp(
        f"""{WORK}import syclscope
with syclscope.record("run.pftrace") as recording:
    import dpnp
    with syclscope.region("solve"), syclscope.region("solve"):
        work()
assert recording.path.exists() and recording.open().duration_ns >= recording.range_ns[1] > recording.range_ns[0]
work(100)
"""
    )
    trace = syclscope.open(tmp_path / "run.pftrace")
    assert kernels(trace) == 3
    # The program goes on after the block.
    assert [problem["kind"] for problem in trace.info["diagnostics"]] == ["part_of_run"], trace.info["diagnostics"]
    assert trace.info["complete"] and trace.info["counts"]["unreleased"] == 0
    regions = {row["name"]: row for row in trace.slice_list(where="category:user")["slices"]}
    assert {"run.pftrace", "solve"} <= set(regions)
    location = regions["solve"]["location"]
    lines = (tmp_path / "program.py").read_text().splitlines()
    assert location is not None and location["file"] == str(tmp_path / "program.py")
    assert "region" in lines[location["line"] - 1]
    # Work in two regions of one name counts once.
    sums = "SELECT regions, executions FROM region_device_time WHERE name = 'solve'"
    (everything,) = trace.sql("SELECT count(*) FROM executions").fetchall()[0]
    ((count, executions),) = trace.sql(sums).fetchall()
    assert count == 2 and 3 <= executions <= everything
    assert oct((tmp_path / "run.pftrace").stat().st_mode & 0o777) == "0o600"
    wait_until_gone(tmp_path)


def test_what_another_process_has_written_meanwhile_stays(dpnp: Run, tmp_path: Path) -> None:
    for name in ("run.pftrace", "run.json"):
        done = dpnp(
            f"""{WORK}import os, pathlib, syclscope
with syclscope.record("{name}") as recording:
    work()
    pathlib.Path("{name}").write_text("another")
assert recording.path.stem == f"run.{{os.getpid()}}", recording.path
print(recording.path)
"""
        )
        assert (tmp_path / name).read_text() == "another"
        assert kernels(syclscope.open(done.stdout.strip())) == 3


def test_names_that_are_no_text_do_not_end_the_program(dpnp: Run, tmp_path: Path) -> None:
    dpnp(
        f"""{WORK}import os, syclscope
name = os.fsdecode(b"part-\\xff")
with syclscope.record("run.pftrace") as recording:
    with syclscope.region(name):
        work()
"""
    )
    regions = syclscope.open(tmp_path / "run.pftrace").slice_list(where="category:user")["slices"]
    assert "part-?" in {row["name"] for row in regions}


def wait_until_gone(folder: Path) -> None:
    """For what goes when the program has ended, a moment later."""
    deadline = time.monotonic() + 300
    while any("part" in name for name in os.listdir(folder)):
        assert time.monotonic() < deadline, os.listdir(folder)
        time.sleep(0.01)


def test_a_folder_is_no_file_of_a_recording(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match="name a file in it"):
        with syclscope.record(tmp_path, force=True):
            raise AssertionError("the block must not run")


def test_a_region_lasts_as_long_as_a_coroutine_or_a_generator(monkeypatch: pytest.MonkeyPatch) -> None:
    told: List[object] = []
    monkeypatch.setattr(regions, "_is_on", True)
    monkeypatch.setattr(regions, "begin_and_end", lambda key: (lambda: told.append("begin"), lambda: told.append("end")))

    @syclscope.region("waits")
    async def waits() -> int:
        await asyncio.sleep(0)
        told.append("waited")
        return 7

    assert asyncio.run(waits()) == 7 and told == ["begin", "waited", "end"]

    @syclscope.region("yields")
    def yields() -> Iterator[int]:
        yield 1
        told.append("yielded")

    told.clear()
    assert list(yields()) == [1] and told == ["begin", "yielded", "end"]

    @syclscope.region("streams")
    async def streams() -> AsyncGenerator[int, int]:
        try:
            told.append((yield 1))
            yield 2
        except ValueError:
            told.append("failed")
            yield 3
        finally:
            told.append("closed")

    async def listens() -> List[int]:
        stream = streams()
        heard = [await stream.asend(None), await stream.asend(7), await stream.athrow(ValueError())]
        return heard + [item async for item in stream]

    told.clear()
    assert asyncio.run(listens()) == [1, 2, 3] and told == ["begin", 7, "failed", "closed", "end"]

    async def leaves() -> None:
        stream = streams()
        await stream.asend(None)
        await stream.aclose()

    told.clear()
    asyncio.run(leaves())
    assert told == ["begin", "closed", "end"]


def test_a_place_is_known_once_however_often_its_code_is_made(dpnp: Run, tmp_path: Path) -> None:
    # As a cell that runs again, or a function that is defined again.
    done = dpnp(
        """import syclscope
from syclscope import regions
source = '''
with syclscope.region("block"): pass
@syclscope.region("function")
def function(): pass
function()
'''
with syclscope.record("run.pftrace"):
    before = len(regions._known)
    for _ in range(50):
        exec(compile(source, "cell", "exec"))
    print(len(regions._known) - before)
"""
    )
    assert done.stdout == "2\n"
    found = syclscope.open(tmp_path / "run.pftrace").slice_list(where="category:user", limit=1000)["slices"]
    names = [row["name"] for row in found]
    assert names.count("block") == names.count("function") == 50


def test_what_is_not_recorded_is_not_there(dpnp: Run, tmp_path: Path) -> None:
    dpnp(
        f"""{WORK}import syclscope
syclscope.prepare(detail="high")
import dpnp
work(50)
with syclscope.record("one.pftrace"):
    work(2)
    syclscope.pause()
    work(40)
    syclscope.resume()
    work(3)
work(30)
with syclscope.record("two.json") as second:
    work(4)
print(*second.range_ns)
"""
    )
    one, two = syclscope.open(tmp_path / "one.pftrace"), syclscope.open(tmp_path / "two.json")
    assert (kernels(one), kernels(two)) == (5, 9)
    assert len([pause for pause in one.info["pauses"] if pause["end_ns"] is not None]) == 2
    assert two.info["complete"] and (tmp_path / "two.json").read_bytes()[:1] in b"[{"


def test_a_range_is_that_of_its_block(dpnp: Run, tmp_path: Path) -> None:
    done = dpnp(
        f"""{WORK}import syclscope, json
syclscope.prepare()
import dpnp
ranges = []
for number in (1, 2):
    with syclscope.record(f"{{number}}.pftrace") as recording:
        work(number * 3)
    ranges.append(recording.range_ns)
print(json.dumps(ranges))
"""
    )
    ranges = json.loads(done.stdout)
    trace = syclscope.open(tmp_path / "2.pftrace")
    found = [trace.kernel(row["name"], start=start, end=end) for start, end in ranges for row in trace.info["kernels"] if "multiply" in row["name"]]
    assert [profile["later"]["count"] + profile["first"]["count"] for profile in found] == [3, 6]


def test_an_error_of_the_program_stays_and_leaves_its_recording(dpnp: Run, tmp_path: Path) -> None:
    done = dpnp(
        f"""{WORK}import syclscope
with syclscope.record("run.pftrace"):
    import dpnp
    work()
    raise KeyError("mine")
""",
        fails=True,
    )
    assert "KeyError: 'mine'" in done.stderr and "syclscope:" not in done.stderr
    assert kernels(syclscope.open(tmp_path / "run.pftrace")) == 3


def test_a_wait_that_fails_leaves_the_recording(dpnp: Run, tmp_path: Path) -> None:
    done = dpnp(
        f"""{WORK}import syclscope
def fail():
    raise OSError("mine")
syclscope.prepare()
import dpnp
try:
    with syclscope.record("run.pftrace", wait=fail):
        work()
except OSError as error:
    print(error)
work(20)
with syclscope.record("later.pftrace"):
    work(2)
"""
    )
    assert done.stdout == "mine\n"
    assert kernels(syclscope.open(tmp_path / "run.pftrace")) == 3
    # It was paused between the blocks.
    assert kernels(syclscope.open(tmp_path / "later.pftrace")) == 5


def test_it_says_so_where_the_runtime_is_there_already(dpnp: Run) -> None:
    done = dpnp("import dpnp, syclscope\nwith syclscope.record('run.pftrace'):\n    pass\n", fails=True)
    assert "RuntimeLoaded" in done.stderr and "libsycl.so" in done.stderr
    assert "syclscope.prepare() before the import of dpnp" in done.stderr and "syclscope record -- python" in done.stderr


def test_it_says_so_where_recording_can_not_work(dpnp: Run, tmp_path: Path) -> None:
    done = dpnp("import syclscope\nwith syclscope.record('run.pftrace', xptifw='/nowhere'):\n    pass\n", fails=True)
    assert "RecordingFailed: recording can't work here" in done.stderr and "/nowhere" in done.stderr and "--" not in done.stderr
    for setting, text in [("detail='x'", "invalid detail 'x': it is one of low, "), ("buffer_size='x'", "invalid buffer_size 'x': not a size")]:
        done = dpnp(f"import syclscope\nsyclscope.prepare({setting})\n", fails=True)
        assert text in done.stderr and "--" not in done.stderr
    (tmp_path / "run.pftrace").write_text("mine")
    done = dpnp("import syclscope\nwith syclscope.record('run.pftrace'):\n    pass\n", fails=True)
    assert "force=True" in done.stderr and (tmp_path / "run.pftrace").read_text() == "mine"
    done = dpnp(
        "import syclscope\nsyclscope.prepare(detail='low')\nwith syclscope.record('a.pftrace', detail='high'):\n    pass\n", fails=True
    )
    assert "other settings" in done.stderr


def test_one_block_at_a_time(dpnp: Run) -> None:
    done = dpnp(
        "import syclscope\nwith syclscope.record('a.pftrace'):\n    with syclscope.record('b.pftrace'):\n        pass\n", fails=True
    )
    assert "one recording at a time" in done.stderr


def test_under_the_launcher_blocks_are_regions(dpnp: Run, tmp_path: Path) -> None:
    program = str(syclscope.find_program())
    dpnp(
        f"""{WORK}import syclscope
import dpnp
with syclscope.record("mine.pftrace") as recording:
    work()
assert recording.path is None
syclscope.pause()
work(20)
syclscope.resume()

@syclscope.region("again")
def again(times: int) -> float:
    "Doubles."
    return work(times)

assert again.__doc__ == "Doubles." and again.__name__ == "again"
again(2)
""",
        program, "record", "--quiet", "-o", "whole.pftrace", "--",
    )  # fmt: skip
    assert not (tmp_path / "mine.pftrace").exists()
    trace = syclscope.open(tmp_path / "whole.pftrace")
    assert kernels(trace) == 5 and trace.info["complete"]
    assert {row["name"] for row in trace.slice_list(where="category:user")["slices"]} == {"mine.pftrace", "again"}


def test_regions_do_nothing_when_nobody_records(dpnp: Run, tmp_path: Path) -> None:
    dpnp(f"{WORK}import syclscope\nimport dpnp\nwith syclscope.region('a'):\n    work()\nsyclscope.pause()\nsyclscope.resume()\n")
    assert os.listdir(tmp_path) == ["program.py"]


def test_processes_that_are_started_are_not_recorded(dpnp: Run, tmp_path: Path) -> None:
    dpnp(
        f"""{WORK}import subprocess, sys, syclscope
with syclscope.record("run.pftrace"):
    import dpnp
    work()
    subprocess.run([sys.executable, "-c", "import dpnp; print(float(dpnp.arange(10.0).sum()))"], check=True)
"""
    )
    wait_until_gone(tmp_path)
    assert sorted(os.listdir(tmp_path)) == ["program.py", "run.pftrace"]
    assert len(syclscope.open(tmp_path / "run.pftrace").info["processes"]) == 1


def test_processes_that_are_forked_leave_the_recording_alone(dpnp: Run, tmp_path: Path) -> None:
    dpnp(
        f"""{WORK}import atexit, os, syclscope

def ends():
    # What Python does at an exit. The runtime's own handlers wait forever in a forked child.
    atexit._run_exitfuncs()
    os._exit(0)

try:
    with syclscope.record("run.pftrace"):
        import dpnp
        work()
        child = os.fork()
        if child == 0:
            with syclscope.region("in the child"):
                raise SystemExit
        os.waitpid(child, 0)
        work()
except SystemExit:
    ends()
"""
    )
    assert kernels(syclscope.open(tmp_path / "run.pftrace")) == 6
    wait_until_gone(tmp_path)
    assert sorted(os.listdir(tmp_path)) == ["program.py", "run.pftrace"]


def test_a_worker_of_multiprocessing_leaves_its_recording_alone(dpnp: Run, tmp_path: Path) -> None:
    # Such a process ends without Python's functions for an exit.
    dpnp(
        f"""{WORK}import multiprocessing, syclscope

def recorded():
    with syclscope.record("run.pftrace"):
        work()

worker = multiprocessing.get_context("fork").Process(target=recorded)
worker.start()
worker.join()
assert worker.exitcode == 0, worker.exitcode
"""
    )
    assert kernels(syclscope.open(tmp_path / "run.pftrace")) == 3
    wait_until_gone(tmp_path)
    assert sorted(os.listdir(tmp_path)) == ["program.py", "run.pftrace"]


def test_a_killed_program_leaves_what_was_recorded(tmp_path: Path) -> None:
    script = f"""{WORK}import syclscope, time
with syclscope.record("run.pftrace"):
    import dpnp
    work()
    print("done", flush=True)
    time.sleep(1000)
"""
    (tmp_path / "program.py").write_text(script)
    python = Path(os.environ["SYCL_PYTHON_VENV"]) / "bin/python"
    with subprocess.Popen([python, "program.py"], cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None and running.stdout.readline() == "done\n"
        part = tmp_path / f"run.part.{running.pid}.pftrace"
        deadline = time.monotonic() + 300
        # The end of a killed program may be lost, so wait until the kernels are in the file.
        while not part.exists() or kernels(syclscope.open(part)) < 3:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        running.send_signal(signal.SIGKILL)
    assert kernels(syclscope.open(part)) == 3
    assert not (tmp_path / "run.pftrace").exists()


def test_cells_of_a_notebook_are_recorded(dpnp: Run, tmp_path: Path) -> None:
    # IPython is not in dpnp's environment: a class with the used methods of a shell replaces it; test_notebook.py has
    # the real one.
    dpnp(
        f"""import syclscope
class Shell:
    user_ns = {{}}
    def register_magic_function(self, function, kind, name):
        self.magic = function
    def run_cell(self, cell):
        exec(cell, self.user_ns)
        return type("Done", (), {{"success": True}})
shell = Shell()
syclscope.load_ipython_extension(shell)
shell.run_cell('''import dpnp
{WORK}''')
shell.magic("--name t", "work(3)")
shell.magic("named.pftrace --quiet", "work(4)")
assert shell.user_ns["t"].path.name == "cell-1.pftrace"
"""
    )
    wait_until_gone(tmp_path)
    assert [kernels(syclscope.open(tmp_path / name)) for name in ("cell-1.pftrace", "named.pftrace")] == [3, 7]
