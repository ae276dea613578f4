"""``cards build``: verify once, then the deck and every exam."""

from __future__ import annotations

from pathlib import Path

import click

from closedbook.commands.common import bank_option, jobs_option, open_verified


@click.command()
@bank_option
@jobs_option
def command(bank_dir: Path | None, jobs: int | None) -> None:
    """Verify, then write the deck and every exam into the bank's build/.

    Nothing is written where a claim fails.
    """
    from closedbook.commands.deck import build_deck
    from closedbook.commands.exam import build_exams

    verified = open_verified(bank_dir, jobs)
    build_deck(verified)
    build_exams(verified)
