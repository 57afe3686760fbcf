# SPDX-License-Identifier: BSD-2-Clause
"""Finds the figures that this repository keeps, for tests that compare with them or show them."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def figures() -> Path:
    """Return the folder of kept figures. Without one, skip the test."""
    folders = list(ROOT.glob("*/results/data"))
    if not folders:
        pytest.skip("this tree keeps no figures")
    return folders[0]
