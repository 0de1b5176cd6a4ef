"""How near an insight is to where the agent works."""

from itertools import pairwise

from knowledge.retrieval.rules.ask import Ask
from knowledge.retrieval.rules.locality import (
    SAME_FILE,
    SAME_FOLDER,
    SAME_PLACE,
    SAME_REPO,
    Context,
    Locality,
    clean_path,
    folder,
    module,
    named_files,
    repo_path,
    without_files,
)
from tests.cases import cases

HERE = Context(
    files=frozenset({"src/auth/views/login.py"}),
    symbols=frozenset({"refresh_token"}),
    tags=frozenset({"oauth"}),
    repo="acme/web",
)


def locality(anchors: list[tuple[str, str]], repo: str = "", context: Context = HERE) -> tuple[float, str]:
    return Locality(context).of(anchors, repo)


class TestTiers:
    @cases(
        ("anchor", "value", "why"),
        [
            (("file", "src/auth/views/login.py"), SAME_FILE, "same file src/auth/views/login.py"),
            (("file", "src/auth/views/logout.py"), SAME_FOLDER, "same folder src/auth/views"),
            (("file", "src/auth/models/user.py"), SAME_PLACE, "same module src/auth"),
            (("file", "src/auth/apps.py"), SAME_PLACE, "same module src/auth"),
            (("symbol", "refresh_token"), SAME_PLACE, "same symbol refresh_token"),
            (("tag", "oauth"), SAME_PLACE, "same tag oauth"),
            (("file", "src/billing/views/login.py"), 0.0, ""),
            (("file", "src/login.py"), 0.0, ""),
            (("file", "login.py"), 0.0, ""),
            (("symbol", "Refresh_Token"), 0.0, ""),
            (("symbol", "oauth"), 0.0, ""),
            (("tag", "refresh_token"), 0.0, ""),
            (("error", "src/auth/views/login.py"), 0.0, ""),
        ],
    )
    def test_of_one_anchor(self, anchor: tuple[str, str], value: float, why: str) -> None:
        assert locality([anchor]) == (value, why)

    def test_of_the_repo_alone(self) -> None:
        assert locality([], "acme/web") == (SAME_REPO, "same repo acme/web")
        assert locality([], "acme/api") == (0.0, "")
        assert locality([], "") == (0.0, "")

    def test_stand_in_the_order_file_folder_place_repo_nothing(self) -> None:
        order = [SAME_FILE, SAME_FOLDER, SAME_PLACE, SAME_REPO, 0.0]
        assert all(nearer > farther for nearer, farther in pairwise(order))
        assert SAME_FILE == 1.0


class TestOf:
    ALL = (
        ("tag", "oauth"),
        ("file", "src/auth/models/user.py"),
        ("file", "src/auth/views/logout.py"),
        ("file", "src/auth/views/login.py"),
    )

    @cases("rotation", range(4))
    def test_takes_the_best_match_whatever_the_order(self, rotation: int) -> None:
        anchors = [*self.ALL[rotation:], *self.ALL[:rotation]]
        assert locality(anchors, "acme/web") == (SAME_FILE, "same file src/auth/views/login.py")

    def test_gives_nothing_for_many_weak_ones(self) -> None:
        many = [("tag", "oauth"), ("symbol", "refresh_token"), ("file", "src/auth/a.py")]
        assert locality(many, "acme/web")[0] == SAME_PLACE

    def test_finds_nothing_in_an_empty_context(self) -> None:
        assert locality(list(self.ALL), "acme/web", Context()) == (0.0, "")

    def test_does_not_take_two_files_at_the_root_for_one_folder(self) -> None:
        root = Context(files=frozenset({"manage.py"}))
        assert locality([("file", "setup.py")], context=root) == (0.0, "")
        assert locality([("file", "manage.py")], context=root)[0] == SAME_FILE

    def test_does_not_take_one_leading_folder_for_a_module(self) -> None:
        shallow = Context(files=frozenset({"src/a.py"}))
        assert locality([("file", "src/b.py")], context=shallow)[0] == SAME_FOLDER
        assert locality([("file", "src/auth/b.py")], context=shallow) == (0.0, "")


class TestPaths:
    @cases(
        ("sent", "kept"),
        [
            ("src/auth/a.py", "src/auth/a.py"),
            ("./src/auth/a.py", "src/auth/a.py"),
            ("src\\auth\\a.py", "src/auth/a.py"),
            ("src//auth///a.py", "src/auth/a.py"),
            ("/src/auth/a.py", "src/auth/a.py"),
            ("  src/auth/ ", "src/auth"),
            ("src/./auth/a.py", "src/auth/a.py"),
            (".github/workflows/ci.yml", ".github/workflows/ci.yml"),
            (".", ""),
            ("/", ""),
            ("", ""),
        ],
    )
    def test_are_named_alike_on_two_machines(self, sent: str, kept: str) -> None:
        assert clean_path(sent) == kept
        assert clean_path(kept) == kept

    @cases(
        ("path", "parent", "unit"),
        [
            ("a.py", "", ""),
            ("src/a.py", "src", ""),
            ("src/auth/a.py", "src/auth", "src/auth"),
            ("src/auth/views/deep/a.py", "src/auth/views/deep", "src/auth"),
        ],
    )
    def test_have_a_folder_and_a_module(self, path: str, parent: str, unit: str) -> None:
        assert (folder(path), module(path)) == (parent, unit)

    @cases(
        ("text", "named"),
        [
            ("Please refactor services/catalogue/thumbnails.py", ["services/catalogue/thumbnails.py"]),
            ("fix the rounding in `tariff.py`, then docs/tariff.md.", ["tariff.py", "docs/tariff.md"]),
            ("src\\auth\\a.py:42 raises", ["src/auth/a.py"]),
            ("see config/ and Makefile", ["config"]),
            ("either and/or both", ["and/or"]),
            ("it is slow at night; version 3.11 too", []),
            ("", []),
            ("@importer/tariff.py#L10-20 explain this, and @tariff.md", ["importer/tariff.py", "tariff.md"]),
            ("importer/tariff.py:88:12 - error TS2304", ["importer/tariff.py"]),
            ("/home/me/shop/importer/tariff.py:30 warns", ["/home/me/shop/importer/tariff.py"]),
            ("at update (webpack:///./web/cart.js:44:9)", ["/web/cart.js"]),
            ("C:\\work\\shop\\a.py", ["/work/shop/a.py"]),
            ("see ~/shop/a.py", ["/shop/a.py"]),
            ("mail to me@example.org", ["me@example.org"]),
            ("a.py " * 50, ["a.py"]),
            (" ".join(f"f{n}.py" for n in range(50)), [f"f{n}.py" for n in range(10)]),
        ],
    )
    def test_are_read_out_of_a_question(self, text: str, named: list[str]) -> None:
        assert named_files(text) == named

    def test_are_taken_out_of_a_text_alone(self) -> None:
        assert without_files("Sort the imports of @src/auth.py, as in b.py.").split() == [
            *("Sort", "the", "imports", "of", ",", "as", "in")
        ]

    @cases(
        ("name", "path", "is_one"),
        [
            ("tariff.py", "importer/tariff.py", True),
            ("importer/tariff.py", "importer/tariff.py", True),
            ("er/tariff.py", "importer/tariff.py", False),
            ("importer/tariff.py", "tariff.py", False),
            ("/home/me/shop/importer/tariff.py", "importer/tariff.py", True),
            ("/importer/tariff.py", "services/importer/tariff.py", True),
            ("/home/me/shop/tariff.py", "tariff.py", False),
            ("/home/me/shop/ximporter/tariff.py", "importer/tariff.py", False),
        ],
    )
    def test_are_named_by_their_ends(self, name: str, path: str, is_one: bool) -> None:
        assert Context(named=frozenset({name})).names(path) is is_one

    @cases(
        ("path", "repo", "kept"),
        [
            ("/home/me/work/shop/importer/tariff.py", "acme/shop", "importer/tariff.py"),
            ("/srv/shop/shop/settings.py", "acme/shop", "shop/settings.py"),
            ("C:\\Users\\me\\shop\\a.py", "acme/shop", "a.py"),
            ("~/shop/a.py", "acme/shop", "a.py"),
            ("/home/me/work/other/a.py", "acme/shop", "work/other/a.py"),
            ("/Users/me/other/a.py", "", "other/a.py"),
            ("services/shop/a.py", "acme/shop", "services/shop/a.py"),
            ("./a.py", "acme/shop", "a.py"),
            ("/home/me/shop", "acme/shop", "shop"),
            ("/src/auth/a.py", "acme/shop", "src/auth/a.py"),
        ],
    )
    def test_of_a_machine_are_taken_as_the_repository_has_them(self, path: str, repo: str, kept: str) -> None:
        assert repo_path(path, repo) == kept

    @cases(
        ("name", "repo", "is_one"),
        [("tariff.py", "acme/shop", True), ("tariff.py", "", True), ("tariff.py", "acme/other", False),
         ("importer/tariff.py", "acme/other", True)],
    )  # fmt: skip
    def test_named_by_the_last_part_alone_are_those_of_the_repository(self, name: str, repo: str, is_one: bool) -> None:
        context = Context(named=frozenset({name}), repo="acme/shop")
        assert context.names("importer/tariff.py", repo) is is_one

    @cases(
        ("file", "path", "is_one"),
        [
            ("importer/tariff.py", "importer/tariff.py", True),
            ("importer/tariff.py", "services/importer/tariff.py", False),
            ("tariff.py", "importer/tariff.py", True),
            ("/elsewhere/importer/tariff.py", "importer/tariff.py", True),
            ("/home/me/shop/importer/tariff.py", "importer/tariff.py", True),
            ("/home/me/shop/importer/tariff.py", "lib/tariff.py", False),
        ],
    )
    def test_worked_on_are_those_given_however_they_are_written(self, file: str, path: str, is_one: bool) -> None:
        assert Ask("anything", files=[file], repo="acme/shop").context.works_on(path, "acme/shop") is is_one
