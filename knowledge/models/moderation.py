"""The common part of forgetting and quarantine: a row is hidden from every read, and can come back."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import models

from accounts.models import LogEntry
from accounts.querysets import LogQuerySet
from accounts.rules.rights import Member
from knowledge.rules.vocabulary import Kind

if TYPE_CHECKING:
    from knowledge.models.lexicon import Lexicon

# Columns of keyword search; `index_words` rebuilds them.
_SEARCHED = ("lexemes", "bm25", "length", "topic")
_WEIGHED = ["bm25_recipe", "prose"]
# Verbs of log lines that quote the title of another insight as their reason.
_QUOTING = ("corroborated", "unmerged")


class Moderated(models.Model):
    """A row that can be hidden. `forgotten_at`: somebody asked to forget it. `quarantined_at`: the guard found a secret
    in it.

    Either hides it and its history from every read at once. Both can be undone until `erased_at`.
    """

    quarantined_at = models.DateTimeField(null=True, editable=False)
    forgotten_at = models.DateTimeField(null=True, editable=False)
    erased_at = models.DateTimeField(null=True, editable=False)
    # When somebody last reviewed it and left it unchanged. It leaves its queue until a new signal speaks for it.
    reviewed_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        abstract = True

    if TYPE_CHECKING:
        former: Any
        ref: str
        team_id: int
        title: str
        lexemes: Any
        bm25: Any
        length: int
        topic: Any

        @property
        def words(self) -> list[str]: ...
        def index_words(self, words: list[str], pivot: float) -> None: ...
        def note(self, *, verb: str, line: str, by: Member, at: datetime, **more: Any) -> None: ...

    def names(self) -> list[str]:
        """Return its reference, and those it had before it was moved to another team."""
        return [self.ref, *(one.ref for one in self.former.all())]

    def log_lines(self, titles: Sequence[str] = ()) -> LogQuerySet:
        """Return the log lines about it, and those of others that quote its title, or one of `titles`, as a reason."""
        said = models.Q()
        for title in {self.title, *titles}:
            said |= models.Q(why=title) | models.Q(why__startswith=f"{title} (")
        quoted = models.Q(team_id=self.team_id, verb__in=_QUOTING) & said
        return LogEntry.objects.filter(models.Q(subject__in=self.names()) | quoted)

    def withdraw(
        self, lexicon: "Lexicon", *, mark: str, verb: str, by: Member, at: datetime, why: str, after: dict[str, Any]
    ) -> None:
        """Set `mark`, and remove the row from word counts, topic and readable log. The caller holds the team's row and
        this one.

        One readable line is written: that it happened, when, by whom and why.
        """
        left = self.topic
        if self.lexemes is not None:
            lexicon.count(removed=[self.words])
            lexicon.drop_unused()
        self.lexemes, self.bm25, self.length, self.topic = None, None, 0, None
        setattr(self, mark, at)
        self.save(update_fields=[mark, *_SEARCHED])
        if left:
            left.shed(at=at)
        self.log_lines().withhold(True)
        self.note(verb=verb, line=f"{self.ref} {verb}", by=by, at=at, why=why, after=after)

    def readmit(self, lexicon: "Lexicon", *, mark: str, verb: str, by: Member, at: datetime, why: str) -> None:
        """Undo `withdraw`. The row stays hidden while its other mark is set. It has no topic until the
        next clustering.
        """
        setattr(self, mark, None)
        if not self.forgotten_at and not self.quarantined_at:
            self.index_words(self.words, lexicon.pivot)
            lexicon.count(added=[self.words])
            self.log_lines().withhold(False)
        self.save(update_fields=[mark, *_SEARCHED, *_WEIGHED])
        self.note(verb=verb, line=f"{self.ref} {verb}", by=by, at=at, why=why)

    def blank(self, *, at: datetime) -> None:
        """Erase the row's content. Its number stays, and the fact that it was forgotten. Its words are no longer
        counted already.
        """
        gone: dict[str, Any] = {
            **dict.fromkeys(("title", "body", "reasoning", "repo", "source_url", "embedded_by", "session_key"), ""),
            **dict.fromkeys(
                ("embedding", "lexemes", "bm25", "author", "owner", "token", "topic", "fades_at", "source_date")
            ),
            "provenance": [],
            "heard": [],
            "questions": [],
            "length": 0,
            "kind": Kind.CONTEXT,
            "pinned": False,
            "erased_at": at,
        }
        for name, value in gone.items():
            setattr(self, name, value)
        self.save(update_fields=list(gone))
