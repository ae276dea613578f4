"""One self-contained page a variant, to sit on screen or print from a browser; its key beside it.

No network, no font and no script from elsewhere: formulas are pictures in the page, figures are
data in it. Answers stay in the browser until the learner saves them to a file.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from importlib import resources

import jinja2
from markupsafe import Markup

from closedbook.export.lms.common import Files, Setup, Writer, data_uri
from closedbook.paper.exam import Part, Question, Variant
from closedbook.paper.points import minutes_text, points_text
from closedbook.render.css import code_css
from closedbook.render.html import ShowMath
from closedbook.render.tree import Document, Image
from closedbook.render.typst.formulas import Wanted, draw

_FORMULA = re.compile(r"<formula (\d+)>")


def page_files(variant: Variant, setup: Setup) -> Files:
    """``A.html``, which holds no answer, and ``A-key.html``."""
    wanted: dict[Wanted, int] = {}

    def image(node: Image) -> str:
        return data_uri(setup.root / node.path)

    def math(tex: str, display: bool) -> str:
        """The formula's place: all are drawn together, which takes a tenth of the time."""
        return f"<formula {wanted.setdefault((tex, display), len(wanted))}>"

    pages = {
        f"{variant.label}.html": _page(variant, _Page(image, math, key=False)),
        f"{variant.label}-key.html": _page(variant, _Page(image, math, key=True)),
    }
    setup.formulas |= draw(formula for formula in wanted if formula not in setup.formulas)
    drawn = [setup.formulas[formula] for formula in wanted]
    return {
        name: _FORMULA.sub(lambda place: drawn[int(place[1])], page).encode("utf-8")
        for name, page in pages.items()
    }


class _Page:
    """What the template asks for, question by question."""

    def __init__(self, image: Callable[[Image], str], math: ShowMath, *, key: bool) -> None:
        self.key = key
        self._fields = 0
        self._boxes = 0
        self._number = 0
        self._writer = Writer(image, math, self._blank)

    def _blank(self, number: int, content: str, hint: str | None, maths: bool) -> str:
        """A field to type into; a formula shows a numbered box, whose field follows the text."""
        if maths:
            self._boxes += 1
            return rf"\boxed{{{self._boxes}}}"
        self._fields += 1
        name = f"q{self._number}-{self._fields}"
        shown = Markup(' placeholder="{}"').format(hint) if hint else ""
        return Markup('<input class="blank" name="{}" aria-label="blank {}"{}>').format(
            name, self._fields, shown
        )

    def stem(self, question: Question) -> Markup:
        """What is asked; on the key with the gaps filled."""
        self._fields, self._boxes, self._number = 0, 0, question.number
        writer = self._writer
        stem = writer.filled(question.stem) if self.key else writer.html(question.stem)
        code = _numbered(question, writer.code(question.listing))
        return Markup(stem + code + writer.hand_in(question))  # noqa: S704 - render.html escapes all that an author wrote

    def loose_blanks(self, question: Question) -> int:
        """How many blanks stand in formulas, and have their fields below the text."""
        return max(0, len(question.blanks) - self._fields)

    def html(self, document: Document) -> Markup:
        """A text."""
        return Markup(self._writer.html(document))  # noqa: S704 - as above

    def answer(self, question: Question) -> Markup:
        """The key of a question."""
        return Markup(self._writer.key(question))  # noqa: S704 - as above

    def rows(self, part: Part) -> int:
        """Lines of the field for a part's answer."""
        return part.space.lines or max(3, round(part.space.cm * 1.2))


def _numbered(question: Question, code: str) -> str:
    """Code with the numbers of its lines beside it."""
    if question.listing is None:
        return ""
    lines = range(1, question.listing.text.rstrip("\n").count("\n") + 2)
    numbers = "\n".join(map(str, lines))
    return f'<div class="listing"><pre aria-hidden="true">{numbers}</pre>{code}</div>'


@lru_cache(maxsize=1)
def _template() -> jinja2.Template:
    source = resources.files("closedbook.export.lms").joinpath("data", "page.html")
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    return environment.from_string(source.read_text(encoding="utf-8"))


def _page(variant: Variant, page: _Page) -> str:
    return _template().render(
        variant=variant,
        page=page,
        key=page.key,
        points=points_text,
        minutes=minutes_text,
        code_css=Markup(code_css()),  # noqa: S704 - closedbook's own style sheet
    )
