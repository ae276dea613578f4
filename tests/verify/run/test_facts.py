"""The facts that every reference yields."""

from typing import Any

import pytest

from closedbook.model.expect import Equals, Gradcheck, Raises, Text, Warns
from closedbook.model.value import Shape, TensorSpec
from tests.verify.small_bank import SmallBank, job, said

SHAPES = {"input": (5, 4), "weight": (3, 4), "bias": (3,)}
WITHOUT_BIAS = {"input": (5, 4), "weight": (3, 4)}


def test_shapes_and_counts_of_a_linear_layer(linear: SmallBank) -> None:
    """Shapes, dtypes, what is saved and what is handed back are facts of any reference."""
    outcome = linear.outcome(
        "Linear",
        SHAPES,
        expect={
            "output.shape": (5, 3),
            "output.dtype": "torch.float64",
            "grad_input.shape": (5, 4),
            "grad_weight.shape": (3, 4),
            "grad_bias.shape": (3,),
            "grad_output.shape": (5, 3),
            "returned": 3,
            "returned.shapes": Equals([(5, 4), (3, 4), (3,)], ""),
            "saved.count": 2,
            "saved.shapes": "[(5, 4), (3, 4)]",
            "needs_input_grad": [True, True, True],
            "raises": None,
            "warns": None,
        },
    )
    assert said(outcome) == []
    assert outcome.holds


def test_an_argument_left_out_has_no_gradient(linear: SmallBank) -> None:
    """Where backward gives None, the gradient and its shape are None."""
    expect = {"grad_bias": None, "grad_bias.shape": None, "needs_input_grad": [True, True, False]}
    assert said(linear.outcome("Linear", WITHOUT_BIAS, expect=expect)) == []


def test_an_explicit_none_is_like_leaving_out(linear: SmallBank) -> None:
    """``bias: None`` hands None to forward."""
    assert linear.outcome(
        "Linear", {**WITHOUT_BIAS, "bias": None}, expect={"grad_bias": None}
    ).holds


def test_given_values_and_grad_output(linear: SmallBank) -> None:
    """Lists are a tensor's values, and ``grad_output`` may be given with the arguments."""
    outcome = linear.outcome(
        "Linear",
        {"input": [[1.0, 2.0]], "weight": [[3.0, 4.0]], "grad_output": [[10.0]]},
        expect={"output": [[11]], "grad_input": [[30, 40]], "grad_weight": [[10, 20]]},
    )
    assert said(outcome) == []


def test_a_frozen_argument_needs_no_gradient(linear: SmallBank) -> None:
    """``requires_grad: false`` shows in needs_input_grad and gives no gradient."""
    frozen = TensorSpec(shape=Shape((3, 4)), requires_grad=False)
    outcome = linear.outcome(
        "Linear",
        {"input": (5, 4), "weight": frozen},
        expect={"needs_input_grad": [True, False, False], "grad_weight": None},
    )
    assert said(outcome) == []


def test_dtype_strides_and_fill_are_controlled(bank: SmallBank) -> None:
    """A mapping decides a tensor's dtype, layout and content."""
    bank.add("f.py", _function("x * 2", "grad_output * 2"))
    spec = TensorSpec(shape=Shape((2, 3)), dtype="float32", fill="ones", strides=(1, 2))
    outcome = bank.outcome(
        "F",
        {"x": spec},
        expect={"x.strides": (1, 2), "x.dtype": "float32", "output": [[2, 2, 2], [2, 2, 2]]},
    )
    assert said(outcome) == []


def test_several_outputs_are_numbered(bank: SmallBank) -> None:
    """A Function with two outputs has output0 and output1, and no output."""
    bank.add(
        "f.py",
        """
        import torch
        from closedbook import reference

        @reference(example={"x": (2,)})
        class Two(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2, x.sum()

            @staticmethod
            def backward(ctx, first, second):
                return first * 2 + second
        """,
    )
    right = {"output0.shape": (2,), "output1.shape": (), "grad_output1.shape": (), "returned": 1}
    assert said(bank.outcome("Two", {"x": (2,)}, expect=right)) == []
    given = {"x": [1.0, 2.0], "grad_output0": [1.0, 1.0], "grad_output1": 3}
    assert bank.outcome("Two", given, expect={"grad_x": [5, 5]}).holds
    assert said(bank.outcome("Two", {"x": (2,)}, expect={"output.shape": (2,)})) == [
        "output.shape: expected (2,), observed no such fact: it has output0, output1"
    ]


def _function(forward: str, backward: str, setup: str = "pass") -> str:
    return f"""
import torch, warnings
from closedbook import reference

@reference(example={{"x": (2, 3)}})
class F(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return {forward}

    @staticmethod
    def setup_context(ctx, inputs, output):
        {setup}

    @staticmethod
    def backward(ctx, grad_output):
        return {backward}
"""


def test_returned_counts_what_autograd_ignores(bank: SmallBank) -> None:
    """Extra trailing Nones are counted, though torch lets them pass in silence."""
    bank.add("f.py", _function("x * 2", "grad_output * 2, None, None"))
    expect = {"returned": 3, "returned.shapes": Equals([(2, 3), None, None], ""), "raises": None}
    assert said(bank.outcome("F", {"x": (2, 3)}, expect=expect)) == []


def test_returned_is_known_where_torch_refuses_it(bank: SmallBank) -> None:
    """The count stands also where the wrong number of gradients raises."""
    bank.add("f.py", _function("x * 2", "grad_output * 2, grad_output"))
    expect = {"returned": 2, "raises": Raises("RuntimeError", "incorrect number of gradients")}
    assert said(bank.outcome("F", {"x": (2, 3)}, expect=expect)) == []


def test_facts_are_those_before_backward(bank: SmallBank) -> None:
    """A backward that writes into grad_output does not change what is said of grad_output."""
    bank.add("f.py", _function("x * 2", "grad_output.mul_(2)"))
    given = {"x": [1.0, 1.0], "grad_output": [1.0, 1.0]}
    later = job("F", given, {"grad_x": [2, 2], "grad_output": [1, 1], "output": [2, 2]})
    sooner = job("F", given, {"grad_output": [1, 1], "grad_x": [2, 2]})
    for jobs in ([later, sooner], [sooner, later], [later]):
        assert [said(outcome) for outcome in bank.run(*jobs)] == [[]] * len(jobs)


def test_saved_tensors_are_counted_after_backward_too(linear: SmallBank) -> None:
    """Backward frees what was saved; the count does not depend on what was asked before."""
    expect = {"grad_input.shape": (5, 4), "saved.count": 2, "saved.shapes": "[(5, 4), (3, 4)]"}
    assert said(linear.outcome("Linear", SHAPES, expect=expect)) == []


@pytest.mark.parametrize(
    ("backward", "kind", "text"),
    [
        ("grad_output.reshape(100)", "RuntimeError", "shape"),
        ("{}['x']", "LookupError", "x"),
    ],
)
def test_what_backward_raises(bank: SmallBank, backward: str, kind: str, text: str) -> None:
    """An exception is known by its class or a base's, and by its text."""
    bank.add("f.py", _function("x * 2", backward))
    assert bank.outcome("F", {"x": (2, 3)}, expect={"raises": Raises(kind, text)}).holds
    wrong = bank.outcome("F", {"x": (2, 3)}, expect={"raises": Raises("OSError")})
    assert wrong.mismatches[0].expected == "OSError"


def test_an_unexpected_exception_fails_with_the_banks_frames(bank: SmallBank) -> None:
    """The message has the exception and the bank's own lines, and no other file's."""
    bank.add("f.py", _function("x.mm(x)", "grad_output"))
    outcome = bank.outcome("F", {"x": (2, 3)}, expect={"output.shape": (2, 3)})
    assert outcome.error is not None
    assert outcome.error.splitlines()[1:] == ["  generators/f.py:9 in forward: return x.mm(x)"]
    assert str(outcome.place) == "generators/f.py:9"


def test_output_facts_hold_although_backward_raises(bank: SmallBank) -> None:
    """Only the halves of a run that a claim needs are run."""
    bank.add("f.py", _function("x * 2", "1 / 0"))
    assert bank.outcome("F", {"x": (2, 3)}, expect={"output.shape": (2, 3)}).holds
    expect = {"raises": Raises("ZeroDivisionError"), "grad_x.shape": (2, 3)}
    assert said(bank.outcome("F", {"x": (2, 3)}, expect=expect)) == [
        "grad_x.shape: expected (2, 3), observed not reached: ZeroDivisionError: division by zero"
    ]


def test_gradcheck_passes_and_fails_at(linear: SmallBank) -> None:
    """Where gradcheck fails is read from its message, numbered as there."""
    small = {"input": (1, 2), "weight": (2, 2), "bias": (2,)}
    passes, fails = Gradcheck(True), Gradcheck(False, 0, 2)
    assert linear.outcome(
        "Linear", small, expect={"gradcheck": passes, "gradgradcheck": passes}
    ).holds
    quoted = linear.outcome(
        "LinearZeroBias", small, expect={"gradcheck": fails}, quote="gradcheck.message"
    )
    assert said(quoted) == []
    assert quoted.quote is not None
    assert quoted.quote.startswith("Jacobian mismatch for output 0 with respect to input 2,")
    assert said(linear.outcome("LinearZeroBias", small, expect={"gradcheck": passes})) == [
        "gradcheck: expected passes, observed fails at output 0, input 2: "
        "Jacobian mismatch for output 0 with respect to input 2"
    ]
    elsewhere = linear.outcome(
        "LinearZeroBias", small, expect={"gradcheck": Gradcheck(False, 0, 1)}
    )
    assert elsewhere.mismatches[0].expected == "fails at output 0, input 1"


@pytest.mark.parametrize(
    ("input", "why"),
    [
        (Shape((0, 4)), "no elements"),
        (TensorSpec(Shape((2, 4)), fill="zeros"), "0 throughout"),
        (TensorSpec(Shape((2, 4)), fill=1e-9), "below 0.001 throughout"),
    ],
)
def test_a_gradcheck_that_cannot_fail(linear: SmallBank, input: Any, why: str) -> None:
    """It passes of a wrong Function too, so that it passes shows nothing."""
    zeros = {"weight": TensorSpec(Shape((3, 4)), fill="zeros")}
    given = {"input": input, "bias": TensorSpec(Shape((3,)), fill="zeros"), **zeros}
    outcome = linear.outcome("Linear", given, expect={"gradcheck": Gradcheck(True)})
    assert why in said(outcome)[0]


def test_gradcheck_in_single_precision_fails_and_warns(linear: SmallBank) -> None:
    """Gradcheck's warnings belong to a claim that asks for gradcheck, and to no other."""
    single = {
        "input": TensorSpec(shape=Shape((2, 2)), dtype="float32"),
        "weight": TensorSpec(shape=Shape((2, 2)), dtype="float32"),
    }
    asks = job(
        "Linear",
        single,
        {"gradcheck": Gradcheck(False), "warns": Warns("UserWarning", "double", count=2)},
    )
    silent = job("Linear", single, {"warns": None})
    for jobs in ((asks, silent), (silent, asks)):
        assert [said(outcome) for outcome in linear.run(*jobs)] == [[], []]


def test_warnings_of_a_function(bank: SmallBank) -> None:
    """A warning is known by category, text and count, each time it is given."""
    bank.add("f.py", _function("x * 2", "grad_output", "warnings.warn('mind the gap')"))
    for _ in range(2):
        expect = {"warns": Warns("Warning", matches="^mind .* gap$", count=1)}
        assert said(bank.outcome("F", {"x": (2,)}, expect=expect)) == []
    twice = bank.outcome("F", {"x": (2,)}, expect={"warns": Warns("UserWarning", count=2)})
    assert said(twice) == ["warns: expected UserWarning, 2 times, observed 1 times"]
    bank.add("f.py", _function("x * 2", "grad_output", "[warnings.warn(x) for x in 'abc']"))
    thrice = bank.outcome("F", {"x": (2,)}, expect={"warns": Warns("UserWarning", count=2)})
    assert said(thrice) == ["warns: expected UserWarning, 2 times, observed 3 times"]


def test_no_warning_is_a_fact_too(bank: SmallBank) -> None:
    """Who expects none is told which there was."""
    bank.add("f.py", _function("x * 2", "grad_output", "warnings.warn('mind the gap')"))
    none = bank.outcome("F", {"x": (2,)}, expect={"warns": None})
    assert said(none) == ["warns: expected no warning, observed ['UserWarning: mind the gap']"]


def test_in_place_functions_are_given_copies(bank: SmallBank) -> None:
    """Torch lets no leaf be written to, so a Function that marks one dirty receives a copy."""
    bank.add(
        "f.py",
        """
        import torch
        from closedbook import reference

        @reference(example={"x": (2,)})
        class Twice(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.mark_dirty(x)
                return x.mul_(2)

            @staticmethod
            def backward(ctx, grad_output):
                return grad_output * 2
        """,
    )
    assert said(bank.outcome("Twice", kind="reference")) == []
    expect = {"x": [1, 2], "output": [2, 4], "grad_x": [2, 2], "gradcheck": Gradcheck(True)}
    given = {"x": [1.0, 2.0], "grad_output": [1.0, 1.0]}
    assert said(bank.outcome("Twice", given, expect=expect)) == []


def test_a_fact_is_one_of_the_run(linear: SmallBank) -> None:
    """What would be so whatever runs is no fact: an expression names something of the run."""
    given = {"input": (5, 4), "weight": (3, 4)}
    for fact in ("77 + 0", "(1 + 2) * 3", "torch.eye(2).sum()"):
        (line,) = said(linear.outcome("Linear", given, expect={fact: 1}))
        assert "observed no such fact" in line


@pytest.mark.parametrize(
    ("fact", "hint"),
    [
        ("grad_inptu.shape", " (did you mean 'grad_input.shape'?)"),
        ("ouput", " (did you mean 'output'?)"),
        ("grad_output.shap", " (did you mean 'grad_output.shape'?)"),
        ("save.count", " (did you mean 'saved.count'?)"),
        ("nothing_like_it", ""),
    ],
)
def test_an_unknown_fact_names_the_likely_one(linear: SmallBank, fact: str, hint: str) -> None:
    """A misspelt fact fails its claim and says what was probably meant."""
    outcome = linear.outcome("Linear", SHAPES, expect={fact: 1})
    assert said(outcome) == [f"{fact}: expected 1, observed no such fact{hint}"]


def test_a_fact_may_be_an_expression(linear: SmallBank) -> None:
    """An expression of the run's tensors is a fact like any other."""
    expect = {
        "grad_output.t().shape": (3, 5),
        "grad_weight.t().shape": (4, 3),
        "(output - bias).shape": (5, 3),
        "input[0].shape": (4,),
    }
    assert said(linear.outcome("Linear", SHAPES, expect=expect)) == []


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"inptu": (2, 2)}, "Linear takes 'input', 'weight', 'bias', not 'inptu' "
                            "(did you mean 'input'?)"),
        ({"input": (2, 2)}, "Linear needs 'weight' in 'with'"),
        ({"input": (2, 2), "weight": (2, 2), "grad_output1": (2, 2)},
         "Linear has no output for 'grad_output1': give grad_output"),
        ({"input": (2, 2), "weight": TensorSpec(shape=Shape((2, 2)), dtype="float46")},
         "torch has no dtype 'float46' (did you mean 'float64'?)"),
        ({"input": (2, 2), "weight": TensorSpec(shape=Shape((2, 2)), fill="ons")},
         "'weight' cannot be filled with 'ons' (did you mean 'ones'?): "
         "'fill' is random, zeros, ones, arange or a number"),
    ],
)  # fmt: skip
def test_arguments_that_do_not_fit(linear: SmallBank, given: dict[str, Any], message: str) -> None:
    """A wrong argument is the author's mistake, said in words."""
    outcome = linear.outcome("Linear", given, expect={"output": 1})
    assert outcome.error == message
    assert str(outcome.place).startswith("generators/functions/linear.py:")


def test_a_quote_that_is_no_text(linear: SmallBank) -> None:
    """What is quoted has to be a text that was captured."""
    outcome = linear.outcome("Linear", SHAPES, expect={"raises": None}, quote="gradcheck.message")
    assert said(outcome) == [
        "gradcheck.message: expected a text to quote, observed it is an empty text"
    ]


def test_text_expectations(linear: SmallBank) -> None:
    """``contains`` and ``matches`` look into a captured text."""
    given = {"input": (1, 2), "weight": (2, 2), "bias": (2,)}
    good = {"gradcheck.message": Text(contains="numerical", matches=r"output \d+")}
    bad = {"gradcheck.message": Text(matches="^numerical")}
    assert linear.outcome("LinearZeroBias", given, expect=good).holds
    assert not linear.outcome("LinearZeroBias", given, expect=bad).holds
