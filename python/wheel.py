"""Makes the wheel, as a build backend (PEP 517) and as a command of ``cargo xtask wheel``.

A wheel is a zip file with a list of what is in it. Made here it holds the very program that ``cargo xtask build`` has made
(maturin would compile its own), has the same bytes each time, and takes nothing from a network. With
``SYCLSCOPE_WHEEL_PROGRAM``, the program's file, it is for this platform; without it, for any, and finds the program in ``PATH``.
"""

import argparse
import base64
import hashlib
import os
import re
import struct
import sys
import zipfile
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Tuple

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE / "tools"))

import answers  # noqa: E402

#: The first moment that a zip file can name.
LONG_AGO = (1980, 1, 1, 0, 0, 0)
PROGRAM = "SYCLSCOPE_WHEEL_PROGRAM"
#: Names of machines in wheels, by their numbers in ELF files.
MACHINES = {62: "x86_64", 183: "aarch64"}
#: Libraries that every manylinux system has, of which the program may need no others.
EVERYWHERE = {"libc.so.6", "libdl.so.2", "libgcc_s.so.1", "libm.so.6", "libpthread.so.0", "librt.so.1"}
EVERYWHERE |= {"ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
SUMMARY = "Records SYCL programs and shows what they did: kernels, copies, queues, waits, memory"

KEYWORDS = ["SYCL", "oneAPI", "profiler", "trace", "GPU"]
CLASSIFIERS = [
    "Development Status :: 4 - Beta",
    "Framework :: Jupyter",
    "Intended Audience :: Developers",
    "Intended Audience :: Science/Research",
    "Operating System :: POSIX :: Linux",
    "Programming Language :: Python :: 3",
    "Topic :: Software Development :: Debuggers",
    "Typing :: Typed",
]


def version() -> str:
    """The workspace's version."""
    text = (HERE.parent / "Cargo.toml").read_text()
    found = re.search(r'^\[workspace\.package\].*?^version = "([^"]+)"', text, re.M | re.S)
    if found is None:
        raise SystemExit("Cargo.toml names no version")
    return found[1]


def needs(file: Path) -> Tuple[List[str], Tuple[int, int]]:
    """The libraries that an ELF file needs, and the newest glibc among their versions."""
    data = file.read_bytes()
    if data[:5] != b"\x7fELF\x02":
        raise SystemExit(f"{file} is no 64-bit ELF file")
    (at,), (size, count) = struct.unpack_from("<Q", data, 40), struct.unpack_from("<HH", data, 58)
    # Type, offset, size, linked section and entries of each section.
    sections = [
        (f[1], f[4], f[5], f[6], f[7]) for f in (struct.unpack_from("<IIQQQQIIQQ", data, at + i * size) for i in range(count))
    ]

    def text(link: int, offset: int) -> str:
        begin = sections[link][1] + offset
        return data[begin : data.index(b"\0", begin)].decode()

    libraries, newest = [], (2, 0)
    for kind, offset, length, link, entries in sections:
        if kind == 6:  # SHT_DYNAMIC
            pairs = (struct.unpack_from("<QQ", data, place) for place in range(offset, offset + length, 16))
            libraries += [text(link, value) for tag, value in pairs if tag == 1]  # DT_NEEDED
        if kind == 0x6FFFFFFE:  # SHT_GNU_verneed
            for name in _versions(data, offset, entries):
                found = re.fullmatch(r"GLIBC_(\d+)\.(\d+)(?:\.\d+)?", text(link, name))
                newest = max(newest, (int(found[1]), int(found[2]))) if found else newest
    return libraries, newest


def machine(file: Path) -> str:
    """The machine that an ELF file is for, which may be another one than this."""
    with file.open("rb") as program:
        (number,) = struct.unpack_from("<H", program.read(20), 18)
    if number not in MACHINES:
        raise SystemExit(f"{file} is for a machine of which wheels have no name here: {number}")
    return MACHINES[number]


def _versions(data: bytes, place: int, files: int) -> Iterator[int]:
    """Yields the positions of the names of needed versions."""
    for _ in range(files):
        _, versions, _, first, following = struct.unpack_from("<HHIII", data, place)
        inner = place + first
        for _ in range(versions):
            _, _, _, name, step = struct.unpack_from("<IHHII", data, inner)
            yield name
            inner += step
        place += following


def tag(program: Optional[Path], also: List[Path]) -> str:
    """Returns the wheel's platform tag."""
    if program is None:
        return "any"
    newest = (2, 0)
    for file in [program, *also]:
        libraries, glibc = needs(file)
        newest = max(newest, glibc)
        others = sorted(set(libraries) - EVERYWHERE)
        if others:
            raise SystemExit(f"{file} needs {', '.join(others)}, which not every Linux has")
    return f"manylinux_{newest[0]}_{newest[1]}_{machine(program)}"


def build(folder: Path, program: Optional[Path] = None, also: Optional[List[Path]] = None) -> Path:
    """Writes the wheel into a folder; the program is stripped of nothing and changed in nothing."""
    release, name = version(), "syclscope"
    info, platform_tag = f"{name}-{release}.dist-info", tag(program, also or [])
    members: Dict[str, Tuple[bytes, int]] = {}
    for file in sorted((HERE / name).rglob("*")):
        if file != answers.TARGET and (file.suffix in (".py", ".typed") or file.name == "py.typed"):
            members[file.relative_to(HERE).as_posix()] = (file.read_bytes(), 0o644)
    members[answers.TARGET.relative_to(HERE).as_posix()] = (answers.module().encode(), 0o644)
    if program is not None:
        members[f"{name}-{release}.data/scripts/syclscope"] = (program.read_bytes(), 0o755)
    for licence in ("LICENSE-MIT", "LICENSE-APACHE"):
        members[f"{info}/licenses/{licence}"] = ((HERE.parent / licence).read_bytes(), 0o644)
    members[f"{info}/METADATA"] = (_metadata(release).encode(), 0o644)
    purity = "true" if program is None else "false"
    wheel = f"Wheel-Version: 1.0\nGenerator: syclscope\nRoot-Is-Purelib: {purity}\nTag: py3-none-{platform_tag}\n"
    members[f"{info}/WHEEL"] = (wheel.encode(), 0o644)
    lines = [f"{path},sha256={_hash(content)},{len(content)}\n" for path, (content, _) in members.items()]
    members[f"{info}/RECORD"] = ("".join([*lines, f"{info}/RECORD,,\n"]).encode(), 0o644)
    target = folder / f"{name}-{release}-py3-none-{platform_tag}.whl"
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        for path, (content, mode) in members.items():
            entry = zipfile.ZipInfo(path, LONG_AGO)
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            out.writestr(entry, content)
    return target


def _metadata(release: str) -> str:
    head = ["Metadata-Version: 2.4", "Name: syclscope", f"Version: {release}", f"Summary: {SUMMARY}"]
    head += ["License-Expression: MIT OR Apache-2.0", "License-File: LICENSE-MIT", "License-File: LICENSE-APACHE"]
    head += [f"Keywords: {','.join(KEYWORDS)}", *(f"Classifier: {classifier}" for classifier in CLASSIFIERS)]
    head += ["Requires-Python: >=3.9", "Provides-Extra: arrow", 'Requires-Dist: pyarrow ; extra == "arrow"']
    head += ["Provides-Extra: sql", 'Requires-Dist: duckdb ; extra == "sql"', "Description-Content-Type: text/markdown"]
    return "\n".join(head) + "\n\n" + (HERE / "README.md").read_text()


def _hash(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def build_wheel(
    wheel_directory: str, config_settings: Optional[Dict[str, str]] = None, metadata_directory: Optional[str] = None
) -> str:
    """Builds the wheel; pip calls this."""
    program = os.environ.get(PROGRAM)
    return build(Path(wheel_directory), Path(program) if program else None).name


def main(arguments: List[str]) -> int:
    """Prints the wheel's file."""
    parser = argparse.ArgumentParser(description="Makes the wheel.")
    parser.add_argument("--program", type=Path, help="the program that it holds [default: none]")
    parser.add_argument("--also", type=Path, action="append", default=[], help="a library in that program")
    parser.add_argument("folder", type=Path, help="where the wheel goes")
    choice = parser.parse_args(arguments)
    print(build(choice.folder, choice.program, choice.also))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
