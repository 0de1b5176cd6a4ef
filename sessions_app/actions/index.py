"""Index: the import graph of a repo as a client uploads it, and which files stand next to some or have some letters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, islice

from django.db import transaction

from accounts.models import LogEntry
from accounts.rules.refused import Refused
from accounts.rules.rights import Member, team_for_write
from knowledge.models import Anchor, Insight
from knowledge.retrieval.rules.locality import clean_path
from knowledge.rules.vocabulary import AnchorKind
from sessions_app.models import CodeFile, CodeIndex
from sessions_app.rules.imports import resolve
from sessions_app.rules.stored_text import keep_line

# A repo of more files is sent in parts of one commit; all of it is held in memory once, to tell names from libraries.
MOST_FILES = 50_000


class TooManyFiles(Refused):
    code = "too_large"
    status = 413
    detail = f"An index can have at most {MOST_FILES:,} files."


@dataclass(frozen=True)
class Indexed:
    """What the index of the repo holds now."""

    index: CodeIndex
    files: int
    edges: int


def index_code(
    *, repo: str, commit: str, files: Mapping[str, Sequence[str]], by: Member, now: datetime, team: str = ""
) -> Indexed:
    """Take in the import graph of a repo (`files`: path → what it imports, as paths or as the language names them).

    The same commit's files are added to it, another commit's take their place. Raises NoSuchTeam, TeamUnclear,
    NotAllowed, TooManyFiles.
    """
    access = team_for_write(by, team or None)
    repo, commit = keep_line(repo, 200), keep_line(commit, 80)
    sent = {clean: [clean_name(name) for name in names] for path, names in files.items() if (clean := clean_path(path))}
    with transaction.atomic():
        fields = {"commit": commit, "uploaded_by_id": by.user_id, "uploaded_at": now}
        index, _ = CodeIndex.objects.get_or_create(team_id=access.id, repo=repo, defaults=fields)
        index = CodeIndex.objects.select_for_update(no_key=True, of=("self",)).get(pk=index.pk)
        there = {path: (was, edges) for path, was, edges in index.files.values_list("path", "named", "imports")}
        named = {path: was for path, (was, _) in there.items()} if index.commit == commit else {}
        named |= sent
        if len(named) > MOST_FILES:
            raise TooManyFiles(errors={"files": [TooManyFiles.detail]})
        imports = resolve(named)
        # A repo comes in parts and again with each commit: what stays as it is need not be written again.
        new = [path for path in named if there.get(path) != (named[path], imports[path])]
        index.files.on([*(there.keys() - named.keys()), *(path for path in new if path in there)]).delete()
        rows = [CodeFile(index=index, path=path, named=named[path], imports=imports[path]) for path in new]
        CodeFile.objects.bulk_create(rows, batch_size=5_000)
        CodeIndex.objects.filter(pk=index.pk).update(**fields)
        edges = sum(map(len, imports.values()))
        line = f"Code index of {repo}: {len(named)} files, {edges} imports"
        LogEntry.write(team_id=access.id, verb="code indexed", subject=repo[:80], line=line, by=by, at=now)
    return Indexed(index, len(named), edges)


def clean_name(name: str) -> str:
    return name.strip()[:400]


# --- files that somebody who writes an insight may mean: of the index, and of other insights ---
# As many as are read while one types.
MOST_SUGGESTED = 8
# Fewer letters are in every path.
LEAST_TYPED = 2
# Of each source so many are looked at: what is typed further narrows them.
READ_OF_EACH = 100


def file_names(*, typed: str, repo: str = "", by: Member) -> list[str]:
    """Return up to eight paths with what was typed in them, of a repository where one is named: those whose file name
    begins so first, then the shortest. Only of teams that the member reads.
    """
    typed, repo = typed.strip(), repo.strip()
    if len(typed) < LEAST_TYPED:
        return []
    indexes = CodeIndex.objects.visible_to(by)
    insights = Insight.objects.visible_to(by)
    if repo:
        indexes, insights = indexes.filter(repo__iexact=repo), insights.filter(repo__iexact=repo)
    files = CodeFile.objects.filter(index__in=indexes, path__icontains=typed).values_list("path", flat=True)
    anchors = Anchor.objects.filter(insight__in=insights, kind=AnchorKind.FILE, value__icontains=typed)
    found = set(chain(files[:READ_OF_EACH], anchors.values_list("value", flat=True)[:READ_OF_EACH]))
    return list(islice(sorted(found, key=lambda path: _order(path, typed.lower())), MOST_SUGGESTED))


def _order(path: str, typed: str) -> tuple[bool, int, str]:
    return not path.lower().rpartition("/")[2].startswith(typed.rpartition("/")[2]), len(path), path
