# SPDX-License-Identifier: BSD-2-Clause
"""Test that LiteX, the generated header and the generated page describe the same registers of the fast path."""

import json

import pytest
from litex.build.sim import SimPlatform
from litex.soc.integration.export import get_csr_json
from litex.soc.integration.soc_core import SoCMini
from migen import ClockDomain

from gateware.codegen import registers
from tests.gateware.support import ROOT


@pytest.fixture(scope="module")
def exported():
    soc = SoCMini(SimPlatform("SIM", []), clk_freq=int(100e6), ident="", ident_version=False)
    soc.clock_domains.cd_sys = ClockDomain("sys")
    soc.fastpath = registers.FAST_PATH.create()
    soc.finalize()
    return json.loads(get_csr_json(soc.csr_regions, soc.constants, soc.mem_regions))


def test_offsets_are_those_of_a_litex_soc(exported):
    base = exported["csr_bases"]["fastpath"]
    found = {
        name.removeprefix("fastpath_"): entry["addr"] - base
        for name, entry in exported["csr_registers"].items()
        if name.startswith("fastpath_")
    }
    assert found == {register.name: register.offset for register in registers.registers(registers.FAST_PATH)}


def test_no_memory_is_mapped(exported):
    assert set(exported["csr_bases"]) == {"ctrl", "fastpath"}
    assert set(exported["memories"]) == {"csr"}


def test_secrets_are_write_only():
    access = {register.name: register.access for register in registers.registers(registers.FAST_PATH)}
    secrets = [f"key{n}" for n in range(8)] + ["token_lo", "token_hi"] + [f"iv{n}" for n in range(4)]
    assert {access[name] for name in secrets} == {"write"}


def test_header_has_the_event_codes():
    text = registers.render(registers.FAST_PATH)
    assert "#define CL_FASTPATH_EVENT_CODE_OTHER_DATA 20u" in text
    assert "#ifndef CL_FASTPATH_REGS_H" in text


def test_reference_page_is_up_to_date():
    page = ROOT / "gateware" / "net" / "README.md"
    assert page.read_text() == registers.reference(registers.FAST_PATH), f"{page} is stale: run `make pages`"
