# SPDX-License-Identifier: BSD-2-Clause
"""Tests the workflow files: each is complete, and has a time limit and minimal permissions. Everything that the steps
call must exist.
"""

import os
import re
import shlex

import pytest
import yaml

from gateware import targets
from gateware.configurations import FEATURES
from gateware.flow import release
from tests.test_readme import ROOT, TARGETS

FOLDER = ROOT / ".github" / "workflows"
WORKFLOWS = {path.name: yaml.safe_load(path.read_text()) for path in sorted(FOLDER.glob("*.yml"))}
JOBS = [(name, key) for name, workflow in WORKFLOWS.items() for key in workflow["jobs"]]
VARIABLES = set(re.findall(r"^# Variable: ([A-Z_]+)=", (ROOT / "Makefile").read_text(), re.M))
# events by which outsiders, or anybody with permission to push, can start a job
STRANGERS = {"pull_request", "pull_request_target", "push"}
EXPRESSION = re.compile(r"\$\{\{.*?\}\}")


def events(workflow):
    """Return the events that start a workflow. YAML 1.1 reads their key, `on`, as the value true."""
    return set(workflow[True])


def commands(job):
    """Yield each command of a job as a list of words. An expression of the workflow becomes one word, and variables of
    the job are replaced by their values.
    """
    for step in job["steps"]:
        for line in EXPRESSION.sub("EXPRESSION", step.get("run", "")).splitlines():
            for name, value in job.get("env", {}).items():
                line = line.replace(f"${name}", EXPRESSION.sub("EXPRESSION", value))
            for command in re.split(r"&&|\|", line):
                yield shlex.split(command)


def test_there_are_those_that_the_pages_name():
    assert set(WORKFLOWS) == {"docs.yml", "hil.yml", "host.yml", "release.yml", "test.yml"}
    assert "schedule" in events(WORKFLOWS["hil.yml"]) and "schedule" in events(WORKFLOWS["test.yml"])


@pytest.mark.parametrize(("name", "key"), JOBS)
def test_a_job_is_bounded_and_may_write_nothing(name, key):
    job = WORKFLOWS[name]["jobs"][key]
    assert WORKFLOWS[name].get("permissions") == {"contents": "read"}
    if (name, key) == ("docs.yml", "publish"):  # this job publishes the site, and runs none of our code
        assert job["if"] == "github.ref == 'refs/heads/main' && github.event_name == 'push'"
        assert set(job["permissions"]) == {"pages", "id-token"}
        assert [step["uses"] for step in job["steps"]] == ["actions/deploy-pages@v4"]
    else:
        assert "permissions" not in job
    assert 0 < job["timeout-minutes"] <= 600
    for step in job["steps"]:
        assert ("uses" in step) != ("run" in step), step
        assert re.fullmatch(r"actions/[a-z/-]+@v\d+", step.get("uses", "actions/x@v1"))


@pytest.mark.parametrize(("name", "key"), JOBS)
def test_what_a_step_calls_is_there(name, key):
    """Everything that the steps call must exist: targets of make and their variables, scripts, and folders of Python
    tests.
    """
    seen = 0
    for program, *words in commands(WORKFLOWS[name]["jobs"][key]):
        if program == "make":
            assert words[0] in TARGETS
            given = dict(word.split("=", 1) for word in words[1:])
            assert set(given) <= VARIABLES
            seen += 1
        elif program.startswith(".ci/"):
            assert os.access(ROOT / program, os.X_OK)
            seen += 1
        elif program == "python":
            assert words[:2] in (["-m", "pip"], ["-m", "pytest"])
            folders = [word for word in words[2:] if word.startswith("tests/")]
            assert words[1] == "pip" or (folders and all((ROOT / folder).is_dir() for folder in folders))
            seen += 1
        elif program == "podman":
            assert words[0] in ("build", "run") and (ROOT / "Containerfile").is_file()
            assert "make" not in words or words[words.index("make") + 1] in TARGETS
            seen += 1
        else:
            assert program in {"apt-get", "git", "find"}, program
    assert seen or key == "publish"


def test_the_simulated_boards_of_the_nightly_matrix_are_there():
    job = WORKFLOWS["hil.yml"]["jobs"]["simulated"]
    configurations = job["strategy"]["matrix"]["config"]
    assert {targets.load("sim", each).board.name for each in configurations} == {"sim"} and len(configurations) > 1
    assert job["container"]["options"].startswith("--privileged"), "a network namespace needs it"


def test_a_release_has_a_job_for_each_bitstream():
    """The release workflow has a job for each bare-metal target. Targets with Zephyr have no job, because hosted
    runners have no Zephyr tree. So a release from hosted runners lacks these targets. Configurations of extensions have
    no job, either; the last job builds their bitstreams.
    """
    rows = WORKFLOWS["release.yml"]["jobs"]["bitstream"]["strategy"]["matrix"]["include"]
    wanted = [
        target
        for target in release.select([])
        if set(target.configuration.features) <= set(FEATURES) and target.configuration.firmware == "baremetal"
    ]
    assert rows == [{"name": each.name, "board": each.board.name, "config": each.configuration.name} for each in wanted]


def test_a_lab_runs_nothing_of_strangers_and_its_places_are_waited_for():
    """The time limit of the job that runs `make hil` covers the wait for a board, a soak test on each transport, and
    the remaining steps.

    Without a lab, there is no job.
    """
    for workflow in WORKFLOWS.values():
        for job in workflow["jobs"].values():
            if "self-hosted" not in job["runs-on"]:
                continue
            assert not events(workflow) & STRANGERS
            assert "vars.HIL_PLACES != ''" in job["if"] and "vars.HIL_COORDINATOR != ''" in job["if"]
            (hil,) = [words for words in commands(job) if words[:2] == ["make", "hil"]]
            given = dict(word.split("=", 1) for word in hil[2:])
            transports = 2
            assert int(given["WAIT"]) + transports * int(given["SOAK"]) + 3600 <= 60 * job["timeout-minutes"]


def test_the_pages_say_what_was_never_run():
    assert "never been run" in (FOLDER / "hil.yml").read_text()
    assert "never been run" in (ROOT / "tests" / "hil" / "README.md").read_text()
