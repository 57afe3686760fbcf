# SPDX-License-Identifier: BSD-2-Clause
"""Registers all kinds of cores: Cipherlane's own kinds, and the kinds that extensions add."""

import importlib
from functools import cache

from ..extensions import extensions
from . import accelerator, aes, cfu, ctr, gcm, ghash, macsec
from .kinds import register


@cache
def load() -> None:
    """Register all kinds of cores. A second call does nothing."""
    for kind in (aes.KIND, ctr.KIND, ghash.KIND, gcm.KIND, macsec.KIND, accelerator.KIND, cfu.KIND):
        register(kind)
    for extension in extensions():
        if extension.cores:
            importlib.import_module(extension.cores)
