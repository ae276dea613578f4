"""The command ``cards``."""
import click


@click.group()
def main() -> None:
    """Flashcards and exams whose every answer has been run."""
