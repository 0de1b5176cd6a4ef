"""Successions: which notes a note may replace, and what it takes over from the replaced one: the proposals of that note
to replace others, and replacements that nobody has reviewed. The replaced note gets both back if it is restored
(`Pair.give_back`). Also how the author of a draft that a colleague's agent has replaced restores it.
"""

from datetime import datetime, timedelta

from django.db.models import Q

from accounts.models import LogEntry
from accounts.rules.rights import Level, Member, TeamKind
from knowledge.judging.rules.dedup import Neighbour, may_displace
from knowledge.judging.rules.relations import CAUTIONS, Cue, Reason, Relation, Verdict
from knowledge.models import Insight, Pair
from knowledge.models.merging import stand_again
from knowledge.rules.vocabulary import Status

# The number of supersessions of others' notes that one member's agents may apply in a day. An agent that keeps notes up
# to date replaces a few; a manipulated one would replace them all.
MOST_A_DAY = 10
DAY = timedelta(days=1)


def may_supersede(old: Insight, by: Member, at: datetime) -> tuple[bool, Reason]:
    """Return whether an agent of the member may supersede this note by another, and if not, why it is only proposed."""
    neighbour = Neighbour(
        ref=old.ref,
        similarity=0.0,
        status=Status(old.status),
        pinned=old.pinned,
        author_id=old.author_id,
        by_person=old.by_person,
    )
    if old.needs_reviewer or not may_displace(by.user_id or None, neighbour):
        return False, Reason.PROTECTED
    if not by.user_id or old.author_id == by.user_id:
        return True, Reason.STATED
    # Colleagues keep each other's drafts up to date, but anyone with an account contributes to this team.
    team = by.access(old.team_id)
    if team is not None and team.kind is TeamKind.EVERYONE:
        return False, Reason.OF_EVERYONE
    if was_put_back(old):
        return False, Reason.PUT_BACK
    # Superseding it would also remove a proposal that a lead was to decide on.
    if Pair.objects.all().instead_of_confirmed(old):
        return False, Reason.PENDING
    if Pair.objects.all().superseded_by_agents_of(by.user_id, since=at - DAY).count() >= MOST_A_DAY:
        return False, Reason.DAILY_LIMIT
    return True, Reason.STATED


# The longest chain of replacements that is followed.
LONGEST_CHAIN = 10
# Relations to a replaced note that hold for its successor too. A note that repeats or contradicts the outdated one need
# not repeat or contradict its successor.
OF_SUCCESSORS = (Relation.SUPERSEDES, Relation.COMPLEMENTS, Relation.UNRELATED)


def standing_for(gone: Insight, row: Insight, relation: Relation, *, by: Member) -> Insight | None:
    """The current successor of `gone`, to which a stated relation of `row` applies, locked like it. None if `gone` is
    current itself, the relation does not carry over, or something has been stated about the two before.
    """
    heir, replaced = gone, False
    for _ in range(LONGEST_CHAIN):
        if heir.superseded_by_id in (None, row.pk):
            break
        found = Insight.objects.visible_to(by).filter(pk=heir.superseded_by_id, team_id=row.team_id)
        later = found.select_for_update(no_key=True, of=("self",)).first()
        if later is None:
            return None
        replaced |= not later.corroborations.all().merged().filter(draft__ref=heir.ref).exists()
        heir = later
    stands = heir.is_current or heir.superseded_by_id == row.pk
    if heir.pk in (gone.pk, row.pk) or not stands or not heir.shown or (replaced and relation not in OF_SUCCESSORS):
        return None
    return None if Pair.objects.all().of_both(gone.pk, row.pk).exists() else heir


def take_over(successor: Insight, gone: Insight, verdict: Verdict, *, by: Member, at: datetime) -> None:
    """Carry over to `successor` what is pending about `gone`: open proposals to replace other notes, and replacements
    of confirmed notes that no lead has reviewed. The caller holds both rows; one has just replaced the other, by
    `verdict`.
    """
    _take_over_proposals(successor, gone, verdict.judge, by, at)
    _take_over_unreviewed(successor, gone, verdict, by, at)


def _take_over_proposals(successor: Insight, gone: Insight, judge: str, by: Member, at: datetime) -> None:
    """Propose that `successor` replaces the notes that the replaced note was proposed to replace."""
    opened = Pair.objects.open().filter(Q(a=gone, successor_side="a") | Q(b=gone, successor_side="b"))
    for proposal in opened.exclude(Q(a=successor) | Q(b=successor)).select_related("a", "b"):
        old = proposal.b if proposal.successor_side == "a" else proposal.a
        proposal.close(Relation.SUPERSEDES, by=by, at=at)
        similarity = proposal.similarity or 0.0
        verdict = Verdict(Relation.SUPERSEDES, judge, similarity, *_caution(proposal), taken_from=gone.ref)
        taken = Pair.succession(old, successor, verdict, by=by, at=at, reason=proposal.reason)
        taken.propose(by=by, at=at)


def _caution(proposal: Pair) -> tuple[Reason, tuple[Cue, ...], str, int]:
    """Return the reasons to look twice, carried over to the successor."""
    reason = proposal.verdict.get("reason")
    return Reason(reason) if reason in CAUTIONS else Reason.STATED, (), "", proposal.verdict.get("rejected", 0)


def _take_over_unreviewed(successor: Insight, gone: Insight, verdict: Verdict, by: Member, at: datetime) -> None:
    """Mark `successor` too as an unreviewed replacement of a confirmed note: two steps would hide it."""
    for done in Pair.objects.all().agents_successions_to(gone):
        confirmed = done.b if done.successor_side == "a" else done.a
        taken = Pair.succession(confirmed, successor, verdict, by=by, at=at)
        taken.close(Relation.SUPERSEDES, by=by, at=at, logged=False)


def replaced_by_others(row: Insight, by: Member) -> Pair | None:
    """Return the pair by which somebody else's agent has replaced the member's own note, if no lead has decided on it;
    otherwise None. With it the member may restore the note (`put_back`).
    """
    if row.superseded_by_id is None or row.author_id != by.user_id or not by.may(row.team_id, Level.CONTRIBUTOR):
        return None
    said = Pair.objects.all().of_both(row.pk, row.superseded_by_id).filter(question=Pair.Question.SUPERSESSION)
    pair = said.filter(state=Pair.State.RESOLVED, settled_by_lead=False).select_related("a", "b").first()
    theirs = pair is not None and pair.successor_id == row.superseded_by_id and pair.settled_by_id != by.user_id
    return pair if theirs else None


def put_back(row: Insight, pair: Pair, *, by: Member, at: datetime, why: str) -> None:
    """Restore a replaced note for its author: the other one is proposed to replace it, and a lead decides. The caller
    holds the note, and has the pair from `replaced_by_others`.
    """
    stand_again(row, by=by, at=at, why=why)
    pair.reopen(by=by, at=at, by_lead=False)
    pair.read_mentions(by=by, at=at)


def was_put_back(row: Insight) -> bool:
    """Return whether its author has restored the note after it was replaced: from then on a lead decides."""
    if row.author_id is None:
        return False
    return LogEntry.objects.filter(subject=row.ref, verb="reinstated", user_id=row.author_id).exists()
