"""The programs in the documents: every block in ``python`` of a document is run, in their order, where dpnp and a SYCL runtime are."""

import os
import re
import sysconfig
from pathlib import Path
from typing import List, Tuple

import pytest
from conftest import PACKAGE, ROOT, TRACES, Run

#: Blocks that are not run here: the first line of each, and the place where it is run.
LEFT_OUT = {
    "w = t.show()": "a page in a notebook, in which somebody selects something: e2e/page/jupyter.test.mjs",
    "s = w.selection": "the same",
}
#: Code that the programs require: packages that their reader has imported, and another trace.
BEFORE = f"import polars, syclscope\nu = syclscope.open({str(TRACES / 'heat.pftrace.gz')!r})\n"


def blocks(document: Path) -> List[str]:
    """The Python of a document."""
    return re.findall(r"^```python\n(.*?)^```", document.read_text(), re.S | re.M)


def documents() -> List[Tuple[Path, List[str]]]:
    """Documents with Python in them. (Those of docs/problems quote programs, which their own test records.)"""
    files = [ROOT / "README.md", PACKAGE / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    return [(file, blocks(file)) for file in files if blocks(file)]


@pytest.mark.parametrize("document,programs", documents(), ids=lambda value: str(value.relative_to(ROOT)) if isinstance(value, Path) else "")
def test_the_programs_of_a_document_run(document: Path, programs: List[str], dpnp: Run, tmp_path: Path) -> None:
    run = [program for program in programs if not any(program.startswith(line) for line in LEFT_OUT)]
    packages = os.pathsep.join([str(PACKAGE), sysconfig.get_path("purelib")])
    done = dpnp(BEFORE + "\n".join(run), PYTHONPATH=packages)
    assert (tmp_path / "run.pftrace").stat().st_size > 0, "each of them records first"
    assert "Device time by kernel and command" in done.stdout


def test_what_is_left_out_is_in_a_document() -> None:
    every = [program for _, programs in documents() for program in programs]
    assert len(every) >= 8
    for line in LEFT_OUT:
        assert any(program.startswith(line) for program in every), line
