"""Each file that leaves Loam with others' words in it, found in the source: what two hundred injections say in it stays
within its frame. Files keep every character (docs/decisions/0021-fence.md), so they are held to what reads them: a
section is one section, front matter has no further line, a row no further cell.
"""

import ast
import csv
import io
import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.test import Client
from rest_framework.test import APIClient

from accounts.models import User
from accounts.rules.rights import SYSTEM, Member
from knowledge.evidence.models import Source
from sessions_app.vault.actions.vault import export, import_vault
from skills.actions.agent_files import CURSOR_RULES, FILES, Form, export_to
from skills.actions.transfer import export_folder
from skills.models import Skill
from skills.rules import skill_md
from skills.rules.agent_files import cursor_body, sections
from skills.rules.front_matter import split
from tests.conftest import NOW
from tests.knowledge.evidence.conftest import books, files  # noqa: F401
from tests.pages import signed_in
from tests.sessions_app.hostile_memory import fill
from tests.sessions_app.mcp.injections import broken
from tests.sessions_app.vaults import lose_everything, tree

ROOT = Path(__file__).resolve().parent.parent
APPS = ("accounts", "config", "knowledge", "sessions_app", "skills")
# What writes a file or sends one: of Python, of Django, and of ours; the latter are found by the former themselves.
WRITES = {"write_text", "write_bytes", "writestr", "FileResponse", "StreamingHttpResponse"}
WRITES |= {"write_private", "csv_file", "_write_file"}

EXPORTS = {
    "skills/actions/agent_files.py::_write": "agent files",
    "skills/actions/transfer.py::export_folder": "skill folders",
    "skills/actions/transfer.py::_write_file": "skill folders",
    "skills/api.py::get": "archives",
    "skills/views.py::export": "archives",
    "accounts/rules/archive.py::pack": "archives",
    "knowledge/views/listing.py::csv_file": "tables",
    "knowledge/views/table.py::export": "tables",
    "sessions_app/views/activity.py::activity_export": "tables",
    "sessions_app/views/sessions.py::sessions_export": "tables",
    "skills/views.py::table": "tables",
    "sessions_app/vault/adapters/folder.py::write": "vaults",
    "sessions_app/vault/adapters/folder.py::append": "vaults",
    "knowledge/evidence/serializers.py::streamed": "streams",
}
# Whose files are no export, and why: those of these folders, and these functions.
NOT_READ = "only Loam or its client reads it"
OF_NOBODY = "nothing in it is of a memory"
OTHERS = {
    "config/database/": NOT_READ,
    "config/processes/broker.py": NOT_READ,
    "config/served.py": OF_NOBODY,
    "config/errors.py::as_json": "JSON: tests/sessions_app/mcp/test_injections.py has what a model is told of it",
    "config/monitoring/metrics.py::metrics": OF_NOBODY,
    "config/management/commands/serve.py": OF_NOBODY,
    "config/management/commands/write_reference.py::handle": OF_NOBODY,
    "accounts/adapters/": OF_NOBODY,
    "knowledge/adapters/": NOT_READ,
    "knowledge/evidence/adapters/": NOT_READ,
    "knowledge/jobs/adapters/unpacked.py::unpacked": NOT_READ,
    "sessions_app/adapters/client_hooks.py": OF_NOBODY,
    "sessions_app/vault/adapters/folder.py::lock": OF_NOBODY,
    "sessions_app/management/commands/benchmark.py": OF_NOBODY,
    "sessions_app/management/commands/evaluate.py::handle": OF_NOBODY,
    "sessions_app/management/commands/bundle_client.py::handle": OF_NOBODY,
    "sessions_app/views/connect.py": OF_NOBODY,
    # On a developer's machine, in the client's own folder: what a command prints of it is tried by test_fenced.py.
    "sessions_app/client/src/commands/": NOT_READ,
    "sessions_app/client/src/delivery/": NOT_READ,
    "sessions_app/client/src/hooks/": NOT_READ,
    "sessions_app/client/src/sessions.py": NOT_READ,
    "sessions_app/client/src/local.py": NOT_READ,
    "sessions_app/client/src/install/changes.py": "hooks and settings of the agents, of the client's own words",
}
CSV = ("/insights/export/", "/activity/export/", "/sessions/export/", "/skills/table/")


def writers() -> Iterator[str]:
    """Each function of the product that writes or sends a file: `skills/api.py::get`."""
    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.py")):
            if {"lab", "migrations"} & set(path.relative_to(ROOT).parts):
                continue
            for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and any(
                    map(_writes, ast.walk(function))
                ):
                    yield f"{path.relative_to(ROOT).as_posix()}::{function.name}"


def _writes(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return node.value == "Content-Disposition"
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    modes = {one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)}
    flags = {one.attr for given in node.args for one in ast.walk(given) if isinstance(one, ast.Attribute)}
    typed = name.endswith("Response") and any(keyword.arg == "content_type" for keyword in node.keywords)
    opens = name in ("open", "fdopen") and bool({"O_CREAT", "O_WRONLY"} & flags or any(_is_writing(m) for m in modes))
    return name in WRITES or typed or opens


def _is_writing(mode: str) -> bool:
    return 0 < len(mode) <= 3 and set(mode) <= set("wabx+t") and bool(set(mode) & set("wax"))


class TestEveryWriterOfFiles:
    def test_is_tried_here_or_known_to_hold_nothing_that_a_model_reads(self) -> None:
        found = set(writers())
        assert [name for name in sorted(found - set(EXPORTS)) if not any(map(name.startswith, OTHERS))] == []
        assert set(EXPORTS) <= found
        assert [name for name in OTHERS if not any(one.startswith(name) for one in found)] == []

    def test_is_tried_by_a_check_of_its_kind(self) -> None:
        assert set(EXPORTS.values()) == set(CHECKS)


@pytest.fixture
def memory(alice: Member, books: Source, files: Path) -> None:  # noqa: F811
    fill(alice, files)


def agent_files(alice: Member, folder: Path, agent: APIClient, pages: Client) -> None:
    """Outside of the sections stands what stood there, within each one what its skill says."""
    mine = "# Our repository\n\nRun `make`.\n"
    sheets = {f"platform/{row.name}": row.served.sheet for row in Skill.objects.whole()}
    for form in Form:
        for name in FILES.values():
            (folder / name).write_text(mine)
        export_to(path=folder, form=form, team="platform", by=alice)
        rules = sorted((folder / CURSOR_RULES).glob("*"))
        texts = [path.read_text() for path in rules] if form is Form.CURSOR else [(folder / FILES[form]).read_text()]
        found = {one.key: one for text in texts for one in sections(text)}
        assert {key: one.instructions for key, one in found.items()} == {
            key: sheet.instructions for key, sheet in sheets.items()
        }
        assert {key: one.description for key, one in found.items()} == {
            key: sheet.description for key, sheet in sheets.items()
        }
        for text in texts:
            front, body = split(text) if form is Form.CURSOR else ({}, text)
            assert list(front) in ([], ["description", "globs", "alwaysApply"])
            outside, _, rest = body.partition("<!-- loam:begin ")
            assert outside.strip() == ("" if form is Form.CURSOR else mine.strip())
            assert rest.count("<!-- loam:begin ") == len(sections(body)) - 1
            assert rest.endswith(" -->\n") and cursor_body(text).count("<!-- loam:end ") == len(sections(body))


def skill_folders(alice: Member, folder: Path, agent: APIClient, pages: Client) -> None:
    """A SKILL.md says what its skill says, and who made it in Loam's own fields alone."""
    export_folder(path=folder, team="platform", by=alice)
    for row in Skill.objects.whole():
        _is_the_skill((folder / row.name / skill_md.FILE).read_text(), row)


def archives(alice: Member, folder: Path, agent: APIClient, pages: Client) -> None:
    for row in Skill.objects.whole():
        for data in (
            agent.get(f"/api/v1/skills/{row.name}/export/", {"team": "platform"}).content,
            pages.get(f"/skills/platform/{row.name}/export/").content,
        ):
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                assert archive.namelist() == [f"{row.name}/{skill_md.FILE}"]
                _is_the_skill(archive.read(archive.namelist()[0]).decode(), row)


def _is_the_skill(text: str, row: Skill) -> None:
    assert skill_md.says(text, row.served.sheet)
    front, _ = split(text)
    assert set(front) == {"name", "description", "metadata"}
    assert front["metadata"]["loam-skill"] == f"platform/{row.name}"
    assert broken("\n".join(map(str, front["metadata"].values()))) == []


def tables(alice: Member, folder: Path, agent: APIClient, pages: Client) -> None:
    """A row has as many cells as the head, and none is a formula."""
    for path in CSV:
        answer = pages.get(path)
        text = b"".join(answer.streaming_content).decode().removeprefix("\ufeff")  # type: ignore[attr-defined]
        head, *rows = csv.reader(io.StringIO(text, newline=""))
        assert rows, path
        assert {len(row) for row in rows} == {len(head)}, path
        assert [cell for row in rows for cell in row if cell[:1] in ("=", "+", "-", "@", "\t", "\r")] == [], path


def vaults(alice: Member, folder: Path, agent: APIClient, pages: Client) -> None:
    """It is read again to the same: no word of a text was taken for the page's own."""
    export(shared=folder / "one")
    lose_everything()
    import_vault(shared=folder / "one", by=SYSTEM, now=NOW)
    export(shared=folder / "other")
    assert len(tree(folder / "one")) > 8
    assert tree(folder / "other") == tree(folder / "one")


def streams(alice: Member, folder: Path, agent: APIClient, pages: Client) -> None:
    """An event is a line of its kind and a line of JSON."""
    asked = {"query": "quarterly kestrel report says"}
    answer = agent.post("/api/v1/evidence/search/", asked, format="json", HTTP_ACCEPT="text/event-stream")
    told = b"".join(iter(answer)).decode()
    assert "kestrel.md" in told
    events = [event for event in told.strip("\n").split("\n\n") if not event.startswith(":")]  # the connection is kept
    for event in events:
        kind, data = event.split("\n")
        assert kind in ("event: phase", "event: result", "event: answer")
        assert isinstance(json.loads(data.removeprefix("data: ")), dict)


CHECKS: dict[str, Callable[[Member, Path, APIClient, Client], None]] = {
    "agent files": agent_files,
    "skill folders": skill_folders,
    "archives": archives,
    "tables": tables,
    "vaults": vaults,
    "streams": streams,
}


class TestEveryExport:
    @pytest.mark.parametrize("kind", CHECKS)
    def test_holds_two_hundred_injections_within_its_frame(
        self, kind: str, memory: None, alice: Member, alice_user: User, tmp_path: Path, alices_agent: APIClient
    ) -> None:
        CHECKS[kind](alice, tmp_path, alices_agent, signed_in(alice_user))
