# SPDX-License-Identifier: BSD-2-Clause
"""Checks the generated C header and reference page against the registers that LiteX exports for the accelerator."""

import json
import re

import pytest
from litex.build.sim import SimPlatform
from litex.soc.integration.export import get_csr_json
from litex.soc.integration.soc_core import SoCMini
from migen import ClockDomain

from gateware.codegen import registers
from gateware.ctr.service import create_service
from gateware.dma.accelerator import CTRAccelerator, client
from tests.gateware.support import ROOT


class SoC(SoCMini):
    def __init__(self):
        platform = SimPlatform("SIM", [])
        self.clock_domains.cd_sys = ClockDomain("sys")
        super().__init__(platform, clk_freq=int(100e6), ident="", ident_version=False)
        self.service = create_service([client()])
        self.accelerator = CTRAccelerator(service=self.service.ports[0], regions=[(0x4000_0000, 0x1000)])


@pytest.fixture(scope="module")
def exported():
    soc = SoC()
    soc.finalize()
    return json.loads(get_csr_json(soc.csr_regions, soc.constants, soc.mem_regions))


def test_offsets_are_those_of_a_litex_soc(exported):
    base = exported["csr_bases"]["accelerator"]
    found = {
        name.removeprefix("accelerator_"): (entry["addr"] - base, entry["size"])
        for name, entry in exported["csr_registers"].items()
        if name.startswith("accelerator_")
    }
    assert found == {register.name: (register.offset, 1) for register in registers.registers()}


def test_no_memory_of_the_accelerator_is_mapped(exported):
    assert not [name for name in (*exported["csr_bases"], *exported["memories"]) if "key" in name]


def test_header_has_every_register_and_field():
    defines = dict(re.findall(r"^#define (CL_ACCEL_\w+) (\w+?)u?$", registers.render(), re.MULTILINE))
    assert int(defines["CL_ACCEL_STATUS_ERROR_MASK"], 0) == 0xF0
    assert int(defines["CL_ACCEL_STATUS_ERROR_SHIFT"], 0) == 4
    for register in registers.registers():
        assert int(defines[f"CL_ACCEL_{register.name.upper()}"], 0) == register.offset
        for field in register.fields:
            name = f"CL_ACCEL_{register.name.upper()}_{field.name.upper()}"
            assert int(defines[f"{name}_MASK"], 0) == ((1 << field.size) - 1) << int(defines[f"{name}_SHIFT"], 0)


def test_keys_are_write_only():
    assert {r.access for r in registers.registers() if re.fullmatch(r"key\d", r.name)} == {"write"}


def test_reference_page_is_up_to_date():
    page = ROOT / "gateware" / "dma" / "README.md"
    assert page.read_text() == registers.reference(), f"{page} is stale: run `make pages`"
