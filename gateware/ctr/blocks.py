# SPDX-License-Identifier: BSD-2-Clause
"""CTR mode (SP 800-38A, 6.5) for messages of 128-bit blocks: XORs the data with keystream, one message after another.

::

    message ─► (CTR service) ─► keystream ─┐
                                         (xor, masked) ─► source
    sink ──────────────────────────────────┘

Each bit of a block's `mask` enables one byte. `bits` tells how many bits of the last byte count, most significant
first; 0 means all 8. So a message can have any length in bits, as 128-EEA2 needs. Bytes and bits that do not count
leave as zero, so no keystream shows in them. Encryption and decryption are the same.

Byte order: as in `gateware.aes`. Throughput: the service's, also across messages of different slots. Latency: none
(combinational) from `sink` to `source` once the keystream is there. Handshake: valid and ready everywhere. A message
of n blocks takes exactly n blocks of keystream.
"""

from litex.soc.interconnect import stream
from migen import Cat, If, Module, Replicate, Signal

from ..aes.standard import BLOCK_BITS, BLOCK_BYTES
from .client import Port

BLOCK_LAYOUT = [("data", BLOCK_BITS), ("mask", BLOCK_BYTES), ("bits", 3)]


class BlockCTR(Module):
    """Encrypts or decrypts messages that consist of 128-bit blocks.

    Parameters
    ----------
    port : Port
        Of the service.

    Attributes
    ----------
    message : stream.Endpoint, in
        A message: the port's request.
    sink, source : stream.Endpoint, data(128), mask(16), bits(3)
        Blocks in and out; `first` and `last` pass through. `bits` counts in a block with `last`.
    error : Signal(), out
        With a block at `source`: its slot held no key when the core took its counter block; it leaves as zeros.
    flush : Signal(), in
        Drop every message and block.
    """

    def __init__(self, *, port: Port):
        self.sink = stream.Endpoint(BLOCK_LAYOUT)
        self.source = stream.Endpoint(BLOCK_LAYOUT)
        self.message = port.request
        self.error = Signal()
        self.flush = port.flush

        # # #

        sink, source, keystream = self.sink, self.source, port.keystream
        last_byte = Signal(8)  # mask of the bits in the last byte that belong to the message
        count = Signal(128)
        self.comb += [
            source.valid.eq(sink.valid & keystream.valid),
            sink.ready.eq(source.ready & keystream.valid),
            keystream.ready.eq(source.ready & sink.valid),
            sink.connect(source, keep={"first", "last", "mask", "bits"}),
            *[last_byte[7 - n].eq((sink.bits == 0) | (sink.bits > n) | ~sink.last) for n in range(8)],
            self.error.eq(keystream.error),
            If(~self.error, source.data.eq((sink.data ^ keystream.data) & count)),
        ]
        following = Cat(sink.mask[1:], 0)
        for i in range(BLOCK_BYTES):
            byte = count[8 * i : 8 * i + 8]
            self.comb += If(following[i], byte.eq(0xFF)).Else(byte.eq(last_byte & Replicate(sink.mask[i], 8)))
