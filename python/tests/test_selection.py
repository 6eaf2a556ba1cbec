"""Selections of the page in Python. The tests notify the server like a page; e2e/page/jupyter.test.mjs has a real page."""

import json
from typing import Any, Optional
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

import syclscope
from syclscope.selection import Selection, area


def tell(widget: "syclscope.Widget", query: str) -> None:
    """Acts like a page at the widget's address."""
    address, _, asked = widget.url.partition("?")
    name = next(part[5:] for part in asked.split("&") if part.startswith("tell="))
    place = f"{address.replace('/t/', '/api/v1/traces/')}/shown/{name}"
    body = json.dumps({"query": query}).encode()
    urlopen(Request(place, body, {"content-type": "application/json"}, method="PUT"), timeout=300).close()


def rows(selection: Optional[Selection]) -> Any:
    assert selection is not None
    return selection.rows().df().to_dict("records")


def test_texts_of_addresses_are_read_and_written() -> None:
    for text, kind in [("12", "slice"), ("n3", "node"), ("q3", "queue"), ("a0", "allocation"), ("o9", "object")]:
        read = Selection.read(text)
        assert read is not None and (read.kind, str(read)) == (kind, text)
    assert Selection.read("l7./a%20b/c.cpp") == Selection("line", file="/a b/c.cpp", line=7)
    assert Selection.read("kvoid%20f%3Cint%3E") == Selection("name", name="void f<int>")
    assert Selection.read("t5-9") == Selection("range", start_ns=5, end_ns=9)
    assert area("5-9:1.4") == Selection("range", start_ns=5, end_ns=9, tracks=(1, 4))
    assert str(area("5-9:1.4")) == "5-9:1.4" and str(area("5-9")) == "t5-9"
    for text in ["", "-1", "x5", "g1", "g1.x", "n", "t9-5", "t5", "l7", "n²"]:
        assert Selection.read(text) is None, text


def test_a_selection_says_what_it_means(heat: syclscope.Trace) -> None:
    widget = heat.show()
    assert widget.selection is None and widget.view == "timeline" and widget.range_ns is None
    kernel = heat.sql("SELECT slice, name, node, file, line FROM executions JOIN nodes USING (node, name) WHERE executions.kind = 'kernel' LIMIT 1")
    slice_, name, node, file, line = kernel.fetchall()[0]
    tell(widget, f"?v=graph&r=1000.5-2000&s={slice_}&p=kernels")
    selected = widget.selection
    assert selected is not None and (selected.kind, selected.id) == ("slice", slice_)
    assert (widget.view, widget.range_ns) == ("graph", (1000.5, 2000.0))
    (row,) = rows(selected)
    assert row["name"] == name and selected.range_ns == (row["start_ns"], row["start_ns"] + row["duration_ns"])
    number = heat.sql(f"SELECT number FROM nodes WHERE node = {node}").fetchall()[0][0]
    tell(widget, f"?s=n{number}")
    assert [row["slice"] for row in rows(widget.selection)] == [slice_]
    for selection in [Selection("name", name=name), Selection("line", file=file, line=line)]:
        tell(widget, f"?s={selection}")
        assert widget.selection == selection and slice_ in [row["slice"] for row in rows(widget.selection)]
    tell(widget, f"?s=t{row['start_ns']}-{row['start_ns'] + 1}")
    assert slice_ in [row["slice"] for row in rows(widget.selection)]
    tell(widget, f"?area={row['start_ns']}-{row['start_ns'] + 1}:{row['track']}")
    assert slice_ in [found["slice"] for found in rows(widget.selection)]
    assert {found["track"] for found in rows(widget.selection)} == {row["track"]}
    # A closed device represents its queues, and a slice that ends where the range begins is not in it.
    everything = heat.search(start=0, end=heat.duration_ns, tracks=[0])["total"]
    assert len(rows(area(f"0-{heat.duration_ns}:0", heat))) == everything > 0
    end = row["start_ns"] + row["duration_ns"]
    assert slice_ not in [found["slice"] for found in rows(area(f"{end}-{end + 1}:{row['track']}", heat))]
    for text, table in [("q", "queues"), ("a", "allocations"), ("o", "objects")]:
        number = heat.sql(f"SELECT {'allocation' if text == 'a' else 'number'} FROM {table} LIMIT 1").fetchall()[0][0]
        tell(widget, f"?s={text}{number}")
        assert rows(widget.selection), text
    track = heat.sql("SELECT track FROM tracks WHERE kind = 'device' LIMIT 1").fetchall()[0][0]
    gap = heat.gaps(track=track)["gaps"][0]
    tell(widget, f"?s=g{track}.{gap['from_ns'] + 1}&area=5-9")
    idle = widget.selection
    assert idle is not None and (idle.kind, idle.id, str(idle)) == ("gap", track, f"g{track}.{gap['from_ns'] + 1}")
    assert idle.range_ns == (gap["from_ns"], gap["to_ns"])
    assert [found["track"] for found in rows(idle)] == [track]


def test_an_area_of_kernels_and_objects_has_what_they_did(heat: syclscope.Trace) -> None:
    # The page numbers their tracks from here on.
    kernels, objects = 1 << 31, 3 << 30
    whole, kernel = f"0-{heat.duration_ns}", heat.info["kernels"][1]
    ran = {row[0] for row in heat.sql(f"SELECT slice FROM executions WHERE name = '{kernel['name']}'").fetchall()}
    used = next(one["id"] for one in heat.object_list()["objects"] if heat.slice_list(objects=one["id"])["total"])
    touched = {row["at"]["slice"] for row in heat.slice_list(objects=used, limit=10_000)["slices"]}
    for tracks, expected in [
        (f"{kernels + 1}", ran),
        (f"{objects + used}", touched),
        (f"{kernels + 1}.{objects + used}", ran | touched),
        (f"{kernels + 10_000}", set()),
    ]:
        assert {row["slice"] for row in rows(area(f"{whole}:{tracks}", heat))} == expected, tracks
    assert ran and touched
    track = heat.sql(f"SELECT track FROM slices WHERE slice = {min(ran)}").fetchall()[0][0]
    everything = heat.search(start=0, end=heat.duration_ns, tracks=[track])["total"]
    assert len(rows(area(f"{whole}:{track}.{kernels + 1}", heat))) >= everything > 0


def test_every_page_has_a_selection_of_its_own(heat: syclscope.Trace) -> None:
    one, other = heat.show(slice=3), heat.show()
    tell(one, "?s=5")
    tell(other, "?s=n7")
    assert (str(one.selection), str(other.selection)) == ("5", "n7")
    with pytest.raises(HTTPError):
        tell(other, "x" * 70_000)


def test_python_selects_in_the_page(heat: syclscope.Trace) -> None:
    widget = heat.show()
    tell(widget, "?v=graph&r=5-9&s=3&p=area")
    widget.select("void f<int>")
    assert widget.selection == Selection("name", name="void f<int>")
    assert widget.frame_url.endswith("&v=graph&r=5-9&s=kvoid%20f%3Cint%3E"), "what is shown stays but for that"
    widget.select(12)
    assert widget.selection == Selection("slice", 12)
    widget.select(None)
    assert widget.selection is None and widget.view == "graph"
    some_tracks = Selection("range", start_ns=5, end_ns=9, tracks=(1, 4))
    tell(widget, "?v=graph&s=3")
    widget.select(some_tracks)
    assert widget.selection == some_tracks and widget.frame_url.endswith("&v=graph&area=5-9:1.4"), "its tracks stay"
    tell(widget, "?v=graph&area=5-9:1")
    widget.select(None)
    assert widget.selection is None and widget.view == "graph"


def test_a_server_that_was_killed_is_started_again(heat: syclscope.Trace) -> None:
    widget = heat.show()
    widget._server._process.kill()
    widget._server._process.wait()
    with pytest.raises(syclscope.SyclscopeError, match="show the trace again"):
        widget.selection
    assert heat.show().selection is None


def test_a_selection_of_no_trace_has_no_rows() -> None:
    with pytest.raises(syclscope.SyclscopeError, match="w.selection"):
        Selection("slice", 1).rows()
