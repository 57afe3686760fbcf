# SPDX-License-Identifier: BSD-2-Clause
"""Configures the site that `make docs` builds: all pages of the checkout, the Python and C interfaces, and a search."""

import importlib.metadata
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "host"))

project = "Cipherlane"
author = "The Cipherlane authors"
copyright = author
release = importlib.metadata.version("cipherlane")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "hawkmoth",
    "hawkmoth.ext.javadoc",
    "sphinx_copybutton",
]
root_doc = "docs/index"
include_patterns = ["**.md"]
exclude_patterns = ["build/**", "**/build/**", ".pytest_cache/**", "**/.pytest_cache/**", ".venv/**", ".venv-hil/**"]

# Gives each heading the same anchor as GitHub does. So a link to a heading works on GitHub and on this site.
myst_heading_anchors = 4
myst_enable_extensions = ["attrs_inline", "fieldlist"]

autodoc_member_order = "bysource"
autodoc_typehints = "description"
napoleon_google_docstring = True

hawkmoth_root = str(ROOT / "firmware/core")
hawkmoth_transform_default = "javadoc"
hawkmoth_compiler = "gcc"
hawkmoth_clang = [f"-I{ROOT}/{each}" for each in ("firmware/core", "firmware/generated")]

html_theme = "furo"
html_title = f"{project} {release}"
html_theme_options = {"navigation_with_keys": True}
