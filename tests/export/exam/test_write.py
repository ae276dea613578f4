"""Exams as PDF: what is printed, what is refused, and that it is the same everywhere."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pypdfium2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pypdf import PdfReader

from closedbook.export.exam import Settings, write_exam
from closedbook.export.exam.data import paper_and_key
from closedbook.export.exam.guards import Mark, lost_pieces
from closedbook.export.exam.jobs import make_job, set_variant
from closedbook.export.exam.readback import disagreements, read, squeeze, with_insertions
from closedbook.export.exam.typeset import Typesetter
from closedbook.paper.make import Maker
from closedbook.paper.manifest import (
    changed_questions,
    other_versions,
    printed_sums,
    read_plan,
    variant_entry,
)
from closedbook.paper.plan import Plan, make_plan
from closedbook.verify.verified import VerifiedBank
from tests.export.exam.kinds import BLUEPRINT, every_kind

ROOT = Path(__file__).parents[3]
ONE = (
    "title: One\nminutes: 5\nvariants: 1\nsections:\n  - {{title: Only, cards: [{}], points: 1}}\n"
)


def plan_of(verified: VerifiedBank) -> Plan:
    """The plan of the bank's only blueprint."""
    plan, problems = make_plan(verified, verified.bank.blueprints[0])
    assert plan is not None, "\n".join(map(str, problems))
    return plan


def written(verified: VerifiedBank, folder: Path, **chosen: object) -> dict[str, bytes]:
    """The files of the exam, by name."""
    files, problems = write_exam(verified, plan_of(verified), folder, Settings(**chosen))  # type: ignore[arg-type] # the tests' own words
    assert files, "\n".join(map(str, problems))
    return {path.name: path.read_bytes() for path in files}


def refused(verified: VerifiedBank, folder: Path) -> str:
    """What is wrong with an exam that cannot be printed."""
    files, problems = write_exam(verified, plan_of(verified), folder)
    assert files == []
    return "\n".join(map(str, problems))


def page_texts(pdf: bytes) -> list[str]:
    """The text of each page, as a reader's clipboard gets it."""
    return [page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(pdf)]


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> VerifiedBank:
    """The bank that holds every kind of card."""
    return every_kind(tmp_path_factory.mktemp("kinds"))


@pytest.fixture(scope="module")
def printed(kinds: VerifiedBank, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Its exam, printed."""
    return written(kinds, tmp_path_factory.mktemp("out") / "all")


def test_every_variant_has_a_paper_and_a_key(printed: dict[str, bytes]) -> None:
    """Two variants, their keys, one marking sheet and one manifest are all there is."""
    names = ["A-key.pdf", "A.pdf", "B-key.pdf", "B.pdf", "manifest.json", "marking.pdf"]
    assert sorted(printed) == names


def test_the_paper_says_all_that_a_learner_needs(printed: dict[str, bytes]) -> None:
    """Variant and page on every page, totals, and for the blank file what, where and how judged."""
    pages = page_texts(printed["A.pdf"])
    for number, page in enumerate(pages, 1):
        assert "Variant A" in page
        assert f"Page {number} of {len(pages)}" in page
    text = squeeze("".join(pages))
    for words in (
        "45 minutes, 31 points",
        "Hand in square.py",
        "It defines Square",
        "Graded by cards grade write-square square.py",
        "2 forward gives the right values",
        "4 Its gradient is right.",
        "Return zeros for the gradient",
        "Tick every right answer.",
    ):
        assert squeeze(words) in text


def test_no_answer_is_on_the_paper(printed: dict[str, bytes]) -> None:
    """What the key adds, whys and misconceptions and evidence, is not in the paper's file."""
    paper, key = ("".join(page_texts(printed[name])) for name in ("A.pdf", "A-key.pdf"))
    for words in (
        "It multiplies into",
        "The power rule",
        "torch 2.13.0",
        "saved_tensors",
        "context",
    ):
        assert words in key
    for words in (
        "It multiplies into",
        "The power rule",
        "torch 2.13.0",
        "saved_tensors",
        "context k",
    ):
        assert words not in paper


def test_the_files_are_accessible(printed: dict[str, bytes]) -> None:
    """Each says PDF/UA-1 of itself, is tagged, and has a title and a language."""
    for name, data in printed.items():
        if name.endswith(".pdf"):
            reader = PdfReader(io.BytesIO(data))
            root = reader.trailer["/Root"]
            assert b"pdfuaid:part" in data or "pdfuaid" in str(reader.xmp_metadata)
            assert root["/MarkInfo"]["/Marked"]
            assert root["/Lang"] == "en"
            assert reader.metadata is not None
            assert "Every kind" in str(reader.metadata.title)


def test_the_manifest_holds_cards_draws_orders_points_and_answers(
    printed: dict[str, bytes], kinds: VerifiedBank
) -> None:
    """Its letters are those that the key prints, and its points add up to the paper's."""
    manifest = json.loads(printed["manifest.json"])
    assert manifest["versions"]["torch"] == kinds.torch
    assert manifest["points"] == "31"
    for variant in manifest["variants"]:
        key = read(printed[f"{variant['label']}-key.pdf"])
        for question in variant["questions"]:
            if "options" in question:
                letters = ", ".join(question["answer"])
                assert squeeze(f"Question {question['number']}: {letters}.") in key.answers
        assert sum(float(question["points"]) for question in variant["questions"]) == 31


def test_a_manifest_prints_the_same_bytes_again(
    kinds: VerifiedBank, printed: dict[str, bytes], tmp_path: Path
) -> None:
    """Reading the manifest back gives the plan that it was written from."""
    plan, _, problems = read_plan(printed["manifest.json"].decode(), "manifest.json", kinds)
    assert plan is not None, problems
    files, _ = write_exam(kinds, plan, tmp_path / "again")
    assert {path.name: path.read_bytes() for path in files} == printed


def test_the_layout_of_a_manifest_may_change(
    kinds: VerifiedBank, printed: dict[str, bytes]
) -> None:
    """Its seal is of what it says: one that an editor has set anew prints again."""
    text = json.dumps(json.loads(printed["manifest.json"]), indent=4, sort_keys=True)
    plan, manifest, _ = read_plan(text, "manifest.json", kinds)
    assert plan is not None
    maker = Maker(kinds, plan)
    entries = [variant_entry(maker.variant(i), plan, i) for i in range(len(plan.variants))]
    assert changed_questions(manifest, entries, "manifest.json", kinds) == []


def test_pages_that_come_out_otherwise_are_not_printed_again(
    kinds: VerifiedBank, printed: dict[str, bytes], tmp_path: Path
) -> None:
    """What no card tells of, as a figure's own lines, shows in the bytes of the page."""
    plan, manifest, _ = read_plan(printed["manifest.json"].decode(), "manifest.json", kinds)
    assert plan is not None
    sums = printed_sums(manifest, kinds)
    assert sorted(sums) == ["A-key.pdf", "A.pdf", "B-key.pdf", "B.pdf"]
    folder = tmp_path / "again"
    assert write_exam(kinds, plan, folder, printed=sums)[0]
    files, problems = write_exam(kinds, plan, tmp_path / "no", printed={**sums, "B.pdf": "0" * 64})
    assert files == []
    assert "not as it was printed" in problems[0].message
    assert [note.text for note in problems[0].notes] == ["B.pdf"]
    other = {**manifest, "versions": {**manifest["versions"], "typst": "0.1"}}
    assert printed_sums(other, kinds) == {}


def test_a_manifest_of_a_changed_blueprint_is_refused(
    printed: dict[str, bytes], tmp_path: Path
) -> None:
    """It says that the blueprint has changed, and prints nothing."""
    other = every_kind(tmp_path, blueprint=BLUEPRINT.replace("minutes: 45", "minutes: 50"))
    plan, _, problems = read_plan(printed["manifest.json"].decode(), "manifest.json", other)
    assert plan is None
    assert "this blueprint has changed since the manifest was written" in str(problems[0])


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 9}', '{"format": 1}', "\x00"])
def test_what_is_no_manifest_is_refused(kinds: VerifiedBank, text: str) -> None:
    """Any other text is told to be none, without a traceback."""
    plan, _, problems = read_plan(text, "manifest.json", kinds)
    assert plan is None
    assert "manifest" in problems[0].message


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"label": "A"', '"label": "../../A"'),
        ('"label": "B"', '"label": "A"'),
        ('"section": 0', '"section": -1'),
        ('"section": 0', '"section": 7'),
        ('"large_print": false', '"large_print": "false"'),
        (r'"points": "[^"]*", "draw"', '"points": "0", "draw"'),
        (r'"points": "[^"]*", "draw"', '"points": "1/0", "draw"'),
        (r'"options": \[\d+, ', '"options": [9, '),
        (r'"options": \[\d+, ', '"options": ['),
        (r'"answer": "[^"]*"', '"answer": "another"'),
        (r'"difficulty": \d, "points"', '"difficulty": 5, "points"'),
        (r'      \{"number": 1, .*\n', ""),
        (r'"variants": \[[^$]*\Z', '"variants": []}'),
        (r'"versions": \{[^}]*\}', '"versions": null'),
        (r'"versions": \{[^}]*\},', ""),
        (r'"number": 1,', '"number": [1],'),
        (r'"sha256": "[^"]*"', '"sha256": null'),
        (r'"seed": \d+', '"seed": 4711'),
        (r'"large_print": false', '"large_print": true'),
        (r'"title": "', '"title": "No '),
        (r'"points": "31"', '"points": "30"'),
        (r'"(A.pdf": "[^"]*)"', r'"\1a"'),
        (r',\n  "seal": "[^"]*"', ""),
        (r'"format": 1', '"points": "1", "format": ' + "[" * 100_000),
    ],
    ids=range(24),
)
def test_an_edited_manifest_prints_nothing(
    kinds: VerifiedBank, printed: dict[str, bytes], old: str, new: str
) -> None:
    """What was written into a manifest by hand is refused: it names files, orders and answers."""
    text = re.sub(old, new, printed["manifest.json"].decode(), count=1)
    assert text != printed["manifest.json"].decode()
    plan, manifest, problems = read_plan(text, "manifest.json", kinds)
    if plan is not None:
        maker = Maker(kinds, plan)
        entries = [variant_entry(maker.variant(i), plan, i) for i in range(len(plan.variants))]
        problems = changed_questions(manifest, entries, "manifest.json", kinds)
    assert problems


def test_other_versions_are_told(kinds: VerifiedBank, printed: dict[str, bytes]) -> None:
    """A manifest that another version of Typst or torch wrote prints again, with a warning."""
    manifest = json.loads(printed["manifest.json"])
    assert other_versions(manifest, "manifest.json", kinds) == []
    manifest["versions"]["typst"] = "0.1"
    (warning,) = other_versions(manifest, "manifest.json", kinds)
    assert "typst 0.1, now" in warning.message
    assert warning.severity == "warning"


def test_workers_print_the_same_bytes(
    kinds: VerifiedBank, printed: dict[str, bytes], tmp_path: Path
) -> None:
    """Two processes give what one gives."""
    files, _ = write_exam(kinds, plan_of(kinds), tmp_path / "all", jobs=2)
    assert {path.name: path.read_bytes() for path in files} == printed


SCRIPT = """
import hashlib, sys
from pathlib import Path
from closedbook.export.exam import write_exam
from closedbook.paper.plan import make_plan
from tests.paper.banks import read_bank
verified = read_bank(Path(sys.argv[1]))
plan, _ = make_plan(verified, verified.bank.blueprints[0])
files, problems = write_exam(verified, plan, Path(sys.argv[2]))
print([(path.name, hashlib.sha256(path.read_bytes()).hexdigest()) for path in sorted(files)])
"""


def test_the_same_source_gives_the_same_bytes_anywhere(kinds: VerifiedBank, tmp_path: Path) -> None:
    """Neither PYTHONHASHSEED nor the time zone nor the locale changes a byte."""
    told = []
    for seed, zone, locale in (("0", "UTC", "C"), ("77", "Pacific/Auckland", "tr_TR.UTF-8")):
        surroundings = {
            "PYTHONHASHSEED": seed,
            "TZ": zone,
            "LC_ALL": locale,
            "PYTHONPATH": str(ROOT),
        }
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(kinds.bank.root), str(tmp_path / seed)],
            env={**os.environ, **surroundings},
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        )
        told.append(done.stdout)
    assert told[0] == told[1]
    assert "A-key.pdf" in told[0]


# ---- nothing is lost ----------------------------------------------------------------------------

HOSTILE = [
    '#read("x") $5 and 10$ // c <b>&amp; [link](y) {curly} "quotes" %d ~ ^ _x_ @ref = - +',
    r"\alpha \textbf{x} \\ \end{document} C:\new",
    "x" * 160,
    "שלום עולם",
    "e\u0301 o\u0302\u0323 a\u030a",
    "''' \"\"\" ``` <script>alert(1)</script>",
    "Question 2 3 points",
]


def literal(text: str) -> str:
    """Markdown that means exactly these characters."""
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", text)


def asking(texts: list[str]) -> tuple[str, str]:
    """A card for each text, which stands in its question, an option and code; and a blueprint."""
    cards = "".join(
        f"- id: says-{at}\n  kind: question\n  outcome: one\n  ask: {json.dumps(literal(text))}\n"
        f"  code: {json.dumps(text)}\n"
        f"  options:\n    - right: {json.dumps('Right: ' + literal(text))}\n    - wrong: W\n"
        "  unchecked: a test\n"
        for at, text in enumerate(texts)
    )
    return cards, ONE.format(", ".join(f"says-{at}" for at in range(len(texts))))


def test_hostile_text_comes_out_verbatim(tmp_path: Path) -> None:
    """Syntax of Typst, LaTeX and HTML, long tokens, other scripts: all stand in the PDF's text."""
    files = written(every_kind(tmp_path, *asking(HOSTILE)), tmp_path / "out")
    for name in ("A.pdf", "A-key.pdf"):
        found = squeeze("".join(page_texts(files[name]))).replace(WRAPPED, "")
        for text in HOSTILE:
            # In a line that runs both ways a reader may order the words by place.
            assert squeeze(text) in found
            assert all(found.count(squeeze(word)) >= 3 for word in text.split()), (name, text)


WRAPPED = "↪"
"""What stands at the beginning of the second row of a wrapped line of code."""

PRINTABLE = st.text(
    st.characters(codec="latin-1", min_codepoint=33, exclude_categories=["Cc", "Cf"]),
    min_size=1,
    max_size=60,
)


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(texts=st.lists(PRINTABLE, min_size=1, max_size=3))
def test_any_text_comes_out_verbatim(tmp_path: Path, texts: list[str]) -> None:
    """Whatever Latin text stands on a card stands on paper and key, character by character."""
    files = written(every_kind(tmp_path, *asking(texts)), tmp_path / "out")
    for name in ("A.pdf", "A-key.pdf"):
        found = squeeze("".join(page_texts(files[name]))).replace(WRAPPED, "")
        assert all(squeeze(text) in found for text in texts)


@pytest.mark.parametrize(
    ("card", "says"),
    [
        (
            f"  ask: |\n    | a | b |\n    |---|---|\n    | {'word ' * 900}| c |\n"
            "  answer: Yes.\n  unchecked: a test\n",
            "card 'odd': it cannot be set: a row of a table is ",
        ),
        (
            "  ask: Say 漢.\n  answer: Yes.\n  unchecked: a test\n",
            "card 'odd': no font at hand has '漢' (U+6F22)\n"
            "    - id: odd\n      ^\n"
            "    put a font file that has it into the bank's folder fonts/",
        ),
        (
            "  ask: "
            + json.dumps("$$" + "+".join(["x_{1234567890}"] * 30) + "$$")
            + "\n  answer: Yes.\n  unchecked: a test\n",
            "card 'odd': it cannot be set: a formula set apart is ",
        ),
        (
            "  ask: Why?\n  answer: Yes.\n  unchecked: a test\n  space: five lines\n",
            "'five lines' is no space: write 4cm, 6 lines, grid, grid 6cm or none",
        ),
    ],
)
def test_what_would_be_lost_is_an_error_that_names_the_card(
    tmp_path: Path, card: str, says: str
) -> None:
    """Missing glyphs, tall rows, wide formulas: nothing is written, old files stay."""
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "A.pdf").write_bytes(b"the last run's")
    cards = f"- id: odd\n  kind: question\n  outcome: one\n{card}"
    told = refused(every_kind(tmp_path / "bank", cards, ONE.format("odd")), folder)
    assert says in told
    assert "cards/unit/cards.yaml:" in told
    assert [path.name for path in folder.iterdir()] == ["A.pdf"]
    assert (folder / "A.pdf").read_bytes() == b"the last run's"


def test_a_question_taller_than_its_page_breaks_before_its_answer_space(tmp_path: Path) -> None:
    """No line of it is lost, and the space for the answer stays on one page."""
    lines = [f"Line {at} of the question." for at in range(40)]
    text = json.dumps("  \n".join(lines))
    card = f"- id: odd\n  kind: question\n  outcome: one\n  ask: {text}\n"
    card += "  answer: Yes.\n  unchecked: a test\n  space: 20cm\n"
    pages = page_texts(
        written(every_kind(tmp_path, card, ONE.format("odd")), tmp_path / "out")["A.pdf"]
    )
    assert len(pages) > 1
    assert all(line in "".join(pages) for line in lines)


def test_a_table_longer_than_its_page_goes_on_over_the_next(tmp_path: Path) -> None:
    """No row is parted, and the head is printed once: paper and key agree wherever pages end."""
    words = " ".join(f"word{at}" for at in range(40))
    rows = "".join(f"    | row {at}: {words} | side |\n" for at in range(30))
    card = "- id: odd\n  kind: question\n  outcome: one\n  ask: |\n"
    card += f"    | top | head |\n    |---|---|\n{rows}"
    card += "  answer: Yes.\n  unchecked: a test\n  space: 20cm\n"
    pages = page_texts(
        written(every_kind(tmp_path, card, ONE.format("odd")), tmp_path / "out")["A.pdf"]
    )
    assert all(f"row {at}:" in "".join(pages) for at in range(30))
    assert "".join(pages).count("head") == 1


def test_letters_beyond_z_do_not_touch_their_options(tmp_path: Path) -> None:
    """The 27th option is AA, in a column of its own."""
    names = [f"{chr(97 + at // 26)}{chr(97 + at % 26)} x" for at in range(40)]
    card = "- id: odd\n  kind: question\n  outcome: one\n  ask: Which?\n  unchecked: a test\n"
    card += f"  options:\n    - right: {names[0]}\n"
    card += "".join(f"    - wrong: {name}\n" for name in names[1:])
    pages = page_texts(
        written(every_kind(tmp_path, card, ONE.format("odd")), tmp_path / "out")["A.pdf"]
    )
    assert len(re.findall(r"\bA[A-N]\s+[ab][a-z] x", "".join(pages))) == 14


def test_an_answer_space_taller_than_its_page_is_an_error(tmp_path: Path) -> None:
    """Thirty lines of large print do not fit a page: the card is named."""
    card = "- id: odd\n  kind: question\n  outcome: one\n  ask: Why?\n  answer: Yes.\n"
    card += "  unchecked: a test\n  space: 30 lines\n"
    verified = every_kind(tmp_path, card, ONE.format("odd"))
    files, problems = write_exam(
        verified, plan_of(verified), tmp_path / "out", Settings(large_print=True)
    )
    assert files == []
    told = (
        "card 'odd': the answer space of question 1 is taller than its page: give it less 'space'"
    )
    assert told in str(problems[0])


@pytest.mark.parametrize(
    ("longer", "most", "fits"),
    [
        ("abcdef", 0, True),
        ("abcXdef", 1, True),
        ("XabcdefY", 1, False),
        ("XabcdefY", 2, True),
        ("abXcdYefZ", 3, True),
        ("abXcdYefZ", 2, False),
        ("abdef", 3, False),
        ("abcabcdef", 1, True),
    ],
)
def test_only_so_many_pieces_may_come_in(longer: str, most: int, fits: bool) -> None:
    """Lettering of figures in answers may stand among what is asked; nothing may be missing."""
    assert with_insertions("abcdef", longer, most) == fits


def test_long_code_is_wrapped_inside_its_frame(tmp_path: Path) -> None:
    """Lines of 300 characters and a token of 200 stay on the page, and no character is lost."""
    code = f"x = [{', '.join(str(at) for at in range(80))}]\ny = '{'z' * 200}'\n"
    code += f"z = {'+'.join(['abc'] * 80)}\nw = {'a.b'.join(['cde'] * 60)}"
    card = (
        f"- id: odd\n  kind: question\n  outcome: one\n  ask: Read.\n  code: {json.dumps(code)}\n"
    )
    card += "  answer: Yes.\n  unchecked: a test\n"
    files = written(every_kind(tmp_path, card, ONE.format("odd")), tmp_path / "out")
    found = squeeze("".join(page_texts(files["A.pdf"]))).replace(WRAPPED, "")
    assert all(squeeze(line) in found for line in code.splitlines())


def test_a_piece_that_is_split_or_runs_off_is_found() -> None:
    """The marks at a piece's start and end tell of both."""
    marks = [
        Mark("a", "question 1", "start", 1, 100.0),
        Mark("a", "question 1", "end", 1, 700.0),
        Mark("b", "question 2", "start", 1, 705.0),
        Mark("b", "question 2", "end", 2, 90.0),
        Mark("c", "question 3", "start", 2, 95.0),
        Mark("c", "question 3", "end", 2, 999.0),
    ]
    told = dict(lost_pieces(marks, "a4"))
    assert list(told) == ["b", "c"]
    assert told["b"] == "question 2 is split over pages 1 and 2"
    assert "is taller than its page" in told["c"]


# ---- paper and key ------------------------------------------------------------------------------


def test_a_key_that_disagrees_is_found(kinds: VerifiedBank) -> None:
    """Another order of options, another letter, another text, another variant: each is told."""
    maker = Maker(kinds, plan_of(kinds))
    variant = maker.variant(0)
    paper, key = paper_and_key(variant, Settings())
    other, _ = paper_and_key(maker.variant(1), Settings())
    promises = make_job(0, variant, paper, key, Path(), ()).promises

    def told(paper: dict[str, object], key: dict[str, object]) -> list[str]:
        return [what for _, what in disagreements(read(pdf(paper)), read(pdf(key)), "A", promises)]

    def changed(change: object) -> dict[str, object]:
        data = json.loads(json.dumps(key))
        questions = [q for section in data["sections"] for q in section["questions"]]
        change(questions)  # type: ignore[operator] # a function of this test
        return data

    def swap_options(questions: list[dict[str, list[object]]]) -> None:
        options = next(q["options"] for q in questions if q["options"])
        options[0]["text"], options[1]["text"] = options[1]["text"], options[0]["text"]  # type: ignore[index] # plain data

    def other_letter(questions: list[dict[str, dict[str, object]]]) -> None:
        next(q for q in questions if q["options"])["key"]["letters"] = ["Z"]

    def other_text(questions: list[dict[str, object]]) -> None:
        questions[3]["stem"] = [{"k": "par", "c": ["Something else."]}]

    with Typesetter(kinds.bank.root) as setter:
        pdf = setter.pdf
        assert told(paper, key) == []
        assert any("differently" in what for what in told(paper, changed(swap_options)))
        assert any(
            "does not answer question" in what for what in told(paper, changed(other_letter))
        )
        assert any(
            "question 4 of variant A differently" in w for w in told(paper, changed(other_text))
        )
        assert told(other, key)


def test_a_variant_whose_key_disagrees_is_not_written(kinds: VerifiedBank, tmp_path: Path) -> None:
    """Both are read back before they come into the folder, and the fault names the card."""
    variant = Maker(kinds, plan_of(kinds)).variant(0)
    paper, key = paper_and_key(variant, Settings())
    asked = next(q for section in key["sections"] for q in section["questions"] if q["options"])
    job = make_job(0, variant, paper, key, tmp_path, ())
    with Typesetter(kinds.bank.root) as setter:
        outcome = set_variant(setter, job)
        assert (outcome.faults, sorted(outcome.sha256)) == ((), ["A-key.pdf", "A.pdf"])
        for path in tmp_path.iterdir():
            path.unlink()
        asked["key"]["letters"] = ["Z"]
        outcome = set_variant(setter, make_job(0, variant, paper, key, tmp_path, ()))
    ((card, told, _),) = outcome.faults
    assert card == asked["card"]
    assert "does not answer question" in told
    assert outcome.sha256 == {}
    assert list(tmp_path.iterdir()) == []


def test_an_exam_that_is_refused_leaves_nothing_behind(tmp_path: Path) -> None:
    """Neither the folder nor the one beside it, where files wait for each other."""
    card = "- {id: odd, kind: question, outcome: one, ask: A \u1200?, answer: No., unchecked: Odd.}"
    verified = every_kind(tmp_path / "bank", f"\n{card}\n", ONE.format("odd"))
    (tmp_path / "out").mkdir()
    assert "no font at hand" in refused(verified, tmp_path / "out" / "one")
    assert list((tmp_path / "out").iterdir()) == []


def test_the_marking_sheet_has_the_answers_of_all_variants(printed: dict[str, bytes]) -> None:
    """Row by row, in the order of the variants: the letters, the blanks, and each total."""
    sheet = read(printed["marking.pdf"]).asked
    variants = json.loads(printed["manifest.json"])["variants"]
    at = 0
    for place in range(len(variants[0]["questions"])):
        for variant in variants:
            question = variant["questions"][place]
            if "options" in question:
                told = ",".join(question["answer"])
                at = sheet.index(told, at) + len(told)
    assert sheet.endswith("".join(variant["points"] for variant in variants))


def test_what_the_key_adds_has_an_ink_of_its_own(printed: dict[str, bytes]) -> None:
    """The key's black text is the paper's, gaps apart; its answers are read by their colour."""
    paper, key = read(printed["B.pdf"]), read(printed["B-key.pdf"])
    assert len(paper.answers) == 0
    for told in ("The power rule.", "Nothing is appended.", "It multiplies into a new tensor."):
        assert squeeze(told) in key.answers
        assert squeeze(told) not in key.asked


# ---- settings -----------------------------------------------------------------------------------


def test_large_print_is_eighteen_points(kinds: VerifiedBank, tmp_path: Path) -> None:
    """The body of the text is set in 18 pt, and nothing is lost by it."""
    pdf = written(kinds, tmp_path / "out", large_print=True)["A.pdf"]
    sizes: list[float] = []
    PdfReader(io.BytesIO(pdf)).pages[0].extract_text(
        visitor_text=lambda text, cm, tm, font, size: (
            sizes.append(size) if "gradcheck" in text else None
        )
    )
    assert sizes
    assert all(size == pytest.approx(18) for size in sizes)


def test_duplex_begins_each_part_on_a_right_hand_page(kinds: VerifiedBank, tmp_path: Path) -> None:
    """Every part's heading stands on an odd page."""
    pages = page_texts(written(kinds, tmp_path / "out", duplex=True)["A.pdf"])
    titles = ("Part 1 Short", "Part 2 Longer", "Part 3 From a blank file")
    starts = [
        next(at for at, page in enumerate(pages, 1) if squeeze(title) in squeeze(page))
        for title in titles
    ]
    assert starts == [1, 3, 5]


def test_us_letter_is_eight_and_a_half_by_eleven(tmp_path: Path) -> None:
    """The blueprint's paper is the PDF's page."""
    verified = every_kind(tmp_path, blueprint=BLUEPRINT + "paper: us-letter\n")
    pdf = written(verified, tmp_path / "out")["A.pdf"]
    assert pypdfium2.PdfDocument(pdf)[0].get_size() == pytest.approx((612, 792))


def test_the_marks_of_a_document_are_read_after_it(kinds: VerifiedBank) -> None:
    """Every piece that must stay whole leaves a start and an end."""
    paper, _ = paper_and_key(Maker(kinds, plan_of(kinds)).variant(0), Settings())
    with Typesetter(kinds.bank.root) as setter:
        setter.pdf(paper)
        marks = setter.marks()
    edges = [(mark.what, mark.edge) for mark in marks]
    assert ("question 1", "start") in edges
    assert ("question 1", "end") in edges
    assert {mark.card for mark in marks} == {
        q.card for q in Maker(kinds, plan_of(kinds)).variant(0).questions
    }
