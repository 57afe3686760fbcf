"""Finds everything that Python files import, including imports inside functions and only for type checkers."""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path


def imported(path: Path, package: str = "") -> Iterator[str]:
    """Yield the names that a file imports, down to single objects; relative imports start from `package`."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            yield from (".".join([*above, *filter(None, [node.module]), alias.name]) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def graph(*folders: Path) -> dict[str, set[str]]:
    """Return, for each module in the packages of these folders, the other modules among them that it imports."""
    modules = {_name(path, folder): path for folder in folders for path in folder.rglob("*.py")}
    return {name: set(_modules(name, path, modules)) - {name} for name, path in modules.items()}


def cycle(imports: dict[str, set[str]]) -> list[str]:
    """Return a circle of modules: each imports the next, and the last equals the first. Empty if there is none."""
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
