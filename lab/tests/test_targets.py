# SPDX-License-Identifier: BSD-2-Clause
"""Test the `make` targets of the laboratory as users call them."""

import re

from tests.test_make import copy_to, make, nothing_made, open_folder  # noqa: F401 (a fixture)


def test_long_comparisons_are_refused_where_yosys_would_not_see_the_files(open_folder):  # noqa: F811
    directory = copy_to(open_folder / "checkout")
    done = make(directory, "explore")
    if str(open_folder).startswith("/tmp/"):
        assert (done.returncode, done.stdout) == (2, "") and nothing_made(directory)
        assert re.search(r"see no files in /tmp: move this checkout", done.stderr)


def test_clean_keeps_comparisons_that_took_long(tmp_path):
    directory = copy_to(tmp_path / "checkout")
    for name in ("explore", "bench", "sim"):
        (directory / "build" / name).mkdir(parents=True)
        (directory / "build" / name / "file").write_text(name)
    assert make(directory, "clean").returncode == 0
    assert {path.parent.name for path in (directory / "build").glob("*/file")} == {"explore", "bench"}


def test_an_option_of_a_comparison_is_known(tmp_path):
    done = make(copy_to(tmp_path / "checkout"), "-n", "explore", "EXPLORE=--datapath 32")
    assert done.returncode == 0 and re.search(r"-m lab\.explore\.family +--datapath 32$", done.stdout, re.M)
