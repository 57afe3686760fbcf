"""VexRiscv's CFU port, seen from a unit behind it."""

from migen import Module, Signal


class CFUUnit(Module):
    """A unit with the command and response streams of the port.

    Attributes
    ----------
    cmd_valid, cmd_ready : Signal()
        Handshake of the command.
    cmd_function_id : Signal(10)
        ``funct7 << 3 | funct3``.
    cmd_inputs : list of 2 Signal(32)
        Values of rs1 and rs2.
    rsp_valid, rsp_ready : Signal()
        Handshake of the response.
    rsp_output : Signal(32)
        Value for rd.
    """

    def __init__(self):
        self.cmd_valid = Signal()
        self.cmd_ready = Signal()
        self.cmd_function_id = Signal(10)
        self.cmd_inputs = [Signal(32, name="cmd_input0"), Signal(32, name="cmd_input1")]
        self.rsp_valid = Signal()
        self.rsp_ready = Signal()
        self.rsp_output = Signal(32)
