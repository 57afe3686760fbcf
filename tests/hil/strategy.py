# SPDX-License-Identifier: BSD-2-Clause
"""Makes a board ready: switch its power on, check the FPGA part on the JTAG cable, load the bitstream, and wait for a
reply to the request `info`.
"""

import contextlib
import enum
import hashlib
import time
from pathlib import Path

import attr
from cipherlane.errors import CipherlaneError
from cipherlane.link import flashing
from cipherlane.link.device import Device
from cipherlane_base.plain import plain
from labgrid.driver.exception import ExecutionError
from labgrid.exceptions import NoResourceFoundError
from labgrid.factory import target_factory
from labgrid.protocol import PowerProtocol, ResetProtocol
from labgrid.step import step
from labgrid.strategy import Strategy, StrategyError

from tests.hil import offered
from tests.hil.board import BoardProtocol
from tests.hil.openfpgaloader import OpenFPGALoaderDriver

ANSWER_S = 30.0
_AGAIN_S = 0.2


class Status(enum.Enum):
    """The state of a board; `unknown` until its first transition."""

    unknown = 0
    off = 1
    serving = 2


@target_factory.reg_driver
@attr.s(eq=False)
class BoardStrategy(Strategy):
    """Brings a board to the state `serving` or `off`. The method `restart` switches the board's power off and on.
    Without a power switch, the method resets the board or loads the bitstream again.

    Args:
        part (str): optional, the part that must be on the cable, as openFPGALoader calls it
        title (str): optional, the board's name for users
        image (str): optional, key in ``images`` of the bitstream in a board that is not loaded from here
    """

    bindings = {
        "board": BoardProtocol,
        "loader": {OpenFPGALoaderDriver, None},
        "power": {PowerProtocol, None},
        "reset": {ResetProtocol, None},
    }

    part = attr.ib(default=None, validator=attr.validators.optional(attr.validators.instance_of(str)))
    title = attr.ib(default="board", validator=attr.validators.instance_of(str))
    image = attr.ib(default=None, validator=attr.validators.optional(attr.validators.instance_of(str)))
    status = attr.ib(default=Status.unknown)

    @property
    def bitstream(self):
        """First 16 hexadecimal digits of the SHA-256 of the board's bitstream. None if the loader has no bitstream to
        load.
        """
        if not (self.loader and self.loader.image):
            return None
        return hashlib.sha256(self._path_of(self.loader.image).read_bytes()).hexdigest()[:16]

    @property
    def build_id(self):
        """The build id that the board must report, or None if it is unknown. The id is stored with the bitstream, or
        with the build of a local simulated board.
        """
        image = self.loader.image if self.loader else self.image
        path = self._path_of(image).with_suffix(".build_id") if image else self.board.build_id_file
        return path.read_text().strip() if path and path.is_file() else None

    def _path_of(self, image):
        return Path(self.target.env.config.get_image_path(image))

    @property
    def restarts(self):
        """True if `restart` can restart the board by a power switch, a reset or a bitstream loader."""
        return bool(self.power or self.reset or self.loader)

    @step(args=["status"])
    def transition(self, status):
        """Bring the board to a state. Raises `StrategyError` with a message of one line."""
        status = status if isinstance(status, Status) else Status[status]
        if status is self.status:
            return
        with self._one_line():
            if status is Status.serving:
                self._switch("on")
                self._load()
                self.target.activate(self.board)
                self._await_answer()
            elif status is Status.off:
                self.target.deactivate(self.board)
                self._switch("off")
            else:
                raise StrategyError(f"no board is brought to {status.name}")
        self.status = status

    @step()
    def restart(self):
        """Restart the board, and wait until it answers. Without a power switch, reset the board or load its bitstream
        again.

        In each case the board loses its keys, sessions and counter blocks.
        """
        with self._one_line():
            if self.power:
                self._switch("cycle")
                self._load()
            elif self.reset:
                self.target.activate(self.reset)
                self.reset.reset()
            else:
                self._load()
            self.target.update_resources()  # find the serial port again, because a restart can disconnect it
            self.target.activate(self.board)
            self._await_answer()

    def _switch(self, how):
        if self.power:
            self.target.activate(self.power)
            getattr(self.power, how)()

    def _load(self):
        if not self.loader:
            return
        self.target.activate(self.loader)
        offered.cable(self.loader.interface)
        if self.part:
            flashing.require_part(self.part, self.loader.detect(), self.title)
        self.loader.load()
        # On some boards, the same cable also carries the serial port, so the loader must release the cable.
        self.target.deactivate(self.loader)

    def _await_answer(self):
        end = time.monotonic() + ANSWER_S
        while True:
            try:
                with Device(self.board.open(self.board.transports[0])) as device:
                    return device.info()
            except CipherlaneError:
                if time.monotonic() > end:
                    raise
                time.sleep(_AGAIN_S)

    @contextlib.contextmanager
    def _one_line(self):
        """Convert errors of the enclosed statements to a `StrategyError` with a message of one line that tells what to
        do.
        """
        try:
            yield
        except NoResourceFoundError as error:
            missing = ", ".join(sorted(type(each).__name__ for each in error.filter or ())) or str(error)
            raise StrategyError(f"no {self.title} is attached ({missing}): attach and power it") from error
        except ExecutionError as error:
            told = error.stdout and "failed" in error.msg
            raise StrategyError(
                flashing.reason("\n".join(error.stdout), self.title) if told else plain(error.msg)
            ) from error
        except FileNotFoundError as error:
            raise StrategyError(f"{error}: run `make bitstream` first") from error
        except CipherlaneError as error:
            raise StrategyError(str(error)) from error
