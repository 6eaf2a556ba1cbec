"""Runs a command under a terminal of its own and looks at every byte that the terminal gets.

usage: progress.py TERM COMMAND...     prints how the live count was shown: title, line or nothing

The command's program prints `first`, waits for a typed line, and prints `second` and `third` in pieces.
"""

import os
import pty
import re
import select
import sys

pid, terminal = pty.fork()
if pid == 0:
    os.environ["TERM"] = sys.argv[1]
    os.execvp(sys.argv[2], sys.argv[2:])
seen = b""


def read_more():
    """Reads on; False when everything was read."""
    global seen
    if not select.select([terminal], [], [], 300)[0]:
        sys.exit(f"nothing came after {seen!r}")
    try:
        seen += os.read(terminal, 4096)
        return True
    except OSError:
        return False


COUNT = rb"syclscope: 1,200 events, 2\.0 KiB, 3 dropped"
TITLE = rb"(?:\x1b\[22;2t)?\x1b\]2;" + COUNT + rb"\x07"
LINE = rb"\r\x1b\[K" + COUNT
while b"first" not in seen or not (re.search(TITLE, seen) or re.search(LINE, seen) or sys.argv[1] == "dumb"):
    read_more()
os.write(terminal, b"on\n")
while read_more():
    pass
os.waitpid(pid, 0)

# All other output must be exactly that of the program.
ours = (rb"(?:\x1b\[22;2t)?\x1b\]2;syclscope: [^\x07\r\n]*\x07|\x1b\[23;2t|"
        rb"\r\x1b\[Ksyclscope: [0-9][^\x1b\r\n]*?dropped|\r\x1b\[K|syclscope: [^\r\n]*\r\n")
rest = re.sub(ours, b"", seen)
if rest != b"first\r\non\r\nsecond and third\r\n":
    sys.exit(f"the program's output is not as it was: {rest!r} of {seen!r}")
if (b"\x1b[22;2t" in seen) != (b"\x1b[23;2t" in seen):
    sys.exit(f"the title is not given back: {seen!r}")
if seen.rfind(b"\x1b]2;") > seen.find(b"the program ended") >= 0:
    sys.exit(f"a title comes after the end: {seen!r}")
print("title" if re.search(TITLE, seen) else "line" if re.search(LINE, seen) else "nothing")
