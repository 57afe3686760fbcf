# SPDX-License-Identifier: BSD-2-Clause
"""Test that, in the whole repository, pages link only to existing folders and name only existing `make` targets."""

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
