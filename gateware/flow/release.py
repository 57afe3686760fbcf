# SPDX-License-Identifier: BSD-2-Clause
"""Collects what a release contains: ``python -m gateware.flow.release`` (`make release`).

::

    bitstreams/  a bitstream with its description (`cipherlane flash` takes both) for each target that meets its clocks
    cores/       an archive for each kind of core, with default options
    wheels/      wheels of host tool and gateware
    pages.tar.gz the site with all pages
    sbom.cdx.json  the pinned packages (CycloneDX)
    release.json version, commit, the bitstreams with their clocks, and the targets that were left out with the reasons
    SHA256SUMS   and SHA256SUMS.minisig, if a key is given

The folder is `build/release/cipherlane-<version>`. Times in files are those of the commit, so the same commit gives the
same bytes. A bitstream that is already built from the same sources is not built again.
"""

import argparse
import gzip
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable
from pathlib import Path

from cipherlane_base.bitstream import SUFFIX, Description
from cipherlane_base.figures import commit
from cipherlane_base.version import __version__

from .. import targets
from ..cores import catalogue, kinds
from ..cores.write import files
from ..targets import Target
from . import bitstream
from .cache import REPOSITORY
from .firmware import FirmwareError
from .zephyr import ZephyrError

BUILD = REPOSITORY / "build"
PACKAGING = BUILD / "package"
SUMS = "SHA256SUMS"
_LIMIT_S = 1800  # time limit in seconds of each program that makes packages, pages or the list of packages
_TAIL = 400  # maximum number of characters of a failed program's output in a message


class ReleaseError(RuntimeError):
    """The release cannot be made; the message tells why."""


def main(arguments: list[str] | None = None) -> int:
    """Make the release that `arguments` request (None: this process's command line); return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m gateware.flow.release", description=__doc__.splitlines()[0])
    parser.add_argument("targets", nargs="*", help="names as ecpix5_eth (default: all hardware)")
    parser.add_argument("--sign", type=Path, metavar="KEY", help="a secret key of minisign")
    parser.add_argument("--list", action="store_true", help="print the targets, and make nothing")
    options = parser.parse_args(arguments)
    try:
        chosen = select(options.targets)
        if options.list:
            print("\n".join(target.name for target in chosen))
            return 0
        if options.sign and not options.sign.is_file():
            raise ReleaseError(f"{options.sign} is no file: give a secret key of minisign; `minisign -G` makes one")
        folder = make(chosen, BUILD / "release" / f"cipherlane-{__version__}", options.sign)
    except (ReleaseError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("release: stopped; the same command resumes", file=sys.stderr)
        return 130
    print(f"release: {folder}")
    return 0


def select(names: list[str]) -> list[Target]:
    """Return the hardware targets with these names, or all of them.

    Raises
    ------
    ReleaseError
        There is no such target.
    """
    known = {target.name: target for target in targets.load_all() if not target.board.simulated}
    if unknown := [name for name in names if name not in known]:
        raise ReleaseError(f"unknown target {unknown[0]!r}: choose from {', '.join(known)}")
    return [known[name] for name in names] if names else list(known.values())


def make(chosen: list[Target], folder: Path, key: Path | None = None) -> Path:
    """Write the release into a folder, and return the folder. If the folder exists, the release replaces its content.

    Raises
    ------
    ReleaseError
        The checkout differs from its commit, a program failed, or no target meets its clocks.
    """
    measured, epoch = _commit()
    with tempfile.TemporaryDirectory(dir=_made(folder.parent)) as temporary:
        new = Path(temporary) / folder.name
        new.mkdir()
        built, left_out = _bitstreams(chosen, _made(new / "bitstreams"))
        if not built:
            raise ReleaseError("no target has a bitstream: " + "; ".join(f"{n}: {why}" for n, why in left_out.items()))
        _cores(_made(new / "cores"))
        _packages(_made(new / "wheels"), new / "sbom.cdx.json", epoch)
        _pages(new / "pages.tar.gz", epoch)
        if commit(Path(__file__)) != measured:
            raise ReleaseError("the checkout changed while the release was made: run the same command again")
        content = {"version": __version__, "commit": measured, "bitstreams": built, "left_out": left_out}
        (new / "release.json").write_text(json.dumps(content, indent=1) + "\n")
        sums = "".join(f"{digest}  {name}\n" for name, digest in _digests(new))
        (new / SUMS).write_text(sums)
        if key:
            _sign(new / SUMS, key, f"cipherlane {__version__} {measured}")
        shutil.rmtree(folder, ignore_errors=True)
        new.rename(folder)
    for name, why in left_out.items():
        print(f"left out: {name}: {why}")
    return folder


def pack(content: Iterable[tuple[str, bytes]]) -> bytes:
    """Return a .tar.gz of files (names and contents). Times and owners are fixed: equal files give equal archives."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, data in sorted(content):
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return gzip.compress(plain.getvalue(), mtime=0)


def _commit() -> tuple[str, str]:
    """Return the commit of the checkout, and its time in seconds since 1970."""
    measured = commit(Path(__file__))
    if not measured:
        raise ReleaseError("this folder is no git checkout: a release names its commit")
    if measured.endswith("-dirty"):
        raise ReleaseError("files differ from the commit: commit or stash them; `git status` lists them")
    return measured, _run(["git", "log", "-1", "--format=%ct"]).strip()


def _bitstreams(chosen: list[Target], folder: Path) -> tuple[dict[str, dict], dict[str, str]]:
    """Build targets, and copy bitstreams. Return each file's build id and clocks, and each failed target's error."""
    built, left_out = {}, {}
    for target in chosen:
        try:
            made = bitstream.build(target, BUILD / target.name, BUILD / "results")
        except (bitstream.BitstreamError, FirmwareError, ZephyrError) as error:
            left_out[target.name] = str(error).replace(f"{REPOSITORY}{os.sep}", "")
            continue
        description = Description.parse(made.with_name(f"{made.name}{SUFFIX}").read_text())
        data = made.read_bytes()
        if not description.is_of(data):
            raise ReleaseError(f"{made} differs from its description: remove {made.parent} and build it again")
        (folder / made.name).write_bytes(data)
        (folder / f"{made.name}{SUFFIX}").write_text(description.text())
        report = json.loads((BUILD / "results" / f"bitstream-{target.name}.json").read_text())
        built[made.name] = {"build_id": description.build_id, "clocks": report["clocks"]}
    return built, left_out


def _cores(folder: Path) -> None:
    catalogue.load()
    for name in kinds.names():
        kind = kinds.find(name)
        values = kind.values({})
        core = kind.default_name(values)
        text = files(kind, values, core)
        (folder / f"{core}.tar.gz").write_bytes(pack((f"{core}/{path}", each.encode()) for path, each in text.items()))


def _packages(folder: Path, listing: Path, epoch: str) -> None:
    _run([str(REPOSITORY / ".ci" / "package")], SOURCE_DATE_EPOCH=epoch)
    for wheel in sorted((PACKAGING / "dist").glob("*.whl")):
        shutil.copyfile(wheel, folder / wheel.name)
    command = [str(PACKAGING / "venv" / "bin" / "cyclonedx-py"), "requirements", "requirements.txt"]
    command += ["--pyproject", "pyproject.toml", "--output-reproducible", "--of", "JSON", "-o", str(listing)]
    _run(command, SOURCE_DATE_EPOCH=epoch)


def _pages(path: Path, epoch: str) -> None:
    with tempfile.TemporaryDirectory(dir=_made(BUILD)) as temporary:
        site = Path(temporary) / "site"
        command = [sys.executable, "-m", "sphinx", "-q", "-W", "-E", "-c", "docs", "-b", "html"]
        _run([*command, "-d", f"{temporary}/trees", ".", str(site)], SOURCE_DATE_EPOCH=epoch)
        found = [each for each in site.rglob("*") if each.is_file() and each.name != ".buildinfo"]
        path.write_bytes(pack((f"site/{each.relative_to(site)}", each.read_bytes()) for each in found))


def _sign(sums: Path, key: Path, comment: str) -> None:
    """Sign a file with minisign, which asks for the key's password. The signature is written next to the file."""
    try:
        done = subprocess.run(
            ["minisign", "-S", "-s", str(key), "-m", str(sums), "-t", comment], stdout=subprocess.DEVNULL
        )
    except FileNotFoundError as error:
        raise ReleaseError("minisign is not installed: `make release SIGN=KEY` installs it") from error
    if done.returncode:
        raise ReleaseError(f"minisign did not sign with {key}; its message is above")


def _digests(folder: Path) -> list[tuple[str, str]]:
    """Return a pair (relative path, SHA-256) for each file in a folder and its subfolders."""
    found = sorted(each for each in folder.rglob("*") if each.is_file())
    return [(str(each.relative_to(folder)), hashlib.sha256(each.read_bytes()).hexdigest()) for each in found]


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _run(command: list[str], **variables: str) -> str:
    """Run a program in the checkout; return its output."""
    try:
        done = subprocess.run(
            command, cwd=REPOSITORY, env=os.environ | variables, capture_output=True, text=True, timeout=_LIMIT_S
        )
    except (FileNotFoundError, subprocess.TimeoutExpired) as error:
        raise ReleaseError(f"{Path(command[0]).name}: {error}") from error
    if done.returncode:
        raise ReleaseError(f"{Path(command[0]).name} failed: {' '.join((done.stderr or done.stdout).split())[-_TAIL:]}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
