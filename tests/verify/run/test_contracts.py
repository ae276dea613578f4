"""What ``@reference`` and ``@flawed`` promise, checked."""

import itertools

import pytest

from closedbook.verify.run.contracts import _subsets, example_of
from closedbook.verify.run.function.signature import plan_of
from closedbook.verify.run.loading import Definition, generators_of
from tests.verify.small_bank import LINEAR, SmallBank, said

HEAD = "import torch, random\nfrom closedbook import experiment, flawed, reference\n"


def function(
    mark: str, forward: str, backward: str, arguments: str = "x", name: str = "F", setup: str = ""
) -> str:
    """Write a marked Function in the separate style."""
    return f"""
{mark}
class {name}(torch.autograd.Function):
    @staticmethod
    def forward({arguments}):
        return {forward}

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*[x for x in inputs if isinstance(x, torch.Tensor)]); {setup}

    @staticmethod
    def backward(ctx, grad_output):
        saved = ctx.saved_tensors
        return {backward}
"""


def test_a_right_reference(linear: SmallBank) -> None:
    """Every choice of optional arguments is checked, to the second order."""
    outcome = linear.outcome("Linear", kind="reference")
    assert said(outcome) == []
    assert outcome.facts == {
        "gradcheck": "passes",
        "gradgradcheck": "passes",
        "deterministic": True,
        "gradcheck without bias": "passes",
        "gradgradcheck without bias": "passes",
        "deterministic without bias": True,
    }


@pytest.mark.parametrize(
    ("old", "new", "fact"),
    [
        ("grad_output.t().mm(input)", "grad_output.t().mm(input) * 2", "gradcheck"),
        ("grad_output.t().mm(input)", "input.t().mm(grad_output)", "gradcheck"),
        ("grad_output.sum(0)", "grad_output[0]", "gradcheck"),
        ("ctx.needs_input_grad[2] else None", "ctx.needs_input_grad[2] else grad_output.sum(0)",
         "gradcheck without bias"),
        ("return output if bias is None", "return output * 2 if bias is None",
         "gradcheck without bias"),
    ],
)  # fmt: skip
def test_a_reference_with_one_fault(bank: SmallBank, old: str, new: str, fact: str) -> None:
    """A dropped factor, a forgotten transpose, a wrong branch: gradcheck tells."""
    source = LINEAR.partition("@flawed")[0]
    assert old in source
    outcome = bank.add("functions/linear.py", source.replace(old, new)).outcome(
        "Linear", kind="reference"
    )
    assert fact in {mismatch.fact for mismatch in outcome.mismatches}


def test_every_subset_of_two_optional_arguments(bank: SmallBank) -> None:
    """Two optional arguments make four cases."""
    bank.add("f.py", HEAD + function(
        '@reference(example={"x": (2,), "a": 2.0, "b": 3.0})',
        "x * a * b", "grad_output * ctx.factor, None, None", "x, a=1.0, b=1.0",
        setup="ctx.factor = inputs[1] * inputs[2]",
    ))  # fmt: skip
    outcome = bank.outcome("F", kind="reference")
    assert said(outcome) == []
    cases = [name.removeprefix("gradcheck") for name in outcome.facts if name.startswith("gradc")]
    assert cases == ["", " without a", " without b", " without a, b"]


def test_choices_of_many_optional_arguments(bank: SmallBank) -> None:
    """Of more than six none is passed over: any two are tried together and without each other."""
    names = "abcdefgh"
    example = ", ".join(f'"{name}": 2.0' for name in names)
    bank.add("f.py", HEAD + function(
        f'@reference(example={{"x": (2,), {example}}})', "x * 2", "grad_output * 2" + ", None" * 8,
        "x, " + ", ".join(f"{name}=1.0" for name in names),
    ))  # fmt: skip
    definition = generators_of(bank.setup).get("F")
    assert isinstance(definition, Definition)
    tried = [given for _, given in _subsets(example_of(definition), plan_of(definition))]
    assert len({tuple(given) for given in tried}) == len(tried) == 8 * 9 + 2
    for one, other in itertools.combinations(names, 2):
        kinds = {(one in given, other in given) for given in tried}
        assert kinds == {(True, True), (True, False), (False, True), (False, False)}


ONCE = function(
    '@reference(example={"x": (2,)}, double_backward=%s)',
    "x * x", "grad_output * 2 * saved[0].detach()",
)  # fmt: skip


def test_double_backward_is_as_the_mark_says(bank: SmallBank) -> None:
    """What says it has a second derivative must have it; what says it has none must not."""
    bank.add("f.py", HEAD + ONCE % "True")
    (line,) = said(bank.outcome("F", kind="reference"))
    assert line.startswith("gradgradcheck: expected passes, observed fails at output 0, input 0")
    bank.add("f.py", HEAD + ONCE % "False")
    assert said(bank.outcome("F", kind="reference")) == []
    bank.add("functions/linear.py", LINEAR.replace("(3,)})", "(3,)}, double_backward=False)"))
    assert said(bank.outcome("Linear", kind="reference")) == [
        "gradgradcheck: expected fails, as double_backward=False says, observed passes"
    ]


def test_a_reference_that_depends_on_chance(bank: SmallBank) -> None:
    """Two runs have to agree to the last bit."""
    bank.add("f.py", HEAD + function(
        '@reference(example={"x": (2,)})', "x + random.random() * 1e-9", "grad_output"
    ))  # fmt: skip
    assert "deterministic: expected two runs agree, observed two runs differ" in said(
        bank.outcome("F", kind="reference")
    )


def test_an_example_that_does_not_fit(bank: SmallBank) -> None:
    """An example with a wrong name is said like any other argument."""
    bank.add("f.py", HEAD + function('@reference(example={"y": (2,)})', "x", "grad_output"))
    assert bank.outcome("F", kind="reference").error == "F takes 'x', not 'y'"


def test_an_example_of_every_kind(bank: SmallBank) -> None:
    """An example may hold what ``with`` may, in Python's own writing."""
    example = '{"x": {"shape": (2, 2), "fill": "ones"}, "w": [1.0, 2.0], "n": 3, "none": None}'
    bank.add("f.py", HEAD + function(
        f"@reference(example={example})", "x * w * n",
        "(grad_output * saved[1] * 3, (grad_output * saved[0] * 3).sum(0), None, None)",
        "x, w, n, none",
    ))  # fmt: skip
    assert said(bank.outcome("F", kind="reference")) == []


EXPERIMENT = """
@experiment
def tells(function: type[torch.autograd.Function], size: int = 2):
    x = torch.ones(size, requires_grad=True)
    function.apply(x).sum().backward()
    return {"grad": x.grad.tolist(), "size": size}

@experiment
def blind(function: type[torch.autograd.Function]):
    return {"output": function.apply(torch.ones(2)).tolist()}

@experiment
def no_function(size: int):
    return {}
"""
RIGHT = function('@reference(example={"x": (2,)})', "x * 2", "grad_output * 2", name="Right")


def wrong(of: str, caught_by: str) -> str:
    """Write a flawed twin of RIGHT."""
    mark = f"@flawed(of={of}, caught_by={caught_by!r})"
    return function(mark, "x * 2", "grad_output * 3", name="Wrong")


def test_a_flawed_function_is_told_apart(bank: SmallBank) -> None:
    """The facts in which it differs from the right one are kept."""
    bank.add("f.py", HEAD + EXPERIMENT + RIGHT + wrong("Right", "tells"))
    outcome = bank.outcome("Wrong", kind="flawed")
    assert outcome.facts == {"Wrong: grad": [3.0, 3.0], "Right: grad": [2.0, 2.0]}
    assert outcome.holds


def test_gradcheck_may_be_what_tells(linear: SmallBank) -> None:
    """``caught_by="gradcheck"`` needs no experiment: the right one passes, the flawed one fails."""
    outcome = linear.outcome("LinearZeroBias", kind="flawed")
    assert said(outcome) == []
    assert outcome.facts["LinearZeroBias: gradcheck"] == "fails at output 0, input 2"
    twin = LINEAR.replace("torch.zeros_like(grad_bias)", "grad_bias")
    linear.add("functions/linear.py", twin)
    assert said(linear.outcome("LinearZeroBias", kind="flawed")) == [
        "LinearZeroBias: gradcheck: expected fails, observed passes"
    ]


@pytest.mark.parametrize(
    ("of", "caught_by", "message"),
    [
        ("Right", "blind", "blind: expected a fact in which Wrong differs from Right, "
                           "observed the same facts for both: output"),
        ("Right", "tels", "caught_by='tels': no generator is called 'tels' "
                          "(did you mean 'tells'?)"),
        ("Right", "Right", "caught_by='Right' is no experiment"),
        ("Right", "no_function", "caught_by='no_function' has no parameter annotated "
         "type[torch.autograd.Function], so it cannot run Wrong and Right"),
        ("'tells'", "tells", "of=tells is no reference: name the right Function"),
    ],
)  # fmt: skip
def test_a_flawed_function_that_nothing_tells_apart(
    bank: SmallBank, of: str, caught_by: str, message: str
) -> None:
    """A flaw that its experiment does not show, or that nobody can look for, is an error."""
    bank.add("f.py", HEAD + EXPERIMENT + RIGHT + wrong(of, caught_by))
    assert said(bank.outcome("Wrong", kind="flawed")) == [message]
