# SPDX-License-Identifier: BSD-2-Clause
"""A labgrid driver that loads bitstreams with openFPGALoader. There is no such driver in labgrid.

It contains nothing specific to this project, so it could become `labgrid/driver/openfpgaloaderdriver.py` with relative
imports.
"""

import re
from subprocess import CalledProcessError

import attr
from labgrid.driver.common import Driver
from labgrid.driver.exception import ExecutionError
from labgrid.factory import target_factory
from labgrid.protocol import BootstrapProtocol
from labgrid.step import step
from labgrid.util.helper import processwrapper
from labgrid.util.managedfile import ManagedFile

# Exit statuses of timeout(1).
_REASONS = {124: "did not end in {} s", 127: "is not installed"}
_KILL_AFTER_S = 10
_OPTIONAL_TEXT = attr.validators.optional(attr.validators.instance_of(str))


@target_factory.reg_driver
@attr.s(eq=False)
class OpenFPGALoaderDriver(Driver, BootstrapProtocol):
    """Loads an FPGA's configuration memory, or its configuration flash, over JTAG.

    The cable is chosen by its place on the USB bus, so several equal cables can be attached. On a remote place, the
    bitstream is copied to the exporter, and the tool runs there.

    Args:
        image (str): optional, key in ``images`` of the bitstream that is loaded by default
        board (str): optional, openFPGALoader's name of the board, which implies the cable's type
        cable (str): optional, the cable's type
        fpga_part (str): optional, the part, which some boards' flash needs
        frequency (int): optional, JTAG clock in Hz
        timeout (int): seconds after which a run of the tool is ended
    """

    bindings = {
        "interface": {"USBDebugger", "NetworkUSBDebugger", "AlteraUSBBlaster", "NetworkAlteraUSBBlaster"},
    }

    image = attr.ib(default=None, validator=_OPTIONAL_TEXT)
    board = attr.ib(default=None, validator=_OPTIONAL_TEXT)
    cable = attr.ib(default=None, validator=_OPTIONAL_TEXT)
    fpga_part = attr.ib(default=None, validator=_OPTIONAL_TEXT)
    frequency = attr.ib(default=None, validator=attr.validators.optional(attr.validators.instance_of(int)))
    timeout = attr.ib(default=600, validator=attr.validators.instance_of(int))

    def __attrs_post_init__(self):
        super().__attrs_post_init__()
        self.tool = self.target.env.config.get_tool("openFPGALoader") if self.target.env else "openFPGALoader"

    @Driver.check_active
    @step(result=True)
    def detect(self):
        """Return the part names of the chips in the JTAG chain, in order. Nothing is written to the chips."""
        return re.findall(r"^\s*model\s+(\S+)", self._run(["--detect"]), re.MULTILINE)

    @Driver.check_active
    @step(args=["filename"])
    def load(self, filename=None):
        """Load a bitstream into the FPGA's configuration memory. The memory loses the bitstream when the power is
        switched off.
        """
        self._run(["--write-sram", self._synced(filename)])

    @Driver.check_active
    @step(args=["filename"])
    def flash(self, filename=None):
        """Write a bitstream into the configuration flash, verify it, and restart the FPGA from the flash."""
        self._run(["--write-flash", "--verify", self._synced(filename)])

    @Driver.check_active
    @step()
    def reset(self):
        """Restart the FPGA from its flash."""
        self._run(["--reset"])

    def _synced(self, filename):
        if filename is None and self.image is not None:
            filename = self.target.env.config.get_image_path(self.image)
        if filename is None:
            raise ExecutionError("no bitstream named: give a filename, or the driver an image")
        managed = ManagedFile(filename, self.interface)
        managed.sync_to_resource()
        return managed.get_remote_path()

    def _run(self, words):
        options = {
            "--board": self.board,
            "--cable": self.cable,
            "--fpga-part": self.fpga_part,
            "--freq": self.frequency,
            # decimal without leading zeros, since openFPGALoader before 0.13 reads numbers with leading zeros as octal
            "--busdev-num": f"{self.interface.busnum}:{self.interface.devnum}",
        }
        command = ["timeout", f"--kill-after={_KILL_AFTER_S}", str(self.timeout), self.tool]
        for name, value in options.items():
            if value is not None:
                command += [name, str(value)]
        try:
            said = processwrapper.check_output(self.interface.wrap_command(command + words))
        except CalledProcessError as error:
            reason = _REASONS.get(error.returncode, f"failed with status {error.returncode}").format(self.timeout)
            text = (error.output or b"").decode(errors="replace")
            lines = [line.rstrip() for line in re.split(r"[\r\n]+", text) if line.strip()]
            raise ExecutionError(f"openFPGALoader {reason}", stdout=lines) from error
        return said.decode(errors="replace")
