"""The instruction sets that the vector AES unit is compared with, behind one CFU port.

``funct3`` says which: 0 the ratified scalar instructions (`gateware.isa.zkn`), 1 Bertoni's (`gateware.isa.bertoni`), 4
to 7 parallel table lookups (`gateware.isa.ptlu`). All answer one cycle after their command, so that each takes what it
would alone.
"""

from migen import If, Signal

from gateware.isa.bertoni import FUNCT3, BertoniUnit
from gateware.isa.cfu import CFUUnit
from gateware.isa.ptlu import PtluUnit
from gateware.isa.zkn import ScalarAESUnit


class ComparatorUnit(CFUUnit):
    """All of them, with the streams of `CFUUnit`.

    Parameters
    ----------
    sbox : str
        Implementation of the S-boxes (`gateware.aes.sbox`).
    """

    def __init__(self, *, sbox: str = "table"):
        CFUUnit.__init__(self)
        self.submodules.scalar = ScalarAESUnit(sbox=sbox)
        self.submodules.bertoni = BertoniUnit(sbox=sbox)
        self.submodules.ptlu = PtluUnit()

        # # #

        funct3 = self.cmd_function_id[:3]
        chosen, is_free = Signal(2), Signal()
        units = (self.scalar, self.bertoni, self.ptlu)
        self.comb += If(funct3[2], chosen.eq(2)).Elif(funct3 == FUNCT3, chosen.eq(1))
        # One answer waits at a time: every unit takes a command when that has been or is being taken.
        self.comb += [
            is_free.eq(~self.rsp_valid | self.rsp_ready),
            self.cmd_ready.eq(is_free),
        ]
        for i, unit in enumerate(units):
            self.comb += [
                unit.cmd_valid.eq(self.cmd_valid & is_free & (chosen == i)),
                unit.cmd_function_id.eq(self.cmd_function_id),
                *(mine.eq(given) for mine, given in zip(unit.cmd_inputs, self.cmd_inputs, strict=True)),
                unit.rsp_ready.eq(self.rsp_ready),
                If(unit.rsp_valid, self.rsp_valid.eq(1), self.rsp_output.eq(unit.rsp_output)),
            ]
