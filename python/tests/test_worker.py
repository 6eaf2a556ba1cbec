"""One process answers the questions of a trace, and ends when it should."""

import gc
import json
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, Optional

import pytest

import syclscope
from conftest import PACKAGE, TRACES
from syclscope import worker

FILE = TRACES / "heat.pftrace.gz"
#: Questions, with the exit code of `syclscope ask`.
QUESTIONS = {
    "": 0, "report": 0, "select?where=category:kernel": 0, "slices/999999": 1, "bogus": 2, "select?bogus=1": 2, "select?from=x": 2,
    "findings?from=9&to=5": 2,
    "report\nreport": 2, "find?text=a\nb": 0, "find?text=%FF": 2, "\ud800": 2,
}  # fmt: skip


def process_of(trace: syclscope.Trace) -> "Optional[subprocess.Popen[bytes]]":
    return trace._worker._process


def pid_of(trace: syclscope.Trace) -> int:
    process = process_of(trace)
    assert process is not None
    return process.pid


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_the_program_is_found_by_an_interpreter_without_a_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", None)
    monkeypatch.setenv("PATH", os.fspath(syclscope.find_program().parent))
    monkeypatch.delenv("SYCLSCOPE_PROGRAM", raising=False)
    assert syclscope.find_program().is_file()


@pytest.mark.parametrize("question", QUESTIONS)
def test_answers_and_errors_are_those_of_the_command(question: str) -> None:
    trace = syclscope.open(FILE)
    command = [os.fspath(syclscope.find_program()), "ask", os.fspath(FILE), question.encode("utf-8", "surrogatepass")]
    done = subprocess.run(command, capture_output=True, check=False)  # type: ignore[arg-type]
    assert done.returncode == QUESTIONS[question]
    if done.returncode == 0:
        assert trace.ask(question) == json.loads(done.stdout)
    else:
        with pytest.raises(syclscope.ProgramFailed) as raised:
            trace.ask(question)
        assert raised.value.status == done.returncode
        assert question == "\ud800" or str(raised.value) in done.stderr.decode().replace("\n", "%0A")
    assert trace.ask("contents"), "the next one gets its own answer"


def test_one_process_answers_all_questions_and_ends_with_the_trace() -> None:
    trace = syclscope.open(FILE)
    assert process_of(trace) is None, "nothing is asked yet"
    trace.report()
    pid = pid_of(trace)
    trace.critical_path()
    trace.gaps(limit=3)
    assert pid_of(trace) == pid and is_running(pid)
    del trace
    assert not is_running(pid)


def test_a_trace_is_closed() -> None:
    with syclscope.open(FILE) as trace:
        trace.report()
        pid = pid_of(trace)
    assert not is_running(pid) and trace.report()
    assert trace.contents() and is_running(pid_of(trace)), "whoever asks again is answered"
    trace.close()
    trace.close()


def test_a_process_that_died_is_started_again() -> None:
    trace = syclscope.open(FILE)
    trace.report()
    pid = pid_of(trace)
    os.kill(pid, signal.SIGKILL)
    assert trace.critical_path()["steps"] and pid_of(trace) != pid


def test_a_file_that_went_says_so(tmp_path: Path) -> None:
    file = tmp_path / "run.pftrace.gz"
    file.write_bytes(FILE.read_bytes())
    trace = syclscope.open(file)
    file.unlink()
    for _ in range(2):
        with pytest.raises(syclscope.ProgramFailed, match="can't read .*run.pftrace.gz") as raised:
            trace.report()
        assert raised.value.status == 1 and process_of(trace) is None


def test_an_older_program_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = tmp_path / "old"
    refusal = "error: unexpected argument '--lines' found"
    old.write_text(f"#!/bin/sh\ntest $1 = --version && echo syclscope 0.0.1 && exit\necho \"{refusal}\" >&2; exit 2\n")
    old.chmod(0o755)
    monkeypatch.setenv("SYCLSCOPE_PROGRAM", str(old))
    with pytest.raises(syclscope.NotSupported, match=r"0\.0\.1.* no option --lines of `ask`: it is older"):
        syclscope.open(FILE).report()
    with pytest.raises(syclscope.NotSupported, match="no option --lines of `ask`"):
        syclscope.open(FILE).executions.path


def test_threads_take_turns() -> None:
    trace = syclscope.open(FILE)
    answers: "dict[int, Any]" = {}

    def ask(number: int) -> None:
        answers[number] = trace.ask(f"slices/{number}")

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = [syclscope.open(FILE).ask("slices/0"), *(trace.ask(f"slices/{number}") for number in range(1, 40))]
    assert [answers[number] for number in range(40)] == expected and len({str(answer) for answer in expected}) == 40


def test_an_interrupt_leaves_no_answer_to_the_wrong_question(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = syclscope.open(FILE)
    trace.report()
    pid = pid_of(trace)
    process = process_of(trace)
    assert process is not None and process.stdout is not None

    class Interrupted:
        def read(self, size: int) -> bytes:
            raise KeyboardInterrupt

        def close(self) -> None:
            pass

    monkeypatch.setattr(process, "stdout", Interrupted())
    with pytest.raises(KeyboardInterrupt):
        trace.critical_path()
    assert not is_running(pid) and "steps" in trace.critical_path()


def asked_in_a_fork(trace: syclscope.Trace, pipe: Any) -> None:
    try:
        pipe.send((process_of(trace) is None, len(trace.gaps(limit=4)["gaps"]), pid_of(trace), len(trace.nodes)))
    finally:
        trace.close()
        pipe.close()


def test_a_forked_process_starts_its_own() -> None:
    trace = syclscope.open(FILE)
    trace.report()
    rows, folder, pid = len(trace.executions), trace.tables._files.folder, pid_of(trace)
    fork = multiprocessing.get_context("fork")
    held, release = threading.Event(), threading.Event()

    def hold() -> None:
        with trace._worker._lock, trace.tables._files._lock:
            held.set()
            release.wait(60)

    # Holds the lock like a thread that queries while this one forks.
    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(60)
    ours, theirs = fork.Pipe()
    child = fork.Process(target=asked_in_a_fork, args=(trace, theirs))
    child.start()
    theirs.close()
    assert ours.poll(120), "it does not wait for a lock that nobody holds there"
    is_fresh, gaps, other, _ = ours.recv()
    child.join()
    release.set()
    thread.join()
    assert is_fresh and gaps == 4 and other != pid and child.exitcode == 0
    assert is_running(pid) and not is_running(other)
    assert trace.critical_path() and pid_of(trace) == pid and len(trace.executions) == rows and folder.is_dir()


def tables_in_a_fork(trace: syclscope.Trace, pipe: Any) -> None:
    pipe.send((len(trace.nodes), trace.tables._files.folder))


def test_a_worker_of_multiprocessing_removes_its_tables() -> None:
    trace = syclscope.open(FILE)
    fork = multiprocessing.get_context("fork")
    ours, theirs = fork.Pipe()
    child = fork.Process(target=tables_in_a_fork, args=(trace, theirs))
    child.start()
    assert ours.poll(120)
    rows, folder = ours.recv()
    child.join()
    assert child.exitcode == 0 and rows == len(trace.nodes) and not folder.exists()


def test_a_trace_goes_to_other_processes() -> None:
    trace = syclscope.open(FILE)
    trace.report()
    copy = pickle.loads(pickle.dumps(trace))
    assert copy.path == trace.path and copy.duration_ns == trace.duration_ns and pid_of(copy) != pid_of(trace)


def test_few_processes_stay() -> None:
    before = sum(one() is not None for one in worker._running.list)
    traces = [syclscope.open(FILE) for _ in range(worker._MAX_PROCESSES + 3)]
    for trace in traces:
        trace.report()
    assert [process_of(trace) is not None for trace in traces] == [False] * 3 + [True] * worker._MAX_PROCESSES
    assert traces[0].contents() and process_of(traces[3]) is None and process_of(traces[4]) is not None
    del traces, trace
    gc.collect()
    assert sum(one() is not None for one in worker._running.list) == before


@pytest.mark.parametrize("end", ["", "import sys; sys.exit(3)", "1 / 0", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"])
@pytest.mark.parametrize("begin", ["t.report()\nprocess = t._worker._process", "w = t.show()\nprocess = w._server._process"])
def test_the_process_ends_with_python(begin: str, end: str) -> None:
    script = f"import syclscope\nt = syclscope.open({os.fspath(FILE)!r})\n{begin}\nprint(process.pid, flush=True)\n{end}"
    done = subprocess.run([sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": str(PACKAGE)}, capture_output=True, text=True)
    pid = int(done.stdout)
    deadline = time.monotonic() + 300
    while is_running(pid):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_question_is_a_text() -> None:
    wrong: Any = 7
    with pytest.raises(TypeError, match="a query must be a text, not int"):
        syclscope.open(FILE).ask(wrong)
