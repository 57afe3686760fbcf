# SPDX-License-Identifier: BSD-2-Clause
"""Results for AES-128 encryption that other authors published. A value is None if no published value was found."""

from dataclasses import dataclass

from lab.results.tables.instruction_sets import QUOTED


@dataclass(frozen=True)
class Quoted:
    """A published result: the system, its cycles per block and bits per cycle, and the publication. If the system has
    several variants, slashes separate their values.
    """

    system: str
    cycles_per_block: str | None
    bits_per_cycle: str | None
    source: str


JENKINS = "Jenkins, Mamidi, Schulte, Glossner 2007"
TCHES = "TCHES 2021 study of scalar AES extensions (scarv/aes-risc-pipeline)"
FISKIRAN = "Fiskiran and Lee, Table 11"
_, KARU_RATE, KARU_MHZ = QUOTED
KARU = f"karucore.com, Benchmarking (Stock) OpenSSL on Karu: CTR under Linux, {KARU_RATE} kB/s at {KARU_MHZ} MHz"
LINUX = "source of VexRiscv's AES plugin and linux-on-litex-vexriscv: CBC under Linux"

FIGURES = (
    Quoted("32-bit processor with AES instructions", None, None, "Bertoni, Breveglieri, Farina, Regazzoni 2006"),
    Quoted("basic RISC", "878", "0.15", FISKIRAN),
    Quoted("ptlu, 32/64/128 bits", "384/308/144", "0.33/0.42/0.89", FISKIRAN),
    Quoted("table C, SCARV", "1016", "0.13", TCHES),
    Quoted("table C, Rocket RV32", "1338", "0.10", TCHES),
    Quoted("scalar extension V2/V3, SCARV", "274/291", "0.47/0.44", TCHES),
    Quoted("64-bit extension V4, Rocket", "115", "1.11", TCHES),
    Quoted("table C, VexRiscv", "1594", "0.08", LINUX),
    Quoted("AES plugin, VexRiscv", "364", "0.35", LINUX),
    Quoted("Zvkned, Karu64", "215", "0.60", KARU),
)
