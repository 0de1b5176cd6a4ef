"""Files that somebody who writes an insight may mean: those of the repository's code index, and those that other
insights are anchored to.
"""

from itertools import chain, islice

from accounts.rules.rights import Member
from knowledge.models import Anchor, Insight
from knowledge.rules.vocabulary import AnchorKind
from sessions_app.models import CodeFile, CodeIndex

# As many as are read while one types.
MOST = 8
# Fewer letters are in every path.
LEAST = 2
# Of each source so many are looked at: what is typed further narrows them.
READ = 100


def file_names(*, typed: str, repo: str = "", by: Member) -> list[str]:
    """Return up to eight paths with what was typed in them, of a repository where one is named: those whose file name
    begins so first, then the shortest. Only of teams that the member reads.
    """
    typed, repo = typed.strip(), repo.strip()
    if len(typed) < LEAST:
        return []
    indexes = CodeIndex.objects.visible_to(by)
    insights = Insight.objects.visible_to(by)
    if repo:
        indexes, insights = indexes.filter(repo__iexact=repo), insights.filter(repo__iexact=repo)
    files = CodeFile.objects.filter(index__in=indexes, path__icontains=typed).values_list("path", flat=True)
    anchors = Anchor.objects.filter(insight__in=insights, kind=AnchorKind.FILE, value__icontains=typed)
    found = set(chain(files[:READ], anchors.values_list("value", flat=True)[:READ]))
    return list(islice(sorted(found, key=lambda path: _order(path, typed.lower())), MOST))


def _order(path: str, typed: str) -> tuple[bool, int, str]:
    return not path.lower().rpartition("/")[2].startswith(typed.rpartition("/")[2]), len(path), path
