"""What may run when a module is imported without touching anything but its own result.

What is not listed here may do anything: that costs a check which runs once too often, where a
wrong entry would cost one that does not run.
"""

from __future__ import annotations

import sys


def _words(text: str) -> list[str]:
    return text.split()


CONTAINERS = frozenset(
    f"builtins.{name}"
    for name in ("bool", "dict", "frozenset", "id", "isinstance", "issubclass", "len", "list",
                 "range", "set", "slice", "tuple")
) | frozenset(
    f"collections.{name}" for name in ("ChainMap", "Counter", "OrderedDict", "deque", "namedtuple")
) | frozenset({
    "types.MappingProxyType", "types.SimpleNamespace", "functools.partial", "dataclasses.field",
    "enum.auto", "typing.NamedTuple", "typing.NewType", "typing.ParamSpec", "typing.TypeVar",
    "typing.TypedDict", "typing.cast", "weakref.WeakKeyDictionary", "weakref.WeakValueDictionary",
    "weakref.ref",
})  # fmt: skip
"""Calls that keep their arguments, a function of the bank perhaps, and call none of them."""

ITERATORS = frozenset(
    {"builtins.enumerate", "builtins.iter", "builtins.reversed", "builtins.zip",
     "csv.DictReader", "csv.reader",
     *(f"itertools.{name}" for name in ("chain", "combinations", "count", "cycle", "islice",
                                        "pairwise", "permutations", "product", "repeat"))}
)  # fmt: skip
"""The same, but of use once: whoever reads such an object changes it for the next reader."""

_BUILTINS = ("abs", "all", "any", "ascii", "bin", "bytearray", "bytes", "chr", "complex", "divmod",
             "float", "format", "hash", "hex", "int", "max", "min", "oct", "ord", "pow", "repr",
             "round", "sorted", "str", "sum")  # fmt: skip
_TORCH = ("Size", "Tensor", "arange", "as_tensor", "device", "diag", "empty_like", "eye", "finfo",
          "from_numpy", "full", "full_like", "iinfo", "linspace", "logspace", "ones", "ones_like",
          "stack", "cat", "tensor", "zeros", "zeros_like")  # fmt: skip
_NUMPY = (
    "arange",
    "array",
    "asarray",
    "diag",
    "eye",
    "finfo",
    "float32",
    "float64",
    "full",
    "genfromtxt",
    "iinfo",
    "int64",
    "linspace",
    "load",
    "loadtxt",
    "ones",
    "zeros",
)
PURE = frozenset(
    {*(f"builtins.{name}" for name in _BUILTINS), *(f"torch.{name}" for name in _TORCH),
     *(f"numpy.{name}" for name in _NUMPY), "builtins.dict.fromkeys", "copy.copy", "copy.deepcopy",
     "datetime.date", "datetime.datetime", "datetime.timedelta",
     "decimal.Decimal", "fractions.Fraction", "importlib.resources.files", "json.dumps",
     "json.load", "json.loads", "os.fspath", "pathlib.Path", "pathlib.PurePath", "pickle.load",
     "pickle.loads", "re.compile", "re.escape", "re.findall", "re.fullmatch", "re.match",
     "re.search", "re.split", "string.Template", "textwrap.dedent", "textwrap.indent",
     "tomllib.load", "tomllib.loads", "torch.load"}
)  # fmt: skip
"""Calls that depend on their arguments, on files perhaps, and change nothing.

torch's and numpy's random numbers are not among them: each draw changes the next one.
"""

PURE_MODULES = ("cmath.", "math.", "operator.", "os.path.", "statistics.")
"""Modules whose every function is one of these."""

METHODS = frozenset(
    _words(
        "abs absolute all any argmax argmin as_integer_ratio as_posix astype bit_length bool "
        "capitalize casefold center clone conj contiguous copy cos count cpu cumsum decode "
        "detach diag difference dim div dot double encode endswith exists exp expand fileno "
        "find flatten flip float format fromkeys get glob group groups half hex index int "
        "intersection is_dir is_file isalpha isdigit isdisjoint issubset issuperset item items "
        "iterdir join joinpath keys ljust log long lower lstrip match matmul max mean min mm "
        "mul neg numel numpy partition permute pow prod read read_bytes read_text readline "
        "readlines relative_to removeprefix removesuffix repeat replace reshape resolve rfind "
        "rjust round rpartition rsplit rstrip rglob search sigmoid sin size softmax split "
        "splitlines sqrt squeeze startswith std strip sub sum swapcase t tanh title tobytes "
        "tolist translate transpose tril triu union unsqueeze upper values var view with_name "
        "with_stem with_suffix zfill "
    )
)
"""Methods of Python's, torch's and numpy's own objects that leave the object as it is."""

CHANGING = frozenset(
    _words(
        "add append appendleft clear discard extend extendleft insert pop popitem remove "
        "reverse setdefault sort subtract update "
    )
)
"""Methods of Python's containers that change the container, and nothing else."""

CONTEXTS = frozenset(
    {"contextlib.suppress", "torch.enable_grad", "torch.no_grad", "torch.inference_mode",
     "warnings.catch_warnings"}
)  # fmt: skip
"""Calls that a ``with`` may enter: they put back what they change."""

DECORATORS = frozenset(
    {"abc.abstractmethod", "builtins.classmethod", "builtins.property", "builtins.staticmethod",
     "contextlib.asynccontextmanager", "contextlib.contextmanager", "dataclasses.dataclass",
     "enum.unique", "functools.cache", "functools.cached_property", "functools.lru_cache",
     "functools.total_ordering", "functools.wraps", "torch.autograd.function.once_differentiable",
     "torch.compile", "torch.enable_grad", "torch.inference_mode", "torch.no_grad", "typing.final",
     "typing.no_type_check", "typing.overload", "typing.override", "typing.runtime_checkable"}
)  # fmt: skip
"""Decorators that keep what they decorate nowhere but in their result."""

FRESH = frozenset(
    {"builtins.bytearray", "builtins.dict", "builtins.dict.fromkeys", "builtins.frozenset",
     "builtins.list", "builtins.set", "builtins.sorted", "builtins.tuple", "collections.Counter",
     "collections.OrderedDict", "collections.deque", "types.SimpleNamespace", "torch.full",
     "torch.ones", "torch.zeros", "torch.tensor", "numpy.array", "numpy.ones", "numpy.zeros"}
)  # fmt: skip
"""Calls whose result nobody else holds."""


def is_pure(dotted: str) -> bool:
    """Whether a call of a library's function changes nothing."""
    return dotted in PURE or dotted.startswith(PURE_MODULES)


def is_quiet_base(dotted: str) -> bool:
    """Whether a library's class takes no note of the classes that inherit from it."""
    return dotted.partition(".")[0] in {*sys.stdlib_module_names, "torch"}
