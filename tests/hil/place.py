# SPDX-License-Identifier: BSD-2-Clause
"""Reserves a place (a board with its cables) at a labgrid coordinator. Waits until the place is free, acquires the
place, and always releases it.

All requests to the coordinator go through `labgrid-client`, as a user's would.
"""

import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from cipherlane_base.plain import plain
from labgrid.config import Config
from labgrid.util import yaml

from tests.hil import offered

CLIENT_S = 30  # time-out in seconds for a request that the coordinator answers at once
TOKEN = "LG_TOKEN"


class PlaceError(Exception):
    """Raised if no place could be acquired. The message tells what to do."""


def client(coordinator: str, *words: str, token: str = "", seconds: float = CLIENT_S) -> str:
    """Run `labgrid-client`; return its output.

    Raises
    ------
    PlaceError
        It fails, or takes longer than `seconds`.
    """
    command = [str(Path(sys.executable).parent / "labgrid-client"), "--coordinator", coordinator, *words]
    environment = {**os.environ, TOKEN: token}
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=seconds, env=environment)
    except subprocess.TimeoutExpired as error:
        raise PlaceError(f"labgrid-client {words[0]} took longer than {seconds:.0f} s at {coordinator}") from error
    if result.returncode:
        lines = [line for line in (result.stdout + result.stderr).splitlines() if line.strip()]
        said = plain(lines[-1]) if lines else f"status {result.returncode}"
        raise PlaceError(f"the coordinator at {coordinator} refused {words[0]}: {said}; check its address and places")
    return result.stdout


@contextlib.contextmanager
def acquired(coordinator: str, tags: list[str], wait: float) -> Iterator[str]:
    """Acquire a place with these tags (`name=value`) exclusively; yield the token of its reservation.

    Parameters
    ----------
    coordinator : str
        Host and port.
    tags : list of str
        Tags that the place must have; `name=NAME` selects the place NAME.
    wait : float
        Seconds to wait until others have given it back.

    Raises
    ------
    PlaceError
        There is no such place, or none became free in time.
    """
    said = client(coordinator, "reserve", "--shell", *tags)
    match = re.search(rf"{TOKEN}=(\S+)", said)
    if not match:
        raise PlaceError(f"the coordinator at {coordinator} answered a reservation with: {plain(said.strip())}")
    try:
        token = offered.token(match[1])
    except offered.OfferError as error:
        raise PlaceError(str(error)) from error
    try:
        try:
            client(coordinator, "wait", token, seconds=wait)
        except PlaceError as error:
            raise PlaceError(
                f"no place with {' '.join(tags)} was free at {coordinator} in {wait:.0f} s: wait longer "
                "(WAIT=seconds), or see who has it (labgrid-client who)"
            ) from error
        held = False
        try:
            client(coordinator, "-p", "+", "acquire", token=token)
            held = True
            yield token
        finally:
            # if no place was acquired, ignore a failure of the release
            with contextlib.nullcontext() if held else contextlib.suppress(PlaceError):
                client(coordinator, "-p", "+", "release", token=token)
    finally:
        # Ignore a failure of this request: an unused reservation expires by itself after a minute.
        with contextlib.suppress(PlaceError):
            client(coordinator, "cancel-reservation", token)


def environment_of(local: Path, coordinator: str, to: Path) -> Path:
    """Make a copy of the environment file `local` at the path `to`; return this path. The copy names the reserved
    place instead of resources of this machine.
    """
    content = Config(str(local)).data
    content["targets"]["main"]["resources"] = {"RemotePlace": {"name": "+"}}
    content.setdefault("options", {})["coordinator_address"] = coordinator
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_text(yaml.dump(content))
    return to
