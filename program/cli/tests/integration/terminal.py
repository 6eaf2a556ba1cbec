"""Runs a shell under a terminal of its own, types lines and keys, and checks what appears.

usage: terminal.py RECORD-COMMAND
"""

import os
import pty
import select
import signal
import sys

record = sys.argv[1]
pid, terminal = pty.fork()
if pid == 0:
    os.environ["PS1"] = "PROMPT>"
    os.execvp("bash", ["bash", "--norc", "--noprofile", "--noediting", "-i"])
shown = b""


def expect(text):
    """Waits until `text` has appeared and returns what came before it."""
    global shown
    while text not in shown:
        if not select.select([terminal], [], [], 300)[0]:
            sys.exit(f"{text!r} did not appear after {shown!r}")
        shown += os.read(terminal, 4096)
    before, shown = shown.split(text, 1)
    return before


def type_keys(keys):
    os.write(terminal, keys)


COUNTER = """
import os, signal, sys
count = 0
def interrupted(*_):
    global count
    count += 1
    print("interrupts:", count, flush=True)
signal.signal(signal.SIGINT, interrupted)
signal.signal(signal.SIGUSR1, lambda *_: sys.exit(count))
print("ready as", os.getpid(), flush=True)
while True:
    signal.pause()
"""

expect(b"PROMPT>")
# Ctrl-C reaches the program once. A signal after it shows that no second one was on its way.
with open("counter.py", "w") as script:
    script.write(COUNTER)
type_keys(f"{record} python3 counter.py\n".encode())
expect(b"ready as ")
program = int(expect(b"\r\n"))
type_keys(b"\x03")
expect(b"interrupts: 1")
os.kill(program, signal.SIGUSR1)
expect(b"PROMPT>")
type_keys(b'echo "code:" $?\n')
expect(b"code: 1")

# Ctrl-Z stops program and launcher, fg continues both.
with open("stopped.sh", "w") as script:
    script.write("echo started; read -r line; echo got: $line; exit 9")
type_keys(f"{record} sh stopped.sh\n".encode())
expect(b"started")
type_keys(b"\x1a")
expect(b"Stopped")
type_keys(b"fg\n")
type_keys(b"go on\n")
expect(b"got: go on")
type_keys(b'echo "code:" $?\n')
expect(b"code: 9")
