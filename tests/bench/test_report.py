"""What `make bench` makes of its records."""

import xml.etree.ElementTree as ElementTree

from tests.bench import report


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


def test_plot_has_a_bar_for_each_figure_the_longest_last():
    image = ElementTree.fromstring(report.plot([*RECORDS, record("byte", "loop", 2560.0, key_bits=256)]))
    widths = [int(bar.get("width")) for bar in image.iter("{http://www.w3.org/2000/svg}rect") if bar.get("x")]
    assert len(widths) == 2
    assert widths[1] == 80 * widths[0]


def test_one_deviating_count_is_reported(capsys):
    counts = {"measure": "constant time", "cycle_counts": [4000]}
    assert report.is_constant_time([counts])
    assert not report.is_constant_time([counts, counts | {"cycle_counts": [4000, 4001]}])
    report.show([counts | {"cycle_counts": [4000, 4001]}])
    assert "NOT constant" in capsys.readouterr().out
