"""The LaTeX commands that closedbook sets: one row a command.

A formula may use these and no others, so that what Anki's MathJax shows and what Typst prints
stay the same. To add a symbol, add its row: name, character, and how it is read aloud where its
name does not say so.
"""

from __future__ import annotations

_LETTERS = """
alpha α; beta β; gamma γ; delta δ; epsilon ϵ; varepsilon ε; zeta ζ; eta η; theta θ
vartheta ϑ theta; iota ι; kappa κ; lambda λ; mu μ; nu ν; xi ξ; pi π; varpi ϖ pi; rho ρ
varrho ϱ rho; sigma σ; varsigma ς sigma; tau τ; upsilon υ; phi ϕ; varphi φ phi; chi χ; psi ψ
omega ω; Gamma Γ capital gamma; Delta Δ capital delta; Theta Θ capital theta
Lambda Λ capital lambda; Xi Ξ capital xi; Pi Π capital pi; Sigma Σ capital sigma
Upsilon Υ capital upsilon; Phi Φ capital phi; Psi Ψ capital psi; Omega Ω capital omega
ell ℓ l; hbar ℏ h bar; imath ı i; jmath ȷ j; Re ℜ real part of; Im ℑ imaginary part of; aleph ℵ
partial ∂; nabla ∇; infty ∞ infinity; emptyset ∅ empty set; varnothing ∅ empty set
forall ∀ for all; exists ∃ there is; nexists ∄ there is no; neg ¬ not; lnot ¬ not
top ⊤ top; bot ⊥ bottom; angle ∠; triangle △; square □; Box □ square; checkmark ✓
ldots … dots; dots … dots; cdots ⋯ dots; vdots ⋮ vertical dots; ddots ⋱ diagonal dots
prime ′; degree ° degrees; backslash \\ backslash; star ⋆; bullet ∙
"""

_OPERATORS = """
pm ± plus or minus; mp ∓ minus or plus; times ×; div ÷ divided by; cdot ⋅ times; ast ∗ asterisk
circ ∘ composed with; oplus ⊕ circled plus; ominus ⊖ circled minus; otimes ⊗ circled times
odot ⊙ elementwise times; oslash ⊘ circled slash; cup ∪ union; cap ∩ intersected with
setminus ∖ without; wedge ∧ and; land ∧ and; vee ∨ or; lor ∨ or; dagger †; diamond ⋄
uplus ⊎ disjoint union; sqcup ⊔; sqcap ⊓; wr ≀; amalg ⨿
"""

_RELATIONS = """
le ≤ is at most; leq ≤ is at most; ge ≥ is at least; geq ≥ is at least; ne ≠ is not equal to
neq ≠ is not equal to; ll ≪ is much less than; gg ≫ is much greater than; approx ≈ is about
sim ∼ is distributed as; simeq ≃; cong ≅ is congruent to; equiv ≡ is identical to
propto ∝ is proportional to; in ∈ in; ni ∋ contains; notin ∉ not in; subset ⊂ is a subset of
subseteq ⊆ is a subset of or equals; supset ⊃ is a superset of
supseteq ⊇ is a superset of or equals; perp ⟂ is perpendicular to; parallel ∥ is parallel to
mid ∣ given; prec ≺ precedes; succ ≻ succeeds; preceq ⪯; succeq ⪰; asymp ≍; doteq ≐
models ⊨; vdash ⊢; dashv ⊣; triangleq ≜ is defined as; coloneqq ≔ is defined as
to → to; rightarrow → to; longrightarrow ⟶ to; leftarrow ← from; gets ← gets
longleftarrow ⟵ from; leftrightarrow ↔; Rightarrow ⇒ implies; Longrightarrow ⟹ implies
implies ⟹ implies; Leftarrow ⇐; impliedby ⟸ is implied by; Leftrightarrow ⇔ if and only if
Longleftrightarrow ⟺ if and only if; iff ⟺ if and only if; mapsto ↦ maps to
longmapsto ⟼ maps to; hookrightarrow ↪; uparrow ↑; downarrow ↓; nearrow ↗; searrow ↘
nwarrow ↖; swarrow ↙
"""

_LARGE = """
sum ∑ sum; prod ∏ product; coprod ∐; int ∫ integral; iint ∬ double integral; iiint ∭
oint ∮ contour integral; bigcup ⋃ union; bigcap ⋂ intersection; bigoplus ⨁; bigotimes ⨂
bigodot ⨀; bigwedge ⋀; bigvee ⋁
"""

_DELIMITERS = """
langle ⟨ open angle; rangle ⟩ close angle; lfloor ⌊ floor; rfloor ⌋ end floor; lceil ⌈ ceiling
rceil ⌉ end ceiling; lbrace { open brace; rbrace } close brace; lbrack [ open bracket
rbrack ] close bracket; lvert | bar; rvert | bar; vert | bar; lVert ‖ norm; rVert ‖ end norm
Vert ‖ double bar
"""


def _rows(table: str) -> dict[str, tuple[str, str]]:
    """Name -> (character, spoken)."""
    rows = {}
    for row in table.replace("\n", ";").split(";"):
        if row.strip():
            name, character, *spoken = row.split()
            rows[name] = (character, " ".join(spoken) or name)
    return rows


LETTERS = _rows(_LETTERS)
OPERATORS = _rows(_OPERATORS)
RELATIONS = _rows(_RELATIONS)
LARGE = _rows(_LARGE)
DELIMITERS = _rows(_DELIMITERS)
SYMBOLS = LETTERS | OPERATORS | RELATIONS | LARGE | DELIMITERS

FUNCTIONS = frozenset(
    "arccos arcsin arctan arg cos cosh cot coth csc deg dim exp hom ker lg ln log sec sin sinh "
    "tan tanh".split()
)
"""Names of functions; scripts stand at their side."""

LIMITS = frozenset("det gcd inf lim liminf limsup max min sup Pr".split())
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
    "Vmatrix": "||",
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
