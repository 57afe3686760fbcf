# SPDX-License-Identifier: BSD-2-Clause
"""Tests a board whose serial port disappears while its cable is used for JTAG, such as the ULX3S. The port must be
found again.
"""

import time
from types import SimpleNamespace

import attr
import pytest
from labgrid import Target
from labgrid.factory import target_factory
from labgrid.resource.udev import USBSerialPort

from tests.hil.board import UART, AttachedBoardDriver
from tests.hil.openfpgaloader import OpenFPGALoaderDriver
from tests.hil.strategy import BoardStrategy
from tests.hil.support import recorded_loader
from tests.hil.test_openfpgaloader import RecordedCable
from tests.pseudo_terminal import SerialBoard


@target_factory.reg_resource
@attr.s(eq=False)
class PortBehindTheCable(USBSerialPort):
    """A serial port that disappears each time its cable has been used for JTAG. Then udev finds the port again, under
    the next name in `names`.
    """

    names = ()
    away = False

    def poll(self):
        if self.away:
            self.away, self.avail, self.port = False, False, None
        elif not self.avail and self.names:
            self.avail, self.port = True, self.names.pop(0)


@pytest.fixture
def board_behind_cable(tmp_path):
    """Return a function that makes a strategy, labgrid's object that controls a board. The function's argument is a
    list of port names. Each time the board's serial port is found, the port gets the next name from this list.
    """
    program, words = recorded_loader(tmp_path / "programs")
    bitstream = tmp_path / "board.bit"
    bitstream.write_bytes(b"\xff" * 64)

    def make(names):
        config = SimpleNamespace(get_tool=lambda name: str(program), get_image_path=lambda kind: str(bitstream))
        target = Target("main", env=SimpleNamespace(config=config))
        RecordedCable(target, None)
        port = PortBehindTheCable(target, None, match={"ID_VENDOR_ID": "ffff"}, speed=1_000_000)
        port.names = list(names)
        loader = OpenFPGALoaderDriver(target, None, board="ulx3s", image="bitstream")
        AttachedBoardDriver(target, None)
        strategy = BoardStrategy(target, None, part="LFE5UM5G-85")
        load = loader.load

        def load_and_take_the_port(*arguments):
            load(*arguments)
            port.away = True
            # With a real cable, the port is missing for a longer time. Here, 0.2 s is enough, because labgrid checks
            # its resources every 0.1 s.
            time.sleep(0.2)

        loader.load = load_and_take_the_port
        return strategy, port, words

    return make


def test_its_port_is_found_again_under_another_name(board_behind_cable):
    with SerialBoard() as first, SerialBoard() as second:
        strategy, port, words = board_behind_cable(["/dev/none", first.port, second.port])
        strategy.transition("serving")
        assert port.port == first.port
        strategy.restart()
        assert port.port == second.port
        strategy.board.open(UART).close()
    assert [line.split()[-1] for line in words() if "--detect" in line] == ["--detect"] * 2
