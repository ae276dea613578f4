"""What counts as plain PyTorch: everything that learners write, nothing that reaches further."""

from __future__ import annotations

import ast

import pytest

from closedbook.grade.language import breaches

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
        "from torch import mm as op\nfrom torch.nn.functional import linear as op\n",
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
    "star": ("from torch import *\n", 1, "`from torch import *`"),
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
