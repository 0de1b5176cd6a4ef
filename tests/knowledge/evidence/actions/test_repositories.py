"""Sources that are a Git repository at a branch, a tag or a commit."""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from accounts.models import Team, User
from accounts.rules.rights import Member
from knowledge.evidence.actions.search import EvidenceAnswer
from knowledge.evidence.actions.share import deposit
from knowledge.evidence.actions.sources import BadSource, change, check, check_all, register
from knowledge.evidence.models import Evidence, KnowledgeCluster, Source
from knowledge.evidence.rules.reuse import ReuseMode
from knowledge.rules.vocabulary import Kind, Trust
from tests.knowledge.evidence.conftest import FILES, Repository

QUESTION = "how do I find large files in a git repository"
CHANGED = "# Find large files in a git repository\n\nUse git-sizer.\n"
Ask = Callable[..., EvidenceAnswer]


class TestRegister:
    def test_says_which_commit_is_searched(self, branch: Source, repository: Repository) -> None:
        head = repository.git("rev-parse", "main")
        assert branch.health["state"] == "ok"
        assert (branch.health["files"], branch.health["commit"]) == (5, head)

    @pytest.mark.parametrize("name", ["main", "v1", "HEAD", "refs/heads/main", "commit", "short"])
    def test_takes_a_branch_a_tag_or_a_commit(
        self, repository: Repository, platform: Team, root: Member, now: datetime, name: str
    ) -> None:
        repository.git("tag", "--annotate", "--message=one", "v1")
        head = repository.git("rev-parse", "HEAD")
        revision = {"commit": head, "short": head[:9]}.get(name, name)
        made = register(slug="books", team_slug="platform", path="books", revision=revision, by=root, now=now)
        assert made.health["commit"] == head

    def test_takes_a_bare_repository(
        self, repository: Repository, platform: Team, root: Member, now: datetime, tmp_path: Path
    ) -> None:
        repository.git("clone", "--quiet", "--bare", ".", str(tmp_path / "root" / "books.git"))
        made = register(slug="bare", team_slug="platform", path="books.git", revision="main", by=root, now=now)
        assert made.health["files"] == 5

    @pytest.mark.parametrize(
        "revision",
        ["--upload-pack=touch x", "-q", "main..next", "main~1", "main^{tree}", ":README", "main:git", "@{-1}", "a b",
         "x" * 300, "../main", "main.lock", "\x00"],
    )  # fmt: skip
    def test_refuses_what_names_no_branch(
        self, repository: Repository, platform: Team, root: Member, now: datetime, revision: str
    ) -> None:
        with pytest.raises(BadSource) as refused:
            register(slug="s", team_slug="platform", path="books", revision=revision, by=root, now=now)
        assert list(refused.value.errors) == ["revision"]

    def test_says_in_words_what_cannot_be_read(
        self, branch: Source, repository: Repository, root: Member, now: datetime, settings: Any
    ) -> None:
        gone = change(slug="books", changes={"revision": "release"}, by=root, now=now)
        assert gone.health["why"] == "Its repository has no branch, tag or commit 'release'."
        (repository.folder / ".git").rename(repository.folder / "old")
        assert check(slug="books", now=now).health["why"] == "Its folder is not a Git repository."
        repository.folder.rename(repository.folder.with_name("moved"))
        assert check(slug="books", now=now).health["why"] == "Its folder is missing."
        settings.LOAM_GIT = "/nowhere/git"
        repository.folder.with_name("moved").rename(repository.folder)
        (repository.folder / "old").rename(repository.folder / ".git")
        assert "Git is not installed" in check(slug="books", now=now).health["why"]

    def test_is_a_form_of_the_admin_too(
        self, repository: Repository, platform: Team, root: Member, client: Any
    ) -> None:
        client.force_login(User.objects.get(pk=root.user_id))
        fields = {
            "slug": "books", "team": platform.pk, "name": "Books", "path": "books", "include": "", "exclude": "",
            "largest_file": 1_000_000, "most_files": 100, "active": "on",
        }  # fmt: skip
        bad = client.post("/admin/evidence/source/add/", {**fields, "revision": "--upload-pack=x"})
        assert "not the name of a branch" in bad.content.decode()
        assert client.post("/admin/evidence/source/add/", {**fields, "revision": "main"}).status_code == 302
        assert Source.objects.get().health["files"] == 5


class TestSearch:
    @pytest.mark.parametrize("mode", [ReuseMode.FAST, ReuseMode.DEEP, ReuseMode.FILENAME_ONLY])
    def test_reads_the_commit_and_not_the_work_tree(
        self, branch: Source, repository: Repository, asks: Ask, mode: ReuseMode
    ) -> None:
        (repository.folder / "git/find-large-files.md").write_text("Nothing any more.\n")
        (repository.folder / "draft-large-files.md").write_text("# Large files of a git repository: a draft\n")
        answer = asks(QUESTION, mode)
        assert answer.ranked[0].path == "git/find-large-files.md"
        assert "draft" not in answer.content
        assert [phase.name for phase in answer.phases][:1] == ["checkout"]
        assert not answer.degraded

    def test_cites_path_commit_and_lines(self, branch: Source, repository: Repository, asks: Ask) -> None:
        head = repository.git("rev-parse", "main")
        answer = asks(QUESTION)
        one = answer.cited[0]
        assert one.commit == head
        assert one.place == f"git/find-large-files.md@{head[:10]}:{one.start_line}-{one.end_line}"
        assert f"`{one.place}`" in answer.content
        assert Evidence.objects.filter(commit=head, path=one.path).exists()

    def test_takes_what_is_committed_though_it_is_ignored(
        self, branch: Source, repository: Repository, asks: Ask
    ) -> None:
        repository.commit({"kestrel.log": "The kestrel lock is released at noon.\n"})
        repository.commit({".gitignore": "*.log\n"})
        assert asks("when is the kestrel lock released").cited[0].path == "kestrel.log"

    def test_names_what_is_not_in_the_commit(
        self, branch: Source, repository: Repository, asks: Ask, now: datetime, tmp_path: Path
    ) -> None:
        (repository.folder / "outside.md").symlink_to(tmp_path / "outside.md")
        (tmp_path / "outside.md").write_text("The kestrel password of the largest git repository.\n")
        inner = Repository(tmp_path / "inner")
        inner.commit({"a.md": "x"})
        repository.git("submodule", "--quiet", "add", str(inner.folder), "inner")
        repository.commit({"model.bin": "version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 12\n"})
        skipped = check(slug="books", now=now).health["skipped"]
        assert skipped == {
            "a link": 1,
            "a submodule: its files are in another repository": 1,
            "a Git LFS pointer: its content is not in the repository": 1,
        }
        answer = asks("kestrel password of the repository")
        assert {one["path"] for one in answer.skipped} == {"outside.md", "inner", "model.bin"}
        assert "kestrel" not in "".join(one.text for one in (*answer.cited, *answer.nearest))

    def test_of_another_team_is_not_found(self, branch: Source, asks: Ask, charlie: Member) -> None:
        assert asks(QUESTION, by=charlie).ranked == []

    def test_goes_on_without_a_repository_that_cannot_be_read(
        self, branch: Source, repository: Repository, asks: Ask, platform: Team, root: Member, now: datetime
    ) -> None:
        folder = repository.folder.with_name("folder")
        folder.mkdir()
        (folder / "git.md").write_text(FILES["git/find-large-files.md"])
        register(slug="folder", team_slug="platform", path="folder", by=root, now=now)
        repository.git("branch", "--move", "main", "trunk")
        answer = asks(QUESTION)
        assert answer.cited[0].place.startswith("git.md:")
        assert {"component": "source books", "reason": "Its repository has no branch, tag or commit 'main'."} in (
            answer.degraded
        )


class TestReuse:
    def test_holds_while_the_branch_stays(self, branch: Source, repository: Repository, asks: Ask) -> None:
        asks(QUESTION)
        (repository.folder / "git/find-large-files.md").write_text("not committed\n")
        repository.git("checkout", "--quiet", "-b", "other")
        assert asks(QUESTION).reused

    def test_notices_a_moved_branch(self, branch: Source, repository: Repository, asks: Ask) -> None:
        old = asks(QUESTION)
        new = repository.commit(
            {"git/find-large-files.md": "# Find large files in a git repository\n\nUse git-sizer.\n"}
        )
        answer = asks(QUESTION)
        assert not answer.reused
        assert "git-sizer" in answer.content and answer.cited[0].commit == new
        assert answer.cluster and old.cluster and answer.cluster.ref == old.cluster.ref

    def test_outlives_a_commit_that_has_nothing_to_do_with_it(
        self, branch: Source, repository: Repository, asks: Ask
    ) -> None:
        asks(QUESTION)
        new = repository.commit({"mail/spam.md": "# Spam\n\nTrain the filter on Mondays.\n"})
        answer = asks(QUESTION)
        assert answer.reused
        assert answer.cited[0].commit == new
        assert set(Evidence.objects.values_list("commit", flat=True)) == {new}

    def test_searches_a_new_file_that_answers(self, branch: Source, repository: Repository, asks: Ask) -> None:
        asks(QUESTION)
        repository.commit({"git/large-files-2.md": "# Find large files in a git repository\n\nNow use git-sizer.\n"})
        assert not asks(QUESTION).reused

    def test_of_a_deposit_turns_stale_with_the_branch(
        self, branch: Source, repository: Repository, asks: Ask, alice: Member, now: datetime
    ) -> None:
        cluster = asks(QUESTION).cluster
        assert cluster is not None
        insight = deposit(ref=cluster.ref, kind=Kind.CONTEXT, by=alice, now=now).insight
        repository.commit({"git/find-large-files.md": CHANGED})
        asks(QUESTION, now=now + timedelta(hours=1))
        insight.refresh_from_db()
        assert insight.trust == Trust.STALE


class TestKeptCommits:
    def test_are_the_last_two_of_a_source_and_none_of_one_that_is_gone(
        self, branch: Source, repository: Repository, asks: Ask, now: datetime, settings: Any
    ) -> None:
        for number in range(3):
            repository.commit({"n.md": str(number)})
            check(slug="books", now=now)
        (home,) = Path(settings.LOAM_EVIDENCE_TREES).iterdir()
        assert len([one for one in home.iterdir() if one.name != ".lock"]) == 2
        Source.objects.update(active=False)
        check_all(now=now)
        assert not home.exists()

    def test_are_bounded_together(self, branch: Source, repository: Repository, now: datetime, settings: Any) -> None:
        settings.LOAM_EVIDENCE_TREES_MB = 1
        repository.commit({"big.txt": "x" * 1_500_000})
        assert "more than LOAM_EVIDENCE_TREES_MB allows" in check(slug="books", now=now).health["why"]


def test_a_cluster_names_no_commit_of_a_folder(ask: Ask) -> None:
    ask(QUESTION)
    assert set(Evidence.objects.values_list("commit", flat=True)) == {""}
    assert KnowledgeCluster.objects.get().content.endswith("`git/find-large-files.md:1-5` [1]")
