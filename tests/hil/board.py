"""Boards as labgrid sees them: what carries records to one (resources), and how it is reached (drivers).

::

    SerialPort, BoardAddress ─► AttachedBoardDriver ───┐      (JtagCable ─► OpenFPGALoaderDriver)
                                                       ├─► BoardProtocol ─► transports of the host tool
    SimulatedBoard ───────────► SimulatedBoardDriver ──┘
    NetworkSimulatedBoard ────► (the same, on an exporter of this machine)
"""

import abc
import contextlib
import os
import signal
import socket
import time
from pathlib import Path

import attr
import serial.rfc2217
from cipherlane.errors import CipherlaneError, PortError
from cipherlane.protocol.layout import UDP_PORT
from cipherlane.transport import namespace, simboard
from cipherlane.transport.serial import SerialTransport
from cipherlane.transport.udp import SIMULATED_NETWORK, UdpTransport
from labgrid.driver import Driver
from labgrid.factory import target_factory
from labgrid.protocol import ResetProtocol
from labgrid.resource.base import SerialPort
from labgrid.resource.common import ManagedResource, NetworkResource, Resource
from labgrid.resource.remote import RemotePlaceManager
from labgrid.resource.udev import USBDebugger
from labgrid.util.proxy import proxymanager

UART, UDP = "uart", "udp"
SPEED = 1_000_000  # bits a second, of every board's UART
RESTART_S = 30.0
_TEXT = attr.validators.instance_of(str)
_INT = attr.validators.optional(attr.validators.instance_of(int))


class BoardProtocol(abc.ABC):
    """A board that answers records.

    ``transports`` are the names of the ways to it, UART and UDP; ``simulated`` says what it is, ``serial_number`` which
    of its kind, where that is known, ``tools`` what built it, where it says so, and ``build_id_file`` which build it
    is, where that is here.
    """

    simulated = False
    serial_number = None
    tools = {}
    build_id_file = None

    @property
    @abc.abstractmethod
    def transports(self):
        """The names of the ways to it."""

    @abc.abstractmethod
    def open(self, transport):
        """An open transport of the host tool; raises its errors."""


@target_factory.reg_resource
@attr.s(eq=False)
class JtagCable(USBDebugger):
    """A JTAG cable, whichever chip it has: labgrid's USBDebugger takes the chips that it lists alone."""

    def filter_match(self, device):
        return device.device_type == "usb_device"


@target_factory.reg_resource
@attr.s(eq=False)
class BoardAddress(Resource):
    """Where a board answers UDP: an IPv4 address, reachable from here."""

    address = attr.ib(validator=_TEXT)


@target_factory.reg_resource
@attr.s(eq=False)
class SimulatedBoard(Resource):
    """A simulated board of this machine: the folder that it was built in."""

    directory = attr.ib(validator=_TEXT)


@target_factory.reg_resource
@attr.s(eq=False)
class NetworkSimulatedBoard(NetworkResource, ManagedResource):
    """A simulated board that an exporter runs: where its UART listens, its process, and its address, if any."""

    manager_cls = RemotePlaceManager

    port = attr.ib(default=None, validator=_INT)
    pid = attr.ib(default=None, validator=_INT)
    address = attr.ib(default=None, validator=attr.validators.optional(_TEXT))

    def __attrs_post_init__(self):
        self.timeout = RESTART_S
        super().__attrs_post_init__()


class _QuietPort(serial.rfc2217.Serial):
    """A port of an exporter, which is not set up again with each new time-out: that asks the other end each time."""

    _as_set_up = None

    def _reconfigure_port(self):
        settings = self.get_settings()
        wanted = {name: value for name, value in settings.items() if "timeout" not in name}
        if wanted != self._as_set_up:
            super()._reconfigure_port()
            self._as_set_up = wanted


@target_factory.reg_driver
@attr.s(eq=False)
class AttachedBoardDriver(Driver, BoardProtocol):
    """A board with a serial port, here or at an exporter, or with an address, or both."""

    bindings = {"port": {"SerialPort", "NetworkSerialPort", None}, "network": {"BoardAddress", None}}

    @property
    def transports(self):
        return tuple(name for name, way in ((UART, self.port), (UDP, self.network)) if way)

    @property
    def serial_number(self):
        device = getattr(self.port, "device", None)
        place = self.port.parent if self.port else None
        return device.properties.get("ID_SERIAL_SHORT") if device else getattr(place, "tags", {}).get("serial")

    @Driver.check_active
    def open(self, transport):
        if transport == UDP:
            return UdpTransport(f"udp://{self.network.address}")
        if isinstance(self.port, SerialPort):
            if not self.port.port:
                raise PortError("the board's serial port is gone: look at its cable and power")
            return SerialTransport(self.port.port, self.port.speed)
        host, port = proxymanager.get_host_and_port(self.port)
        if self.port.protocol == "raw":
            return SerialTransport(f"socket://{host}:{port}")
        url = f"rfc2217://{host}:{port}"
        try:
            opened = _QuietPort(f"{url}?ign_set_control", baudrate=self.port.speed, timeout=0)
        except (OSError, ValueError) as error:
            raise PortError(f"cannot open port {url}: {error}; check the exporter") from error
        return SerialTransport(url, port=opened)


@target_factory.reg_driver
@attr.s(eq=False)
class SimulatedBoardDriver(Driver, BoardProtocol, ResetProtocol):
    """A simulated board: its process is its power."""

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
        """Ends its process, and waits until there is another one."""
        if self._process:
            self._process.stop()
            self._process.start()
        else:
            self._running.restart()

    @property
    def _running(self):
        return self._process or _Exported(self.board)


class _Exported:
    """A simulated board that an exporter runs, with what is used here of `simboard.SimulatedBoard`."""

    def __init__(self, resource):
        self._resource = resource
        self.ip_address = resource.address

    @property
    def url(self):
        host, port = proxymanager.get_host_and_port(self._resource)
        return f"socket://{host}:{port}"

    def udp_socket(self):
        self._here()
        try:
            return namespace.udp_socket(self._resource.pid, self.ip_address, UDP_PORT, RESTART_S)
        except OSError as error:
            raise PortError(f"no way to the simulated board: {error}; restart its exporter") from error

    def restart(self):
        self._here()
        before, end = self._resource.pid, time.monotonic() + RESTART_S
        with contextlib.suppress(ProcessLookupError):
            os.kill(before, signal.SIGTERM)
        while self._resource.pid == before or not self._resource.avail:
            if time.monotonic() > end:
                raise CipherlaneError(f"no simulated board came back in {RESTART_S:.0f} s: look at its exporter")
            self._resource.target.update_resources()
            self._resource.poll()

    def _here(self):
        """Its network and its process are only within reach of the machine that it runs on."""
        if socket.gethostbyname(self._resource.host).partition(".")[0] != "127":
            raise PortError(f"the simulated board is on {self._resource.host}: run this there, or take one with a UART")
