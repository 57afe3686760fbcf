# SPDX-License-Identifier: BSD-2-Clause
"""Draw timing diagrams, which show the signals of a handshake cycle by cycle. Migen simulates the handshakes, and
WaveDrom draws the diagrams.
"""

import json
from collections.abc import Generator, Iterable

import wavedrom
from migen import Module, passive, run_simulation

from gateware.aes.standard import KEY_LENGTH_128
from gateware.ctr.client import Client
from gateware.ctr.service import create_service
from gateware.isa.instructions import BY_NAME
from gateware.isa.vector_unit import VectorAESUnit

_BACKGROUND = (  # on a dark page, the browser inverts all colours of the picture
    "<style>@media (prefers-color-scheme: dark) { svg { filter: invert(1) hue-rotate(180deg); } }</style>"
    '<rect width="100%" height="100%" fill="white"/>'
)
# Instructions in the diagram of the CFU port. The first and the second instruction are independent of each other. The
# third instruction reads register v1, which the second instruction writes.
_INSTRUCTIONS = (
    ("round_enc v0", "round_enc", {"k": 1, "s": 0}),
    ("round_enc v1", "round_enc", {"k": 1, "s": 1}),
    ("round_enc v1", "round_enc", {"k": 2, "s": 1}),
    ("status", "status", {}),
)


def instructions() -> str:
    """Return a timing diagram of the CFU port as SVG. It shows two independent AES round instructions, an instruction
    that depends on one of them, and an instruction that returns a result.
    """
    unit = VectorAESUnit(memory=(0x4000_0000, 4096))
    labels = []

    def program() -> Generator:
        yield unit.rsp_ready.eq(1)
        yield
        for label, name, operands in _INSTRUCTIONS:
            labels.append(label)
            yield unit.cmd_valid.eq(1)
            yield unit.cmd_function_id.eq(BY_NAME[name].function_id(**operands))
            yield
            while not (yield unit.cmd_ready):
                yield
        yield unit.cmd_valid.eq(0)
        for _ in range(4):
            yield

    traces = _trace(unit, program(), [unit.cmd_valid, unit.cmd_ready, unit.rsp_valid, unit.rsp_output])
    valid, ready, answered, output = traces
    rows = [_bits("cmd_valid", valid), _bits("cmd_ready", ready)]
    rows.append(_values("instruction", valid, [a and b for a, b in zip(valid, ready, strict=True)], labels))
    rows.append(_bits("rsp_valid", answered))
    answers = [f"{value:#x}" if value else "0" for value, there in zip(output, answered, strict=True) if there]
    rows.append(_values("rsp_output", answered, answered, answers))
    return _draw("CFU port of the vector AES unit", rows, scale=3)


def keystream() -> str:
    """Return a timing diagram as SVG: a request to the CTR service, and the two keystream blocks that answer it."""
    service = create_service([Client(slots=1, share=1, count_bits=8, waits=False)])
    (port,) = service.ports
    request, blocks, keys = port.request, port.keystream, port.keys

    def program() -> Generator:
        while not (yield keys.ready):
            yield
        for index in range(4):
            yield keys.write.eq(1)
            yield keys.index.eq(index)
            yield keys.word.eq(0x0302_0100 + 0x0404_0404 * index)
            yield
        yield keys.write.eq(0)
        yield keys.length.eq(KEY_LENGTH_128)
        yield keys.load.eq(1)
        yield
        yield keys.load.eq(0)
        while not (yield keys.usable):
            yield
        yield blocks.ready.eq(1)
        yield request.valid.eq(1)
        yield request.count.eq(2)
        yield
        while not (yield request.ready):
            yield
        yield request.valid.eq(0)
        for _ in range(30):
            yield

    signals = [request.valid, request.ready, blocks.valid, blocks.ready]
    traces = _trace(service, program(), signals)
    first = traces[0].index(1) - 1
    asked, taken, answered, ready = (trace[first:] for trace in traces)
    rows = [_bits("request.valid", asked), _bits("request.ready", taken)]
    rows += [_bits("keystream.valid", answered), _bits("keystream.ready", ready)]
    rows.append(_values("keystream.data", answered, answered, ["0", "1"]))
    return _draw("CTR service: a request for two blocks, AES-128, 128-bit core", rows, scale=1)


def _trace(module: Module, program: Generator, signals: list) -> list[tuple[int, ...]]:
    """Simulate a module while the generator `program` drives it. Return the values of each signal, one per cycle."""
    seen: list[list[int]] = []

    @passive
    def watch() -> Generator:
        while True:
            row = []
            for signal in signals:
                row.append((yield signal))
            seen.append(row)
            yield

    run_simulation(module, [program, watch()])
    return list(zip(*seen, strict=True))


def _bits(name: str, values: Iterable[int]) -> dict[str, str]:
    wave, before = "", None
    for value in values:
        wave += "." if value == before else str(int(value))
        before = value
    return {"name": name, "wave": wave}


def _values(name: str, there: Iterable[int], ends: Iterable[int], labels: list[str]) -> dict:
    """Return a row of the diagram that shows the values of a stream, with a label for each value. A value begins in the
    first cycle in which the sender offers the value, and ends in the cycle in which the receiver accepts the value.
    """
    wave, state = "", ""
    for present, end in zip(there, ends, strict=True):
        wave += "." if present and state == "held" else "=" if present else "." if state == "none" else "x"
        state = "none" if not present else "" if end else "held"
    return {"name": name, "wave": wave, "data": labels}


def _draw(title: str, rows: list[dict], *, scale: int) -> str:
    """Return a timing diagram with the given rows as SVG. Each cycle is `scale` times 40 SVG units wide."""
    clock = {"name": "clk", "wave": "p" + "." * (len(rows[0]["wave"]) - 1)}
    drawing = wavedrom.render(
        json.dumps({"signal": [clock, *rows], "head": {"text": title}, "config": {"hscale": scale}})
    )
    head, end, rest = drawing.tostring().partition(">")
    return f"{head}{end}<title>{title}</title>{_BACKGROUND}{rest}" + "\n"
