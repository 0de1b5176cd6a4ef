"""The client's guard is the server's: its last part is put together here from `accounts.rules`, module by module.

`python manage.py bundle_client` writes it anew; a test fails while the two differ. The client is one file that imports
nothing of the project, and what leaves a machine must be masked by the very rules that the server has.
"""

import ast
import inspect
from types import ModuleType

from accounts.rules import guard, guard_invisible, guard_patterns, guard_personal
from sessions_app.adapters.client_file import PLACE

# In the order of what they need of each other.
PARTS: tuple[ModuleType, ...] = (guard_invisible, guard_patterns, guard_personal, guard)
BEGIN = "# --- the guard: a copy of the server's rules, written by `manage.py bundle_client`; change them there --"
END = 'if __name__ == "__main__":\n    sys.exit(main())\n'


def bundled() -> str:
    """The client's text with the guard as it is now."""
    own = PLACE.read_text(encoding="utf-8").partition(BEGIN)[0].rstrip()
    rules = "\n\n\n".join(_body(module) for module in PARTS)
    return f"{own}\n\n\n{BEGIN}\n{rules}\n\n\n{END}"


def _body(module: ModuleType) -> str:
    """A module's text without its docstring, its imports and its `__all__`."""
    source = inspect.getsource(module)
    gone: set[int] = set()
    for number, node in enumerate(ast.parse(source).body):
        docstring = number == 0 and isinstance(node, ast.Expr)
        listed = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
        if docstring or listed or isinstance(node, ast.Import | ast.ImportFrom):
            gone.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines = source.splitlines()
    return "\n".join(line for number, line in enumerate(lines, start=1) if number not in gone).strip()
