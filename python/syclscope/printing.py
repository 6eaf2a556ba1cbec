"""Tables as text for terminals and as HTML for notebooks."""

import shutil
import textwrap
import unicodedata
from html import escape
from typing import Any, List, Sequence

#: Maximum length of a text; twice as long in a notebook.
_MAX_CHARACTERS = 40


def as_text(title: str, names: Sequence[str], columns: Sequence[Sequence[Any]], rows: int) -> str:
    """Returns a title and the first rows as aligned columns, as many as fit into the terminal."""
    width = max(shutil.get_terminal_size().columns, 20)
    shown = len(columns[0]) if columns else 0
    # A single column leaves space for the note about omitted ones.
    most = min(_MAX_CHARACTERS, width - 3)
    drawn = [[_cut(name, most), *(_cell(value, most) for value in column)] for name, column in zip(names, columns)]
    if shown < rows:
        drawn = [[*column, "…"] for column in drawn]
    right = [all(value is None or _is_number(value) for value in column) and bool(column) for column in columns]
    widths = [max(map(_width, column)) for column in drawn]
    places, left_out = _fitting(widths, width)
    lines = [_cut(title, width)]
    for row in range(len(drawn[0]) if drawn else 0):
        cells = [
            "…" if place < 0 else _aligned(drawn[place][row], widths[place], right[place]) for place in places
        ]
        lines.append("  ".join(cells).rstrip())
    if left_out:
        hidden = f"{len(left_out)} more {'column' if len(left_out) == 1 else 'columns'}: "
        lines += textwrap.wrap(hidden + ", ".join(_clean(names[place]) for place in left_out), width)
    return "\n".join(lines)


def as_html(title: str, names: Sequence[str], columns: Sequence[Sequence[Any]], rows: int) -> str:
    """Returns a title and the first rows as an HTML table. All texts of a trace are escaped."""
    head = "".join(f"<th>{escape(_clean(name))}</th>" for name in names)
    body = []
    for row in range(len(columns[0]) if columns else 0):
        cells = "".join(_html(column[row]) for column in columns)
        body.append(f"<tr>{cells}</tr>")
    if columns and len(columns[0]) < rows:
        body.append(f"<tr>{'<td>…</td>' * len(columns)}</tr>")
    return (
        f'<div style="overflow-x:auto"><p>{escape(_clean(title))}</p>'
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
    )


def _html(value: Any) -> str:
    align = "right" if value is None or _is_number(value) else "left"
    return f'<td style="text-align:{align}">{escape(_cell(value, 2 * _MAX_CHARACTERS))}</td>'


def _fitting(widths: Sequence[int], width: int) -> "tuple[List[int], List[int]]":
    """Chooses the columns to show, from both ends; -1 marks the omitted ones between them, which are also returned."""
    if sum(widths) + 2 * (len(widths) - 1) <= width:
        return list(range(len(widths))), []
    first, last = 0, len(widths)
    # The mark between them takes one character.
    room = width - 1
    from_left = True
    while first < last:
        place = first if from_left else last - 1
        if widths[place] + 2 > room and first > 0:
            break
        room -= widths[place] + 2
        first, last = (first + 1, last) if from_left else (first, last - 1)
        from_left = not from_left
    return [*range(first), -1, *range(last, len(widths))], list(range(first, last))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _cell(value: Any, most: int) -> str:
    if value is None:
        return "null"
    return f"{value:g}" if isinstance(value, float) else _cut(str(value), most)


def _clean(text: str) -> str:
    """Returns a text without characters that control a terminal or the text direction."""
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def _cut(text: str, most: int) -> str:
    # Each character takes at least one column, except for combining ones.
    text = _clean(text[: 4 * most + 1])
    if _width(text) <= most:
        return text
    cut: List[str] = []
    room = most - 1
    for one in text:
        room -= _width(one)
        if room < 0:
            break
        cut.append(one)
    return "".join(cut) + "…"


def _width(text: str) -> int:
    """Returns the width of a text in columns of a terminal."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(one) in "WF" for one in text)
    return len(text) + wide - sum(unicodedata.category(one) in ("Mn", "Me") for one in text)


def _aligned(text: str, width: int, is_right: bool) -> str:
    space = " " * (width - _width(text))
    return space + text if is_right else text + space
