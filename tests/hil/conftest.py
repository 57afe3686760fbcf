"""The tests here run the suite as `make hil` does, in a process of its own."""

import os

import pytest

from tests.hil.support import environment

collect_ignore = ["suite"]


@pytest.fixture(autouse=True, scope="session")
def own_environment():
    """Ignore what the user has configured, and use this checkout's simulated boards, as `make hil` does."""
    for name in ("CIPHERLANE_SIM", "CIPHERLANE_SIM_ETH", "LG_COORDINATOR", "LG_ENV", "LG_PLACE", "LG_TOKEN"):
        os.environ.pop(name, None)
    environment("sim")
    environment("sim", "eth")
