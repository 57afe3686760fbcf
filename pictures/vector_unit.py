# SPDX-License-Identifier: BSD-2-Clause
"""Draw the block diagram of the vector AES unit."""

from pictures.diagrams import Arrow, Box, draw

TITLE = "The vector AES unit: a round of AES each cycle, in two stages"
DESCRIPTION = (
    "The decoder takes an instruction from the CPU's CFU port. In stage 1 the shuffle network does ShiftRows on a "
    "state register, between the four lanes. Each lane substitutes the four bytes of its column. In stage 2 each lane "
    "mixes its column and adds the round key, and the result is written back. Registers exist in eight contexts. The "
    "memory port loads and stores blocks of 128 bits while other instructions run."
)

CPU = Box("CPU", 0.15, 3.6, 0.9, 0.8, ("CFU port:", "rs1, rs2, rd"), 7, "gateware/isa/cfu.py")
DECODER = Box("decoder", 1.45, 3.6, 1.0, 0.8, ("interlock",), 7, "gateware/isa/decoder.py")
STATE = Box(
    "state registers",
    1.45,
    1.55,
    1.35,
    1.2,
    ("v0 to v7,", "128 bits each,", "in 8 contexts"),
    0,
    "gateware/isa/register_file.py",
)
SHUFFLE = Box(
    "shuffle", 3.2, 0.75, 0.85, 3.0, ("ShiftRows,", "InvShiftRows", "between lanes"), 5, "gateware/isa/vector_unit.py"
)
STAGE_1 = Box("stage 1", 3.05, 0.45, 3.1, 3.75, frame=True)
STAGE_2 = Box("stage 2", 6.35, 0.45, 1.85, 3.75, frame=True)
_LANES = (3.0, 2.3, 1.6, 0.9)
SUBSTITUTE = [
    Box(f"lane {n}", 4.55, y, 1.4, 0.55, ("SubBytes: 4 S-boxes",), 1, "gateware/isa/lane.py")
    for n, y in enumerate(_LANES)
]
MIX = [
    Box(f"lane {n}", 6.5, y, 1.55, 0.55, ("MixColumns, + key",), 1, "gateware/isa/lane.py")
    for n, y in enumerate(_LANES)
]
KEYS = Box("round keys", 4.55, 4.5, 1.4, 0.65, ("k0 to k15, 8 contexts",), 3, "gateware/isa/register_file.py")
COUNTER = Box("counter", 2.75, 4.5, 1.4, 0.65, ("base + index, 128 bits",), 3, "gateware/isa/vector_unit.py")
MEMORY = Box("memory port", 1.45, 0.3, 1.35, 0.75, ("queue of loads", "and stores"), 2, "gateware/isa/memory_port.py")
BUFFER = Box("buffer memory", 0.05, 0.3, 1.13, 0.75, ("128 bits", "a cycle"), 4, "gateware/soc/buffer.py")
BOXES = (STAGE_1, STAGE_2, CPU, DECODER, STATE, SHUFFLE, *SUBSTITUTE, *MIX, KEYS, COUNTER, MEMORY, BUFFER)
_BACK, _UP = 8.4, 1.315
ARROWS = (
    Arrow([CPU.right(), DECODER.left()]),
    Arrow([STATE.right(), SHUFFLE.left(0.467)], bold=True),
    *(Arrow([(SHUFFLE.right()[0], box.left()[1]), box.left()]) for box in SUBSTITUTE),
    *(Arrow([one.right(), two.left()]) for one, two in zip(SUBSTITUTE, MIX, strict=True)),
    Arrow([KEYS.right(), (7.27, KEYS.right()[1]), (7.27, STAGE_2.top()[1])], "round key", (6.7, KEYS.right()[1])),
    Arrow([COUNTER.bottom(), (COUNTER.bottom()[0], STAGE_1.top()[1])]),
    Arrow([DECODER.bottom(), (DECODER.bottom()[0], STATE.top()[1])], "numbers", (DECODER.bottom()[0], 3.18)),
    Arrow([DECODER.right(), (STAGE_1.x, DECODER.right()[1])], "rs1, rs2", (2.74, 4.13)),
    Arrow([STATE.left(0.8), (CPU.bottom()[0], STATE.left(0.8)[1]), CPU.bottom()], "rd", (CPU.bottom()[0], 3.1)),
    *(Arrow([box.right(), (_BACK, box.right()[1])], plain=True) for box in MIX),
    Arrow([STATE.bottom(), MEMORY.top()], both=True),
    Arrow([MEMORY.left(), BUFFER.right()], both=True, over=True),
    Arrow(
        [(_BACK, MIX[0].right()[1]), (_BACK, 0.12), (_UP, 0.12), (_UP, STATE.left(0.4)[1]), STATE.left(0.4)],
        "result, written back at the end of stage 2",
        (5.2, 0.12),
        bold=True,
    ),
)


def picture() -> str:
    """Return the diagram as SVG."""
    return draw(TITLE, DESCRIPTION, (8.6, 5.6), BOXES, ARROWS)
