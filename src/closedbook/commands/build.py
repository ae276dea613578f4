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

    Nothing is written where a claim fails, or an exam cannot be made.
    """
    from closedbook.commands.deck import build_deck
    from closedbook.commands.exam import plan_exams, write_exams

    verified = open_verified(bank_dir, jobs)
    plans = plan_exams(verified)
    build_deck(verified)
    write_exams(verified, plans)
