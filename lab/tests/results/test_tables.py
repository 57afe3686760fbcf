# SPDX-License-Identifier: BSD-2-Clause
"""Test the tables of measurements. The tests check which values are read from the output of a command, and which rows
a table shows.
"""

import json

from lab.results import drawings, kept, papers
from lab.results.tables import (
    bench_eth,
    bench_lte,
    bench_lte_zephyr,
    bench_sim,
    bitstream,
    demo,
    explore,
    explore_ghash,
    explore_isa,
    explore_lte,
    headline,
    ise_cycles,
    netlist,
    printed,
    timing,
)
from pictures.style import SERIES, WARNING
from tests.pictures.support import shapes, words


def cells(lines):
    """Return the rows of the tables, without headings."""
    rows = [[cell.strip() for cell in line[1:-1].split("|")] for line in lines if line.startswith("|")]
    return [row for n, row in enumerate(rows) if row[0] != "---" and rows[n + 1 : n + 2] != [["---"] * len(row)]]


def measured(engine, cycles, *, mode="ctr", direction="encrypt", bits=128, style="loop", **more):
    record = {"measure": "throughput", "engine": engine, "style": style, "mode": mode, "direction": direction}
    record |= {"key_bits": bits, "cycles_per_block": cycles, "memory": "buffer, cached", "clock_met_by": "ecpix5"}
    return record | {"kind": "sim"} | more


def test_bench_shows_the_fastest_style_in_the_state_that_suits_the_engine():
    records = [
        measured("table", 1200.0),
        measured("table", 1000.0, style="unrolled"),
        measured("table", 900.0, memory="buffer"),
        measured("ise_vmem", 20.0),
        measured("ise_vmem", 16.0, memory="buffer"),
        measured("zkn", 250.0, clock_met_by=""),
        measured("zkn", 270.04, mode="ecb", direction="decrypt", bits=192, clock_met_by=""),
        measured("zkn", 1.0, mode="cbc"),
        {"measure": "contexts", "engine": "ise_vmem", "mode": "ctr", "cycles_per_block": 1.0},
    ]
    lines = bench_sim.render({"bench-sim": bench_sim.keep({"records": records})})
    assert cells(lines) == [
        ["table", "- / - / -", "- / - / -", "1000.0 / - / -", "1.0"],
        ["ise_vmem", "- / - / -", "- / - / -", "16.0 / - / -", "62.5"],
        ["zkn (clock not placed)", "- / - / -", "- / 270.0 / -", "250.0 / - / -", "4.0"],
    ]


def test_bench_eth_shows_the_lower_of_the_sessions_at_the_boards_clock_and_core():
    def case(payload, sessions, share, core="2 x 128", clock=75_000_000, suite=""):
        rates = {"rx_mbps": 1000 * share, "tx_mbps": 999 * share, "wire_limit_mbps": 1000, "share": share}
        record = {"payload": payload, "key_bits": 128, "sessions": sessions, "core": core, "clock_hz": clock}
        cause = "headers" if share < 1 else ""
        added = {"added_in_ns": 10 * payload, "added_out_ns": 7 * payload, "clock_met_by": ""} if suite else {}
        more = {"kind": "sim", "latency_cycles": 100 + payload + sessions, "cause": cause, **added}
        return record | rates | more | {"suite": suite, "protection": "macsec" if suite else "none"}

    records = [case(64, 1, 1.0), case(40, 1, 1.0), case(40, 8, 0.9), case(64, 8, 1.0)]
    records += [case(40, 1, 0.1, core="128"), case(40, 1, 0.2, clock=100_000_000)]
    records += [case(40, sessions, 1.0, core="pipelined", suite="GCM-AES-128") for sessions in (1, 8)]
    lines = bench_eth.render({"bench-eth": bench_eth.keep({"records": records})})
    assert cells(lines) == [
        ["40", "128", "900.0", "899.1", "1000", "90.0% (sim)", "148", "headers"],
        ["64", "128", "1000.0", "999.0", "1000", "100.0% (sim)", "172", "-"],
        ["40", "GCM-AES-128", "1000.0", "999.0", "1000", "100.0% (sim)", "400", "280", "-"],
    ]
    assert "a core of 2 x 128 bits at 75 MHz" in lines[0] and "the lower result of 1 and 8 sessions" in lines[0]
    assert any("at 75 MHz, which **no place-and-route has met" in line for line in lines)


def test_bench_lte_shows_times_what_an_engine_adds_and_how_far_it_keeps_up():
    def record(engine, mbps, cycles):
        of = {"packets": 9, "packet_bytes": mbps * 100, "clock_hz": 100_000_000, "clock_met_by": met, "kind": "sim"}
        return {"cipher": "128-EEA2" if engine else "128-EEA0", "engine": engine, "mbps": mbps, "cycles": cycles} | of

    met = "ecpix5_lte"
    records = [record(None, mbps, mbps * 100) for mbps in (100, 200, 300, 325)]
    records += [record("slow", mbps, mbps * 10_000) for mbps in (100, 200, 300)]
    records += [record("middle", mbps, mbps * 400) for mbps in (100, 200, 300)]
    records += [record("fast", mbps, mbps * 300) for mbps in (100, 200, 300, 325, 350)]
    lines = bench_lte.render({"bench-lte": bench_lte.keep({"records": records})})
    assert cells(lines)[:4] == [
        ["none: headers only", "128-EEA0", "0.100 (sim)", "0.200 (sim)", "0.300 (sim)", "-", "325 or more"],
        ["slow", "128-EEA2", "10.000 (sim)", "20.000 (sim)", "30.000 (sim)", "990.0", "less than 100"],
        ["middle", "128-EEA2", "0.400 (sim)", "0.800 (sim)", "1.200 (sim)", "30.0", "200"],
        ["fast", "128-EEA2", "0.300 (sim)", "0.600 (sim)", "0.900 (sim)", "20.0", "325"],
    ]
    assert cells(lines)[4:] == [
        ["headers and 4 ns a byte, computed", "any", "0.140", "0.280", "0.420", "4", "300 or more"],
        ["headers and 14 ns a byte, computed", "any", "0.240", "0.480", "0.720", "14", "300 or more"],
        ["headers and 24 ns a byte, computed", "any", "0.340", "0.680", "1.020", "24", "200"],
    ]
    assert "at 100 MHz, which place-and-route of ecpix5_lte met." in lines[0]
    unmet = [each | {"clock_met_by": ""} for each in records]
    assert "at 100 MHz, which no place-and-route has met." in bench_lte.render({"bench-lte": {"records": unmet}})[0]


def test_lte_on_zephyr_stands_beside_bare_metal_at_its_clock():
    of = {"cipher": "", "packets": 10, "packet_bytes": 12_000, "blocks": 2, "kind": "sim"}

    def record(engine, order, mbps, cycles, missed=0):
        times = {"shortest_cycles": cycles - 50, "median_cycles": cycles - 25, "cycles": cycles}
        more = {"missed_ttis": missed, "switches": 3.0, "clock_hz": 50_000}
        return {"engine": engine, "order": order, "mbps": mbps} | of | times | more

    rates = (100, 200, 300)
    records = [
        record(None, order, mbps, n * mbps // 10)
        for n, order in enumerate(bench_lte_zephyr.ORDERS, 1)
        for mbps in (*rates, 325)
    ]
    records += [record("asleep", "one", mbps, 50, missed=int(mbps == 300)) for mbps in rates]
    bare = [{"engine": None, "mbps": mbps, "cycles": mbps // 10, "clock_hz": 100_000} for mbps in (*rates, 500)]
    more = {"cipher": "128-EEA0", "packets": 9, "packet_bytes": 12, "clock_met_by": "", "kind": "sim"}
    bare = [each | more for each in bare]
    costs = {"switch_cycles": 210, "queue_cycles": 290, "hand_over_cycles": 780, "kind": "sim"}
    kept = bench_lte_zephyr.keep({"costs": costs, "records": records})
    kept = {"bench-lte_zephyr": kept, "bench-lte": bench_lte_zephyr.keep({"records": bare})}
    lines = bench_lte_zephyr.render(kept)
    assert cells(lines) == [
        ["none: headers only", "bare metal", "0.200", "0.400", "0.600", "500 or more", "-"],
        ["none: headers only", "one for all", "-0.800 / -0.300 / 0.200 (sim)", "-0.600 / -0.100 / 0.400 (sim)",
         "-0.400 / 0.100 / 0.600 (sim)", "325 or more", "3"],
        ["none: headers only", "three, MAC first", "-0.600 / -0.100 / 0.400 (sim)", "-0.200 / 0.300 / 0.800 (sim)",
         "0.200 / 0.700 / 1.200 (sim)", "200", "3"],
        ["none: headers only", "three, PDCP first", "-0.400 / 0.100 / 0.600 (sim)", "0.200 / 0.700 / 1.200 (sim)",
         "0.800 / 1.300 / 1.800 (sim)", "100", "3"],
        ["asleep", "one for all", *["0.000 / 0.500 / 1.000 (sim)"] * 3, "200", "3"],
    ]  # fmt: skip
    assert lines[-1].endswith("takes 3 cycles more in three threads with MAC first than in one, 6 with PDCP first.")


def test_netlists_of_one_board_that_agree_are_one_row():
    def record(stage, engine, **cycles):
        return {"stage": stage, "engine": engine, "verified": True, "kind": "sim", "transfer_cycles": 30} | cycles

    records = [record(stage, "ise", cycles=20) for stage in ("synthesis", "routed")]
    records += [record("synthesis", "fastpath", transfer_cycles=0)]
    content = {"provenance": {"board": "x"}, "records": records}
    assert cells(netlist.render({"netlist-x": netlist.keep(content)})) == [
        ["x", "ise", "20 (sim)", "30 (sim)", "synthesis, routed"],
        ["x", "fastpath", "-", "none of the CPU's", "synthesis"],
    ]


def test_timing_has_the_spread_over_seeds_and_what_ends_them():
    def run(seed, achieved, start, database="LFE5UM5G", clock="sys"):
        path = {"path_from": start, "path_to": "cpu.pc_TRELLIS_FF_Q_1", "path_nets": [], "logic_ns": 1, "routing_ns": 2}
        return {
            "seed": seed,
            "database": database,
            "clock": clock,
            "required_mhz": 100,
            "achieved_mhz": achieved,
            **path,
        }

    records = [
        run(1, 99.5, "a_TRELLIS_FF_Q_3"),
        run(2, 104.0, "a_LUT4_Z"),
        run(4, 101.0, "b.0.1"),
        run(1, 80.0, "b", "LFE5U"),
    ]
    records += [{"seed": 3, "database": "LFE5UM5G", "error": "killed"}, run(1, 400.0, "c", clock="por")]
    content = {"board": "x", "kind": "est", "spreads": [], "records": records}
    lines = timing.render({"timing-x": timing.keep(content)})
    assert "(est)" in lines[0]
    assert cells(lines) == [
        ["x", "sys", "LFE5UM5G", "100", "100.25", "0.00", "104.00", "2 of 4"],
        ["x", "sys", "LFE5U", "100", "80.00", "80.00", "80.00", "0 of 1"],
        ["x", "por", "LFE5UM5G", "100", "200.00", "0.00", "400.00", "1 of 2"],
        ["x", "`a`", "`cpu.pc`", "2"],
        ["x", "`b`", "`cpu.pc`", "2"],
    ]


def test_a_clock_that_is_missed_is_said():
    clocks = [{"name": "sys", "required_mhz": 75.0, "achieved_mhz": 74.99}]
    clocks += [{"name": "rx", "required_mhz": 125, "achieved_mhz": 125.0}]
    used = {"lut4": 4, "ff": 3, "bram": 2, "dsp": 1}
    report = {"board": "b", "device": "d", "speed_grade": "8", "kind": "est", "seed": 7, **used, "clocks": clocks}
    shares = {"fast_path": used, "ctr_service": used}
    lines = bitstream.render({"bitstream-b": bitstream.keep({**report, "shares": shares, "other": 1})})
    assert cells(lines) == [
        ["b", "sys", "75", "74.99, **missed**", "7"],
        ["b", "rx", "125", "125.00", "7"],
        ["b", "4", "3", "2", "1"],
        ["b", "fast path 4 / 3 / 2 / 1; ctr service 4 / 3 / 2 / 1"],
    ]
    kept = bitstream.keep({**report, "units": {"vector_unit": used}})
    assert cells(bitstream.render({"bitstream-b": kept}))[-1][1] == "vector unit, synthesised separately 4 / 3 / 2 / 1"


def core(mbps, **more):
    record = {"core": "cipherlane", "datapath": "128", "sbox": "block_ram", "engines": 1, "key_lengths": [128]}
    record |= {"slots": 1, "lut4": 864, "ff": 940, "bram": 10, "fmax_mhz": 175.62, "cycles_per_block": 10, "mbps": mbps}
    record |= {"fmax_by_seed": {"1": 175.62, "2": 170.5, "3": 180.0}, "cycles_first": 15}
    record |= {"mbps_per_lut": 2.6019, "bars": "met", "device": "LFE5UM5G-85F", "speed": 8, "status": "built"}
    return record | {"key_bits": 128, "reason": None} | more


def test_explore_shows_what_was_built_at_aes_128_the_fastest_first():
    records = [core(1000.4), core(2247.9), core(3000.0, key_bits=256), core(None, status="failed")]
    records.append(core(50.0, device="LFE5U-25F", speed=6))
    content = explore.keep({"kind": "est", "seeds": [1, 2, 3], "records": records})
    lines = explore.render({"explore": content})
    shown = ["864", "940", "10", "175.62 (170.5 to 180.0)", "15", "10"]
    assert cells(lines)[:3] == [
        ["cipherlane", "128", "block ram", "1", "no", "no", "128", "1", *shown, f"{mbps} (est)", "2.602", priced, "met"]
        for mbps, priced in ((2248, "0.182"), (1000, "0.081"), (50, "0.004"))
    ]
    # The core in the paper takes 12 cycles per 128-bit block. So 300 Mbps need a clock of 300 / 128 x 12 MHz.
    assert cells(lines)[3:] == [["128", "10 / 12", "7.8 / 9.4", "15.6 / 18.8", "23.4 / 28.1", "78.1 / 93.8"]]
    assert "seeds 1, 2, 3" in lines[0]
    assert "exceed 1439 Mbps and 0.35 Mbps per LUT4, and the pipelined core 23.9 Gbps and 0.60" in "".join(lines)
    assert lines.index("LFE5UM5G-85F, speed grade 8:") < lines.index("LFE5U-25F, speed grade 6:")


def test_explore_shows_what_an_earlier_run_had_of_cores_that_the_last_one_left_out():
    one_seed = {"sbox": "lut", "fmax_by_seed": {"1": 175.62}}
    last, earlier = (
        explore.keep({"kind": "est", "seeds": [1, 2, 3], "records": found})
        for found in ([core(1000.0)], [core(9000.0), core(2000.0, **one_seed)])
    )
    del earlier["records"][1]["cycles_first"]
    rows = cells(explore.render({"explore.earlier": earlier, "explore": last}))
    assert [[row[2], *row[11:15]] for row in rows[:2]] == [
        ["lut", "175.62 (one seed)", "-", "10", "2000 (est)"],
        ["block ram", "175.62 (170.5 to 180.0)", "15", "10", "1000 (est)"],
    ]
    assert rows[2][0] == "128"


def test_explore_isa_gives_the_reason_for_the_s_boxes_with_its_figures():
    names = ("lane, ecp5", "lane, table", "lane, canright", "SubBytes, block RAM", "SubBytes, block RAM, LFE5UM timing")
    parts = [
        {
            "part": name,
            "delay_ns": n + 0.5,
            "clock_to_output_ns": n + 0.25,
            "fmax_mhz": 100,
            "fmax_least_mhz": 90,
            "fmax_most_mhz": 130,
            "lut4": n,
            "ff": 0,
            "bram": n,
        }
        for n, name in enumerate(names)
    ]
    report = {
        "kind": "est",
        "device": "LFE5UM5G",
        "speed_grade": "8",
        "seeds": [1, 2],
        "parts": parts,
        "target_mhz": 200,
    }
    lines = explore_isa.render({"explore-isa": explore_isa.keep(report)})
    assert "by the median of seeds 1, 2" in lines[0] and lines[0].endswith("(est):")
    assert cells(lines)[1] == ["lane, table", "1.5", "100 (90 to 130)", "1", "0", "1"]
    block_ram, ecp5, tower, of_table = lines[-4:]
    assert block_ram.startswith("- `block_ram`") and "3 block RAMs" in block_ram
    assert "Its 3.25 ns" in block_ram and "(4.25 ns by" in block_ram
    assert ecp5.startswith("- `ecp5`") and "A lane takes 0 LUT4 and 0.5 ns" in ecp5
    assert tower.startswith("- `tower`") and "A lane takes 2 LUT4 and 2.5 ns" in tower
    assert of_table.startswith("- `table`") and "1 LUT4 and 1.5 ns a lane" in of_table


def test_explore_ghash_has_each_part_and_the_smallest_unit_first():
    common = {"portable": False, "speed": 8, "ff": 395, "fmax_mhz": 142.0, "fmax_least_mhz": 140.0, "lut4": 900}
    common |= {"fmax_most_mhz": 150.0, "subkey_cycles": 17, "tag_cycles": 2, "mbps": 1234.5, "mbps_per_lut": 1.3717}
    common |= {"sites": 1000, "toggles_per_block": 5440.5, "unshown": 1}
    records = [
        common | {"cycles": cycles, "cycles_per_block": float(cycles), "device": device}
        for cycles in (4, 16)
        for device in ("LFE5U-25F", "LFE5UM5G-85F")
    ]
    content = explore_ghash.keep({"kind": "est", "seeds": [1, 2], "records": records})
    lines = explore_ghash.render({"explore-ghash": content})
    shown = ["ECP5", "900", "1000", "395", "142.0 (140.0 to 150.0)", "1234 (est)", "1.372", "5440"]
    assert [row for row in cells(lines) if row[0] != "cycles"] == [[cycles, *shown] for cycles in ("16", "4") * 2]
    assert "seeds 1, 2" in lines[0] and "takes 17 cycles, a tag 2 more" in lines[0]


def test_explore_lte_has_cycles_by_datapath_and_each_part_the_smallest_core_first():
    common = {"speed": 8, "ff": 1, "fmax_mhz": 142.0, "fmax_least_mhz": 140.0, "fmax_most_mhz": 150.0, "mbps": 4000.0}
    common |= {"engines": 1, "mbps_per_lut": 2.0, "least_ns_a_byte": 2.0, "toggles_a_byte": 700.5, "unshown": 1}
    snow = common | {"algorithm": "snow3g", "datapath": 32, "sbox": "lut", "s_q": "onehot", "cycles_first": 34}
    snow |= {"cycles_a_byte": 0.284, "mhz_for_ns_a_byte": {"4": 71.0, "14": 20.29}}
    aes = common | {"algorithm": "aes", "datapath": 64, "sbox": "canright", "s_q": "", "cycles_first": 21}
    aes |= {"cycles_a_byte": 1.3125, "mhz_for_ns_a_byte": {"4": 328.1, "14": 93.8}}
    records = [
        snow | {"device": "LFE5U-25F", "lut4": 3},
        snow | {"device": "LFE5UM5G-85F", "lut4": 2},
        aes | {"device": "LFE5UM5G-85F", "lut4": 5},
        aes | {"device": "LFE5UM5G-85F", "lut4": 4},
        aes | {"device": "LFE5UM5G-85F", "lut4": 9, "engines": 2, "cycles_a_byte": 9.9},
    ]
    content = explore_lte.keep({"kind": "est", "seeds": [1, 2], "records": records})
    lines = explore_lte.render({"explore-lte": content})
    shown = ["142.0 (140.0 to 150.0)", "4000 (est)", "2.000", "2.0", "700.5"]
    assert [row for row in cells(lines) if row[0] != "cipher"] == [
        ["SNOW 3G", "32", "34, then 1", "33, then 1", "0.284", "0.28", "71.0", "20.29"],
        ["AES-128", "64", "21", "23", "1.312", "1.44", "328.1", "93.8"],
        ["AES-128", "64", "1", "canright", "4", "1", *shown],
        ["AES-128", "64", "1", "canright", "5", "1", *shown],
        ["AES-128", "64", "2", "canright", "9", "1", *shown],
        ["SNOW 3G", "32", "1", "lut, onehot", "2", "1", *shown],
        ["SNOW 3G", "32", "1", "lut, onehot", "3", "1", *shown],
    ]
    assert "seeds 1, 2" in "".join(lines) and "not power" in "".join(lines)


def demo_record(engine, cycles, *, bits=128, direction="encrypt", verified=True, mode="ctr"):
    record = {"engine": engine, "key_bits": bits, "direction": direction, "bytes": 160, "blocks": 10, "cycles": cycles}
    record |= {"key_cycles": 1, "kind": "sim", "clock_hz": 75_000_000, "processed_bytes": 160, "verified": verified}
    record |= {"mode": mode}
    return record | {"cycles_per_block": cycles / 10, "bits_per_cycle": 1.0, "mbps": 75.0}


def test_demo_shows_engines_that_count_cycles_and_what_was_verified():
    records = [demo_record("ise", 400), demo_record("ise", 800, mode="gcm"), demo_record("fastpath", 0)]
    records.append(demo_record("table", 9000, verified=False))
    content = demo.keep({"records": records})
    assert cells(demo.render({"demo": content})) == [
        ["ise", "CTR", "128", "encrypt", "40.0", "1.00", "75.0 (sim)", "yes"],
        ["ise", "GCM", "128", "encrypt", "80.0", "1.00", "75.0 (sim)", "yes"],
        ["table", "CTR", "128", "encrypt", "900.0", "1.00", "75.0 (sim)", "no"],
    ]


def test_printed_are_rows_of_the_tool_s_own_table():
    records = [demo_record("ise_vmem", 400), demo_record("ise_vmem", 500, bits=256), demo_record("ise", 800)]
    records += [demo_record("ise_vmem", 600, direction="decrypt"), demo_record("ise_vmem", 700, mode="gcm")]
    lines = printed.render({"demo": demo.keep({"records": records})})
    assert lines[0] == lines[-1] == "```"
    rows = [line.split() for line in lines if "encrypt" in line or "decrypt" in line]
    assert rows == [
        ["ise_vmem", "ctr", "128", "encrypt", "160", "40.0", "3.200", "240.00", "sim", "yes"],
        ["ise_vmem", "gcm", "128", "encrypt", "160", "70.0", "1.829", "137.14", "sim", "yes"],
    ]


def test_the_headline_has_each_engine_s_three_speeds():
    same = {"key_bits": 128, "kind": "sim", "clock_hz": 75_000_000}
    link = {**same, "clock_hz": 50_000_000, "record_bytes": 1440}
    contents = {
        "bench": {
            "records": [{"engine": "ise", "mbps": 200.0, "cycles_per_block": 48.0, "direction": "encrypt", **same}]
        },
        "demo": {
            "records": [
                demo_record("ise", 400),
                demo_record("ise", 500, mode="gcm"),
                demo_record("ise", 300, bits=256),
                demo_record("byte", 9),
            ]
        },
        "bench-udp": {
            "records": [
                {"engine": name, "goodput_mbps": rate, **link} for name, rate in (("ise", 42.25), ("fastpath", 900.0))
            ]
        },
    }
    lines = headline.render(contents)
    assert [[row[0], *row[2:]] for row in cells(lines)] == [
        ["`ise`", "200.0 (48.0)", "75.0 (40.0)", "42.2"],
        ["`fastpath`", "-", "-", "900.0"],
    ]
    assert "Mbps (sim)" in lines[0] and "records of 1440 bytes" in lines[0]
    assert "engine speed, 75 MHz | record speed, 75 MHz | link speed, 50 MHz" in lines[2]


def test_each_cycle_count_of_an_engine_says_what_is_in_it():
    kept_now = kept.load(ise_cycles.TABLE.sources, "")
    rows = cells(ise_cycles.render(kept_now))
    # The engine needs 33 cycles per block: 1 for the counter, 20 for the rounds, and 12 to load, move and store data.
    assert rows[0][:3] == ["33.0", "-", "counted"]
    assert {row[1] for row in rows[1:]} == {"engine", "record"}
    (of_1472,) = [row for row in rows if "--record-bytes 1472" in row[2]]
    assert "spread over 92 blocks; 4 of these go through the unit one by one" in of_1472[4]
    (of_1408,) = [row for row in rows if "--record-bytes 1408" in row[2]]
    assert "one by one" not in of_1408[4]
    bench = json.loads((kept.DATA / "bench.json").read_text())["records"]
    (cycles,) = [r["cycles_per_block"] for r in bench if (r["engine"], r["mode"], r["key_bits"]) == ("ise", "ctr", 128)]
    assert [row[0] for row in rows if row[2] == "`cipherlane bench`"] == [f"{cycles:.1f}"]


def test_the_plot_of_cores_has_members_with_one_key_of_aes_128_and_public_cores():
    shown = drawings.cores()
    records = explore.built(kept.load(explore.TABLE.sources, explore.TABLE.command))
    first = [r for r in records if r["device"] == "LFE5UM5G-85F"]
    small = [r for r in first if r["core"] != "cipherlane" or (r["slots"], r["key_lengths"]) == (1, [128])]
    assert 0 < len(shown.rows) == len(small) < len(first)
    assert {"usselmann", "Canright x 2", "both directions, keys loaded before"} <= set(words(shown.svg))
    able = {row[0]: row[8:10] for row in shown.rows}
    assert able["secworks"] == ("yes", "no") and able["usselmann"] == able["tiny_aes"] == ("no", "yes")
    assert able["cipherlane"] == ("no", "no")


def test_the_plot_of_luts_has_each_unit_of_each_bitstream_once(monkeypatch):
    drawn = []
    monkeypatch.setattr(drawings.plots, "shares", lambda title, x_name, wholes, rest: drawn.extend(wholes) or "")
    rows = drawings.luts().rows
    assert {board for board, _ in drawn} == {row[0] for row in rows} and len(drawn) > 3
    for board, parts in drawn:
        assert sorted(lut4 for _, lut4 in parts) == sorted(row[2] for row in rows if row[0] == board)
        assert len(dict(parts)) == len(parts) and parts[-1][0] == "rest"


def test_the_plots_of_papers_have_all_that_stands_in_their_tables():
    for paper, (_, entry, end) in drawings.BESIDE.items():
        found = [r for r in papers.records(paper, papers.load(paper)) if r["entry"] == entry and r["ratio"]]
        chosen = [r for r in found if r["value"].endswith(end)]
        shown = drawings.beside(paper)
        assert chosen and [row[0] for row in shown.rows] == [r["value"] for r in chosen]
        assert len(shapes(shown.svg, SERIES[0])) == len(shapes(shown.svg, SERIES[1])) == len(chosen) + 1
    ciphers = kept.load(explore_lte.TABLE.sources, explore_lte.TABLE.command)["explore-lte"]["records"]
    assert len(drawings.ciphers_of_lte().rows) == len(ciphers) > 20
    layer2 = kept.load(bench_lte.TABLE.sources, bench_lte.TABLE.command)["bench-lte"]["records"]
    engines = {r["engine"] for r in layer2} - {None}
    shown = drawings.layer2()
    assert len(shown.rows) == len(engines) * len(bench_lte.RATES_MBPS) > 0
    assert "a transport block comes each 1 ms" in words(shown.svg) and WARNING in shown.svg
