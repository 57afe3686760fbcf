# SPDX-License-Identifier: BSD-2-Clause
"""Tests that the README is short, and that the links and commands in all pages lead somewhere."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = [path for path in ROOT.glob("[a-z]*") if path.is_dir() and path.name != "build"]
INDEX = "docs/index.md"  # this page lists all pages of the site that `make docs` builds
FILES = [*ROOT.glob("*.md"), *(path for folder in FOLDERS for path in folder.rglob("*.md"))]
PAGES = sorted(str(path.relative_to(ROOT)) for path in FILES)
MAKEFILES = "".join(path.read_text() for path in [ROOT / "Makefile", *ROOT.glob("*/targets.mk")])
TARGETS = set(re.findall(r"^([a-z-]+):", MAKEFILES, re.MULTILINE))


def anchors(text):
    """Return the anchors of a page, to which links can point. GitHub derives them from the headings."""
    headings = re.findall(r"^#+ (.*)", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}


def leads_elsewhere(target):
    """Return whether a link leads to a top-level folder that is missing in this copy of the repository."""
    top = target.resolve().relative_to(ROOT).parts[0]
    return not (ROOT / top).exists() and target.resolve().parent != ROOT


def test_readme_is_short():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 120


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)\s]+)\)", (ROOT / page).read_text()):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (ROOT / page).parent / path if path else ROOT / page
        if leads_elsewhere(target):
            continue
        assert target.exists(), f"{page}: {link}"
        assert not anchor or anchor in anchors(target.read_text()), f"{page}: {link}"


def test_every_page_is_found_from_the_readme():
    found, left = set(), ["README.md"]
    while left:
        page = left.pop()
        if page in found or not page.endswith(".md"):
            continue
        found.add(page)
        for link in re.findall(r"\]\(([^)\s#]+)", (ROOT / page).read_text()):
            target = (ROOT / page).parent / link
            if "://" not in link and not leads_elsewhere(target):
                left.append(str(target.resolve().relative_to(ROOT)))
    assert set(PAGES) - {INDEX} <= found
