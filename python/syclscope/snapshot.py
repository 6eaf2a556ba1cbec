"""Copies a running recording to a file of its own: Perfetto's packets so far, and the end of a part (docs/FORMAT.md)."""

import os
import shutil
import time
from pathlib import Path
from typing import Iterator, Tuple

from .errors import RecordingFailed
from .program import run

#: Fields of Perfetto's messages, by their names in its schema.
_PACKET, _TIMESTAMP, _SEQUENCE, _SEQUENCE_FLAGS, _TRACK_EVENT, _CLOCKS, _TRACK = 1, 8, 10, 13, 11, 6, 60
_TYPE, _TRACK_UUID, _CATEGORIES, _NAME, _INSTANT, _NEEDS_STATE = 9, 11, 22, 23, 3, 2
_MONOTONIC = 3
#: The track of records.
_RECORDS = b"SYCL task graph"
#: The recorder writes every 4 ms, and reads device times less often.
_STEP_S, _STEPS = 0.025, 4
#: CUPTI's records are fetched every 50 ms, and are complete after 200 ms without another.
_STEPS_WITH_CUPTI = 16


def wait_for(file: Path, mark: bytes, patience_s: float) -> bool:
    """Waits until the mark that the program notified last is in the file, and then until device times are."""
    deadline = time.monotonic() + patience_s
    place = 0
    while True:
        try:
            with open(file, "rb") as opened:
                opened.seek(place)
                found = opened.read()
        except FileNotFoundError:
            found = b""
        if mark in found:
            break
        place += max(len(found) - len(mark), 0)
        if time.monotonic() > deadline:
            return False
        time.sleep(0.004)
    steps = _STEPS_WITH_CUPTI if b"CUPTI (API " in file.read_bytes() else _STEPS
    size, unchanged = -1, 0
    while unchanged < steps and time.monotonic() < deadline:
        now = file.stat().st_size
        unchanged, size = (unchanged + 1, size) if now == size else (0, now)
        time.sleep(_STEP_S)
    return True


def save(file: Path, output: Path, end_ns: int, force: bool) -> int:
    """Copies the complete packets of a recording to another file, and adds an end. Returns the recording's start, in ns of
    the monotonic clock. Raises :class:`FileExistsError` for an existing file without ``force``."""
    if not file.exists():
        raise RecordingFailed("nothing was recorded; `syclscope doctor -- python PROGRAM` finds the reason")
    content = file.read_bytes()
    whole, start_ns, track = _whole(content)
    kept = output.with_name(f".{output.name}.{os.getpid()}.pftrace")
    try:
        # Like the recorder's files: only for their owner.
        with open(os.open(kept, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as opened:
            opened.write(memoryview(content)[:whole])
            opened.write(_part_end(track, end_ns))
        if output.suffix == ".json":
            if not force and output.exists():
                raise FileExistsError(f"{output} exists")
            run(["convert", "--quiet", *(["--force"] if force else []), kept, "--to", "json", "-o", output])
        else:
            if not force:
                # Of several processes at the same time, one gets the name.
                os.close(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            shutil.move(kept, output)
    finally:
        kept.unlink(missing_ok=True)
    return start_ns


def _whole(content: bytes) -> Tuple[int, int, int]:
    """Returns the length of the complete packets, the recording's start by the monotonic clock, and its track of records."""
    place, start_ns, track = 0, 0, 0
    while place < len(content):
        try:
            _, begin = _varint(content, place)
            length, begin = _varint(content, begin)
        except IndexError:
            break
        if begin + length > len(content):
            break
        if not (start_ns and track):
            told = _told(content[begin : begin + length])
            start_ns, track = start_ns or told[0], track or told[1]
        place = begin + length
    return place, start_ns, track


def _told(packet: bytes) -> Tuple[int, int]:
    """Returns the monotonic clock and the track of records in a packet; 0 if missing."""
    start_ns = track = 0
    for field, value in _fields(packet):
        if field == _CLOCKS and isinstance(value, bytes):
            clocks = [dict(_fields(clock)) for _, clock in _fields(value) if isinstance(clock, bytes)]
            start_ns = next((_int(clock.get(2)) for clock in clocks if clock.get(1) == _MONOTONIC), 0)
        if field == _TRACK and isinstance(value, bytes):
            parts = dict(_fields(value))
            track = _int(parts.get(1)) if parts.get(2) == _RECORDS else 0
    return start_ns, track


def _int(value: "int | bytes | None") -> int:
    return value if isinstance(value, int) else 0


def _fields(message: bytes) -> "Iterator[Tuple[int, int | bytes]]":
    place = 0
    while place < len(message):
        key, place = _varint(message, place)
        if key & 7 == 0:
            value, place = _varint(message, place)
            yield key >> 3, value
        else:
            length, place = (8, place) if key & 7 == 1 else (4, place) if key & 7 == 5 else _varint(message, place)
            yield key >> 3, message[place : place + length]
            place += length


def _varint(content: bytes, place: int) -> Tuple[int, int]:
    value = shift = 0
    while True:
        byte = content[place]
        place += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, place
        shift += 7


def _part_end(track: int, at_ns: int) -> bytes:
    """The record `sycl.part_end`: the process goes on, and may release its memory later."""
    event = _number(_TYPE, _INSTANT) + _number(_TRACK_UUID, track)
    event += _bytes(_CATEGORIES, b"sycl.part_end") + _bytes(_NAME, b"part ended")
    packet = _number(_TIMESTAMP, at_ns) + _number(_SEQUENCE, 1) + _number(_SEQUENCE_FLAGS, _NEEDS_STATE)
    return _bytes(_PACKET, packet + _bytes(_TRACK_EVENT, event))


def _number(field: int, value: int) -> bytes:
    return _written(field << 3) + _written(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _written(field << 3 | 2) + _written(len(value)) + value


def _written(value: int) -> bytes:
    parts = bytearray()
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    parts.append(value)
    return bytes(parts)
