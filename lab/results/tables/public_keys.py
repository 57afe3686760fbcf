# SPDX-License-Identifier: BSD-2-Clause
"""Results of `make bench-papers` for public-key arithmetic in C, and how much a wider multiplier could save."""

from lab.results import papers
from lab.results.kept import Content
from lab.results.tables import Table, other_ciphers, table

MEASURE = "public keys"
BITS, WORD, WINDOW = 1024, 32, 4
# Number of Montgomery multiplications in a modular exponentiation ("power"). The four terms count the multiplications
# in these steps: compute 2^2048 mod n, fill the table of powers, process all windows of the exponent except the first,
# and convert the result.
MULTIPLICATIONS = (BITS.bit_length() - 1) + (2**WINDOW - 1) + (BITS // WINDOW - 1) * (WINDOW + 1) + 1
OPERATIONS = {
    "product": f"product of {BITS} bits by {BITS}",
    "multiply": "Montgomery multiplication",
    "power": f"x^e mod n, e of {BITS} bits: {MULTIPLICATIONS} multiplications",
}
# A product of two words has two halves. This dict maps each kind of multiplier to the halves that it returns: both
# halves (2), or only the low half (1).
HALVES = {"both": 2, "low": 1}
# The simulation of an exponentiation takes long. So exponentiation is measured with only one kind of multiplier: the
# kind that returns both halves of a product. The other operations are measured with both kinds.
MEASURED = tuple((name, halves) for name in OPERATIONS for halves in HALVES if (name, halves) != ("power", "low"))


def records(content: Content) -> dict[tuple[str, str], dict]:
    """Return the record of each operation in `MEASURED`; raise `ResultsError` if one is missing."""
    return other_ciphers.measured(content, MEASURE, set(MEASURED))


def cycles(content: Content, name: str, halves: str) -> float:
    """Return the cycles of an operation with one kind of multiplier."""
    return records(content)[name, halves]["cycles_per_block"]


def speed_up(content: Content, name: str) -> float:
    """Return how many times as fast an operation is if the multiplier returns both halves of a product, compared with
    a multiplier that returns only the low half.
    """
    return round(cycles(content, name, "low") / cycles(content, name, "both"), 2)


def share(content: Content) -> int:
    """Return the share of Montgomery multiplications in the cycles of an exponentiation, in percent. All cycles were
    measured with the multiplier that returns both halves of a product of two words.

    It is rounded to whole percents, because a multiplication's cycles depend slightly on the contents of the caches.
    """
    return round(100 * MULTIPLICATIONS * cycles(content, "multiply", "both") / cycles(content, "power", "both"))


def instructions(bits: int) -> tuple[int, int, int]:
    """Return three numbers of instructions for the product of two integers of `bits` bits. First: the minimum with a
    multiplier on the CFU port. Second: the number with this multiplier, if the CPU sends all operands before it reads
    the first result. Third: the number with RV32M.

    An instruction on the port takes two words and returns one. RV32M takes `mul` and `mulhu` for a product of two
    words.
    """
    words = bits // WORD
    return max(words, 2 * words), words + 2 * words, 2 * words**2


def render(kept: dict[str, Content]) -> list[str]:
    """Return tables in Markdown. The first shows the cycles of each operation. The second shows the fewest instructions
    that a product needs with any multiplier on the CFU port.
    """
    content = kept["bench-papers"]
    theirs = papers.values("fiskiran_lee")["table9"]["values"]
    found, rows = records(content), []
    for name, title in OPERATIONS.items():
        of_name = [found.get((name, halves)) for halves in HALVES]
        counts = [f"{record['cycles_per_block']:.0f}" if record else "-" for record in of_name]
        sizes = ", ".join(str(record["code_bytes"]) for record in of_name if record)
        rows.append([title, *counts, sizes, speed_up(content, name) if all(of_name) else "-"])
    wider = []
    for bits in (32, 64, 128, BITS):
        least, in_turn, in_c = instructions(bits)
        wider.append([bits, least, in_turn, in_c, round(in_c / least, 1), theirs.get(f"RSA, bits {bits}", "-")])
    of_one, spared = cycles(content, "multiply", "both"), 2 * (BITS // WORD) ** 2
    headings = ["bits of each number", "instructions at least", "operands before", "`mul` and `mulhu` in C"]
    headings += ["times fewer at most", "theirs: RSA, registers as wide"]
    return [
        f"**Engine speed** (`make bench-papers`): integers of {BITS} bits in C on the core, with caches of 4 KB; "
        "cycles (sim). Each result is compared with Python's. The multiplier returns both halves of a product of two "
        "words, by `mul` and `mulhu`, or only the low half. Then C makes the high half from four products of half "
        "words, and is the same otherwise. Code bytes: without the functions that are called.",
        "",
        *table(["operation", "both halves", "low half only", "code bytes", "times as fast"], rows),
        "",
        f"Multiplications take {share(content)}% of the power's cycles, in whole percents (sim): the cycles of one in "
        "a series of multiplications, times their number. If `mulhu` cost nothing, as where one instruction returns "
        f"both halves, a multiplication would take {spared} instructions fewer. It would be "
        f"{of_one / (of_one - spared):.2f} times as fast, at a cycle an instruction (computed).",
        "",
        "**What the port would allow a wider multiplier** (definition). None was built: the table counts words, and no "
        "row is a measurement. An instruction takes two words of 32 bits and returns one, at most one instruction a "
        "cycle. A product of two numbers of n words has 2n words in and 2n words out. So it takes at least 2n "
        "instructions, or 3n where all operands go in before, whatever unit is on the port. In C it takes n² `mul` and "
        f"as many `mulhu`. With its loads, sums and stores the product of {BITS} bits takes "
        f"{cycles(content, 'product', 'both'):.0f} cycles (sim).",
        "",
        *table(headings, wider),
    ]


TABLE = Table(
    name="public-keys",
    page="lab/results/papers/fiskiran_lee.md",
    sources=("bench-papers.json",),
    command="make bench-papers",
    render=render,
)
