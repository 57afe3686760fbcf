# SPDX-License-Identifier: BSD-2-Clause
"""Test the bare-metal Ethernet driver with a model of the Ethernet MAC. In the tests, frames arrive while the driver
zeroizes earlier frames.
"""

import struct
import subprocess
from pathlib import Path

import pytest

from tests.firmware import frames, records
from tests.firmware.core_peer import BUILD, link, portable_sources

HERE = Path(__file__).with_name("ethernet")
BAREMETAL = HERE.parents[2] / "firmware" / "baremetal"
RX_SLOTS, SLOT_BYTES, SUMS = 8, 2048, 2032
STEP = 32
START_STEPS = 256 // STEP
READS = ["sram_writer_ev_pending", "sram_writer_slot", "sram_writer_length"]
WRITES = ["sram_writer_ev_pending", "sram_reader_start"]
# Registers that always read as 0 in the model: no frame waits for transmission, and no errors are counted.
ZEROS = ["sram_reader_level", "sram_writer_errors", "rx_datapath_crc_errors", "rx_datapath_preamble_errors"]
IGNORED = ["tx_checksum", "sram_reader_slot", "sram_reader_length"]
STATIONS = ["row", "mac0", "mac1", "address", "known"]


@pytest.fixture(scope="module")
def program():
    """Compile the driver and the model of the Ethernet MAC; return the path of the program."""
    addresses = [("MACADDR", frames.BOARD_MAC), ("LOCALIP", frames.BOARD)]
    headers = {
        "csr.h": [
            "#include <stdint.h>",
            "#define CSR_ETHMAC_BASE 0",
            "#define CSR_FASTPATH_BASE 0",
            *(f"uint32_t ethmac_{name}_read(void);" for name in READS),
            *(f"void ethmac_{name}_write(uint32_t value);" for name in WRITES),
            *(f"void ethmac_stations_{name}_write(uint32_t value);" for name in STATIONS),
            "uint32_t ethmac_stations_known_read(void);",
            *(f"#define ethmac_{name}_read() 0u" for name in ZEROS),
            *(f"#define ethmac_{name}_write(value) ((void)(value))" for name in IGNORED),
            *(f"uint32_t uart_{name}_read(void);" for name in ("rxempty", "rxtx")),
            "void uart_ev_pending_write(uint32_t value);",
        ],
        "mem.h": ["#include <stdint.h>", "uintptr_t model_memory(void);", "#define ETHMAC_BASE model_memory()"],
        "soc.h": [
            "#define CONFIG_CLOCK_FREQUENCY 1000000u",
            "#define CIPHERLANE_SIMULATED 1",
            f"#define ETHMAC_RX_SLOTS {RX_SLOTS}u",
            "#define ETHMAC_TX_SLOTS 2u",
            "#define ETHMAC_STATION_ROWS 8u",
            f"#define ETHMAC_SLOT_SIZE {SLOT_BYTES}u",
            f"#define ETHMAC_SLOT_SUMS {SUMS}u",
            *(f"#define {name}{i + 1} {byte}" for name, address in addresses for i, byte in enumerate(address)),
        ],
    }
    folder = BUILD / "ethernet"
    (folder / "generated").mkdir(parents=True, exist_ok=True)
    for name, lines in headers.items():
        (folder / "generated" / name).write_text("\n".join([*lines, ""]))
    sources = [HERE / "model.c", BAREMETAL / "ethernet.c", *portable_sources()]
    return link(*sources, include=[folder, HERE, BAREMETAL])


def slot(frame):
    halves, a, b = frames.slot_sums(frame)
    return (frame.ljust(SUMS, b"\0") + struct.pack("<3I2x", a, b, halves) + struct.pack(">H", len(frame))).hex()


@pytest.mark.parametrize("more", [0, RX_SLOTS], ids=["one opening", "another in its slot"])
def test_an_opening_in_each_moment_of_an_erasure_leaves_no_key(program, more):
    """The driver zeroizes memory in many steps. The test runs the driver once for each step. In each run, a request to
    open a session arrives at this step. Whether the board accepts or refuses the request, the key must not remain in
    the slot of the request.

    An opening that follows another frame may be dropped, if it arrives while the start of its slot is zeroized. This
    affects only one frame in that slot, not the next one.
    """
    key = bytes(range(1, 33))
    info = slot(frames.datagram(records.record(records.INFO)))
    opening = slot(frames.datagram(records.record(records.OPEN_TYPE, records.open_data(key, bytes(16)))))
    asked = [info, opening, *([info] * (more - 1) + [opening] if more else [])]
    done = subprocess.run([program, *asked], capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    moments = [tuple(map(int, line[:3])) for line in lines]
    mac, address = frames.HOST_MAC, frames.HOST
    words = "".join(f"{int.from_bytes(part, 'little'):0{2 * len(part)}x}" for part in (mac[:2], mac[2:], address))
    known = [line[3:] for line in lines if int(line[0]) == len(asked)]
    assert known and all(rows == [f"0:{words}"] for rows in known), "the sender of the opening"
    assert len(moments) > (RX_SLOTS - 1) * SLOT_BYTES // STEP
    assert {left for *_, left in moments} == {0}
    whole = [(sent, len(asked) - damaged) for sent, damaged, _ in moments]
    assert len(set(whole)) > 1, "both happen: frames that are whole, and one that the erasure has reached"
    assert all(sent <= most for sent, most in whole), "what was damaged is not carried out"
    assert {sent for sent, _ in whole} == {len(asked) - 1, len(asked)}
    dropped = sum(sent < len(asked) for sent, _ in whole)
    assert dropped <= START_STEPS * min(len(asked) - 1, RX_SLOTS - 1)
