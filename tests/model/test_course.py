"""The order of a bank's units."""

from __future__ import annotations

from closedbook.model.bank import Unit
from closedbook.model.course import circles, in_order, subjects
from closedbook.model.unit import UnitInfo
from closedbook.source.places import Entry


def unit(id: str, *after: str, leads_to: tuple[str, ...] = ()) -> Unit:
    """A unit whose title is its id with a capital."""
    info = UnitInfo(
        title=id.capitalize(), deck="D", outcomes={"o": "O."}, after=after, leads_to=leads_to
    )
    return Unit(id, info, Entry.nowhere(f"cards/{id}/unit.yaml"))


def order(*units: Unit) -> str:
    """The ids in order."""
    return " ".join(each.id for each in in_order(units))


def test_a_unit_stands_behind_what_it_comes_after() -> None:
    """Ids and titles count, on either side; subjects outside of the bank do not."""
    assert order(unit("a", "C", "Calculus"), unit("b"), unit("c")) == "b c a"
    assert order(unit("a"), unit("b", leads_to=("a",)), unit("c")) == "b a c"
    assert order(unit("c"), unit("b"), unit("a")) == "c b a"


def test_a_circle_is_found_once_and_has_an_order_all_the_same() -> None:
    """Each circle is told with the way round and where it can be opened; no unit is lost."""
    units = (unit("a", "b"), unit("b", "c"), unit("c", "a"), unit("d", "d"))
    assert order(*units) == "a c b d"
    found = circles(units)
    assert sorted(sorted(set(way)) for way, _ in found) == [["a", "b", "c"], ["d"]]
    for way, (says, loc) in found:
        assert way[0] == way[-1]
        assert (says.id, loc) == (way[-1], ("after", 0))


def test_a_unit_is_called_by_its_title() -> None:
    """People read titles, and subjects as they were written."""
    assert subjects(("a", "B", "zero_grad"), (unit("a"), unit("b"))) == ["A", "B", "zero_grad"]
