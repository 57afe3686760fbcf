# SPDX-License-Identifier: BSD-2-Clause
"""Changes the memories in the Verilog of the CPU core: if a word is read in the same cycle in which it is written, the
read returns the complement of the old word.

The core's source leaves this value open (SpinalHDL's `readSync`), and block RAM may return any value. So logic that
needs such a word fails with these memories.
"""

import re

BLOCK = re.compile(r"  always @\(posedge clk\) begin\n(?:    if\([^\n]*\) begin\n(?:      [^\n]*\n)+    end\n)+  end\n")
CONDITIONAL = re.compile(r"    if\(([^\n]*)\) begin\n((?:      [^\n]*\n)+)    end\n")
READ = re.compile(r"^      (\w+) <= (\w+)\[(\w+)\];$", re.MULTILINE)
WRITE = re.compile(r"^      (\w+)\[(\w+)\] <= .*;$", re.MULTILINE)
MODULE = re.compile(r"^module .*?^endmodule", re.MULTILINE | re.DOTALL)


def strict(verilog: str) -> tuple[str, int]:
    """Return the changed Verilog and the number of changed reads. A changed read returns the complement of the stored
    word if the same word is written in the same cycle.
    """
    reads = 0

    def of_module(module: re.Match) -> str:
        nonlocal reads
        memories = set(re.findall(r"reg \[[^\]]*\] (\w+) \[0:\d+\]", module[0]))
        writes: dict[str, tuple[str, str]] = {}
        for block in BLOCK.findall(module[0]):
            for condition, body in CONDITIONAL.findall(block):
                writes |= {
                    memory: (condition, address) for memory, address in WRITE.findall(body) if memory in memories
                }

        def read(match: re.Match) -> str:
            nonlocal reads
            word, memory, address = match.groups()
            if memory not in memories:
                return match[0]
            reads += 1
            condition, written = writes[memory]
            old = f"{memory}[{address}]"
            return f"      {word} <= (({condition}) && {written} == {address}) ? ~{old} : {old};"

        return READ.sub(read, module[0])

    return MODULE.sub(of_module, verilog), reads
