"""Figures: found, checked, named by what they hold, and none forgotten."""

from __future__ import annotations

from pathlib import Path

import pytest

from closedbook.export.anki.media import Media, flat_name
from closedbook.problem import Place, Problem
from tests.export.anki.workbench import Workbench


def test_names_are_flat_and_say_what_is_in_the_file() -> None:
    """Two figures of one name in two folders get two names; odd letters go."""
    one = flat_name(Path("a/fig 1.SVG"), b"<svg/>")
    assert one == "closedbook-fig-1-" + one[17:33] + ".svg"
    assert one != flat_name(Path("b/fig 1.SVG"), b"<svg></svg>")
    assert flat_name(Path("Übersicht.png"), b"").startswith("closedbook-bersicht-")
    assert flat_name(Path("図.png"), b"").startswith("closedbook-figure-")


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("figures/grapf.svg", "there is no figure 'figures/grapf.svg'"),
        ("../../../outside.svg", "lies outside the bank"),
        ("/etc/passwd", "'/etc/passwd'"),
        ("figures/script.svg", "holds <script>"),
    ],
)
def test_a_figure_that_cannot_be_shown_is_said_why(bench: Workbench, path: str, said: str) -> None:
    """Missing, outside the bank, or with something in it that runs."""
    bench.root.with_name("outside.svg").write_text("<svg/>")
    bench.path("figures/script.svg").write_text("<svg><script>alert(1)</script></svg>")
    bank = bench.bank()
    file, mistake = Media(bank).find(bank.cards[0], path)
    assert file is None
    assert said in mistake


def test_a_figure_that_no_card_shows_is_a_warning_at_its_file(
    bench: Workbench, tmp_path: Path
) -> None:
    """A forgotten file is named, and the deck is written all the same."""
    bench.path("figures/old.png").write_bytes(b"\x89PNG")
    written, problems = bench.write(tmp_path / "x.apkg")
    assert written is not None
    assert problems == [
        Problem(Place("cards/autograd/figures/old.png"), "no card shows this figure", "warning")
    ]


def test_a_symlink_out_of_the_bank_is_no_figure(bench: Workbench) -> None:
    """What lies outside stays outside, whatever points there."""
    secret = bench.root.with_name("secret.svg")
    secret.write_text("<svg/>")
    bench.path("figures/link.svg").symlink_to(secret)
    bank = bench.bank()
    assert Media(bank).find(bank.cards[0], "figures/link.svg")[0] is None


def test_two_paths_to_one_figure_travel_once(bench: Workbench) -> None:
    """``figures/graph.svg`` and ``./figures/graph.svg`` are one file of the package."""
    bank = bench.bank()
    media = Media(bank)
    one, _ = media.find(bank.cards[0], "figures/graph.svg")
    other, _ = media.find(bank.cards[0], "./figures/graph.svg")
    assert one is not None
    assert one == other
    assert list(media.names()) == [one.name]
