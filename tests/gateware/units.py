# SPDX-License-Identifier: BSD-2-Clause
"""Builds two separate designs with the parameters of a target: the vector unit, and the accelerator with its CTR
service.
"""

from litex.soc.interconnect import csr_bus
from migen import ClockDomain, Module, Record

from gateware.dma.accelerator import CTRAccelerator
from gateware.isa.vector_unit import VectorAESUnit
from gateware.soc.soc import BUFFER_ORIGIN, create_ctr_service
from gateware.targets import Target


class _Top(Module):
    """The top level of a design: a unit with a clock domain, and the list of all its ports."""

    def __init__(self, unit: Module, ports: list):
        self.clock_domains.cd_sys = ClockDomain("sys")
        self.submodules.unit = unit
        self.ios = {self.cd_sys.clk, self.cd_sys.rst}
        for port in ports:
            self.ios |= set(port.flatten()) if isinstance(port, Record) else {port}


def _vector_unit(target: Target) -> _Top:
    unit = VectorAESUnit(
        memory=(BUFFER_ORIGIN, target.configuration.buffer_size),
        sbox=target.fit.cfu_sbox,
        product_cycles=target.fit.product_cycles,
    )
    ports = [unit.cmd_valid, unit.cmd_ready, unit.cmd_function_id, *unit.cmd_inputs]
    return _Top(unit, [*ports, unit.rsp_valid, unit.rsp_ready, unit.rsp_output, unit.bus])


def _accelerator(target: Target) -> _Top:
    regions = [(BUFFER_ORIGIN, target.configuration.buffer_size)]
    service = create_ctr_service(target)
    *others, port = service.ports
    unit = CTRAccelerator(service=port, regions=regions, gcm_cycles=target.configuration.gcm_cycles)
    bank = csr_bus.CSRBank(unit.get_csrs(), bus=csr_bus.Interface(data_width=32, address_width=14))
    ports = [unit.bus, bank.bus, unit.ev.irq]
    for other in others:
        ports += [other.request, other.keystream, other.flush, other.idle, *vars(other.keys).values()]
    top = _Top(unit, ports)
    top.submodules += service, bank
    return top


UNITS = {"vector_unit": _vector_unit, "accelerator": _accelerator}
