# SPDX-License-Identifier: BSD-2-Clause
"""Compare the computed number of block RAMs and LUTs of each target with the number that place-and-route used. A
configuration that was made smaller for a board must be no smaller than necessary.
"""

import contextlib
import itertools
import json
from dataclasses import replace

import pytest

from gateware import targets
from gateware.configurations import FEATURES, compose
from gateware.description import Fit
from gateware.extensions import configuration
from gateware.flow.firmware import build_firmware
from gateware.platform.ecp5 import block_rams
from gateware.platform.ecp5.parts import PARTS
from tests.kept import figures

HARDWARE = [target for target in targets.load_all() if not target.board.simulated]
COUNTED = [target for target in HARDWARE if isinstance(target.configuration.core_datapath, int)]
# Largest fraction of a ROM's block RAMs that synthesis may omit. Synthesis omits block RAMs if the firmware leaves the
# end of the ROM unused.
EMPTY_MOST = 1 / 8
# The targets whose ROMs have the least free space: the first has a ROM of 64 KB, the second a ROM of 48 KB.
LONGEST = ("ecpix5_sdram", "colorlight_i5_sdram")


def pairs():
    """Yield the simulated board with each pair of features that combine."""
    for pair in itertools.combinations(FEATURES, 2):
        with contextlib.suppress(targets.UnknownTargetError):
            yield targets.load("sim", "+".join(pair))


PAIRS = list(pairs())
# Pairs that do not combine: of three kinds of Ethernet, of the pipelined core with each of them, of Zephyr with six.
assert len(PAIRS) == 8 * 7 // 2 - 3 - 3 - 5


def total(target, configuration=None):
    return sum(block_rams.memories(target.board, configuration or target.configuration, target.fit).values())


@pytest.mark.parametrize(
    ("words", "bits", "widest", "count"),
    [
        (16384, 32, 36, 32),
        (2304, 32, 18, 6),  # 2304 words need 3 block RAMs of 1024 x 18 bits; a width of 32 bits needs twice as many
        (128, 32, 36, 1),
        (128, 32, 18, 2),
        (64, 131, 36, 4),
        (8192, 8, 36, 4),
        (8192, 2, 36, 1),
        (8193, 2, 36, 2),
        (16384, 1, 36, 1),
    ],
)
def test_a_memory_takes_the_shape_that_takes_fewest(words, bits, widest, count):
    assert block_rams.needed(words, bits, widest=widest) == count


@pytest.mark.parametrize("target", COUNTED, ids=lambda target: target.name)
def test_what_is_counted_is_what_place_and_route_took(target):
    kept = figures() / f"bitstream-{target.name}.json"
    if not kept.exists():
        pytest.skip(f"{target.name} has not been placed: run `make bitstream {target.variables}` and `make readme`")
    rom = block_rams.memories(target.board, target.configuration, target.fit)["rom"]
    assert 0 <= total(target) - json.loads(kept.read_text())["bram"] <= rom * EMPTY_MOST


@pytest.mark.parametrize("target", HARDWARE, ids=lambda target: target.name)
def test_the_estimate_of_luts_is_near_what_place_and_route_took(target):
    path = figures() / f"bitstream-{target.name}.json"
    if not path.exists():
        pytest.skip(f"{target.name} has not been placed: run `make bitstream {target.variables}` and `make readme`")
    estimated, placed = targets.estimated_lut4(target), json.loads(path.read_text())["lut4"]
    if target.fit.cfu_sbox == target.board.fit.cfu_sbox:
        assert estimated == pytest.approx(placed, rel=0.05)
    else:
        assert estimated < placed, "the target's S-boxes are LUTs, those of the board's general settings are not"


@pytest.mark.parametrize("target", COUNTED, ids=lambda target: target.name)
def test_what_a_board_offers_fits_into_its_part(target):
    assert total(target) <= PARTS[target.board.size].block_rams


def unshrunk(target):
    """Return the target's configuration before it was made smaller for the part."""
    return targets.fitted(configuration(target.configuration.name), target.fit)


def test_where_there_is_room_nothing_shrinks():
    for target in targets.load_all():
        if target.board.name in ("ecpix5", "sim", "ulx3s", "butterstick"):
            assert target.configuration == unshrunk(target)


def steps_taken(target):
    """Return how many of the steps in `block_rams.STEPS` were applied to the target's configuration. Each step makes
    the configuration smaller; the steps are applied in order.
    """
    for count in range(len(block_rams.STEPS) + 1):
        taken = block_rams.shrunk(unshrunk(target), count)
        if taken == target.configuration:
            return count
    raise AssertionError(f"{target.name} is not what steps lead to")


@pytest.mark.parametrize("target", COUNTED, ids=lambda target: target.name)
def test_nothing_is_given_up_that_need_not_be(target):
    count = steps_taken(target)
    if count:
        before = block_rams.shrunk(unshrunk(target), count - 1)
        assert total(target, before) > PARTS[target.board.size].block_rams


@pytest.mark.parametrize(
    "target",
    [
        pytest.param(target, id=target.name, marks=[] if target.name in LONGEST else pytest.mark.thorough)
        for target in [*targets.load_all(), *PAIRS]
        if target.configuration.firmware == "baremetal"
    ],
)
def test_the_firmware_fits_into_its_memory(target, tmp_path):
    """The test compiles the firmware, which takes about ten seconds. Only the thorough suite tests all targets, and all
    pairs of features.
    """
    assert build_firmware(target, tmp_path / "firmware")


def test_a_25f_gets_what_the_page_says():
    target = targets.load("colorlight_i5")
    configuration = target.configuration
    assert (configuration.rom_size, configuration.sram_size, configuration.buffer_size) == (
        48 << 10,
        12 << 10,
        16 << 10,
    )
    assert (configuration.max_data, configuration.core_datapath, configuration.compact) == (1024, 64, True)
    # The buffer memory must have room for the benchmark's data, a record, the data in progress, and the list of counter
    # blocks.
    assert configuration.bench_bytes + configuration.max_data + 512 + 13192 + 64 <= configuration.buffer_size


def test_zephyr_and_what_does_not_fit_stay_as_they_are():
    small = targets.load("colorlight_i5")
    assert block_rams.scaled(small.board, compose("zephyr"), small.fit) == compose("zephyr")
    tables = Fit(cfu_sbox="block_ram", core_sbox="block_ram")
    smallest = block_rams.scaled(small.board, compose("default"), tables)
    assert smallest == block_rams.shrunk(compose("default"), len(block_rams.STEPS))
    assert total(replace(small, fit=tables), smallest) > PARTS["25F"].block_rams


def test_cores_that_are_not_counted_are_refused():
    target = targets.load("ecpix5", "pipelined")
    with pytest.raises(ValueError, match="block RAMs of a pipelined core are not counted"):
        block_rams.memories(target.board, target.configuration, target.fit)
