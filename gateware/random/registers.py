# SPDX-License-Identifier: BSD-2-Clause
"""Declares the registers of the random source, each with its description."""

from litex.gen import LiteXModule
from litex.soc.interconnect.csr import CSRField, CSRStatus, CSRStorage

WORD_BITS = 32


class RandomRegisters(LiteXModule):
    """Declares the registers; `gateware.random.source` connects them to the hardware."""

    def __init__(self):
        self.control = CSRStorage(
            description="Commands. Writing 1 to a field gives the command; writing 0 does nothing. Reads as last "
            "written.",
            fields=[
                CSRField(
                    "restart",
                    pulse=True,
                    description="Clear fault, discard the word in data and all samples, and begin again with the "
                    "start-up test. Never refused. Does nothing if simulated is 1. Happens by itself "
                    "after reset.",
                ),
            ],
        )
        self.status = CSRStatus(
            description="State of the source. Reading has no side effect.",
            fields=[
                CSRField(
                    "valid",
                    description="data holds a word. 0 until the start-up test has passed. Cleared by reading data, "
                    "by a fault and by restart. Reset value 0.",
                ),
                CSRField(
                    "fault",
                    description="A sample failed a health test: the source delivers no word until restart. Reset "
                    "value 0.",
                ),
                CSRField(
                    "simulated",
                    description="1: there is no source of noise, as on a simulated board, and valid stays 0. Constant.",
                ),
            ],
        )
        self.data = CSRStatus(
            WORD_BITS,
            description="A word of raw samples, the oldest in bit 31. Reading removes the word, so each word is read "
            "only once. Reads as 0 while valid is 0. Reset value 0.",
        )
