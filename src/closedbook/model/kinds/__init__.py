"""The kinds of card. A new kind is one file here and one row in :data:`KINDS`."""

from typing import Annotated, Union

from pydantic import Field

from closedbook.model.kinds.base import Kind
from closedbook.model.kinds.cloze import Cloze
from closedbook.model.kinds.derivation import Derivation
from closedbook.model.kinds.question import Question
from closedbook.model.kinds.task import Task
from closedbook.model.kinds.trap import Trap

KINDS: dict[str, type[Kind]] = {
    "question": Question,
    "cloze": Cloze,
    "derivation": Derivation,
    "trap": Trap,
    "task": Task,
}

AnyKind = Annotated[Union[Question, Cloze, Derivation, Trap, Task], Field(discriminator="kind")]

__all__ = ["KINDS", "AnyKind", "Cloze", "Derivation", "Kind", "Question", "Task", "Trap"]
