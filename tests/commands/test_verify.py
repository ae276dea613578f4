"""``cards verify`` as a person or a CI server runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import xmlschema

from closedbook import cli
from tests.verify.bank import card, make_bank

GOOD = card(
    "ask: How many from 1 to 9?\nanswer: There are 8.\ncheck:\n  run: count\n"
    "  with: {start: 1, stop: 9}\n  expect: {n: 8}\n"
)
BAD = GOOD.replace("n: 8", "n: 9")


def cards(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run ``cards verify`` in the bank."""
    return subprocess.run(
        [sys.executable, "-m", "closedbook", "verify", *arguments],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_a_bank_that_holds_and_then_does_not(tmp_path: Path) -> None:
    """Exit code 0 and a summary; unchanged, the same without work; then 1 and the mistake."""
    root = make_bank(tmp_path, GOOD)
    first, again = cards(root), cards(root)
    assert (first.returncode, first.stderr) == (0, "")
    assert first.stdout.startswith("1 card, 1 claim, 1 check, 1 draw: all hold (")
    assert "3 ran, 0 known from receipts" in first.stdout
    assert "0 ran, 3 known from receipts" in again.stdout
    assert (root / "build" / "verified.json").exists()
    failed = cards(make_bank(tmp_path, BAD))
    assert failed.returncode == 1
    assert "cards/unit/cards.yaml:9:17: n of count: expected 9, observed 8" in failed.stdout
    assert "2 errors" in failed.stdout
    assert cards(make_bank(tmp_path, GOOD)).returncode == 0


def test_an_unchanged_bank_imports_next_to_nothing(tmp_path: Path) -> None:
    """The second verify parses nothing: torch, YAML and pydantic stay on the disk."""
    root = make_bank(tmp_path, GOOD)
    assert cards(root).returncode == 0
    program = (
        "import sys\nfrom closedbook import cli\ncode = cli.run(['verify'])\n"
        "heavy = {'torch', 'yaml', 'pydantic', 'jinja2', 'rich', 'sqlite3'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else code)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stderr) == (0, "")


def test_a_value_that_yaml_has_torn_apart_is_one_mistake(tmp_path: Path) -> None:
    """What the pieces would mean to the experiment is not said beside what is to be written."""
    torn = GOOD.replace("start: 1", "start: (5, 4)")
    said = cards(make_bank(tmp_path, torn)).stdout
    assert said.startswith(
        "cards/unit/cards.yaml:8:19: YAML splits (5, 4) at its comma inside {…}: "
        'write start: "(5, 4)"\n'
    )
    assert "1 error (" in said


@pytest.mark.parametrize(
    "change",
    [
        ("cards/unit/cards.yaml", "# comment\n"),
        ("cards/unit/figure.svg", "<svg/>"),
        ("generators/more.py", "x = 1\n"),
        ("exams/new.yaml", ""),
    ],
)
def test_any_change_of_a_file_is_noticed(tmp_path: Path, change: tuple[str, str]) -> None:
    """Whatever changes below the bank's folders, the remembered verdict is not used."""
    from closedbook.verify.receipts import snapshot

    root = make_bank(tmp_path, GOOD)
    before = snapshot.key_of_files(snapshot.hash_files(root), 2000)
    path = root / change[0]
    path.parent.mkdir(exist_ok=True)
    with path.open("a") as file:
        file.write(change[1])
    assert snapshot.key_of_files(snapshot.hash_files(root), 2000) != before


def test_a_failure_is_not_remembered(tmp_path: Path) -> None:
    """Only that a whole bank held is kept; what failed may have been the machine's, and is run."""
    root = make_bank(tmp_path, BAD)
    for _ in range(2):
        assert cli.run(["verify", "--bank", str(root), "--jobs", "1"]) == 1
        assert not (root / "build" / "verified.json").exists()


def test_a_verdict_is_one_on_so_many_draws() -> None:
    """What held over few draws is not known to hold over more."""
    from closedbook.verify.receipts import snapshot

    assert snapshot.key_of_files({}, 10) != snapshot.key_of_files({}, 2000)


def test_a_verdict_is_one_of_this_installation(monkeypatch: pytest.MonkeyPatch) -> None:
    """What another closedbook or torch has found to hold is looked at again."""
    from closedbook.verify.receipts import snapshot

    before = snapshot.key_of_files({}, 10)
    assert snapshot.key_of_files({}, 10) == before
    monkeypatch.setattr(snapshot, "stamp", lambda: "another")
    assert snapshot.key_of_files({}, 10) != before


def test_links_that_go_round(tmp_path: Path) -> None:
    """Each folder is hashed once, and a link to itself is none; what is behind a link counts."""
    from closedbook.verify.receipts import snapshot

    folder, far = tmp_path / "cards" / "unit", tmp_path / "far"
    folder.mkdir(parents=True)
    far.mkdir()
    (folder / "one.yaml").write_text("one")
    (far / "figure.svg").write_text("two")
    for name in "abcdefgh":
        (folder / name).symlink_to("..")
    (folder / "self.yaml").symlink_to("self.yaml")
    (folder / "linked").symlink_to(far)
    before = snapshot.hash_files(tmp_path)
    assert {path.rpartition("/")[2] for path in before} == {"one.yaml", "figure.svg"}
    (far / "figure.svg").unlink()
    assert snapshot.hash_files(tmp_path) != before


@pytest.mark.parametrize("damage", ["", "{", '{"key": 1}', "[]", "[" * 100_000])
def test_a_damaged_verdict_is_not_trusted(tmp_path: Path, damage: str) -> None:
    """A remembered verdict that is not whole counts for nothing."""
    from closedbook.verify.receipts import snapshot
    from closedbook.verify.report import Report

    snapshot.remember(tmp_path, "key", Report(cards=3))
    assert snapshot.recall(tmp_path, "key") is not None
    assert snapshot.recall(tmp_path, "other") is None
    path = tmp_path / snapshot.NAME
    path.write_text(path.read_text().replace('"cards": 3', '"cards": 4'))
    assert snapshot.recall(tmp_path, "key") is None
    path.write_text(damage)
    assert snapshot.recall(tmp_path, "key") is None


def test_a_file_that_changes_between_hashing_and_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A verdict on files that are not those that were hashed is not remembered as theirs."""
    from closedbook.verify.receipts import snapshot

    root = make_bank(tmp_path, BAD)
    hash_files = snapshot.hash_files

    def and_then_edit(root: Path) -> dict[str, str]:
        hashes = hash_files(root)
        make_bank(root, GOOD)
        return hashes

    with monkeypatch.context() as edited:
        edited.setattr(snapshot, "hash_files", and_then_edit)
        assert cli.run(["verify", "--bank", str(root), "--jobs", "1"]) == 0
    make_bank(root, BAD)
    assert cli.run(["verify", "--bank", str(root), "--jobs", "1"]) == 1


def test_formats_go_into_files(tmp_path: Path) -> None:
    """`-o` writes the report for the machine, and the screen keeps the one for people."""
    root = make_bank(tmp_path, BAD)
    run = cards(root, "--format", "junit", "-o", "build/reports/verify.xml")
    assert run.returncode == 1
    assert "expected 9, observed 8" in run.stdout
    schema = xmlschema.XMLSchema(Path(__file__).parents[1] / "verify" / "data" / "junit.xsd")
    schema.validate(str(root / "build" / "reports" / "verify.xml"))


def test_mistakes_of_form_are_reported_in_every_format(tmp_path: Path) -> None:
    """A card that cannot be read fails the run, and the others are still checked."""
    root = make_bank(tmp_path, BAD + GOOD.replace("answer", "awnser").replace("one", "two"))
    run = cards(root, "--format", "json")
    assert run.returncode == 1
    data = json.loads(run.stdout)
    said = " ".join(problem["message"] for problem in data["problems"])
    assert "did you mean 'answer'?" in said
    assert "expected 9, observed 8" in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--shard", "5/4"], "a shard is written 1/4"),
        (["--shard", "0/4"], "a shard is written 1/4"),
        (["--shard", "1"], "a shard is written 1/4"),
        (["--unit", "unti"], "the bank has no unit 'unti' (did you mean 'unit'?)"),
        (["-k", "of-no-card"], "no card of the bank is among those that are asked for"),
        (["nowhere.yaml"], "there is no nowhere.yaml"),
        (["/"], "lies outside of the bank"),
        (["--format", "xml"], "Invalid value"),
        (["--executor", "ray://x:1"], "no executor is reached by 'ray://x:1'"),
        (["--executor", "dask://x"], "dask://x cannot be an address: it needs a host and a port"),
        (["--executor", "dask://[::1"], "dask://[::1 cannot be an address: Invalid IPv6 URL"),
        (["--jobs", "9" * 20], f"{'9' * 20} is not in the range 1<=x<=1024"),
        (["--draws", "0"], "Invalid value"),
    ],
)
def test_wrong_usage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    """Exit code 2 and a word of advice."""
    root = make_bank(tmp_path, GOOD)
    assert cli.run(["verify", "--bank", str(root), *arguments]) == 2
    assert said in capsys.readouterr().err


def test_a_text_that_no_file_can_hold(tmp_path: Path) -> None:
    """Half of a surrogate pair in a bank's own words is shown as its escape, wherever it goes."""
    odd = (
        "from closedbook import experiment\n\n\n@experiment\ndef odd() -> dict:\n"
        '    return {"\\ud800": 1}\n'
    )
    text = card("ask: What?\nanswer: This.\ncheck: {run: odd, with: {}, expect: {x: here}}\n")
    root = make_bank(tmp_path, text, odd=odd)
    run = cards(root, "--format", "json", "-o", str(tmp_path / "report.json"))
    assert (run.returncode, run.stderr) == (1, "")
    assert "it returned \\ud800" in run.stdout
    assert "it returned" in (tmp_path / "report.json").read_text()


def test_paths_are_found_from_here_and_from_the_bank(tmp_path: Path) -> None:
    """A path may be written as it lies from here, or from the bank's folder."""
    root = make_bank(tmp_path, GOOD)
    for folder, path in ((root, "cards/unit"), (root / "cards", "unit/cards.yaml")):
        run = cards(folder, path)
        assert run.returncode == 0
        assert run.stdout.startswith("1 card,")


def test_a_report_that_cannot_be_written(tmp_path: Path) -> None:
    """A file where a folder is wanted: exit code 1, the place named."""
    root = make_bank(tmp_path, GOOD)
    (root / "taken").write_text("")
    done = cards(root, "--format", "json", "--output", "taken/report.json")
    assert done.returncode == 1
    assert done.stderr == "Error: cannot write taken: File exists\n"


def test_a_task_without_its_reference_is_a_mistake_and_no_bug(tmp_path: Path) -> None:
    """Where only reading finds something wrong, no note is made of the card, and it is told."""
    task = "- id: write-it\n  kind: task\n  outcome: know\n  ask: Write it.\n  file: it.py\n"
    task += "  reference: Skale\n  contract:\n    forward: 1\n"
    root = make_bank(tmp_path, GOOD + task)
    done = cards(root)
    assert (done.returncode, done.stderr) == (1, "")
    assert "no reference is called 'Skale'" in done.stdout
    assert "1 error" in done.stdout
