"""Forget: remove an insight from all reads at once, and after 30 days for good. This is the only deletion.

For 30 days a lead can restore it (`curate.restore`). Then a sweep, or a superuser earlier, erases its texts, vectors,
anchors, corroborations, ratings and the words of its log lines. A row without words stays, so that the reference can be
explained and is never used again (docs/decisions/0007-forgetting.md).
"""

from dataclasses import replace
from datetime import datetime, timedelta

from django.contrib.admin.models import LogEntry as AdminLine
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.db.models import Q, QuerySet

from accounts.actions.jobs import Items, Work
from accounts.models import LogEntry, Team
from accounts.querysets import LogQuerySet
from accounts.rules.guard.detection import masked
from accounts.rules.refused import NotAllowed, NotFound, Refused
from accounts.rules.rights import ALL_SCOPES, SYSTEM, Level, Member, TeamAccess, TeamKind
from knowledge.models import Corroboration, Insight, Lexicon, Pair, Receipt
from knowledge.review.rules.backing import CONFIRMED_BY, WORKED_ON_BY, Backing
from knowledge.rules.vocabulary import Status

# How long a lead can restore it. A month covers a holiday, and no lead is away for longer unnoticed (product design,
# 3.2). A longer time would keep what somebody asked to have deleted.
KEPT_FOR = timedelta(days=30)


class NoReason(Refused):
    code = "invalid"
    detail = "Forgetting requires a reason."


class OthersRelyOnIt(NotAllowed):
    """The author alone would delete what others confirmed, found helpful or said too."""


def forget(*, ref: str, why: str, by: Member, now: datetime) -> Insight:
    """Remove an insight from all reads. Allowed for leads, in quarantine too, and for the author as long as nobody else
    relies on it.

    What was merged into other insights is unmerged first, so that all of it goes. Raises NoReason on `reason`,
    NotFound, NotAllowed, OthersRelyOnIt.
    """
    why = masked(why).strip()
    if not why:
        raise NoReason(errors={"reason": ["Enter a reason."]})
    with transaction.atomic():
        row = _lock_row(ref, by)
        _require_right(row, by)
        lexicon = Lexicon.of(row.team_id)
        _part(row, lexicon, by, now)
        against = list(Pair.objects.all().open_about(row).select_related("a", "b"))
        after = {"erased after": (now + KEPT_FOR).date().isoformat()}
        row.withdraw(lexicon, mark="forgotten_at", verb="forgotten", by=by, at=now, why=why, after=after)
        for pair in against:
            pair.unmark(by=by, at=now)
        _stand_again(row, by, now)
        _admin_lines(row).update(object_repr=row.ref)
    return row


def take_out(*, ref: str, why: str, now: datetime) -> None:
    """Forget an insight and erase it at once: a draft that the server made from words that the team may not read."""
    with transaction.atomic():
        row = Insight.objects.select_related("team").get(ref=ref)
        team = row.team
        lead = TeamAccess(team.pk, team.slug, team.name, team.prefix, TeamKind(team.kind), Level.LEAD)
        by = replace(SYSTEM, teams=(lead,), scopes=ALL_SCOPES)
        _erase(forget(ref=ref, why=why, by=by, now=now).pk, by, now)


def forget_refusal(row: Insight, by: Member) -> str:
    """Return why `forget` would refuse this member, as the end of a sentence; "" if it would not."""
    if by.may(row.team_id, Level.LEAD):
        return ""
    if row.author_id != by.user_id or not by.may(row.team_id, Level.CONTRIBUTOR):
        return "you are not a lead of its team"
    return " and ".join(backing_of(row).reasons)


def backing_of(row: Insight) -> Backing:
    """Return what people other than its author did for an insight, read from its row and its log."""
    verbs = (*CONFIRMED_BY, *WORKED_ON_BY)
    lines = LogEntry.objects.filter(team_id=row.team_id, subject=row.ref, verb__in=verbs, user__isnull=False)
    acts = lines.exclude(user_id=row.author_id).order_by().values_list("verb", flat=True).distinct()
    return Backing(
        people=row.people - 1,
        favoured=row.favoured_at is not None,
        promoted=row.status == Status.PROMOTED,
        pinned=row.pinned,
        acts=list(acts),
    )


def erase(*, ref: str, by: Member, now: datetime) -> None:
    """Erase a forgotten insight now, without waiting. Only for superusers. Raises NotAllowed, NotFound."""
    if not by.is_superuser:
        raise NotAllowed("This requires a superuser.")
    row = Insight.objects.all().forgotten().filter(ref=ref).first()
    if row is None:
        raise NotFound(f"No forgotten insight has the reference {ref[:24]}.")
    _erase(row.pk, by, now)


def erase_forgotten(*, now: datetime) -> Work:
    """Erase what was forgotten more than 30 days ago, one row per transaction, so that a killed run keeps what it has
    done.
    """
    due = Insight.objects.all().forgotten().filter(forgotten_at__lte=now - KEPT_FOR)
    items, erased = Items("erase_forgotten"), 0
    for pk, ref in items.each(list(due.values_list("pk", "ref"))):
        with items.guard(ref):
            erased += _erase(pk, SYSTEM, now)
    return items.work({"erased": erased})


@transaction.atomic
def _erase(pk: int, by: Member, now: datetime) -> bool:
    row = Insight.objects.all().forgotten().select_for_update(no_key=True).filter(pk=pk).first()
    if row is None:
        return False
    names = row.names()
    said = Corroboration.objects.filter(Q(insight=row) | Q(unmerged_into=row) | Q(draft__ref__in=names))
    titles = list(said.values_list("title", flat=True))
    row.log_lines(titles).forget()
    _naming(row.team_id, names).update(why="")
    said.delete()
    Pair.objects.filter(Q(a=row) | Q(b=row)).delete()
    row.conflicts.all().delete()
    row.edit_proposals.all().delete()
    row.anchors.all().delete()
    row.signals.all().delete()
    # The key stays, so that the same deposit is recognised if it is sent again; the digest of its words is deleted.
    Receipt.objects.filter(insight=row).update(digest="")
    row.blank(at=now)
    row.note(verb="erased", line=f"{row.ref} erased", by=by, at=now)
    return True


def _lock_row(ref: str, by: Member) -> Insight:
    """Return the row after locking it and its team's. An insight in quarantine is found for leads only."""
    led = [team.id for team in by.teams if by.may(team.id, Level.LEAD)]
    seen = Insight.objects.visible_to(by).filter(ref=ref).first()
    seen = seen or Insight.objects.of_teams(led).quarantined().filter(ref=ref).first()
    if seen is None:
        raise NotFound
    Team.objects.select_for_update(no_key=True).get(pk=seen.team_id)
    return Insight.objects.select_for_update(no_key=True).get(pk=seen.pk)


def _require_right(row: Insight, by: Member) -> None:
    """Raise unless the member may forget it: a lead, or the author of what only the author has said."""
    by.require(row.team_id, Level.CONTRIBUTOR if row.author_id == by.user_id else Level.LEAD)
    why = forget_refusal(row, by)
    if why:
        raise OthersRelyOnIt(
            f"{row.ref} cannot be forgotten by its author alone: {why}. Ask a lead of {row.team.slug} to forget it; "
            "deposit a corrected insight that supersedes it; or report what contradicts it.",
            team_id=row.team_id,
        )


def _part(row: Insight, lexicon: Lexicon, by: Member, now: datetime) -> None:
    """Unmerge what was merged from this row into other insights, as `unmerge` would."""
    merged = Corroboration.objects.all().merged().filter(insight__team_id=row.team_id, draft__ref__in=row.names())
    for said in merged.select_related("insight"):
        kept = Insight.objects.select_for_update(no_key=True).get(pk=said.insight_id)
        kept.split_off(said, row, lexicon=lexicon, by=by, at=now)


def _stand_again(row: Insight, by: Member, now: datetime) -> None:
    """Make what this row superseded current again, because otherwise nothing would answer for it; rows that were merged
    into this one go with it.
    """
    said = row.corroborations.all().merged().values_list("draft__ref", flat=True)
    gone = Insight.objects.filter(superseded_by=row, forgotten_at__isnull=True).exclude(ref__in=filter(None, said))
    for old in gone.order_by("pk").select_for_update(no_key=True):
        old.reinstate(by=by, at=now, why=f"{row.ref} was forgotten")
        Pair.give_back(old, row, by=by, at=now)


def _naming(team_id: int, names: list[str]) -> LogQuerySet:
    """Return log lines about other insights that name this one: they may quote its words as the reason of a
    supersession or a contradiction.
    """
    named = rf"(^|[^A-Z0-9-])({'|'.join(names)})([^0-9]|$)"
    return LogEntry.objects.filter(team_id=team_id, line__regex=named)


def _admin_lines(row: Insight) -> QuerySet[AdminLine]:
    """Return the lines that the Django admin keeps of its edits, because they contain the title."""
    kind = ContentType.objects.get_for_model(Insight)
    return AdminLine.objects.filter(content_type=kind, object_id=str(row.pk))
