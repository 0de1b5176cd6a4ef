"""README, CONTRIBUTING, SECURITY, docs/: links, paths and commands exist, and retired words are gone."""

import re
from pathlib import Path

from django.conf import settings
from django.core.management import call_command

from tests.cases import cases

ROOT = Path(settings.BASE_DIR)
PAGES = sorted(
    str(page.relative_to(ROOT))
    for page in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob(".github/**/*.md"))
)
TEXT = {name: (ROOT / name).read_text() for name in PAGES}
PROSE = [name for name in PAGES if name != "CHANGELOG.md"]

CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)\s]+)\)")
# What the project once called things. Code is left out: a name may live on there until it is renamed.
RETIRED = re.compile(
    r"\b(errands?|bell|doorbell|pulse|standpoint|overtaken|(re)?weigh(s|ed|ing)?|reconsiders?|foresees?|meanwhile|plainly"
    r"|disown\w*|whoever|specimens?|deaf|wings?|doors?|doorway|floors and|anew|throw-away|made-up|signs? of life"
    r"|what needs a person now|bring notes in|stands? for the team|let it stand|it is no secret|nothing waits)\b",
    re.IGNORECASE,
)


def slugs(text: str) -> set[str]:
    """The anchors that GitHub makes of a page's headings."""
    heads = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


class TestEachPage:
    @cases("name", PAGES)
    def test_links_to_files_and_headings(self, name: str) -> None:
        page = ROOT / name
        for link in LINK.findall(CODE.sub("", TEXT[name])):
            path, _, heading = link.partition("#")
            target = (page.parent / path) if path else page
            assert target.exists(), link
            assert not heading or heading in slugs(target.read_text()), link

    @cases("name", PROSE)
    def test_uses_no_retired_word(self, name: str) -> None:
        found = [match[0] for match in RETIRED.finditer(CODE.sub("", TEXT[name]))]
        assert found == []

    @cases("name", PAGES)
    def test_has_one_title(self, name: str) -> None:
        titles = re.findall(r"^# ", CODE.sub("", TEXT[name]), re.MULTILINE)
        assert len(titles) == (0 if name.startswith(".github") else 1)


class TestReference:
    def test_is_what_the_code_says(self) -> None:
        call_command("write_reference", check=True)


class TestSite:
    def test_lists_every_page(self) -> None:
        """mkdocs itself refuses a page that is missing, and a link that leads nowhere: `make docs`."""
        listed = re.findall(r"[\w./-]+\.md", (ROOT / "mkdocs.yml").read_text())
        pages = [name.removeprefix("docs/") for name in PAGES if name.startswith("docs/")]
        assert sorted(listed) == sorted([*pages, "changelog.md", "contributing.md", "security-policy.md"])


class TestReadme:
    def test_is_short(self) -> None:
        assert len(TEXT["README.md"].splitlines()) <= 150


class TestArchitecture:
    ROWS = re.findall(r"^\| (?!I want|---)[^|]+\| (`.+) \|$", TEXT["docs/architecture.md"], re.MULTILINE)

    def test_says_where_to_change_what(self) -> None:
        assert len(self.ROWS) >= 20
        assert all(re.search(r"`[\w.]+/", row) for row in self.ROWS)

    def test_names_paths_that_exist(self) -> None:
        paths = re.findall(r"`((?!actions/)[\w.]+/[\w./-]*)`", TEXT["docs/architecture.md"])
        assert len(paths) > 60
        assert [path for path in paths if not (ROOT / path).exists()] == []


class TestCommands:
    """What a page tells the reader to run is there to be run."""

    def test_of_manage_py_exist(self) -> None:
        there = {path.stem for path in ROOT.glob("*/management/commands/[!_]*.py")}
        django = {"migrate", "check", "createsuperuser", "changepassword"}
        named = {name for text in TEXT.values() for name in re.findall(r"manage\.py ([a-z_]+)\b", text)}
        assert named - there - django - {"test", "makemigrations"} == set()

    def test_of_make_are_listed_by_its_help(self) -> None:
        makefile = (ROOT / "Makefile").read_text()
        phony = set(re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[0].split())
        assert set(re.findall(r"^([a-z-]+):.*## ", makefile, re.MULTILINE)) == phony
        named = {name for name in PROSE for name in re.findall(r"`make ([a-z-]+)", TEXT[name])}
        assert named <= phony
