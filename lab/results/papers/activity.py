# SPDX-License-Identifier: BSD-2-Clause
"""Compute our values for Figures 6 to 12 of Hessel et al. 2009. The paper shows the area and power of its cores.
Instead, we count LUT4s and signal transitions of our cores.

The figures come from ``explore-lte``. For a given number of ns a byte, a core runs at the clock that this needs. Its
activity, in toggles a ns, is the toggles of a byte over that time. A core has no activity where place-and-route does
not reach the clock. One netlist serves all clocks, so its area does not depend on the clock.
"""

from collections.abc import Callable, Iterable
from itertools import product
from operator import itemgetter

from lab.results.papers import Ours

SBOXES = {"lut": "table", "canright": "Canright", "onehot": "one-hot"}
DATAPATHS = (32, 64, 128)
NONE = "none"
COUNTED = "toggles of the mapped netlist, not power"
LUTS = "LUT4 of an ECP5"
CLOCKS = "clocks of place-and-route"
AREA = "toggles times LUT4"


def of_one_part(records: Iterable[dict]) -> list[dict]:
    """Sort the FPGA parts by device name and speed grade; return only the records of the last part."""
    records = list(records)
    part = max((r["device"], r["speed"]) for r in records)
    return [r for r in records if (r["device"], r["speed"]) == part]


def sboxes(record: dict) -> str:
    """Return the names of a core's S-boxes: one for AES, two (S_R and S_Q) for SNOW 3G."""
    return ", ".join(SBOXES[name] for name in (record["sbox"], record["s_q"]) if name)


def family(record: dict) -> str:
    """Return the family of a core: SNOW 3G, or the width of the AES datapath in bits."""
    return "SNOW 3G" if record["algorithm"] == "snow3g" else f"{record['datapath']} bits"


def reaches(record: dict, ns: float) -> bool:
    """Return True if the core takes at most `ns` nanoseconds per byte."""
    return record["least_ns_a_byte"] <= ns


def cost_of_a_byte(record: dict) -> float:
    """Return the product of toggles per byte and LUT4s, divided by 1000. Figure 12 shows this result, divided by the
    time per byte in ns.
    """
    return record["toggles_a_byte"] * record["lut4"] / 1000


def _least(records: list[dict], quantity: str) -> str:
    """Return a text that names, for each family of cores, the S-boxes with the lowest value of the field `quantity`."""
    best: dict[str, dict] = {}
    for r in records:
        best[family(r)] = min(best.get(family(r), r), r, key=lambda each: each[quantity])
    named: dict[str, list[str]] = {}
    for name, r in best.items():
        named.setdefault(sboxes(r), []).append(name)
    return "; ".join(f"{names} for {', '.join(families)}" for names, families in named.items())


def _lowest(records: list[dict], ns: float) -> str:
    """Return the family and the S-boxes of the core with the lowest product of toggles and LUT4s, as text. Only cores
    that need at most `ns` nanoseconds per byte are compared.
    """
    found = [r for r in records if reaches(r, ns)]
    best = min(found, key=cost_of_a_byte, default=None)
    return f"{family(best)}, {sboxes(best)}" if best else NONE


def _missed(records: list[dict], ns: float) -> str:
    """Return as text the AES datapaths that take more than `ns` nanoseconds per byte. If a datapath is too slow only
    with some S-boxes, the text also names these S-boxes.
    """
    parts = []
    for datapath in DATAPATHS:
        of_datapath = [r for r in records if r["datapath"] == datapath]
        missed = [sboxes(r) for r in of_datapath if not reaches(r, ns)]
        if missed:
            parts.append(f"{datapath} bits" + (f" with {', '.join(missed)}" if len(missed) < len(of_datapath) else ""))
    return "; ".join(parts) or NONE


def _times(quantity: str | Callable[[dict], float], of: list[dict], over: list[dict]) -> str:
    """Return as text the smallest and the largest ratio of a quantity. For each index, the ratio is the value of the
    core in the list `of`, divided by the value of the core in the list `over`.
    """
    take = quantity if callable(quantity) else itemgetter(quantity)
    ratios = [round(take(a) / take(b), 2) for a, b in zip(of, over, strict=True)]
    return f"{min(ratios)} to {max(ratios)} times"


def compared(records: Iterable[dict], points: tuple[int, ...]) -> dict[str, dict[str, Ours]]:
    """Return our values for ``figures6_11`` and ``figure12``. `points` are limits of a core's time per byte, in ns."""
    records = of_one_part(records)
    one = [r for r in records if r["engines"] == 1]
    aes, snow = ([r for r in one if r["algorithm"] == name] for name in ("aes", "snow3g"))
    pairs = [r for r in records if r["engines"] == 2]

    def cores(among: list[dict], datapaths=DATAPATHS, names=tuple(SBOXES)) -> list[dict]:
        """Return the AES cores with these datapaths and S-boxes, sorted by datapath, then by S-box."""
        found = {(r["datapath"], r["sbox"]): r for r in among}
        return [found[key] for key in product(datapaths, names)]

    def sim(value: str, conditions: str) -> Ours:
        return Ours(value, "explore-lte", f"{conditions}; {COUNTED}", "sim")

    def est(value: str, *conditions: str) -> Ours:
        return Ours(value, "explore-lte", "; ".join(conditions), "est")

    wide, narrow, tables = cores(aes, (128,)), cores(aes, (32,)), cores(aes, names=("lut",))
    others = {name: _times(cost_of_a_byte, tables, cores(aes, names=(sbox,))) for sbox, name in SBOXES.items()}
    least_snow, least_aes = (min(map(cost_of_a_byte, group)) for group in (snow, aes))
    wider, twice = "128 bits over 32, by S-box", "two over one, by datapath and S-box"
    return {
        "figures6_11": {
            "least power of each datapath": sim(_least(one, "toggles_a_byte"), "one engine"),
            "least area of each datapath": est(_least(one, "lut4"), "one engine", LUTS),
            "wider datapath, power": sim(_times("toggles_a_byte", wide, narrow), wider),
            "wider datapath, area": est(_times("lut4", wide, narrow), wider, LUTS),
            "narrower datapath, least ns a byte": est(
                _times("least_ns_a_byte", narrow, wide), "32 bits over 128, by S-box", CLOCKS
            ),
            "two engines, power": sim(_times("toggles_a_byte", cores(pairs), cores(aes)), twice),
            "two engines, area": est(_times("lut4", cores(pairs), cores(aes)), twice, LUTS),
            "two engines, least ns a byte": est(_times("least_ns_a_byte", cores(pairs), cores(aes)), twice, CLOCKS),
        },
        "figure12": {
            "SNOW 3G compared with AES": est(
                f"{least_snow / least_aes:.2f} times", "the lowest of each, one engine", AREA
            ),
            "lowest of SNOW 3G": est(sboxes(min(snow, key=cost_of_a_byte)), "S_R, S_Q", AREA),
            "AES by table compared with one-hot and Canright": est(
                f"{others['one-hot']} one-hot, {others['Canright']} Canright", "one engine, by datapath", AREA
            ),
            **{f"missed at {ns} ns": est(_missed(aes, ns), "one engine", CLOCKS) for ns in points[:2]},
            **{f"lowest at {ns} ns": est(_lowest(aes, ns), "one engine", AREA) for ns in points},
        },
    }
