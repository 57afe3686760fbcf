# SPDX-License-Identifier: BSD-2-Clause
"""A client of the CTR service that requests and accepts blocks without a pause, like the accelerator at its full
rate.
"""

from migen import If, Module, Signal

from gateware.aes.standard import KEY_LENGTH_256
from gateware.ctr.client import Client, Port
from gateware.ctr.key_store import WORDS

CLIENT = Client(slots=8, count_bits=29, waits=False)
# Number of cycles. The rival loads its key into slot 0 after PAUSE cycles in which slot 0 held no key and no key
# command was under way.
PAUSE = 500


class Rival(Module):
    """Loads an AES-256 key into slot 0, then requests keystream continuously and accepts every block immediately."""

    def __init__(self, port: Port):
        keys = port.keys
        waited = Signal(max=PAUSE + WORDS + 2)
        self.comb += [
            keys.write.eq((waited > PAUSE) & (waited <= PAUSE + WORDS)),
            keys.index.eq(waited - PAUSE - 1),
            keys.word.eq(waited * 0x9E3779B1),
            keys.length.eq(KEY_LENGTH_256),
            keys.load.eq(waited == PAUSE + WORDS + 1),
            port.request.valid.eq(keys.usable[0]),
            port.request.count.eq(2**29 - 1),
            port.keystream.ready.eq(1),
        ]
        self.sync += If(keys.busy | keys.usable[0], waited.eq(0)).Else(waited.eq(waited + 1))
