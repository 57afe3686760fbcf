# SPDX-License-Identifier: BSD-2-Clause
"""Boards for labgrid. Resources describe how a board can be reached; drivers let the suite use the board.

::

    SerialPort, BoardAddress ─► AttachedBoardDriver ───┐      (JtagCable ─► OpenFPGALoaderDriver)
                                                       ├─► BoardProtocol ─► transports of the host tool
    SimulatedBoard ───────────► SimulatedBoardDriver ──┘
    NetworkSimulatedBoard ────► (the same, on an exporter of this machine)
"""

import abc
import contextlib
import os
import socket
import time
from pathlib import Path

import attr
from cipherlane.errors import CipherlaneError, PortError
from cipherlane.transport import namespace, simboard
from cipherlane.transport.serial import SerialTransport
from cipherlane.transport.udp import SIMULATED_NETWORK, UdpTransport
from cipherlane_base.wire.layout import UDP_PORT
from labgrid.driver import Driver
from labgrid.factory import target_factory
from labgrid.protocol import ResetProtocol
from labgrid.resource.base import SerialPort
from labgrid.resource.common import ManagedResource, NetworkResource, Resource
from labgrid.resource.remote import RemotePlaceManager
from labgrid.resource.udev import USBDebugger

from tests.hil import offered

UART, UDP = "uart", "udp"
SPEED = 1_000_000  # bits per second of every board's UART
RESTART_S = 30.0
_TEXT = attr.validators.instance_of(str)
_INT = attr.validators.optional(attr.validators.instance_of(int))


class BoardProtocol(abc.ABC):
    """The interface of all board drivers. Each board answers records of Cipherlane's protocol.

    ``transports`` names its transports, UART and UDP. ``simulated`` tells whether it is simulated. ``serial_number`` is
    the board's, if known. ``tools`` lists the versions of the tools that built it, if it reports them.
    ``build_id_file`` contains its build id, if the build is on this machine.
    """

    simulated = False
    serial_number = None
    tools = {}
    build_id_file = None

    @property
    @abc.abstractmethod
    def transports(self):
        """The names of the transports over which the board can be reached."""

    @abc.abstractmethod
    def open(self, transport):
        """Open the transport `UART` or `UDP` to the board, and return it as an object of the host tool. Raises the
        errors of the host tool.
        """


@target_factory.reg_resource
@attr.s(eq=False)
class JtagCable(USBDebugger):
    """A JTAG cable with any USB chip. labgrid's own class USBDebugger accepts only the chips in its list."""

    def filter_match(self, device):
        return device.device_type == "usb_device"


@target_factory.reg_resource
@attr.s(eq=False)
class BoardAddress(Resource):
    """The address at which a board answers over UDP: a host name or an IPv4 address, optionally with a port."""

    address = attr.ib(validator=_TEXT)


@target_factory.reg_resource
@attr.s(eq=False)
class SimulatedBoard(Resource):
    """A simulated board on this machine. `directory` is the folder that contains its build."""

    directory = attr.ib(validator=_TEXT)


@target_factory.reg_resource
@attr.s(eq=False)
class NetworkSimulatedBoard(NetworkResource, ManagedResource):
    """A simulated board that a labgrid exporter runs. The exporter gives clients the port of the board's UART and the
    id of the board's process. If the board has an IP address, the exporter also gives this address.
    """

    manager_cls = RemotePlaceManager

    port = attr.ib(default=None, validator=_INT)
    pid = attr.ib(default=None, validator=_INT)
    address = attr.ib(default=None, validator=attr.validators.optional(_TEXT))

    def __attrs_post_init__(self):
        self.timeout = RESTART_S
        super().__attrs_post_init__()


@target_factory.reg_driver
@attr.s(eq=False)
class AttachedBoardDriver(Driver, BoardProtocol):
    """A board with a network address, a serial port, or both. The serial port is attached to this machine, or to
    another machine that exports it.
    """

    bindings = {"port": {"SerialPort", "NetworkSerialPort", None}, "network": {"BoardAddress", None}}

    @property
    def transports(self):
        return tuple(name for name, way in ((UART, self.port), (UDP, self.network)) if way)

    @property
    def serial_number(self):
        device = getattr(self.port, "device", None)
        place = self.port.parent if self.port else None
        said = device.properties.get("ID_SERIAL_SHORT") if device else getattr(place, "tags", {}).get("serial")
        return offered.text(said, "serial number")

    @Driver.check_active
    def open(self, transport):
        if transport == UDP:
            return UdpTransport(f"udp://{offered.destination(self.network.address)}")
        if isinstance(self.port, SerialPort):
            if not self.port.port:
                raise PortError("the board's serial port is gone: look at its cable and power")
            return SerialTransport(self.port.port, self.port.speed)
        protocol, speed = self.port.protocol, offered.number(self.port.speed, "speed", 1, 1 << 31)
        if protocol not in offered.PROTOCOLS:
            raise offered.OfferError("protocol", protocol, " or ".join(offered.PROTOCOLS))
        host, port = offered.way(self.port)
        try:
            return SerialTransport(f"{'socket' if protocol == 'raw' else 'rfc2217'}://{host}:{port}", speed)
        except PortError as error:
            raise PortError(f"{error}; check the exporter") from error


@target_factory.reg_driver
@attr.s(eq=False)
class SimulatedBoardDriver(Driver, BoardProtocol, ResetProtocol):
    """A simulated board. Starting its process switches the board on; ending the process switches it off."""

    bindings = {"board": {"SimulatedBoard", "NetworkSimulatedBoard"}}
    simulated = True

    def __attrs_post_init__(self):
        super().__attrs_post_init__()
        self._process = None

    @property
    def transports(self):
        return (UDP,) if self._running.ip_address else (UART,)

    @property
    def tools(self):
        return self._process.description.get("tools", {}) if self._process else {}

    @property
    def build_id_file(self):
        return Path(self.board.directory, "gateware", "sim.build_id") if self._process else None

    def on_activate(self):
        if isinstance(self.board, SimulatedBoard):
            self._process = simboard.SimulatedBoard(Path(self.board.directory))
            self._process.start()

    def on_deactivate(self):
        if self._process:
            self._process.stop()
            self._process = None

    @Driver.check_active
    def open(self, transport):
        board = self._running
        if board.ip_address:
            opened = UdpTransport(f"udp://{board.ip_address}", board.udp_socket())
            opened.pace = SIMULATED_NETWORK
        else:
            opened = SerialTransport(board.url)
        opened.simulated = True
        return opened

    @Driver.check_active
    def reset(self):
        """Restart the board: end its process, and wait until a new one runs."""
        if self._process:
            self._process.stop()
            self._process.start()
        else:
            self._running.restart()

    @property
    def _running(self):
        return self._process or _Exported(self.board)


class _Exported:
    """Gives `SimulatedBoardDriver` access to a simulated board that a labgrid exporter runs. This class has the
    attributes of `simboard.SimulatedBoard` that the driver needs.
    """

    def __init__(self, resource):
        self._resource = resource
        self.ip_address = None if resource.address is None else offered.address(resource.address)

    @property
    def url(self):
        host, port = offered.way(self._resource)
        return f"socket://{host}:{port}"

    def udp_socket(self):
        self._here()
        process = self._resource.pid
        try:
            os.close(offered.simulator(process))
            return namespace.udp_socket(process, self.ip_address, UDP_PORT, RESTART_S)
        except OSError as error:
            raise PortError(f"no way to the simulated board: {error}; restart its exporter") from error

    def restart(self):
        self._here()
        before, end = self._resource.pid, time.monotonic() + RESTART_S
        with contextlib.suppress(ProcessLookupError):
            offered.end_simulator(before)
        while self._resource.pid == before or not self._resource.avail:
            if time.monotonic() > end:
                raise CipherlaneError(f"no simulated board came back in {RESTART_S:.0f} s: look at its exporter")
            self._resource.target.update_resources()
            self._resource.poll()

    def _here(self):
        """Check that the board runs on this machine. Only programs on the same machine can reach the board's network
        and process.
        """
        host = offered.host(self._resource.host)
        try:
            found = socket.gethostbyname(host)
        except (OSError, UnicodeError) as error:
            raise PortError(f"the exporter's host {host} is not known here: check its name") from error
        if found.partition(".")[0] != "127":
            raise PortError(f"the simulated board is on {host}: run this there, or take one with a UART")
