"""Remove a person's name from everything a team keeps, and erase what is theirs alone."""

from collections.abc import Mapping

from django.db.models import Case, CharField, Q, QuerySet, Value, When

from accounts.models import Team, User
from knowledge.models import (
    Comment,
    Conflict,
    Corroboration,
    EditProposal,
    FormerRef,
    InboxState,
    Insight,
    Mention,
    Pair,
    Query,
    Receipt,
    SavedFilter,
    Signal,
    Topic,
)
from knowledge.review.rules.mentions import split_mentions

SOMEBODY = "somebody"


def clear_author(*, user: User, sessions: Mapping[str, str]) -> dict[str, int]:
    """Clear a person's name from insights, corroborations, ratings and pairs, and delete their questions and receipts.

    `sessions`: the new name of each of their sessions, by the old one. Their personal team is erased for good. The
    caller holds the transaction. Returns the number of changed or deleted rows by kind.
    """
    counts = {"personal insights": _erase_personal(Team.objects.filter(owner=user).first())}
    for name, rows in (
        ("insights", Insight.objects.filter(author=user)),
        ("corroborations", Corroboration.objects.filter(user=user)),
        ("ratings", Signal.objects.filter(user=user)),
    ):
        owner = "author" if name == "insights" else "user"
        renamed = rows.filter(session_key__in=list(sessions)).update(session_key=_renamed(sessions))
        counts[name] = rows.update(**{owner: None, "token": None})
        assert renamed <= counts[name]
    Corroboration.objects.filter(judged_by=user.username).update(judged_by=SOMEBODY)
    Pair.objects.filter(settled_by=user).update(settled_by=None)
    Pair.objects.filter(raised_by_user=user).update(raised_by_user=None)
    Pair.objects.filter(stated_by_user=user).update(stated_by_user=None)
    for told in ("raised_by", "settled_by"):
        Conflict.objects.filter(**{told: user}).update(**{told: None})
    Pair.objects.filter(_raised_by(user)).update(raised_by=SOMEBODY)
    EditProposal.objects.filter(settled_by=user).update(settled_by=None)
    EditProposal.objects.filter(proposed_by=user).update(proposed_by=None, proposed_by_name=SOMEBODY)
    Comment.objects.filter(author=user).update(author=None, author_name=SOMEBODY)
    _clear_mentions(user)
    Topic.objects.filter(owner=user).update(owner=None)
    Insight.objects.filter(owner=user).update(owner=None)
    for told in ("snoozed_by", "assignee"):
        InboxState.objects.filter(**{told: user}).update(**{told: None})
    # A saved filter for a person who no longer exists finds nothing.
    for named in ("wanted__author", "wanted__owner"):
        SavedFilter.objects.filter(**{named: user.username}).delete()
    SavedFilter.objects.filter(owner=user).update(owner=None)
    counts["questions"] = Query.objects.filter(user=user).delete()[0]
    counts["receipts"] = Receipt.objects.filter(user=user).delete()[0]
    return counts


def _clear_mentions(user: User) -> None:
    """Remove the person from all mentions."""
    rows = Mention.objects.filter(user=user)
    for comment in Comment.objects.filter(mentions__user=user):
        parts = split_mentions(comment.text, [user.username])
        comment.text = "".join(f"@{SOMEBODY}" if name else text for name, text in parts)
        comment.save(update_fields=["text"])
    rows.delete()


def still_named(user: User) -> QuerySet[Insight]:
    """Return the insights whose text contains the person's address or full name, for people to check and forget by
    hand.
    """
    words = [word for word in (user.email, user.get_full_name()) if word]
    found = Q(pk__in=[])
    for word in words:
        found |= Q(title__icontains=word) | Q(body__icontains=word) | Q(reasoning__icontains=word)
    return Insight.objects.filter(found).exclude(team__owner=user).order_by("pk")


def _erase_personal(team: Team | None) -> int:
    if team is None:
        return 0
    rows = Insight.objects.filter(team=team)
    Insight.objects.filter(superseded_by__in=rows).update(superseded_by=None)
    FormerRef.objects.filter(team=team).delete()
    return int(rows.delete()[1].get("knowledge.Insight", 0))


def _renamed(sessions: Mapping[str, str]) -> Case:
    cases = [When(session_key=old, then=Value(new)) for old, new in sessions.items()]
    return Case(*cases, default="session_key", output_field=CharField())


def _raised_by(user: User) -> Q:
    return Q(raised_by=user.username) | Q(raised_by__startswith=f"{user.username} (")
