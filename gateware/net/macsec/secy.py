# SPDX-License-Identifier: BSD-2-Clause
"""The MACsec unit (SecY): both directions, their associations, and the counters (IEEE 802.1AE-2018, clause 10).

A SecY has one peer. Each direction holds four associations, and the standard lets two of them be in use. Each direction
is a client of a CTR service, with a key slot for each association. It has a GHASH of its own.
"""

from litex.soc.interconnect import stream
from migen import If, Module, Signal

from ...ctr.client import Client, Port
from ...gcm.ghash import CYCLES
from ..event_counters import EventCounters
from . import ASSOCIATIONS
from .associations import INSTALL_LAYOUT
from .receive import Receive
from .sectag import SCI_BITS
from .transmit import Transmit

# Width in bits of a count of keystream blocks. A frame needs the blocks of its data, and one block for its tag.
COUNT_BITS = 8
# Each direction's share of the AES core, equal to the share of the fast path. The accelerator has a share of only 1, so
# that the accelerator cannot slow frames down.
SHARE = 3


def clients() -> list[Client]:
    """Return the parameters of a SecY's two clients in a CTR service: one to transmit, one to receive.

    `zeroize` reaches most registers of the SecY, so it comes from a register (`late_flush`).
    """
    return [Client(slots=ASSOCIATIONS, count_bits=COUNT_BITS, share=SHARE, waits=False, late_flush=True)] * 2


class SecY(Module):
    """Protects the frames between an Ethernet MAC and its users with MACsec.

    Parameters
    ----------
    transmit_port, receive_port : Port
        Ports of a CTR service, see `clients`.
    rows : int
        Rows of 16 bytes of each direction's buffer, a power of two.
    cycles : int
        Cycles of a product of GHASH.
    portable : bool
        See `gateware.gcm.ghash.GHASH`.

    Attributes
    ----------
    transmit, receive : Transmit, Receive
        With their streams and settings.
    sci, peer_sci : Signal(64), in
        Own SCI, and the peer's, in wire order. Change them only before keys are installed.
    install : stream.Endpoint, see `INSTALL_LAYOUT`, with receive(1), in
        Words of keys for one direction.
    clear : Signal(), in
        Pulse: zeroize all keys, drop all frames, and zeroize both buffers.
    busy : Signal(), out
        A key is being installed or zeroized, or a buffer is being zeroized.
    select, count : Signal(5), Signal(32), in and out
        Counter to read, a `Counter`; its value one cycle later.
    """

    def __init__(
        self,
        *,
        transmit_port: Port,
        receive_port: Port,
        rows: int = 512,
        cycles: int = CYCLES[2],
        portable: bool = True,
    ):
        common = {"rows": rows, "cycles": cycles, "portable": portable}
        self.submodules.transmit = transmit = Transmit(port=transmit_port, **common)
        self.submodules.receive = receive = Receive(port=receive_port, **common)
        self.submodules.counters = counters = EventCounters(sources=4)
        self.sci = Signal(SCI_BITS)
        self.peer_sci = Signal(SCI_BITS)
        self.install = install = stream.Endpoint([*INSTALL_LAYOUT, ("receive", 1)])
        self.clear = Signal()
        self.busy = Signal()
        self.select, self.count = counters.select, counters.value

        # # #

        sides = (transmit.associations, receive.associations)
        for n, side in enumerate(sides):
            self.comb += [
                install.connect(side.install, omit={"valid", "ready", "receive"}),
                side.install.valid.eq(install.valid & (install.receive == n)),
                If(install.receive == n, install.ready.eq(side.install.ready)),
                side.clear.eq(self.clear),
            ]
        self.comb += [
            transmit.associations.sci.eq(self.sci),
            transmit.path.sci.eq(self.sci),
            receive.associations.sci.eq(self.peer_sci),
            self.busy.eq(sides[0].busy | sides[1].busy | transmit.busy | receive.busy),
            *[
                event.connect(sink)
                for event, sink in zip([*transmit.events, *receive.events], counters.sinks, strict=True)
            ],
        ]
