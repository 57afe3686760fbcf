# SPDX-License-Identifier: BSD-2-Clause
"""Results of `make bench-papers` for other ciphers that use lookup tables, in C and with the instruction `ptlu`."""

from dataclasses import dataclass

from lab.results import papers
from lab.results.kept import Content, ResultsError
from lab.results.tables import Table, table

MEASURE, MEASURE_HASHES = "other ciphers", "hashes"


@dataclass(frozen=True)
class OtherCipher:
    """A cipher, with its name in our results and its name in the paper. The other fields describe its blocks, its
    lookup tables and its lookups.

    `tables`, `index_bits`, `entry_bits`, `lookups` and `writes` are counted for software, like in the paper's Table 4.
    `instructions` are the `ptlu` instructions for the lookups, without writes. `is_theirs` is false for a form that the
    paper lacks.
    """

    name: str
    title: str
    bits: int
    tables: int
    index_bits: int
    entry_bits: int
    lookups: int
    instructions: int
    writes: int = 0
    is_theirs: bool = True


CIPHERS = (
    OtherCipher("des", "DES", 64, tables=8, index_bits=6, entry_bits=32, lookups=128, instructions=128),
    OtherCipher("triple_des", "3DES", 64, tables=8, index_bits=6, entry_bits=32, lookups=384, instructions=384),
    OtherCipher("rc4", "RC4", 8, tables=1, index_bits=8, entry_bits=8, lookups=3, instructions=3, writes=2),
    OtherCipher("blowfish", "Blowfish", 64, tables=4, index_bits=8, entry_bits=32, lookups=64, instructions=64),
    OtherCipher("mars", "MARS", 128, tables=2, index_bits=8, entry_bits=32, lookups=80, instructions=96),
    OtherCipher("twofish", "Twofish", 128, tables=4, index_bits=8, entry_bits=8, lookups=128, instructions=32),
    OtherCipher(
        "twofish_mds",
        "Twofish, MDS in its tables",
        128,
        tables=4,
        index_bits=8,
        entry_bits=32,
        lookups=128,
        instructions=128,
        is_theirs=False,
    ),
)
HASHES = {"sha1": "SHA-1", "sha256": "SHA-256"}


def measured(content: Content, measure: str, wanted: set[tuple[str, str]]) -> dict[tuple[str, str], dict]:
    """Return the records of one kind of measurement, as a dictionary with the keys (engine, style).

    Raises
    ------
    ResultsError
        A requested record was not measured.
    """
    found = {(r["engine"], r["style"]): r for r in content["records"] if r["measure"] == measure}
    if missing := wanted - found.keys():
        raise ResultsError(f"bench-papers.json lacks {sorted(missing)}: run `make bench-papers`, then `make readme`")
    return found


def records(content: Content) -> dict[tuple[str, str], dict]:
    """Return the records of all ciphers, in C and with `ptlu`. Raise `ResultsError` if a record is missing."""
    return measured(content, MEASURE, {(cipher.name, style) for cipher in CIPHERS for style in ("c", "ptlu")})


def hashes(content: Content) -> dict[str, dict]:
    """Return the records of all hash functions. Raise `ResultsError` if a record is missing."""
    found = measured(content, MEASURE_HASHES, {(name, "c") for name in HASHES})
    return {name: found[name, "c"] for name in HASHES}


def speed_up(content: Content, name: str) -> float:
    """Return the speed-up by `ptlu` for a cipher: the cycles of the program in C, divided by the cycles of the program
    with `ptlu`.
    """
    found = records(content)
    return round(found[name, "c"]["cycles_per_block"] / found[name, "ptlu"]["cycles_per_block"], 2)


def render(kept: dict[str, Content]) -> list[str]:
    """Return the tables in Markdown: a row for each cipher, then a row for each hash function."""
    content = kept["bench-papers"]
    found, theirs = records(content), papers.values("fiskiran_lee")["table6"]["values"]
    rows = []
    for cipher in CIPHERS:
        pair = [found[cipher.name, style] for style in ("c", "ptlu")]
        cells = [f"{pair[0][key]:.0f}, {pair[1][key]:.0f}" for key in ("cycles_per_block", "code_bytes", "key_cycles")]
        looked_up = f"{cipher.lookups}, {cipher.instructions}"
        up = theirs.get(f"{cipher.title}, speed up", "-")
        rows.append([cipher.title, cipher.bits, looked_up, *cells, speed_up(content, cipher.name), up])
    hashed = [
        [HASHES[name], f"{r['cycles_per_block']:.0f} ({r['kind']})", r["code_bytes"]]
        for name, r in hashes(content).items()
    ]
    headings = ["cipher", "bits of a block", "lookups", "cycles a block", "code bytes", "key schedule"]
    headings += ["times as fast", "theirs"]
    return [
        "**Engine speed** (`make bench-papers`): encryption in C, and in the same C with `ptlu` of 32 bits for its "
        "lookups (sim). A call encrypts 2 KB, with the key schedule done before. Each result is compared with "
        "`cryptography`, for MARS and Twofish with recorded results of Crypto++.",
        "",
        "The data cache has 4 KB. In C, the tables of Blowfish and of Twofish with MDS in its tables fill it, the "
        "tables of DES and MARS fill half of it; `ptlu` uses none of it. Lookups: how many a block needs in C, and how "
        "many instructions of `ptlu` do them. Code bytes: the function that encrypts, without tables. The key schedule "
        "makes the tables, and for `ptlu` also writes them into the unit.",
        "",
        *table(headings, rows),
        "",
        "Hashes, in C only, of 2 KB with padding; compared with Python's `hashlib`. No AES instruction changes them:",
        "",
        *table(["hash", "cycles a block of 512 bits", "code bytes"], hashed),
    ]


TABLE = Table(
    name="other-ciphers",
    page="lab/results/papers/fiskiran_lee.md",
    sources=("bench-papers.json",),
    command="make bench-papers",
    render=render,
)
