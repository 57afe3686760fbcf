"""What the hardware is does not depend on how it is built, nor on the firmware's generators."""

import ast

from tests.gateware.support import ROOT

# Packages that may import what builds the hardware and what is generated from it.
BUILDERS = ("explore", "flow")


def _imports(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def _importers(folder, packages):
    """Files under a folder that import one of the packages."""
    prefixes = tuple(f"{package}." for package in packages)
    files = (ROOT / folder).rglob("*.py")
    return {path.relative_to(ROOT) for path in files if any(f"{n}.".startswith(prefixes) for n in _imports(path))}


def test_dependencies_run_one_way():
    hardware = _importers("gateware", ["firmware", *(f"gateware.{name}" for name in BUILDERS)])
    assert {path.parts[1] for path in hardware} == set(BUILDERS)
    assert _importers("firmware/codegen", ["gateware.flow", "gateware.explore"]) == set()
    assert _importers("gateware", ["firmware"]) and _importers("firmware/codegen", ["gateware"])
