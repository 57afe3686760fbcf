# SPDX-License-Identifier: BSD-2-Clause
"""Define what `make bench` measures. Each function measures one property of a program and yields JSON records."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from gateware.flow.cache import Stamp, digest
from lab.bench import peers
from lab.bench.board import BLOCK, BUILD, CONTEXTS, GCM, BenchBoard, Family, Interleaved, Measurement

Record = dict[str, Any]
TOTAL_BYTES = 256 * 1024
# Bytes that one pass processes in place. 32 KB is eight times the size of the data cache; 2 KB fit in the data cache.
WORKING_SETS = {"buffer": 32 * 1024, "buffer, cached": 2 * 1024}
# Bytes that one pass processes with an engine in plain C. The simulation of these engines is slow. Their cost per block
# is constant, so 2 KB are enough.
C_BYTES = 2 * 1024
# Bytes in a call: the sizes that `openssl speed` uses, and two larger sizes. A comparison of small and large sizes
# shows the fixed cost of a call.
RECORD_SIZES = (16, 64, 256, 1024, 8192, 16384, 32768, 65536)
BUFFER_BYTES = 64 * 1024
SEEDS = range(1, 17)


def measured(family: Family, questions: Iterable[Callable[[BenchBoard], Iterator[Record]]]) -> list[Record]:
    """Return the stored results of a program. Measure and store them first if they are missing, or if the gateware, the
    program or the measuring code has changed.

    Raises
    ------
    WrongAnswerError
        The board reports an error, or its data differ from the library's.
    """
    board = BenchBoard(family)
    kept = BUILD / family.name / "records.json"
    modules = {measured.__module__, Family.__module__, *(question.__module__ for question in questions)}
    sources = {Path(str(sys.modules[name].__file__)) for name in modules}
    stamp = Stamp(kept.with_suffix(".digest"), digest(sources, board.contents))
    if not stamp.is_current():
        stamp.clear()
        print(f"measuring {family.name}", file=sys.stderr, flush=True)
        with board:
            kept.write_text(json.dumps([record for question in questions for record in question(board)]) + "\n")
        stamp.set()
    return json.loads(kept.read_text())


def symbol_sizes(elf: Path) -> dict[str, int]:
    """Return the size in bytes of each symbol of a program. The key "peer" maps to the total size of all symbols that
    come from an external library.
    """
    output = subprocess.run(
        ["riscv64-unknown-elf-nm", "-S", "-l", str(elf)], capture_output=True, text=True, check=True, timeout=60
    ).stdout
    sizes = {"peer": 0}
    for symbol, _, source in (line.partition("\t") for line in output.splitlines()):
        fields = symbol.split()
        if len(fields) == 4:
            sizes[fields[3]] = int(fields[1], 16)
            sizes["peer"] += sizes[fields[3]] if str(peers.BUILD) in source else 0
    return sizes


def _code_bytes(sizes: dict[str, int], engine: str, mode: str, direction: str, key_bits: int) -> int | None:
    """Return the code size of the measured function in bytes. For CTR on the vector unit, one function serves all key
    lengths.

    For a peer, count everything that the program takes from the library, tables included.
    """
    if sizes["peer"]:
        return sizes["peer"]
    names = (f"{engine}_{mode}_{direction}_{key_bits}", f"{mode}_{direction}", f"{engine}_{mode}", f"{mode}_encrypt")
    return next((sizes[name] for name in names if name in sizes), None)


def record(board: BenchBoard, measure: str, mode: str, decrypt: bool, key_bits: int, **values: Any) -> Record:
    """Return a record: fields that describe the measurement, and the measured values in `values`."""
    return {
        "measure": measure,
        "engine": board.family.engine,
        "style": board.family.style,
        "mode": mode,
        "direction": "decrypt" if decrypt else "encrypt",
        "key_bits": key_bits,
        "kind": "sim",
        "clock_hz": board.clock_hz,
        "clock_met_by": board.clock_met_by,
        **values,
    }


def rates(cycles: int, size: int) -> Record:
    """Return fields of a record: the throughput of a measurement that processed `size` bytes in `cycles` cycles."""
    return {
        "bytes": size,
        "cycles": cycles,
        "cycles_per_block": round(cycles * BLOCK / size, 3),
        "bits_per_cycle": round(8 * size / cycles, 4),
    }


def _directions(mode: str) -> tuple[bool, ...]:
    """Return the directions to measure: True means decryption, False means encryption. GCM is measured only in
    encryption: to decrypt, a pass would need the correct tag in advance.
    """
    return (False,) if mode == GCM else (False, True)


def throughput(board: BenchBoard) -> Iterator[Record]:
    """Measure the speed of every mode, direction and key length. The time of the key schedule is not counted."""
    sizes = symbol_sizes(board.elf)
    vector = board.family.engine.startswith("ise")
    working_sets = WORKING_SETS if vector else {"buffer, cached": C_BYTES}
    for mode in board.family.modes:
        for decrypt in _directions(mode):
            for key_bits in board.family.key_bits:
                for memory, working_set in working_sets.items():
                    passes = TOTAL_BYTES // working_set if vector else 2
                    result = board.measure(mode, decrypt=decrypt, key_bits=key_bits, size=working_set, passes=passes)
                    yield record(
                        board,
                        "throughput",
                        mode,
                        decrypt,
                        key_bits,
                        **rates(result.cycles if vector else result.shortest, working_set * (passes if vector else 1)),
                        memory=memory,
                        working_set=working_set,
                        key_cycles=result.key_cycles,
                        code_bytes=_code_bytes(
                            sizes, board.family.engine, mode, "decrypt" if decrypt else "encrypt", key_bits
                        ),
                    )


def isolated_block(board: BenchBoard) -> Iterator[Record]:
    """Measure calls of one block each. The first call warms the caches; record the fastest of the next four calls."""
    for mode in board.family.modes:
        for key_bits in board.family.key_bits:
            result = board.measure(mode, key_bits=key_bits, size=BLOCK, passes=5)
            found = rates(result.shortest, BLOCK)
            yield record(board, "isolated block", mode, False, key_bits, **found, memory="buffer, cached")


def record_sizes(board: BenchBoard) -> Iterator[Record]:
    """Measure CTR in place, in calls from 16 bytes to the whole buffer memory.

    Caches stay as the previous call left them.
    """
    for size in RECORD_SIZES:
        if size <= BUFFER_BYTES:
            result = board.measure("ctr", size=size, passes=3)
            yield record(board, "record size", "ctr", False, 128, **rates(result.shortest, size), memory="buffer")


def contexts(board: BenchBoard) -> Iterator[Record]:
    """Measure CTR with 1 to 8 keys. The keys take turns, and each turn processes 1 KB. Measure first with one context
    (register bank) of the vector unit for each key. Then measure with one context for all keys, which must load another
    key in each turn.
    """
    turns, size = 8, 1024
    for shared in (False, True):
        for count in range(1, CONTEXTS + 1):
            result: Interleaved = board.interleave(count, shared=shared, size=size, passes=turns + 1)
            yield record(
                board,
                "one context for all keys" if shared else "contexts",
                "ctr",
                False,
                128,
                **rates(result.total, count * turns * size),
                memory="buffer",
                contexts=count,
                fairness=round(min(result.contexts) / max(result.contexts), 4),
            )


def constant_time(board: BenchBoard) -> Iterator[Record]:
    """Measure the cycles for 2 KB with 16 random pairs of key and data. In constant-time code, all 16 cycle counts are
    equal. A cycle count is the time of the last of eight passes over the data.
    """
    for mode in board.family.modes:
        for decrypt in _directions(mode):
            for key_bits in board.family.key_bits:
                counts = set()
                for seed in SEEDS:
                    result: Measurement = board.measure(
                        mode, decrypt=decrypt, key_bits=key_bits, size=2048, passes=8, seed=seed
                    )
                    counts.add(result.last)
                yield record(
                    board,
                    "constant time",
                    mode,
                    decrypt,
                    key_bits,
                    **rates(max(counts), 2048),
                    memory="buffer, cached",
                    seeds=len(SEEDS),
                    cycle_counts=sorted(counts),
                )
