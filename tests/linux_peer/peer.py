# SPDX-License-Identifier: BSD-2-Clause
"""Boots user-mode Linux in the network namespace of a simulated board, and runs commands there.

::

    simulated board ── tap0 ──┐
                              ├── bridge br0          (the board's namespace)
    user-mode Linux ── uml0 ──┘
        eth0 ── macsec0

Root and Debian's packages `user-mode-linux` and `iproute2` are needed. Each wait has a limit. User-mode Linux ends when
its console closes, so it cannot outlive the test.
"""

import contextlib
import itertools
import json
import os
import select
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Self

from tests.waiting import until

KERNEL = "/usr/bin/linux.uml"
AGENT = Path(__file__).with_name("agent.py")
DEVICE = "uml0"  # network device that connects user-mode Linux to the board's namespace
BOOT_S, ANSWER_S = 120, 60
MEMORY = "256M"
_RECEIVE_BUFFER_FORCE = 33  # SO_RCVBUFFORCE
_BRIDGE = """
ip link add br0 type bridge group_fwd_mask 8 stp_state 0 forward_delay 0
ip tuntap add dev {device} mode tap
ip address flush dev {tap}
for device in {tap} {device}; do ip link set $device master br0 up; done
ip link set br0 up
"""
_PING = """
import socket, struct, sys, time
address, count, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
link = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
link.settimeout({timeout})
came = 0
for n in range(count):
    data = bytes((n + i) % 256 for i in range(size))
    packet = struct.pack(">BBHHH", 8, 0, 0, 7, n) + data
    total = sum(struct.unpack(f">{{len(packet + bytes(len(packet) % 2)) // 2}}H", packet + bytes(len(packet) % 2)))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    packet = packet[:2] + struct.pack(">H", total ^ 0xFFFF) + packet[4:]
    try:
        link.sendto(packet, (address, 0))
        while True:
            answer = link.recv(4096)[20:]
            if answer[0] == 0 and answer[4:] == packet[4:]:
                came += 1
                break
    except OSError as error:
        print(error, flush=True)
print(came)
"""


class PeerError(RuntimeError):
    """Raised if user-mode Linux does not run, or if a command failed. The message contains the last output."""


def missing() -> str:
    """Return the reason why user-mode Linux cannot run here, or an empty text if it can."""
    if not Path(KERNEL).exists():
        return f"no {KERNEL}: apt install user-mode-linux"
    if os.geteuid():
        return "user-mode Linux joins the board's network namespace, which needs root"
    return "no program `ip`: apt install iproute2" if not shutil.which("ip") else ""


class LinuxPeer:
    """A context manager that boots user-mode Linux on the network of a simulated board.

    Parameters
    ----------
    pid : int
        Process of the board. User-mode Linux runs in the network namespace of this process.
    tap : str
        The board's network device in this namespace.
    """

    def __init__(self, pid: int, tap: str = "tap0"):
        self._inside = ["nsenter", "--target", str(pid), "--net", "--"]
        self._tap = tap
        self._process: subprocess.Popen | None = None
        self._seen = b""

    def __enter__(self) -> Self:
        self.outside("sh", "-ec", _BRIDGE.format(tap=self._tap, device=DEVICE))
        words = [KERNEL, "rootfstype=hostfs", "ro", f"init={AGENT}", f"mem={MEMORY}", "con=null", "con0=fd:0,fd:1"]
        words += ["ssl=null", "quiet", "loglevel=1", f"eth0=tuntap,{DEVICE}"]
        self._process = subprocess.Popen(
            [*self._inside, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            self._await("READY", BOOT_S)
            self.run("ip", "link", "set", "eth0", "up")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        process = self._process
        if process:
            process.stdin.close()
            try:
                process.wait(ANSWER_S)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                process.wait(ANSWER_S)
            process.stdout.close()
            self._process = None
            self.outside("ip", "link", "delete", DEVICE)
            self.outside("ip", "link", "delete", "br0")

    def outside(self, *words: str) -> str:
        """Run a program outside user-mode Linux, in the board's network namespace; return the program's output."""
        result = subprocess.run([*self._inside, *words], capture_output=True, text=True, timeout=ANSWER_S, check=False)
        if result.returncode:
            raise PeerError(f"{' '.join(words)}: {result.stderr.strip()}")
        return result.stdout

    def attempt(self, *words: str, timeout: float = ANSWER_S) -> tuple[int | None, str]:
        """Run a program in user-mode Linux. Return its exit status (None if it did not end) and its output."""
        assert self._process
        line = json.dumps({"run": words, "timeout": timeout}) + "\n"
        self._process.stdin.write(line.encode())
        self._process.stdin.flush()
        answer = json.loads(self._await("ANSWER ", timeout + ANSWER_S))
        return answer["status"], answer["output"]

    def run(self, *words: str, timeout: float = ANSWER_S) -> str:
        """Run a program in user-mode Linux; return the program's output.

        Raises
        ------
        PeerError
            It failed, or did not end in time.
        """
        status, output = self.attempt(*words, timeout=timeout)
        if status != 0:
            raise PeerError(f"{' '.join(words)}: status {status}: {output.strip()}")
        return output

    def ping(self, address: str, count: int = 1, size: int = 56, timeout: float = 10) -> int:
        """Send echo requests from user-mode Linux, one by one; return how many were answered with the same data."""
        script = _PING.format(timeout=timeout)
        words = ("python3", "-I", "-c", script, address, str(count), str(size))
        return int(self.run(*words, timeout=count * timeout + ANSWER_S).split()[-1])

    # MACsec ----------------------------------------------------------------------------------------------

    def sci(self) -> bytes:
        """Return the secure channel identifier (SCI) of user-mode Linux: eth0's MAC address, then the port number 1."""
        return bytes.fromhex(self.run("cat", "/sys/class/net/eth0/address").replace(":", "")) + b"\0\1"

    def add_macsec(self, suite: str, board_sci: bytes, an: int, receive_key: bytes, transmit_key: bytes) -> None:
        """Create macsec0 with static keys. `suite` is a cipher suite as `ip link` names it, such as gcm-aes-128."""
        options = ["port", "1", "cipher", suite, "encrypt", "on", "validate", "strict", "replay", "on", "window", "0"]
        self.run("ip", "link", "add", "link", "eth0", "macsec0", "type", "macsec", *options)
        self.run("ip", "macsec", "add", "macsec0", "rx", "port", "1", "address", _mac(board_sci))
        self.add_receive_key(board_sci, an, receive_key)
        self.use_transmit_key(an, transmit_key)
        self.run("ip", "link", "set", "macsec0", "up")

    def add_receive_key(self, board_sci: bytes, an: int, key: bytes) -> None:
        """Install a MACsec key to receive frames from the board."""
        words = ["ip", "macsec", "add", "macsec0", "rx", "port", "1", "address", _mac(board_sci)]
        self.run(*words, "sa", str(an), "pn", "1", "on", "key", f"{2 * an + 1:02x}", key.hex())

    def use_transmit_key(self, an: int, key: bytes) -> None:
        """Install a MACsec key for transmitted frames, and use it from now on."""
        words = ["ip", "macsec", "add", "macsec0", "tx"]
        self.run(*words, "sa", str(an), "pn", "1", "on", "key", f"{2 * an:02x}", key.hex())
        self.run("ip", "link", "set", "macsec0", "type", "macsec", "encodingsa", str(an))

    def remove_macsec(self) -> None:
        """Remove the interface macsec0 if there is one."""
        if self.attempt("ip", "link", "show", "macsec0")[0] == 0:
            self.run("ip", "link", "delete", "macsec0")

    def macsec_counters(self) -> dict[str, int]:
        """Return the counters that `ip` lists for macsec0 and its channels. The counters of single associations are
        left out, since the counters of the channels include them.
        """
        found: dict[str, int] = {}
        lines = self.run("ip", "-s", "macsec", "show", "macsec0").splitlines()
        # True if the line is about a secure association. Such lines are skipped, because the counters of a channel
        # include those of its associations.
        inside = False
        for names, values in itertools.pairwise(lines):
            if "PN " in names:
                inside = True
            elif "RXSC" in names or "TXSC" in names:
                inside = False
            if "stats:" in names and not inside:
                found |= dict(zip(names.split()[1:], map(int, values.split()), strict=True))
        return found

    # MKA, by wpa_supplicant ------------------------------------------------------------------------------

    def start_mka(self, config: str) -> None:
        """Start wpa_supplicant with the configuration text `config`. The program creates the interface macsec0."""
        script = 'umask 077; mkdir -p /run/wpa; printf %s "$1" > /run/mka.conf'
        self.run("sh", "-c", script, "sh", f"ctrl_interface=/run/wpa\n{config}")
        words = ["-B", "-i", "eth0", "-D", "macsec_linux", "-c", "/run/mka.conf", "-P", "/run/mka.pid"]
        self.run("wpa_supplicant", *words, "-dd", "-f", "/run/mka.log")

    def stop_mka(self) -> None:
        """End wpa_supplicant, if it runs, and wait until it has removed macsec0."""
        script = (
            "test -e /run/mka.pid || exit 0; kill $(cat /run/mka.pid); while [ -e /run/mka.pid ]; do sleep 0.1; done"
        )
        self.run("sh", "-c", script)

    def mka_status(self) -> dict[str, str]:
        """Return wpa_supplicant's status: `Secured`, `is_elected`, `Latest AN` and others."""
        lines = self.run("wpa_cli", "-p", "/run/wpa", "-i", "eth0", "status").splitlines()
        return dict(line.split("=", 1) for line in lines if "=" in line)

    def await_secured(self) -> dict[str, str]:
        """Wait until MKA has agreed on a key that both ends use; return wpa_supplicant's status."""
        until(lambda: self.mka_status().get("Secured") == "Yes", lambda: f"no agreement: {self.mka_status()}")
        return self.mka_status()

    def cable(self) -> "Cable":
        """Return a `Cable` object, a context manager that receives and sends frames at the board's end of the cable."""
        return Cable(self._inside, self._tap)

    def _await(self, start: str, timeout: float) -> str:
        """Wait until user-mode Linux prints a line that begins with `start`; return the rest of this line."""
        deadline = time.monotonic() + timeout
        while True:
            line, newline, rest = self._seen.partition(b"\n")
            if newline:
                self._seen = rest
                text = line.decode(errors="replace").strip()
                if text.startswith(start):
                    return text[len(start) :]
                if text.startswith("Kernel panic"):
                    raise PeerError(f"the Linux ended: {text}")
                continue
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._process.stdout], [], [], left)[0]:
                raise PeerError(f"no {start.strip()} within {timeout} s; the last output is {self._seen[-400:]!r}")
            piece = os.read(self._process.stdout.fileno(), 65536)
            if not piece:
                raise PeerError("the Linux ended")
            self._seen += piece


def _mac(sci: bytes) -> str:
    return ":".join(f"{byte:02x}" for byte in sci[:6])


_TAP = """
import socket, sys
inside = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
inside.bind((sys.argv[2], 3))
socket.send_fds(socket.socket(fileno=int(sys.argv[1])), [b"."], [inside.fileno()])
"""


class Cable:
    """A context manager that receives and sends frames on the cable between the board and the Linux peer, as a third
    station.
    """

    def __init__(self, inside: list[str], tap: str):
        here, there = socket.socketpair()
        with here, there:
            here.settimeout(ANSWER_S)
            words = [*inside, sys.executable, "-I", "-c", _TAP, str(there.fileno()), tap]
            subprocess.run(words, pass_fds=[there.fileno()], check=True, timeout=ANSWER_S)
            _, descriptors, _, _ = socket.recv_fds(here, 1, 1)
        self._socket = socket.socket(fileno=descriptors[0])
        self._socket.settimeout(0)
        self._socket.setsockopt(socket.SOL_SOCKET, _RECEIVE_BUFFER_FORCE, 64 << 20)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_) -> None:
        self._socket.close()

    def frames(self) -> list[bytes]:
        """Return the frames that both ends have sent since the last call, without their check sequences."""
        found = []
        with contextlib.suppress(BlockingIOError):
            while True:
                found.append(self._socket.recv(65536))
        return found

    def send(self, frame: bytes) -> None:
        """Send a frame to the board. The frame contains no check sequence."""
        self._socket.send(frame)
