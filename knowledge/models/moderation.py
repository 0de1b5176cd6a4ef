"""What forgetting and quarantine have in common: a row leaves every read, and comes back."""

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

# What keyword search keeps of a text; `index_words` rebuilds it.
_SEARCHED = ("lexemes", "bm25", "length", "topic")
_WEIGHED = ["bm25_recipe", "prose"]
# Lines of other insights that quote a title as their reason.
_QUOTING = ("corroborated", "unmerged")


class Moderated(models.Model):
    """`forgotten_at`: somebody asked for it to be gone; `quarantined_at`: the guard found a secret in it.

    Either takes it out of every read at once, its history with it; both can be undone until `erased_at`.
    """

    quarantined_at = models.DateTimeField(null=True, editable=False)
    forgotten_at = models.DateTimeField(null=True, editable=False)
    erased_at = models.DateTimeField(null=True, editable=False)
    # Somebody looked at it and left it as it is: it is out of its queue until something new speaks for it.
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
        """Its reference, and those it had before it was moved to another team."""
        return [self.ref, *(one.ref for one in self.former.all())]

    def log_lines(self, titles: Sequence[str] = ()) -> LogQuerySet:
        """The log lines about it, and those of others that quote its title, or one of `titles`, as a reason."""
        said = models.Q()
        for title in {self.title, *titles}:
            said |= models.Q(why=title) | models.Q(why__startswith=f"{title} (")
        quoted = models.Q(team_id=self.team_id, verb__in=_QUOTING) & said
        return LogEntry.objects.filter(models.Q(subject__in=self.names()) | quoted)

    def withdraw(
        self, lexicon: "Lexicon", *, mark: str, verb: str, by: Member, at: datetime, why: str, after: dict[str, Any]
    ) -> None:
        """Set `mark` and leave the words, the topic and the log. The caller holds the team's row and this one.

        One line is left to be read: that it happened, when, by whom and why.
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
        """Undo `withdraw`; what the other mark still holds back stays so. It has no topic yet."""
        setattr(self, mark, None)
        if not self.forgotten_at and not self.quarantined_at:
            self.index_words(self.words, lexicon.pivot)
            lexicon.count(added=[self.words])
            self.log_lines().withhold(False)
        self.save(update_fields=[mark, *_SEARCHED, *_WEIGHED])
        self.note(verb=verb, line=f"{self.ref} {verb}", by=by, at=at, why=why)

    def blank(self, *, at: datetime) -> None:
        """Nothing is left of it but its number, and that it was forgotten. Its words are counted out already."""
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
