"""Every Markdown text of a card is known, with its side."""

from __future__ import annotations

from typing import Any

import pytest

from closedbook.model.kinds import KINDS

CHECK = {"run": "Square", "expect": {"saved.count": "1"}}
COMMON = {"id": "a", "outcome": "o", "why": "W", "hint": "H"}
SHARED = [("H", "ask"), ("W", "answer")]

CASES: dict[str, tuple[dict[str, Any], list[tuple[str, str]]]] = {
    "question": (
        {
            "ask": "Q",
            "answer": "A",
            "claims": [{"say": "C", "check": CHECK}],
            "options": [{"right": "R"}, {"wrong": "X", "because": "B"}],
        },
        [("Q", "ask"), ("R", "ask"), ("X", "ask"), ("B", "answer"), ("A", "answer"),
         ("C", "answer")],
    ),
    "cloze": (
        {"text": "{{c1::T}}", "claims": [{"say": "C", "check": CHECK}]},
        [("{{c1::T}}", "ask"), ("C", "answer")],
    ),
    "derivation": (
        {
            "ask": "Q",
            "steps": [{"ask": "S", "answer": "A", "why": "Y"}],
            "result": {"say": "R", "expect": {"n": "1"}},
        },
        [("Q", "ask"), ("S", "ask"), ("A", "answer"), ("Y", "answer"), ("R", "answer")],
    ),
    "trap": (
        {
            "code": "x = 1",
            "ask": "Q",
            "claims": [{"say": "C", "check": CHECK}],
            "fix": {"code": "x = 2", "say": "F", "check": CHECK},
        },
        [("Q", "ask"), ("C", "answer"), ("F", "answer")],
    ),
    "task": (
        {
            "ask": "Q",
            "file": "f.py",
            "reference": "Square",
            "contract": {"forward": {"points": "1", "say": "P"}, "gradcheck": "2"},
            "broken": {"ask": "B", "fails_at": {"output": "0"}, "points": "1"},
        },
        [("Q", "ask"), ("P", "ask"), ("B", "ask")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_text_has_its_place_and_side(kind: str) -> None:
    """Each text comes once, in the order of printing, and stands where its place says."""
    fields, expected = CASES[kind]
    data = {**COMMON, "kind": kind, **fields}
    content = KINDS[kind].model_validate(data)
    found = list(content.texts())
    assert [(text, side) for _, text, side in found] == expected + SHARED
    for loc, text, _ in found:
        node: Any = data
        for step in loc:
            node = node[step]
        assert node == text


def test_a_result_may_be_a_text() -> None:
    """A derivation's result without a check of its own is a text at its own place."""
    fields = {**COMMON, "kind": "derivation", **CASES["derivation"][0], "result": "R"}
    content = KINDS["derivation"].model_validate(fields)
    assert (("result",), "R", "answer") in list(content.texts())
