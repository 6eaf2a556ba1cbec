"""The magic in a real IPython, and the frame in which a notebook shows the page."""

import gc
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, List, Mapping, Tuple
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

import syclscope
from conftest import PACKAGE, TRACES, environment


def in_ipython(folder: Path, script: str, *cells: str) -> "Tuple[List[Any], str, str]":
    """Runs cells in a real IPython. Returns the name and the text of each one's error, or None, and both outputs."""
    lines = ["import json", "from IPython.testing.globalipapp import start_ipython", "ip = start_ipython()", script, "ended = []"]
    for cell in cells:
        lines += [f"done = ip.run_cell({cell!r})", "error = done.error_before_exec or done.error_in_exec"]
        lines += ["ended.append(error and [type(error).__name__, str(error)])"]
    lines += ["print('ENDED' + json.dumps(ended))"]
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], cwd=folder, env=environment(PYTHONPATH=str(PACKAGE), IPYTHONDIR=str(folder / "ip")),
        capture_output=True, text=True, timeout=600, check=True,
    )  # fmt: skip
    printed, _, ended = done.stdout.rpartition("ENDED")
    return json.loads(ended), printed, done.stderr


def test_the_extension_is_loaded_into_ipython(tmp_path: Path) -> None:
    ended, printed, warned = in_ipython(
        tmp_path,
        "ip.run_line_magic('load_ext', 'syclscope')",
        "%%syclscope run.pftrace --quiet\nprint('the', 'cell')",
        "%%syclscope --wrong\npass",
        "%%syclscope 'run\npass",
        "%%syclscope run.pftrace\nprint(1 + 41)",
        "%%syclscope no/such/run.pftrace\nprint(2 + 41)",
        "%%syclscope run.pftrace --force --name t\nx = 7",
        "t.path.name, x",
    )
    assert ended[0] is None and "the cell" in printed
    assert ended[1][0] == "UsageError" and "unrecognized arguments: --wrong" in ended[1][1]
    assert ended[2][0] == "UsageError" and "No closing quotation" in ended[2][1]
    assert ended[3] == ["FileExistsError", "run.pftrace exists; `%%syclscope run.pftrace --force` overwrites it"]
    assert ended[4][0] == "FileNotFoundError" and "no folder" in ended[4][1]
    assert "42" not in printed and "43" not in printed and "the cell did not run" in warned
    assert ended[5:] == [None, None] and "('run.pftrace', 7)" in printed
    # Each error is a line, without the frames of this package.
    assert "FileExistsError: run.pftrace exists" in printed and "Traceback" not in printed + warned
    trace = syclscope.open(tmp_path / "run.pftrace")
    assert trace.search(where="category:user name:run.pftrace")["total"] == 2


def test_a_cell_that_fails_fails_under_the_magic_too(tmp_path: Path) -> None:
    ended, printed, warned = in_ipython(
        tmp_path,
        "ip.run_line_magic('load_ext', 'syclscope')",
        "%%syclscope failed.pftrace\nbefore = 1\n1 / 0",
        "print('SHOWN')",
        "%tb",
        "%%syclscope wrong.pftrace\n1 +",
        "before",
    )
    assert [end and end[0] for end in ended] == ["ZeroDivisionError", None, None, "SyntaxError", None]
    assert "the cell failed; it is recorded until then in " in warned and (tmp_path / "failed.pftrace").is_file()
    # The cell's own traceback is shown once, and then a line. All of it can be shown on request.
    shown, _, later = printed.partition("SHOWN")
    assert shown.count("1 / 0") == 1 and shown.count("ZeroDivisionError: division by zero") == 2
    assert "1 / 0" in later
    trace = syclscope.open(tmp_path / "failed.pftrace")
    assert trace.search(where="category:user name:failed.pftrace")["total"] == 1


def test_a_cell_fails_whose_recording_fails(tmp_path: Path) -> None:
    script = "ip.run_line_magic('load_ext', 'syclscope')\nfrom syclscope import snapshot\n"
    script += "def fail(*some): raise OSError('no space')\nsnapshot.save = fail"
    ended, printed, warned = in_ipython(tmp_path, script, "%%syclscope a.pftrace\nx = 7", "%%syclscope b.pftrace\n1 / 0", "x")
    assert ended[0][0] == "RecordingFailed" and "a.pftrace: no space" in ended[0][1]
    assert "the cell ran, but was not recorded" in warned
    # The first error counts.
    assert ended[1][0] == "ZeroDivisionError" and "b.pftrace: no space" in warned
    assert ended[2] is None and "Traceback" not in warned


def fetched(url: str) -> "tuple[str, Mapping[str, str]]":
    with urlopen(url, timeout=300) as answer:
        return answer.read().decode(), answer.headers


def test_the_page_is_shown_in_a_frame(heat: syclscope.Trace) -> None:
    widget = heat.show("graph", start=250_000_000, end=260_000_000, slice=7)
    html = widget._repr_html_()
    frame = re.search(r'src="([^"]+)"', html)
    assert frame is not None
    url = frame[1].replace("&amp;", "&")
    assert url == widget.frame_url and re.search(r"[?]embed&tell=[0-9a-f]{32}&v=graph&s=7&r=250000000-260000000$", url)
    page, headers = fetched(url)
    assert "<html" in page and "http://localhost:8888" in headers["content-security-policy"]
    assert heat.show().url.split("?")[0] == widget.url.split("?")[0], "one server for one trace"
    proxied = heat.show(proxy="/user/ada/proxy/")
    assert re.fullmatch(r"/user/ada/proxy/\d+/t/[^/?]+\?embed&tell=[0-9a-f]{32}", proxied.frame_url)
    assert "frame-ancestors 'self'" in fetched(proxied.url.split("?")[0] + "?embed")[1]["content-security-policy"]


def test_the_server_of_an_earlier_recording_ends_with_its_widgets(tmp_path: Path) -> None:
    file = tmp_path / "run.pftrace.gz"
    file.write_bytes((TRACES / "heat.pftrace.gz").read_bytes())
    trace = syclscope.open(file)
    earlier = trace.show()
    process = earlier._server._process
    os.utime(file, ns=(1, 1))
    later = trace.show()
    assert later.url.split("?")[0] != earlier.url.split("?")[0] and process.poll() is None
    del earlier
    gc.collect()
    assert process.poll() is not None and not later._server.has_ended


def test_the_proxy_of_a_hub_is_found(heat: syclscope.Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTERHUB_SERVICE_PREFIX", "/user/bob/")
    assert heat.show().frame_url.startswith("/user/bob/proxy/")


def test_a_page_that_can_not_be_shown_says_why(tmp_path: Path) -> None:
    bad = tmp_path / "bad.pftrace"
    bad.write_text("no trace")
    with pytest.raises(syclscope.ProgramFailed, match="bad.pftrace"):
        syclscope.open(bad).show()


def test_nothing_else_is_served(heat: syclscope.Trace) -> None:
    with pytest.raises(HTTPError):
        fetched(heat.show().url.split("/t/")[0] + "/api/v1/traces/none")
