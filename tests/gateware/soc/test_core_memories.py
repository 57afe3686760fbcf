# SPDX-License-Identifier: BSD-2-Clause
"""Test the memories of the CPU core: if a word is read in the cycle in which it is written, the core must not use the
value that it reads.

`gateware.flow.bitstream` relies on this: it lets synthesis leave out logic for such a cycle.
"""

from pathlib import Path
from types import SimpleNamespace

import pytest
from cipherlane.transport.simboard import SimulatedBoard
from litex import get_data_mod

from gateware import targets
from gateware.flow import simulation
from gateware.soc import soc
from tests.end_to_end.test_simulated_board import test_encrypts_a_file_and_decrypts_it
from tests.gateware.soc.strict_core import strict
from tests.gateware.support import ROOT
from tests.host.commands import command

__all__ = ["test_encrypts_a_file_and_decrypts_it"]  # runs on this board

CORE = "VexRiscv_FullCfu.v"
# Number of memory reads in the core's Verilog: two in the register file, five in the data cache, two in the instruction
# cache. The data cache has one read for its tags, and four for the bytes of a word. The instruction cache has one read
# for its words, and one for its tags.
READS = 2 + 1 + 4 + 1 + 1
MEMORY = """
module m(input clk, input w, input [1:0] a, input [1:0] b, input [7:0] d, output reg [7:0] q);
  reg [7:0] words [0:3];
  always @(posedge clk) begin
    if(1'b1) begin
      q <= words[a];
    end
  end

  always @(posedge clk) begin
    if(w) begin
      words[b] <= d;
    end
  end
endmodule
"""
# These tests build their own board, which takes a minute, so only the thorough suite runs them.
pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def board():
    """Build and run a simulated board with the strict core. If this core reads a word while it writes the same word,
    the memory returns the complement of the stored word. In a self-test, this happens about 77,000 times.
    """
    source = Path(get_data_mod("cpu", "vexriscv").data_location)
    text, reads = strict((source / CORE).read_text())
    assert reads == READS
    folder = ROOT / "build" / "tests" / "strict_core"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / CORE).write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(soc, "get_data_mod", lambda *_: SimpleNamespace(data_location=folder))
        simulation.build(targets.load("sim"), folder / "board")
    with SimulatedBoard(folder / "board") as running:
        yield running


def test_a_word_that_is_written_is_read_as_its_complement():
    text, reads = strict(MEMORY)
    assert reads == 1
    assert "q <= ((w) && b == a) ? ~words[a] : words[a];" in text


def test_known_answers(board):
    status, output, errors = command("selftest", "--port", board.url)
    assert status == 0, errors
    assert b" 0 failed" in output
