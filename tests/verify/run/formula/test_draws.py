"""Holding a formula against other draws and other shapes."""

from typing import Any

import pytest
import torch

from closedbook.model.expect import Formula
from closedbook.model.value import Number, Shape, TensorSpec
from closedbook.verify.run.formula.draws import _variations, values_differ
from tests.verify.small_bank import SmallBank, said


def shapes(given: dict[str, object], fixed: frozenset[int] = frozenset()) -> list[list[object]]:
    """Return the sizes that are tried after those given."""
    return [
        [getattr(value, "sizes", value) for value in arguments.values()]
        for arguments, _ in _variations(given, fixed)  # type: ignore[arg-type]  # values as read
    ]


def test_sizes_vary_together() -> None:
    """Equal sizes stay equal, different ones stay different, ones stay ones."""
    given = {"input": Shape((5, 4)), "weight": Shape((3, 4)), "row": Shape((1, 3))}
    for first, second, third in shapes(given)[1:]:
        assert first[1] == second[1]  # type: ignore[index]  # shapes, all of them
        assert second[0] == third[1]  # type: ignore[index]  # likewise
        assert third[0] == 1  # type: ignore[index]  # likewise
        assert len({*first, *second}) == 3  # type: ignore[misc]  # likewise
        assert first != (5, 4)


def test_what_is_fixed_does_not_vary() -> None:
    """Sizes of given values, plain whole numbers and the formula's own numbers are kept."""
    given = {"x": Shape((5, 4)), "n": Number(5, "5")}
    assert [tried[0][0] for tried in shapes(given)] == [5, 5, 5]  # type: ignore[index]  # shapes
    values = {"x": Shape((2, 3)), "v": TensorSpec(values=[1, 2, 3])}
    assert [tried[0][1] for tried in shapes(values)] == [3, 3, 3]  # type: ignore[index]  # likewise
    assert shapes({"x": Shape((4,))}, frozenset({4})) == [[(4,)], [(4,)]]


SQUARE = """
import torch
from closedbook import reference

@reference(example={"x": (3, 3)})
class Trace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        if x.shape[0] != 3:
            raise ValueError("three by three only")
        return x.trace()

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * torch.eye(3, dtype=grad_output.dtype)
"""


def test_shapes_that_the_function_refuses_show_nothing(bank: SmallBank) -> None:
    """Where the Function itself raises at another shape, the formula is not blamed."""
    bank.add("f.py", SQUARE)
    right = {"grad_x": Formula("grad_output * (0 * x + torch.eye(3))")}
    assert said(bank.outcome("Trace", {"x": (3, 3)}, expect=right)) == []


def test_a_formula_that_holds_at_the_given_shape_alone(linear: SmallBank) -> None:
    """The message says at which other shapes the two sides differ."""
    given = {"input": (2, 2), "weight": (2, 2)}
    expect = {"output": Formula("input.mm(weight.t()) * input.shape[0] / weight.shape[0]")}
    assert linear.outcome("Linear", given, expect=expect).holds
    other = {"input": (2, 3), "weight": (2, 3), "bias": TensorSpec(shape=Shape((2,)), fill="zeros")}
    narrow = {"output": Formula("input.mm(weight.t()) * input[:, 0].shape[0] / (1 + 1)")}
    (line,) = said(linear.outcome("Linear", other, expect=narrow))
    assert " with input (" in line
    assert "bias (" in line


@pytest.mark.parametrize("fact", ["grad_weight", "grad_weight.shape", "output"])
def test_a_formula_of_the_fact_itself(linear: SmallBank, fact: str) -> None:
    """A formula that uses the fact that it is to give would always hold, and is refused."""
    given = {"input": (2, 3), "weight": (4, 3)}
    (line,) = said(linear.outcome("Linear", given, expect={fact: Formula(f"{fact} * 1")}))
    assert "the very fact that it is to give" in line


def test_a_formula_of_nothing(linear: SmallBank) -> None:
    """Where the fact has no elements any formula would hold, so none does."""
    given = {"input": (0, 3), "weight": (4, 3)}
    (line,) = said(linear.outcome("Linear", given, expect={"grad_input": Formula("input ** 7")}))
    assert "grad_input has no elements" in line


@pytest.mark.parametrize("given", [TensorSpec(values=[2.0]), TensorSpec(Shape((3,)), fill=2.0)])
def test_values_that_are_given_are_stretched(linear: SmallBank, given: TensorSpec) -> None:
    """2 + 2 is 2 * 2: a formula is held at other values than the ones that are given."""
    linear.add(
        "square.py",
        """
        import torch
        from closedbook import reference

        @reference(example={"x": (3,)})
        class Square(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * x

            @staticmethod
            def backward(ctx, grad_output):
                return 2 * ctx.saved_tensors[0] * grad_output
        """,
    )
    outcome = linear.outcome("Square", {"x": given}, expect={"output": Formula("x + x")})
    assert "from the formula" in said(outcome)[0]
    assert linear.outcome("Square", {"x": given}, expect={"output": Formula("x * x")}).holds
    zeros = {"x": TensorSpec(values=[0.0, 0.0])}
    outcome = linear.outcome("Square", zeros, expect={"output": Formula("7 * x")})
    assert "no wrong factor shows" in said(outcome)[0]


@pytest.mark.parametrize("wrong", ["x * x", "y * y"])
@pytest.mark.parametrize("values", [[2.0], [2.0, 3.0], [[1.0, 2.0], [2.0, 1.0]]])
def test_arguments_that_are_given_alike_are_told_apart(
    bank: SmallBank, wrong: str, values: Any
) -> None:
    """Two arguments of the same values are stretched apart: a formula of one is none of both."""
    bank.add(
        "times.py",
        """
        import torch
        from closedbook import reference

        @reference(example={"x": (3,), "y": (3,)})
        class Times(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, y):
                return x * y

            @staticmethod
            def backward(ctx, grad_output):
                return grad_output, grad_output
        """,
    )
    given = {"x": TensorSpec(values=values), "y": TensorSpec(values=values)}
    assert bank.outcome("Times", given, expect={"output": Formula("x * y")}).holds
    outcome = bank.outcome("Times", given, expect={"output": Formula(wrong)})
    assert "from the formula" in said(outcome)[0]


def test_what_takes_no_gradient_is_not_stretched() -> None:
    """A mask of zeros and ones is one at every draw."""
    mask = TensorSpec(values=[0.0, 1.0], requires_grad=False)
    given = {"x": TensorSpec(values=[2.0, 3.0]), "mask": mask}
    _, (stretched, _), *_ = _variations(given, frozenset(), ["x", "mask"])
    assert stretched["mask"] is mask
    assert stretched["x"] != given["x"]


TINY = """
import torch
from closedbook import reference

@reference(example={"x": (3,)})
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output * ctx.saved_tensors[0]
"""


def test_tiny_arguments_show_no_formula(bank: SmallBank) -> None:
    """What may pass for 0 beside a 1 is all that there is of them."""
    bank.add("f.py", TINY)
    given = {"x": TensorSpec(Shape((3,)), fill=1e-10)}
    (message,) = said(bank.outcome("Square", given, expect={"output": Formula("x * x")}))
    assert "below 0.001 throughout" in message


@pytest.mark.parametrize("formula", ["1.1 * x * x * x * x", "0 * x"])
def test_a_small_result_is_not_any_other(bank: SmallBank, formula: str) -> None:
    """How near two numbers must be goes by the size of the arguments that they come from."""
    bank.add("f.py", TINY.replace("x * x", "x ** 4").replace("2 * grad", "4 * grad"))
    given = {"x": TensorSpec(Shape((3,)), fill=5e-3)}
    assert bank.outcome("Square", given, expect={"output": Formula("x * x * x * x")}).holds
    assert not bank.outcome("Square", given, expect={"output": Formula(formula)}).holds


def test_nan_throughout_shows_no_formula(bank: SmallBank) -> None:
    """NaN equals NaN, so a fact that is nothing else would be given by any formula of NaN."""
    bank.add("f.py", TINY)
    given = {"x": TensorSpec(Shape((3,)), fill=float("nan"))}
    (message,) = said(bank.outcome("Square", given, expect={"output": Formula("x.log()")}))
    assert "NaN throughout" in message


@pytest.mark.parametrize("fact", ["grad_output.t()", "input.t()", "input.t().mm(grad_output)"])
def test_a_fact_of_what_is_given_shows_nothing(linear: SmallBank, fact: str) -> None:
    """A formula of arguments and incoming gradients alone would hold of any Function."""
    given = {"input": (5, 4), "weight": (3, 4)}
    (message,) = said(linear.outcome("Linear", given, expect={fact: Formula(fact)}))
    assert "of nothing that it gives" in message


def test_sizes_of_one_show_no_axis(linear: SmallBank) -> None:
    """``sum(0)`` and ``sum(1)`` are alike where every size is 1."""
    ones = {"input": Shape((1, 1)), "weight": Shape((1, 1)), "bias": Shape((1,))}
    expect = {"grad_bias": Formula("grad_output.sum(1)")}
    assert "no wrong axis shows" in said(linear.outcome("Linear", ones, expect=expect))[0]


def test_none_is_no_tensor(linear: SmallBank) -> None:
    """A formula of a gradient that is None does not hold."""
    given = {"input": (2, 3), "weight": (4, 3)}
    outcome = linear.outcome("Linear", given, expect={"grad_bias": Formula("grad_output.sum(0)")})
    assert said(outcome) == [
        "grad_bias: expected a tensor of shape (4,) from the formula, observed None"
    ]


@pytest.mark.parametrize(
    ("observed", "computed", "same"),
    [
        (torch.tensor([float("nan"), 1.0]), torch.tensor([float("nan"), 1.0]), True),
        (torch.tensor([float("inf")]), torch.tensor([float("-inf")]), False),
        (torch.tensor(1.0).double(), torch.tensor(1.0 + 1e-5).double(), False),
        (torch.tensor(1.0).double(), torch.tensor(1.0 + 1e-8).double(), True),
        (torch.tensor(1.0), torch.tensor(1.0 + 1e-5).double(), True),
        (torch.tensor(1.0).half(), torch.tensor(1.004).half(), True),
        (torch.tensor([1, 2]), torch.tensor([1, 3]), False),
        (torch.tensor([True]), torch.tensor([True]), True),
        (torch.tensor(1j), torch.tensor(1j), True),
        (torch.tensor(1j).cdouble(), torch.tensor((1 + 1e-8) * 1j).cdouble(), True),
        (torch.tensor(1j).cdouble(), torch.tensor((1 + 1e-5) * 1j).cdouble(), False),
        (1.0 + 2e-6, 1.0, False),
        (1.0 + 0.9e-6, 1.0, True),
        (torch.ones(2), torch.ones(2, 1), False),
        (3, 3.0, True),
        (2.5, 2.0, False),
        ((2, 3), torch.Size((2, 3)), True),
        ((2, 3), (3, 2), False),
        ("text", "text", True),
    ],
)
def test_when_two_values_agree(observed: object, computed: object, same: bool) -> None:
    """The coarser dtype decides the tolerance; shapes are never broadcast."""
    assert (values_differ(observed, computed) is None) is same


def test_both_sides_of_a_difference_are_told_apart() -> None:
    """A difference beyond six digits is seen in what the message says of both."""
    assert values_differ(1.000002, 1.0) == ("1 from the formula", "1.000002")
    assert values_differ(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 3.0])) == (
        "3 from the formula at [1]",
        "2 at [1]",
    )
