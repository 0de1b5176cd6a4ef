"""Git and the files of a commit, where the repository wishes us ill."""

import os
import time
from pathlib import Path
from typing import Any

import pytest

from knowledge.evidence.adapters import git, trees
from knowledge.evidence.adapters.git import NoTree
from knowledge.evidence.adapters.trees import Tree, file_at, tree_of
from knowledge.evidence.rules.scope import is_safe_path
from tests.cases import cases
from tests.knowledge.evidence.conftest import Repository


def tree(repository: Repository, revision: str = "main") -> Tree:
    base = repository.folder.parent
    return tree_of(base, repository.folder.name, revision, key="1-x", ends=time.monotonic() + 60)


def written(made: Tree) -> set[str]:
    return {str(path.relative_to(made.folder)) for path in made.folder.rglob("*") if not path.is_dir()}


def raw_tree(repository: Repository, entries: list[tuple[str, str, bytes]]) -> str:
    """A commit of a tree that Git itself would not make; (mode, name, content)."""
    raw = b""
    for mode, name, content in entries:
        blob = stored(repository, "blob", content)
        raw += f"{mode} ".encode() + name.encode("utf-8", "surrogateescape") + b"\0" + bytes.fromhex(blob)
    made = stored(repository, "tree", raw)
    return repository.git("commit-tree", made, "-m", "hostile")


def stored(repository: Repository, kind: str, content: bytes) -> str:
    file = repository.folder.parent / "content"
    file.write_bytes(content)
    return repository.git("hash-object", "-w", "--literally", "-t", kind, str(file))


class TestTreeOf:
    def test_has_the_files_as_they_were_committed(self, repository: Repository) -> None:
        repository.git("config", "core.autocrlf", "true")
        commit = repository.commit({".gitattributes": "* text eol=crlf\n", "a b/ü.md": "one\ntwo\n", "run.sh": "x\n"})
        made = tree(repository)
        assert made.commit == commit
        assert (made.folder / "a b/ü.md").read_bytes() == b"one\ntwo\n"
        assert set(made.listing.files) == written(made)

    def test_takes_unchanged_files_of_the_commit_before_by_links(self, repository: Repository) -> None:
        first = tree(repository)
        repository.commit({"redis/memory.md": "# Changed\n"})
        second = tree(repository)
        assert (second.folder / "redis/memory.md").read_text() == "# Changed\n"
        assert (second.folder / "git/bisect.md").samefile(first.folder / "git/bisect.md")
        changed = dict(set(second.listing.files.items()) - set(first.listing.files.items()))
        assert set(changed) == {"redis/memory.md"}

    @pytest.mark.parametrize(
        "name", ["..", "../evil", "/etc/evil", ".git", ".GIT", "a\nb", "a\x1b[2Jb", "\udcff", "x" * 300, "."]
    )
    def test_writes_no_name_that_leads_elsewhere(self, repository: Repository, name: str, tmp_path: Path) -> None:
        commit = raw_tree(repository, [("100644", name, b"evil"), ("100644", "good.md", b"good")])
        made = tree(repository, commit)
        assert written(made) == {"good.md"}
        assert made.skipped == {"invalid file name": 1}
        assert not list(tmp_path.rglob("evil"))

    def test_writes_through_no_link_of_the_commit(self, repository: Repository, tmp_path: Path) -> None:
        inner = stored(repository, "blob", b"evil")
        folder = stored(repository, "tree", b"100644 evil\0" + bytes.fromhex(inner))
        link = stored(repository, "blob", str(tmp_path).encode())
        raw = b"120000 out\0" + bytes.fromhex(link) + b"40000 out\0" + bytes.fromhex(folder)
        commit = repository.git("commit-tree", stored(repository, "tree", raw), "-m", "hostile")
        made = tree(repository, commit)
        assert written(made) == {"out/evil"}
        assert not (tmp_path / "evil").exists()

    def test_of_a_file_that_is_a_folder_as_well_has_one_of_them(self, repository: Repository) -> None:
        inner = stored(repository, "blob", b"x")
        folder = stored(repository, "tree", b"100644 b\0" + bytes.fromhex(inner))
        raw = b"100644 a\0" + bytes.fromhex(inner) + b"40000 a\0" + bytes.fromhex(folder)
        commit = repository.git("commit-tree", stored(repository, "tree", raw), "-m", "hostile")
        made = tree(repository, commit)
        assert written(made) == {"a/b"}
        assert made.skipped == {"invalid file name": 1}

    def test_is_bounded_in_files(self, repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(trees, "MOST_FILES", 3)
        made = tree(repository)
        assert len(made.listing.files) == 3
        assert made.skipped == {"file limit reached": 1}

    def test_names_what_is_too_large_or_missing(self, repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
        repository.commit({"large.txt": "x" * 200_000, "lost.md": "lost"})
        monkeypatch.setattr(trees, "LARGEST", 100_000)
        lost = repository.git("rev-parse", "HEAD:lost.md")
        (repository.folder / ".git/objects" / lost[:2] / lost[2:]).unlink()
        made = tree(repository)
        assert dict(made.named) == {"large.txt": trees.HUGE, "lost.md": "missing from the repository"}

    def test_ends_in_time(self, repository: Repository) -> None:
        with pytest.raises(NoTree):
            tree_of(repository.folder.parent, "books", "main", key="1-x", ends=time.monotonic() - 1)
        assert written(tree(repository))


class TestHostileRepository:
    def test_runs_none_of_its_programs(self, repository: Repository, tmp_path: Path) -> None:
        """Settings that name programs, a hook, filters, an alias, and a place to fetch a missing object from."""
        repository.commit({".gitattributes": "* filter=evil diff=evil\n", "lost.md": "lost"})
        ran, evil = tmp_path / "ran", tmp_path / "evil.sh"
        evil.write_text(f"#!/bin/sh\ntouch {ran}\n")
        evil.chmod(0o755)
        inside = repository.folder / ".git"
        settings = {
            "core": ("fsmonitor", "sshCommand", "pager", "editor", "gitProxy", "alternateRefsCommand"),
            'diff "evil"': ("textconv", "command"),
            'filter "evil"': ("smudge", "clean", "process"),
            "gpg": ("program",),
            "alias": ("rev-parse", "ls-tree", "cat-file"),
            "credential": ("helper",),
        }
        lost = repository.git("rev-parse", "HEAD:lost.md")
        with (inside / "config").open("a") as config:
            for section, names in settings.items():
                config.write(f"[{section}]\n" + "".join(f"\t{name} = {evil}\n" for name in names))
            config.write(f"[core]\n\thooksPath = {tmp_path}\n\tworktree = /nowhere\n[log]\n\tshowSignature = true\n")
            config.write("[protocol]\n\tallow = always\n[extensions]\n\tpartialClone = origin\n")
            config.write(f'[remote "origin"]\n\turl = ssh://evil/x\n\tpromisor = true\n\tuploadpack = {evil}\n')
            config.write(f'[remote "other"]\n\turl = "ext::{evil}"\n\tpromisor = true\n')
        (inside / "objects" / lost[:2] / lost[2:]).unlink()
        for hook in ("post-checkout", "reference-transaction", "post-index-change"):
            (inside / "hooks").mkdir(exist_ok=True)
            (inside / "hooks" / hook).symlink_to(evil)
        made = tree(repository)
        assert "git/bisect.md" in written(made) and made.skipped == {"missing from the repository": 1}
        assert not ran.exists()

    @pytest.mark.parametrize("how", ["alternates", "commondir", "gitfile", "objects", "pack", "loose"])
    def test_brings_no_objects_of_another_one(self, repository: Repository, tmp_path: Path, how: str) -> None:
        secret = Repository(tmp_path / "secret")
        commit = secret.commit({"secret.md": "kestrel"})
        theirs, inside = secret.folder / ".git", repository.folder / ".git"
        if how == "alternates":
            (inside / "objects/info/alternates").write_text(f"{theirs}/objects\n")
        elif how == "commondir":
            (inside / "commondir").write_text(f"{theirs}\n")
        elif how == "gitfile":
            inside.rename(tmp_path / "old")
            inside.write_text(f"gitdir: {theirs}\n")
        elif how == "objects":
            (inside / "objects").rename(tmp_path / "old")
            (inside / "objects").symlink_to(theirs / "objects")
        elif how == "pack":
            secret.git("gc", "--quiet")
            (inside / "objects/pack").rmdir()
            (inside / "objects/pack").symlink_to(theirs / "objects/pack")
        else:
            folder = inside / "objects" / commit[:2]
            folder.mkdir(exist_ok=True)
            (folder / commit[2:]).symlink_to(theirs / "objects" / commit[:2] / commit[2:])
        with pytest.raises(NoTree):
            tree(repository, commit)

    def test_is_not_written_to(self, repository: Repository) -> None:
        before = {path: path.stat().st_mtime_ns for path in (repository.folder / ".git").rglob("*")}
        tree(repository)
        assert {path: path.stat().st_mtime_ns for path in (repository.folder / ".git").rglob("*")} == before

    def test_that_blocks_is_given_up(self, repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(git, "PATIENCE", 0.3)
        (repository.folder / ".git/config").unlink()
        os.mkfifo(repository.folder / ".git/config")
        began = time.monotonic()
        with pytest.raises(NoTree):
            tree(repository)
        assert time.monotonic() - began < 5


class TestFileAt:
    def at(self, repository: Repository, commit: str, file: str) -> Any:
        head = repository.git("rev-parse", "main")
        ends = time.monotonic() + 30
        return file_at(repository.folder.parent, "books", commit, of=head, file=file, ends=ends)

    def test_reads_an_earlier_commit_and_leaves_nothing_behind(self, repository: Repository, settings: Any) -> None:
        first = repository.git("rev-parse", "main")
        repository.commit({"git/bisect.md": "new\n"})
        with self.at(repository, first, "git/bisect.md") as made:
            assert written(made) == {"git/bisect.md"}
            assert "git bisect run" in (made.folder / "git/bisect.md").read_text()
        assert not list(Path(settings.LOAM_EVIDENCE_TREES).glob(".file-*"))

    def test_reads_no_commit_beside_the_branch(self, repository: Repository) -> None:
        repository.git("checkout", "--quiet", "-b", "private")
        private = repository.commit({"secret.md": "kestrel"})
        repository.git("checkout", "--quiet", "main")
        with pytest.raises(NoTree, match="not part of the branch"), self.at(repository, private, "secret.md"):
            pass


@cases("path", ["a/../b", "../a", "/a", "a//b", "a/.git/hooks/x", ".Git", "", "a/", "a\0b", "./a"])
def test_paths_that_are_refused(path: str) -> None:
    assert not is_safe_path(path)


@cases("path", ["a", "a b/ü.md", ".gitignore", "a..b/c", "-rf", "日本/x.git"])
def test_paths_that_are_written(path: str) -> None:
    assert is_safe_path(path)
