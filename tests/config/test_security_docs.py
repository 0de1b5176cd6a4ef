"""docs/operations/security.md: each test that it names exists, and the README leads there."""

import ast
import re
from pathlib import Path

from django.conf import settings

from tests.cases import cases

ROOT = Path(settings.BASE_DIR)
TABLE = (ROOT / "docs/operations/security.md").read_text()
NAMED = re.findall(r"`(tests/[\w/]+\.py(?:::\w+)+)`", TABLE)


def has(tree: ast.Module | ast.ClassDef, names: list[str]) -> bool:
    """Whether a class or function of that name is in it, and the rest of the names in that."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == names[0]:
            return len(names) == 1 or (isinstance(node, ast.ClassDef) and has(node, names[1:]))
    return False


class TestTheTable:
    def test_names_a_test_in_each_row(self) -> None:
        watched = TABLE.index("## Watched")
        rows = [line for line in TABLE[:watched].splitlines() if line.startswith("| ") and "defended | by" not in line]
        assert len(rows) > 50
        assert [row for row in rows if not re.search(r"`tests/[\w/]+\.py(::\w+)+` \|$", row)] == []

    @cases("named", NAMED)
    def test_names_tests_that_exist(self, named: str) -> None:
        file, *names = named.split("::")
        assert names[-1].startswith("test_")
        assert has(ast.parse((ROOT / file).read_text()), names)


class TestReadme:
    def test_leads_to_both(self) -> None:
        readme = (ROOT / "README.md").read_text()
        assert "](SECURITY.md)" in readme
        assert "](docs/operations/security.md)" in readme
