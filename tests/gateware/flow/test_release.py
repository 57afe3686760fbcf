# SPDX-License-Identifier: BSD-2-Clause
"""Test which files a release contains, and that its checksums, descriptions and signature match these files. The
bitstreams are not built here: each takes ten minutes or more.
"""

import hashlib
import json
import shutil
import subprocess
import tarfile

import pytest
from cipherlane_base.bitstream import SUFFIX, Description
from cipherlane_base.version import __version__

from gateware import targets
from gateware.flow import bitstream, release

COMMIT = "0123456789ab"
CONTENT = b"a bitstream" * 100


@pytest.fixture
def building(tmp_path, monkeypatch):
    """Replace the builds. `orangecrab` gets a bitstream and its description. All others fail: a clock is too slow."""

    def build(target, directory, results):
        if target.name != "orangecrab":
            raise bitstream.BitstreamError(f"clock sys missed its constraint: see {release.REPOSITORY}/build/x.log")
        path = directory / "gateware" / "orangecrab.bit"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(CONTENT)
        gateware = path.parent
        description = bitstream.describe(target, gateware)
        path.with_name(path.name + SUFFIX).write_text(description.text())
        results.mkdir(parents=True, exist_ok=True)
        clocks = [{"name": "sys", "required_mhz": 48.0, "achieved_mhz": 58.68}]
        (results / "bitstream-orangecrab.json").write_text(json.dumps({"clocks": clocks}))
        return path

    monkeypatch.setattr(bitstream, "build", build)
    monkeypatch.setattr(bitstream.build_id, "read", lambda gateware, name: "0" * 16 + "-" + "1" * 16)
    monkeypatch.setattr(release, "BUILD", tmp_path / "build")
    monkeypatch.setattr(release, "commit", lambda file: COMMIT)
    monkeypatch.setattr(release.kinds, "names", lambda: ["ghash"])  # generating all kinds of cores takes half a minute
    # Wheels and HTML pages need additional Python packages, so the tests do not make them. `make release` does.
    monkeypatch.setattr(release, "_packages", lambda folder, listing, epoch: listing.write_text("{}"))
    monkeypatch.setattr(release, "_pages", lambda path, epoch: path.write_bytes(release.pack([])))
    return tmp_path / "build"


def made(folder, *names, key=None):
    return release.make(release.select(list(names)), folder / f"cipherlane-{__version__}", key)


def test_a_release_contains_the_bitstreams_that_meet_their_clocks(building, tmp_path, capsys):
    folder = made(tmp_path, "orangecrab", "ulx3s")
    content = json.loads((folder / "release.json").read_text())
    assert content["version"] == __version__ and content["commit"] == COMMIT
    assert list(content["bitstreams"]) == ["orangecrab.bit"]
    assert content["bitstreams"]["orangecrab.bit"]["clocks"][0]["achieved_mhz"] == 58.68
    assert content["left_out"] == {"ulx3s": "clock sys missed its constraint: see build/x.log"}
    assert capsys.readouterr().out == "left out: ulx3s: clock sys missed its constraint: see build/x.log\n"
    description = Description.parse((folder / "bitstreams" / f"orangecrab.bit{SUFFIX}").read_text())
    assert description.is_of(CONTENT) and (folder / "bitstreams" / "orangecrab.bit").read_bytes() == CONTENT
    assert description.board == "orangecrab" and description.part == targets.load("orangecrab").board.part


def test_checksums_cover_each_file(building, tmp_path):
    folder = made(tmp_path, "orangecrab")
    done = subprocess.run(["sha256sum", "--strict", "-c", release.SUMS], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    listed = {line.split("  ")[1] for line in (folder / release.SUMS).read_text().splitlines()}
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert listed == files - {release.SUMS}
    assert {"release.json", "sbom.cdx.json", "pages.tar.gz", "bitstreams/orangecrab.bit"} < listed
    (core,) = (folder / "cores").iterdir()
    name = core.name.removesuffix(".tar.gz")
    with tarfile.open(core) as archive:
        assert {f"{name}/{name}.v", f"{name}/{name}.core", f"{name}/README.md"} < set(archive.getnames())


def test_the_same_commit_gives_the_same_bytes(building, tmp_path):
    folders = [made(tmp_path / place, "orangecrab") for place in ("first", "second")]
    first, second = [(folder / release.SUMS).read_text() for folder in folders]
    assert first == second
    # Equal bytes do not prove that archives contain no times: both releases may have been made within one second.
    for path in folders[0].rglob("*.tar.gz"):
        assert path.read_bytes()[4:8] == bytes(4), "the time in gzip's header (RFC 1952)"
        with tarfile.open(path) as archive:
            assert {member.mtime for member in archive} <= {0}


def test_a_bitstream_that_differs_from_its_description_is_refused(building, tmp_path, monkeypatch):
    build = bitstream.build

    def damaged(*arguments):
        path = build(*arguments)
        path.write_bytes(CONTENT[:-1] + b"x")
        return path

    monkeypatch.setattr(bitstream, "build", damaged)
    with pytest.raises(release.ReleaseError, match="differs from its description: remove"):
        made(tmp_path, "orangecrab")
    assert not list(tmp_path.glob("cipherlane-*"))


def test_an_earlier_release_stays_until_the_next_one_is_complete(building, tmp_path):
    folder = made(tmp_path, "orangecrab")
    with pytest.raises(release.ReleaseError, match="no target has a bitstream: ulx3s: clock sys missed"):
        made(tmp_path, "ulx3s")
    assert (folder / "bitstreams" / "orangecrab.bit").is_file()
    assert [path.name for path in tmp_path.glob("*") if path.name != "build"] == [folder.name]


def test_a_changed_checkout_is_refused(building, tmp_path, monkeypatch):
    monkeypatch.setattr(release, "commit", lambda file: f"{COMMIT}-dirty")
    with pytest.raises(release.ReleaseError, match="commit or stash"):
        made(tmp_path, "orangecrab")


def test_a_checkout_that_changes_meanwhile_is_refused(building, tmp_path, monkeypatch):
    found = iter([COMMIT, f"{COMMIT}-dirty"])
    monkeypatch.setattr(release, "commit", lambda file: next(found))
    with pytest.raises(release.ReleaseError, match="changed while the release was made"):
        made(tmp_path, "orangecrab")
    assert not list(tmp_path.glob("cipherlane-*"))


@pytest.mark.skipif(not shutil.which("minisign"), reason="minisign is not installed")
def test_the_signature_verifies(building, tmp_path):
    key, public = tmp_path / "key", tmp_path / "key.pub"
    subprocess.run(["minisign", "-G", "-W", "-s", key, "-p", public], check=True, capture_output=True)
    folder = made(tmp_path / "out", "orangecrab", key=key)
    verify = ["minisign", "-V", "-p", public, "-m", folder / release.SUMS]
    assert COMMIT in subprocess.run(verify, check=True, capture_output=True, text=True).stdout
    text = (folder / release.SUMS).read_text()
    (folder / release.SUMS).write_text(text.replace(text[:64], hashlib.sha256(b"").hexdigest()))
    assert subprocess.run(verify, capture_output=True).returncode


def test_wrong_arguments(capsys):
    assert release.main(["nosuch"]) == 1
    assert "error: unknown target 'nosuch': choose from butterstick" in capsys.readouterr().err
    assert release.main(["orangecrab", "--sign", "/nonexistent"]) == 1
    assert capsys.readouterr().err == (
        "error: /nonexistent is no file: give a secret key of minisign; `minisign -G` makes one\n"
    )
    assert release.main(["--list", "ulx3s_25f", "ecpix5"]) == 0
    assert capsys.readouterr().out == "ulx3s_25f\necpix5\n"
