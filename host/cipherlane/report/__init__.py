# SPDX-License-Identifier: BSD-2-Clause
"""Makes an HTML page from files of measurements, in the format that `cipherlane_base.figures` writes.

`sources` reads and checks the files, `figures` finds tables and plots in them, and `best` finds the figures that
readers look for first. `words` writes names and numbers for people, `sorting` makes tables that sort without a script,
and `page` writes the page. The files may come from anybody: nothing in them is treated as markup, and other files are
refused.
"""
