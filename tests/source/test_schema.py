"""The JSON Schema says what reading says, as an editor sees YAML: with its types."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from closedbook.cli import run
from closedbook.model.kinds import KINDS
from closedbook.source.fields import names_of
from closedbook.source.schema import SUBJECTS, schema_of

PROBLEMS = Path(__file__).parents[1] / "problems"
REPOSITORY = Path(__file__).parents[2]
TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
}
NOTES = {"$schema", "$defs", "title", "description", "discriminator"}


class Editor(yaml.SafeLoader):
    """YAML 1.2's core types, as editors read them (dates and ``yes`` are texts)."""


Editor.yaml_implicit_resolvers = {}
for _tag, _pattern in (
    ("bool", r"^(true|True|TRUE|false|False|FALSE)$"),
    ("int", r"^[-+]?[0-9]+$"),
    ("float", r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$"),
    ("null", r"^(~|null|Null|NULL|)$"),
):
    Editor.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), None)


def mistakes(value: Any, schema: Any, root: dict[str, Any]) -> list[str]:
    """What JSON Schema has against a value. A keyword that is not known here is an error."""
    if schema is True:
        return []
    out: list[str] = []
    for word, rule in schema.items():
        if word in NOTES:
            continue
        out += _RULES[word](value, rule, schema, root)
    return out


def _type(value: Any, rule: Any, schema: Any, root: Any) -> list[str]:
    names = [rule] if isinstance(rule, str) else rule
    fits = any(
        isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool))
        for name in names
    )
    return [] if fits else [f"{value!r} is none of {names}"]


def _properties(value: Any, rule: Any, schema: Any, root: Any) -> list[str]:
    if not isinstance(value, dict):
        return []
    return [m for name in rule if name in value for m in mistakes(value[name], rule[name], root)]


def _additional(value: Any, rule: Any, schema: Any, root: Any) -> list[str]:
    if not isinstance(value, dict):
        return []
    more = [name for name in value if name not in schema.get("properties", {})]
    if rule is False:
        return [f"unknown {name!r}" for name in more]
    return [m for name in more for m in mistakes(value[name], rule, root)]


def _some(value: Any, rule: Any, schema: Any, root: Any) -> list[str]:
    every = [mistakes(value, branch, root) for branch in rule]
    return [] if any(not found for found in every) else min(every, key=len)


def _ref(value: Any, rule: str, schema: Any, root: Any) -> list[str]:
    return mistakes(value, root["$defs"][rule.rsplit("/", 1)[1]], root)


def _when(kind: type | tuple[type, ...], holds: Any) -> Any:
    def rule(value: Any, limit: Any, schema: Any, root: Any) -> list[str]:
        applies = isinstance(value, kind) and not isinstance(value, bool)
        return [f"{value!r} against {limit!r}"] if applies and not holds(value, limit) else []

    return rule


_RULES = {
    "type": _type,
    "$ref": _ref,
    "anyOf": _some,
    "oneOf": _some,
    "properties": _properties,
    "additionalProperties": _additional,
    "propertyNames": lambda v, r, s, root: [
        m for name in (v if isinstance(v, dict) else ()) for m in mistakes(str(name), r, root)
    ],
    "items": lambda v, r, s, root: [
        m for item in (v if isinstance(v, list) else ()) for m in mistakes(item, r, root)
    ],
    "const": lambda v, r, s, root: [] if v == r else [f"{v!r} is not {r!r}"],
    "enum": lambda v, r, s, root: [] if v in r else [f"{v!r} is not of {r!r}"],
    "required": lambda v, r, s, root: [
        f"no {n!r}" for n in r if isinstance(v, dict) and n not in v
    ],
    "pattern": _when(str, lambda v, r: re.search(r, v)),
    "format": _when(str, lambda v, r: r != "date" or re.fullmatch(r"\d{4}-\d\d-\d\d", v)),
    "minLength": _when(str, lambda v, r: len(v) >= r),
    "minItems": _when(list, lambda v, r: len(v) >= r),
    "minProperties": _when(dict, lambda v, r: len(v) >= r),
    "minimum": _when((int, float), lambda v, r: v >= r),
    "maximum": _when((int, float), lambda v, r: v <= r),
    "exclusiveMinimum": _when((int, float), lambda v, r: v > r),
}


def editor_says(text: str, subject: Any = "cards") -> list[str]:
    """What an editor has against a file."""
    schema = schema_of(subject)
    return mistakes(yaml.load(text, Editor), schema, schema)  # noqa: S506  (a safe loader)


CARDS = [p for p in sorted((REPOSITORY / "cards").glob("*/*.yaml")) if p.name != "unit.yaml"]


@pytest.mark.parametrize("path", CARDS, ids=lambda path: path.stem)
def test_an_editor_takes_every_card_of_the_bank(path: Path) -> None:
    """The schema has nothing against a card that reads."""
    assert editor_says(path.read_text(encoding="utf-8")) == []


def test_an_editor_takes_the_other_files_of_the_bank() -> None:
    """Nor against the bank's, a unit's and an exam's own files."""
    assert editor_says((REPOSITORY / "cards/bank.yaml").read_text(), "bank") == []
    for path in (REPOSITORY / "cards").glob("*/unit.yaml"):
        assert editor_says(path.read_text(), "unit") == []
    for path in (REPOSITORY / "exams").glob("*.yaml"):
        assert editor_says(path.read_text(), "exam") == []


HEAD = "- id: 12\n  kind: question\n  outcome: 7\n  ask: 3\n  answer: true\n  "


@pytest.mark.parametrize(
    "more",
    ["difficulty: '2'", "difficulty: 2", "retired: true", "retired: 'true'", "tags: one",
     "tags: [one, 2]", "was: [old]", "check: {run: A, with: {x: 1}, timeout: 1.5}",
     "vary: {n: 2..9, o: [1, 2]}", "claims: [{say: 1, points: 1/2}, {say: 1, points: 2.5}]",
     "source: {id: a, at: 3}"],
)  # fmt: skip
def test_an_editor_takes_scalars_of_any_type_that_reads(more: str) -> None:
    """A number is as good as its text, both ways."""
    assert editor_says(HEAD + more) == []


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("misspelt-field", "unknown 'awnser'"),
        ("mapping-for-text", "{'text': 'It is (3, 4).'}"),
        ("text-for-mapping", "'LinearFunction'"),
        ("bad-id", "'Linear_Shapes'"),
        ("wrong-kind", "'qestion'"),
        ("bad-scalars", "6"),
        ("derivation-steps", "unknown 'anwser'"),
        ("task-mistakes", "'linear'"),
    ],
)
def test_an_editor_tells_the_mistakes_of_form(case: str, words: str) -> None:
    """What reading refuses by a field's type, the schema refuses too."""
    found = editor_says((PROBLEMS / f"{case}.yaml").read_text(encoding="utf-8"))
    assert any(words in mistake for mistake in found), found


def test_every_field_of_every_kind_is_in_the_schema() -> None:
    """An editor completes all of them, under the names that are written."""
    definitions = schema_of()["$defs"]
    for model in KINDS.values():
        assert set(definitions[model.__name__]["properties"]) == set(names_of(model))


@pytest.mark.parametrize("subject", SUBJECTS)
def test_the_command_prints_it(subject: str, capsys: pytest.CaptureFixture[str]) -> None:
    """``cards schema [SUBJECT]`` prints JSON, and nothing else."""
    assert run(["schema", subject]) == 0
    assert json.loads(capsys.readouterr().out) == schema_of(subject)  # type: ignore[arg-type]  # one of SUBJECTS
