# SPDX-License-Identifier: BSD-2-Clause
"""Compile an external library, BearSSL, for the benchmark's CPU. The sources come from its Debian source package.

This repository contains none of its source. `make bench` lets the package's client fetch the pinned version into
`build/peers`, and checks its digest. If the client cannot fetch it, these programs are left out with a message.
"""

import hashlib
import subprocess
import sys
import tarfile
from pathlib import Path

from gateware.flow.firmware import REPOSITORY
from gateware.flow.worker import extract
from lab.bench.board import KEY_BITS, SOURCES, Family

BUILD = REPOSITORY / "build" / "peers"
PACKAGE = "bearssl"
VERSION = "0.6+dfsg.1-3"
ARCHIVE = "bearssl_0.6+dfsg.1.orig.tar.xz"
DIGEST = "102a625bd8f6155260867a50c508df8d8c3f796985dd744df1a68e5cd1a79004"
CODENAME = "bookworm"
SUITE = """Types: deb-src
URIs: {uri}
Suites: {codename}
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
"""
# BearSSL's implementations of AES: `ct` is bitsliced and constant-time, `big` uses tables of 1 KB, `small` processes
# single bytes.
IMPLEMENTATIONS = {"ct": "bitsliced", "big": "table", "small": "byte"}


class PeerError(RuntimeError):
    """The sources of the external library are not available."""


def _fetch() -> None:
    """Download the source package. apt-get stores the package lists for this download in a separate folder, so the
    system's package lists do not change.
    """
    parts, lists = BUILD / "sources.d", BUILD / "lists"
    parts.mkdir(parents=True, exist_ok=True)
    (lists / "partial").mkdir(parents=True, exist_ok=True)
    (parts / "debian.sources").write_text(SUITE.format(uri=_repository(), codename=CODENAME))
    options = ["Dir::Etc::SourceList=/dev/null", f"Dir::Etc::SourceParts={parts}", f"Dir::State::Lists={lists}"]
    options += ["Dir::Cache::pkgcache=", "Dir::Cache::srcpkgcache="]
    apt = ["apt-get", "-qq", *(word for option in options for word in ("-o", option))]
    for command in (["update"], ["source", "--download-only", f"{PACKAGE}={VERSION}"]):
        done = subprocess.run([*apt, *command], cwd=BUILD, capture_output=True, text=True, timeout=300, check=False)
        if done.returncode != 0:
            raise PeerError(f"apt-get {command[0]}: {done.stderr.strip().splitlines()[-1:]}")


def _repository() -> str:
    """Return the URL of the Debian archive that contains release `CODENAME`. The URL comes from the package lists of
    this machine.
    """
    command = ["apt-get", "indextargets", "--format", "$(REPO_URI)"]
    command += ["Created-By: Packages", "Origin: Debian", f"Codename: {CODENAME}", "Component: main"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    addresses = done.stdout.split()
    if not addresses:
        raise PeerError(f"this machine's package lists name no Debian {CODENAME}: run `apt-get update` there")
    return addresses[0]


def _sources() -> Path:
    """Return the folder with the unpacked sources. Download them first if they are missing.

    Raises
    ------
    PeerError
        The sources cannot be downloaded, or differ from the pinned version.
    """
    archive = BUILD / ARCHIVE
    try:
        if not archive.exists():
            _fetch()
        if hashlib.sha256(archive.read_bytes()).hexdigest() != DIGEST:
            raise PeerError(f"{archive} is not the pinned one: remove it")
        with tarfile.open(archive) as tar:
            top = BUILD / tar.getnames()[0].split("/")[0]
            if not top.exists():
                extract(tar, BUILD)
    except (OSError, subprocess.SubprocessError, tarfile.TarError) as error:
        raise PeerError(str(error)) from error
    return top


def families() -> tuple[Family, ...]:
    """Return the benchmark programs that use the external library.

    If their sources are not available, print a line on standard error and return none.
    """
    try:
        top = _sources()
    except PeerError as error:
        print(f"without BearSSL: {error}", file=sys.stderr)
        return ()
    return tuple(_family(top, name, style) for name, style in IMPLEMENTATIONS.items())


def _family(top: Path, name: str, style: str) -> Family:
    folder = top / "src" / "symcipher"
    ciphers = sorted(map(str, [*folder.glob(f"aes_{name}.c"), *folder.glob(f"aes_{name}_*.c")]))
    codec = [str(top / "src" / "codec" / f"{part}.c") for part in ("dec32le", "enc32le", "dec32be", "enc32be")]
    common = str(folder / "aes_common.c")
    defines = (f"-I{top / 'inc'}", f"-I{top / 'src'}", f"-DBENCH_AES={name}", "-Wno-error")
    sources = (str(SOURCES / "variants_bearssl.c"), common, *codec, *ciphers)
    return Family(f"bearssl_{name}", sources, defines, f"bearssl_{name}", style, KEY_BITS, ("cbc", "ctr"))
