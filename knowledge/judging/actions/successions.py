"""What a note takes over from the one it replaces: what that was proposed to replace, and what nobody has reviewed."""

from datetime import datetime

from django.db.models import Q

from accounts.rules.rights import Member
from knowledge.judging.rules.relations import CAUTIONS, Cue, Reason, Relation, Verdict
from knowledge.models import Insight, Pair


def take_over(successor: Insight, gone: Insight, verdict: Verdict, *, by: Member, at: datetime) -> None:
    """Let what was open about `gone` be about `successor`. The caller holds both, of which one has just replaced the
    other, by `verdict`.
    """
    _take_over_proposals(successor, gone, verdict.judge, by, at)
    _take_over_unreviewed(successor, gone, verdict, by, at)


def _take_over_proposals(successor: Insight, gone: Insight, judge: str, by: Member, at: datetime) -> None:
    """What the replaced note was proposed to replace, this one is proposed to replace in its place."""
    opened = Pair.objects.open().filter(Q(a=gone, successor_side="a") | Q(b=gone, successor_side="b"))
    for proposal in opened.exclude(Q(a=successor) | Q(b=successor)).select_related("a", "b"):
        old = proposal.b if proposal.successor_side == "a" else proposal.a
        proposal.close(Relation.SUPERSEDES, by=by, at=at)
        verdict = Verdict(Relation.SUPERSEDES, judge, proposal.similarity or 0.0, *_caution(proposal))
        taken = Pair.succession(old, successor, verdict, by=by, at=at, reason=proposal.reason)
        taken.propose(by=by, at=at)


def _caution(proposal: Pair) -> tuple[Reason, tuple[Cue, ...], str, int]:
    """What was to be looked at twice before is so in the other's place."""
    reason = proposal.verdict.get("reason")
    return Reason(reason) if reason in CAUTIONS else Reason.STATED, (), "", proposal.verdict.get("rejected", 0)


def _take_over_unreviewed(successor: Insight, gone: Insight, verdict: Verdict, by: Member, at: datetime) -> None:
    """That no lead has reviewed what replaced a confirmed note is said of this one too: two steps would hide it."""
    for done in Pair.objects.all().agents_successions_to(gone):
        confirmed = done.b if done.successor_side == "a" else done.a
        taken = Pair.succession(confirmed, successor, verdict, by=by, at=at)
        taken.close(Relation.SUPERSEDES, by=by, at=at, logged=False)
