# SPDX-License-Identifier: BSD-2-Clause
"""Test that `create_core` rejects wrong parameters with an error message that tells how to correct them."""

import pytest

from gateware.aes.cores import create_core

GOOD = {"datapath": 128, "sbox": "table", "slots": 8, "key_lengths": (128, 192, 256), "engines": 1}


@pytest.mark.parametrize(
    ("sbox", "stages"),
    [("table", 3), ("block_ram", 3), ("tower_cut", 5), ("ecp5", 0), ("onehot", 3), ("tower_cut_ecp5", 5)],
)
def test_stages_that_an_s_box_has_not(sbox, stages):
    with pytest.raises(ValueError, match=f"stages is {stages}; S-box implementation '{sbox}' takes 1 to"):
        create_core(**{**GOOD, "datapath": "pipelined", "sbox": sbox, "stages": stages})


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("datapath", 16, "datapath is 16; give one of 32, 64, 128, pipelined"),
        ("datapath", "serial", "datapath is 'serial'; give one of"),
        ("sbox", "abacus", "S-box implementation 'abacus' is not one of table,"),
        ("slots", 0, "slots is 0; give 1 to 32"),
        ("slots", 33, "slots is 33; give 1 to 32"),
        ("key_lengths", (), "key_lengths is"),
        ("key_lengths", (128, 512), "give one or more of 128, 192, 256"),
        ("engines", 3, "engines is 3; give one of 1, 2, 4, 6"),
        ("engines", 0, "engines is 0; give one of 1, 2, 4, 6"),
    ],
)
def test_refused(name, value, message):
    with pytest.raises(ValueError, match=message):
        create_core(**{**GOOD, name: value})


def test_engines_of_the_pipelined_core():
    with pytest.raises(ValueError, match="engines is 2; the pipelined core takes a block a cycle, give 1"):
        create_core(**{**GOOD, "datapath": "pipelined", "engines": 2})
