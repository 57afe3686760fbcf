# SPDX-License-Identifier: BSD-2-Clause
"""A fixture for the tests in this folder. It copies the result pages, data and plots, and makes `lab.results` read and
write the copy.
"""

import shutil

import pytest

from lab.results import drawings, kept, pages


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """Copy the result pages, their data and plots; return the folder of the copy. Its `build/results` is empty."""
    for page in {pages.LIST_PAGE, *(table.page for table in pages.TABLES)}:
        (tmp_path / page).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(kept.ROOT / page, tmp_path / page)
    for folder in (drawings.FOLDER, drawings.PICTURES):
        shutil.copytree(kept.ROOT / folder, tmp_path / folder, dirs_exist_ok=True)
    (tmp_path / "build" / "results").mkdir(parents=True)
    monkeypatch.setattr(kept, "ROOT", tmp_path)
    monkeypatch.setattr(kept, "DATA", tmp_path / "lab" / "results" / "data")
    monkeypatch.setattr(kept, "BUILD", tmp_path / "build" / "results")
    return tmp_path
