# SPDX-License-Identifier: BSD-2-Clause
"""Test that the accelerator works as usual while a busy second client uses the same AES core: results, faults, abort
and zeroize.
"""

import pytest

from tests.gateware.dma.bench import Bench
from tests.gateware.dma.test_accelerator import test_random_differential, test_sp_800_38a_f5
from tests.gateware.dma.test_commands import (
    test_abort_and_zeroize_end_all_descriptors,
    test_bus_faults_end_their_descriptor_alone,
    test_key_of_a_slot_in_use_cannot_be_changed,
    test_reset_in_mid_operation,
    test_slot_without_a_key,
    test_zeroize_during_a_key_load,
)

__all__ = [  # with this file's bench
    "test_abort_and_zeroize_end_all_descriptors",
    "test_bus_faults_end_their_descriptor_alone",
    "test_key_of_a_slot_in_use_cannot_be_changed",
    "test_random_differential",
    "test_reset_in_mid_operation",
    "test_slot_without_a_key",
    "test_sp_800_38a_f5",
    "test_zeroize_during_a_key_load",
]


@pytest.fixture(scope="module")
def simulated():
    bench = Bench(rival=True, engines=2)
    yield bench
    bench.sim.close()
