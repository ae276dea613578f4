"""Formulas: what they may hold, and what they are compared with."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from closedbook.model.expect import Formula
from closedbook.verify.run.formula import language
from closedbook.verify.run.formula.language import FormulaError, evaluate, names_in, parse
from tests.verify.small_bank import SmallBank, said

SHAPES = {"input": (5, 4), "weight": (3, 4), "bias": (3,)}


@pytest.mark.parametrize(
    "text",
    [
        "grad_output.t().mm(input)",
        "grad_output.T @ input",
        "torch.mm(grad_output.t(), input)",
        "grad_output.transpose(0, 1).matmul(input)",
        "0 + 1 * grad_output.permute((1, 0)).mm(input)",
        "-(-grad_output.mT.mm(input))",
        "(grad_output[:, :, None] * input[:, None, :]).sum(dim=0)",
        "matmul(grad_output.t(), input)",
        "(input.t() @ grad_output).t() / 2 ** 1 * 2",
        "F.relu(grad_output.t().mm(input)) - relu(-grad_output.t().mm(input))",
    ],
)
def test_ways_to_write_one_gradient(linear: SmallBank, text: str) -> None:
    """Whatever way a closed form is written, it holds where it is right."""
    assert said(linear.outcome("Linear", SHAPES, expect={"grad_weight": Formula(text)})) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("__import__('os')", "'__import__' is not among the functions of formulas"),
        ("input.__class__", "attribute '__class__' is not allowed here"),
        ("input.shap", "attribute 'shap' is not allowed here (did you mean 'shape'?)"),
        ("input.sum", "attribute 'sum' is not allowed here (did you mean 'sum()'?)"),
        ("input.backward()", "'backward' is not among the functions of formulas"),
        ("grad_output.sun(0)", "'sun' is not among the functions of formulas "
                               "(did you mean 'sum'?)"),
        ("input if input else 0", "'input if input else 0' is not allowed in a formula"),
        ("[x for x in input]", "'[x for x in input]' is not allowed in a formula"),
        ("lambda: 1", "'lambda: 1' is not allowed in a formula"),
        ("input > 0", "'input > 0' is not allowed in a formula"),
        ("'text'", '"\'text\'" is not allowed in a formula'),
        ("f'{input}'", '"f\'{input}\'" is not allowed in a formula'),
        ("input.sum(dims=0, axs=1)", "argument 'axs' is not allowed"),
        ("input.sum(*input)", "'*input' is not allowed in a formula"),
        ("input[input]", "an index is whole numbers, slices, None and ... only"),
        ("input(", "not an expression: '(' was never closed"),
        ("x = 1", "not an expression: invalid syntax"),
        ("(yield)", "'(yield)' is not allowed in a formula"),
        ("input" + " + input" * 100, "a formula has at most 500 characters"),
        ("(" * 240 + "1" + ")" * 240, "not an expression"),
    ],
)  # fmt: skip
def test_what_no_formula_may_hold(text: str, message: str) -> None:
    """A formula is names, numbers, operators and listed functions; the rest is refused by name."""
    with pytest.raises(FormulaError) as caught:
        parse(text)
    assert str(caught.value).startswith(message)


def test_the_place_of_a_mistake() -> None:
    """A mistake's column is that of its token."""
    with pytest.raises(FormulaError) as caught:
        parse("grad_output.t() + weight.shap")
    assert caught.value.column == len("grad_output.t() + weight.")


def test_reading_needs_no_torch() -> None:
    """The grammar of formulas can be used where torch is not wanted."""
    code = "import sys, closedbook.verify.run.formula.language as f; f.parse('a.t()')"
    code += "; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_names_of_a_formula() -> None:
    """Names are the tensors it uses: no functions, no modules."""
    assert names_in(parse("torch.mm(a.t(), F.relu(b)) + exp(c)")) == {"a", "b", "c"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("inputs + 1", "unknown name 'inputs' (did you mean 'input'?)"),
        ("bias + 1", "'bias' is None here"),
        ("2 ** 1000000", "a number's power is at most 64"),
        ("input[7]", "IndexError: "),
        ("input.mm(input)", "RuntimeError: "),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("(1).sum()", "int has no 'sum'"),
    ],
)
def test_what_goes_wrong_while_evaluating(text: str, message: str) -> None:
    """Whatever is wrong with the operands is said in one line."""
    with pytest.raises(FormulaError) as caught:
        evaluate(parse(text), {"input": torch.ones(2, 3), "bias": None})
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("fact", "text", "line"),
    [
        (
            "grad_weight",
            "input.t().mm(grad_output)",
            "expected shape (4, 3) from the formula, observed shape (3, 4)",
        ),
        (
            "grad_bias",
            "grad_output.sum(0, keepdim=True)",
            "expected shape (1, 3) from the formula, observed shape (3,)",
        ),
        (
            "grad_bias",
            "grad_outputs.sum(0)",
            "expected `grad_outputs.sum(0)`, observed the formula cannot be used: "
            "unknown name 'grad_outputs' (did you mean 'grad_output'?)",
        ),
    ],
)
def test_a_wrong_formula(linear: SmallBank, fact: str, text: str, line: str) -> None:
    """A formula that does not hold shows both sides."""
    outcome = linear.outcome("Linear", SHAPES, expect={fact: Formula(text)})
    assert said(outcome) == [f"{fact}: {line}"]


def test_a_wrong_value_is_shown_where_it_differs(linear: SmallBank) -> None:
    """Equal shapes and other values: the first place that differs is shown."""
    given = {"input": [[1.0, 2.0]], "weight": [[3.0, 4.0]], "grad_output": [[10.0]]}
    outcome = linear.outcome("Linear", given, expect={"grad_input": Formula("weight * 11")})
    assert said(outcome) == [
        "grad_input: expected 33 from the formula at [0, 0], observed 30 at [0, 0]"
    ]


def test_a_formula_has_to_hold_at_other_shapes(linear: SmallBank) -> None:
    """Where two sizes happen to be equal, only another shape tells the formulas apart."""
    square = {"input": (4, 4), "weight": (4, 4)}
    right = Formula("grad_output.t().mm(input)")
    assert linear.outcome("Linear", square, expect={"grad_weight": right}).holds
    wrong = Formula("grad_output.mm(input)")
    assert not linear.outcome("Linear", square, expect={"grad_weight": wrong}).holds
    row = {"input": (1, 3), "weight": (2, 3), "bias": (2,)}
    assert linear.outcome("Linear", row, expect={"grad_bias": Formula("grad_output[0]")}).holds
    more = {**SHAPES, "input": (5, 4)}
    assert not linear.outcome("Linear", more, expect={"grad_bias": Formula("grad_output[0]")}).holds


COUNTING = """
import torch
from closedbook import reference

@reference(example={"x": (2,)})
class Average(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.n = n
        return x.sum() / n

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.expand(ctx.n) / ctx.n, None
"""


def test_what_the_card_fixes_stays_fixed(bank: SmallBank) -> None:
    """A size that a number, or the formula itself, depends on is not varied."""
    bank.add("f.py", COUNTING)
    for text in ("grad_output.expand(4) / 4", "ones_like(x) * grad_output / n"):
        outcome = bank.outcome("Average", {"x": (4,), "n": 4}, expect={"grad_x": Formula(text)})
        assert said(outcome) == []


def test_a_formula_of_an_experiment(bank: SmallBank) -> None:
    """An experiment's facts can be held against a formula of its arguments and facts."""
    bank.add(
        "e.py",
        """
        from closedbook import experiment

        @experiment
        def square(value: float, many: list) -> dict:
            return {"grad": 2 * value, "half": value, "many": [2 * x for x in many]}
        """,
    )
    right = {"grad": Formula("2 * value"), "many": Formula("many * 2"), "half": Formula("grad / 2")}
    given = {"value": 3.0, "many": [1.0, 2.0]}
    assert said(bank.outcome("square", given, expect=right)) == []
    wrong = bank.outcome("square", given, expect={"grad": Formula("3 * value")})
    assert said(wrong) == ["grad: expected 9 from the formula, observed 6"]
    (line,) = said(bank.outcome("square", given, expect={"grad": Formula("grad")}))
    assert line.endswith("it uses 'grad', the very fact that it is to give")


def test_every_listed_function_is_one_of_torch() -> None:
    """No name is allowed that torch does not have."""
    homes = (torch, torch.nn.functional, torch.Tensor)
    missing = {n for n in language.FUNCTIONS if not any(hasattr(home, n) for home in homes)}
    assert missing == set()


def test_the_docs_list_what_a_formula_may_hold() -> None:
    """docs/facts.md names every function and keyword, and no other."""
    text = (Path(__file__).parents[4] / "docs" / "facts.md").read_text(encoding="utf-8")
    section = text.partition("as methods, as functions")[2].partition("Of an experiment")[0]
    functions, _, keywords = section.partition("with these keywords:")
    assert set(re.findall(r"`(\w+)`", functions)) == language.FUNCTIONS
    assert set(re.findall(r"`(\w+)`", keywords)) == language.KEYWORDS
