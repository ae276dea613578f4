"""The LaTeX commands that closedbook sets: one row a command.

A formula may use these and no others, so that what Anki's MathJax shows and what Typst prints
stay the same. Symbols stand in ``data/symbols.txt``, commands that take something here.
"""

from __future__ import annotations

from importlib.resources import files


def _tables() -> dict[str, dict[str, tuple[str, str]]]:
    """Kind -> name -> (character, spoken), from ``data/symbols.txt``."""
    tables: dict[str, dict[str, tuple[str, str]]] = {}
    kind = ""
    for row in (files("closedbook.render") / "data/symbols.txt").read_text("utf-8").splitlines():
        if row.startswith("["):
            kind = row.strip("[]")
            tables[kind] = {}
        elif row.strip() and not row.startswith("#"):
            name, character, *spoken = row.split()
            tables[kind][name] = (character, " ".join(spoken) or name)
    return tables


_TABLES = _tables()
LARGE = _TABLES["large"]
DELIMITERS = _TABLES["delimiters"]
SYMBOLS = {name: row for table in _TABLES.values() for name, row in table.items()}

FUNCTIONS = frozenset(
    {"arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "coth", "csc", "deg", "dim", "exp"}
    | {"hom", "ker", "lg", "ln", "log", "sec", "sin", "sinh", "tan", "tanh"}
)
"""Names of functions; scripts stand at their side."""

LIMITS = frozenset({"det", "gcd", "inf", "lim", "liminf", "limsup", "max", "min", "sup", "Pr"})
"""Names of functions whose scripts stand below and above in display."""

FONTS = {
    "mathbf": "upright(bold({}))",
    "boldsymbol": "bold({})",
    "bm": "bold({})",
    "mathbb": "bb({})",
    "mathcal": "cal({})",
    "mathscr": "scr({})",
    "mathfrak": "frak({})",
    "mathsf": "sans({})",
    "mathtt": "mono({})",
    "mathit": "italic({})",
    "mathrm": "upright({})",
}
FONT_WORDS = {"mathbf": "bold ", "boldsymbol": "bold ", "bm": "bold "}

ACCENTS = {
    "hat": "hat({})",
    "widehat": "hat({})",
    "tilde": "tilde({})",
    "widetilde": "tilde({})",
    "bar": "macron({})",
    "vec": "arrow({})",
    "dot": "dot({})",
    "ddot": "dot.double({})",
    "check": "caron({})",
    "breve": "breve({})",
    "acute": "acute({})",
    "grave": "grave({})",
    "mathring": "circle({})",
    "overline": "overline({})",
    "underline": "underline({})",
    "boxed": "boxed({})",
    "phantom": "phantom({})",
}

SPACES = {
    ",": "thin",
    ":": "med",
    ">": "med",
    ";": "thick",
    "!": "negthin",
    " ": "nbsp",
    "\n": "nbsp",
    "quad": "quad",
    "qquad": "wide",
    "thinspace": "thin",
    "enspace": "med",
}

NEGATED = {
    "=": "≠",
    "<": "≮",
    ">": "≯",
    "in": "∉",
    "subset": "⊄",
    "subseteq": "⊈",
    "equiv": "≢",
    "sim": "≁",
    "approx": "≉",
    "mid": "∤",
    "parallel": "∦",
    "exists": "∄",
}

MATRICES = {
    "matrix": "",
    "pmatrix": "(",
    "bmatrix": "[",
    "Bmatrix": "{",
    "vmatrix": "|",
    "Vmatrix": "‖",
    "smallmatrix": "",
    "array": "",
}
ALIGNED = frozenset({"aligned", "align", "align*", "split", "gathered", "gather", "gather*"})

INSTEAD = {
    "tag": "a card has no numbered formulas; leave it out",
    "label": "a card has no numbered formulas; leave it out",
    "ref": "a card has no numbered formulas; leave it out",
    "eqref": "a card has no numbered formulas; leave it out",
    "nonumber": "a card has no numbered formulas; leave it out",
    "notag": "a card has no numbered formulas; leave it out",
    "R": r"write \mathbb{R}",
    "N": r"write \mathbb{N}",
    "Z": r"write \mathbb{Z}",
    "E": r"write \mathbb{E}",
    "T": r"write \top",
    "tr": r"write \operatorname{tr}",
    "Tr": r"write \operatorname{Tr}",
    "diag": r"write \operatorname{diag}",
    "argmax": r"write \operatorname*{arg\,max}",
    "argmin": r"write \operatorname*{arg\,min}",
    "softmax": r"write \operatorname{softmax}",
    "rank": r"write \operatorname{rank}",
    "textbf": r"write \mathbf, or bold Markdown outside the formula",
    "textit": r"write \mathit, or italics outside the formula",
    "emph": "write italics outside the formula",
    "texttt": r"write \mathtt, or `code` outside the formula",
    "textsf": r"write \mathsf",
    "mbox": r"write \text",
    "hbox": r"write \text",
    "rm": r"write \mathrm{…}",
    "bf": r"write \mathbf{…}",
    "it": r"write \mathit{…}",
    "cal": r"write \mathcal{…}",
    "over": r"write \frac{…}{…}",
    "choose": r"write \binom{…}{…}",
    "atop": r"write \binom{…}{…} or a matrix",
    "eqno": "a card has no numbered formulas; leave it out",
    "xrightarrow": r"write \overset{…}{\longrightarrow}",
    "xleftarrow": r"write \overset{…}{\longleftarrow}",
    "substack": "write the conditions side by side, with a comma",
    "color": "colour would be lost on paper; leave it out",
    "textcolor": "colour would be lost on paper; leave it out",
    "newcommand": "a formula stands on its own; write the command out",
    "def": "a formula stands on its own; write the command out",
    "require": "a formula stands on its own; leave it out",
    "includegraphics": "write a Markdown image outside the formula",
    "href": "write a Markdown link outside the formula",
    "hspace": r"write \quad or \,",
    "vspace": "leave it out",
    "(": "a formula stands between dollars already",
    ")": "a formula stands between dollars already",
    "[": "a formula stands between dollars already",
    "]": "a formula stands between dollars already",
    "d": r"write \mathrm{d}",
    "dd": r"write \mathrm{d}",
}
"""What to write instead of a command that is known and not set."""
