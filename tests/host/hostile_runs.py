# SPDX-License-Identifier: BSD-2-Clause
"""Runs the host tool's commands in this process, in simulated time, against hostile boards.

Each run must end with a result or a CipherlaneError. No wait may be longer than the user's limit. Only printable text
may be shown, or written to the log that every other run keeps. `python -m tests.host.hostile_runs --runs 10000` (`make
fuzz`) runs many, and names the seeds that fail.
"""

import argparse
import asyncio
import collections
import contextlib
import io
import json
import sys
import tempfile
import threading
import traceback
from pathlib import Path
from unittest import mock

from cipherlane.cli import build_parser
from cipherlane.commands import common
from cipherlane.errors import ArgumentError, CipherlaneError
from cipherlane.files import private
from cipherlane.link import loading
from cipherlane.link.device import Device
from cipherlane.link.recordlog import RecordLog
from cipherlane.live import streamer as streamer_module
from cipherlane.live.hub import Channel, Hub
from cipherlane.live.streamer import Streamer
from cipherlane.live.top import Top
from cipherlane.transport.serial import SerialTransport
from cipherlane.transport.udp import UdpTransport
from cipherlane_base import image
from cipherlane_base.wire.layout import Engine
from textual.widgets import Static

from .edits import HEADER, TAG, Sealed
from .hostile import LAST, Clock, HostileBoard, Port, Socket
from .loader_model import BUILD, FIRMWARE, ORIGIN

TIMEOUT = 0.1  # the user's limit for each reply, in seconds
PARSER = build_parser()
ATTEMPTS = 4
_SLACK = 0.05  # seconds added to time limits, because data can still be arriving when a limit is reached
ATTEMPT = 2 * TIMEOUT + _SLACK
# Maximum seconds that a request can take. Each attempt can wait twice: for room in the window, and for an answer.
EXCHANGE = 2 * ATTEMPTS * TIMEOUT + _SLACK
# Maximum seconds until a stalled transfer ends. The host first repeats a record, then asks whether the session still
# exists.
STANDSTILL = 5 * EXCHANGE
# Maximum seconds that one step of loading firmware can take. The steps are `loading.enter` and
# `loading.await_firmware`.
STEP = 2 * EXCHANGE + ATTEMPT + ATTEMPTS * TIMEOUT
LEAVING = 2 * EXCHANGE + STANDSTILL  # maximum seconds from an interruption of `live` until `live` has ended
FILE_BYTES = 5003
EDGE = 32
MOST_PAUSES = 1000
# 1 if the command `top` can run, else 0. On systems other than Windows, Textual needs the module fcntl.
ON_TERMINAL = int(sys.platform == "win32" or bool(private.fcntl))


class WaitedTooLong(AssertionError):
    """Raised if a wait was longer than the user's limit allows."""


class Watched(Device):
    """A device that checks how long each operation takes."""

    @contextlib.contextmanager
    def within(self, limit, what):
        begun = self.clock.time
        try:
            yield
        finally:
            if self.clock.time - begun > limit:
                raise WaitedTooLong(f"{what}: {self.clock.time - begun:.3f} s, limit {limit:.3f}")

    def exchange(self, request, **options):
        with self.within(EXCHANGE, f"exchange {request.type}"):
            return super().exchange(request, **options)

    def connect(self):
        with self.within(TIMEOUT + EXCHANGE + _SLACK, "connect"):
            return super().connect()

    def open_session(self, *arguments, **options):
        session = super().open_session(*arguments, **options)
        transfer = session.transfer

        def watched(reader, writer, *, progress=None, **options):
            moved = [self.clock.time]

            def note(written):
                if self.clock.time - moved[0] > STANDSTILL:
                    raise WaitedTooLong(f"transfer: {self.clock.time - moved[0]:.3f} s without a result")
                moved[0] = self.clock.time
                if progress:
                    progress(written)

            try:
                return transfer(reader, writer, progress=note, **options)
            finally:
                note(0)

        session.transfer = watched
        return session


class Pictures(Hub):
    """A hub of the live view, which passes messages to viewers. This hub has one fake viewer, and also stores the last
    six messages.
    """

    def __init__(self):
        super().__init__()
        self.viewers, self.messages = 1, collections.deque(maxlen=6)

    def put(self, channel, message):
        super().put(channel, message)
        self.messages.append((channel, message))


def watch(open_device, clock, rng):
    """Run the live view until it is interrupted; return the last messages for its viewers."""
    hub = Pictures()
    streamer = Streamer(hub, open_device, EDGE, engine=rng.choice((None, "table", "fastpath")))
    clock.ends = clock.time + rng.choice((0.5, 5.0, 30.0))
    with contextlib.suppress(KeyboardInterrupt):
        try:
            streamer.run()
        finally:
            begun, clock.ends = clock.ends, LAST
    if begun == LAST and clock.time - clock.interrupted > LEAVING:
        raise WaitedTooLong(f"leaving: {clock.time - clock.interrupted:.3f} s, limit {LEAVING:.3f}")
    return hub.messages


class Replay:
    """Replaces the streamer of the live view: sends recorded `messages` to a hub."""

    def __init__(self, hub, messages):
        self._hub, self._messages = hub, messages
        self.shown, self._stopped = threading.Event(), threading.Event()

    def run(self):
        for channel, message in self._messages:
            self._hub.put(channel, message)
        self._stopped.wait()

    def choose(self, wanted):
        raise ArgumentError("there is no such choice: take one that the page offers")

    def stop(self):
        self._stopped.set()


def on_screen(messages):
    """Return the text that the command `top` shows after it has received `messages`."""
    last = [json.loads(message) for channel, message in messages if channel == Channel.STATE][-1:]

    async def show():
        hub = Hub()
        app = Top(hub, Replay(hub, messages))
        async with app.run_test(size=(80, 24)) as pilot:
            for _ in range(MOST_PAUSES):
                await pilot.pause()
                if not last or app._state == last[0]:
                    break
            else:
                raise AssertionError("the last message is not shown")
            await pilot.press("e", "K")
            text = "\n".join(str(each.content) for each in app.query(Static))
        app.finish()
        return text

    return asyncio.run(show())


def crypt(device, rng):
    """Encrypt or decrypt a stream of known or unknown length, as the command line does. If the transfer fails, resume
    it.
    """
    data, out = rng.randbytes(rng.choice((0, 1, 4000))), io.BytesIO()
    engine = rng.choice((Engine.TABLE, Engine.FASTPATH))
    key, iv = rng.randbytes(rng.choice((16, 32))), rng.choice((None, rng.randbytes(16)))
    length = rng.choice((None, len(data)))
    session = device.open_session(key, iv, engine, rng.choice(("encrypt", "decrypt")), length=length)
    try:
        with session:
            session.transfer(io.BytesIO(data), out, length=length)
            session.stat()
    except CipherlaneError:
        again = {"length": length, "record_bytes": session.record_bytes, "ticket": session.ticket}
        with device.open_session(key, session.iv, engine, **again) as session:
            written = len(out.getvalue()) // session.record_bytes * session.record_bytes
            session.transfer(io.BytesIO(data[written:]), out, offset=written)
    assert len(out.getvalue()) >= len(data)


def messages(device, rng):
    """Encrypt a stream in AES-GCM, or decrypt a stream with correct tags. If the transfer fails, resume it.

    No result may have a length that the result of an honest board cannot have.
    """
    file = Sealed(rng.randbytes(16), rng.randbytes(rng.choice((0, 1, 960, 4000))), rng.choice((16, 240, 960)), bytes(8))
    sides = file.plain, file.data[HEADER:]
    direction, encrypts = rng.choice((("encrypt", True), ("decrypt", False)))
    data, expected = sides if encrypts else sides[::-1]
    steps = (file.size, file.size + TAG) if encrypts else (file.size + TAG, file.size)
    options = {"gcm": True, "length": rng.choice((None, len(file.plain))), "record_bytes": file.size}
    iv, out = file.prefix + bytes(8), io.BytesIO()
    session = device.open_session(
        file.key, rng.choice((iv, None)) if encrypts else iv, Engine.TABLE, direction, **options
    )
    try:
        with session:
            session.transfer(io.BytesIO(data), out, length=options["length"])
            session.stat()
    except CipherlaneError:
        written = len(out.getvalue())
        assert written == len(expected) or written % steps[1] == 0
        records = (written - 1) // steps[1] if written else 0
        out.truncate(records * steps[1])
        out.seek(0, io.SEEK_END)
        with device.open_session(
            file.key, session.iv, Engine.TABLE, direction, ticket=session.ticket, **options
        ) as session:
            session.transfer(io.BytesIO(data[records * steps[0] :]), out, offset=records * file.size)
    assert len(out.getvalue()) == len(expected)


def watched_step(step):
    """Wrap a step of loading firmware so that it fails if it takes longer than `STEP` seconds."""

    def watched(device, *arguments):
        with device.within(STEP, step.__name__):
            return step(device, *arguments)

    return watched


def commands(file):
    """Return all command lines from which a run can choose."""
    json = (["--json"], [])
    return [
        *(["info", *more] for more in json),
        *(["selftest", *more] for more in json),
        *(["bench", "--key-bits", "128", "--engine", "ise", *more] for more in json),
        *(["bench", "--link", "--engine", name, "--bytes", "20000"] for name in ("table", "fastpath")),
        *(["demo", "--engine", name, "--key-bits", "192", file] for name in ("ise", "fastpath")),
        *[["crypt"]] * 4,
        *[["load", *more] for more in ([], [f"{file}.firmware"], ["--json", f"{file}.firmware"])],
        *[["live"]] * 2,
        *[["top"]] * ON_TERMINAL,
    ]


def run(seed, file):
    """Run one command against the hostile board of `seed`; return its outcome: "done" or the error's name."""
    board, clock = HostileBoard(seed), Clock()
    words = board.random.choice(commands(file))
    if words[0] == "load":
        board.load()
    if words[0] != "load" and board.random.random() < 0.5:
        transport = UdpTransport("udp://127.0.0.1", Socket(board, clock), clock)
    else:
        transport = SerialTransport("hostile", clock=clock, port=Port(board, clock))
    path = f"{file}.log"
    log = RecordLog(path, clock, replace=True) if board.random.random() < 0.5 else None
    shown = io.StringIO()
    with (
        mock.patch.object(common, "open_device", lambda args: Watched(transport, args.timeout, log)),
        mock.patch.object(loading, "enter", watched_step(loading.enter)),
        mock.patch.object(loading, "await_firmware", watched_step(loading.await_firmware)),
        mock.patch.object(streamer_module, "_RETRY", 0.0),
        contextlib.redirect_stdout(shown),
        contextlib.redirect_stderr(shown),
    ):
        try:
            if words == ["crypt"]:
                with Watched(transport, TIMEOUT, log) as device:
                    board.random.choice((crypt, messages))(device, board.random)
            elif words[0] in ("live", "top"):
                log = None
                sent = watch(lambda: Watched(transport, TIMEOUT), clock, board.random)
                shown.write("".join(message.decode() for channel, message in sent if channel == Channel.STATE))
                if words == ["top"]:
                    shown.write(on_screen(sent))
            else:
                args = PARSER.parse_args([*words, "--port", "hostile", "--timeout", str(TIMEOUT)])
                args.run(args)
        except CipherlaneError as error:
            shown.write(str(error))
            outcome = type(error).__name__
        else:
            outcome = "done"
    text = shown.getvalue()
    if log:
        with open(path, encoding="ascii") as lines:
            for line in lines:
                json.loads(line)
                text += line
    bad = [character for character in text if (character < " " and character != "\n") or "\x7f" <= character < "\xa0"]
    assert not bad, f"shown as it came: {bad}"
    return outcome


def run_many(seeds):
    """Run one command for each of the `seeds`. Return how often each outcome occurred, and the traceback of each seed
    that failed.
    """
    outcomes, failures = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "[", "x]")  # the package `rich` would read this name as invalid markup
        file.parent.mkdir()
        file.write_bytes(bytes(range(251)) * (FILE_BYTES // 251))
        Path(f"{file}.firmware").write_bytes(image.pack(FIRMWARE, BUILD, ORIGIN))
        for seed in seeds:
            try:
                outcome = run(seed, str(file))
            except Exception:
                failures[seed] = traceback.format_exc()
            else:
                outcomes[outcome] = outcomes.get(outcome, 0) + 1
    return outcomes, failures


def main():
    """Run as many seeds as the option `--runs` requests; fail if one of them fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0, help="of the first run (default: 0)")
    args = parser.parse_args()
    outcomes, failures = run_many(range(args.seed, args.seed + args.runs))
    for seed, trace in list(failures.items())[:5]:
        print(f"--- seed {seed}\n{trace}")
    for outcome, count in sorted(outcomes.items(), key=lambda item: -item[1]):
        print(f"{count:6} {outcome}")
    print(f"{args.runs} runs, {len(failures)} failed{': ' + str(sorted(failures)[:50]) if failures else ''}")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
