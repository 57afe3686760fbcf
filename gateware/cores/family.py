# SPDX-License-Identifier: BSD-2-Clause
"""Options, key ports and test steps that are common to all kinds of cores that contain an AES core."""

from typing import Any

from ..aes.cores import DATAPATHS, ENGINES, PIPELINED, create_core
from ..aes.standard import KEY_LENGTHS as CODES
from ..aes.sub_bytes import IMPLEMENTATIONS, check_implementation
from . import vectors
from .options import KEY_LENGTHS, Option, OptionError, Range, Several
from .ports import IN, OUT, Design, Phase

DATAPATH = Option("datapath", "bits that the core processes each cycle, or all rounds at once", DATAPATHS, 128)
SBOX = Option("sbox", "S-box; `ecp5`, `onehot_ecp5` and `tower_cut_ecp5` need an ECP5", tuple(IMPLEMENTATIONS), "table")
CORE_ENGINES = Option("engines", "ciphers that share the keys and take blocks in turn", ENGINES, 1)
LENGTHS = Several("key_lengths", "key lengths in bits", KEY_LENGTHS, KEY_LENGTHS)
STAGES = Range("stages", "registers in a round of the pipelined core; 0: as many as the S-box allows", (0, 4), 0)


def slots_option(default: int, most: int = 32) -> Range:
    """Return the option for the number of keys."""
    return Range("slots", "keys that the core holds", (1, most), default)


def check(values: dict[str, Any]) -> None:
    """Check that the options of an AES core are compatible with each other.

    Raises
    ------
    OptionError
        They do not go together.
    """
    if values["datapath"] == PIPELINED:
        if values["engines"] != 1:
            raise OptionError(
                f"engines={values['engines']}: the pipelined core takes a block a cycle; the nearest is 1"
            )
        most = IMPLEMENTATIONS[values["sbox"]]
        if values.get("stages", 0) > most:
            raise OptionError(
                f"stages={values['stages']}: S-box {values['sbox']} takes 1 to {most}; the nearest is {most}"
            )
    elif values.get("stages", 0):
        raise OptionError(f"stages={values['stages']}: only datapath=pipelined has stages; the nearest is 0")
    check_implementation(values["sbox"])


def core(values: dict[str, Any]):
    """Return the AES core for these options."""
    names = ("datapath", "sbox", "slots", "key_lengths", "engines")
    return create_core(stages=values.get("stages") or None, **{name: values[name] for name in names})


def stages(values: dict[str, Any]) -> int:
    """Return the number of pipeline registers in each round of the pipelined core."""
    return values.get("stages") or IMPLEMENTATIONS[values["sbox"]]


def block_cycles(values: dict[str, Any], bits: int) -> int:
    """Return the clock cycles that one engine takes for a block under a key of `bits` bits."""
    return 1 if values["datapath"] == PIPELINED else 128 // values["datapath"] * (bits // 32 + 6)


def latency(values: dict[str, Any], bits: int) -> int:
    """Return the clock cycles from the acceptance of a block to its result, under a key of `bits` bits."""
    if values["datapath"] == PIPELINED:
        return stages(values) * (max(values["key_lengths"]) // 32 + 6) + 5
    return 128 // values["datapath"] * (bits // 32 + 7) + 4


def latency_rows(values: dict[str, Any]) -> list[tuple[str, str]]:
    """Return rows of the README's latency table: the latency of a block, and the cycles from one block to the next."""
    rows = []
    for bits in values["key_lengths"]:
        cycles, engines = block_cycles(values, bits), values["engines"]
        every = f"{cycles}" if engines == 1 else f"{cycles} in each of {engines} engines"
        rows.append((f"AES-{bits}: block accepted to result offered", str(latency(values, bits))))
        rows.append((f"AES-{bits}: from block to block", every))
    return rows


def add_keys(design: Design, keys, values: dict[str, Any], *, prefix: str, axi: bool = False) -> None:
    """Add the ports that load and zeroize keys.

    `keys` has `key`, a stream of words, and `key_slot`, `key_length`, `key_valid`, `clear`, `clear_slot`, `key_busy`.
    """
    text = "A word of a key is offered, first word first. The slot and the length are sampled with the first word."
    valid, ready, word = ("tvalid", "tready", "tdata") if axi else ("valid", "ready", "word")
    design.add(f"{prefix}_{valid}", keys.key.valid, IN, text)
    design.add(f"{prefix}_{ready}", keys.key.ready, OUT, "The core takes the word.")
    design.add(f"{prefix}_{word}", keys.key.word, IN, "Four bytes of the key, the first one in bits 7:0.")
    if values["slots"] > 1:
        design.add("key_slot", keys.key_slot, IN, "Slot of the key that is loaded or zeroized.")
    design.add("key_length", keys.key_length, IN, "Length of the key: 0 is 128 bits, 1 is 192, 2 is 256.")
    design.add("key_loaded", keys.key_valid, OUT, "Bit n: slot n holds a key.")
    design.add("key_busy", keys.key_busy, OUT, "A key is being expanded or zeroized.")
    design.add("clear_slot", keys.clear_slot, IN, "Pulse: zeroize the key in `key_slot`.")
    design.add("clear", keys.clear, IN, "Pulse: zeroize all keys and drop all blocks.")


def load(values: dict[str, Any], key: bytes, slot: int) -> Phase:
    """Return the test step that loads a key into a slot."""
    bits = 8 * len(key)
    levels = {"key_length": CODES[bits]} | ({"key_slot": slot} if values["slots"] > 1 else {})
    return Phase(
        f"Load a key of {bits} bits into slot {slot}.",
        levels,
        {"key": [{"word": word} for word in vectors.words(key)]},
        until=("key_loaded", 1 << slot, 1 << slot),
    )


def wave_of_key(words: int, prefix: str, word: str = "word") -> tuple[str, dict]:
    """Return the title and the timing diagram of loading a key."""
    names = [
        f"{prefix}_{part}" for part in (("tvalid", "tready", "tdata") if word == "tdata" else ("valid", "ready", word))
    ]
    signal = [
        {"name": "clk", "wave": "p" + "." * (words + 4)},
        {"name": "key_length", "wave": "x3" + "." * (words - 1) + "x" + "." * 3, "data": ["0: 128 bits"]},
        {"name": names[0], "wave": "01" + "." * (words - 1) + "0" + "..."},
        {"name": names[1], "wave": "1" + "." * (words + 4)},
        {"name": names[2], "wave": "x" + "4" * words + "x" + "...", "data": [f"word {n}" for n in range(words)]},
        {"name": "key_busy", "wave": "0.1" + "." * (words - 1) + "|0."},
        {"name": "key_loaded[0]", "wave": "0" + "." * (words + 1) + "|1."},
    ]
    return "Loading a key", {"signal": signal}
