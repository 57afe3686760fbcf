# SPDX-License-Identifier: BSD-2-Clause
"""Test the records that `make explore` stores, and the tables and plots that it makes from these records."""

import xml.etree.ElementTree as ElementTree

import pytest

from lab.explore import bars, report
from lab.explore.flow import DEVICES
from lab.explore.members import PEERS, Member
from lab.explore.records import records

AREA = {"lut4": 4000, "ff": 1000, "bram": 0}
REQUIRED = [
    *("core", "datapath", "sbox", "engines", "key_bits", "device", "speed", "lut4", "ff", "bram"),
    *("fmax_mhz", "cycles_first", "cycles_per_block", "mbps", "mbps_per_lut"),
]


def measurements(*key_bits: int) -> list[dict]:
    cycles = {128: 10, 192: 12, 256: 14}
    common = {"key_cycles": 45, "toggles_per_block": 5000.0}
    return [
        {"key_bits": bits, "cycles_first": cycles[bits] + 5, "cycles_per_block": cycles[bits], **common}
        for bits in key_bits
    ]


def built(target=None, device="85F-8", fmax=125.0) -> list[dict]:
    target = target or Member("128", "lut", keys="all", slots=8)
    made = measurements(*target.key_lengths)
    return records(target, DEVICES[device], area=AREA, measurements=made, clocks={1: fmax}, fmax=fmax)


def test_one_record_for_each_key_length():
    found = built()
    assert [record["key_bits"] for record in found] == [128, 192, 256]
    for record in found:
        assert all(record[field] is not None for field in REQUIRED)
        assert (record["device"], record["speed"], record["slots"]) == ("LFE5UM5G-85F", 8, 8)
    assert [record["cycles_first"] for record in found] == [15, 17, 19]
    assert [record["mbps"] for record in found] == [1600.0, 1333.3, 1142.9]
    assert found[0]["mbps_per_lut"] == 0.4
    assert found[0]["clock_mhz_for_mbps"] == {"100": 7.81, "200": 15.62, "300": 23.44, "1000": 78.12}


def test_a_failure_keeps_what_was_found_out():
    target = Member("pipelined", "onehot")
    (record,) = records(
        target, DEVICES["25F-6"], area=AREA, measurements=measurements(128), reason="nextpnr-ecp5: no room"
    )
    assert (record["status"], record["reason"]) == ("failed", "nextpnr-ecp5: no room")
    assert (record["lut4"], record["cycles_per_block"]) == (4000, 10)
    assert record["fmax_mhz"] is record["mbps"] is record["mbps_per_lut"] is None
    assert report.line(record) == "failed: nextpnr-ecp5: no room"


def everything() -> list[dict]:
    failed = records(Member("32", "onehot"), DEVICES["25F-6"], reason="broken")
    peer = records(
        PEERS["usselmann"],
        DEVICES["85F-8"],
        area=AREA,
        measurements=measurements(128),
        clocks={1: 100.0},
        fmax=100.0,
    )
    found = [*built(), *built(Member("64", "canright")), *built(device="25F-6"), *failed, *peer]
    return [{**record, "bars": bars.verdict(record, found)} for record in found]


def test_tables_show_every_record_and_failure(capsys):
    report.show({"records": everything(), "missing": 3})
    shown = capsys.readouterr().out
    for text in ("LFE5UM5G-85F, speed grade 8", "LFE5U-25F, speed grade 6", "failed: broken", "64, canright"):
        assert text in shown
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in shown.splitlines()]
    # One row of the table. Its columns are the datapath width in bits, our cycles with keys of 128, 192 and 256 bits,
    # and the paper's cycles.
    assert ["128", "10", "12", "14", "12"] in rows
    assert "3 combinations" in shown and "usselmann" in shown and "a proxy for power" in shown


def test_bars_of_throughput_are_asked_of_the_smallest_member_on_one_part():
    smallest = Member("128", "lut")
    assert [bars.missed(*built(smallest, fmax=fmax)) for fmax in (120.0, 110.0, 100.0)] == [
        [],
        ["not above 1439 Mbps"],
        ["not above 1439 Mbps", "not above 0.35 Mbps a LUT4"],
    ]
    assert bars.missed(*built(smallest, device="25F-6", fmax=100.0)) == []  # cycles alone
    assert bars.missed(everything()[-1]) is None  # a public core
    assert bars.missed(*records(smallest, DEVICES["85F-8"], reason="broken")) is None


@pytest.mark.parametrize(("datapath", "short"), [("128", []), ("pipelined", ["more than 1 cycles"])])
def test_bars_of_cycles_are_asked_of_every_member_with_one_engine(datapath, short):
    assert [bars.missed(record) for record in built(Member(datapath, "lut", keys="all"))] == [short, None, short]
    assert bars.missed(built(Member(datapath, "lut", engines=2))[0]) is None


def test_what_more_keys_cost_is_told_beside_the_core_with_one():
    single, more = built(Member("128", "lut"), fmax=125.0), built(fmax=115.0)
    more = [{**record, "lut4": 4500} for record in more]
    assert bars.verdict(more[0], [*single, *more]) == "met; +500 LUT4, -10 MHz"
    assert bars.verdict(more[0], more) == bars.verdict(single[0], single) == "met"


def test_plots_are_drawings_of_what_was_built():
    drawn = report.plots(everything())
    assert {"lut4", "mbps", "toggles_per_block", "area", "clock-1000"} <= drawn.keys()
    for text in drawn.values():
        ElementTree.fromstring(text)
    assert "64, canright" in drawn["lut4"] and "usselmann" in drawn["area"]
    assert report.plots(records(Member("32", "lut"), DEVICES["85F-8"], reason="broken")) == {}


def test_a_clock_that_is_not_reached_is_no_bar():
    drawn = report.plots(built(Member("128", "lut"), fmax=50.0))
    assert "128, lut" in drawn["clock-300"] and "clock-1000" not in drawn


@pytest.mark.parametrize("seeds", [(1,), (1, 2, 3)])
def test_clocks_of_all_seeds_are_given(seeds):
    clocks = {seed: 100.0 + seed for seed in seeds}
    (record,) = records(Member("32", "lut"), DEVICES["85F-8"], area=AREA, clocks=clocks, fmax=101.0)
    assert record["fmax_by_seed"] == {str(seed): 100.0 + seed for seed in seeds}
