"""Finds and runs the program ``syclscope``."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from importlib import metadata
from pathlib import Path
from typing import List, Mapping, Sequence, Union

from .errors import NotSupported, ProgramFailed, ProgramMissing, SyclscopeError

#: Path of a file.
PathLike = Union[str, "os.PathLike[str]"]

_VARIABLE = "SYCLSCOPE_PROGRAM"


def _folders() -> List[str]:
    """Returns the folders where installers put scripts. That of this interpreter comes first, so that an environment's own
    program is preferred."""
    # An embedded interpreter may have no path.
    folders = [os.path.dirname(sys.executable or ""), sysconfig.get_path("scripts")]
    try:
        folders.append(sysconfig.get_path("scripts", f"{os.name}_user"))
    except KeyError:
        pass
    return [folder for folder in folders if folder]


def find_program() -> Path:
    """Returns the program's path: that in ``SYCLSCOPE_PROGRAM``, else among this Python's scripts, else in ``PATH``.

    Raises :class:`ProgramMissing` if it is not found.
    """
    named = os.environ.get(_VARIABLE)
    if named:
        found = shutil.which(named)
        if found is None:
            raise ProgramMissing(f"{_VARIABLE} names {named}, which is not an executable program")
        return Path(found)
    for folder in _folders():
        found = shutil.which("syclscope", path=folder)
        if found:
            return Path(found)
    found = shutil.which("syclscope")
    if found:
        return Path(found)
    raise ProgramMissing(
        "the program syclscope is neither installed with this Python nor in PATH. In a clone of its repository, run `cargo xtask wheel` "
        "and `pip install target/wheels/syclscope-*.whl`; or run `cargo xtask build` and set SYCLSCOPE_PROGRAM to "
        "target/release/syclscope"
    )


def run(arguments: Sequence[PathLike]) -> str:
    """Runs the program and returns its standard output.

    Raises :class:`ProgramFailed` with its standard error, and :class:`NotSupported` if it does not have the command.
    """
    program = find_program()
    done = subprocess.run(
        [os.fspath(program), *(os.fspath(argument) for argument in arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        check=False,
    )
    if done.returncode == 0:
        return done.stdout.decode("utf-8")
    raise failure(arguments, done.stderr.decode("utf-8", "replace"), done.returncode)


def failure(arguments: Sequence[PathLike], said: str, status: int) -> SyclscopeError:
    """Returns the exception for an exit code and standard error of the program."""
    command = str(arguments[0])
    unknown = re.search(r"unexpected argument '(--[a-z-]+)' found", said)
    if "unrecognized subcommand" in said or unknown:
        missing = f"no option {unknown[1]} of `{command}`" if unknown else f"no command `{command}`"
        return NotSupported(
            f"{find_program()} ({version()}) has {missing}: it is older than this package. "
            "Install a newer one, or set SYCLSCOPE_PROGRAM to it"
        )
    return ProgramFailed(in_python(reason_of(said), command) or f"syclscope ended with {status}", status)


def version() -> str:
    """The program's version."""
    return run(["--version"]).split()[-1]


def package_version() -> str:
    """Returns the package's version; that of the program if the package is not installed."""
    try:
        return metadata.version("syclscope")
    except metadata.PackageNotFoundError:
        return version()


def reason_of(said: str) -> str:
    """Returns the message in standard error, without advice about the command line, which the package's user did not type."""
    lines = [line for line in said.splitlines() if line and not line.startswith("For more information")]
    text = "\n".join(lines).strip()
    for start in ("syclscope: error: ", "syclscope: ", "error: "):
        if text.startswith(start):
            return text[len(start) :]
    return text


#: Options that select a part of a run.
_PART: Mapping[str, str] = {"from": "start", "to": "end", "iterations": "iterations", "region": "region"}
#: Options of the program with other names in Python, by command.
_NAMES: Mapping[str, Mapping[str, str]] = {
    "": {"force": "force=True", "buffer-size": "buffer_size", "output": "output", "where": "where", "section": "section", "top": "top", "xptifw": "xptifw"},
    "summary": _PART,
    "compare": _PART,
    "convert": {"to": "to"},
}


def in_python(text: str, command: str = "") -> str:
    """Translates a message of the program for users of the Python API."""
    names = {**_NAMES[""], **_NAMES.get(command, {})}

    def name(option: "re.Match[str]") -> str:
        return names.get(option[1], option[0])

    def conflict(said: "re.Match[str]") -> str:
        others = [names.get(option, option) for option in re.findall("--([a-z-]+)", said[2])]
        return f"{names.get(said[1], said[1])} can't be given together with {' and '.join(others)}"

    text = re.sub(r"the argument '--([a-z-]+) <[^>]*>' cannot be used with:?((?:\s+'?--[a-z-]+ <[^>]*>'?)+)\nUsage: .*", conflict, text)
    text = re.sub(r"invalid value ('.*?') for '--([a-z-]+) <[^>]*>'", lambda m: f"invalid {names.get(m[2], m[2])} {m[1]}", text)
    text = re.sub(r"\n +\[possible values: (.*)\]", r": it is one of \1", text)
    text = re.sub(r"\n+ +tip: a similar value exists: ('.*')", r"; did you mean \1?", text)
    text = text.replace(": invalid digit found in string", ": it is a whole number, and not negative")
    text = re.sub(r"--to (?=[a-z]+, )", "to=", text)
    text = re.sub(r"--xptifw (/\S+)", r'xptifw="\1"', text)
    text = text.replace(", or overwrite it with --force", ", or pass force=True to overwrite it")
    text = text.replace(", or overwrite its tables with --force", ", or pass force=True to overwrite its tables")
    return re.sub(r"--([a-z-]+)", name, text).replace(" with -o", "")
