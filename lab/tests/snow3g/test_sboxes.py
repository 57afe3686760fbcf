# SPDX-License-Identifier: BSD-2-Clause
"""Test the functions S1 and S2 of SNOW 3G: compare their tables with published values, and prove that each
implementation of the S-box S_Q equals its table.
"""

import pytest

from gateware.aes.sbox import ByteTable
from lab.snow3g.sboxes import S_Q_IMPLEMENTATIONS, create_s1, create_s2
from lab.snow3g.standard import DIV_ALPHA, MUL_ALPHA, S_Q
from tests.gateware.proofs import prove_equal
from tests.gateware.support import ROOT, Simulation


def test_tables():
    """The first 12 values of the S-box S_Q must equal the standard's values. Multiplying a word by alpha, and then
    dividing the product by alpha, must give the original word.
    """
    assert bytes(S_Q[:12]).hex() == "25247367d7ae5c30a4ee6ecb" and sorted(S_Q) == list(range(256))
    for word in (0x00000001, 0x80000000, 0x12345678, 0xFFFFFFFF):
        product = (word << 8 & 0xFFFFFFFF) ^ MUL_ALPHA[word >> 24]
        assert (product >> 8) ^ DIV_ALPHA[product & 0xFF] == word


@pytest.mark.parametrize("implementation", [name for name in S_Q_IMPLEMENTATIONS if name != "table"])
def test_implementation_of_s_q_equals_the_table(implementation):
    folder = ROOT / "build" / "tests" / f"s_q_{implementation}"
    prove_equal(folder, ByteTable(S_Q), ByteTable(S_Q, implementation))


def test_other_implementations_are_refused():
    for create in (create_s1, create_s2):
        with pytest.raises(ValueError, match="abacus"):
            create("abacus")
    with pytest.raises(ValueError, match="tower"):
        create_s2("tower")


def test_rows_of_the_mixes():
    """Test MixColumns in S2. Four equal bytes must stay unchanged. If only one byte is not 0, each row of the result
    must be the multiple of this byte that the standard prescribes.
    """
    dut = create_s2()
    zero, one = S_Q.index(0), S_Q.index(1)
    words = {
        int.from_bytes([zero] * 4): 0,
        int.from_bytes([one] * 4): 0x01010101,
        int.from_bytes([one, zero, zero, zero]): 0x02030101,
        int.from_bytes([zero, zero, zero, one]): 0x03010102,
        int.from_bytes([zero, S_Q.index(0x80), zero, zero]): 0x80 << 24 | 0x69 << 16 | (0x69 ^ 0x80) << 8 | 0x80,
    }
    found = []

    def bench():
        for word in words:
            yield dut.i.eq(word)
            yield
            found.append((yield dut.o))

    with Simulation(dut, dut.i, dut.o) as sim:
        sim.run(bench(), max_cycles=10)
    assert found == list(words.values())
