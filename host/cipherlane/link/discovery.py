# SPDX-License-Identifier: BSD-2-Clause
"""Finds serial ports with their USB identity, and boards that answer an info record on a network.

A bare-metal board receives no broadcasts and answers only its own address. So each address of a network is asked, and
asked again until the time is over.
"""

import contextlib
import ipaddress
import re
import secrets
import socket
from dataclasses import dataclass
from typing import Any

from cipherlane_base.wire.layout import HEADER, INFO_MAGIC, REPLY, UDP_PORT, RecordType

from ..clock import REAL, Clock
from ..errors import ArgumentError, CipherlaneError, PortError, ReplyError, VersionMismatchError
from ..protocol.records import Record, decode
from ..transport import open_transport
from ..transport.base import Address
from ..transport.udp import SCHEME, Datagrams, address_of, require_ipv4, slots
from . import cables
from .device import Device
from .replies import BoardInfo, fields_of

MOST_ADDRESSES = 1024
_TURNS = 3


@dataclass(frozen=True)
class SerialPort:
    """A serial port. For a USB port, `usb` is the USB identity (vendor:product), `description` is the text that the
    device reports, and `uart_of` names the boards that have their UART on such a port.
    """

    port: str
    usb: str | None
    description: str | None
    serial_number: str | None
    uart_of: tuple[str, ...] = ()


@dataclass(frozen=True)
class Found:
    """A board that answered; `info` is None if board and host tool use different record versions."""

    port: str
    info: BoardInfo | None


def serial_ports() -> list[SerialPort]:
    """Return the serial ports of this machine, USB ports first; an empty list if the system cannot list them."""
    try:
        from serial.tools.list_ports import comports
    except ImportError:
        return []
    ports = [
        SerialPort(
            port=each.device,
            usb=_identity(each),
            description=None if each.description in (None, "n/a") else each.description,
            serial_number=each.serial_number,
            uart_of=tuple(cables.boards_at(_identity(each), _interface(each.location))),
        )
        for each in comports()
    ]
    return sorted(ports, key=lambda each: (each.usb is None, each.port))


def _identity(port: Any) -> str | None:
    """Return the USB identity (vendor:product) of a pyserial port; None if the port is not on USB."""
    return None if port.vid is None else f"{port.vid:04x}:{port.pid:04x}"


def _interface(location: str | None) -> int | None:
    """Return the interface number: the last number of a USB location such as 1-2:1.2. None if it is missing."""
    found = re.search(r":[0-9a-z]+\.([0-9]{1,3})\Z", location or "")
    return int(found[1]) if found else None


def addresses(network: str) -> list[str]:
    """Return all addresses of `network`. It is an IPv4 address (192.168.1.50), a network (192.168.1.0/24) or a host
    name.

    Raises:
        ArgumentError: `network` is none of these, or has too many addresses.
        PortError: it is an IPv6 address.
    """
    try:
        parsed = ipaddress.IPv4Network(network, strict=False)
    except ValueError:
        require_ipv4(network.partition("/")[0])
        try:
            return [address_of(network, UDP_PORT)[0]]
        except (OSError, UnicodeError, TypeError, LookupError):
            raise ArgumentError(
                f"{network} is neither an IPv4 address, nor a network, nor a known name: give for example "
                "192.168.1.0/24"
            ) from None
    if parsed.num_addresses > MOST_ADDRESSES:
        raise ArgumentError(f"{network} has {parsed.num_addresses} addresses: give {MOST_ADDRESSES} at most")
    return [str(each) for each in parsed.hosts()]


def ask(ports: list[SerialPort], baud: int, timeout: float) -> list[Found]:
    """Send an info request to each USB port in `ports`, one port after another; return the boards that answer.

    Wait up to `timeout` seconds at each port.
    """
    found = []
    for each in ports:
        if each.usb is None:
            continue
        try:
            with Device(open_transport(each.port, baud), timeout) as device:
                found.append(Found(each.port, device.info()))
        except VersionMismatchError:
            found.append(Found(each.port, None))
        except CipherlaneError:  # the port is busy, or no board answers there
            continue
    return found


def boards(network: str, timeout: float, port: int = UDP_PORT, clock: Clock = REAL) -> list[Found]:
    """Return the boards that answer within `timeout` seconds at the addresses of `network`.

    Raises:
        ArgumentError: `network` cannot be searched.
        PortError: nothing can be sent to it.
    """
    missing = {(address, port) for address in addresses(network)}
    token = secrets.randbits(64)
    request = Record(RecordType.INFO, token=token).encode()
    found: dict[Address, Found] = {}
    end = clock.now() + timeout
    datagrams = Datagrams(socket.socket(socket.AF_INET, socket.SOCK_DGRAM), clock)
    datagrams.socket.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)  # some boards receive broadcasts
    with contextlib.closing(datagrams):
        for turn in range(_TURNS):
            reached = [target for target in sorted(missing) if _ask(datagrams, request, target, end - clock.now())]
            if not turn and not reached:
                raise PortError(f"nothing can be sent to {network}: check the network, or name another")
            turn_ends = clock.now() + (end - clock.now()) / (_TURNS - turn)
            # `late` counts reads after the round's end. Such reads find answers that arrived while this process was
            # paused.
            late = 0
            while missing and late <= len(missing):
                left = turn_ends - clock.now()
                if (arrived := datagrams.receive(max(0.0, left))) is None:
                    break
                late += left <= 0
                data, size, address = arrived
                for start in range(0, len(data), size):
                    answer = _answer(data[start : start + size], token, address)
                    # If board and host tool use different record versions, the answer contains no token to check.
                    # Accept such an answer only from an address to which a request was sent.
                    if answer and (answer.info or address in missing):
                        found[address] = answer
                        missing.discard(address)
    return [found[address] for address in sorted(found)]


def _ask(datagrams: Datagrams, request: bytes, target: Address, timeout: float) -> bool:
    """Send `request` to `target`; return whether sending succeeded."""
    datagrams.write_timeout = max(0.0, timeout)
    try:
        datagrams.send((request,), target)
    except OSError:
        return False
    return True


def _answer(raw: bytes, token: int, address: Address) -> Found | None:
    """Return the board that sent the datagram `raw`; None if `raw` does not answer the request with this `token`."""
    host, port = address
    name = f"{SCHEME}://{host}" + (f":{port}" if port != UDP_PORT else "")
    try:
        record = decode(raw)
        if (record.type, record.token) != (RecordType.INFO | REPLY, token):
            return None
        fields = fields_of(record)
        return Found(name, BoardInfo.from_reply(fields, slots)) if fields.magic == INFO_MAGIC else None
    except VersionMismatchError:
        return Found(name, None) if len(raw) >= HEADER.size else None
    except (ValueError, ReplyError):
        return None
