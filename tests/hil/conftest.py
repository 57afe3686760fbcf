"""The suite is run by the tests here as `make hil` runs it, in a process of its own."""

import os

import pytest

from tests.hil.support import environment

collect_ignore = ["suite"]


@pytest.fixture(autouse=True, scope="session")
def own_environment():
    """Nothing of what the user has configured, and the simulated boards of this checkout, as `make hil` has them."""
    for name in ("CIPHERLANE_SIM", "CIPHERLANE_SIM_ETH", "LG_COORDINATOR", "LG_ENV", "LG_PLACE", "LG_TOKEN"):
        os.environ.pop(name, None)
    environment("sim")
    environment("sim", "eth")
