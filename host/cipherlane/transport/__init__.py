# SPDX-License-Identifier: BSD-2-Clause
"""Transports: each moves whole records between the host and a board."""

from .base import Pace, Transport
from .select import open_transport

__all__ = ["Pace", "Transport", "open_transport"]
