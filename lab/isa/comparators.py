# SPDX-License-Identifier: BSD-2-Clause
"""Two units that combine several AES instruction sets on one CFU port, for comparison with the vector AES unit.

All sets of a unit answer one cycle after their command, so each takes the same cycles as it would in a unit of its own.
"""

from migen import If, Signal

from gateware.isa.cfu import CFUUnit
from lab.isa import bertoni, rom_rounds
from lab.isa.bertoni import BertoniUnit
from lab.isa.ptlu import PtluUnit
from lab.isa.rom_rounds import ROMRoundsUnit
from lab.isa.wide_ptlu import WidePtluUnit
from lab.isa.zkn import ScalarAESUnit
from lab.isa.zvkned import ZvknedUnit

CHOOSE = 0x7F << 3
PTLU_64, PTLU_128, ZVKNED = 1, 2, 3


class _Sets(CFUUnit):
    """Connects several units to one CFU port. `chosen` is the number of the unit that gets the next command. A unit
    gets a command only if the CPU has taken the result of the previous command, or takes it in the same cycle.
    """

    def _serve(self, units: tuple[CFUUnit, ...], chosen: Signal) -> None:
        is_free = Signal()
        # The units accept a command only if no answer is pending, or if the CPU takes the pending answer in this cycle.
        # So at most one answer is pending at a time.
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


class ComparatorUnit(_Sets):
    """Executes the instruction sets that work on the CPU's registers. Commands and results pass through the streams of
    `CFUUnit`.

    ``funct3`` selects the set: 0 the ratified scalar instructions (`lab.isa.zkn`), 1 Bertoni's
    (`lab.isa.bertoni`), 2 VexRiscv's AES plugin (`lab.isa.rom_rounds`), 4 to 7 parallel table lookups of 32
    bits (`lab.isa.ptlu`).

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
        self.submodules.rom_rounds = ROMRoundsUnit()

        # # #

        funct3 = self.cmd_function_id[:3]
        chosen = Signal(2)
        self.comb += (
            If(funct3[2], chosen.eq(2))
            .Elif(funct3 == bertoni.FUNCT3, chosen.eq(1))
            .Elif(funct3 == rom_rounds.FUNCT3, chosen.eq(3))
        )
        self._serve((self.scalar, self.bertoni, self.ptlu, self.rom_rounds), chosen)


class WideComparatorUnit(_Sets):
    """Executes the instruction sets that have wider registers of their own. Commands and results pass through the
    streams of `CFUUnit`.

    ``funct3`` 0 selects the ratified scalar instructions, for the firmware. The other values belong to the unit that
    was chosen last. The function id `CHOOSE` chooses a unit by its number in rs1, and answers 0: `PTLU_64` and
    `PTLU_128` are parallel table lookups (`lab.isa.wide_ptlu`), `ZVKNED` is `lab.isa.zvkned`. At first no
    unit is chosen, and all these instructions answer 0.

    Parameters
    ----------
    sbox : str
        Implementation of the S-boxes (`gateware.aes.sbox`).
    """

    def __init__(self, *, sbox: str = "table"):
        CFUUnit.__init__(self)
        self.submodules.scalar = ScalarAESUnit(sbox=sbox)
        self.submodules.ptlu_64 = WidePtluUnit(width=64)
        self.submodules.ptlu_128 = WidePtluUnit(width=128)
        self.submodules.zvkned = ZvknedUnit(sbox=sbox)

        # # #

        wide, chosen = Signal(2), Signal(2)
        is_wide = self.cmd_function_id[:3] != 0
        self.comb += If(is_wide, chosen.eq(wide))
        self.sync += If(
            self.cmd_valid & self.cmd_ready & (self.cmd_function_id == CHOOSE), wide.eq(self.cmd_inputs[0][:2])
        )
        self._serve((self.scalar, self.ptlu_64, self.ptlu_128, self.zvkned), chosen)
