# SPDX-License-Identifier: BSD-2-Clause
"""Finds all imports of Python files, including imports inside functions and imports that only type checkers use."""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path


def imported(path: Path, package: str = "") -> Iterator[str]:
    """Yield the full name of each module that a file imports, and of each object that the file imports from a module.
    Relative imports start from the package `package`.
    """
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            yield from (".".join([*above, *filter(None, [node.module]), alias.name]) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def graph(*folders: Path) -> dict[str, set[str]]:
    """Return a dictionary that maps each module in these folders to the other modules in these folders that
    it imports.
    """
    modules = {_name(path, folder): path for folder in folders for path in folder.rglob("*.py")}
    return {name: set(_modules(name, path, modules)) - {name} for name, path in modules.items()}


def cycle(imports: dict[str, set[str]]) -> list[str]:
    """Return a list of modules in which each module imports the next, and in which the last module is the first one
    again. Return an empty list if the imports form no cycle.
    """
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return error.args[1][::-1]
    return []


def _name(path: Path, folder: Path) -> str:
    return ".".join(path.relative_to(folder.parent).with_suffix("").parts).removesuffix(".__init__")


def _modules(name: str, path: Path, modules: dict[str, Path]) -> Iterator[str]:
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for each in imported(path, package):
        yield from [found for found in (each, each.rpartition(".")[0]) if found in modules][:1]
