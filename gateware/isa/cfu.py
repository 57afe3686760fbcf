# SPDX-License-Identifier: BSD-2-Clause
"""Base classes for units with custom instructions on VexRiscv's CFU port, such as units that answer after one cycle."""

from migen import Array, Cat, If, Module, Signal

from ..aes.transforms import byte_list, inverse_mix_correction, masked, mix_column


class CFUUnit(Module):
    """A unit on VexRiscv's CFU port, with the port's command and response streams.

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


class OneCycleUnit(CFUUnit):
    """A unit that answers each command one cycle later. While an answer leaves, the unit can accept the next command.

    Attributes
    ----------
    accept : Signal()
        The unit takes a command; registers capture whatever the answer depends on.
    """

    def __init__(self):
        CFUUnit.__init__(self)
        self.accept = Signal()

        # # #

        self.comb += [
            self.accept.eq(self.cmd_valid & self.cmd_ready),
            self.cmd_ready.eq(~self.rsp_valid | self.rsp_ready),
        ]
        self.sync += [If(self.rsp_ready, self.rsp_valid.eq(0)), If(self.accept, self.rsp_valid.eq(1))]


class ColumnUnit(OneCycleUnit):
    """A unit that answers with a column of the AES state after SubBytes. The column's low byte is row 0."""

    def answer(self, *, defined, column, addend, rotation, mix, inverse) -> None:
        """Answer with ``addend ^ rotl(column, 8 * rotation)``, or with 0 if `defined` is 0.

        With `mix` the column first passes MixColumns, with `inverse` InvMixColumns, which is a correction before the
        same circuit. All arguments are values of the cycle that takes the command.
        """
        names = ("answers", "source", "added", "turned", "mixes", "inverts")
        values = (defined, column, addend, rotation, mix, inverse)
        kept = {name: Signal(width, name=name) for name, width in zip(names, (1, 32, 32, 2, 1, 1), strict=True)}
        self.sync += If(
            self.accept, *(register.eq(value) for register, value in zip(kept.values(), values, strict=True))
        )

        source, corrected, mixed = kept["source"], Signal(32), Signal(32)
        turned = Array([Cat(mixed[32 - 8 * i :], mixed[: 32 - 8 * i]) if i else mixed for i in range(4)])
        correction = masked(kept["inverts"], Cat(*inverse_mix_correction(byte_list(source))))
        self.comb += [
            corrected.eq(source ^ correction),
            mixed.eq(source),
            If(kept["mixes"], mixed.eq(Cat(*mix_column(byte_list(corrected))))),
            If(kept["answers"], self.rsp_output.eq(kept["added"] ^ turned[kept["turned"]])),
        ]
