# SPDX-License-Identifier: BSD-2-Clause
"""Test S-boxes for all inputs: compare with the published table, and prove each implementation equal to this table."""

import pytest
from migen import Module

from gateware.aes.field import INV_SBOX, SBOX
from gateware.aes.sbox import IMPLEMENTATIONS, SBox
from tests.gateware.proofs import prove_equal
from tests.gateware.support import ROOT, Simulation

PUBLISHED = bytes.fromhex(  # FIPS-197, table 4
    "637c777bf26b6fc53001672bfed7ab76ca82c97dfa5947f0add4a2af9ca472c0"
    "b7fd9326363ff7cc34a5e5f171d8311504c723c31896059a071280e2eb27b275"
    "09832c1a1b6e5aa0523bd6b329e32f8453d100ed20fcb15b6acbbe394a4c58cf"
    "d0efaafb434d338545f9027f503c9fa851a3408f929d38f5bcb6da2110fff3d2"
    "cd0c13ec5f974417c4a77e3d645d197360814fdc222a908846eeb814de5e0bdb"
    "e0323a0a4906245cc2d3ac629195e479e7c8376d8dd54ea96c56f4ea657aae08"
    "ba78252e1ca6b4c6e8dd741f4bbd8b8a703eb5664803f60e613557b986c11d9e"
    "e1f8981169d98e949b1e87e9ce5528df8ca1890dbfe6426841992d0fb054bb16"
)


def test_tables():
    assert bytes(SBOX) == PUBLISHED
    assert [PUBLISHED[INV_SBOX[x]] for x in range(256)] == list(range(256))


def test_table_implementation_for_all_inputs():
    dut = Module()
    forward, inverse = SBox(), SBox(inverse=True)
    dut.submodules += forward, inverse
    outputs = []

    def bench():
        for x in range(256):
            yield [forward.i.eq(x), inverse.i.eq(x)]
            yield
            outputs.append(((yield forward.o), (yield inverse.o)))

    with Simulation(dut, forward.i, forward.o, inverse.i, inverse.o) as sim:
        sim.run(bench(), max_cycles=300)
    assert outputs == [(PUBLISHED[x], PUBLISHED.index(x)) for x in range(256)]


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("implementation", [name for name in IMPLEMENTATIONS if name != "table"])
def test_implementation_equals_the_table(implementation, inverse):
    """Prove that an S-box equals the table for all inputs, with Yosys and its models of the FPGA cells."""
    folder = ROOT / "build" / "tests" / f"sbox_{implementation}_{int(inverse)}"
    prove_equal(folder, SBox(inverse=inverse), SBox(inverse=inverse, implementation=implementation))


def test_parameters():
    with pytest.raises(ValueError, match="implementation"):
        SBox(implementation="abacus")
