# SPDX-License-Identifier: BSD-2-Clause
"""The kind `cfu`: the vector AES unit as a module `Cfu`. LiteX's ``--cpu-cfu`` connects it to VexRiscv (`full+cfu`).

::

    VexRiscv ─► cmd ─► CommandRegister ─► VectorAESUnit ─► rsp
                                               └─► memory port, if the options name a region
"""

from typing import Any

from ..aes.column_sbox import IMPLEMENTATIONS
from ..aes.field import SBOX
from ..codegen import isa
from ..isa.command import CommandRegister
from ..isa.instructions import BY_NAME
from ..isa.vector_unit import UNIT_VERSION, VectorAESUnit
from . import vectors
from .kinds import Kind, Text
from .options import Option, Region
from .ports import IN, OUT, Design, Phase, Stream

NO_MEMORY = (0, 32)  # region for a core without a memory port: each access to it fails with a bus error
OPTIONS = (
    Option("sbox", "S-boxes of the four lanes; names with `ecp5` need an ECP5", tuple(IMPLEMENTATIONS), "table"),
    Region("memory", "memory of vector loads and stores, on a Wishbone port of its own", ("none",), None),
    Option("bus", "the port to the CPU", ("cfu",), "cfu"),
)

PROGRAM = """/* SPDX-License-Identifier: BSD-2-Clause */
/* AES-128 of one block (FIPS-197) by the instructions of the Cfu, on a little-endian RISC-V CPU. */
#include <stdint.h>

#include "cl_isa.h"

/* The next round key: one instruction for SubWord, RotWord and Rcon, three XORs, and two writes into k[n]. */
#define NEXT_KEY(n, rcon) \\
	(w0 = CL_ISA_SUB_ROT_WORD(w3, w0 ^ (rcon)), w1 ^= w0, w2 ^= w1, w3 ^= w2); \\
	CL_ISA_KEY_WRITE(0, n, w0, w1); \\
	CL_ISA_KEY_WRITE(1, n, w2, w3)

void aes128_set_key(const uint32_t key[4])
{
	uint32_t w0 = key[0], w1 = key[1], w2 = key[2], w3 = key[3];

	__asm__ volatile("csrs 0xbc0, %0" : : "r"(1u << 31)); /* enables the instructions */
	CL_ISA_KEY_WRITE(0, 0, w0, w1);
	CL_ISA_KEY_WRITE(1, 0, w2, w3);
	NEXT_KEY(1, 0x01); NEXT_KEY(2, 0x02); NEXT_KEY(3, 0x04); NEXT_KEY(4, 0x08); NEXT_KEY(5, 0x10);
	NEXT_KEY(6, 0x20); NEXT_KEY(7, 0x40); NEXT_KEY(8, 0x80); NEXT_KEY(9, 0x1b); NEXT_KEY(10, 0x36);
}

void aes128_encrypt(const uint32_t in[4], uint32_t out[4])
{
	CL_ISA_MOVE_IN(0, 0, in[0], in[1]);
	CL_ISA_MOVE_IN(1, 0, in[2], in[3]);
	CL_ISA_ROUND_XOR(0, 0);
	CL_ISA_ROUND_ENC(1, 0); CL_ISA_ROUND_ENC(2, 0); CL_ISA_ROUND_ENC(3, 0);
	CL_ISA_ROUND_ENC(4, 0); CL_ISA_ROUND_ENC(5, 0); CL_ISA_ROUND_ENC(6, 0);
	CL_ISA_ROUND_ENC(7, 0); CL_ISA_ROUND_ENC(8, 0); CL_ISA_ROUND_ENC(9, 0);
	CL_ISA_LAST_ENC(CL_ISA_LAST_K10, 0);
	out[0] = CL_ISA_MOVE_OUT_XOR(0, 0, 0);
	out[1] = CL_ISA_MOVE_OUT_XOR(1, 0, 0);
	out[2] = CL_ISA_MOVE_OUT_XOR(2, 0, 0);
	out[3] = CL_ISA_MOVE_OUT_XOR(3, 0, 0);
}
"""

_USE = """Give the file to LiteX. Every target and `litex_sim` take these options:

```
python -m litex_boards.targets.YOUR_BOARD --cpu-type=vexriscv --cpu-variant=full+cfu --cpu-cfu=Cfu.v
```

`cl_isa.h` has one macro for each instruction, and `aes_cfu.c` encrypts a block with them. Compile with `-I` of this
folder. Set bit 31 of CSR 0xBC0 first: without it the instructions are illegal. VexRiscv uses the other bits of that
CSR as its interrupt mask, so change it by `csrs` and `csrc` only.

In [the instructions]({instructions}), registers `v0` to `v7` hold blocks, and `k0` to `k15` hold round keys. All
registers exist once in each of eight contexts.

{memory}

**Context switch.** An operating system must not let two threads use one context. There are three ways:

- Give each thread that uses the unit a context of its own, and execute `context` at a switch. It is one instruction,
  and nothing is copied. Zeroize a context before another thread gets it: `key_write` and `move_in` with zeros.
- Save the registers: 8 blocks by `move_out_xor`, 16 round keys by `key_read`, and the number by `context`. Restore them
  by `move_in`, `key_write` and `context`. Everything that the instructions leave in the unit can be read back.
- Allow one thread, or use the unit with interrupts locked.

The Zephyr module does the first: `firmware/zephyr/src/contexts.c`, tested by `firmware/zephyr/tests/contexts`.

**Byte order.** A block is four words, in the order of little-endian memory; byte i is bits 8i+7 to 8i of all four. In
FIPS-197, C.1, the plaintext 00112233...ff is the words 0x33221100, 0x77665544, 0xbbaa9988 and 0xffeeddcc. The
ciphertext is 0xd8e0c469, 0x30047b6a, 0x80b7cdd8 and 0x5ac5b470, in memory 69c4e0d8...5a.
"""
_MEMORY = """Vector loads and stores reach {size} bytes from {origin:#x} through the port `mem`, Wishbone with words of
128 bits. The port bypasses the CPU's data cache."""
_NO_MEMORY = (
    """This member has no memory port: vector loads and stores end with a fault, which `memory_status` reports."""
)
_WISHBONE = {
    "adr": "Address, in words of 128 bits.",
    "dat_w": "Data to write.",
    "dat_r": "Data read.",
    "sel": "Bytes; all ones.",
    "cyc": "A cycle is under way.",
    "stb": "An access is requested.",
    "ack": "The access has ended.",
    "we": "The access writes.",
    "err": "The access has failed.",
}


def create(values: dict[str, Any]) -> Design:
    """Return the module `Cfu` with its ports."""
    design = Design(clock="clk", reset="reset")
    memory = values["memory"]
    design.submodules.unit = unit = VectorAESUnit(memory=memory or NO_MEMORY, sbox=values["sbox"])
    design.submodules.command = command = CommandRegister()
    sink, source = command.sink, command.source
    design.comb += [
        unit.cmd_valid.eq(source.valid),
        source.ready.eq(unit.cmd_ready),
        unit.cmd_function_id.eq(source.function_id),
        unit.cmd_inputs[0].eq(source.input0),
        unit.cmd_inputs[1].eq(source.input1),
    ]
    add = design.add
    add("cmd_valid", sink.valid, IN, "An instruction is offered.")
    add("cmd_ready", sink.ready, OUT, "The unit takes the instruction. It is 1 while `cmd_valid` is 0.")
    fields = {
        "function_id": add("cmd_payload_function_id", sink.function_id, IN, "`funct7 << 3 | funct3`."),
        "rs1": add("cmd_payload_inputs_0", sink.input0, IN, "The value of rs1."),
        "rs2": add("cmd_payload_inputs_1", sink.input1, IN, "The value of rs2."),
    }
    add("rsp_valid", unit.rsp_valid, OUT, "A result is offered, one for each instruction, in order.")
    add("rsp_ready", unit.rsp_ready, IN, "The CPU takes the result.")
    results = {"rd": add("rsp_payload_outputs_0", unit.rsp_output, OUT, "The value for rd; 0 if there is none.")}
    if memory:
        for name, text in _WISHBONE.items():
            add(f"mem_{name}", getattr(unit.bus, name), IN if name in ("dat_r", "ack", "err") else OUT, text)
    else:
        design.comb += unit.bus.err.eq(unit.bus.cyc & unit.bus.stb)
    design.streams = [Stream("cmd", IN, "cmd", fields), Stream("rsp", OUT, "rsp", results)]
    design.phases = phases()
    return design


def _instruction(name: str, rs1: int = 0, rs2: int = 0, **operands: int) -> dict[str, int]:
    return {"function_id": BY_NAME[name].function_id(**operands), "rs1": rs1, "rs2": rs2}


def round_keys(key: bytes) -> list[list[int]]:
    """Return the round keys of AES-128 as words (FIPS-197, 5.2)."""
    found = [vectors.words(key)]
    rcon = 1
    for _ in range(10):
        w0, w1, w2, w3 = found[-1]
        rotated = w3 >> 8 | (w3 & 0xFF) << 24
        w0 ^= sum(SBOX[rotated >> 8 * n & 0xFF] << 8 * n for n in range(4)) ^ rcon
        found.append([w0, w1 ^ w0, w2 ^ w1 ^ w0, w3 ^ w2 ^ w1 ^ w0])
        rcon = rcon << 1 ^ (0x11B if rcon & 0x80 else 0)
    return found


def phases() -> list[Phase]:
    """Return the steps of the test benches: status, undefined instructions, key schedule, encryption and decryption."""
    keys = round_keys(vectors.KEYS[128])
    plain, cipher = vectors.words(vectors.PLAINTEXT), vectors.words(vectors.CIPHERTEXTS[128])

    def step(text: str, commands: list[dict[str, int]], results: list[int] | None = None, latency: int = 0) -> Phase:
        values = results or [0] * len(commands)
        return Phase(
            text,
            sends={"cmd": commands},
            expects={"rsp": [{"rd": value} for value in values]},
            latency=("cmd", "rsp", latency) if latency else None,
        )

    def load(words: list[int]) -> list[dict[str, int]]:
        return [_instruction("move_in", *words[2 * half : 2 * half + 2], h=half, s=0) for half in range(2)]

    def unload(words: list[int]) -> Phase:
        commands = [_instruction("move_out_xor", c=column, s=0) for column in range(4)]
        return step("Read the block.", commands, words)

    writes = [
        _instruction("key_write", *words[2 * half : 2 * half + 2], hw=half, kw=number)
        for number, words in enumerate(keys)
        for half in range(2)
    ]
    inverse = [
        _instruction("key_write_inv_mix", *words[2 * half : 2 * half + 2], hw=half, kw=number)
        for number, words in enumerate(keys)
        for half in range(2)
        if 0 < number < 10
    ]
    encrypt = [_instruction("round_xor", k=0, s=0)]
    encrypt += [_instruction("round_enc", k=number, s=0) for number in range(1, 10)]
    encrypt += [_instruction("last_enc", l=1, s=0)]
    decrypt = [_instruction("round_xor", k=10, s=0)]
    decrypt += [_instruction("round_dec", k=number, s=0) for number in range(9, 0, -1)]
    decrypt += [_instruction("last_dec", l=0, s=0)]
    helped = _instruction("sub_rot_word", keys[0][3], keys[0][0] ^ 1)
    return [
        step("The version of the unit; context 0.", [_instruction("status")], [UNIT_VERSION << 16], latency=2),
        step("An undefined instruction gives 0.", [{"function_id": 0x7F << 3 | 6}], [0], latency=1),
        step("Help for the key schedule: the first word of round key 1.", [helped], [keys[1][0]], latency=2),
        step("The round keys of FIPS-197, C.1.", writes),
        step("Its block, encrypted by one instruction a round.", load(plain) + encrypt),
        unload(cipher),
        step("The round keys for decryption.", inverse),
        step("The block, decrypted.", decrypt),
        unload(plain),
        step("Context 3 is empty, and context 0 keeps its block.", [_instruction("context", 3)], [0]),
        step(
            "Read a round key of context 0 again.",
            [_instruction("context", 0), _instruction("key_read", 1)],
            [3, keys[0][1]],
        ),
    ]


def text(values: dict[str, Any]) -> Text:
    """Return the parts of the core's README that are specific to this kind of core."""
    region = values["memory"]
    memory = _MEMORY.format(origin=region[0], size=region[1]) if region else _NO_MEMORY
    wave = {
        "signal": [
            {"name": "clk", "wave": "p......."},
            {"name": "cmd_valid", "wave": "01..0..."},
            {"name": "cmd_ready", "wave": "1......."},
            {"name": "cmd_payload_function_id", "wave": "x345x...", "data": ["round_enc", "round_enc", "status"]},
            {"name": "rsp_valid", "wave": "0.1.0" + "10."},
            {"name": "rsp_payload_outputs_0", "wave": "x.33x5x.", "data": ["0", "0", "version"]},
        ],
        "foot": {"text": "most instructions answer one cycle later, status and others two cycles later"},
    }
    latency = [
        ("instruction to result", "1"),
        ("key_read, sub_word, sub_rot_word, context, status, memory_status: instruction to result", "2"),
        ("an instruction after one that writes a register that it reads", "1 more"),
        ("AES-128, AES-192, AES-256: rounds of a block by fused instructions", "11, 13, 15 instructions"),
    ]
    use = _USE.format(memory=memory, instructions="cl_isa.h")
    return Text(use, latency, waves=[("Instructions at the port", wave)])


def files(values: dict[str, Any]) -> dict[str, str]:
    """Return a dictionary (file name: text) of two files: the C header of the instructions, and the example program."""
    return {"cl_isa.h": isa.render(), "aes_cfu.c": PROGRAM}


KIND = Kind(
    name="cfu",
    about="the vector AES unit as LiteX's `Cfu`: AES instructions for VexRiscv",
    options=OPTIONS,
    check=lambda values: None,
    create=create,
    text=text,
    module="Cfu",
    fixed_name=True,
    files=files,
)
