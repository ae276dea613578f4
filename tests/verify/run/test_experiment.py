"""Experiments: their arguments, their facts, and the care around them."""

import math
import random
import signal
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy
import pytest
import torch

from closedbook.model.expect import Equals, Gradcheck, Raises, Text, Warns
from closedbook.model.value import Number, Shape, TensorSpec
from tests.verify.small_bank import SmallBank, job, said

HEAD = """
import gc, math, os, random, sys, time, warnings, weakref
from typing import Literal
import numpy, torch
from closedbook import experiment
"""


def add(bank: SmallBank, text: str) -> SmallBank:
    """Write one file of experiments."""
    return bank.add("experiments/e.py", HEAD + text)


KINDS = """
@experiment
def kinds(
    function: type[torch.autograd.Function],
    shape: tuple[int, ...],
    tensor: torch.Tensor,
    values: list[float],
    count: int,
    size: float,
    text: str,
    truth: bool,
    choice: Literal["a", "b"],
    maybe: int | None,
    left_out: int = 7,
):
    return {
        "function": function.__name__, "shape": shape, "tensor": tuple(tensor.shape),
        "dtype": str(tensor.dtype), "needs": tensor.requires_grad, "values": values,
        "count": count, "size": size, "text": text, "truth": truth, "choice": choice,
        "maybe": maybe, "left_out": left_out,
    }
"""
GIVEN = {
    "function": "Linear",
    "shape": (5, 4),
    "tensor": (2, 3),
    "values": [1.0, 2.5],
    "count": 3,
    "size": 2,
    "text": Number(1.1, "1.10"),
    "truth": True,
    "choice": "b",
    "maybe": None,
}


def test_each_parameter_gets_what_its_annotation_says(linear: SmallBank) -> None:
    """One value of YAML becomes a shape, a tensor, a text … as the parameter asks."""
    add(linear, KINDS)
    expect = {
        "function": "Linear", "shape": (5, 4), "tensor": (2, 3), "dtype": "torch.float64",
        "needs": True, "values": [1, 2.5], "count": 3, "size": 2.0, "text": "1.10",
        "truth": True, "choice": "b", "maybe": None, "left_out": 7,
    }  # fmt: skip
    assert said(linear.outcome("kinds", GIVEN, expect=expect)) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"function": "Liner"}, "no generator is called 'Liner' (did you mean 'Linear'?)"),
        ({"function": "kinds"}, "'kinds' is an experiment, not a Function"),
        ({"function": 3}, "kinds takes 'function' as type[torch.autograd.function.Function], "
                          "not 3"),
        ({"shape": 3}, "kinds takes 'shape' as tuple[int, ...], not 3"),
        ({"count": 2.5}, "kinds takes 'count' as int, not 2.5"),
        ({"count": True}, "kinds takes 'count' as int, not True"),
        ({"truth": "yes"}, "kinds takes 'truth' as bool, not 'yes'"),
        ({"size": "big"}, "kinds takes 'size' as float, not 'big'"),
        ({"values": (2,)}, "kinds takes 'values' as list[float], not the shape (2,)"),
        ({"choice": "c"}, "kinds takes 'choice' as Literal['a', 'b'], not 'c'"),
        ({"cuont": 3}, "kinds takes 'function', 'shape', 'tensor', 'values', 'count', 'size', "
                       "'text', 'truth', 'choice', 'maybe', 'left_out', not 'cuont' "
                       "(did you mean 'count'?)"),
    ],
)  # fmt: skip
def test_arguments_that_do_not_fit(linear: SmallBank, change: dict[str, Any], message: str) -> None:
    """What a parameter does not take is said in one line, with what it does take."""
    add(linear, KINDS)
    error = linear.outcome("kinds", GIVEN | change).error
    assert error is not None
    assert error.replace("typing.", "") == message


def test_a_missing_argument_and_a_missing_annotation(bank: SmallBank) -> None:
    """A parameter without a default is needed; one without an annotation is the author's slip."""
    add(bank, "@experiment\ndef one(n: int): return {}\n@experiment\ndef two(n): return {}\n")
    assert bank.outcome("one").error == "one needs 'n' in 'with'"
    assert bank.outcome("two", {"n": 1}).error == "two: parameter 'n' needs an annotation"


def test_facts_one_level_deep_are_joined_by_a_dot(bank: SmallBank) -> None:
    """A mapping within the facts names its entries with a dot."""
    add(bank, "@experiment\ndef e():\n    return {'saved': {'before': 'alive'}, 'n': 3}\n")
    assert said(bank.outcome("e", expect={"saved.before": "alive", "n": 3})) == []
    assert said(bank.outcome("e", expect={"saved": 1, "saved.befor": 1, "x": 1})) == [
        "saved: expected 1, observed no such fact: it has saved.before",
        "saved.befor: expected 1, observed no such fact (did you mean 'saved.before'?)",
        "x: expected 1, observed no such fact: it returned saved.before, n",
    ]


@pytest.mark.parametrize(
    ("value", "advice"),
    [
        ("torch.ones(1)", "a live tensor: return .item(), or tuple(x.shape) for its shape"),
        ("[torch.ones(2)]", "a live tensor: return .tolist(), or tuple(x.shape) for its shape"),
        ("ValueError('x')", "an exception, whose traceback keeps its tensors alive: return str(e)"),
        ("torch.float64", "a torch.dtype: return str(x.dtype)"),
        ("numpy.float64(1)", "a numpy float64: return .item() or .tolist()"),
        ("{'a': {'b': 1}}", "a mapping within a mapping: facts are flat, one level within is "
                            "the most"),
        ("{1}", "a set, which has no order: return sorted(…)"),
        ("1j", "a complex: facts are None, bool, int, float, str, shapes and lists"),
    ],
)  # fmt: skip
def test_facts_that_are_no_plain_data(bank: SmallBank, value: str, advice: str) -> None:
    """What would live on, or cannot be compared, is refused with what to write instead."""
    add(bank, f"@experiment\ndef e():\n    return {{'x': {value}}}\n")
    name = "x.a" if "{'a'" in value else "x"
    assert bank.outcome("e").error == f"e: fact '{name}' is {advice}"


def test_an_experiment_that_returns_no_facts(bank: SmallBank) -> None:
    """A dict is what an experiment returns."""
    add(bank, "@experiment\ndef e():\n    pass\n")
    outcome = bank.outcome("e")
    assert outcome.error == "e returned NoneType: an experiment returns a dict of facts"
    assert str(outcome.place) == "generators/experiments/e.py:7"


RAISING = """
def helper(depth):
    if depth:
        return helper(depth - 1)
    return torch.ones(2).mm(torch.ones(2, 2))

@experiment
def fails():
    print("on the way")
    return {"x": helper(1)}
"""


def test_an_experiment_that_raises(bank: SmallBank) -> None:
    """Its claim fails with the exception, the bank's own frames and what it had printed."""
    outcome = add(bank, RAISING).outcome("fails", expect={"x": 1})
    assert outcome.error is not None
    assert outcome.error.splitlines() == [
        "RuntimeError: self must be a matrix",
        '  generators/experiments/e.py:15 in fails: return {"x": helper(1)}',
        "  generators/experiments/e.py:9 in helper: return helper(depth - 1)",
        "  generators/experiments/e.py:10 in helper: return torch.ones(2).mm(torch.ones(2, 2))",
        "  printed: on the way",
    ]
    assert str(outcome.place) == "generators/experiments/e.py:10"


def test_an_exception_may_be_what_is_expected(bank: SmallBank) -> None:
    """``raises`` is a fact of experiments too, and can be quoted."""
    wanted = {"raises": Raises("RuntimeError", "matrix")}
    outcome = add(bank, RAISING).outcome("fails", expect=wanted, quote="raises")
    assert outcome.holds
    assert outcome.quote == "RuntimeError: self must be a matrix"


def test_leaving_the_interpreter_is_an_exception_like_any(bank: SmallBank) -> None:
    """``sys.exit`` in an experiment ends the experiment alone."""
    add(bank, "@experiment\ndef leaves():\n    sys.exit(3)\n")
    assert (bank.outcome("leaves").error or "").startswith("SystemExit: 3")


@pytest.fixture
def deaf() -> Iterator[None]:
    """Ctrl-C does not reach this process, as it does not reach a worker."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    yield
    signal.pthread_sigmask(signal.SIG_SETMASK, before)


@pytest.mark.usefixtures("deaf")
@pytest.mark.parametrize("raised", ["KeyboardInterrupt", "BaseException", "GeneratorExit"])
def test_no_exception_of_a_bank_ends_the_run(linear: SmallBank, raised: str) -> None:
    """Whatever the bank raises is a fact of its run, and the next check runs."""
    add(
        linear,
        f"""
        @experiment
        def raises(): raise {raised}("mine")
        @experiment
        def fine(): return {{"x": 1}}
        class Throws(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x): raise {raised}("mine")
        Throws = __import__("closedbook").reference(example={{"x": (2,)}})(Throws)
        """.replace("\n        ", "\n"),
    )
    expected, checked = Raises(raised, "mine"), {"gradcheck.message": Text(f"{raised}: mine")}
    outcomes = linear.run(
        job("raises", expect={"raises": expected}),
        job("raises", expect={"x": 1}),
        job("Throws", {"x": (2,)}, expect={"raises": expected}),
        job("Throws", {"x": (2,)}, expect={**checked, "raises": expected}),
        job("fine", expect={"x": 1}),
    )
    assert [outcome.holds for outcome in outcomes] == [True, False, True, True, True]
    assert (outcomes[1].error or "").splitlines()[0] == f"{raised}: mine"


def test_ctrl_c_in_this_very_process_is_no_fact(bank: SmallBank) -> None:
    """Where checks run in the process that hears Ctrl-C, it ends the run."""
    add(bank, "@experiment\ndef interrupted():\n    raise KeyboardInterrupt\n")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # deaf in the background
    try:
        with pytest.raises(KeyboardInterrupt):
            bank.outcome("interrupted")
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_exception_that_cannot_be_shown(bank: SmallBank) -> None:
    """A bank's code that fails while it is looked at fails its own check, at its place."""
    add(
        bank,
        """
        class Odd(Exception):
            def __str__(self): raise RuntimeError("no words")
        class Facts(dict):
            def items(self): raise RuntimeError("no facts")
        @experiment
        def odd(): raise Odd
        @experiment
        def facts(): return Facts(x=1)
        @experiment
        def fine(): return {"x": 1}
        """.replace("\n        ", "\n"),
    )
    odd, again, facts, fine = bank.run(
        job("odd"), job("odd", expect={"x": 1}), job("facts"), job("fine", expect={"x": 1})
    )
    assert (odd.error or "").startswith("RuntimeError: no words\n  generators/experiments/e.py:")
    assert again.error == odd.error
    assert (facts.error or "").startswith("RuntimeError: no facts")
    assert fine.holds


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("10**5000", "too long to be shown"),
        ("[10**5000]", "too long to be shown"),
        ("functools.reduce(lambda x, _: [x], range(100000), 1)", "nested more than 64 levels"),
        ("(lambda x: x.append(x) or x)([])", "within itself"),
    ],
)
def test_a_fact_without_bounds(bank: SmallBank, value: str, words: str) -> None:
    """A number or a list that cannot be shown is refused with its name."""
    add(bank, f"import functools\n@experiment\ndef e():\n    return {{'x': {value}}}\n")
    error = bank.outcome("e", expect={"x": 1}).error or ""
    assert error.startswith("e: fact 'x' is ")
    assert words in error


def test_a_fact_given_twice(bank: SmallBank) -> None:
    """Two facts of one name, one of them within a mapping, are told apart by nobody."""
    add(bank, "@experiment\ndef e():\n    return {'a.b': 1, 'a': {'b': 2}}\n")
    assert (bank.outcome("e").error or "").startswith("e: the fact 'a.b' is given twice")


def test_a_deep_recursion_is_shown_by_its_ends(bank: SmallBank) -> None:
    """Of a thousand frames a report shows the first and the last ones."""
    text = "def f(n): return f(n + 1)\n@experiment\ndef e(): f(0)\n"
    lines = (add(bank, text).outcome("e").error or "").splitlines()
    assert lines[0].startswith("RecursionError: maximum recursion depth exceeded")
    assert len(lines) == 1 + 8 + 1 + 8
    assert lines[1].endswith("in e: def e(): f(0)")
    assert lines[9].endswith(" more …")


def test_a_very_long_message_is_cut(bank: SmallBank) -> None:
    """A report shows the ends of a long exception and of what was printed, a card's check all."""
    text = "print('p' * 10**6); raise ValueError('a' * 10**6 + 'z')"
    outcome = add(bank, f"@experiment\ndef e():\n    {text}\n").outcome("e")
    assert (outcome.error or "").startswith("ValueError: aaa")
    assert len(outcome.error or "") < 10_000
    wanted = {"raises": Raises("ValueError", "aaz")}
    assert bank.outcome("e", expect=wanted).holds


def test_what_is_printed_is_not_shown(bank: SmallBank, capsys: pytest.CaptureFixture[str]) -> None:
    """An experiment's output does not mix with the report."""
    add(bank, "@experiment\ndef e():\n    print('x'); print('y', file=sys.stderr); return {}\n")
    assert bank.outcome("e").holds
    assert capsys.readouterr() == ("", "")


DISTURBING = """
@experiment
def disturbs():
    torch.set_grad_enabled(False); torch.set_default_dtype(torch.float64)
    torch.set_num_threads(2); torch.manual_seed(99); random.seed(99); numpy.random.seed(99)
    torch.set_printoptions(precision=2); torch.use_deterministic_algorithms(True)
    torch.autograd.set_detect_anomaly(True); torch.set_warn_always(False)
    warnings.simplefilter("ignore"); gc.disable()
    sys.setrecursionlimit(5000)
    os.environ["CLOSEDBOOK_DISTURBED"] = "1"; os.chdir("/"); sys.path.append("/nowhere")
    return {}

@experiment
def state():
    warnings.warn("heard")
    x = torch.tensor(2.0, requires_grad=True)
    (x ** 2).backward(create_graph=True)
    return {
        "grad": torch.is_grad_enabled(), "dtype": str(torch.get_default_dtype()),
        "threads": torch.get_num_threads(), "torch": torch.rand(()).item(),
        "python": random.random(), "numpy": numpy.random.rand(),
        "shown": repr(torch.tensor(math.pi)), "env": os.environ.get("CLOSEDBOOK_DISTURBED"),
        "deterministic": torch.are_deterministic_algorithms_enabled(),
        "folder": os.getcwd() == "/", "path": "/nowhere" in sys.path, "gc": gc.isenabled(),
        "depth": sys.getrecursionlimit(), "anomaly": torch.is_anomaly_enabled(),
        "always": torch.is_warn_always_enabled(), "programs": "PATH" in os.environ,
    }
"""
STATE = ["grad", "dtype", "threads", "torch", "python", "numpy", "shown", "env",
         "deterministic", "folder", "path", "gc", "depth", "anomaly", "always",
         "programs", "warns"]  # fmt: skip


def test_no_experiment_changes_what_another_sees(bank: SmallBank) -> None:
    """Seeds, switches, filters, the environment and the folder are the same before each run."""
    add(bank, DISTURBING)
    asks = job("state", expect=dict.fromkeys(STATE))
    (alone,) = bank.run(asks)
    after = bank.run(job("disturbs"), asks)[1]
    again = bank.run(asks, job("disturbs"))[0]
    assert alone.facts == after.facts == again.facts
    assert len(alone.facts["warns"]) == 2  # type: ignore[arg-type]  # a list of texts
    assert alone.facts["shown"] == "tensor(3.1416)"
    assert (alone.facts["gc"], alone.facts["threads"], alone.facts["env"]) == (False, 1, None)
    assert after.facts["programs"] is True


def draws() -> tuple[float, ...]:
    """Draw a number from each of the three generators."""
    return torch.rand(()).item(), random.random(), numpy.random.rand()  # noqa: S311  # their state is what is tested


def test_the_callers_own_state_is_put_back(bank: SmallBank) -> None:
    """After a chunk, the process is as it was before."""
    add(bank, DISTURBING)
    torch.manual_seed(5)
    random.seed(5)
    numpy.random.seed(5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = list(warnings.filters)
        with torch.no_grad():
            bank.run(job("disturbs"), job("state"))
            assert not torch.is_grad_enabled()
        assert list(warnings.filters) == before
    drawn = draws()
    torch.manual_seed(5)
    random.seed(5)
    numpy.random.seed(5)
    assert drawn == draws()
    assert torch.get_default_dtype() is torch.float32
    assert "/nowhere" not in sys.path


def switches() -> tuple[object, ...]:
    """Those of torch's switches that hold for the whole process."""
    return (
        torch.get_default_dtype(),
        torch.get_num_threads(),
        torch.is_warn_always_enabled(),
        torch.is_anomaly_enabled(),
        torch.are_deterministic_algorithms_enabled(),
        repr(torch.tensor(math.pi)),
    )


def test_a_caller_with_switches_of_its_own_gets_them_back(bank: SmallBank) -> None:
    """What a program has set before it verifies is set after it, whatever the bank does."""
    add(bank, DISTURBING)
    plain = switches()
    try:
        torch.set_default_dtype(torch.float64)
        torch.set_num_threads(2)
        torch.set_warn_always(True)
        torch.autograd.set_detect_anomaly(True)
        torch.use_deterministic_algorithms(True)
        torch.set_printoptions(precision=7)  # type: ignore[no-untyped-call]  # torch's own
        before = switches()
        bank.run(job("state"))
        assert switches() == before != plain
        bank.run(job("disturbs"))
        assert switches() == before
    finally:
        torch.set_default_dtype(torch.float32)
        torch.set_num_threads(int(str(plain[1])))
        torch.set_warn_always(bool(plain[2]))
        torch.autograd.set_detect_anomaly(False)
        torch.use_deterministic_algorithms(False)
        torch.set_printoptions(profile="default")  # type: ignore[no-untyped-call]  # torch's own


LIFETIMES = """
class Node:
    pass

@experiment
def cycle():
    node = Node()
    node.self = node
    ref = weakref.ref(node)
    del node
    seen = {"dropped": "alive" if ref() is not None else "freed"}
    for _ in range(20000):
        [Node()]
    seen["later"] = "alive" if ref() is not None else "freed"
    gc.collect()
    seen["collected"] = "alive" if ref() is not None else "freed"
    return seen
"""


def test_lifetimes_end_where_the_experiment_says(bank: SmallBank) -> None:
    """The collector does not run by itself within an experiment, so a lifetime is no accident."""
    expect = {"dropped": "alive", "later": "alive", "collected": "freed"}
    assert said(add(bank, LIFETIMES).outcome("cycle", expect=expect)) == []


def test_warnings_are_given_every_time(bank: SmallBank) -> None:
    """A warning that Python or torch gives once a process is a fact of every run."""
    add(bank, "@experiment\ndef warns():\n"
        "    x = torch.tensor(2.0, requires_grad=True)\n"
        "    (x ** 2).backward(create_graph=True)\n"
        "    warnings.warn('twice', DeprecationWarning)\n    return {}\n")  # fmt: skip
    expect = {"warns": Warns("UserWarning", "create_graph", count=1)}
    other = {"warns": Warns("DeprecationWarning", count=1)}
    jobs = [job("warns", expect=expect), job("warns", expect=other)]
    assert [said(o) for o in bank.run(*jobs)] + [said(o) for o in bank.run(*jobs)] == [[]] * 4


TAKES_TENSOR = """
@experiment
def e(x: torch.Tensor):
    return {"values": x.tolist(), "needs": x.requires_grad, "dtype": str(x.dtype)}
"""


def test_a_tensor_argument_is_described_like_a_references(bank: SmallBank) -> None:
    """A mapping controls a tensor that an experiment takes."""
    add(bank, TAKES_TENSOR)
    spec = TensorSpec(shape=Shape((2,)), fill="arange", dtype="int64")
    expect = {"values": [0, 1], "needs": False, "dtype": "torch.int64"}
    assert said(bank.outcome("e", {"x": spec}, expect=expect)) == []


def test_special_numbers_are_facts(bank: SmallBank) -> None:
    """NaN, infinities, tuples and texts come through as they are."""
    add(bank, "@experiment\ndef e():\n"
        "    return {'nan': math.nan, 'inf': math.inf, 'size': torch.ones(2, 3).shape,"
        " 'at': repr(object()), 'file': __file__, 'flags': (True, False)}\n")  # fmt: skip
    outcome = bank.outcome(
        "e",
        expect={
            "nan": Equals(Number(math.nan, "nan"), "nan"), "inf": math.inf, "size": (2, 3),
            "at": "<object object at 0x…>", "file": "generators/experiments/e.py",
            "flags": [True, False],
        },
    )  # fmt: skip
    assert said(outcome) == []


VERDICTS = """
@experiment
def verdicts():
    return {"gradcheck": "passes", "gradgradcheck": False, "other": 3}
"""


def test_a_verdict_may_come_from_an_experiment(bank: SmallBank) -> None:
    """``gradcheck: passes`` holds of an experiment that returns such a fact itself."""
    add(bank, VERDICTS)
    right = {"gradcheck": Gradcheck(True), "gradgradcheck": Gradcheck(False)}
    assert said(bank.outcome("verdicts", expect=right)) == []
    wrong = {"gradcheck": Gradcheck(False), "other": Text(contains="3")}
    assert said(bank.outcome("verdicts", expect=wrong)) == [
        "gradcheck: expected fails, observed passes",
        "other: expected a text that contains '3', observed 3",
    ]


KINDS_OF_ARGUMENTS = """
@experiment
def takes(size: torch.Size, x: torch.Tensor, options: dict[str, int], anything: object = None):
    return {"size": tuple(size), "x": x.item(), "options": options["n"]}

@experiment
def stars(*args: int):
    return {}

@experiment
def only(n: int, /):
    return {}

@experiment
def unreadable(n: "Nothing"):
    return {}
"""


def test_more_kinds_of_arguments(bank: SmallBank) -> None:
    """A size, a number as a tensor, a mapping; and signatures that YAML cannot serve."""
    add(bank, KINDS_OF_ARGUMENTS)
    given = {"size": (2,), "x": 1.5, "options": {"n": Number(3, "3")}}
    assert said(bank.outcome("takes", given, expect={"size": (2,), "x": 1.5, "options": 3})) == []
    assert bank.outcome("stars").error == "stars takes *args: give each parameter a name"
    assert bank.outcome("only").error == "only: 'n' cannot be given by its name"
    assert "the annotations of unreadable cannot be read" in (
        bank.outcome("unreadable").error or ""
    )
