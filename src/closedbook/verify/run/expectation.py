"""Hold what a card expects against what a run offers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from closedbook.model.expect import (
    Equals,
    Expectation,
    Formula,
    Gradcheck,
    Raises,
    Text,
    Warns,
)
from closedbook.model.value import Shape
from closedbook.verify.job import Mismatch
from closedbook.verify.patterns import contains, matches
from closedbook.verify.run.care import Warned
from closedbook.verify.run.compare import differs, show
from closedbook.verify.run.facts import NoSuchFactError, NotReachedError, Source
from closedbook.verify.run.formula.language import FormulaError
from closedbook.verify.verified import Fact

Found = tuple[Fact, tuple[str, str] | None]
"""The observed fact, and both sides in words where it is not as expected."""


def judge(
    expect: Mapping[str, Expectation], source: Source
) -> tuple[dict[str, Fact], list[Mismatch]]:
    """Return each expected fact as observed, and what does not hold."""
    facts: dict[str, Fact] = {}
    mismatches: list[Mismatch] = []
    for name, want in expect.items():
        try:
            if type(want) is Equals and name != "warns":
                fact = source.fact(name)
                sides = (
                    _dtype_differs(fact, want) if name.endswith("dtype") else differs(fact, want)
                )
            else:
                fact, sides = _JUDGES[type(want)](name, want, source, expect)
        except NoSuchFactError as problem:
            mismatches.append(Mismatch(name, said(want), str(problem), kind="unknown"))
            continue
        except NotReachedError as problem:
            mismatches.append(Mismatch(name, said(want), f"not reached: {problem}"))
            continue
        except FormulaError as problem:
            why = f"the formula cannot be used: {problem}"
            # Where the fact's name is an expression too, the column may be one of that.
            column = problem.column if name.replace(".", "").isidentifier() else None
            mismatches.append(Mismatch(name, said(want), why, "unusable", column))
            continue
        facts[name] = fact
        if sides is not None and type(want) is Equals and type(want.value) is Shape:
            sides = _shape_sides(name, fact, want, source) or sides
        if sides is not None:
            mismatches.append(Mismatch(name, *sides))
    return facts, mismatches


def _shape_sides(name: str, fact: Fact, want: Equals, source: Source) -> tuple[str, str] | None:
    """Both sides where a list was asked for its shape: a tuple is the list of its numbers there."""
    if not isinstance(fact, list) or not isinstance(want.value, Shape):
        return None
    try:
        source.fact(f"{name}.shape")
        advice = f"for the shape expect {name}.shape"
    except (NoSuchFactError, NotReachedError, FormulaError):
        advice = "for how many there are have the experiment return len(…)"
    values = f"{want.text.strip()}, the list {list(want.value.sizes)}"
    return values, f"{show(fact)}: a tuple stands for a list's values here; {advice}"


def said(want: Expectation) -> str:
    """Return an expectation in words."""
    match want:
        case Equals(text=text):
            return text
        case Formula(expression=expression):
            return f"`{expression}`"
        case Gradcheck(passes=True):
            return "passes"
        case Gradcheck(output=None, input=None):
            return "fails"
        case Gradcheck(output=output, input=input):
            return f"fails at output {_number(output)}, input {_number(input)}"
        case Warns(category=category, count=count):
            times = "" if count is None else f", {count} times"
            return f"{category or 'a warning'}{_text_said(want)}{times}"
        case Raises(type=type_):
            return f"{type_ or 'an exception'}{_text_said(want)}"
    return f"a text{_text_said(want)}"


def _number(value: int | None) -> str:
    return "any" if value is None else str(value)


def _text_said(want: Text | Raises | Warns) -> str:
    parts = []
    if want.contains is not None:
        parts.append(f" that contains {want.contains!r}")
    if want.matches is not None:
        parts.append(f" that matches {want.matches!r}")
    return " and".join(parts)


def _dtype_differs(fact: Fact, want: Equals) -> tuple[str, str] | None:
    """Compare dtypes, of which ``torch.float64`` and ``float64`` are one."""
    text = want.text.strip().removeprefix("torch.")
    if not isinstance(fact, str):
        return differs(fact, want)
    return differs(fact.removeprefix("torch."), Equals(text, text))


def _text_holds(text: str, want: Text | Raises | Warns) -> bool:
    if want.contains is not None and not contains(text, want.contains):
        return False
    return want.matches is None or matches(text, want.matches)


def _judge_equals(name: str, want: Any, source: Source, expect: Mapping[str, Any]) -> Found:
    """Only ``warns`` comes here: ``None`` says that nothing was warned of."""
    warned: list[Fact] = [warning.said for warning in source.warned(frozenset(expect))]
    if want.value is None or want.text in ("None", "[]"):
        return warned, ("no warning", show(warned)) if warned else None
    return warned, differs(warned, want)


def _judge_text(name: str, want: Any, source: Source, expect: Mapping[str, Any]) -> Found:
    fact = source.fact(name)
    if not isinstance(fact, str):
        return fact, (said(want), show(fact))
    return fact, None if _text_holds(fact, want) else (said(want), show(fact))


def _judge_formula(name: str, want: Any, source: Source, expect: Mapping[str, Any]) -> Found:
    sides = source.formula(name, want.expression)
    return source.fact(name), sides


def _judge_raises(name: str, want: Any, source: Source, expect: Mapping[str, Any]) -> Found:
    raised = source.raised()
    if raised is None:
        return None, (said(want), "nothing was raised")
    holds = _text_holds(raised.message, want)
    if want.type is not None and want.type.rpartition(".")[2] not in raised.names:
        holds = False
    return raised.said, None if holds else (said(want), raised.said)


def _judge_warns(name: str, want: Any, source: Source, expect: Mapping[str, Any]) -> Found:
    warned = source.warned(frozenset(expect))
    fitting = [warning for warning in warned if _fits(warning, want)]
    texts: Fact = [warning.said for warning in warned]
    count = len(fitting)
    if count == want.count if want.count is not None else count:
        return texts, None
    if want.count is None or not fitting:
        return texts, (said(want), show(texts) if warned else "no warning")
    return texts, (said(want), f"{count} times")


def _fits(warning: Warned, want: Warns) -> bool:
    if want.category is not None and want.category.rpartition(".")[2] not in warning.names:
        return False
    return _text_holds(warning.text, want)


def _judge_gradcheck(name: str, want: Any, source: Source, expect: Mapping[str, Any]) -> Found:
    verdict = source.verdict(name)
    holds = verdict.passes is want.passes
    if want.output is not None and want.output != verdict.output:
        holds = False
    if want.input is not None and want.input != verdict.input:
        holds = False
    if holds and want.passes and verdict.empty:
        return verdict.said, (said(want), f"passes, but {verdict.empty}")
    if holds:
        return verdict.said, None
    return verdict.said, (said(want), verdict.explained)


_JUDGES: dict[type, Callable[[str, Any, Source, Mapping[str, Any]], Found]] = {
    Equals: _judge_equals,
    Text: _judge_text,
    Formula: _judge_formula,
    Raises: _judge_raises,
    Warns: _judge_warns,
    Gradcheck: _judge_gradcheck,
}
