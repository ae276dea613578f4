"""The kinds of card. A new kind begins with one file here, and its class in :data:`Content`.

What else it needs is made to be missed: mypy points at each place that tells kinds apart, and
``tests/model/test_kinds.py`` at each table of kinds without its row.
"""

from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias, Union, get_args

from pydantic import Field

from closedbook.model.kinds.base import Kind
from closedbook.model.kinds.cloze import Cloze
from closedbook.model.kinds.derivation import Derivation
from closedbook.model.kinds.question import Question
from closedbook.model.kinds.task import Task
from closedbook.model.kinds.trap import Trap

Content: TypeAlias = Union[Question, Cloze, Derivation, Trap, Task]
"""What a card's entry says, of one kind or another."""


def _name(model: type[Kind]) -> str:
    """What ``kind`` says of it."""
    (name,) = get_args(model.model_fields["kind"].annotation)
    return str(name)


KINDS: dict[str, type[Kind]] = {_name(model): model for model in get_args(Content)}
"""Each kind by its name, in the order in which people are told of them."""

AnyKind = Annotated[Content, Field(discriminator="kind")]

if TYPE_CHECKING:
    KindName: TypeAlias = str
else:
    KindName = Literal[tuple(KINDS)]
"""The name of a kind, where a field asks for one."""

__all__ = [
    "KINDS",
    "AnyKind",
    "Cloze",
    "Content",
    "Derivation",
    "Kind",
    "KindName",
    "Question",
    "Task",
    "Trap",
]
