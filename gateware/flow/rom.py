# SPDX-License-Identifier: BSD-2-Clause
"""Reads and writes the words of boot ROM and code memory in the block RAMs of an ECP5 netlist.

Yosys turns a ROM of 32-bit words into columns: bit b of the words 2048 k to 2048 k + 2047 is column 32 k + b. Block RAM
n, the cell ``rom.0.n``, holds columns 9 n to 9 n + 8, one bit of each in each of its 2048 units.

The bytes of the code memory are written one by one, so Yosys makes block RAMs of 16384 words of one bit. ``code.0.n``
holds bit b of the words from 16384 k on, where n is 32 k + b. A unit holds eight words, and its ninth bit is unused.

nextpnr's attribute WID of the cell is the number of its contents in the bitstream's text form (``.bram_init``). This
layout is checked in each netlist: `Layout.image` must return the memory's known contents before anything is changed.
"""

import re
from collections.abc import Sequence

from .cells import INITVALS, ROW_PITCH, ROWS, UNIT, Cell, number

WORD = 32
UNITS = 2048
# Number of 9-bit units per line in a bitstream's text form.
_LINE = 8
_NAMES = {"rom": "ROM", "code": "code memory"}
_WORDS_A_UNIT = 8  # in the code memory, a unit stores one bit of each of 8 words


class LayoutError(ValueError):
    """The block RAMs of a netlist do not have the layout that this module knows."""


class Layout:
    """Tells which bits of which block RAMs store each word of the ROM or code memory.

    Parameters
    ----------
    module : dict
        The routed netlist.
    memory : str
        ``rom`` or ``code``.

    Raises
    ------
    LayoutError
        There are no such block RAMs, one is missing, or their words have another width.
    """

    def __init__(self, module: Cell, memory: str = "rom"):
        self._memory = memory
        self._name = _NAMES[memory]
        self._cells = cells(module, memory)
        try:
            self.numbers = [int(cell["attributes"]["WID"], 2) for cell in self._cells]
        except KeyError as error:
            raise LayoutError(f"the block RAMs of the {self._name} have no numbers in the netlist") from error
        if memory == "rom":
            self.words = UNITS * (len(self.numbers) * UNIT // WORD)
        else:
            self.words = UNITS * _WORDS_A_UNIT * (len(self.numbers) // WORD)

    def image(self, rams: dict[int, list[int]]) -> list[int]:
        """Returns the words of the memory. `rams` maps the number of each block RAM to its contents in 9-bit units.

        Raises
        ------
        LayoutError
            A block RAM is missing.
        """
        if missing := [str(number) for number in self.numbers if len(rams.get(number, ())) != UNITS]:
            raise LayoutError(f"block RAMs {', '.join(missing)} of the {self._name} are not in the bitstream")
        units = [rams[number] for number in self.numbers]
        words = []
        for address in range(self.words):
            places = (self._place(address, bit) for bit in range(WORD))
            words.append(sum((units[ram][row] >> column & 1) << n for n, (ram, row, column) in enumerate(places)))
        return words

    def units(self, words: Sequence[int]) -> dict[int, list[int]]:
        """For a memory that contains `words`, returns the 9-bit units of each block RAM, by the block RAM's number.
        Unused bits are 0.

        Raises
        ------
        LayoutError
            There are more words than the memory holds.
        """
        if len(words) > self.words:
            raise LayoutError(f"{4 * len(words)} bytes are more than the {self._name}'s {4 * self.words}")
        rams = [[0] * UNITS for _ in self.numbers]
        for address, word in enumerate(words):
            for bit in range(WORD):
                if word >> bit & 1:
                    ram, row, column = self._place(address, bit)
                    rams[ram][row] |= 1 << column
        return dict(zip(self.numbers, rams, strict=True))

    def put(self, module: Cell, rams: dict[int, list[int]]) -> None:
        """Writes contents into the parameters of the memory's block RAMs, in a netlist before or after routing."""
        for cell, ram in zip(cells(module, self._memory), self.numbers, strict=True):
            cell["parameters"] |= parameters(rams[ram])

    def _place(self, address: int, bit: int) -> tuple[int, int, int]:
        """Returns the place of one bit of a word: the block RAM, the 9-bit unit in it, and the bit in that unit."""
        if self._memory == "rom":
            bank, row = divmod(address, UNITS)
            ram, column = divmod(bank * WORD + bit, UNIT)
            return ram, row, column
        bank, place = divmod(address, UNITS * _WORDS_A_UNIT)
        return bank * WORD + bit, *divmod(place, _WORDS_A_UNIT)


def cells(module: Cell, memory: str = "rom") -> list[Cell]:
    """Returns the block RAMs of one memory of a netlist, `rom` or `code`, in the order of their index."""
    name, width = _NAMES[memory], {"rom": UNIT, "code": 1}[memory]
    pattern = re.compile(rf"{memory}\.0\.(\d+)")
    found = {
        int(match[1]): cell
        for instance, cell in module["cells"].items()
        if cell["type"] == "DP16KD" and (match := pattern.fullmatch(instance))
    }
    if not found or sorted(found) != list(range(len(found))):
        raise LayoutError(f"the netlist has only {len(found)} block RAMs of the {name}")
    if any(number(cell["parameters"].get("DATA_WIDTH_A", "0")) != width for cell in found.values()):
        raise LayoutError(f"the {name}'s block RAMs do not have {width}-bit words")
    return [found[place] for place in sorted(found)]


def parameters(units: Sequence[int]) -> dict[str, str]:
    """Returns a block RAM's INITVAL parameters for its 2048 units; `gateware.flow.cells.contents` does the reverse."""
    found = {}
    for block in range(INITVALS):
        rows = 0
        for row in range(ROWS):
            low, high = units[2 * (block * ROWS + row) : 2 * (block * ROWS + row) + 2]
            rows |= (low | high << UNIT) << ROW_PITCH * row
        found[f"INITVAL_{block:02X}"] = f"{rows:0{ROWS * ROW_PITCH}b}"
    return found


def read(text: str) -> dict[int, list[int]]:
    """Maps the number of each block RAM to its contents in 9-bit units, read from a bitstream's text form."""
    found: dict[int, list[int]] = {}
    units: list[int] | None = None
    for line in text.splitlines():
        if line.startswith("."):
            kind, *values = line.split()
            units = found.setdefault(int(values[0]), []) if kind == ".bram_init" else None
        elif units is not None:
            units += [int(unit, 16) for unit in line.split()]
    return found


def written(text: str, rams: dict[int, list[int]]) -> str:
    """Returns a bitstream's text form with new contents of block RAMs. `rams` maps their numbers to 9-bit units."""
    lines = text.splitlines()
    for place, line in enumerate(lines):
        kind, _, rest = line.partition(" ")
        if kind == ".bram_init" and (units := rams.get(int(rest))):
            rows = ["".join(f" {unit:03x}" for unit in units[n : n + _LINE])[1:] for n in range(0, UNITS, _LINE)]
            lines[place + 1 : place + 1 + len(rows)] = rows
    return "\n".join(lines) + "\n"
