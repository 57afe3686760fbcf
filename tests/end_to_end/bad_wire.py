# SPDX-License-Identifier: BSD-2-Clause
"""Simulates a bad cable between the host and the simulated board: it loses, repeats, reorders, damages and delays
Ethernet frames in both directions.

In the board's network namespace, it puts a TAP device `host0` with the host's address in front of the board's `tap0`.
Or it takes `tap0` and the `device` of another machine out of their bridge. It carries every frame between the two by a
seeded plan. Run as a program, this file is the part inside the namespace.
"""

import fcntl
import heapq
import json
import os
import random
import select
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

ADDRESS = "192.168.1.100/24"
TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x0002, 0x1000
ETH_P_ALL = 3
# A reordered frame arrives this many seconds late, so that several later records overtake it.
REORDERED_SECONDS = 0.3


class BadWire:
    """A context manager that puts a bad cable between the host and a running `SimulatedBoard`.

    The plan has the rates `lose`, `repeat`, `reorder` and `corrupt`, and `delay` in seconds. Afterwards, `frames` has
    the number of frames for each, and of those `carried`.

    Parameters
    ----------
    board : SimulatedBoard
    seed : int
    device : str
        Network device of another machine in the board's bridge `br0`, such as user-mode Linux. Default: the host
        itself, with a device of its own.
    """

    def __init__(self, board, seed, device="", **plan):
        self.board = board
        self.plan = {"seed": seed, "device": device, **plan}
        self.frames = None

    def __enter__(self):
        inside = ["nsenter", "--target", str(self.board.pid), "--net", "--"]
        command = [*inside, sys.executable, str(Path(__file__).resolve()), json.dumps(self.plan)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout.readline() == "up\n"
        return self

    def __exit__(self, *_):
        counts, _ = self._process.communicate("", timeout=300)
        assert self._process.returncode == 0
        self.frames = json.loads(counts)


def ip(*words):
    subprocess.run(["ip", *words], check=True, timeout=300)


class Host:
    """The host's end of the cable: a TAP device with the host's address."""

    def __init__(self):
        self._tap = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(self._tap, TUNSETIFF, struct.pack("16sH22x", b"host0", IFF_TAP | IFF_NO_PI))
        ip("address", "flush", "dev", "tap0")
        ip("address", "add", ADDRESS, "dev", "host0")
        ip("link", "set", "host0", "up")

    def fileno(self):
        return self._tap

    def read(self):
        return os.read(self._tap, 2048)

    def write(self, frame):
        os.write(self._tap, frame)

    def close(self):
        os.close(self._tap)
        ip("address", "add", ADDRESS, "dev", "tap0")


class Interface:
    """One end of the cable: a socket on a network device in this network namespace."""

    def __init__(self, name):
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        self._socket.bind((name, ETH_P_ALL))
        self._socket.setblocking(False)

    def fileno(self):
        return self._socket.fileno()

    def read(self):
        """Return the next frame from the socket, or b"" if this program itself has sent the frame."""
        frame, address = self._socket.recvfrom(2048)
        return b"" if address[2] == socket.PACKET_OUTGOING else frame

    def write(self, frame):
        self._socket.send(frame)


class Bridged(Interface):
    """One end of the cable: a network device that leads to another machine, such as user-mode Linux. Normally, the
    bridge `br0` connects this device to the board's device `tap0`. The constructor removes both devices from the
    bridge, and `close` adds both devices again.
    """

    def __init__(self, name):
        self._members = ("tap0", name)
        for each in self._members:
            ip("link", "set", each, "nomaster")
        super().__init__(name)

    def close(self):
        for each in self._members:
            ip("link", "set", each, "master", "br0")


def main(plan):
    rng = random.Random(plan["seed"])
    counts = dict.fromkeys(("carried", "lose", "repeat", "reorder", "corrupt"), 0)
    far, board = Bridged(plan["device"]) if plan["device"] else Host(), Interface("tap0")
    print("up", flush=True)
    waiting, number = [], 0

    def happens(what):
        counts[what] += (outcome := rng.random() < plan.get(what, 0))
        return outcome

    while True:
        now = time.monotonic()
        while waiting and waiting[0][0] <= now:
            _, _, to_board, frame = heapq.heappop(waiting)
            counts["carried"] += 1
            (board if to_board else far).write(frame)
        left = max(0.0, waiting[0][0] - now) if waiting else None
        ready = select.select([far, board, sys.stdin], [], [], left)[0]
        for end, to_board in (far, True), (board, False):
            frame = end.read() if end in ready else b""
            if not frame or happens("lose"):
                continue
            if happens("corrupt"):
                # Do not damage the MAC addresses and the EtherType, because no checksum of IPv4 or UDP covers them.
                at = rng.randrange(14, len(frame))
                frame = frame[:at] + bytes([frame[at] ^ 1 << rng.randrange(8)]) + frame[at + 1 :]
            for _ in range(1 + happens("repeat")):
                due = time.monotonic() + plan.get("delay", 0) + REORDERED_SECONDS * happens("reorder")
                number += 1
                heapq.heappush(waiting, (due, number, to_board, frame))
        if sys.stdin in ready:
            break
    far.close()
    print(json.dumps(counts))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
