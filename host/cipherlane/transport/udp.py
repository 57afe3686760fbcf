# SPDX-License-Identifier: BSD-2-Clause
"""Records over UDP: one datagram for each record, and many datagrams in one system call where the kernel supports it.

Linux sends and receives several datagrams of one size as one buffer (UDP_SEGMENT, UDP_GRO). Other systems use the
numbers of these options for something else. There, and on a path without this feature, each datagram is one call.
"""

import contextlib
import errno
import ipaddress
import itertools
import socket
import struct
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from cipherlane_base.wire.layout import UDP_PORT

from ..clock import REAL, Clock
from ..errors import PortError
from ..protocol.datarun import Run
from .base import WRITE_TIMEOUT, Address, Pace, Transport
from .probe import Probe

SCHEME = "udp"
# Time-outs, and the maximum number of attempts, for a network. If 30 % of the frames are lost, about half of all
# attempts fail, because an attempt needs both request and reply. So the maximum is high.
NETWORK = Pace(first=0.5, minimum=0.05, maximum=2.0, attempts=40, calls=16)
SIMULATED_NETWORK = Pace(first=5.0, minimum=0.3, maximum=5.0, attempts=60, calls=16)
MAX_DATAGRAM = 65507
SLOT = 2048  # a datagram of up to 1500 bytes occupies this many bytes of the board's rx_window
_IP_MTU = 14  # of linux/in.h
_HEADERS = 28  # length of the headers of IPv4 and UDP together, in bytes
_SEGMENT, _GRO = 103, 104  # UDP_SEGMENT and UDP_GRO of linux/udp.h
_MOST_SEGMENTS = 64
# Buffer sizes in bytes, the largest first. The send buffer gets the first size that the kernel accepts, and so does the
# receive buffer.
_BUFFERS = (8 << 20, 1 << 20, 1 << 18)
_FORCE = {socket.SO_RCVBUF: 33, socket.SO_SNDBUF: 32}  # SO_RCVBUFFORCE and SO_SNDBUFFORCE, only for root
_SIZE = struct.Struct("=H")
_IPV4 = "give the IPv4 address of the board, as udp://192.168.1.50"


class Datagrams:
    """A UDP socket that sends and receives many datagrams at once."""

    def __init__(self, connection: socket.socket, clock: Clock = REAL):
        """Use the UDP socket `connection`; `close` closes this socket. `clock` supplies the time for time-outs."""
        self.socket = connection
        self.clock = clock
        self.write_timeout = WRITE_TIMEOUT
        connection.setblocking(False)
        self._on_linux = sys.platform == "linux"
        self.segments = _MOST_SEGMENTS if self._on_linux else 1  # maximum number of datagrams in one call
        for option, force in _FORCE.items():
            tries = [(force, _BUFFERS[0])] if self._on_linux else []
            for name, size in tries + [(option, size) for size in _BUFFERS]:
                with contextlib.suppress(OSError):
                    connection.setsockopt(socket.SOL_SOCKET, name, size)
                    break
        if self._on_linux:
            with contextlib.suppress(OSError):
                connection.setsockopt(socket.IPPROTO_UDP, _GRO, 1)

    def send(self, datagrams: Sequence[bytes], address: Address) -> None:
        """Send `datagrams` to `address`. Consecutive datagrams of equal size are sent in one system call.

        Raises:
            OSError: they cannot be sent, or not in time.
        """
        for size, run in itertools.groupby(datagrams, len):
            together = tuple(run)
            if len(together) > 1 and size:
                self.send_run(b"".join(together), size, address)
            else:
                for datagram in together:
                    self._send(datagram, (), address)

    def send_run(self, data: bytes | bytearray, size: int, address: Address) -> None:
        """Send `data` in datagrams of `size` bytes; only the last can be shorter. Raises the same errors as `send`."""
        left = memoryview(data)
        while left:
            piece = left[: size * min(self.segments, most_segments(size))]
            segmented = len(piece) > size
            try:
                self._send(piece, ((socket.IPPROTO_UDP, _SEGMENT, _SIZE.pack(size)),) if segmented else (), address)
            except TimeoutError:
                raise
            except OSError:  # without UDP_SEGMENT or checksum offload, the kernel refuses: send datagrams one by one
                if not segmented:
                    raise
                self.segments = 1
                continue
            left = left[len(piece) :]

    def receive(self, timeout: float) -> tuple[bytes, int, Address] | None:
        """Return the joined data of one or more datagrams, the size of each datagram, and the address of their sender.

        Only the last datagram can be shorter. Return None after `timeout` seconds.
        """
        deadline = None
        while True:
            try:
                if not self._on_linux:
                    data, address = self.socket.recvfrom(1 << 16)
                    return data, len(data), address
                data, ancillary, _, address = self.socket.recvmsg(1 << 16, 64)
                sizes = [value for level, kind, value in ancillary if (level, kind) == (socket.IPPROTO_UDP, _GRO)]
                return data, _SIZE.unpack_from(sizes[0])[0] if sizes else len(data), address
            except BlockingIOError:
                wait = True
            except ConnectionError:  # an earlier datagram caused an ICMP error; the request's time-out handles losses
                wait = False
            now = self.clock.now()
            deadline = now + timeout if deadline is None else deadline
            if now >= deadline or (wait and not self.clock.readable(self.socket, deadline - now)):
                return None

    def close(self) -> None:
        """Close the socket."""
        self.socket.close()

    def _send(self, data: bytes | memoryview, ancillary: Sequence[tuple[int, int, bytes]], address: Address) -> None:
        deadline = None
        while True:
            try:
                if ancillary:
                    self.socket.sendmsg((data,), ancillary, 0, address)
                else:
                    self.socket.sendto(data, address)
                return
            except BlockingIOError:
                wait = True
            except ConnectionError:  # an earlier datagram caused this error, so send `data` again
                wait = False
            deadline = deadline or self.clock.now() + self.write_timeout
            left = deadline - self.clock.now()
            if left <= 0:
                raise TimeoutError(errno.ETIMEDOUT, f"nothing could be sent for {self.write_timeout:g} seconds")
            if wait:
                self.clock.writable(self.socket, left)


class UdpTransport(Transport):
    """Exchanges records as datagrams with one board; datagrams can be lost, repeated and reordered."""

    shared = True
    pace = NETWORK

    def __init__(self, url: str, unconnected: socket.socket | None = None, clock: Clock = REAL):
        """Reach the board at `url`, udp://host[:port]. Use the given unconnected UDP socket, or create a socket.

        Raises:
            PortError: the address cannot be used.
        """
        self.url = url
        self.clock = clock
        self._ready: deque[bytes] = deque()
        self._address = parse(url) if unconnected else resolve(*parse(url))
        self._known = {self._address}  # datagrams from other addresses are ignored
        self._datagrams = Datagrams(unconnected or socket.socket(socket.AF_INET, socket.SOCK_DGRAM), clock)
        host, port = self._address
        self.advice = (
            f"check the board's power and cable, that firmware with Ethernet is in it, and UDP port {port} of "
            f"{host}; `cipherlane doctor --port {url}` shows the route"
        )
        # The probe detects by ICMP that the port is closed. Use it only until the board has answered: after that, a
        # forged ICMP message could end a transfer.
        self._probe = None if unconnected else Probe(self._address)
        if mtu := path_mtu(self._address) if self._probe else 0:
            self.largest_record = mtu - _HEADERS

    def pace_of(self, kind: str) -> Pace:
        """Return the time-outs for a simulated board if `kind` is "sim", otherwise the time-outs for a network."""
        return SIMULATED_NETWORK if kind == "sim" else NETWORK

    def send(self, record: bytes) -> None:
        """Send one record."""
        self.send_many((record,))

    def send_many(self, records: Sequence[bytes], to: Address | None = None) -> None:
        """Send records in as few system calls as possible."""
        with self._sending(to) as address:
            self._datagrams.send(records, address)

    def send_run(self, run: Run, to: Address | None = None) -> None:
        """Send all records in `run`, in one system call if the kernel supports that."""
        with self._sending(to) as address:
            self._datagrams.send_run(run.data, run.size, address)

    def receive(self, timeout: float) -> bytes | None:
        """Return the next record, or None after `timeout` seconds."""
        if not self._ready and (run := self._receive(timeout)):
            self._ready.extend(run.records())
        return self._ready.popleft() if self._ready else None

    def receive_run(self, timeout: float, most: int) -> Run | None:
        """Return records of one size that have arrived, or None after `timeout` seconds.

        Datagrams that arrived separately are joined, up to `most` of them.
        """
        if self._ready:
            record = self._ready.popleft()
            return Run(record, len(record))
        run = self._receive(timeout)
        if run is None or len(run.data) % max(1, run.size):
            return run
        pieces, left = [run.data], min(most, self.run_records(run.size)) * run.size - len(run.data)
        while left > 0 and (more := self._receive(0.0)):
            if more.size != run.size or len(more.data) % run.size:
                self._ready.extend(more.records())
                break
            pieces.append(more.data)
            left -= len(more.data)
        return Run(b"".join(pieces), run.size) if len(pieces) > 1 else run

    def run_records(self, record_size: int) -> int:
        """Return the maximum number of datagrams that the kernel accepts in one call."""
        return most_segments(record_size)

    def wire_size(self, record_size: int) -> int:
        """Return the bytes that a datagram occupies in the board's receive window. The result is a multiple of SLOT."""
        return slots(record_size)

    def resync(self) -> None:
        """Do nothing. A datagram is sent whole or not at all, so the board never waits for the rest of a record."""

    def strays(self) -> int:
        """Return 0. This transport ignores datagrams that are not records, so it counts no bytes outside records."""
        return 0

    def close(self) -> None:
        """Close the sockets."""
        self._forget_probe()
        self._datagrams.close()

    def _forget_probe(self) -> None:
        if self._probe:
            self._probe.close()
            self._probe = None

    @contextlib.contextmanager
    def _sending(self, to: Address | None) -> Iterator[Address]:
        if to:
            self._known.add(to)
        self._datagrams.write_timeout = self.write_timeout
        try:
            yield to or self._address
        except OSError as error:
            raise PortError(f"cannot send to {self.url}: {error.strerror}; check address and network") from error

    def _receive(self, timeout: float) -> Run | None:
        deadline = self.clock.now() + timeout
        while True:
            try:
                arrived = self._datagrams.receive(max(0.0, deadline - self.clock.now()))
            except OSError as error:
                raise PortError(f"{self.url} failed: {error.strerror}; check the network") from error
            if arrived is None:
                if self._probe and self._probe.refused():
                    host, port = self._address
                    raise PortError(
                        f"nothing listens at UDP port {port} of {host}, which reports it as closed: check the "
                        "address, or start the board"
                    )
                return None
            data, size, address = arrived
            if address in self._known:
                self._forget_probe()
                return Run(data, size)
            if self.clock.now() >= deadline:  # datagrams from others must not prolong the wait
                return None


def path_mtu(address: Address) -> int:
    """Return the kernel's MTU in bytes for the network path to `address`. Return 0 if the kernel does not report it.

    With MACsec, the interface's MTU is 1468 instead of 1500.
    """
    if sys.platform != "linux":
        return 0
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(address)
        return probe.getsockopt(socket.IPPROTO_IP, _IP_MTU)
    return 0


def most_segments(size: int) -> int:
    """Return the maximum number of datagrams of `size` bytes that the kernel accepts in one call."""
    return max(1, min(_MOST_SEGMENTS, MAX_DATAGRAM // max(1, size)))


def slots(record_size: int) -> int:
    """Return the bytes that a record of `record_size` bytes occupies in rx_window. The result is a multiple of SLOT."""
    return -(-record_size // SLOT) * SLOT


def parse(url: str) -> tuple[str, int]:
    """Return host and port of `url`, which has the form udp://host[:port].

    Raises:
        PortError: the URL is invalid.
    """
    require_ipv4(url.removeprefix(f"{SCHEME}:").strip("/"))
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or parts.scheme != SCHEME or parts.path not in ("", "/"):
        raise PortError(f"{url} is not the address of a board: give udp://host or udp://host:port")
    return host, port or UDP_PORT


# Errors of a name lookup: the name is unknown or cannot be encoded, or Python cannot load its codec for host names.
_NO_NAME = (OSError, UnicodeError, TypeError, LookupError)


def address_of(host: str, port: int) -> Address:
    """Look up the name `host`. Return its IPv4 address together with `port`.

    Raises:
        PortError: the name has only IPv6 addresses.
        OSError: the name is unknown.
    """
    try:
        found = socket.getaddrinfo(host, port, socket.AF_INET, socket.SOCK_DGRAM)
    except _NO_NAME as error:
        with contextlib.suppress(*_NO_NAME):
            socket.getaddrinfo(host, port, socket.AF_INET6, socket.SOCK_DGRAM)
            raise PortError(f"{host} has only IPv6 addresses, but boards use IPv4: {_IPV4}") from error
        raise error if isinstance(error, OSError) else OSError(0, "it is no name of a host") from error
    return str(found[0][4][0]), port


def require_ipv4(host: str) -> None:
    """Refuse an IPv6 address, with or without brackets and port.

    Raises:
        PortError: `host` is one.
    """
    literal = host.partition("]")[0].removeprefix("[").partition("%")[0]
    try:
        ipaddress.IPv6Address(literal)
    except ValueError:
        return
    raise PortError(f"{host} is an IPv6 address, but boards use IPv4: {_IPV4}")


def resolve(host: str, port: int) -> Address:
    """Return address and port of the board at `host`, which is a name or an address.

    Raises:
        PortError: the name is unknown, or there is no route to it.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(address_of(host, port))
        except _NO_NAME as error:
            reason = getattr(error, "strerror", None) or "it is not a host name"
            raise PortError(f"cannot reach {SCHEME}://{host}:{port}: {reason}; check the address") from error
        address: Address = probe.getpeername()
        return address
