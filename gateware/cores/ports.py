# SPDX-License-Identifier: BSD-2-Clause
"""Describes a core for the modules that write its files: the Migen module, its ports, and the test benches' steps."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from migen import ClockDomain, Module, Signal

IN, OUT = "in", "out"


@dataclass(frozen=True)
class Port:
    """A port of a generated module.

    Attributes
    ----------
    name : str
        Its name in Verilog and VHDL.
    signal : Signal
        Its signal in the Migen module.
    direction : str
        `IN` or `OUT`.
    text : str
        What it carries, for the page and for a comment.
    """

    name: str
    signal: Signal
    direction: str
    text: str

    @property
    def width(self) -> int:
        """Return the width of the port in bits."""
        return len(self.signal)


@dataclass(frozen=True)
class Stream:
    """A stream of items. An item is transferred at each clock edge at which the ports valid and ready are both 1.

    Attributes
    ----------
    name : str
        Its name in checks.
    direction : str
        `IN` or `OUT`.
    prefix : str
        Beginning of the names of its ports.
    fields : dict
        Name of each field in checks, with its port.
    axi : bool
        The ports follow AXI4-Stream.
    """

    name: str
    direction: str
    prefix: str
    fields: dict[str, Port]
    axi: bool = False

    @property
    def valid(self) -> str:
        """Return the name of the port `valid`."""
        return self.prefix + ("_tvalid" if self.axi else "_valid")

    @property
    def ready(self) -> str:
        """Return the name of the port `ready`."""
        return self.prefix + ("_tready" if self.axi else "_ready")

    @property
    def width(self) -> int:
        """Return the number of bits of an item, without padding."""
        return sum(port.width for port in self.fields.values())

    def item(self, values: dict[str, int]) -> int:
        """Return the fields of an item as one number, with the first field in the lowest bits. Missing fields are 0."""
        unknown = set(values) - set(self.fields)
        if unknown:
            raise KeyError(f"stream {self.name} has no field {', '.join(sorted(unknown))}")
        total, place = 0, 0
        for name, port in self.fields.items():
            total |= (values.get(name, 0) & (1 << port.width) - 1) << place
            place += port.width
        return total


@dataclass(frozen=True)
class Registers:
    """Describes the ports of the bus to which the core's registers are connected.

    Attributes
    ----------
    prefix : str
        Beginning of the names of its ports.
    axi : bool
        AXI4-Lite; otherwise Wishbone, whose address is the number of a register.
    """

    prefix: str
    axi: bool


@dataclass(frozen=True)
class Memory:
    """A memory with words of 128 bits. The test benches connect it to the core's bus master.

    Attributes
    ----------
    prefix : str
        Beginning of the names of the master's ports.
    axi : bool
        AXI4-Lite; otherwise Wishbone.
    origin, words : int
        Address of its first byte, and its size.
    """

    prefix: str
    axi: bool
    origin: int
    words: int


@dataclass(frozen=True)
class Phase:
    """A step of a test bench. It sets inputs, sends items, checks the core's output, and waits for an output's value.

    Attributes
    ----------
    text : str
        What the step does, as a comment.
    levels : dict
        Values of input ports from this step on.
    sends, expects : dict
        Items for each stream, as dictionaries of fields.
    until : tuple or None
        Output port, mask and value to wait for at the end.
    accesses : list of tuple
        Accesses to registers, in order: ``("write", offset, value)``, or ``("wait", offset, mask, value)``, which reads
        until the masked value is there; ``("fill", word, value)`` and ``("compare", word, value)`` for the memory.
    latency : tuple or None
        Input stream, output stream and cycles from the last item taken to the first item offered.
    """

    text: str
    levels: dict[str, int] = field(default_factory=dict)
    sends: dict[str, list[dict[str, int]]] = field(default_factory=dict)
    expects: dict[str, list[dict[str, int]]] = field(default_factory=dict)
    until: tuple[str, int, int] | None = None
    accesses: list[tuple] = field(default_factory=list)
    latency: tuple[str, str, int] | None = None


class Design(Module):
    """A core: a Migen module, with the ports of its Verilog module and the steps of its test benches.

    Attributes
    ----------
    ports : list of Port
        In the order of the file, the clock and the reset first.
    streams : list of Stream
    registers : Registers or None
        The ports of a bus, if the core has registers.
    memory : Memory or None
        The memory that the checks need.
    phases : list of Phase
        The checks of the test benches.
    """

    def __init__(self, *, clock: str = "clk", reset: str = "rst"):
        self.clock_domains.cd_sys = ClockDomain("sys")
        self.clock, self.reset = clock, reset
        self.ports = [
            Port(clock, self.cd_sys.clk, IN, "Clock; everything happens at its rising edge."),
            Port(reset, self.cd_sys.rst, IN, "Synchronous reset, 1 for at least one clock edge after power-on."),
        ]
        self.streams: list[Stream] = []
        self.registers: Registers | None = None
        self.memory: Memory | None = None
        self.phases: list[Phase] = []

    def add(self, name: str, signal: Signal, direction: str, text: str) -> Port:
        """Add a port and return it."""
        port = Port(name, signal, direction, text)
        self.ports.append(port)
        return port

    def add_stream(
        self, name: str, endpoint, direction: str, text: str, fields: dict, *, prefix: str | None = None
    ) -> Stream:
        """Add the ports of a stream: valid, ready and a port for each field.

        `fields` gives the signal and the text of each field. Fields of constant value are left out by the caller.
        """
        prefix = prefix or name
        opposite = OUT if direction == IN else IN
        self.add(f"{prefix}_valid", endpoint.valid, direction, text)
        self.add(f"{prefix}_ready", endpoint.ready, opposite, f"The {'core' if direction == IN else 'user'} takes it.")
        ports = {
            field: self.add(f"{prefix}_{field}", signal, direction, words) for field, (signal, words) in fields.items()
        }
        stream = Stream(name, direction, prefix, ports)
        self.streams.append(stream)
        return stream

    def inputs(self) -> Iterator[Port]:
        """Yield the input ports of the core, except clock and reset."""
        yield from (port for port in self.ports[2:] if port.direction == IN)

    def outputs(self) -> Iterator[Port]:
        """Yield the output ports of the core."""
        yield from (port for port in self.ports if port.direction == OUT)
