# SPDX-License-Identifier: BSD-2-Clause
"""Checks all values that a labgrid coordinator offers, because they must not be trusted.

A coordinator authenticates nobody, so anybody may have written what it offers. labgrid checks some types when it makes
a resource, but nothing when the coordinator changes a resource later. So each value is checked at each use.
"""

import ipaddress
import os
import re
import signal

from cipherlane.errors import PortError
from cipherlane_base.plain import plain
from labgrid.util.proxy import proxymanager

PROTOCOLS = ("raw", "rfc2217")
SIMULATOR = "Vsim"  # file name of the program that simulates a board
_NAME = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?")
_TOKEN = re.compile(r"[A-Za-z0-9]{1,64}")
_MOST_PROCESS = 1 << 22  # Linux's PID_MAX_LIMIT
_MOST_TEXT = 64


class OfferError(PortError):
    """Raised if the coordinator offers an invalid value. The message contains the value."""

    def __init__(self, what, value, expected):
        """Make the message from the invalid `value`, the value's name (`what`), and a description of valid values
        (`expected`).
        """
        shown = plain(repr(value))[:_MOST_TEXT]
        super().__init__(f"the coordinator offers {what} {shown}, which is not {expected}: look at its exporter")


def number(value, what, least, most):
    """Return `value` if it is a whole number from `least` to `most`; otherwise raise `OfferError`."""
    if type(value) is not int or not least <= value <= most:
        raise OfferError(what, value, f"a number from {least} to {most}")
    return value


def host(value, what="host"):
    """Return `value` if it is a host name or an IPv4 address; otherwise raise `OfferError`. A returned value is safe in
    commands: no program takes the value for an option, a user name or a path.
    """
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise OfferError(what, value, "a host name or an IPv4 address")
    return value


def address(value):
    """Return `value` if it is the IPv4 address of a single machine; otherwise raise `OfferError`."""
    try:
        found = ipaddress.IPv4Address(value) if isinstance(value, str) else None
    except ValueError:
        found = None
    if found is None or found.is_multicast or found.is_unspecified or found == ipaddress.IPv4Address("255.255.255.255"):
        raise OfferError("address", value, "the IPv4 address of a machine")
    return str(found)


def destination(value):
    """Return `value` if it is a host name or an IPv4 address, optionally with `:port`, at which a board can answer UDP.
    Otherwise raise `OfferError`.
    """
    name, colon, port = value.partition(":") if isinstance(value, str) else (value, "", "")
    if colon:
        number(int(port) if re.fullmatch("[0-9]{1,5}", port) else port, "port", 1, 65535)
    if isinstance(name, str) and re.fullmatch("[0-9.]*", name):
        address(name)
    return host(name, "address") + colon + port


def text(value, what):
    """Return `value` as printable text of limited length, or None if `value` is None."""
    if value is not None and not isinstance(value, str):
        raise OfferError(what, value, "text")
    return None if value is None else plain(value)[:_MOST_TEXT]


def token(value):
    """Return `value` if it can be the token of a reservation; otherwise raise `OfferError`. The token becomes an
    argument of a command, so only letters and digits are allowed.
    """
    if not isinstance(value, str) or not _TOKEN.fullmatch(value):
        raise OfferError("token", value, "letters and digits")
    return value


def way(resource):
    """Return the host and the TCP port of a network resource. If the resource is behind a proxy, labgrid opens an SSH
    tunnel. The function then returns the tunnel's host and port on this machine.
    """
    host(resource.host)
    extra = getattr(resource, "extra", None) or {}
    if extra.get("proxy_required") or extra.get("proxy"):
        host(extra.get("proxy"), "proxy")
    number(resource.port, "port", 1, 65535)
    found, port = proxymanager.get_host_and_port(resource)
    return found, number(port, "port", 1, 65535)


def cable(resource):
    """Check the values that describe a JTAG cable of an exporter. The cable's host name becomes an argument of ssh. The
    cable's USB address becomes an argument of openFPGALoader.
    """
    if hasattr(resource, "host"):
        host(resource.host)
    for name in ("busnum", "devnum"):
        number(getattr(resource, name), name, 1, 999)


def simulator(value):
    """Return a file descriptor (pidfd) of the process of a simulated board on this machine.

    The descriptor stands for this process only, even if its number is used again.

    Raises
    ------
    OfferError
        No process can have this number, or the process runs another program.
    ProcessLookupError
        The process does not exist any more.
    """
    number(value, "process", 2, _MOST_PROCESS)
    descriptor = os.pidfd_open(value)
    try:
        name = os.path.basename(os.readlink(f"/proc/{value}/exe")).removesuffix(" (deleted)")
    except PermissionError:
        name = ""
    except FileNotFoundError as error:  # the process has ended, but still exists until its parent waits for it
        os.close(descriptor)
        raise ProcessLookupError(*error.args) from error
    if name != SIMULATOR:
        os.close(descriptor)
        raise OfferError("process", value, "that of a simulated board")
    return descriptor


def end_simulator(value):
    """End the process of a simulated board. Raises the same errors as the function `simulator`."""
    descriptor = simulator(value)
    try:
        signal.pidfd_send_signal(descriptor, signal.SIGTERM)
    finally:
        os.close(descriptor)
