# SPDX-License-Identifier: BSD-2-Clause
"""Builds wheels for tests, without network and outside the checkout."""

import shutil
import subprocess
import sys
from pathlib import Path

from tests.waiting import HANG_S


def build(folder: Path, *sources: Path) -> Path:
    """Copy the sources of a distribution (files and folders) into an empty folder, but not the output of earlier
    builds. Build a wheel there with the installed build backend; return the wheel's path.
    """
    left = shutil.ignore_patterns("build", "__pycache__", "*.egg-info")
    for source in sources:
        if source.is_dir() and not left(str(source.parent), [source.name]):
            shutil.copytree(source, folder / source.name, ignore=left)
        elif source.is_file():
            shutil.copyfile(source, folder / source.name)
    program = "from setuptools import build_meta; print(build_meta.build_wheel('.'))"
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, timeout=HANG_S)
    assert done.returncode == 0, done.stderr
    return folder / done.stdout.splitlines()[-1]
