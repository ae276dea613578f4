"""The number rule: what the answer side states stands on the asking side or in a check."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from closedbook.verify.as_written import offset_as_written, offset_in_template
from closedbook.verify.rules import check_card
from tests.verify.bank import card, drawn

CHECK = """
check:
  run: Double
  with: {input: "(3,)"}
  expect:
    output.shape: (3,)
    grad_input: [2, 2, 2]
"""
COUNT = """
    check:
      run: count
      with: {start: 1, stop: 9}
      expect: {n: 8, text: {contains: "from 1"}, none: None}
"""


def unproven(root: Path, text: str, draw: int = 0) -> list[str]:
    """``line:column text`` of each value that nothing states."""
    bank, made = drawn(root, text, draw)
    found = []
    for finding in check_card(made, bank.generators):
        if finding.rule == "number":
            offset = offset_as_written(made, finding.loc, finding.offset)
            place = made.card.origin.place(finding.loc, offset=offset)
            found.append(f"{place.line}:{place.column} {finding.token}")
    return found


@pytest.mark.parametrize(
    ("answer", "missing"),
    [
        ("(3,)", []),
        ("`(3,)`.", []),
        ("2", []),
        ("7", ["7"]),
        ("**7**.", ["7"]),
        ("9", ["9"]),
        ("It is 7.", ["7"]),
        ("That is 7.", ["7"]),
        ("The answer is 7.", ["7"]),
        ("The answer is (3,).", []),
    ],
)
def test_an_answer_that_is_one_value(tmp_path: Path, answer: str, missing: list[str]) -> None:
    """A value that is all of an answer is one that the check expects, not one that was asked."""
    text = card(f'ask: "Is it 7 or (3,)?"\nanswer: "{answer}"\n{CHECK}')
    assert [line.partition(" ")[2] for line in unproven(tmp_path, text)] == missing


@pytest.mark.parametrize(
    ("answer", "missing"),
    [
        ("It has shape (3,), each entry is 2.", []),
        ("It has shape (3, 1).", ["(3, 1)"]),
        ("Each entry is 2.0 or 2e0.", []),
        ("Each entry is -2.", ["-2"]),
        ("Its values are [2, 2, 2].", []),
        ("Its values are [2, 2].", ["[2, 2]"]),
        ("It is 7, as the question says.", []),
        ("It has shape ().", ["()"]),
        ("It is three by one.", ["three by one"]),
        ("It is None.", ["None"]),
        ("It is `True`.", ["True"]),
        ("Backward returns two values.", []),
        ("Backward returns four values.", ["four"]),
        ("`grad_output * 2` runs, as in section 5.", []),
        ("`grad_output * 5` runs.", ["5"]),
    ],
)
def test_an_answer(tmp_path: Path, answer: str, missing: list[str]) -> None:
    """A value of an answer stands in `ask`, `with` or `expect`, or in code that ran."""
    text = card(f'ask: "Is it 7?"\nanswer: "{answer}"\n{CHECK}')
    assert [line.partition(" ")[2] for line in unproven(tmp_path, text)] == missing


@pytest.mark.parametrize(
    ("number", "expected", "holds"),
    [
        ("0.33", "0.3333333", True),
        ("0.34", "0.3333333", False),
        ("0.3", "0.3333333", True),
        ("0", "0.3333333", False),
        ("0.0", "0.01", False),
        ("-0.67", "-0.6666667", True),
        ("0", "-0.0", False),
        ("-0.0", "-0.0", True),
        ("33 %", "0.33", True),
        ("1/4", "0.25", True),
    ],
)
def test_rounding(tmp_path: Path, number: str, expected: str, holds: bool) -> None:
    """A value may be stated rounded to its own decimals; negative zero is itself alone."""
    text = card(
        f"""
        ask: What is it?
        answer: It is {number}.
        check:
          run: count
          with: {{start: 5, stop: 6}}
          expect: {{n: {expected}}}
        """
    )
    found = [line.partition(" ")[2] for line in unproven(tmp_path, text)]
    assert found == ([] if holds else [number.removesuffix(" %")])


def test_the_place_is_exact(tmp_path: Path) -> None:
    """An unproven number is reported at its line and column, however the text is written."""
    text = card(
        "ask: What is it?\nanswer: |\n  It has shape (3,),\n"
        '  and *each* entry is 12 or (4, 4).\nwhy: "A \\"quoted\\" 99."' + CHECK
    )
    assert unproven(tmp_path, text) == ["7:25 12", "7:31 (4, 4)", "8:22 99"]


def test_code_that_ran_is_exempt_line_by_line(tmp_path: Path) -> None:
    """A line of a fenced block that stands in the source has run; one beside it has not."""
    text = card(
        "ask: What is the backward?\nanswer: |\n  ```python\n  return grad_output * 2\n"
        "  return grad_output * 41\n  ```\ncheck:\n  run: Double\n"
        '  with: {input: "(3,)"}\n  expect: {raises: None}\n'
    )
    assert unproven(tmp_path, text) == ["8:26 41"]


def test_lines_of_the_code_are_those_that_it_has(tmp_path: Path) -> None:
    """Of three printed lines the answer may name the first to the third, no other."""
    text = card(
        "ask: Which line?\ncode: |\n  import torch\n  x = torch.ones(())\n  del x\n"
        'answer: "Line 1, line 2 and line 3, not line 4 or line 0; step 1."' + CHECK
    )
    assert [line.partition(" ")[2] for line in unproven(tmp_path, text)] == ["4", "0", "1"]


def test_a_reason_may_speak_of_the_options_and_an_answer_may_not(tmp_path: Path) -> None:
    """Why an option is wrong may name what the options say; the right one still needs a check."""
    text = card(
        "ask: How many?\nwhy: It is not 11.\noptions:\n  - right: It is 2.\n  - wrong: It is 11.\n"
        "    because: It would be 11, not 2.\n" + CHECK
    )
    assert [line.partition(" ")[2] for line in unproven(tmp_path, text)] == ["11"]


def test_unchecked_exempts_its_own_sentence(tmp_path: Path) -> None:
    """`unchecked` lets one claim pass, and no other text of the card."""
    text = card(
        "ask: How many?\nwhy: Because of 13.\nclaims:\n"
        "  - say: There are 12.\n    unchecked: counted by hand\n"
        "  - say: There are 8.\n" + COUNT
    )
    assert [line.partition(" ")[2] for line in unproven(tmp_path, text)] == ["13"]


def test_quoted_texts_none_and_versions_are_known(tmp_path: Path) -> None:
    """What `contains` holds is known, and a version that the claim names in `versions`."""
    text = card(
        'ask: How many?\nclaims:\n  - say: "It says `from 1`, is None, since torch 2.9."\n'
        '    versions: ">=2.9"\n' + COUNT
    )
    assert unproven(tmp_path, text) == []


def test_a_gap_ends_where_its_braces_do(tmp_path: Path) -> None:
    """What stands in a gap behind braces of its own is no part of the asking side."""
    text = (
        "- id: one\n  kind: cloze\n  outcome: know\n"
        '  text: "It is ${{c1::e^{x^{y}} + 61}}$ there."\n'
        "  claims:\n    - say: There are 8.\n" + textwrap.indent(COUNT, "  ")
    )
    assert [line.partition(" ")[2] for line in unproven(tmp_path, text)] == ["61"]


def test_a_version_is_known_in_its_own_claim_alone(tmp_path: Path) -> None:
    """What `versions` says goes with its claim, and what it says not, with none."""
    text = card(
        "ask: How many?\nwhy: So it is since 2.9.\nclaims:\n"
        '  - say: Since torch 2.9 there are 8, not 77.\n    versions: ">=2.9,!=77"\n' + COUNT
    )
    assert [line.partition(" ")[2] for line in unproven(tmp_path, text)] == ["77", "2.9"]


@pytest.mark.parametrize("pardon", ["unchecked: for no reason", 'versions: "<1"'])
def test_a_check_that_never_runs_states_nothing(tmp_path: Path, pardon: str) -> None:
    """What nobody looks at cannot show what another sentence says; its own is let pass."""
    text = card(
        f"""
        ask: How many?
        claims:
          - say: There are 8, and not 77.
            check: {{run: count, with: {{start: 1, stop: 9}}, expect: {{n: 8}}}}
          - say: There are 77 of them, one hears.
            {pardon}
            check: {{run: count, with: {{start: 1, stop: 78}}, expect: {{n: 77}}}}
        """
    )
    assert [line.partition(" ")[2] for line in unproven(tmp_path, text)] == ["77"]


def test_only_right_options_are_judged(tmp_path: Path) -> None:
    """A wrong option may state anything; a right one, and the reason of a wrong one, may not."""
    text = card(
        "ask: How many?\noptions:\n  - right: It is 2, or 5.\n  - wrong: It is 11.\n"
        "    because: It would be 11 with 12 of them." + CHECK
    )
    assert [line.partition(" ")[2] for line in unproven(tmp_path, text)] == ["5", "12"]


def test_a_cloze_is_judged_in_its_gaps(tmp_path: Path) -> None:
    """Outside of its gaps a cloze asks; inside it answers."""
    text = card(
        "text: Doubling (5,) gives {{c1::(3,)::shape}} and {{c2::(4,)}}.\nclaims:\n"
        "  - say: It keeps its shape.\n    check:"
        + CHECK.split("check:")[1].replace("\n", "\n    ")
    ).replace("kind: question", "kind: cloze")
    assert [line.partition(" ")[2] for line in unproven(tmp_path, text)] == ["(4,)"]


def test_a_gap_that_is_one_value(tmp_path: Path) -> None:
    """It is what a check expects, or a whole argument; the length of one is neither."""
    text = """
        - id: one
          kind: cloze
          outcome: know
          text: "Of {{c1::(3,)}} comes {{c2::(3,)}}, its entries are {{c3::3}}, not {{c4::2}}."
          claims:
            - say: Each entry is 2.
              check:
                run: Double
                with: {input: "(3,)"}
                expect: {grad_input: [2, 2, 2]}
        """
    assert unproven(tmp_path, textwrap.dedent(text)) == ["5:68 3"]


def test_a_gap_does_not_state_its_own_answer(tmp_path: Path) -> None:
    """What stands in one gap only is given nowhere, though the text is the asking side."""
    text = card(
        "text: Doubling gives {{c1::12::how many}}, not 13, and {{c2::13}}.\nclaims:\n"
        "  - say: It keeps its shape.\n    check:"
        + CHECK.split("check:")[1].replace("\n", "\n    ")
    ).replace("kind: question", "kind: cloze")
    assert [line.partition(" ")[2] for line in unproven(tmp_path, text)] == ["12"]


VARYING = card(
    """
    vary: {n: 3..4}
    ask: "What is the shape of ({{ n }},) doubled?"
    answer: "Here, it is ({{ n + 1 }},), {{ n }} long, 77 in all."
    check:
      run: Double
      with: {input: "({{ n }},)"}
      expect: {output.shape: "({{ n }},)"}
    """
)


@pytest.mark.parametrize("draw", [0, 1])
def test_a_card_that_varies(tmp_path: Path, draw: int) -> None:
    """Each draw is judged by its own numbers, and reported where the author wrote them."""
    line = VARYING.splitlines()[5]
    column = line.index("77") + 1
    [filled, literal] = unproven(tmp_path, VARYING, draw)
    assert literal == f"6:{column} 77"
    assert filled == f"6:{line.index('({{ n + 1') + 1} ({draw + 4},)"


def test_offsets_through_a_template() -> None:
    """An offset into a filled text leads back to the template, to `{{` within a filled value."""
    template, filled = "a {{ n }} b {{ n + 1 }} c", "a 12 b 13 c"
    assert offset_in_template(template, filled, filled.index("b")) == template.index("b")
    assert offset_in_template(template, filled, filled.index("3")) == template.index("{{ n +")
    assert offset_in_template(template, "other", 0) is None


ARGUMENTS = """
check:
  run: count
  with:
    start: {a: 43, b: {c: 44, d: "(53, 54)"}}
    stop: {values: [[45, 46.5]]}
  expect: {n: 8}
"""


@pytest.mark.parametrize("known", ["43", "44", "(53, 54)", "53", "54", "45", "46.5", "[45, 46.5]"])
def test_all_that_an_argument_holds_is_known(tmp_path: Path, known: str) -> None:
    """Values within mappings, shapes and tensors, and nothing beside them."""
    text = card(f'ask: What?\nanswer: "There is {known} in it, and 47."\n{ARGUMENTS}')
    assert [line.partition(" ")[2] for line in unproven(tmp_path, text)] == ["47"]
