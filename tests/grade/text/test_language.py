"""What counts as plain PyTorch: everything that learners write, nothing that reaches further."""

from __future__ import annotations

import ast
import time

import pytest

from closedbook.grade.text.language import breaches
from closedbook.grade.text.outline import Outline
from closedbook.grade.text.shortcuts import autograd

INSIDE = {
    "imports": "import torch\nimport torch.nn.functional as F\nfrom torch import nn, Tensor\n",
    "unused": "import os\nimport sys\nimport numpy as np\n",
    "main block": "import os\nif __name__ == '__main__':\n    os._exit(0)\n",
    "uncalled test": "import sys\ndef test():\n    return sys.modules\n",
    "hidden builtin": "def forward(input, type, vars):\n    return input, type(vars)\n",
    "alias": "import torch\nT = torch.Tensor\ndef f(x: T) -> T:\n    return x\nf(1)\n",
    "isinstance": "import torch\nprint(isinstance(1, (torch.Tensor, float)))\n",
    "hasattr": "x = [1]\nprint(hasattr(x, 'append'))\n",
    "type compared": "x = 1\nprint(type(x) is int, type(x).__name__)\n",
    "dtypes": "import torch\nx = torch.ones(2, dtype=torch.float64, layout=torch.strided)\n",
    "module": (
        "from torch import nn\nclass L(nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n        self.w = nn.Parameter(nn.init.zeros_)\n"
    ),
    "ctx": (
        "import torch\nclass F(torch.autograd.Function):\n    @staticmethod\n"
        "    def forward(ctx, x):\n        ctx.size, ctx.flag = x.shape, True\n        return x\n"
    ),
    "uncalled and annotated": (
        "from __future__ import annotations\nimport pytest\n"
        "def test(capsys: pytest.CaptureFixture) -> None:\n    pass\n"
    ),
    "format": "'{:.3f} {name!r:>{width}}'.format(1.0, name='a_b.c', width=3)\n",
    "parameter of a closure": (
        "def f(vars):\n    def g():\n        return [vars(v) for v in (1, 2)]\n"
        "    return g\nf(abs)\n"
    ),
    "star": "from math import *\nfrom torch.autograd import *\nclass A(Function):\n    x = pi\n",
    "ctx of a helper": "def keep(ctx, x):\n    ctx.shape = x.shape\nkeep\n",
    "leaf": "import torch\nx = torch.ones(2)\nx.requires_grad = True\nx.grad = None\n",
    "hints by name": (
        "import torch\nfrom typing import Optional, TypeAlias\nMaybe = Optional[torch.Tensor]\n"
        "T: TypeAlias = torch.Tensor\nBoth = torch.Tensor | None\ndef f(x: Maybe) -> T:\n"
        "    return x\nf(1)\n"
    ),
    "gradients by name": (
        "from typing import NamedTuple\nfrom torch import Tensor\n"
        "class G(NamedTuple):\n    x: Tensor\n    c: None = None\nG(x=1)\n"
    ),
    "class written again": "class A:\n    x = 1\nclass A:\n    x = 2\n",
    "gradcheck": "import torch\nfrom torch.autograd import gradcheck\nprint(gradcheck(abs, ()))\n",
}
OUTSIDE = {
    "module of a module": ("import torch\ntorch.os.system('x')\n", 2, "`torch.os.system`"),
    "private": ("import torch\ntorch._C._nn.linear\n", 2, "`torch._C._nn.linear`"),
    "module as a value": ("import torch\nm = torch\nm.os\n", 2, "the module `torch` as a value"),
    "class as a value": (
        "import torch\ndef f(c):\n    return c\nf(torch.Tensor)\n",
        4,
        "the class `torch.Tensor` as a value",
    ),
    "class by an alias": (
        "import torch\nT = torch.Tensor\nx = [T]\n",
        3,
        "the class `torch.Tensor` as a value",
    ),
    "patch": ("import torch\ntorch.mm = abs\n", 2, "a write to `torch.mm`"),
    "patch by for": ("import torch\nfor torch.mm in [1]:\n    pass\n", 2, "a write to `torch.mm`"),
    "patch by ctx": (
        "import torch\nclass F(torch.autograd.Function):\n    def forward(ctx, x):\n"
        "        ctx = torch.nn.functional\n        ctx.linear = x\n",
        4,
        "the module `torch.nn.functional` as a value",
    ),
    "patch of a class": (
        "class A:\n    pass\nclass B:\n    def f(self):\n        self.forward = 1\nB.f(A)\n",
        5,
        "a write to `self.forward`",
    ),
    "rebound import": ("import torch\ntorch = 1\n", 2, "`torch` for two things"),
    "global import": ("import torch\ndef f():\n    global torch\nf()\n", 3, "`global torch`"),
    "dunder": ("().__class__\n", 1, "`.__class__`"),
    "dunder by match": ("match 1:\n    case int(real=r):\n        pass\n", 2, "`MatchClass`"),
    "frames": ("def g():\n    yield\ng().gi_frame\n", 3, "`.gi_frame`"),
    "builtins": ("__builtins__\n", 1, "`__builtins__`"),
    "exec": ("e = exec\n", 1, "`exec`"),
    "getattr": ("x = 1\ngetattr(x, 'real')\n", 2, "`getattr`"),
    "computed hasattr": ("x = 1\nhasattr(x, 'a' + 'b')\n", 2, "`hasattr(x, 'a' + 'b')`"),
    "a tuple of one's own": ("class T(tuple):\n    pass\n", 1, "a subclass of `tuple`"),
    "iterator of one's own": (
        "class T:\n    def __iter__(self):\n        return self\n",
        2,
        "`def __iter__`",
    ),
    "imported twice": (
        "from torch import mm as op\nfrom torch.nn.functional import linear as op\nop\n",
        2,
        "`op` for two things",
    ),
    "rebound by match": (
        "import torch\nmatch 1:\n    case torch:\n        pass\n",
        3,
        "`torch` for two things",
    ),
    "wraps": ("import functools\nfunctools.wraps(abs)\n", 2, "`functools.wraps`"),
    "type as a value": ("x = type(1)\n", 1, "`type(...)` as a value"),
    "magic method": (
        "class A:\n    def __eq__(self, o):\n        return True\n",
        2,
        "`def __eq__`",
    ),
    "metaclass": ("class A(metaclass=int):\n    pass\n", 1, "`class A(metaclass=...)`"),
    "tensor subclass": (
        "from torch import Tensor\nclass A(Tensor):\n    pass\n",
        2,
        "a subclass of `torch.Tensor`",
    ),
    "own apply": (
        "class A:\n    def apply(x):\n        return x\n",
        2,
        "an `apply` of its own in `A`",
    ),
    "star": ("from os import *\n", 1, "`from os import *`"),
    "what a star brings": ("from torch import *\nload('x')\n", 1, "`torch.load`"),
    "class that a star brings": (
        "from torch import *\nx = [Tensor]\n",
        2,
        "the class `torch.Tensor` as a value",
    ),
    "name of the file by match": (
        "match '__main__':\n    case __name__:\n        pass\n",
        2,
        "`__name__`",
    ),
    "built-in functions of torch": ("import torch as __builtins__\n", 1, "`__builtins__`"),
    "called by Python": ("def __getattr__(name):\n    return open(name)\n", 2, "`open`"),
    "rest of a mapping": (
        "import torch\nmatch {}:\n    case {**torch}:\n        pass\n",
        3,
        "`torch` for two things",
    ),
    "class that is replaced": (
        "def f(c):\n    return c\n@f\nclass A:\n    pass\n",
        4,
        "a decorator of the class `A`",
    ),
    "tuple by another name": (
        "import typing\nclass A(typing.Tuple):\n    pass\n",
        2,
        "a subclass of `typing.Tuple`",
    ),
    "class of a hint": (
        "import typing\ntyping.get_args(1)\n",
        2,
        "`typing.get_args`",
    ),
    "class by an annotated alias": (
        "import torch\nT: type = torch.Tensor\nx = [T]\n",
        3,
        "the class `torch.Tensor` as a value",
    ),
    "class out of a list": (
        "import torch\nT = [torch.Tensor][0]\n",
        2,
        "the class `torch.Tensor` as a value",
    ),
    "one of two classes": (
        "if x:\n    class A:\n        pass\nelse:\n    class A:\n        pass\n",
        2,
        "`A` for two things",
    ),
    "file by an array": (
        "class A:\n    tofile = 1\ndef f(x):\n    x.numpy().tofile('y')\nf(1)\n",
        4,
        "`.tofile`",
    ),
    "gradient of another's": ("import torch\ntorch.grad = 1\n", 2, "a write to `torch.grad`"),
    "used import": ("import os\nprint(os.getcwd())\n", 1, "`os`"),
    "odd import": ("import subprocess\n", 1, "`subprocess`"),
    "hints that evaluate": (
        "import typing\ntyping.get_type_hints(1)\n",
        2,
        "`typing.get_type_hints`",
    ),
    "main renamed": ("__name__ = 1\n", 1, "`__name__`"),
    "hook": ("import torch\ntorch.ones(1).register_hook(abs)\n", 2, "`.register_hook`"),
    "grad off": ("import torch\ntorch.set_grad_enabled(False)\n", 2, "`torch.set_grad_enabled`"),
    "files": ("import torch\ntorch.load('x')\n", 2, "`torch.load`"),
    "else of main": ("if __name__ == '__main__':\n    pass\nelse:\n    open('x')\n", 4, "`open`"),
    "default": ("def f(x=open('x')):\n    return x\n", 1, "`open`"),
    "called by its decorator": (
        "def call(f):\n    return f()\n@call\ndef hidden():\n    return open('x')\n",
        5,
        "`open`",
    ),
    "annotation": ("def unused(a: open('x')):\n    pass\n", 1, "`open`"),
    "annotation of the result": ("def unused() -> open('x'):\n    pass\n", 1, "`open`"),
    "hidden elsewhere": ("def unused(getattr):\n    pass\ngetattr(1, 'x')\n", 3, "`getattr`"),
    "hidden deeper": (
        "def f():\n    def g(eval):\n        pass\n    return eval('1')\nf()\n",
        4,
        "`eval`",
    ),
    "hidden by its own default": ("def f(eval=eval('1')):\n    pass\nf()\n", 1, "`eval`"),
    "hidden in a comprehension": (
        "def f():\n    [0 for eval in ()]\n    return eval('1')\nf()\n",
        3,
        "`eval`",
    ),
    "hidden in what it runs over": ("[0 for eval in eval('()')]\n", 1, "`eval`"),
    "hidden by a lambda": ("f = (lambda eval: 0) and eval('1')\n", 1, "`eval`"),
    "hidden and global": (
        "def f():\n    global eval\n    eval('1')\n    eval = 1\nf()\n",
        3,
        "`eval`",
    ),
    "mro of one's own": (
        "class A:\n    mro = 1\nclass B:\n    pass\nB.mro()\n",
        5,
        "`.mro`",
    ),
    "node of the graph": (
        "class A:\n    next_functions = 1\ndef f(ctx):\n    return ctx.next_functions\nf(1)\n",
        4,
        "`.next_functions`",
    ),
    "private of a tensor": (
        "class A:\n    def f(self):\n        self._version = 0\n",
        3,
        "a write to `self._version`",
    ),
    "parameter subclass": (
        "from torch import nn\nclass A(nn.Parameter):\n    pass\n",
        2,
        "a subclass of `torch.nn.Parameter`",
    ),
    "format that reaches deeper": (
        "'{:{:{0.x}}}'.format(1, 2)\n",
        1,
        "`.format` of a text that reaches into its values",
    ),
    "format that reaches": (
        "'{0.x:{1[y]}}'.format(1, 2)\n",
        1,
        "`.format` of a text that reaches into its values",
    ),
    "format of any text": (
        "def f(text):\n    return text.format(1)\nf('')\n",
        2,
        "`.format` of a text that reaches into its values",
    ),
    "two classes": (
        "class A:\n    pass\ndef f():\n    class A:\n        pass\n",
        1,
        "`A` for two things",
    ),
    "class bound again": (
        "class A:\n    pass\nfor A in (1, 2):\n    pass\n",
        1,
        "`A` for two things",
    ),
    "who watches": (
        "import torch.nn.functional as F\nF.has_torch_function(())\n",
        2,
        "`F.has_torch_function`",
    ),
    "async": ("async def f():\n    pass\n", 1, "`AsyncFunctionDef`"),
}


@pytest.mark.parametrize("name", INSIDE)
def test_what_learners_write_is_plain(name: str) -> None:
    """Usual ways to write, import and test a Function are inside."""
    assert breaches(ast.parse(INSIDE[name])) == []


@pytest.mark.parametrize("name", OUTSIDE)
def test_what_reaches_further_is_named_with_its_line(name: str) -> None:
    """Each way out of the language is found, at its line, by its token."""
    text, line, what = OUTSIDE[name]
    found = breaches(ast.parse(text))
    assert (line, what) in {(breach.line, breach.what) for breach in found}


_NAMES = ", ".join(f"v{number}" for number in range(5000))
_DIAMOND = "".join(
    f"class A{n + 1}(A{n}, B{n}): pass\nclass B{n + 1}(A{n}, B{n}): pass\n" for n in range(60)
)
LONG = {
    "statements": "class F:\n    def backward(ctx):\n" + "        x\n" * 6000,
    "decorators": "@x\n" * 20_000 + "class F:\n    pass\n",
    "bases": f"import typing\nclass F({'typing.Any,' * 5000}): pass\n",
    "classes tested": f"import typing\nisinstance(1, ({'typing.Any,' * 5000}))\nclass F: pass\n",
    "global of a function": (
        "class F:\n    def backward(ctx):\n        return a\ndef f():\n    "
        + "a=1;" * 15_000
        + "\nf\n"
    ),
    "names": f"class F:\n    def backward(ctx):\n        {_NAMES} = ctx\n        {_NAMES}\n",
    "globals": f"{_NAMES} = range(5000)\nclass F:\n    def backward(ctx):\n        {_NAMES}\n",
    "chain": "class A0: pass\n"
    + "".join(f"class A{n + 1}(A{n}): 0\n" for n in range(3000))
    + "class F(A3000): 0\n",
    "format of formats": f"'{'{:' * 20_000}{'}' * 20_000}'.format(1)\nclass F: pass\n",
    "diamond": f"class A0: pass\nclass B0: pass\n{_DIAMOND}class F(A60): pass\n",
}


@pytest.mark.parametrize("name", LONG)
def test_reading_takes_no_longer_than_the_text(name: str) -> None:
    """The text is read outside of the sandbox, so nobody but the reader keeps its time."""
    tree = ast.parse(LONG[name])
    began = time.process_time()
    breaches(tree)
    outline = Outline(tree)
    assert not outline.is_function("F")
    assert outline.method("F", "forward") is None
    assert autograd(outline, "F") == []
    assert time.process_time() - began < 10
