# SPDX-License-Identifier: BSD-2-Clause
"""Runs a simulated board in a private network namespace, and opens sockets in this namespace from outside.

`unshare` creates the namespace without a name, so it disappears when its last process ends. This file is also the first
program in the namespace: it checks that it may create a TAP device, enables the loopback interface and becomes the
board. The machine's own interfaces and addresses are not touched.
"""

import os
import socket
import struct
import subprocess
import sys
from pathlib import Path

NO_PRIVILEGE = 77  # exit status
_TUN = "/dev/net/tun"
_TUNSETIFF, _IFF_TAP, _IFF_NO_PI = 0x400454CA, 0x0002, 0x1000  # linux/if_tun.h
_SIOCSIFFLAGS, _IFF_UP = 0x8914, 0x0001  # linux/sockios.h, linux/if.h
_IFREQ = struct.Struct("16sH22x")
_HELPER = """
import socket, sys
inside = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
    probe.connect((sys.argv[2], int(sys.argv[3])))
socket.send_fds(socket.socket(fileno=int(sys.argv[1])), [b"."], [inside.fileno()])
"""


def command(*words: str) -> list[str]:
    """Return a command that runs the command `words` in a new network namespace. The process id stays the same."""
    return ["unshare", "--net", "--", sys.executable, "-I", str(Path(__file__).resolve()), *words]


def was_refused(status: int, log: str) -> bool:
    """Return whether `command` failed for lack of privileges. `status` is its exit status, and `log` is its output."""
    return status == NO_PRIVILEGE or (status == 1 and "unshare:" in log)


def udp_socket(pid: int, address: str, port: int, timeout: float) -> socket.socket:
    """Return an unconnected UDP socket in the network namespace of process `pid`. The socket can reach `address`.

    Raises:
        OSError: in that namespace there is no route to the address, or not yet.
    """
    here, there = socket.socketpair()
    with here, there:
        here.settimeout(timeout)
        helper = subprocess.run(
            [
                *("nsenter", "--target", str(pid), "--net", "--"),
                *(sys.executable, "-I", "-c", _HELPER, str(there.fileno()), address, str(port)),
            ],
            pass_fds=[there.fileno()],
            capture_output=True,
            timeout=timeout,
        )
        if helper.returncode:
            raise OSError(helper.stderr.decode(errors="replace").strip().rpartition("\n")[2])
        _, descriptors, _, _ = socket.recv_fds(here, 1, 1)
    return socket.socket(fileno=descriptors[0])


def _enter() -> None:
    """Prepare this process's network namespace: check that a TAP device can be created, and enable loopback."""
    import fcntl  # this import is here, because systems without namespaces can lack the module

    tap = os.open(_TUN, os.O_RDWR)
    try:
        fcntl.ioctl(tap, _TUNSETIFF, _IFREQ.pack(b"", _IFF_TAP | _IFF_NO_PI))
    finally:
        os.close(tap)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, _IFREQ.pack(b"lo", _IFF_UP))


if __name__ == "__main__":
    try:
        _enter()
    except OSError as failure:
        sys.stderr.write(f"{_TUN}: {failure.strerror}\n")
        sys.exit(NO_PRIVILEGE)
    os.execv(sys.argv[1], sys.argv[1:])  # this process becomes the simulated board
