"""SECURITY names tests: each is there."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NAMED = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", (ROOT / "SECURITY.md").read_text(encoding="utf-8"))


def test_named_tests_are_there():
    assert len(NAMED) > 25
    missing = [f"{file}::{name}" for file, name in NAMED if f"def {name}(" not in (ROOT / file).read_text()]
    assert missing == []
