# SPDX-License-Identifier: BSD-2-Clause
"""An AES core with registers on a bus. Through the registers, software encrypts one block at a time.

::

    key ─► core ◄─ block0 to block3, start
             └──► result0 to result3, done

Software loads a key as follows. Write `config`, then the words of the key to `key`, first word first. Wait until the
slot's bit of `key_loaded` is 1.

Software encrypts a block as follows. Write `block0` to `block3`, then `start`. Wait until `done` is 1, check `error`,
and read `result0` to `result3`. The core is faster than most buses: use a stream for throughput.

Byte order: word i of a key, a block or a result is bytes 4*i to 4*i+3, first byte in bits 7:0.
"""

from typing import Any

from litex.gen import LiteXModule
from litex.soc.interconnect.csr import CSR, CSRField, CSRStatus, CSRStorage
from migen import Cat, If, Signal

from ..aes.standard import BLOCK_BITS
from . import family

WORDS = 4


class AESRegisters(LiteXModule):
    """Declares the registers, and connects them to an AES core.

    Parameters
    ----------
    values : dict
        Options of the core (`gateware.cores.family`).
    """

    def __init__(self, values: dict[str, Any]):
        self.control = CSRStorage(
            description="Commands. Writing 1 to a field gives the command. Reads as last written.",
            fields=[
                CSRField("start", pulse=True, description="Encrypt the block. Ignored while busy."),
                CSRField(
                    "clear", pulse=True, description="Zeroize all keys, and the block and its result. Never ignored."
                ),
                CSRField("clear_slot", pulse=True, description="Zeroize the key in the slot of config."),
            ],
        )
        self.status = CSRStatus(
            description="State of the core. Reading has no side effect.",
            fields=[
                CSRField("busy", description="A block is being encrypted. Reset value 0."),
                CSRField("done", description="result0 to result3 are valid. start clears it. Reset value 0."),
                CSRField("error", description="The slot held no key at start: the result is 0. Reset value 0."),
                CSRField("key_busy", description="A key is being expanded or zeroized. Reset value 0."),
                CSRField("key_full", description="The last word has not been taken yet: write no word. Reset value 0."),
            ],
        )
        self.config = CSRStorage(
            description="Slot and length of a key; may be written while not key_busy.",
            fields=[
                CSRField(
                    "key_length",
                    size=2,
                    values=[("0", "AES_128", "4 words."), ("1", "AES_192", "6 words."), ("2", "AES_256", "8 words.")],
                    description="Length of the key that is loaded. Reset value 0.",
                ),
                CSRField("slot", size=5, offset=4, description="Slot for keys and blocks. Reset value 0."),
            ],
        )
        self.key = key = CSR(32, name="key")
        key.description = "The next word of a key. Write-only: reads as 0. Ignored while key_full."
        self.key_loaded = CSRStatus(values["slots"], description="Bit n: slot n holds a key. Reset value 0.")
        self.blocks = []
        for n in range(WORDS):
            text = (
                f"Bytes {4 * n} to {4 * n + 3} of the block, first byte in bits 7:0. clear zeroizes it. Reset value 0."
            )
            block = CSRStorage(32, name=f"block{n}", write_from_dev=True, description=text)
            setattr(self, f"block{n}", block)
            self.blocks.append(block)
        results = []
        for n in range(WORDS):
            result = CSRStatus(32, name=f"result{n}", description=f"Bytes {4 * n} to {4 * n + 3} of the result.")
            setattr(self, f"result{n}", result)
            results.append(result)
        self.core = core = family.core(values)

        # # #

        word, full = Signal(32), Signal()
        # `offered`: 1 from the start of an operation until the core accepts the block. `waiting`: 1 from the acceptance
        # of the block until the core returns the result.
        offered, waiting = Signal(), Signal()
        value = Signal(BLOCK_BITS)
        control, status, config = self.control.fields, self.status.fields, self.config.fields
        self.comb += [
            core.key.valid.eq(full),
            core.key.word.eq(word),
            core.key_slot.eq(config.slot),
            core.key_length.eq(config.key_length),
            core.clear.eq(control.clear),
            core.clear_slot.eq(control.clear_slot),
            core.sink.valid.eq(offered),
            core.sink.data.eq(Cat(*[block.storage for block in self.blocks])),
            core.sink.slot.eq(config.slot),
            core.source.ready.eq(1),
            status.busy.eq(offered | waiting),
            status.key_busy.eq(core.key_busy | full),
            status.key_full.eq(full),
            self.key_loaded.status.eq(core.key_valid),
            Cat(*[result.status for result in results]).eq(value),
            *[block.we.eq(control.clear) for block in self.blocks],
        ]
        self.sync += [
            If(core.key.ready, full.eq(0), word.eq(0)),
            If(key.re & ~full, full.eq(1), word.eq(key.r)),
            If(offered & core.sink.ready, offered.eq(0), waiting.eq(1)),
            If(core.source.valid, waiting.eq(0), status.done.eq(1), status.error.eq(core.source.error)),
            If(core.source.valid, value.eq(core.source.data)),
            If(control.start & ~offered & ~waiting, offered.eq(1), status.done.eq(0)),
            If(
                control.clear,
                *[signal.eq(0) for signal in (full, word, offered, waiting, value, status.done, status.error)],
            ),
        ]
