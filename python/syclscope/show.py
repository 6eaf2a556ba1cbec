"""The page in a notebook: an iframe of this process's own server, which only this account may access."""

import atexit
import json
import os
import re
import secrets
import subprocess
import threading
import urllib.error
import urllib.request
import weakref
from html import escape
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple, Union
from urllib.parse import quote, unquote, urlsplit

from .errors import ProgramFailed, SyclscopeError
from .program import find_program
from .selection import Selection, area

if TYPE_CHECKING:
    from .trace import Trace

#: Characters that are not escaped in a URL.
_KEPT = "/:,()*!"
#: Origin of notebooks by default.
_ORIGINS = ("http://localhost:8888", "http://127.0.0.1:8888")


class Server:
    """``syclscope open`` of one file, for the lifetime of this object."""

    def __init__(self, file: "os.PathLike[str]", origins: Sequence[str], hosts: Sequence[str]) -> None:
        # On a separate port, so that an older page never shows a newer trace.
        command = [os.fspath(find_program()), "open", os.fspath(file), "--no-browser", "--port", "0", "--log", "error"]
        # The server also ends if this process is killed.
        command += ["--until-input-ends"]
        command += ["--frame-ancestors", *origins]
        for host in hosts:
            command += ["--allow-host", host]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )
        self._finalizer = weakref.finalize(self, _end, self._process)
        assert self._process.stdout is not None and self._process.stderr is not None
        #: The URL of the trace's page on this computer.
        self.address = self._process.stdout.readline().decode().strip()
        if not self.address:
            said = self._process.stderr.read().decode("utf-8", "replace").strip()
            raise ProgramFailed(said or "syclscope open ended at once", self._process.wait())
        # Further output must not fill the pipe.
        threading.Thread(target=self._process.stderr.read, daemon=True).start()

    @property
    def has_ended(self) -> bool:
        """True if its process has ended: it was killed, or the memory was not enough."""
        return self._process.poll() is not None

    def close(self) -> None:
        """Ends the server."""
        self._finalizer()


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    process.wait()
    if process.stdin is not None:
        process.stdin.close()


#: By file, origins and hosts: the server, and the time of the file that it shows. That of an earlier recording lasts as
#: long as a widget has it.
_servers: Dict[object, Tuple[int, Server]] = {}
atexit.register(_servers.clear)


class Widget:
    """The page of a trace in a notebook.

    ``view`` is the displayed view (``"timeline"``, ``"graph"``, ``"memory"``, ``"summary"``, …), ``start`` and ``end`` the
    visible time in nanoseconds, ``slice`` the selected slice. ``proxy`` is the URL of jupyter-server-proxy, such as
    ``"/user/ada/proxy/"``, by default derived from ``JUPYTERHUB_SERVICE_PREFIX``. ``origins`` are those of the notebook, if it
    is neither behind that proxy nor at http://localhost:8888.

    ``selection`` is the current selection in the page.
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
        key, written = (trace.path, *allowed, "", *hosts), trace.path.stat().st_mtime_ns
        known = _servers.get(key)
        if known is None or known[0] != written or known[1].has_ended:
            known = _servers[key] = (written, Server(trace.path, allowed, hosts))
        self._server = known[1]
        self._trace = trace
        # A secret name, under which the page reports its view.
        self._name = secrets.token_hex(16)
        self._display: Any = None
        parts = {"v": view, "s": slice, "r": None if start is None or end is None else f"{start}-{end}"}
        #: The page's view until it reports one: the parts of its URL, not decoded.
        self._shown = {name: quote(str(value), _KEPT) for name, value in parts.items() if value is not None}

    @property
    def selection(self) -> Optional[Selection]:
        """The current selection in the page: a slice, a command, a kernel, a line, a range of time, …; None if nothing is
        selected.

        ``print(w.selection.kind, w.selection.id)``, ``w.selection.rows().df()``.
        """
        state = self._state()
        selected = Selection.read(state["s"], self._trace) if "s" in state else None
        return selected or (area(state["area"], self._trace) if "area" in state else None)

    @property
    def range_ns(self) -> Optional[Tuple[float, float]]:
        """The visible time; None for the initial one of the trace."""
        start, dash, end = self._state().get("r", "").partition("-")
        if start == "all":
            return 0, self._trace.duration_ns
        return (float(start), float(end)) if dash else None

    @property
    def view(self) -> str:
        """The displayed view, or several, such as ``"row(timeline:600,source:400)"``."""
        return unquote(self._state().get("v", "timeline"))

    def select(self, what: Union[None, int, str, Selection]) -> None:
        """Selects something in the page: a slice by its number, a kernel by its name, a :class:`Selection`, or nothing.

        A displayed page is reloaded at the same view.
        """
        if isinstance(what, str):
            what = Selection("name", name=what)
        elif isinstance(what, int):
            what = Selection("slice", what)
        state = self._state()
        # The panel's content depends on the selection. An area of time also counts, if nothing else is selected.
        has_tracks = what is not None and bool(what.tracks)
        gone = ("s", "p", "area") if what is None or has_tracks else ("s", "p")
        state = {name: value for name, value in state.items() if name not in gone}
        if what is not None:
            state["area" if has_tracks else "s"] = str(what)
        self._shown = state
        # An earlier page may still report; a new name ignores it.
        self._name = secrets.token_hex(16)
        if self._display is not None:
            self._display.update(_Html(self._repr_html_()))

    def _state(self) -> Dict[str, str]:
        """Returns the parts of a URL that shows the page's current view."""
        parts = urlsplit(self._server.address)
        root, _, trace = parts.path.rpartition("/t/")
        address = f"http://{parts.netloc}{root}/api/v1/traces/{trace}/shown/{self._name}"
        try:
            # A proxy for outside connections must not be used.
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(address, timeout=60) as answer:
                query: str = json.load(answer)["query"]
        except urllib.error.HTTPError as error:
            if error.code == 404:
                # No page has been opened yet.
                return dict(self._shown)
            raise SyclscopeError(f"can't get the selection from the page's server: {error}") from error
        except OSError as error:
            raise SyclscopeError(f"the page's server has ended ({error}): show the trace again") from error
        return {name: value for name, _, value in (part.partition("=") for part in query.lstrip("?").split("&")) if name}

    def _query(self, *first: str) -> str:
        shown = [f"{name}={value}" for name, value in self._shown.items()]
        return "?" + "&".join([*first, f"tell={self._name}", *shown])

    @property
    def url(self) -> str:
        """The URL of the full page, outside a frame, on this computer."""
        return self._server.address + self._query()

    @property
    def frame_url(self) -> str:
        """The URL for a frame, through the proxy if there is one."""
        parts = urlsplit(self._server.address)
        where = self._server.address if self._proxy is None else f"{self._proxy.rstrip('/')}/{parts.port}{parts.path}"
        return where + self._query("embed")

    def _repr_html_(self) -> str:
        return (
            f'<iframe id="syclscope-{self._name[:8]}" src="{escape(self.frame_url)}" width="100%" height="{self._height}" '
            f'style="border:0" allow="clipboard-write"></iframe>'
        )

    def _ipython_display_(self) -> None:
        """Displays it in a way that allows ``select`` to change it."""
        from IPython import display

        # IPython's module has no types.
        publish: Any = display.display
        if self._display is None:
            self._display = publish(_Html(self._repr_html_(), repr(self)), display_id=True)
        else:
            self._display.display(_Html(self._repr_html_(), repr(self)))

    def __repr__(self) -> str:
        return f"<page of a trace at {self.url}>"


class _Html:
    """Returns its HTML for notebooks."""

    def __init__(self, html: str, text: str = "") -> None:
        self._html, self._text = html, text

    def _repr_html_(self) -> str:
        return self._html

    def __repr__(self) -> str:
        return self._text


def _notebooks() -> List[str]:
    """Returns the origins of the notebook servers of this account."""
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
