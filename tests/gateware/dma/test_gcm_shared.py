# SPDX-License-Identifier: BSD-2-Clause
"""Test the accelerator with GCM while a busy second client uses the same AES core: GCM messages, and counter mode."""

import pytest

from tests.gateware.dma.gcm_bench import GCMBench
from tests.gateware.dma.test_accelerator import (
    test_eea2_sets_back_to_back,
    test_random_differential,
    test_sp_800_38a_f5,
)
from tests.gateware.dma.test_commands import (
    test_abort_and_zeroize_end_all_descriptors,
    test_bus_faults_end_their_descriptor_alone,
    test_key_of_a_slot_in_use_cannot_be_changed,
    test_reset_in_mid_operation,
    test_slot_without_a_key,
)
from tests.gateware.dma.test_gcm import (
    test_counter_mode_between_messages,
    test_every_length_at_any_alignment_back_to_back,
    test_forged_messages,
    test_key_changes_between_messages,
)

__all__ = [  # with this file's bench
    "test_abort_and_zeroize_end_all_descriptors",
    "test_bus_faults_end_their_descriptor_alone",
    "test_counter_mode_between_messages",
    "test_eea2_sets_back_to_back",
    "test_every_length_at_any_alignment_back_to_back",
    "test_forged_messages",
    "test_key_changes_between_messages",
    "test_key_of_a_slot_in_use_cannot_be_changed",
    "test_random_differential",
    "test_reset_in_mid_operation",
    "test_slot_without_a_key",
    "test_sp_800_38a_f5",
]


@pytest.fixture(scope="module")
def simulated():
    bench = GCMBench(rival=True, engines=2)
    yield bench
    bench.sim.close()
