"""Comments on suggested edits and on pairs, and the users they mention."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import models
from django.db.models import Q

from accounts.models import Team, User
from accounts.rules.rights import Member
from knowledge.querysets.comments import CommentQuerySet, MentionQuerySet


class Comment(models.Model):
    """A comment on a suggested edit or on a pair.

    `decision`: the decision that it gives the reason for, in a word; "" for a mere comment. `team`: the team in which a
    comment on a pair was written; it stays when both insights are moved.
    """

    proposal = models.ForeignKey("knowledge.EditProposal", null=True, on_delete=models.CASCADE, related_name="comments")
    pair = models.ForeignKey("knowledge.Pair", null=True, on_delete=models.CASCADE, related_name="comments")
    team = models.ForeignKey(Team, null=True, on_delete=models.CASCADE, related_name="+")
    author = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    author_name = models.CharField(max_length=200)
    at = models.DateTimeField()
    text = models.TextField()
    decision = models.CharField(max_length=20, blank=True, default="", db_default="")

    objects = CommentQuerySet.as_manager()

    class Meta:
        # The name from when only suggested edits had comments.
        db_table = "knowledge_proposalcomment"
        constraints = [
            models.CheckConstraint(
                condition=Q(proposal__isnull=False, pair__isnull=True, team__isnull=True)
                | Q(proposal__isnull=True, pair__isnull=False, team__isnull=False),
                name="comment_on_one_thing",
            ),
        ]
        indexes = [
            models.Index(fields=["proposal", "at"], name="proposal_comment_in_order"),
            models.Index(fields=["pair", "at"], condition=Q(pair__isnull=False), name="pair_comment_in_order"),
        ]

    def __str__(self) -> str:
        about = f"pair {self.pair_id}" if self.pair_id else f"suggested edit {self.proposal_id}"
        return f"comment {self.pk} on {about}"

    @property
    def names(self) -> list[str]:
        """The names of the mentioned users."""
        return [mention.user.username for mention in self.mentions.all()]

    @property
    def home_id(self) -> Any:
        """The id of the team it belongs to."""
        return self.team_id or (self.proposal.team_id if self.proposal else None)


class Mention(models.Model):
    """A user mentioned in a comment. It is among their mentions until they answer, decide or mark it as read."""

    comment = models.ForeignKey(Comment, on_delete=models.CASCADE, related_name="mentions")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    read_at = models.DateTimeField(null=True)

    objects = MentionQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["comment", "user"], name="mention_once_a_comment")]
        indexes = [models.Index(fields=["user"], condition=Q(read_at__isnull=True), name="mention_unread")]

    def __str__(self) -> str:
        return f"mention {self.pk} in comment {self.comment_id}"


class Discussed(models.Model):
    """Mixin for what can be commented on. A subclass says which fields a comment stores and where else it is noted."""

    class Meta:
        abstract = True

    def comment(
        self, text: str, *, by: Member, at: datetime, mentioned: Sequence[User] = (), decision: str = ""
    ) -> Comment:
        """Add a comment with its mentions and return it.

        `decision`: the decision that it gives the reason for. A decision has a line of its own in the history, so the
        comment gets none.
        """
        row = Comment.objects.create(
            **self.commented_as(),
            author_id=by.user_id or None,
            author_name=by.actor[:200],
            at=at,
            text=text,
            decision=decision,
        )
        Mention.objects.bulk_create(Mention(comment=row, user=user) for user in mentioned)
        if not decision:
            self.note_comment(by=by, at=at)
        return row

    def commented_as(self) -> dict[str, Any]:
        """Return the fields that a comment on it stores."""
        raise NotImplementedError

    def note_comment(self, *, by: Member, at: datetime) -> None:
        """Log the comment, without its text, in the history of the insights it is about."""
        raise NotImplementedError

    def thread(self, member: Member) -> CommentQuerySet:
        """Return the comments that the member may read, the oldest first, with their mentions."""
        found: CommentQuerySet = Comment.objects.visible_to(member).filter(**self.commented_on())
        return found.order_by("at", "pk").prefetch_related("mentions__user")

    def commented_on(self) -> dict[str, Any]:
        """Return the filter that finds its comments."""
        return {name: value for name, value in self.commented_as().items() if name != "team_id"}

    def mentions_of(self, member: Member) -> "models.QuerySet[Mention]":
        """Return the member's unread mentions in its comments."""
        theirs = Comment.objects.visible_to(member).filter(**self.commented_on())
        return Mention.objects.filter(comment__in=theirs, user_id=member.user_id, read_at__isnull=True)

    def read_mentions(self, *, by: Member, at: datetime) -> None:
        """Mark the member's mentions in its comments as read."""
        self.mentions_of(by).update(read_at=at)
