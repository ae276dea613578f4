"""What a report looks like."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as Tree

import pytest
import xmlschema

from closedbook.problem import Note, Place, Problem
from closedbook.verify.formats import FORMATS, write
from closedbook.verify.formats.github import annotation, bank_prefix
from closedbook.verify.formats.text import seconds
from closedbook.verify.report import CardResult, Passed, Report, Sampled

SCHEMA = Path(__file__).parent / "data" / "junit.xsd"


class At:
    """The origin of a card at a line of its file."""

    path = "cards/unit/a.yaml"

    def __init__(self, line: int) -> None:
        self.line = line

    def place(self, *_: object, **__: object) -> Place:
        """The card's place."""
        return Place(self.path, self.line, 3)

    def problem(self, *_: object, **__: object) -> Problem:
        """Not asked for."""
        raise NotImplementedError


FAILED = Problem(
    Place("cards/unit/a.yaml", 12, 9),
    "n=4: grad of f, 100%: expected 3,\nobserved \x1b[1m4",
    excerpt="    grad: 3",
    notes=(Note("from f", Place("generators/f.py", 3)),),
    card="one",
)
LOOSE = Problem(Place("cards/bank.yaml"), "the bank <has> no title & no id")
WARNING = Problem(Place("cards/unit/a.yaml", 2), "this is odd", severity="warning", card="two")


@pytest.fixture
def report() -> Report:
    """A run with a card that fails, one that warns, one that is skipped, and a stray mistake."""
    return Report(
        problems=[LOOSE, FAILED, WARNING],
        cards=3,
        claims=4,
        checks=2005,
        draws=2002,
        references=2,
        exempted=[Passed("two", Place("cards/unit/a.yaml", 22, 5), "seen\nby hand")],
        outside=[Passed("three", Place("cards/unit/a.yaml", 31), "holds for torch >=99")],
        walked=1,
        sampled=[Sampled("two", 2000, 4096), Sampled("three", 2000, 10**9, exact=False)],
        ran=5,
        receipts=2002,
        results=[
            CardResult("one", "unit", At(1), 1, 1, 0.0012, failed=True),
            CardResult("two", "unit", At(20), 1, 2000, 1.5, failed=False),
            CardResult("three", "other", At(30), 1, 1, 0.0, failed=False),
        ],
        notes=["the receipts were damaged (x) and have been dropped"],
        torch="2.13.0+cpu",
        seconds=75.25,
    )


def test_text(report: Report) -> None:
    """People read what is wrong first, then a summary that fits 80 columns."""
    text = write(report, "text")
    head, _, summary = text.partition("3 cards")
    assert head.startswith("cards/bank.yaml: the bank <has> no title")
    assert "cards/unit/a.yaml:12:9: n=4: grad of f" in head
    assert "cards/unit/a.yaml:2: warning: this is odd" in head
    assert f"3 cards{summary}" == (
        "3 cards, 4 claims, 2,005 checks, 2,002 draws: 2 errors, 1 warning (75.2 s)\n"
        "  checks    2 references, 5 ran, 2,002 known from receipts, torch 2.13.0+cpu\n"
        "  draws     1 space walked whole, 2 spaces sampled\n"
        "            two: 2,000 of 4,096 draws\n"
        "            three: 2,000 of at most 1,000,000,000 draws\n"
        "  exempt    1 claim unchecked\n"
        "            cards/unit/a.yaml:22:5: seen by hand\n"
        "  skipped   1 claim outside its versions of torch\n"
        "            cards/unit/a.yaml:31: holds for torch >=99\n"
        "  note      the receipts were damaged (x) and have been dropped\n"
    )
    assert max(map(len, summary.splitlines())) <= 80


def test_json(report: Report) -> None:
    """Programs find everything, under the names that docs/ci.md gives."""
    data = json.loads(write(report, "json"))
    assert (data["format"], data["version"], data["holds"]) == ("closedbook-verify", 1, False)
    assert data["counts"]["errors"] == 2
    assert data["counts"]["exemptions"] == 1
    assert data["problems"][1] == {
        "severity": "error",
        "path": "cards/unit/a.yaml",
        "line": 12,
        "column": 9,
        "card": "one",
        "message": FAILED.message,
        "excerpt": "    grad: 3",
        "notes": [{"text": "from f", "path": "generators/f.py", "line": 3, "column": 0}],
    }
    assert [card["id"] for card in data["cards"] if card["holds"]] == ["two", "three"]
    assert data["sampled"][0] == {"card": "two", "taken": 2000, "size": 4096, "exact": True}
    docs = (Path(__file__).parents[2] / "docs" / "ci.md").read_text()
    for name in [*data, *data["counts"]]:
        assert f"`{name}`" in docs, name


def test_junit(report: Report) -> None:
    """A CI server finds a suite for each unit and a case for each card, by JUnit's schema."""
    text = write(report, "junit")
    xmlschema.XMLSchema(SCHEMA).validate(text)
    root = Tree.fromstring(text)  # noqa: S314 - we wrote it
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("4", "1", "1")
    cases = {case.get("name"): case for case in root.iter("testcase")}
    failure = cases["one"].find("failure")
    assert failure is not None
    assert "generators/f.py:3" in (failure.text or "")
    assert "\x1b" not in text
    assert cases["two"].find("failure") is None
    assert cases["three"].find("skipped") is not None
    assert cases["cards/bank.yaml"].find("error") is not None


def test_junit_of_nothing() -> None:
    """A report without cards is valid too."""
    xmlschema.XMLSchema(SCHEMA).validate(write(Report(), "junit"))


def test_github(report: Report) -> None:
    """Each problem is an annotation at its file and line, with nothing that ends it early."""
    lines = write(report, "github", "bank/").splitlines()
    assert lines[0] == "::error file=bank/cards/bank.yaml::the bank <has> no title & no id"
    assert lines[1] == (
        "::error file=bank/cards/unit/a.yaml,line=12,col=9,title=one::"
        "n=4: grad of f, 100%25: expected 3,%0Aobserved \\x1b[1m4%0Afrom f (generators/f.py:3)"
    )
    assert lines[2].startswith("::warning file=bank/cards/unit/a.yaml,line=2,title=two::")


def test_nothing_in_a_problem_steers_a_terminal() -> None:
    """Control characters of paths, messages and notes are told as escapes; lines stay lines."""
    place = Place("two\nlines\x1b.yaml", 1, 2)
    problem = Problem(place, "was \0,\nnot \x9b", excerpt="a \x1b b", notes=(Note("\r", place),))
    at = "two\\nlines\\x1b.yaml:1:2"
    assert str(problem) == (f"{at}: was \\x00,\nnot \\x9b\n    a   b\n     ^\n    \\r ({at})")
    assert annotation(problem) == (
        f"::error file=two%0Alines\\x1b.yaml,line=1,col=2::was \\x00,%0Anot \\x9b%0A\\r ({at})"
    )


def test_github_escapes_fields() -> None:
    """A comma or colon in a file's name does not end its field."""
    assert annotation(Problem(Place("a,b:c%.yaml"), "m")) == "::error file=a%2Cb%3Ac%25.yaml::m"


def test_the_way_from_the_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Annotations start from the checked out repository, wherever the bank lies in it."""
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    assert bank_prefix(tmp_path) == ""
    assert bank_prefix(tmp_path / "a" / "b") == "a/b/"
    assert bank_prefix(tmp_path.parent) == ""


def test_the_command_knows_every_format() -> None:
    """`--format` offers what there is."""
    from closedbook.commands.verify import FORMAT_NAMES

    assert tuple(FORMATS) == FORMAT_NAMES


def test_a_card_that_fails_is_not_also_skipped(report: Report) -> None:
    """With one claim wrong and another outside its versions, a CI server counts one failure."""
    report.outside.append(Passed("one", Place("cards/unit/a.yaml", 14), "holds for torch >=99"))
    root = Tree.fromstring(write(report, "junit"))  # noqa: S314 - we wrote it
    (case,) = (case for case in root.iter("testcase") if case.get("name") == "one")
    assert [child.tag for child in case] == ["failure"]
    assert [suite.get("skipped") for suite in root] == ["0", "1", "0"]


def test_a_long_list_says_how_many_more_there_are(report: Report) -> None:
    """Three are shown, and the rest is counted."""
    report.exempted *= 8
    lines = write(report, "text").splitlines()
    assert lines.count("            cards/unit/a.yaml:22:5: seen by hand") == 3
    assert "            and 5 more (--format json lists them)" in lines


@pytest.mark.parametrize(
    ("duration", "said"),
    [
        (0.0124, "12 ms"),
        (0.9994, "999 ms"),
        (0.9996, "1.0 s"),
        (1.44, "1.4 s"),
        (119.94, "119.9 s"),
        (119.97, "2 min 0 s"),
        (125.2, "2 min 5 s"),
        (179.6, "3 min 0 s"),
        (3599.7, "60 min 0 s"),
    ],
)
def test_a_time_is_rounded_into_its_unit(duration: float, said: str) -> None:
    """No second has 1000 ms, and no minute 60 s."""
    assert seconds(duration) == said
