"""The magic in a real IPython, and the frame in which a notebook shows the page."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Mapping
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

import syclscope
from conftest import PACKAGE, environment


def test_the_extension_is_loaded_into_ipython(tmp_path: Path) -> None:
    script = f"from IPython.testing.globalipapp import start_ipython\nip = start_ipython()\nip.run_line_magic('load_ext', 'syclscope')\nip.run_cell_magic('syclscope', 'run.pftrace --quiet', \"print('the', 'cell')\")\nip.run_cell_magic('syclscope', '--wrong', 'pass')\n"
    script += "ip.run_cell_magic('syclscope', 'run.pftrace', 'print(1 + 41)')\nip.run_cell_magic('syclscope', 'failed.pftrace', '1 / 0')\n"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=environment(PYTHONPATH=str(PACKAGE), IPYTHONDIR=str(tmp_path / "ip")),
        capture_output=True, text=True, timeout=600, check=True,
    )  # fmt: skip
    assert "the cell" in done.stdout and "unrecognized arguments: --wrong" in done.stderr
    assert "the cell did not run: " in done.stderr and "(here: --force)" in done.stderr and "42" not in done.stdout
    assert "the cell failed; what it did until then is in " in done.stderr and (tmp_path / "failed.pftrace").is_file()
    assert "Traceback" not in done.stderr
    trace = syclscope.open(tmp_path / "run.pftrace")
    assert trace.search(where="category:user name:run.pftrace")["total"] == 1


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
