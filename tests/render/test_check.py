"""Every text of a card is checked, and each mistake stands at its line and column."""

from __future__ import annotations

from pathlib import Path

import pytest

from closedbook.cli import run
from closedbook.model.bank import Bank
from closedbook.problem import Problem
from closedbook.render.check import check_card, check_text
from closedbook.source import load_bank
from closedbook.source.draws import space_of
from closedbook.source.realise import realise

UNIT = "title: U\ndeck: U\noutcomes:\n  o: Outcome.\n"


def bank_of(folder: Path, cards: str) -> Bank:
    """A bank with one file of cards."""
    unit = folder / "cards" / "u"
    unit.mkdir(parents=True)
    (folder / "cards/bank.yaml").write_text("id: b\ntitle: B\n")
    (unit / "unit.yaml").write_text(UNIT)
    (unit / "c.yaml").write_text(cards)
    bank, problems = load_bank(folder)
    assert bank is not None, problems
    return bank


def problems_of(bank: Bank) -> list[Problem]:
    """What is wrong with the texts of the bank's cards, under their first draws."""
    found = []
    for card in bank.cards:
        space, _ = space_of(card)
        assert space is not None
        drawn, problems = realise(card, next(iter(space.walk())), bank.generators)
        assert drawn is not None, problems
        found += check_card(drawn)
    return found


def test_places_are_exact(tmp_path: Path) -> None:
    """A formula, a figure, a link and a language are named at their line and column."""
    bank = bank_of(
        tmp_path,
        "- id: a\n"
        "  kind: question\n"
        "  outcome: o\n"
        "  ask: |\n"
        "    First line,\n"
        "    then $x + \\R$ and ![f](no.svg).\n"
        "\n"
        "    ```pyhton\n"
        "    x = 1\n"
        "    ```\n"
        '  answer: "it is [a](b)"\n'
        "  unchecked: a definition\n"
        "- id: b\n"
        "  kind: cloze\n"
        "  outcome: o\n"
        "  text: '\\{{c1::escaped}} here'\n"
        "  claims: [{say: so, unchecked: a definition}]\n",
    )
    told = [(str(p.place), p.severity, p.message.split(":")[0]) for p in problems_of(bank)]
    path = "cards/u/c.yaml"
    assert told == [
        (f"{path}:6:15", "error", "\\R is not set"),
        (f"{path}:6:23", "error", "there is no figure 'no.svg' beside the card's file"),
        (f"{path}:8:8", "warning", "no highlighting for 'pyhton' (did you mean 'python'?)"),
        (
            f"{path}:11:18",
            "error",
            "this is read as a link to 'b'; links go to http, https or mailto (put code in "
            "backticks, or write \\[ for a plain bracket)",
        ),
        (f"{path}:16:10", "error", "a cloze text needs a gap"),
    ]


def test_a_draw_is_checked_as_it_is_drawn(tmp_path: Path) -> None:
    """What only the drawn text gets wrong is told at the beginning of its text."""
    bank = bank_of(
        tmp_path,
        "- id: a\n"
        "  kind: question\n"
        "  outcome: o\n"
        "  vary: {n: [R]}\n"
        '  ask: "$\\\\{{ n }}$"\n'
        "  answer: yes\n"
        "  unchecked: a definition\n",
    )
    problem = problems_of(bank)[0]
    assert (problem.place.line, problem.place.column) == (5, 8)
    assert "\\R is not set" in problem.message


def test_offsets_count_gap_marks() -> None:
    """Behind a gap in a formula, a mistake is found where the author sees it."""
    text = "a $x_{ {{c1::y::hint}} } + \\R$"
    (problem,) = check_text(text, cloze=True)
    assert text[problem.offset :] == "\\R$"


def test_an_empty_text_is_a_mistake() -> None:
    """A text of spaces shows nothing."""
    assert [problem.message for problem in check_text("  \n")] == ["this text is empty"]


def test_verify_reads_texts_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`cards verify` refuses a bank whose claims hold but whose formula cannot be set."""
    bank_of(
        tmp_path,
        "- id: a\n"
        "  kind: question\n"
        "  outcome: o\n"
        "  ask: What is $\\R$?\n"
        "  answer: A set.\n"
        "  unchecked: a definition\n",
    )
    assert run(["verify", "--bank", str(tmp_path)]) == 1
    told = capsys.readouterr()
    assert "cards/u/c.yaml:4:17: \\R is not set" in told.out + told.err


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("no gap", ["4:9: a cloze text needs a gap: write {{c1::…}} around what is asked for"]),
        ("{{ c2::spaced }}", ["4:10: this is not read as a gap: write {{c2::spaced}}"]),
        ("{C1::one}, {c1::two}", ["4:21: this is not read as a gap: write {{c1::two}}"]),
        (
            "{{c1,2::both}}",
            ["4:10: one gap has one number: write {{c1::…}} and {{c2::…}} separately"],
        ),
        ("{{c0::none}}", ["4:10: gaps are numbered from c1 to c500, not c0"]),
        ("{{c501::none}}", ["4:10: gaps are numbered from c1 to c500, not c501"]),
        ("{{c1::}}", ["4:10: this gap is empty"]),
    ],
)
def test_a_mistake_with_gaps_is_told_once(tmp_path: Path, text: str, told: list[str]) -> None:
    """Reading the bank and reading its texts never tell of the same mistake."""
    card = f"- id: a\n  kind: cloze\n  outcome: o\n  text: '{text}'\n"
    bank = bank_of(tmp_path, f"{card}  claims: [{{say: so, unchecked: a definition}}]\n")
    found = [*load_bank(tmp_path)[1], *problems_of(bank)]
    assert [str(problem).splitlines()[0].partition("c.yaml:")[2] for problem in found] == told


def test_a_draw_may_lose_the_gap_that_is_written(tmp_path: Path) -> None:
    """A gap behind a condition is missed in the draw that leaves it out."""
    bank = bank_of(
        tmp_path,
        "- id: a\n"
        "  kind: cloze\n"
        "  outcome: o\n"
        "  vary: {n: [1, 2]}\n"
        "  text: '{% if n > 1 %}{{c1::two}}{% else %}one{% endif %} of {{ n }}'\n"
        "  claims: [{say: so, unchecked: a definition}]\n",
    )
    (problem,) = problems_of(bank)
    assert problem.message.startswith("a cloze text needs a gap")


def test_braces_that_nothing_fills_in(tmp_path: Path) -> None:
    """Double braces in prose are an error where nothing varies; in code and formulas they stay."""
    bank = bank_of(
        tmp_path,
        "- id: plain\n"
        "  kind: question\n"
        "  outcome: o\n"
        '  ask: "`{{ n }}`, $x^{{n}}$, the square of {{ n }}?"\n'
        '  answer: "{{ n * n }}{% if n %} of {{c1::n}}{% endif %}"\n'
        "  unchecked: a definition\n"
        "- id: varies\n"
        "  kind: question\n"
        "  outcome: o\n"
        "  vary: {n: 2..3}\n"
        "  ask: \"{{ '{{ n }}' }} and {{ n }}\"\n"
        '  answer: "{{c1::{{ n }}}}"\n'
        "  unchecked: a definition\n"
        "- id: gaps\n"
        "  kind: cloze\n"
        "  outcome: o\n"
        "  text: 'A {{c1::gap}} and {{half}} and `{{ code }}`'\n"
        '  claims: [{say: "{{c1::so}}", unchecked: a definition}]\n',
    )
    told = [(str(p.place).partition(":")[2], p.message.split(":", 1)) for p in problems_of(bank)]
    advice = " give it 'vary', or write literal braces as code, in backticks"
    plain = ["this card does not vary, so {{ … }} is printed as it stands", advice]
    assert told == [
        ("4:45", plain),
        ("5:12", plain),
        ("5:23", [plain[0].replace("{{ … }}", "{% … %}"), advice]),
        ("5:37", ["a gap stands in the 'text' of a cloze, nowhere else"]),
        ("12:11", ["a gap stands in the 'text' of a cloze, nowhere else"]),
        ("17:28", ["this is not read as a gap", " write {{c2::half}}"]),
        ("18:19", ["a gap stands in the 'text' of a cloze, nowhere else"]),
    ]
