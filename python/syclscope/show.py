"""The page in a notebook: an iframe of a server of this process's own, which lets only this account in."""

import atexit
import os
import re
import subprocess
import threading
import uuid
import weakref
from html import escape
from typing import TYPE_CHECKING, Dict, List, Optional, Sequence
from urllib.parse import urlencode, urlsplit

from .errors import ProgramFailed
from .program import find_program

if TYPE_CHECKING:
    from .trace import Trace

#: Where notebooks are if nothing says otherwise.
_ORIGINS = ("http://localhost:8888", "http://127.0.0.1:8888")


class Server:
    """``syclscope open`` of one file, for as long as this object is there."""

    def __init__(self, file: "os.PathLike[str]", origins: Sequence[str], hosts: Sequence[str]) -> None:
        # A port of its own, so that a page of before never shows the trace of now.
        command = [os.fspath(find_program()), "open", os.fspath(file), "--no-browser", "--port", "0", "--log", "error"]
        command += ["--frame-ancestors", *origins]
        for host in hosts:
            command += ["--allow-host", host]
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )
        self._finalizer = weakref.finalize(self, _end, self._process)
        assert self._process.stdout is not None and self._process.stderr is not None
        #: The address of the trace's page on this computer.
        self.address = self._process.stdout.readline().decode().strip()
        if not self.address:
            said = self._process.stderr.read().decode("utf-8", "replace").strip()
            raise ProgramFailed(said or "syclscope open ended at once", self._process.wait())
        # What it goes on to say must not fill the pipe.
        threading.Thread(target=self._process.stderr.read, daemon=True).start()

    def close(self) -> None:
        """Ends the server."""
        self._finalizer()


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    process.wait()


_servers: Dict[object, Server] = {}
atexit.register(_servers.clear)


class Widget:
    """The page of a trace in a notebook.

    ``view`` is what it shows (``"timeline"``, ``"graph"``, ``"memory"``, ``"summary"``, …), ``start`` and ``end`` the visible time
    in nanoseconds, ``slice`` what is selected. ``proxy`` is the address of jupyter-server-proxy, such as
    ``"/user/ada/proxy/"``; it is found where ``JUPYTERHUB_SERVICE_PREFIX`` says so. ``origins`` are the notebook's, where it is
    neither behind that proxy nor at http://localhost:8888.
    """

    def __init__(
        self,
        trace: "Trace",
        view: Optional[str] = None,
        *,
        start: Optional[int] = None,
        end: Optional[int] = None,
        slice: Optional[int] = None,
        height: int = 600,
        proxy: Optional[str] = None,
        origins: Optional[Sequence[str]] = None,
        hosts: Sequence[str] = (),
    ) -> None:
        self._height = height
        prefix = os.environ.get("JUPYTERHUB_SERVICE_PREFIX")
        self._proxy = proxy if proxy is not None else f"{prefix}proxy/" if prefix else None
        allowed = list(origins) if origins is not None else ["self"] if self._proxy else _notebooks()
        key = (trace.path, trace.path.stat().st_mtime_ns, *allowed, "", *hosts)
        if key not in _servers:
            _servers[key] = Server(trace.path, allowed, hosts)
        self._server = _servers[key]
        query = {"v": view, "s": slice, "r": None if start is None or end is None else f"{start}-{end}"}
        self._query = urlencode({name: value for name, value in query.items() if value is not None})

    @property
    def url(self) -> str:
        """The address of the page, whole and not for a frame, on this computer."""
        return self._server.address + (f"?{self._query}" if self._query else "")

    @property
    def frame_url(self) -> str:
        """The address for a frame, through the proxy where there is one."""
        parts = urlsplit(self._server.address)
        where = self._server.address if self._proxy is None else f"{self._proxy.rstrip('/')}/{parts.port}{parts.path}"
        return f"{where}?embed" + (f"&{self._query}" if self._query else "")

    def _repr_html_(self) -> str:
        name = f"syclscope-{uuid.uuid4().hex[:8]}"
        return (
            f'<iframe id="{name}" src="{escape(self.frame_url)}" width="100%" height="{self._height}" '
            f'style="border:0" allow="clipboard-write"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<page of a trace at {self.url}>"


def _notebooks() -> List[str]:
    """Origins of the notebook servers of this account."""
    try:
        from jupyter_server.serverapp import list_running_servers
    except ImportError:
        return list(_ORIGINS)
    found = []
    for server in list_running_servers():
        parts = urlsplit(str(server.get("url", "")))
        match = re.fullmatch(r"[A-Za-z0-9.\-\[\]:]+", parts.netloc)
        if match and parts.scheme in ("http", "https"):
            found.append(f"{parts.scheme}://{parts.netloc}")
    return sorted({*found, *_ORIGINS})
