"""Which file of the repo an import names."""

from sessions_app.answers.rules.neighbours import MOST_RELATED, related
from sessions_app.rules.imports import resolve
from tests.cases import cases

FILES = [
    "accounts/rules/guard.py", "accounts/rules/__init__.py", "accounts/models.py", "manage.py", "web/src/button.tsx",
    "web/src/index.ts", "web/src/forms/input.vue", "src/parser/mod.rs", "src/lexer.rs", "pkg/billing/invoice.go",
    "app/src/main/java/com/acme/Billing.java", "lib/models.py", "knowledge/models.py", "include/list.h",
]  # fmt: skip


def imported(name: str, by: str) -> list[str]:
    return resolve({**{path: [] for path in FILES}, by: [name]})[by]


class TestAnImport:
    @cases(
        ("name", "by", "file"),
        [
            ("accounts/models.py", "manage.py", "accounts/models.py"),
            ("./accounts/models.py", "manage.py", "accounts/models.py"),
            ("accounts.rules.guard", "manage.py", "accounts/rules/guard.py"),
            ("accounts.rules.guard.find_secrets", "manage.py", "accounts/rules/guard.py"),
            ("accounts.rules", "manage.py", "accounts/rules/__init__.py"),
            (".guard", "accounts/rules/rights.py", "accounts/rules/guard.py"),
            ("..models", "accounts/rules/rights.py", "accounts/models.py"),
            ("./button", "web/src/app.tsx", "web/src/button.tsx"),
            ("../button", "web/src/forms/form.tsx", "web/src/button.tsx"),
            ("./forms/input.vue", "web/src/app.tsx", "web/src/forms/input.vue"),
            (".", "web/src/app.tsx", "web/src/index.ts"),
            ("crate::lexer", "src/main.rs", "src/lexer.rs"),
            ("crate::parser", "src/main.rs", "src/parser/mod.rs"),
            ("com.acme.Billing", "app/src/main/java/com/acme/App.java", "app/src/main/java/com/acme/Billing.java"),
            ("list.h", "src/list.c", "include/list.h"),
            ("lib.models", "manage.py", "lib/models.py"),
        ],
    )
    def test_names_a_file(self, name: str, by: str, file: str) -> None:
        assert imported(name, by) == [file]

    @cases("name", ["os", "django.db", "react", "@acme/ui", "", " ", "...", "../../..", "std::io"])
    def test_of_a_library_names_none(self, name: str) -> None:
        assert imported(name, "web/src/app.tsx") == []

    def test_of_itself_is_none(self) -> None:
        assert imported("accounts.models", "accounts/models.py") == []

    def test_of_several_by_one_name_is_the_nearest(self) -> None:
        assert imported("models", "knowledge/api.py") == ["knowledge/models.py"]


class TestNeighbours:
    ROWS = (("a.py", ["b.py", "c.py"]), ("d.py", ["a.py", "x.py"]), ("e.py", ["a.py"]))

    def test_are_what_a_file_imports_and_what_imports_it(self) -> None:
        assert related(["a.py"], self.ROWS) == ["b.py", "c.py", "d.py", "e.py"]

    def test_are_not_the_files_themselves(self) -> None:
        assert related(["a.py", "b.py", "d.py"], self.ROWS) == ["c.py", "x.py", "e.py"]

    def test_are_bounded(self) -> None:
        rows = [(f"f{n}.py", ["a.py"]) for n in range(1_000)]
        assert len(related(["a.py"], rows)) == MOST_RELATED
