# SPDX-License-Identifier: BSD-2-Clause
"""Generate the C intrinsics and the reference page of the vector AES unit's instructions."""

from ..isa.instructions import ALL, CUSTOM_0, FIELDS, LAST_ROUND_KEYS, Instruction
from ..isa.memory_port import FAULT_ADDRESS, FAULT_BUS, FAULT_NONE, FAULT_UNALIGNED
from ..isa.products import CYCLES, EXTRA_CYCLES, TABLE_CYCLES

_HEADER = """/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated from gateware/isa/instructions.py; do not edit. */
/**
 * @file
 * Intrinsics of the vector AES unit: one macro for each instruction, which compiles to exactly that one.
 *
 * Register numbers are compile-time constants: s (v0 to v7), k (k0 to k15), l (last-round key: see
 * CL_ISA_LAST_K*), c (lane 0 to 3), h (half 0 or 1). The asm is volatile and touches no memory: the
 * compiler keeps the instructions in program order and schedules loads and stores between them freely.
 */
#ifndef CL_ISA_H
#define CL_ISA_H

#include <stdint.h>

"""


_NOTES = """## Time

Throughput: the unit accepts one instruction a cycle. Latency: an instruction that reads a register which the previous
one wrote waits one cycle. The unit holds it back by itself. The CPU gets an answer one cycle after the unit accepted
the instruction. For `key_read`, `sub_word`, `sub_rot_word`, `context`, `status` and `memory_status` this takes two
cycles, and the unit accepts nothing in the second one.

## Products

`vghsh` and `vgmul` multiply in GF(2^128) as GCM defines it (SP 800-38D, 6.3), for GHASH. Names and semantics are
those of `vghsh.vv` and `vgmul.vv` in RISC-V's extension Zvkg, for one element group. `v[s]` is vs1 of `vghsh` and vd
of `vgmul`. Bits 2:0 of rs1 hold the number of vs2, the factor; bits 6:4 hold the number of vd of `vghsh`. Only a unit
with a multiplier has these instructions, and its `status` has bit 8 set. In other units they are undefined.

A product takes its operands at issue and runs while later instructions execute. An instruction that reads or writes
the register of the result waits for it. So do `context`, `memory_status`, `vxor_group` and the next product. A product
waits for earlier loads. The result is written {cycles} cycles after issue, or in the first cycle after that in which no
instruction writes a register. So a chain of products takes {cycles} cycles each, and {others} other instructions fit
between two of them. In the cycle after the issue of a product, no instruction that reads a state register is accepted.

The first product with a factor takes {table} cycles more, to write tables of the factor's multiples. Later products
with the same register in the same context use these tables. When an instruction writes the register, the unit zeroizes
the tables. This takes {table} cycles, and a product waits for it. No time depends on data.

## Counters

`k15` holds the initial counter block, first byte in bits 7:0 of lane 0, as in every block. For the addition, the block
is one big-endian integer of 128 bits, as in SP 800-38A, so the sum carries from byte 15 towards byte 0. The index
rs2:rs1 is an ordinary integer of 64 bits. The sum is modulo 2^128.

## Loads and stores

An address must be a multiple of 16 and inside the buffer memory. Byte i of a block is at address + i. Loads and stores
run while later instructions execute, in order. An instruction that needs a register which is still to be loaded waits.

The unit's port bypasses the CPU's data cache. Before the first load, wait until the CPU's own stores are in memory.
After the last store, give `memory_status`, then invalidate the data cache before the CPU reads.
`firmware/core/vector/engine_ise.h` has these steps.

The first fault stays until `memory_status` clears it. Its codes:

| code | meaning |
| --- | --- |
| {none} | no fault |
| {unaligned} | the address is not a multiple of 16 |
| {outside} | the address is outside the buffer memory |
| {bus} | the memory reported a bus error |

A load with a fault leaves its register unchanged, and a group ends at its first fault. With the codes {unaligned} and
{outside}, nothing is accessed.
"""


def _register_fields(instruction: Instruction) -> str:
    terms = [f"0x{instruction.funct7:02x}"]
    for field in instruction.fields:
        _, position = FIELDS[field]
        terms.append(f"(({field}) << {position})" if position else f"({field})")
    return " | ".join(terms)


def _macro(instruction: Instruction) -> str:
    parameters = list(instruction.fields)
    if instruction.uses_rs1:
        parameters.append("rs1")
    if instruction.uses_rs2:
        parameters.append("rs2")
    rs1 = "%z[a]" if instruction.uses_rs1 else "zero"
    rs2 = "%z[b]" if instruction.uses_rs2 else "zero"
    rd = "%[d]" if instruction.writes_rd else "zero"
    inputs = [f'[f] "i"({_register_fields(instruction)})']
    if instruction.uses_rs1:
        inputs.append('[a] "rJ"((uint32_t)(rs1))')
    if instruction.uses_rs2:
        inputs.append('[b] "rJ"((uint32_t)(rs2))')
    template = f'".insn r 0x{CUSTOM_0:02x}, {instruction.funct3}, %[f], {rd}, {rs1}, {rs2}"'
    asm = f"__asm__ volatile({template} : {{outputs}}: {', '.join(inputs)})"
    name = f"CL_ISA_{instruction.name.upper()}({', '.join(parameters)})"
    comment = f"/** {instruction.operation} */\n"
    if instruction.writes_rd:
        body = asm.format(outputs='[d] "=r"(cl_isa_rd_) ')
        return f"{comment}#define {name} \\\n\t({{ uint32_t cl_isa_rd_; {body}; cl_isa_rd_; }})\n"
    return f"{comment}#define {name} \\\n\t{asm.format(outputs='')}\n"


def render() -> str:
    """Return the text of the header `cl_isa.h`."""
    parts = [_HEADER]
    for code, register in enumerate(LAST_ROUND_KEYS):
        parts.append(f"#define CL_ISA_LAST_K{register} {code}\n")
    parts.append("\n")
    parts.extend(_macro(instruction) + "\n" for instruction in ALL)
    parts.append("#endif\n")
    return "".join(parts)


def reference() -> str:
    """Return the reference page of the instructions, in Markdown."""
    lines = [
        "<!-- Generated by `python -m gateware.codegen`; do not edit. -->",
        "# Instructions of the vector AES unit",
        "",
        "R-type, opcode custom-0 (0001011). They are illegal instructions unless bit 31 of CSR 0xBC0 is set.",
        "The column `funct7` shows the operand fields in place:",
        "",
        "- `s`: state register v0 to v7",
        "- `k`, `kw`: round-key register k0 to k15; k15 is the counter base",
        f"- `l`: last-round key ({', '.join(f'{code}: k{register}' for code, register in enumerate(LAST_ROUND_KEYS))})",
        "- `c`: lane, that is column of the state",
        "- `h`, `hw`: half (lanes 2h and 2h+1)",
        "",
        "Lanes have 32 bits, with row 0 of the column in the low byte. Registers exist once in each of eight contexts.",
        "",
        "![Timing of commands and responses at the CFU port](../../docs/pictures/timing-instructions.svg)",
        "",
        "Instructions without rd return 0. Undefined function ids return 0 and change nothing.",
        "",
        "| instruction | paper | funct3 | funct7 (bit 6 to 0) | rs1 | rs2 | rd | operation |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for i in ALL:
        bits = [str(i.funct7 >> position & 1) for position in range(7)]
        for field in i.fields:
            width, position = FIELDS[field]
            bits[position : position + width] = [field[0]] * width
        flags = " | ".join("x" if used else "" for used in (i.uses_rs1, i.uses_rs2, i.writes_rd))
        paper = f"`{i.paper}`" if i.paper else ""
        encoding = "".join(reversed(bits))
        operation = i.operation.replace("|", "\\|")
        lines.append(f"| `{i.name}` | {paper} | {i.funct3} | `{encoding}` | {flags} | `{operation}` |")
    lines += [
        "",
        *_NOTES.format(
            none=FAULT_NONE,
            unaligned=FAULT_UNALIGNED,
            outside=FAULT_ADDRESS,
            bus=FAULT_BUS,
            cycles=CYCLES + EXTRA_CYCLES,
            others=CYCLES + EXTRA_CYCLES - 1,
            table=TABLE_CYCLES,
        ).splitlines(),
        "",
    ]
    return "\n".join(lines)
