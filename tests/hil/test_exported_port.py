"""A serial port as labgrid's exporter exports it, over RFC 2217, with the simulated board behind it."""

import select
import socket
import threading

import pytest
from cipherlane import Engine
from cipherlane.device import Device
from cipherlane.errors import PortError
from cipherlane.transport.simboard import SimulatedBoard
from labgrid import Target
from labgrid.resource import NetworkSerialPort
from serial.rfc2217 import PortManager

from tests.hil.board import UART, AttachedBoardDriver
from tests.hil.suite.transfers import Streams
from tests.hil.support import BUILD

SPEED = 1_000_000


class Lines:
    """What a server of RFC 2217 asks of a serial port, counting how often it is set up; data go past it."""

    cts = dsr = ri = cd = dtr = rts = True
    rtscts = xonxoff = break_condition = False
    bytesize, parity, stopbits = 8, "N", 1

    def __init__(self):
        self.speeds = [9600]

    baudrate = property(lambda self: self.speeds[-1], lambda self, speed: self.speeds.append(speed))

    def reset_input_buffer(self):
        pass

    reset_output_buffer = reset_input_buffer


class Exporter:
    """A server of RFC 2217 by pyserial, as ser2net is one, in front of the UART of a simulated board."""

    def __enter__(self):
        self.board = SimulatedBoard(BUILD / "sim")
        self.board.start()
        self.lines = Lines()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()
        return self

    def _serve(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            with client, socket.create_connection(("127.0.0.1", self.board.port)) as wire:
                writer = client.makefile("wb", buffering=0)
                manager = PortManager(self.lines, writer)
                while True:
                    ready, _, _ = select.select([client, wire], [], [], 60)
                    if client in ready:
                        data = client.recv(4096)
                        if not data:
                            break
                        wire.sendall(b"".join(manager.filter(data)))
                    if wire in ready:
                        writer.write(b"".join(manager.escape(wire.recv(4096))))

    def __exit__(self, *_):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(70)
        self.board.stop()


def attached(port):
    target = Target("main")
    NetworkSerialPort(target, None, host="127.0.0.1", port=port, speed=SPEED)
    driver = AttachedBoardDriver(target, None)
    target.activate(driver)
    return driver


def test_streams_pass_and_the_port_is_set_up_once():
    with Exporter() as exporter:
        driver = attached(exporter.port)
        assert driver.transports == (UART,) and not driver.simulated
        with Device(driver.open(UART)) as device:
            Streams().draw(2000).transfer(device, Engine.ACCELERATOR)
    assert exporter.lines.speeds == [9600, SPEED], "a new time-out is no reason to set it up again"


def test_an_exporter_that_is_gone():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(PortError, match=rf"cannot open port rfc2217://127\.0\.0\.1:{port}: .*; check the exporter"):
        attached(port).open(UART)
