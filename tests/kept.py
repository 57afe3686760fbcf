# SPDX-License-Identifier: BSD-2-Clause
"""Finds the folder of measured figures in this repository, for tests that compare or show these figures."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def figures() -> Path:
    """Return the folder with the measured figures. Skip the test if there is no such folder."""
    folders = list(ROOT.glob("*/results/data"))
    if not folders:
        pytest.skip("this tree keeps no figures")
    return folders[0]
