"""Modules of the standard library that are loaded when something of them is first used.

A hook runs as a process of its own, and most hooks need none of these.
"""

from __future__ import annotations

import importlib.util
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
