# SPDX-License-Identifier: BSD-2-Clause
"""Test the SecY of an SoC that requires MACsec: no policy lets unprotected frames pass."""

import pytest
from migen import run_simulation

from gateware.ctr.client import KeyPort, Port
from gateware.net.macsec.peripheral import MACsecPeripheral
from gateware.net.macsec.receive import Validate
from gateware.net.macsec.secy import clients


@pytest.mark.parametrize("required", [False, True])
def test_a_policy_opens_the_secy_unless_macsec_is_required(required):
    transmit_port, receive_port = (Port(client, KeyPort(client.slots)) for client in clients())
    dut = MACsecPeripheral(transmit_port=transmit_port, receive_port=receive_port, required=required, rows=128)
    seen = []

    def bench():
        policy = dut.policy.fields
        seen.append((yield dut.status.fields.required))
        for protect, validate in [(0, Validate.DISABLED), (0, Validate.CHECK), (1, Validate.STRICT)]:
            yield policy.protect.eq(protect)
            yield policy.validate.eq(validate)
            yield
            seen.append(((yield dut.secy.transmit.protect), (yield dut.secy.receive.validate)))

    run_simulation(dut, bench())
    closed = (1, Validate.STRICT)
    open_ = [(0, Validate.DISABLED), (0, Validate.CHECK)]
    assert seen == [int(required), *([closed, closed] if required else open_), closed]
