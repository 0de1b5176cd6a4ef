"""Relate: the depositing agent states how its note relates to notes near it, asked or unasked."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from accounts.models import Team
from accounts.rules.refused import NotAllowed, NotFound, Refused
from accounts.rules.rights import Level, Member
from knowledge.judging.actions import relations
from knowledge.judging.actions.record import Deposited, asked_again
from knowledge.judging.rules.dedup import DedupOutcome
from knowledge.judging.rules.relations import RelationState, Statement
from knowledge.models import Insight


class NothingStated(Refused):
    code = "invalid"
    detail = "Name at least one relation."


class NoSuchInsight(Refused):
    code = "invalid"
    detail = "A related insight was not found."


def relate(*, ref: str, statements: Sequence[Statement], by: Member, now: datetime) -> Deposited:
    """Apply what the member states about their own note, or one of their session, and others of its team.

    The same statement again changes nothing. Another one replaces what the same member stated before, unless a lead has
    settled it. Raises NotFound, NotAllowed, NothingStated, NoSuchInsight.
    """
    if not statements:
        raise NothingStated(errors={"relations": ["Name at least one."]})
    with transaction.atomic():
        row, others = _lock_both(ref, statements, by)
        applied = relations.apply(row, statements, others, by=by, at=now)
    return Deposited(
        insight=applied.insight,
        outcome=_outcome(row, applied).value,
        stripped={},
        quality=applied.insight.assess(applied.insight.anchors.count()),
        superseded=applied.superseded,
        asking=asked_again(applied),
        related=tuple(one.as_data() for one in applied.outcomes),
    )


def _lock_both(ref: str, statements: Sequence[Statement], by: Member) -> tuple[Insight, dict[str, Insight]]:
    """Return the note and the others, locked in the order of their ids, after their team's row."""
    found = Insight.objects.visible_to(by).filter(ref=ref).first()
    if found is None:
        raise NotFound
    by.require(found.team_id, Level.CONTRIBUTOR)
    Team.objects.select_for_update(no_key=True).get(pk=found.team_id)
    refs = {ref, *(one.ref for one in statements)}
    rows = Insight.objects.visible_to(by).filter(ref__in=refs, team_id=found.team_id)
    held = {row.ref: row for row in rows.order_by("pk").select_for_update(no_key=True, of=("self",))}
    row = held.pop(ref)
    in_session = bool(by.session_key) and row.session_key == by.session_key
    if row.author_id != by.user_id and not in_session:
        # Only leads relate notes of others: they have pages and verbs for it.
        words = "You can relate only your own insights. Report a contradiction between others'; a lead resolves it."
        raise NotAllowed(words, team_id=found.team_id)
    for at, one in enumerate(statements):
        if one.ref not in held:
            why = "This is the same insight." if one.ref == ref else f"There is no insight {one.ref[:24]} in its team."
            raise NoSuchInsight(errors={f"relations.{at}.ref": [why]})
    return row, held


def _outcome(row: Insight, applied: relations.Applied) -> DedupOutcome:
    if applied.insight.pk != row.pk:
        return DedupOutcome.MERGED
    if applied.superseded:
        return DedupOutcome.SUPERSEDING
    if applied.proposed:
        return DedupOutcome.PROPOSED
    return (
        DedupOutcome.QUEUED
        if any(one.state is RelationState.OPEN for one in applied.outcomes)
        else DedupOutcome.INSERTED
    )
