"""Modules of the standard library that are loaded when something of them is first used, and regular expressions that
are compiled then.

A hook runs as a process of its own, and most hooks need none of these modules and few of these expressions.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from typing import TYPE_CHECKING, Any


def _load_later(name: str) -> Any:
    """Return a module that is executed at its first use."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.loader is None:
        raise ImportError(name)
    if name in sys.modules:
        return sys.modules[name]
    spec.loader = importlib.util.LazyLoader(spec.loader)
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if TYPE_CHECKING:
    import argparse
    import ast
    import difflib
    import getpass
    import hashlib
    import subprocess
    from urllib import request as urllib_request
else:
    argparse, ast, difflib, getpass, hashlib, subprocess = map(
        _load_later, ("argparse", "ast", "difflib", "getpass", "hashlib", "subprocess")
    )
    urllib_request = _load_later("urllib.request")


class LatePattern:
    """A regular expression that is compiled when it is first asked; else as the one that `re.compile` returns.

    The guard's table and the hooks have some 250, and compiling them all took two thirds of the time in which Python
    loads the file. The sources say `re.compile`, which means this where they are joined (adapters/client_file.py).
    """

    def __init__(self, text: str, flags: int = 0) -> None:
        self._given = (text, flags)

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(*self._given)
        # From now on they are found without coming here.
        vars(self).update({known: getattr(compiled, known) for known in dir(compiled) if not known.startswith("_")})
        return getattr(compiled, name)
