# SPDX-License-Identifier: BSD-2-Clause
"""Fixtures for tests that run the suite in a separate process, as `make hil` does."""

import os

import pytest

from tests.hil.support import environment

collect_ignore = ["suite"]


@pytest.fixture(autouse=True, scope="session")
def own_environment():
    """Ignore the user's configuration, and use the simulated boards of this checkout, as `make hil` does."""
    for name in ("CIPHERLANE_SIM", "CIPHERLANE_SIM_ETH", "LG_COORDINATOR", "LG_ENV", "LG_PLACE", "LG_TOKEN"):
        os.environ.pop(name, None)
    environment("sim")
    environment("sim", "eth")
