# SPDX-License-Identifier: BSD-2-Clause
"""Makes mutants of C and Python sources. Each mutant changes one line by a rule of universalmutator."""

import ast
import contextlib
import io
import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.firmware import core_peer
from tests.mutants.mutant import BUILD, ROOT, Mutant, Target

RULES = {".c": ["universal.rules", "c_like.rules", "c.rules"], ".py": ["universal.rules", "python.rules"]}
RULES[".h"] = RULES[".c"]
INCLUDED = [core_peer.CORE, *ROOT.glob("*/*/firmware")]
TRIES = 40  # number of lines to try for each mutant; most changes by the rules do not compile


def draw(target: Target, rng: random.Random, count: int) -> Iterator[Mutant]:
    """Yield up to `count` mutants of the target's files. The probability of a file is proportional to its number of
    lines.
    """
    paths = sorted(path for pattern in target.files for path in ROOT.glob(pattern))
    texts = {path: path.read_text() for path in paths}
    lines = [(path, number) for path in paths for number in range(texts[path].count("\n"))]
    seen, found = set(), 0
    for _ in range(TRIES * count):
        if found == count:
            return
        path, number = rng.choice(lines)
        source = texts[path].splitlines(True)
        changed = _changed(source[number], path.suffix, rng)
        if changed is None or (path, number, changed) in seen:
            continue
        seen.add((path, number, changed))
        text = "".join([*source[:number], changed, *source[number + 1 :]])
        if not _differs(path, texts[path], text):
            continue
        found += 1
        place = str(path.relative_to(ROOT))
        shown = " ".join(changed.split())
        yield Mutant(f"{place}: {source[number].strip()} -> {shown}", target.part, target.tests, place, text)


def _changed(line: str, suffix: str, rng: random.Random) -> str | None:
    from universalmutator import mutator  # imported here, because only `make mutants` installs this package

    with contextlib.redirect_stdout(io.StringIO()):
        found = mutator.mutants_regexp([line], RULES[suffix], ignorePatterns=[], ignoreStringOnly=True)
    return rng.choice(found)[1] if found else None


def _differs(path: Path, before: str, after: str) -> bool:
    """Return true if the mutant compiles, and its code differs from the original program's code."""
    if path.suffix == ".py":
        try:
            return _meaning(before) != _meaning(after)
        except (SyntaxError, ValueError):
            return False
    if _without_comments(before) == _without_comments(after):
        return False
    compiled = [_object(path, text) for text in (before, after)]
    return compiled[1] is not None and compiled[0] != compiled[1]


def _meaning(text: str) -> str:
    """Return the program's syntax tree as text, without docstrings, annotations and message texts, because changes of
    these are no faults.
    """
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value = ast.Constant(None)
        if isinstance(node, (ast.arg, ast.AnnAssign, ast.FunctionDef)):
            for name in ("annotation", "returns"):
                if hasattr(node, name):
                    setattr(node, name, None)
        if isinstance(node, ast.JoinedStr):
            node.values = [value for value in node.values if not isinstance(value, ast.Constant)]
        if isinstance(node, ast.Call):
            node.args = [ast.Constant("") if _is_text(value) else value for value in node.args]
    return ast.dump(tree)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value


def _without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def _object(path: Path, text: str) -> bytes | None:
    """Return the object code of a C file, or of a C file that includes the header `path`; None if compiling fails."""
    folder = BUILD / "objects"
    core_peer.write_wire_header(folder)
    name = path.relative_to(next(place for place in INCLUDED if path.is_relative_to(place)))
    unit = path
    if path.suffix == ".h":
        sources = (source for place in INCLUDED for source in sorted(place.rglob("*.c")))
        users = (source for source in sources if f'"{name}"' in source.read_text())
        unit = next(users, None)
        if unit is None:
            return None
    written = {folder / unit.name: unit.read_text(), folder / name: text}
    for file, content in written.items():
        file.parent.mkdir(exist_ok=True)
        file.write_text(content)
    result = folder / "mutant.o"
    command = [
        "gcc",
        "-std=c11",
        "-O1",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-c",
        f"-I{folder}",
        *(f"-I{place}" for place in INCLUDED),
        *(f"-DBENCH_{name}" for name in ("BY=CL_C_TABLES", "STYLE=CL_C_SWAP", "ROUNDS=0", 'ENGINE="c"')),
        str(folder / unit.name),
    ]
    done = subprocess.run([*command, "-o", str(result)], capture_output=True, timeout=60, check=False)
    code = result.read_bytes() if done.returncode == 0 else None
    for file in (*written, result):
        file.unlink(missing_ok=True)
    return code
