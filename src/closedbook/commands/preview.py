"""``cards preview``: the bank in a browser, as Anki and the paper show it, reloading on save."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import click

from closedbook.commands.common import bank_option, bank_root


@click.command()
@bank_option
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8473,
    show_default=True,
    help="The port to serve on; another one where it is taken.",
)
@click.option("--open/--no-open", "opens", default=True, help="Whether to open a browser.")
@click.option(
    "--checks/--no-checks",
    default=True,
    help="Whether to run the checks of what changed. Without, cards have no evidence and no paper.",
)
def command(bank_dir: Path | None, port: int, opens: bool, checks: bool) -> None:
    """Show the whole bank in a browser: each card by day and by night, and on paper.

    The page follows the files: save one, and the cards or the message of what is wrong with them
    appear. Only this machine can see it. Ctrl-C ends it.
    """
    from closedbook.preview.bench import Bench
    from closedbook.preview.server import PreviewServer

    bench = Bench(bank_root(bank_dir).resolve(), checks=checks)
    try:
        server = PreviewServer(bench, port)
    except OSError:  # somebody else has that port
        server = PreviewServer(bench, 0)
    address = f"http://127.0.0.1:{server.port}/"
    click.echo(f"{address}  (Ctrl-C ends the preview)")
    bench.start()
    if opens:
        webbrowser.open(address)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        click.echo("")
    finally:
        bench.end()
        server.server_close()
