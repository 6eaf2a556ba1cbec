"""Generates ``syclscope/answers.py``: the answers' types of ``trace/language/src/api``, as Python's ``TypedDict``.

The wheel has it; ``python3 python/tools/answers.py`` writes it for editors and type checkers. It is not in git.
"""

import keyword
import re
import sys
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Set

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "trace/language/src/api"
TARGET = ROOT / "python/syclscope/answers.py"

#: Types of answers, from which the other generated types follow. A server's own types are no part of them.
ANSWERS = [
    "TraceInfo", "TimelineTile", "CounterTile", "DensityTile", "ActivityCounter", "MemoryTile", "SliceDetail", "SourceText",
    "FileCost", "FileLines", "Contents", "CallSummary", "CallTree", "Sandwich", "KernelProfile", "Report", "GraphView",
    "GraphMembers", "GraphComponents", "WhatIf", "Gaps", "Iterations", "StartUp", "Findings", "Builds", "Energy", "Regions", "Serialised", "Selected", "SliceList", "Found", "Matches", "Overlaps", "Alike",
    "Waits", "Stepped", "Life", "Dependences", "CriticalPath", "MemoryUse", "MemoryAt", "AllocationList", "ObjectList",
    "ObjectHistory", "TransferList", "Leaks", "SqlRows",
]  # fmt: skip

NUMBERS = {"f64": "float", "bool": "bool", "String": "str"}
NUMBERS.update({f"{sign}{bits}": "int" for sign in "ui" for bits in ("8", "16", "32", "64", "size")})


class Field(NamedTuple):
    name: str
    type: str
    doc: str
    is_flat: bool
    may_miss: bool


class Struct(NamedTuple):
    name: str
    doc: str
    fields: List[Field]


def structs() -> Dict[str, Struct]:
    """Every struct of the API by name."""
    found: Dict[str, Struct] = {}
    for file in [SOURCES.with_suffix(".rs"), *sorted(SOURCES.glob("**/*.rs"))]:
        text = file.read_text()
        for match in re.finditer(r"((?:^///[^\n]*\n|^#\[[^\n]*\]\n)*)^pub struct (\w+) \{\n(.*?)^\}", text, re.M | re.S):
            found[match[2]] = Struct(match[2], doc_of(match[1]), fields(match[3]))
    return found


def doc_of(lines: str) -> str:
    """The doc comment among some lines, without Rust's links."""
    text = "\n".join(line.strip()[3:].strip() for line in lines.splitlines() if line.strip().startswith("///"))
    text = re.sub(r"\[`([^`]+)`\]\([^)]*\)", r"`\1`", text)
    return re.sub(r"\[`([^`]+)`\]", r"`\1`", text).replace("::", ".").replace("\\", "\\\\")


def fields(body: str) -> List[Field]:
    made = []
    for match in re.finditer(r"((?:^ +///.*\n|^ +#\[.*\]\n)*)^ +pub (\w+): (.+),$", body, re.M):
        before, name, type_ = match.groups()
        renamed = re.search(r'rename = "(\w+)"', before)
        may_miss = "skip_serializing_if" in before
        made.append(Field(renamed[1] if renamed else name, type_, doc_of(before), "flatten" in before, may_miss))
    return made


def python_type(type_: str, known: Set[str], used: Set[str]) -> str:
    """Returns the Python type of a Rust type's JSON."""
    type_ = type_.strip()
    if type_ in NUMBERS:
        return NUMBERS[type_]
    generic = re.fullmatch(r"(Vec|Option|Box|Arc|BTreeMap)<(.+)>", type_)
    if generic:
        inner = python_type(generic[2], known, used) if generic[1] != "BTreeMap" else "Any"
        return {"Vec": f"List[{inner}]", "Option": f"Optional[{inner}]", "BTreeMap": "Dict[str, Any]"}.get(generic[1], inner)
    array = re.fullmatch(r"\[(.+); .+\]", type_)
    if array:
        return f"List[{python_type(array[1], known, used)}]"
    pair = re.fullmatch(r"\((.+)\)", type_)
    if pair:
        parts = [python_type(part, known, used) for part in re.split(r", (?![^<(]*[>)])", pair[1])]
        return f"Tuple[{', '.join(parts)}]"
    if type_ in known:
        used.add(type_)
        return type_
    if type_ == "ArgValue":
        return "Arg"
    if type_ == "SqlCell":
        return "Union[None, int, float, str]"
    # Every other type of the language is an enumeration, which is text.
    return "str"


def docstring(text: str, indent: str) -> str:
    lines = text.splitlines() or [""]
    if len(lines) == 1:
        return f'{indent}"""{lines[0]}"""'
    rest = "\n".join(f"{indent}{line}".rstrip() for line in lines[1:])
    return f'{indent}"""{lines[0]}\n{rest}\n{indent}"""'


def members(struct: Struct, all_: Dict[str, Struct]) -> List[Field]:
    """Members, with those of flattened structs in their places."""
    made: List[Field] = []
    for field in struct.fields:
        made += members(all_[field.type], all_) if field.is_flat and field.type in all_ else [field]
    return made


def written(struct: Struct, all_: Dict[str, Struct], used: Set[str]) -> str:
    own = members(struct, all_)
    types = [python_type(field.type, set(all_), used) for field in own]
    types = [f"NotRequired[{type_}]" if field.may_miss else type_ for field, type_ in zip(own, types)]
    if any(keyword.iskeyword(field.name) for field in own):
        # Python's keywords can't be names of a class's attributes.
        pairs = "".join(f"        {field.name!r}: {type_!r},\n" for field, type_ in zip(own, types)).replace("'", '"')
        text = f"{struct.name} = TypedDict(\n    \"{struct.name}\",\n    {{\n{pairs}    }},\n)"
        return f"{text}\n{docstring(struct.doc, '')}"
    lines = [f"class {struct.name}(TypedDict):", docstring(struct.doc, "    ")]
    for field, type_ in zip(own, types):
        lines += ["", f"    {field.name}: {type_}"] + ([docstring(field.doc, "    ")] if field.doc else [])
    return "\n".join(lines)


HEAD = '''"""Types of answers: JSON objects, which are dictionaries here. Times in ns, sizes in bytes.

Generated by python/tools/answers.py from the program's own types.
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
'''


def module() -> str:
    """The text of ``answers.py``."""
    all_ = structs()
    waiting: List[str] = list(ANSWERS)
    made: Dict[str, str] = {}
    while waiting:
        name = waiting.pop(0)
        if name in made:
            continue
        used: Set[str] = set()
        made[name] = written(all_[name], all_, used)
        waiting += sorted(used)
    return HEAD + "".join(f"\n\n{made[name]}\n" for name in sorted(made))


def main(arguments: Optional[List[str]] = None) -> int:
    TARGET.write_text(module())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
