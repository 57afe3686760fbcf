# SPDX-License-Identifier: BSD-2-Clause
"""Builds the Zephyr applications with each boolean Kconfig option of the module switched off in turn.

With the option off, either the image is built, or Kconfig reports that the option stays on. The compiler and the linker
must not report errors. Applications are the record service, on the boards with Ethernet and with SDRAM, and the
samples. Members of a Kconfig choice are not tested, since one of them is always on.
"""

import re

import pytest

from gateware.flow import zephyr

# These tests make about twenty builds, so they run only in the thorough suite. They fail if an application no longer
# links after one of the Kconfig options was switched off.
pytestmark = pytest.mark.thorough

BUILDS = zephyr.REPOSITORY / "build" / "tests" / "zephyr" / "switches"
# Each application to build, as (folder, build target). The TLS sample is not in the list, because it needs a module
# that is not part of a Zephyr tree.
APPLICATIONS = [(zephyr.APPLICATION, "sim_eth_zephyr"), (zephyr.APPLICATION, "sim_sdram_zephyr")] + [
    (path.parent, "sim_zephyr")
    for path in sorted(zephyr.MODULE.glob("samples/*/prj.conf"))
    if path.parent.name != "tls"
]


def switches():
    """Return the names of the boolean Kconfig options of the Zephyr module, its applications and its samples."""
    found = set()
    for path in zephyr.MODULE.rglob("Kconfig"):
        text = re.sub(r"^choice\b.*?^endchoice$", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
        for name, lines in re.findall(r"^(?:menu)?config (\w+)\n((?:\t.*\n)*)", text, re.MULTILINE):
            if re.search(r"^\t(?:def_)?bool\b", lines, re.MULTILINE):
                found.add(name)
    return sorted(found - {"CIPHERLANE_MBEDTLS"})  # not tested: this option needs the extra module of the TLS sample


def compile_with(application, target, symbols):
    """Build an application with the Kconfig settings `symbols`; return its configuration (None if the build fails) and
    its log. Builds of an application share a folder, so only changed files are compiled.
    """
    output = BUILDS / f"{application.name}_{target}"
    extra = output.with_suffix(".conf")
    extra.parent.mkdir(parents=True, exist_ok=True)
    extra.write_text(symbols)
    try:
        zephyr.compile_application(application, output, target, (f"EXTRA_CONF_FILE={extra}",))
    except zephyr.ZephyrError:
        return None, (output / "build.log").read_text()
    return (output / "zephyr" / ".config").read_text().splitlines(), (output / "build.log").read_text()


@pytest.fixture(scope="module")
def configurations():
    """Build each application without extra settings; return the Kconfig configurations, by application."""
    found = {application: compile_with(*application, "") for application in APPLICATIONS}
    for configuration, log in found.values():
        assert configuration is not None, log
    return {application: configuration for application, (configuration, _) in found.items()}


@pytest.mark.parametrize("switch", switches())
def test_switched_off_by_itself(configurations, switch):
    on = f"CONFIG_{switch}=y"
    applications = [application for application in APPLICATIONS if on in configurations[application]]
    assert applications, "it is on in none of them"
    for application in applications:
        configuration, log = compile_with(*application, f"CONFIG_{switch}=n\n")
        words = " ".join(log.split())  # Kconfig wraps its lines
        if configuration is None:
            assert re.search(rf"error: {switch} \(defined at [^)]*\) is assigned .*has no prompt", words), log
        elif on in configuration:
            assert re.search(rf"warning: {switch} \(defined at [^)]*\) was assigned the value 'n' but got", words), log
            assert configuration == configurations[application]
