# SPDX-License-Identifier: BSD-2-Clause
"""Test the comparison of our AES cores with Figures 6 to 12 of Hessel et al. 2009. The tests use invented cores."""

import pytest

from lab.results.papers import activity
from lab.results.tables import activity as page
from lab.tests.results.test_tables import cells

POINTS = (4, 14, 24)
# Invented AES cores with one engine. Maps (datapath width in bits, S-box) to toggles per byte, number of LUT4s, and
# minimum time per byte in ns.
AES = {
    (32, "lut"): (800, 2001, 20),
    (32, "canright"): (1200, 1900, 30),
    (32, "onehot"): (700, 6000, 24),
    (64, "lut"): (600, 3000, 9),
    (64, "canright"): (900, 3100, 13),
    (64, "onehot"): (650, 9000, 14.01),
    (128, "lut"): (400, 4000, 4),
    (128, "canright"): (600, 4100, 7),
    (128, "onehot"): (350, 18000, 8),
}
SNOW = {("lut", "lut"): (74, 2000, 1), ("lut", "onehot"): (70, 4000, 2), ("canright", "lut"): (100, 1800, 2)}


def record(algorithm, datapath, sbox, s_q, engines, toggles, lut4, least):
    found = {"algorithm": algorithm, "datapath": datapath, "sbox": sbox, "s_q": s_q, "engines": engines, "lut4": lut4}
    return found | {"toggles_a_byte": toggles, "least_ns_a_byte": least, "device": "LFE5UM5G-85F", "speed": 8}


@pytest.fixture
def records():
    made = [record("snow3g", 32, s_r, s_q, 1, *figures) for (s_r, s_q), figures in SNOW.items()]
    for (datapath, sbox), (toggles, lut4, least) in AES.items():
        made.append(record("aes", datapath, sbox, "", 1, toggles, lut4, least))
        made.append(record("aes", datapath, sbox, "", 2, toggles * 1.25, lut4 * 2.1, least / 2))
    return made


def values(records):
    return {name: own.value for entry in activity.compared(records, POINTS).values() for name, own in entry.items()}


def test_what_is_said_of_the_figures(records):
    assert values(records) == {
        "least power of each datapath": "table, one-hot for SNOW 3G; one-hot for 32 bits, 128 bits; table for 64 bits",
        "least area of each datapath": "Canright, table for SNOW 3G; Canright for 32 bits; table for 64 bits, 128 bits",
        "wider datapath, power": "0.5 to 0.5 times",
        "wider datapath, area": "2.0 to 3.0 times",
        "narrower datapath, least ns a byte": "3.0 to 5.0 times",
        "two engines, power": "1.25 to 1.25 times",
        "two engines, area": "2.1 to 2.1 times",
        "two engines, least ns a byte": "0.5 to 0.5 times",
        "SNOW 3G compared with AES": f"{74 * 2000 / (400 * 4000):.2f} times",
        "lowest of SNOW 3G": "table, table",
        "AES by table compared with one-hot and Canright": "0.25 to 0.38 times one-hot, 0.65 to 0.7 times Canright",
        "missed at 4 ns": "32 bits; 64 bits; 128 bits with Canright, one-hot",
        "missed at 14 ns": "32 bits; 64 bits with one-hot",
        "lowest at 4 ns": "128 bits, table",
        "lowest at 14 ns": "128 bits, table",
        "lowest at 24 ns": "128 bits, table",
    }


def test_a_time_that_no_core_reaches_has_none(records):
    for each in records:
        each["least_ns_a_byte"] += 4
    assert values(records)["lowest at 4 ns"] == "none"
    for each in records:
        each["least_ns_a_byte"] = 1
    assert values(records)["missed at 4 ns"] == values(records)["missed at 14 ns"] == "none"


def test_another_part_changes_nothing(records):
    small = [each | {"device": "LFE5U-25F", "speed": 6, "lut4": 1, "least_ns_a_byte": 1} for each in records]
    assert values([*small, *records]) == values(records)


def test_a_core_has_no_figures_at_a_time_that_it_does_not_reach(records):
    rows = cells(page.render({"explore-lte": {"seeds": [1], "records": records}}))
    assert rows[0] == ["SNOW 3G", "1", "Canright, table", "1800", "2", "25", "7", "4", "45", "13", "8"]
    one = next(row for row in rows if row[:3] == ["64 bits", "1", "one-hot"])
    two = next(row for row in rows if row[:3] == ["64 bits", "2", "one-hot"])
    assert one[4:] == ["14.01", "-", "-", "27", "-", "-", "244"]
    assert two[4:7] == ["7.005", "-", "58"]
    assert len(rows) == len(records)
