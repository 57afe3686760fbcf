# SPDX-License-Identifier: BSD-2-Clause
"""Compare the values in papers with our own values. Each value in a paper becomes one record.

A paper has a file of values, ``NAME.toml``, and a module of the same name. Its function ``ours(data)`` returns our
values. It uses only the kept figures (`lab.results.kept`) named in ``SOURCES``, which ``COMMAND`` measures. ``REASONS``
explains why other values have none of ours.
"""

import importlib
import tomllib
from dataclasses import dataclass
from pathlib import Path

from lab.results import kept
from lab.results.kept import Content, ResultsError

NAMES = ("jenkins", "bertoni", "fiskiran_lee", "hessel")
KINDS = ("printed", "text", "derived", "drawn", "absent")
FOLDER = Path(__file__).parent


class PapersError(ResultsError):
    """The project's files about a paper are inconsistent. For example, a value in the paper has neither a value of ours
    to compare with, nor a reason why we have none. The message tells what to change.
    """


@dataclass(frozen=True)
class Ours:
    """One of our values, to compare with a value in a paper.

    Attributes
    ----------
    value : float, int, str or list
        In the paper's units, unless `conditions` states others.
    source : str
        Name of the file of figures from which the value is computed; empty if the project's sources define the value.
    conditions : str
        How our value was measured, as far as this differs from the paper.
    kind : str
        ``sim``, ``est``, or ``definition`` for a value that the sources define.
    comparable : bool
        Whether both values have the same unit, so that their ratio has a meaning. Ratios are never computed for figures
        of place-and-route.
    """

    value: float | int | str | list
    source: str = ""
    conditions: str = ""
    kind: str = "definition"
    comparable: bool = True


def values(paper: str) -> dict[str, dict]:
    """Return the entries of a paper, by name. Each entry is a table, a figure or a statement in the paper.

    An entry has an item, a kind, units, conditions, and a dictionary of values.
    An entry that the paper only draws has no values.
    """
    content = tomllib.loads((FOLDER / f"{paper}.toml").read_text(encoding="utf-8"))
    return {name: {"values": {}, **entry} for name, entry in content.items() if isinstance(entry, dict)}


def module(paper: str):
    """Return the module that computes our values for a paper."""
    return importlib.import_module(f"lab.results.papers.{paper}")


def load(paper: str) -> dict[str, Content]:
    """Load the figures from which our values for a paper are computed. Raises the errors of `lab.results.kept.load`."""
    return kept.load(module(paper).SOURCES, module(paper).COMMAND)


def records(paper: str, data: dict[str, Content]) -> list[dict]:
    """Return a record for each value in a paper, and a record for each entry that has no values.

    Parameters
    ----------
    paper : str
        One of `NAMES`.
    data : dict
        The figures that `load` returns.

    Raises
    ------
    PapersError
        A value has neither a value of ours nor a reason why there is none, or it has both.
    """
    entries, ours, reasons = values(paper), module(paper).ours(data), dict(module(paper).REASONS)
    found = []
    for name, entry in entries.items():
        of_entry = ours.pop(name, {})
        general, is_used = reasons.pop(name, None), False
        for what, theirs in (entry["values"] or {"": None}).items():
            own, reason = of_entry.pop(what, None), reasons.pop(f"{name}: {what}", None)
            if own is not None and reason is not None:
                raise PapersError(f"{paper}, {name}, {what!r} has a value of ours and a reason why not: remove one")
            if own is None and reason is None:
                reason, is_used = general, True
            if own is None and not reason:
                raise PapersError(f"{paper}, {name}, {what!r} has neither a value of ours nor a reason: add one")
            found.append(_record(paper, name, entry, what, theirs, own, reason, data))
        if general and not is_used:
            raise PapersError(f"{paper}, {name} has a reason, but a value of ours everywhere: remove the reason")
        if of_entry:
            raise PapersError(f"{paper}, {name} has no values {', '.join(of_entry)}: they are spelt as in {paper}.toml")
    if ours or reasons:
        raise PapersError(f"{paper} has no values {', '.join([*ours, *reasons])}: spell them as in {paper}.toml")
    return found


def _record(paper: str, name: str, entry: dict, what: str, theirs, own: Ours | None, reason, data) -> dict:
    record = {"paper": paper, "entry": name, "item": entry["item"], "value": what, "units": entry["units"]}
    record |= {"theirs": theirs, "theirs_kind": entry["kind"], "conditions": {"theirs": entry["conditions"]}}
    if own is None:
        return record | {"ours": None, "ratio": None, "command": None, "kind": None, "reason": reason}
    record["conditions"]["ours"] = own.conditions
    # Compute no ratio if our value is an estimate from place-and-route. Our estimates are for an ECP5 FPGA, and no
    # paper used an ECP5.
    is_ratio = (
        own.comparable
        and own.kind != "est"
        and all(type(each) in (int, float) for each in (own.value, theirs))
        and theirs
    )
    return record | {
        "ours": own.value,
        "ratio": round(own.value / theirs, 4) if is_ratio else None,
        "command": data[own.source]["provenance"]["command"] if own.source else "make pages",
        "kind": own.kind,
        "reason": None,
    }
