"""The programs that the papers compare: what they are, what they count, and that they are AES."""

import pytest

from tests.bench import styles
from tests.bench.board import KEY_BITS, BenchBoard

BY_NAME = {family.name: family for family, _ in styles.plan()}


def test_code_is_counted_with_the_rounds_that_are_called_and_without_other_directions_and_key_lengths():
    sizes = {"block_encrypt_128": 100, "round_encrypt": 20, "last_encrypt": 3}
    sizes |= {"block_encrypt_192": 1000, "block_decrypt_128": 10000, "round_decrypt": 20000, "peer": 0}
    assert styles.code_bytes(sizes, "encrypt", 128) == 123
    assert styles.code_bytes({"block_encrypt_256": 7}, "encrypt", 256) == 7
    with pytest.raises(KeyError):
        styles.code_bytes(sizes, "encrypt", 256)


def test_every_form_has_a_program_for_each_style_on_the_board_that_has_its_instructions():
    assert len(BY_NAME) == len(styles.plan()), "names are folders"
    for form in ("table", "ise"):
        assert {f"papers_{form}_{style}" for style in ("loop", "swap", "unrolled")} <= BY_NAME.keys()
    others = {family.engine for family in BY_NAME.values() if family.configuration == "comparators"}
    assert others == {"zkn", "byte_set", "word_set", "ptlu"}
    wide = {family.engine for family in BY_NAME.values() if family.configuration == "wide_comparators"}
    assert wide == {"ptlu_64", "ptlu_128", "zvkned"}


@pytest.mark.simboard
@pytest.mark.parametrize("name", ["papers_ise_swap", "papers_ise_kept_unrolled"])
def test_agrees_with_the_library(name):
    ecb_of_all_keys(name)


# Slow, as it builds another simulated board; that the units compute AES is tested in gateware/isa.
@pytest.mark.thorough
@pytest.mark.parametrize("name", ["papers_ptlu_64", "papers_ptlu_128", "papers_zvkned"])
def test_wider_sets_agree_with_the_library(name):
    ecb_of_all_keys(name)


def ecb_of_all_keys(name):
    with BenchBoard(BY_NAME[name]) as board:
        for decrypt in (False, True):
            for key_bits in KEY_BITS:
                board.measure("ecb", decrypt=decrypt, key_bits=key_bits, size=48, passes=2, seed=key_bits)
