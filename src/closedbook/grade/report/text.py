"""A grade for a person at a terminal; a class as a table."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from closedbook.grade.printable import clean
from closedbook.grade.report.words import (
    PLAIN,
    Feedback,
    guards,
    lost,
    reasons,
    several,
    title,
    worth,
)
from closedbook.grade.verdict import Grade, PointMark, number


def show_grade(grade: Grade, console: Console, feedback: Feedback) -> None:
    """The head, a row for each point of the contract with its reason, notes, and the walls."""
    console.print(_head(grade))
    console.print()
    many = several(grade)
    for mark, rows in reasons(grade, feedback):
        console.print(_mark(mark, rows, many))
    for block in _after(grade, feedback):
        console.print()
        console.print(block)


def _head(grade: Grade) -> RenderableType:
    table = Table.grid(expand=True)
    table.add_column(ratio=1, overflow="fold")
    table.add_column(justify="right", no_wrap=True)
    style = "bold green" if grade.full else "bold red"
    total = Text(worth(grade.earned, grade.points), style=style)
    table.add_row(Text(f"{grade.task}: {clean(grade.attempt, 60)}", style="bold"), total)
    return table


def _mark(mark: PointMark, rows: list[tuple[str, str]], many: bool) -> RenderableType:
    full = mark.full
    sign = Text("✓" if full else "✗", style="green" if full else "bold red")
    points = Text(f"{number(mark.earned)}/{number(mark.points)}".rjust(7))
    name = Text(title(mark, many), style="" if full else "bold")
    line = Table.grid(padding=(0, 1))
    line.add_column(width=1)
    line.add_column(width=7, no_wrap=True)
    line.add_column(overflow="fold")
    label = name + Text("  held, but withheld", style="yellow") if mark.withheld else name
    if rows and rows[0][0] == "":
        label, rows = name + Text(f"  {rows[0][1]}", style="dim"), []
    line.add_row(sign, points, label)
    if not rows:
        return line
    return Group(line, Padding(_rows(rows), (0, 0, 0, 10)))


def _rows(rows: list[tuple[str, str]]) -> Table:
    table = Table.grid(padding=(0, 1))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for label, text in rows:
        style = "bold" if label.startswith("line ") else ""
        shown = f"cards show {text}" if label == "explained by" else text
        table.add_row(label, Text(shown, style=style))
    return table


def _after(grade: Grade, feedback: Feedback) -> list[RenderableType]:
    blocks: list[RenderableType] = []
    if grade.outside:
        listed = "\n".join(f"  line {n.line}: {n.text}" for n in grade.outside[:8])
        more = len(grade.outside) - 8
        blocks.append(
            Text.assemble(
                ("Outside plain PyTorch\n", "bold yellow"),
                f"{listed}\n" + (f"  and {more} more\n" if more > 0 else ""),
                PLAIN,
            )
        )
    if grade.remarks:
        lines = [f"  line {n.line}: {n.text}" if n.line else f"  {n.text}" for n in grade.remarks]
        blocks.append(Text.assemble(("To look at\n", "bold"), "\n".join(lines)))
    if grade.printed:
        blocks.append(
            Text.assemble(
                ("It printed (which counts for nothing)\n", "bold"),
                f"  {clean(grade.printed, 200)}",
            )
        )
    last = f"{guards(grade)} torch {grade.torch}, {grade.seconds:.1f} s"
    blocks.append(
        Text(f"{last}, --seed {grade.seed}." if feedback == "full" else f"{last}.", style="dim")
    )
    return blocks


def show_class(grades: Sequence[Grade], console: Console) -> None:
    """One row a learner, one column a point of the contract, totals and what was lost most."""
    if not grades:
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("attempt", overflow="fold")
    table.add_column("points", justify="right", no_wrap=True)
    table.add_column("lost", overflow="fold")
    for grade in grades:
        style = "green" if grade.full else ""
        table.add_row(
            Text(clean(grade.attempt, 40), style=style),
            Text(f"{number(grade.earned)}/{number(grade.points)}", style=style),
            Text(lost(grade)),
        )
    console.print(table)
    full = sum(grade.full for grade in grades)
    console.print()
    console.print(f"{full} of {len(grades)} with full marks. {guards(grades[0])}", style="dim")
