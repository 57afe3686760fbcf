# SPDX-License-Identifier: BSD-2-Clause
"""Runs a Zephyr application with Zephyr's network stack on the simulated board with Ethernet."""

import contextlib
import re
import subprocess

from gateware.configurations import Ethernet
from gateware.flow import emulator
from tests.end_to_end.ethernet import running_board
from tests.waiting import until

TIMEOUT_S = 600  # timeout in seconds, long enough for a busy machine
RTO_S = 20  # minimum retransmission timeout of TCP in seconds; the board usually answers sooner


def inside(board, command, *arguments, **options):
    """Run a command in the network namespace of the simulated board; return its output."""
    words = entered(board, [*command, *map(str, arguments)])
    done = subprocess.run(words, capture_output=True, text=True, timeout=6 * TIMEOUT_S, **options)
    assert done.returncode == 0, done.stdout + done.stderr + board.output()
    return done.stdout


def entered(board, command):
    """Return a command line that runs `command` in the network namespace of the simulated board."""
    return ["nsenter", "--target", str(board.pid), "--net", "--", *command]


@contextlib.contextmanager
def running_application(folder, directory, image, ready, addresses=()):
    """Context manager: start an application, and set up the host's side of the network.

    Parameters
    ----------
    folder : Path
        Folder of this run.
    directory : Path
        Folder of the board.
    image : Path
        The application.
    ready : str
        What the application prints before the context is entered.
    addresses : Iterable[tuple[str, str]]
        The board's IPv6 addresses, each with one of the host's.
    """
    with running_board(emulator.lay_out(folder, directory, image)) as board:
        (tap,) = re.findall(r"^\d+: (tap\w*)", inside(board, ["ip", "-oneline", "link"]), re.M)
        for _, own in addresses:
            inside(board, ["ip", "address", "add", f"{own}/64", "dev", tap, "nodad"])
        # Raise the host's minimum retransmission timeout for TCP. On a busy machine, the simulated board runs far
        # slower than real time, so the host would otherwise send everything again.
        inside(board, ["ip", "route", "change", "192.168.1.0/24", "dev", tap, "rto_min", f"{RTO_S}s"])
        mac = Ethernet().mac_address.to_bytes(6, "big").hex(":")
        # Tell the host the board's MAC address, because the host stops asking for it after 3 s of real time.
        for address in (board.ip_address, *(theirs for theirs, _ in addresses)):
            inside(board, ["ip", "neigh", "replace", address, "lladdr", mac, "dev", tap, "nud", "permanent"])
        until(lambda: ready in board.output() or board.ended(), board.output)
        assert not board.ended(), board.output()
        yield board
