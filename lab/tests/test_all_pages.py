# SPDX-License-Identifier: BSD-2-Clause
"""Where all folders are there, pages link to none that is not, and name no target that is not."""

import re

import pytest

from tests.test_readme import PAGES, ROOT, TARGETS, leads_elsewhere


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_folders_that_exist(page):
    links = re.findall(r"\]\(([^)\s#]+)", (ROOT / page).read_text())
    assert [each for each in links if "://" not in each and leads_elsewhere((ROOT / page).parent / each)] == []


@pytest.mark.parametrize("page", PAGES)
def test_targets_that_are_named_exist(page):
    named = set(re.findall(r"(?:^|`)make ([a-z][a-z-]*)", (ROOT / page).read_text(), re.MULTILINE))
    assert named <= TARGETS, page
