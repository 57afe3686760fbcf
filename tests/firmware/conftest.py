# SPDX-License-Identifier: BSD-2-Clause
import pytest

from tests.firmware import core_peer


@pytest.fixture(scope="session")
def core_binary():
    return core_peer.build()


@pytest.fixture(scope="module")
def core(core_binary):
    with core_peer.CorePeer(core_binary) as peer:
        yield peer
