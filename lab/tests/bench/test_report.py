# SPDX-License-Identifier: BSD-2-Clause
"""Test the tables and plots that `make bench` creates from its measurements."""

import pytest

from lab.bench import limits, report
from pictures.style import SERIES
from tests.pictures.support import shapes, words


def record(engine, style, cycles_per_block, **values):
    return {
        "measure": "throughput",
        "engine": engine,
        "style": style,
        "mode": "ctr",
        "direction": "encrypt",
        "key_bits": 128,
        "memory": "buffer, cached",
        "cycles_per_block": cycles_per_block,
        "bits_per_cycle": round(128 / cycles_per_block, 4),
        "code_bytes": 1000,
        "key_cycles": 100,
        **values,
    }


RECORDS = [record("table", "unrolled", 1280.0), record("ise_vmem", "unrolled", 16.0)]


def test_speed_up_is_over_the_unrolled_table(capsys):
    report.show(RECORDS)
    lines = capsys.readouterr().out.splitlines()
    assert any("ise_vmem" in line and "80.0" in line for line in lines)
    assert any("table" in line and "1.0" in line for line in lines)


def lines_with(text, *words):
    return [line for line in text.splitlines() if all(word in line for word in words)]


def test_bars_tell_the_memory_states_apart(capsys):
    counts = [("buffer, cached", 37.4, 41.1, 44.8), ("buffer", 40.7, 44.6, 48.6)]
    report.show(
        [
            record("ise", "unrolled", cycles, key_bits=bits, memory=memory)
            for memory, *series in counts
            for bits, cycles in zip((128, 192, 256), series, strict=True)
        ]
    )
    text = capsys.readouterr().out
    (cached,) = lines_with(text, "in the data cache: passes over 2 KB")
    assert "yes / yes / yes" in cached and "33" in cached
    (missed,) = lines_with(text, "not in the data cache: passes over 32 KB")
    assert "no / no / no" in missed and "39.5" in missed


def test_paper_table_has_a_dash_where_nothing_was_measured(capsys):
    series = [
        record(engine, "unrolled", cycles * bits, mode="ecb", key_bits=bits)
        for engine, cycles in (("table", 12), ("zkn", 3))
        for bits in (128, 192, 256)
    ]
    report.show(series)
    text = capsys.readouterr().out
    (row,) = lines_with(text, "zkn", "unrolled", "encrypt", "4.00 / 4.00 / 4.00")
    assert "384 / 576 / 768" in row
    (row,) = lines_with(text, "ise_fused", "loop", "encrypt")
    assert row.count(" - ") == 4


def test_no_table_claims_the_conditions_of_the_paper(capsys):
    report.show(RECORDS)
    text = capsys.readouterr().out
    assert "Tables 4 and 5" not in text and "bench-papers" in text


def test_ratio_to_the_ratified_instructions_takes_their_best_style(capsys):
    report.show([record("zkn", "loop", 300.0), record("zkn", "swap", 280.0), record("ise", "unrolled", 40.0)])
    assert lines_with(capsys.readouterr().out, "ise", "ctr", "encrypt", "7.0 / - / -")


@pytest.mark.parametrize(
    ("engine", "memory", "floors"),
    [
        ("ise", "buffer", (39.5, 43.5, 47.5)),
        ("ise_fused", "buffer, cached", (23, 25, 27)),
        ("ise_vmem", "buffer", (13, 15, 17)),
    ],
)
def test_floors(engine, memory, floors):
    assert tuple(limits.floor(engine, bits, memory) for bits in (128, 192, 256)) == floors


def test_plot_has_a_bar_for_each_figure_the_longest_last():
    text = report.plots([*RECORDS, record("byte", "loop", 2560.0, key_bits=256)])["rates"]
    (short, long) = shapes(text, SERIES[0])
    assert long[2] - long[0] == pytest.approx(80 * (short[2] - short[0]), rel=1e-3)
    assert long[1] > short[3]


def test_plot_shows_speed_ups_and_none_of_others():
    ecb = [record("table", "unrolled", 1100.0, mode="ecb"), record("ise", "unrolled", 100.0, mode="ecb")]
    plots = report.plots(ecb)
    assert plots.keys() == {"speed-ups"}
    assert not any("2007" in text for text in words(plots["speed-ups"])), "a mean is not to stand beside AES-128"
    short, long = shapes(plots["speed-ups"], SERIES[0])
    assert long[2] - long[0] == pytest.approx(11 * (short[2] - short[0]), rel=1e-3)


def test_cost_of_a_call_is_what_its_blocks_do_not_cost():
    sizes = [
        {"measure": "record size", "engine": "ise_vmem", "bytes": size, "cycles": 500 + 14 * size // 16}
        for size in (16, 1024, 32768, 65536)
    ]
    assert report.call_costs(sizes) == [("ise_vmem", 14 * 64, 500)]


def test_one_deviating_count_is_reported(capsys):
    counts = {"measure": "constant time", "cycle_counts": [4000]}
    assert report.is_constant_time([counts])
    assert not report.is_constant_time([counts, counts | {"cycle_counts": [4000, 4001]}])
    report.show([counts | {"cycle_counts": [4000, 4001]}])
    assert "NOT constant" in capsys.readouterr().out
