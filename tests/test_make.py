# SPDX-License-Identifier: BSD-2-Clause
"""Tests the Makefile as users call it: the errors that it reports before it makes anything, and the effects of its
quick targets.
"""

import hashlib
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from gateware import boards
from gateware.extensions import features
from tests.host.model import PeerBoard, SocketBoard
from tests.host.simbuild import make_build

ROOT = Path(__file__).resolve().parents[1]
PARTS = ("Makefile", ".ci", "requirements.txt", "pyproject.toml", "host/pyproject.toml", "host/cipherlane/demo.pbm")
PARTS += ("host/cipherlane/transport/namespace.py", "firmware/.clang-format")
PARTS += tuple(str(path.relative_to(ROOT)) for path in ROOT.glob("*/targets.mk"))


def copy_to(directory):
    """Copy to `directory` the parts of the checkout that the tested targets need, without git. Return `directory`."""
    for part in PARTS:
        target = directory / part
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (ROOT / part).is_dir() else shutil.copyfile)(ROOT / part, target)
    environment = Path(sys.prefix)
    stamp = environment / "cipherlane.stamp"
    wanted = b"".join((ROOT / part).read_bytes() for part in ("requirements.txt", "host/pyproject.toml"))
    if not stamp.exists() or stamp.read_text().split()[0] != hashlib.sha256(wanted).hexdigest():
        pytest.fail("the environment is of another state: run `make setup`, so that no copy's setup changes it")
    (directory / ".venv").symlink_to(environment)
    return directory


@pytest.fixture
def checkout(tmp_path):
    return copy_to(tmp_path / "checkout")


@pytest.fixture
def open_folder():
    """Make a folder that other users can read, unlike pytest's folders."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def make(directory, *words, prefix=(), **environment):
    outer = ("MAKEFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "MFLAGS", "FILE", "PORT", "KEY_BITS", "TRANSPORT")
    outer += ("FIRMWARE", "BOARD", "CONFIG")
    environment = {**{name: value for name, value in os.environ.items() if name not in outer}, **environment}
    command = [*prefix, "make", *map(str, words)]
    return subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=300, env=environment)


def nothing_made(directory):
    return not (directory / "build").exists()


def refusal(checkout, *words, **options):
    """Run `make demo` with arguments that it must refuse. The command must make no file, and must print exactly one
    line in addition to make's own error line. Return this line.
    """
    done = make(checkout, "demo", *words, **options)
    assert (done.returncode, done.stdout) == (2, ""), done
    line, ending = done.stderr.splitlines()
    assert re.fullmatch(r"make: \*\*\* \[Makefile:\d+: demo\] Error 2", ending)
    assert nothing_made(checkout)
    return line


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["FILE=nowhere"], "FILE=nowhere: no such file"),
        (["FILE=no where"], "FILE=no where: no such file"),
        (["FILE=.ci"], "FILE=.ci is not a regular file: name one"),
        (["FILE=empty"], "FILE=empty is empty: name a file with something to encrypt"),
        (["PORT=/dev/ttyNONE"], "PORT=/dev/ttyNONE: no such device; name a serial device as /dev/ttyUSB0, udp:.*"),
        (["PORT=Makefile"], "PORT=Makefile is not a serial device: name one as .*, udp://HOST, sim or sim.udp"),
        (["PORT=sim:empty"], "PORT=sim:empty: no simulated board in that folder"),
        (["TRANSPORT=udp", "PORT=sim"], "TRANSPORT=udp and PORT=sim contradict each other: leave one out"),
        (
            ["CONFIG=ddr3"],
            "CONFIG=ddr3: for the simulated board choose one of default, eth, .*, zephyr, eth_zephyr, sdram_zephyr.*",
        ),
        (["CONFIG=pipelined"], "CONFIG=pipelined: for the simulated board choose one of default, .*"),
        (
            ["CONFIG=sdram", "PORT=udp://h"],
            "CONFIG=sdram, for .*, and PORT=udp://h contradict each other: leave one out",
        ),
    ],
)
def test_demo_refuses_before_anything_is_made(checkout, words, message):
    (checkout / "empty").touch()
    assert re.fullmatch(f"demo: error: {message}", refusal(checkout, *words))


def test_demo_takes_variables_of_the_environment_and_refuses_them_too(checkout):
    assert "PORT=3000: no such device" in refusal(checkout, PORT="3000")
    assert "CONFIG=no: for the" in refusal(checkout, CONFIG="no")
    assert "CONFIG=eth, for the simulated board, and PORT=sim+udp" in refusal(checkout, "TRANSPORT=udp", CONFIG="eth")
    assert "includes FIRMWARE and TRANSPORT" in refusal(checkout, "FIRMWARE=zephyr", CONFIG="sdram")


def test_demo_names_the_configurations_of_the_simulated_board(checkout):
    named = refusal(checkout, "CONFIG=nothing").partition("choose one of ")[2].split(", ")
    assert set(named) == set(boards.load("sim").fits)


@pytest.mark.parametrize(
    ("configuration", "port", "results"),
    [
        ("default", "sim", "demo.json"),
        ("sdram", "sim:build/sim_sdram", "demo_sdram.json"),
        ("zephyr", "sim:build/sim_zephyr", "demo_zephyr.json"),
        ("eth", "sim+udp", "demo_udp.json"),
        ("eth_zephyr", "sim+udp:build/sim_eth_zephyr", "demo_zephyr_udp.json"),
    ],
)
def test_demo_builds_and_starts_the_configuration_that_is_named(checkout, configuration, port, results):
    """`make demo` must build and start the named configuration. The test replaces the programs that `make demo` runs
    by fake programs, which only print their arguments.
    """
    environment = checkout / ".venv"
    environment.unlink()
    for name in ("bin/python", "bin/cipherlane", "programs/unshare"):
        program = checkout / (".venv" if name.startswith("bin") else "") / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f'#!/bin/sh\necho "{program.name}: $*"\n')
        program.chmod(0o755)
    (checkout / ".ci" / "setup").write_text("#!/bin/sh\n")
    path = f"{checkout / 'programs'}:{os.environ['PATH']}"
    done = make(checkout, "demo", f"CONFIG={configuration}", PATH=path)
    assert done.returncode == 0, done.stderr
    said = dict(line.split(": ", 1) for line in done.stdout.splitlines() if line.startswith(("python", "cipherlane")))
    assert said["python"].split() == [
        "-u",
        "-m",
        "gateware.flow",
        "sim",
        *[configuration] * (configuration != "default"),
    ]
    words = said["cipherlane"].split()
    assert words[words.index("--port") + 1] == port
    assert words[words.index("--results") + 1] == f"build/results/{results}"


@pytest.mark.skipif(os.getuid() != 0, reason="leaves root's rights")
def test_demo_refuses_what_others_than_root_may_not(open_folder):
    checkout = copy_to(open_folder)
    (checkout / "secret").write_text("x")
    (checkout / "secret").chmod(0o600)
    master, slave = pty.openpty()
    port, nobody = os.ttyname(slave), ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
    try:
        assert refusal(checkout, "FILE=secret", prefix=nobody).endswith("cannot be read: its permissions forbid it")
        assert f"no permission to open {port}: add yourself to its" in refusal(checkout, f"PORT={port}", prefix=nobody)
        assert "run as root, or leave TRANSPORT and PORT out" in refusal(checkout, "TRANSPORT=udp", prefix=nobody)
    finally:
        os.close(master)
        os.close(slave)


def test_demo_finds_that_a_simulated_network_can_be_made(checkout):
    (checkout / "board").mkdir()
    (checkout / "board" / "board.json").write_text("{}")
    done = make(checkout, "demo", "PORT=sim+udp:board")
    if "no network namespace" in done.stderr and os.getuid() and not os.environ.get("CI"):
        pytest.skip("no privilege to make a network namespace")
    assert "unusable" in done.stderr, done.stderr


def test_demo_of_a_board_builds_nothing_of_the_simulator_and_takes_a_path_with_spaces(checkout):
    (checkout / "a $file").write_bytes(bytes(range(256)) * 9)
    with SocketBoard(PeerBoard()) as server:
        url = server.url
        done = make(checkout, "demo", f"PORT={url}", "FILE=a $$file", "KEY_BITS=all")
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert said[0].startswith(f"demo: 2304 bytes to the board at {url} and back")
    assert [line.split(",")[0][:25] for line in said if line.startswith("demo: ")][1:] == [
        "demo: 1/2 tools: Debian p",
        "demo: 2/2 encryption and ",
    ]
    assert "a $file by AES" in done.stdout
    assert "Verified: 36 streams of 2304 bytes" in done.stdout
    assert [path.name for path in (checkout / "build").iterdir()] == ["results"]
    assert [path.name for path in (checkout / "build" / "results").iterdir()] == ["demo.json"]


def test_setup_is_never_silent_for_long_and_says_what_failed(checkout):
    """While `make setup` runs, it must print progress. After a failure, it must print which step failed. The package
    manager is a fake that fails, because the test must not install anything.
    """
    programs = checkout / "programs"
    programs.mkdir()
    for name, text in (
        ("sudo", 'exec "$@"'),
        ("dpkg-query", "exit 1"),
        ("apt-get", 'case $1 in update) echo "Reading lists"; sleep 7 ;; *) echo "no network"; exit 100 ;; esac'),
    ):
        (programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (programs / name).chmod(0o755)
    done = make(checkout, "setup", PATH=f"{programs}:{os.environ['PATH']}")
    assert done.returncode == 2
    assert re.fullmatch(
        r"setup: installing \d\d Debian packages and what they need: git make .*\n"
        r"(setup: lists of Debian packages: \d+ s\n)+",
        done.stdout,
    )
    lines = done.stderr.splitlines()
    assert lines[0] == "no network" and lines[1].startswith("setup: error: Debian packages: "), done.stderr
    assert "apt-get" in lines[1]


APT = """Reading package lists...
The following NEW packages will be installed:
  git make
0 upgraded, 3 newly installed, 0 to remove and 0 not upgraded.
"""
GOT = APT + "Get:1 http://deb.example bookworm/main amd64 git amd64 1 [7 MB]\nGet:2 http://deb.example bookworm/main\n"
PIP = "Collecting jinja2==3.1.6 (from -r requirements.txt (line 3))\n  Downloading jinja2-3.1.6-py3-none-any.whl\n"
INSTALLS = PIP + "Installing collected packages: MarkupSafe, Jinja2, a, b\n"


@pytest.mark.parametrize(
    ("said", "total", "shown"),
    [
        ("Reading package lists...\n", "", ""),
        (APT, "", ""),
        (GOT, "", ", 2 of 3 packages found"),
        (GOT + "Unpacking git (1) ...\nSetting up git (1) ...\n", "", ", 1 of 3 packages installed"),
        ("", "78", ""),
        (PIP, "78", ", 1 of 78 packages found"),
        (INSTALLS, "78", ", installing 4 packages"),
        ("Get:1 http://deb.example bookworm InRelease\n", "", ""),
    ],
)
def test_progress_of_the_setup_names_step_seconds_and_packages(tmp_path, said, total, shown):
    """The progress line of `make setup` summarises the output of apt-get and pip, because the last lines that these
    programs print tell users little.
    """
    (tmp_path / "log").write_text(said)
    words = [ROOT / ".ci" / "progress", "a step", "35", tmp_path / "log", *filter(None, [total])]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"setup: a step: 35 s{shown}\n", "")


def test_demo_of_a_simulated_board_says_how_long_it_takes(checkout, tmp_path):
    done = make(checkout, "demo", f"PORT=sim:{make_build(tmp_path / 'a board')}")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("demo: 4096 bytes to a simulated board (no hardware) and back")
    assert re.search(r"^demo: 2/2 encryption and decryption, about \d+ s$", done.stdout, re.M)
    assert "demo.pbm by AES" in done.stdout and "Simulated at 75 MHz" in done.stdout


def test_live_of_a_board_builds_nothing_and_says_what_is_wrong_with_it(checkout):
    done = make(checkout, "live", "PORT=/dev/ttyNONE")
    assert done.returncode == 2 and nothing_made(checkout)
    said = done.stdout.splitlines()
    assert [line[:9] for line in said if line.startswith("live: ")][:3] == ["live: 1/3", "live: 2/3", "live: 3/3"]
    assert "cipherlane: error: " in done.stderr and "/dev/ttyNONE" in done.stderr


@pytest.mark.parametrize(
    ("words", "port"),
    [([], ""), (["TRANSPORT=udp"], "sim+udp"), (["PORT=sim"], "sim"), (["PORT=udp://h"], "udp://h")],
)
def test_live_chooses_a_simulated_board_unless_one_is_named(checkout, words, port):
    assert make(checkout, "-n", "live", *words).stdout.splitlines() == [f"PORT='{port}' .ci/live"]


@pytest.mark.parametrize(
    ("words", "built"),
    [
        (["sim"], "sim default"),
        (["sim", "TRANSPORT=udp", "FIRMWARE=zephyr"], "sim eth_zephyr"),
        (["sim", "CONFIG=scalar"], "sim scalar"),
        (["zephyr", "BOARD=sim"], "sim zephyr"),
        (["zephyr", "TRANSPORT=udp"], "ecpix5 eth_zephyr --image"),
        (["bitstream"], "ecpix5 default"),
        (["flash", "BOARD=another", "CONFIG=eth"], "another eth  --flash sram"),
        (["flash-spi", "DRY_RUN=1"], "ecpix5 default --dry-run --flash spi"),
        (["flash", "REVISION=R03"], "ecpix5 default  --revision 'R03' --flash sram"),
        (["flash", "PORT=/dev/ttyUSB0"], "ecpix5 default  --flash sram --port '/dev/ttyUSB0'"),
        (["hil", "BOARD=sim", "CONFIG=eth"], "sim eth"),
    ],
)
def test_board_and_configuration_that_are_built(checkout, words, built):
    done = make(checkout, "-n", *words)
    assert re.findall(r"-m gateware\.flow (.*?) *$", done.stdout, re.M) == [built], done.stderr


@pytest.mark.parametrize(
    ("words", "run"),
    [
        (["BOARD=another", "CONFIG=eth"], "another eth"),
        (["COORDINATOR=lab:1", "PLACE=p", "WAIT=5"], "ecpix5 default --coordinator 'lab:1' --place 'p' --wait '5'"),
        (["BOARD=sim", "COORDINATOR=lab:1", "SELECT=a or b"], "sim default --coordinator 'lab:1' --select 'a or b'"),
        (["SOAK=60", "HIL_ENV=my.yaml"], "ecpix5 default --soak '60' --environment 'my.yaml'"),
    ],
)
def test_words_of_hardware_in_the_loop(checkout, words, run):
    """`make hil` passes its variables to the suite as options. With a labgrid coordinator, `make hil` builds no
    simulated board, even for BOARD=sim, because the coordinator offers boards that were built elsewhere.
    """
    done = make(checkout, "-n", "hil", *words, **dict.fromkeys(("COORDINATOR", "PLACE", "WAIT", "SELECT", "SOAK"), ""))
    (line,) = re.findall(r"-m tests\.hil (.*?) *$", done.stdout, re.M)
    assert line.split() == run.split()
    assert "gateware.flow " not in done.stdout


@pytest.mark.parametrize(
    ("words", "written"),
    [
        (["BOARD=another", "CONFIG=eth"], ["another eth"]),
        (["PORT=/dev/ttyUSB3"], ["ecpix5 default --port '/dev/ttyUSB3'"]),
        (["BOARD=sim", "COORDINATOR=lab:1"], ["sim default --remote"]),
        (["HIL_ENV=my.yaml"], []),
        (["ACCEPT=ise"], []),
    ],
)
def test_environment_file_of_hardware_in_the_loop(checkout, words, written):
    """`make hil` writes the environment file before the run, unless the user names one."""
    done = make(checkout, "-n", "hil", *words, **dict.fromkeys(("COORDINATOR", "HIL_ENV", "ACCEPT"), ""))
    found = re.findall(r"-m gateware\.flow\.environment (.*?) *$", done.stdout, re.M)
    assert [" ".join(line.split()) for line in found] == written
    assert done.stdout.rindex("-m tests.hil") > max(done.stdout.find("flow.environment"), 0)


@pytest.mark.parametrize("words", [["sim", "CONFIG=eth", "FIRMWARE=zephyr"], ["zephyr", "CONFIG=eth"]])
def test_a_configuration_that_contradicts_another_word_is_refused(checkout, words):
    done = make(checkout, "-n", *words)
    assert done.returncode == 2 and "gateware.flow" not in done.stdout
    assert re.fullmatch(r"Makefile:\d+: \*\*\* CONFIG=eth.*: (leave them out|choose .*)\.  Stop\.\n", done.stderr)


@pytest.mark.parametrize(
    ("target", "words", "named"),
    [
        ("demo", ["transport=udp"], ["transport, did you mean TRANSPORT?"]),
        ("clean", ["V=1", "TRANPORT=udp", "FILE=x y"], ["V", "TRANPORT, did you mean TRANSPORT?"]),
    ],
)
def test_unknown_variables_are_named(checkout, target, words, named):
    done = make(checkout, target, *words)
    assert (done.returncode, done.stdout) == (2, "")
    line = re.fullmatch(r"Makefile:\d+: \*\*\* (.*) \(there are ACCEPT, .*\)\.  Stop\.\n", done.stderr)[1]
    assert sorted(line.split("; ")) == sorted(f"unknown variable {name}" for name in named)
    assert nothing_made(checkout)


def test_an_unknown_target_is_named_with_the_nearest(checkout):
    done = make(checkout, "tset", "flash-spi", "xyzzy")
    assert (done.returncode, done.stdout) == (2, "") and nothing_made(checkout)
    said = "unknown target tset, did you mean test?; unknown target xyzzy"
    assert re.fullmatch(rf"Makefile:\d+: \*\*\* {re.escape(said)} \(`make help` lists them\)\.  Stop\.\n", done.stderr)
    listed = re.findall(r"^  make ([a-z-]+) ", make(checkout, "help").stdout, re.M)
    assert len(listed) > 40 and make(checkout, "-n", *listed).stderr.count("unknown target") == 0


# The programs that `.ci/setup` calls before it installs anything.
SHELL_TOOLS = ("bash", "cat", "dirname", "env", "grep", "id", "sha256sum")


def test_a_machine_without_apt_is_told_what_to_install(checkout, tmp_path):
    """Without apt, `.ci/setup` names the missing programs and installs nothing. If none is missing, it continues."""
    (checkout / ".venv").unlink()
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in (*SHELL_TOOLS, "git", "make", "python3"):
        (programs / name).symlink_to(shutil.which(name))

    def setup():
        words = [checkout / ".ci" / "setup"]
        return subprocess.run(words, capture_output=True, text=True, timeout=300, env={"PATH": str(programs)})

    done = setup()
    assert (done.returncode, done.stdout) == (1, "") and not (checkout / ".venv").exists()
    first, *lists = done.stderr.splitlines()
    missing = re.search(r"these programs are missing: (.*?)\. ", first)[1].split()
    assert {"verilator", "g++", "riscv64-unknown-elf-gcc"} <= set(missing) and not {"git", "make"} & set(missing)
    assert [line.split(":")[0].strip() for line in lists[:4]] == ["podman", "dnf", "pacman", "brew"]
    assert "podman build -t cipherlane ." in lists[0] and (ROOT / "Containerfile").exists()
    for name in missing:
        (programs / name).symlink_to(shutil.which("true"))
    done = setup()
    assert "no apt" not in done.stderr and "into .venv" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["hil", "BOARD=nosuch"], "BOARD=nosuch: choose one of butterstick, "),
        (["flash", "BOARD=ecpix"], "BOARD=ecpix: did you mean ecpix5? choose one of "),
        (["sim", "CONFIG=sdrm"], "CONFIG=sdrm: did you mean sdram? choose one of default, "),
        (["sim", "CONFIG=eth sdrm"], "CONFIG=eth sdrm: "),
    ],
)
def test_a_wrong_board_or_configuration_installs_nothing(checkout, words, said):
    """For a wrong board or configuration, the error lists all valid names, including the names from extensions. The
    names come from the files of the boards and features.
    """
    for folder in ("gateware", "lab"):
        shutil.copytree(ROOT / folder, checkout / folder, dirs_exist_ok=True)
    done = make(checkout, *words)
    assert (done.returncode, done.stdout) == (2, "") and nothing_made(checkout)
    (line,) = done.stderr.splitlines()
    assert said in line
    listed = line.partition("choose one of ")[2].removesuffix(".  Stop.").split(", ")
    assert sorted(listed) == sorted(boards.names() if "BOARD" in words[1] else ["default", *features()])


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("eth+sdrm", "there is no feature 'sdrm' (did you mean sdram?)"),
        ("eth+macsec", "`macsec` does not combine with `eth`: `macsec` includes `eth`"),
        ("eth+", "a name of a feature is empty"),
        ("default+eth", "`default` has no features, so it does not combine"),
    ],
)
def test_a_wrong_combination_installs_nothing(checkout, value, said):
    for folder in ("gateware", "lab"):
        shutil.copytree(ROOT / folder, checkout / folder, dirs_exist_ok=True)
    done = make(checkout, "sim", f"CONFIG={value}")
    assert (done.returncode, done.stdout) == (2, "") and nothing_made(checkout)
    assert f"CONFIG={value}: {said}; join some of {', '.join(features())} by +" in done.stderr


@pytest.mark.parametrize("value", ["zephyr+eth", "eth+zephyr", "zephyr_sdram"])
def test_zephyr_takes_its_features_in_any_order(checkout, value):
    done = make(checkout, "-n", "zephyr", "BOARD=sim", f"CONFIG={value}")
    assert f"-m gateware.flow sim {value}" in done.stdout, done


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["demo", "KEY_BITS=64"], "KEY_BITS=64: choose one of 128, 192, 256, all"),
        (["demo", "KEY_BITS=128 192"], "KEY_BITS=128 192: did you mean 192? choose one of 128, 192, 256, all"),
        (["sim", "FIRMWARE=zephir"], "FIRMWARE=zephir: did you mean zephyr? choose one of baremetal, zephyr"),
        (["flash", "DRY_RUN=yes"], "DRY_RUN=yes: choose 1, or leave it out"),
        (["timing", "SEEDS=0"], "SEEDS=0: give a whole number from 1 on"),
        (["worker", "timing", "JOBS=two"], "JOBS=two: give a whole number from 1 on"),
        (["demo", "sim", "SEEDS=3"], "SEEDS=3 changes nothing in demo or sim: leave it out (SEEDS is for timing)"),
        (["core", "FILE='"], None),
        (["setup", "SELECT=it's"], "SELECT=it's changes nothing in setup: leave it out (SELECT is for hil)"),
    ],
)
def test_a_wrong_value_and_a_variable_without_effect_install_nothing(checkout, words, said):
    done = make(checkout, "-n", *words)
    if said is None:
        assert done.returncode == 0, done.stderr
        return
    assert (done.returncode, done.stdout) == (2, "") and nothing_made(checkout)
    assert re.fullmatch(rf"Makefile:\d+: \*\*\* {re.escape(said)}\.  Stop\.\n", done.stderr)


def test_a_variable_of_the_environment_may_be_for_another_program(checkout):
    assert make(checkout, "-n", "setup", JOBS="x", FILE="y").returncode == 0
    done = make(checkout, "-n", "timing", JOBS="x")
    assert done.returncode == 2 and "JOBS=x: give a whole number from 1 on" in done.stderr


def test_every_variable_of_a_recipe_is_declared_for_its_target(checkout):
    """If the recipe of a target uses a variable, the comment that declares the variable must list the target."""
    seen = set()
    for path in [checkout / "Makefile", *checkout.glob("*/targets.mk")]:
        text = path.read_text()
        declared = set()
        for name, targets in re.findall(r"^# Variable: ([A-Z_]+)=.* \(([a-z -]+)\): ", text, re.M):
            declared |= {(name, target) for target in targets.split()}
        names = {name for name, _ in declared}
        for target, recipe in re.findall(r"^([a-z-]+):.*## .*\n((?:\t.*\n|\s*\$\(.*\n)*)", text, re.M):
            for name in set(re.findall(r"\$\(([A-Z_]+)\)", recipe)) & names:
                assert (name, target) in declared
                seen.add((name, target))
    assert {("SEEDS", "timing"), ("EXPLORE", "explore-fpgas")} <= seen


def test_commands_in_pages_and_workflows_name_variables_of_their_targets():
    """In pages, workflows and docstrings, each make command sets only variables that make accepts for this command."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    suffixes = (".md", ".yml", ".yaml", ".py", ".ini", ".cfg", ".toml")
    declared = subprocess.run([ROOT / ".ci" / "words", "help"], capture_output=True, text=True, check=True).stdout
    users = {}
    for name, targets in re.findall(r"^  ([A-Z_]+)=.*\n      ([a-z, -]+): ", declared, re.M):
        users.setdefault(name, set()).update(targets.split(", "))
    seen = 0
    for path in filter(None, listed.split("\0")):
        if not path.endswith(suffixes) or path == "tests/test_make.py":
            continue
        for target, words in re.findall(r"\bmake ([a-z][a-z-]*)((?: [A-Z_]+=[^\s`]*)+)", (ROOT / path).read_text()):
            for name in re.findall(r" ([A-Z_]+)=", words):
                assert target in users.get(name, ()), f"{path}: make {target}{words}"
                seen += 1
    assert seen > 100


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["demo", "KEY_BITS=12"], "KEY_BITS=12: choose one of 128 192 256 all"),
        (["hil", "BOARD=nosuch"], "BOARD=nosuch: choose one of butterstick .* versa_ecp5"),
        (["flash", "DRY_RUN=2"], "DRY_RUN=2: choose one of 1"),
        (["help", "demo", "FIRMWARE=zephir"], "FIRMWARE=zephir: choose one of baremetal zephyr"),
        (["demo", "KEY_BITS=all", "TRANSPORT=udp"], ""),
        (["hil", "BOARD=ecpix5"], ""),
        (["demo", "TRACE=yes"], ""),
    ],
)
@pytest.mark.parametrize("inherited", [False, True])
def test_without_python_a_wrong_value_installs_nothing(checkout, tmp_path, words, said, inherited):
    """Without Python (before the set-up), make itself checks each variable that has a list of valid values."""
    shutil.copytree(ROOT / "gateware" / "boards", checkout / "gateware" / "boards")
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("make", "sh", "sed", "grep"):
        (programs / name).symlink_to(shutil.which(name))
    variables = [word for word in words if "=" in word]
    environment = dict(word.split("=") for word in variables) if inherited else {}
    goals = [word for word in words if word not in variables or not inherited]
    done = make(checkout, "-n", *goals, PATH=str(programs), **environment)
    if said:
        assert (done.returncode, done.stdout) == (2, "")
        assert re.fullmatch(rf"Makefile:\d+: \*\*\* {said}\.  Stop\.\n", done.stderr), done.stderr
    else:
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("make tes", ["test", "test-all"]),
        ("make timing SEE", ["SEEDS="]),
        ("make timing DATA", ["DATABASE="]),
        ("make timing KEY", []),
        ("make demo KEY_BITS=1", ["128", "192"]),
        ("make demo FILE=", []),
        ("make bench-live LIVE=", ["goodput", "pace", "soak", "start"]),
    ],
)
def test_bash_completes_targets_variables_and_values(checkout, line, words):
    function = make(checkout, "-s", "completion").stdout
    program = (
        f"{function}\nCOMP_LINE='{line}' COMP_POINT={len(line)}\n"
        + """
        compopt() { echo "options: $*" >&2; }
        _cipherlane_make
        printf '%s\\n' "${COMPREPLY[@]}"
    """
    )
    done = subprocess.run(["bash", "-c", program], cwd=checkout, capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == words
    assert done.stderr == ("options: -o nospace\n" if words and words[0].endswith("=") else "")


def test_an_unknown_variable_is_named_without_python_too(checkout):
    make_itself = shutil.which("make")
    done = subprocess.run(
        [make_itself, "X=1"], cwd=checkout, capture_output=True, text=True, timeout=300, env={"PATH": "/"}
    )
    assert done.returncode == 2
    assert re.fullmatch(r"Makefile:\d+: \*\*\* unknown variable X\.  Stop\.\n", done.stderr)


def test_a_checkout_whose_path_has_a_space_is_refused(tmp_path):
    directory = copy_to(tmp_path / "a checkout")
    done = make(directory, "demo")
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(rf"Makefile:\d+: \*\*\* .*: move this checkout: {directory}\.  Stop\.\n", done.stderr)


def test_a_checkout_whose_path_has_a_colon_is_refused(tmp_path):
    directory = copy_to(tmp_path / "a:checkout")
    for target in ("demo", "setup", "bitstream"):
        done = make(directory, target)
        assert (done.returncode, done.stdout) == (2, "") and nothing_made(directory)
        assert re.fullmatch(rf"Makefile:\d+: \*\*\* .*: move this checkout: {directory}\.  Stop\.\n", done.stderr)


@pytest.mark.parametrize("target", ["bitstream", "firmware", "netlist", "formal", "timing", "test"])
def test_a_checkout_in_tmp_is_refused_where_yosys_would_not_see_it(open_folder, target):
    """The targets in this test refuse a checkout in /tmp, because YoWASP's Yosys cannot read files there. Other tests
    in this file show that all other targets work in /tmp.
    """
    if not str(open_folder).startswith("/tmp/"):
        pytest.skip("temporary files are elsewhere")
    directory = copy_to(open_folder / "checkout")
    (directory / ".venv").unlink()
    (directory / ".ci" / "setup").write_text("#!/bin/sh\nmkdir .venv; exit 1\n")
    done = make(directory, target)
    assert (done.returncode, done.stdout) == (2, "") and nothing_made(directory)
    assert re.fullmatch(
        rf"Makefile:\d+: \*\*\* .* see no files in /tmp: move this checkout: {directory}\.  Stop\.\n", done.stderr
    )
    assert not (directory / ".venv").exists(), "before the environment is made"
    assert make(directory, "help").returncode == 0


def test_help_lists_every_target_with_a_time(checkout):
    text = "".join(path.read_text() for path in [checkout / "Makefile", *checkout.glob("*/targets.mk")])
    targets = set(" ".join(re.findall(r"^\.PHONY: (.*)$", text, re.M)).split())
    assert targets == set(re.findall(r"^([a-z-]+):", text, re.M))
    done = make(checkout, "help")
    assert done.returncode == 0
    listed = re.findall(r"^  make ([a-z-]+) +(\d+ \w+|minutes|hours)(?:, then \d+(?: \w+)?)? +\S", done.stdout, re.M)
    assert {target for target, _ in listed} == targets
    used = re.findall(r"^# Variable: ([A-Z_]+)=.* \(([a-z -]+)\): ", text, re.M)
    assert len(used) == text.count("\n# Variable: ")
    assert {name for name, _ in used} <= set(re.findall("[A-Z_]+", done.stdout))
    assert set(" ".join(names for _, names in used).split()) <= targets


def test_clean_keeps_what_took_long_and_distclean_nothing(checkout):
    kept = {"results", "cache", "mutants", "timing", "zephyr"}
    assert make(checkout, "clean").returncode == 0, "nothing to clean"
    for name in (*kept, "sim", "sim_eth", "tests", "ecpix5"):
        (checkout / "build" / name).mkdir(parents=True)
        (checkout / "build" / name / "file").write_text(name)
    assert make(checkout, "clean").returncode == 0
    assert {path.parent.name for path in (checkout / "build").glob("*/file")} == kept
    assert make(checkout, "distclean").returncode == 0
    assert not (checkout / "build").exists() and not (checkout / ".venv").exists()
    assert Path(sys.prefix).is_dir()


def test_lint_without_git_sees_the_same_sources(checkout):
    for name in ("firmware/core/bad.c", "firmware/generated/made.h", "build/made.c", ".venv/x.c", "host/build/made.h"):
        if not name.startswith(".venv"):  # `.venv` is a link to the environment that runs this test
            (checkout / name).parent.mkdir(parents=True, exist_ok=True)
            (checkout / name).write_text("int  a ;\n")
    listed = subprocess.run([checkout / ".ci" / "c-sources"], capture_output=True, text=True, check=True).stdout
    assert listed == "./firmware/core/bad.c\0"
    done = subprocess.run([checkout / ".ci" / "lint"], capture_output=True, text=True, timeout=300)
    assert done.returncode != 0 and "lint: clean" not in done.stdout
    assert "firmware/core/bad.c:1:4: error: code should be clang-formatted" in done.stderr


def test_lint_sees_every_c_source_that_is_not_generated():
    if not (ROOT / ".git").exists():
        pytest.skip("no git checkout")
    tracked = subprocess.run(["git", "ls-files", "-z", "*.c", "*.h"], cwd=ROOT, capture_output=True, text=True)
    listed = subprocess.run([ROOT / ".ci" / "c-sources"], capture_output=True, text=True, check=True)
    written = {name for name in tracked.stdout.split("\0") if name and not name.startswith("firmware/generated/")}
    assert {f"./{name}" for name in written} <= set(listed.stdout.split("\0"))
