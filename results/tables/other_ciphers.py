"""`make bench-papers`: other ciphers that look up tables, in C and by `ptlu`."""

from results import papers
from results.kept import Content, ResultsError
from results.tables import Table, table

MEASURE, MEASURE_HASHES = "other ciphers", "hashes"
# Name in the figures, in the paper, bits of a block.
CIPHERS = (("des", "DES", 64), ("triple_des", "3DES", 64), ("rc4", "RC4", 8), ("blowfish", "Blowfish", 64))
HASHES = {"sha1": "SHA-1", "sha256": "SHA-256"}


def _found(content: Content, measure: str, wanted: set[tuple[str, str]]) -> dict[tuple[str, str], dict]:
    """The records of a measure by engine and style.

    Raises
    ------
    ResultsError
        One that is wanted was not measured.
    """
    found = {(r["engine"], r["style"]): r for r in content["records"] if r["measure"] == measure}
    if missing := wanted - found.keys():
        raise ResultsError(f"bench-papers.json lacks {sorted(missing)}: run `make bench-papers`, then `make readme`")
    return found


def records(content: Content) -> dict[tuple[str, str], dict]:
    """The record of each cipher, in C and by `ptlu`; all were measured, or it is a `ResultsError`."""
    return _found(content, MEASURE, {(name, style) for name, *_ in CIPHERS for style in ("c", "ptlu")})


def hashes(content: Content) -> dict[str, dict]:
    """The record of each hash; all were measured, or it is a `ResultsError`."""
    found = _found(content, MEASURE_HASHES, {(name, "c") for name in HASHES})
    return {name: found[name, "c"] for name in HASHES}


def speed_up(content: Content, name: str) -> float:
    """How many times fewer cycles `ptlu` takes than C."""
    found = records(content)
    return round(found[name, "c"]["cycles_per_block"] / found[name, "ptlu"]["cycles_per_block"], 2)


def render(kept: dict[str, Content]) -> list[str]:
    """A row for each cipher."""
    content = kept["bench-papers"]
    found, theirs = records(content), papers.values("fiskiran_lee")["table6"]["values"]
    rows = []
    for name, title, bits in CIPHERS:
        pair = [found[name, style] for style in ("c", "ptlu")]
        cells = [f"{pair[0][key]:.0f}, {pair[1][key]:.0f}" for key in ("cycles_per_block", "code_bytes", "key_cycles")]
        rows.append([title, bits, *cells, speed_up(content, name), theirs[f"{title}, speed up"]])
    hashed = [
        [HASHES[name], f"{r['cycles_per_block']:.0f} ({r['kind']})", r["code_bytes"]]
        for name, r in hashes(content).items()
    ]
    headings = ["cipher", "bits of a block", "cycles a block", "code bytes", "key schedule", "times as fast", "theirs"]
    return [
        "**Engine speed** (`make bench-papers`): encryption by C alone, and by the same C with `ptlu` of 32 bits for "
        "each lookup, 2 KB a call, each result compared with `cryptography` (sim). The caches have 4 KB each, which "
        "the tables of DES and Blowfish in C fill, and `ptlu` does not use. Code bytes of the function that encrypts, "
        "tables not counted; the key schedule makes the tables, for `ptlu` writes them into the unit too.",
        "",
        *table(headings, rows),
        "",
        "Hashes, in C alone, of 2 KB with padding; compared with Python's `hashlib`. No AES instruction changes them:",
        "",
        *table(["hash", "cycles a block of 512 bits", "code bytes"], hashed),
    ]


TABLE = Table(
    name="other-ciphers",
    page="results/papers/fiskiran_lee.md",
    sources=("bench-papers.json",),
    command="make bench-papers",
    render=render,
)
