# SPDX-License-Identifier: BSD-2-Clause
"""Test the AES programs that we compare with published programs. Check the list of programs, the number of code bytes,
and the AES results of each program.
"""

import re
import subprocess
from itertools import product

import pytest

from lab.bench import sets, styles
from lab.bench.board import KEY_BITS, BenchBoard, WrongAnswerError

CUSTOM_0 = 0x0B
BY_NAME = {family.name: family for family, _ in styles.plan()}


def test_code_is_counted_with_the_rounds_that_are_called_and_without_other_directions_and_key_lengths():
    sizes = {"block_encrypt_128": 100, "round_encrypt": 20, "last_encrypt": 3}
    sizes |= {"block_encrypt_192": 1000, "block_decrypt_128": 10000, "round_decrypt": 20000, "peer": 0}
    assert styles.code_bytes(sizes, "encrypt", 128) == 123
    assert styles.code_bytes({"block_encrypt_256": 7}, "encrypt", 256) == 7
    with pytest.raises(KeyError):
        styles.code_bytes(sizes, "encrypt", 256)


def test_programs_for_several_blocks_a_call_are_apart_and_say_how_many():
    found = sets.programs()
    assert {(family.engine, blocks) for family, blocks, _ in found.values()} == set(product(sets.SIDE, sets.BLOCKS))
    for family, blocks, side in found.values():
        assert {f"-DBENCH_BLOCKS={blocks}u", f"-DBENCH_SIDE={side}u"} <= set(family.defines)
        assert blocks % side == 0 and side <= max(sets.SIDE[family.engine])


def test_every_form_has_a_program_for_each_style_on_the_board_that_has_its_instructions():
    assert len(BY_NAME) == len(styles.plan()), "names are folders"
    for form in ("table", "ise"):
        assert {f"papers_{form}_{style}" for style in ("loop", "swap", "unrolled")} <= BY_NAME.keys()
    others = {family.engine for family in BY_NAME.values() if family.configuration == "comparators"}
    assert others == {"zkn", "byte_set", "word_set", "rom_rounds", "ptlu"}
    wide = {family.engine for family in BY_NAME.values() if family.configuration == "wide_comparators"}
    assert wide == {"ptlu_64", "ptlu_128", "zvkned"}


@pytest.mark.simboard
@pytest.mark.parametrize("name", ["papers_ise_swap", "papers_ise_kept_unrolled"])
def test_agrees_with_the_library(name):
    ecb_of_all_keys(name)


@pytest.mark.simboard
@pytest.mark.parametrize("form", ["ise_kept", "ise_vmem"])
def test_blocks_side_by_side_agree_with_the_library(form):
    family, blocks, side = sets.programs()[f"sets_{form}_4_4"]
    assert (blocks, side) == (4, 4)
    with BenchBoard(family) as board:
        for decrypt in (False, True):
            board.measure("ecb", decrypt=decrypt, size=16 * 12, passes=2, seed=3)
        with pytest.raises(WrongAnswerError, match="status -22"):
            board.measure("ecb", size=16 * 3)


# This test is marked as slow, because it builds the simulated board `wide_comparators`. The tests in lab/tests/isa also
# check that the units of this board compute AES correctly.
@pytest.mark.thorough
@pytest.mark.parametrize("name", ["papers_ptlu_64_unrolled", "papers_ptlu_128_unrolled", "papers_zvkned_unrolled"])
def test_wider_sets_agree_with_the_library(name):
    ecb_of_all_keys(name)


# This test is marked as slow, because it builds the simulated board `comparators`.
@pytest.mark.thorough
def test_the_plugins_later_result_would_cost_nothing():
    """Run AES with the instructions of VexRiscv's plugin on the simulated board, and compare it with the library.

    In the machine code, the two instructions after each of the plugin's instructions do not read its result.
    """
    ecb_of_all_keys("papers_rom_rounds_unrolled")
    elf = BenchBoard(BY_NAME["papers_rom_rounds_unrolled"]).elf
    for key_bits in KEY_BITS:
        for direction in ("encrypt", "decrypt"):
            code = instructions(elf, f"block_{direction}_{key_bits}")
            ours = [i for i, word in enumerate(code) if word & 0x7F == CUSTOM_0]
            assert len(ours) == 16 * (key_bits // 32 + 6)
            assert not [i for i in ours for word in code[i + 1 : i + 3] if code[i] >> 7 & 31 in read(word)]


def instructions(elf, function):
    """Return the machine instructions of a function as words of 32 bits."""
    command = ["riscv64-unknown-elf-objdump", "-d", str(elf), f"--disassemble={function}"]
    listing = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    return [int(word, 16) for word in re.findall(r"^ +[0-9a-f]+:\s+([0-9a-f]{8})\s", listing, re.MULTILINE)]


def read(word):
    """Return the numbers of the registers that an instruction reads. LUI, AUIPC and JAL read no register. Stores,
    branches and instructions with three register fields read two registers; all other instructions read one.
    """
    opcode, rs1, rs2 = word & 0x7F, word >> 15 & 31, word >> 20 & 31
    if opcode in (0x37, 0x17, 0x6F):
        return set()
    return {rs1, rs2} if opcode in (0x33, 0x23, 0x63, CUSTOM_0) else {rs1}


def ecb_of_all_keys(name):
    with BenchBoard(BY_NAME[name]) as board:
        for decrypt in (False, True):
            for key_bits in KEY_BITS:
                board.measure("ecb", decrypt=decrypt, key_bits=key_bits, size=48, passes=2, seed=key_bits)
