from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from accounts.models import LogEntry
from accounts.rules.rights import Member, Scope
from knowledge.evidence.actions.inquiry import Cancelled, NoEvidenceQuestion, NoSuchPath, NoSuchSource
from knowledge.evidence.actions.search import EvidenceAnswer
from knowledge.evidence.models import KnowledgeCluster, Search, Source
from knowledge.evidence.rules.ask import Phase
from knowledge.evidence.rules.reuse import ReuseMode
from tests.factories import make_insight

QUESTION = "how do I list the largest files in a git repository"
Ask = Callable[..., EvidenceAnswer]


class TestSearch:
    @pytest.mark.parametrize("mode", list(ReuseMode))
    def test_ranks_the_file_first_in_every_mode(self, ask: Ask, mode: ReuseMode) -> None:
        answer = ask(QUESTION, mode)
        assert answer.ranked[0].path == "git/find-large-files.md"
        assert answer.degraded == []

    @pytest.mark.parametrize("mode", [ReuseMode.FAST, ReuseMode.DEEP])
    def test_cites_file_and_lines_as_they_stand(self, ask: Ask, files: Path, mode: ReuseMode) -> None:
        first = ask(QUESTION, mode).cited[0]
        lines = (files / first.path).read_text().split("\n")
        assert first.text == "\n".join(lines[first.start_line - 1 : first.end_line])
        assert "rev-list" in first.text

    def test_briefs_in_the_words_of_the_evidence(self, ask: Ask) -> None:
        answer = ask("redis out of memory", ReuseMode.DEEP)
        assert "redis-cli --bigkeys" in answer.content
        assert "`redis/memory.md:" in answer.content
        assert 1 <= len(answer.patterns) <= 5
        assert answer.confidence > 0.5

    def test_goes_through_its_phases_in_order(self, ask: Ask) -> None:
        told: list[Phase] = []
        answer = ask(QUESTION, ReuseMode.FAST, progress=told.append)
        assert [phase.name for phase in told] == ["reuse", "probe", "rank", "sample", "brief", "keep"]
        assert answer.phases == told

    def test_cites_a_text_once_however_many_copies_there_are(self, ask: Ask, files: Path) -> None:
        for copy in ("a/memory.md", "b/memory.md", "c/memory.md"):
            (files / copy).parent.mkdir()
            (files / copy).write_text((files / "redis/memory.md").read_text())
        (files / "redis/limits.md").write_text("# Limits\n\nRedis has 4 GB of memory in production.\n")
        names = [one.path for one in ask("redis memory").cited]
        assert len([one for one in names if one.endswith("memory.md")]) == 1
        assert "redis/limits.md" in names

    def test_looks_at_names_alone_when_asked_to(self, ask: Ask) -> None:
        answer = ask("vacuum", ReuseMode.FILENAME_ONLY)
        assert [file.path for file in answer.ranked] == ["postgres/vacuum.md"]
        assert (answer.cited, answer.cluster, answer.content) == ([], None, "")

    def test_is_the_same_twice(self, ask: Ask) -> None:
        one, other = (ask(QUESTION, ReuseMode.DEEP, reuse=False) for _ in range(2))
        assert (one.ranked, one.cited, one.content) == (other.ranked, other.cited, other.content)

    def test_remembers_what_was_asked_for_the_asker_alone(self, ask: Ask, alice: Member) -> None:
        answer = ask(QUESTION)
        row = Search.objects.get()
        assert (row.pk, row.text, row.team_id) == (answer.search_id, QUESTION, alice.home_id)

    def test_shows_what_the_team_knows_beside_it(self, ask: Ask, alice: Member) -> None:
        insight = make_insight(alice, body="List the largest files in a git repository with git rev-list.")
        assert [row.ref for row in ask(QUESTION).insights] == [insight.ref]

    def test_finds_nothing_and_says_so(self, ask: Ask) -> None:
        answer = ask("zygomorphic flibbertigibbet", ReuseMode.FAST)
        assert (answer.cited, answer.cluster) == ([], None)
        assert answer.content == "Not found in 5 files of books."

    def test_masks_secrets_in_headings(self, ask: Ask, files: Path) -> None:
        (files / "keys.md").write_text(
            "# Owl mail: ann@owls.io, token ghp_" + "a1B2" * 9 + "\u202e\n\nThe owl flies at night over the quarry.\n"
        )
        answer = ask("when does the owl fly over the quarry", ReuseMode.FAST)
        assert answer.cited[0].path == "keys.md" and "Owl mail" in answer.cited[0].heading
        for hidden in ("ghp_", "ann@owls.io", "\u202e"):
            assert hidden not in answer.cited[0].heading + answer.content

    def test_masks_secrets_in_what_it_shows_and_keeps(self, ask: Ask, files: Path) -> None:
        token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
        (files / "deploy" / "token.md").write_text(f"# Deploy token\n\nThe deploy token is {token} for now.\n")
        answer = ask("deploy token", ReuseMode.FAST)
        assert answer.cited[0].path == "deploy/token.md"
        assert token not in answer.cited[0].text + answer.content
        assert answer.cluster
        assert token not in answer.cluster.content + answer.cluster.evidences.first().text

    def test_goes_on_without_ripgrep(self, ask: Ask, settings: Any) -> None:
        settings.LOAM_RIPGREP = "/nowhere/rg"
        answer = ask(QUESTION)
        assert answer.ranked[0].path == "git/find-large-files.md"
        assert answer.degraded[0]["component"] == "ripgrep"

    def test_goes_on_without_an_embedder(self, ask: Ask, embedder_down: str) -> None:
        answer = ask(QUESTION, ReuseMode.DEEP)
        assert answer.cited[0].path == "git/find-large-files.md"
        assert {"component": "embedder", "reason": embedder_down} in answer.degraded

    def test_goes_on_without_a_source(self, ask: Ask, books: Source, files: Path) -> None:
        files.rename(files.with_name("moved"))
        answer = ask(QUESTION)
        assert answer.ranked == []
        assert answer.degraded == [{"component": "source books", "reason": "its folder is missing"}]

    def test_stops_when_nobody_waits(self, ask: Ask) -> None:
        with pytest.raises(Cancelled):
            ask(QUESTION, gone=lambda: True)
        assert not Search.objects.exists()


class TestScope:
    def test_narrows_to_paths_and_globs(self, ask: Ask) -> None:
        assert {file.path for file in ask("git", paths=("git/bisect.md",)).ranked} == {"git/bisect.md"}
        assert {file.path for file in ask("git", include=("find-*",)).ranked} == {"git/find-large-files.md"}
        assert {file.path for file in ask("git", exclude=("**/find-*",)).ranked} == {"git/bisect.md"}

    def test_never_leaves_the_root(self, ask: Ask, files: Path) -> None:
        (files / "link.md").symlink_to(files.parents[1] / "outside.md")
        answer = ask("kestrel password git repository", ReuseMode.DEEP)
        assert "kestrel" not in answer.content + "".join(one.text for one in answer.cited)

    @pytest.mark.parametrize("path", ["..", "../../etc", "/etc/passwd", "a/../../b", "~/x", "C:\\x", "a\0b"])
    def test_refuses_paths_that_lead_out(self, ask: Ask, path: str) -> None:
        with pytest.raises(NoSuchPath) as refused:
            ask("root", paths=(path,))
        assert "paths" in refused.value.errors

    def test_refuses_sources_that_are_none(self, ask: Ask, charlie: Member) -> None:
        for by, name in ((None, "nowhere"), (charlie, "books")):
            with pytest.raises(NoSuchSource):
                ask("git", sources=(name,), **({"by": by} if by else {}))

    def test_refuses_an_empty_question(self, ask: Ask) -> None:
        with pytest.raises(NoEvidenceQuestion):
            ask(" \u200b ")

    def test_shows_a_stranger_nothing(self, ask: Ask, charlie: Member) -> None:
        ask(QUESTION)
        answer = ask(QUESTION, by=charlie)
        assert (answer.ranked, answer.cited, answer.cluster, answer.reused) == ([], [], None, False)


class TestKeeping:
    def test_makes_a_cluster_of_the_team_with_every_field(self, ask: Ask, books: Source) -> None:
        cluster = ask(QUESTION, ReuseMode.DEEP).cluster
        assert cluster
        assert cluster.team_id == books.team_id
        assert cluster.ref.startswith("C")
        assert (cluster.lifecycle, cluster.version, cluster.hotness, cluster.mode) == ("emerging", 1, 0.5, "DEEP")
        assert [one.text for one in cluster.questions.all()] == [QUESTION]
        assert cluster.embedding is not None
        assert cluster.content and cluster.patterns and cluster.evidences.exists()
        assert LogEntry.objects.filter(subject=cluster.ref, verb="kept").count() == 1

    def test_keeps_nothing_for_who_may_only_read(self, ask: Ask, alice: Member) -> None:
        answer = ask(QUESTION, by=replace(alice, scopes=frozenset({Scope.READ})))
        assert answer.cited and answer.cluster is None
        assert not KnowledgeCluster.objects.exists()

    def test_keeps_nothing_of_names_alone(self, ask: Ask) -> None:
        ask("vacuum", ReuseMode.FILENAME_ONLY)
        assert not KnowledgeCluster.objects.exists()
