"""Things to begin a story with."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db import connection, transaction

from accounts.actions.tokens import issue_token
from accounts.actions.webhooks import add_webhook
from accounts.models import Webhook
from accounts.rules.refused import Refused
from accounts.rules.rights import Member, Scope
from accounts.rules.webhooks import Event
from knowledge.evidence.models import KnowledgeCluster
from knowledge.judging.actions.deduplicate import Deduplicated
from knowledge.judging.actions.deposit import _embed, _prepare, deposit_many
from knowledge.judging.actions.record import Writer
from knowledge.lifecycle.rules import decay
from knowledge.models import Conflict, EditProposal, Insight, Lexicon
from knowledge.retrieval.rules.ask import references
from knowledge.review.actions import vault_conflicts
from knowledge.review.proposals.actions.propose import propose
from knowledge.rules.draft import Draft
from knowledge.rules.vocabulary import Kind
from sessions_app.actions.annotations import annotate
from sessions_app.models import Annotation
from skills.actions import author
from skills.models import Skill, SkillUse
from skills.rules.sheet import Sheet
from tests.conftest import NOW


def make_draft(**over: Any) -> Draft:
    fields = {"kind": Kind.SOLUTION, "body": "Run the lock_timeout guard before a long ALTER, or every reader waits."}
    return Draft(**{**fields, **over})


def make_insight(by: Member, now: datetime = NOW, **over: Any) -> Insight:
    """A row of its own, whatever else says the same; `over` are fields of its draft."""
    return make_insights(by, now, over)[0]


def make_insights(by: Member, now: datetime = NOW, *overs: dict[str, Any]) -> list[Insight]:
    """Several rows, in one transaction, which costs little more than one row.

    Every second test has some. They are what `deposit_many` leaves (tests/test_factories.py compares), in half as many
    statements, unless a draft takes more than that.
    """
    drafts = [make_draft(**over) for over in overs]
    return _written(drafts, by, now) or _deposited(drafts, by, now)


def _deposited(drafts: Sequence[Draft], by: Member, now: datetime) -> list[Insight]:
    made = []
    for done in deposit_many(drafts=drafts, by=by, now=now, merging=False):
        if isinstance(done, Refused):
            raise done
        made.append(done.insight)
    return made


def _written(drafts: Sequence[Draft], by: Member, now: datetime) -> list[Insight]:
    """Rows of drafts that are stored as they stand: nobody else writes, nothing is looked for among the team's. None
    where a deposit would say or do more: of what is refused or masked, names another insight, or has no vector.
    """
    try:
        ready = dict(enumerate(_prepare(draft, by, now, decay.INITIAL, _NO_TERMS) for draft in drafts))
    except Refused:
        return []
    more = any(one.draft.relations or one.draft.idempotency_key or one.guarded.redacted for one in ready.values())
    if more or any(references(one.row.text) for one in ready.values()):
        return []
    degraded, ready = _embed(ready, {})
    teams = {one.team.id: one.team for one in ready.values()}
    if degraded or len(ready) < len(drafts) or len(teams) != 1:
        return []
    (team,) = teams.values()
    writer = Writer(team, by, now, merging=False, degraded=())
    with nullcontext() if connection.in_atomic_block else transaction.atomic():
        writer._insert(ready, dict.fromkeys(ready, Deduplicated()), Lexicon.of(team.id))
    return [one.row for one in ready.values()]


class _NoTerms(dict[int, frozenset[str]]):
    """That a team has reviewed no terms, for any team, without asking."""

    def __contains__(self, team_id: object) -> bool:
        return True

    def __missing__(self, team_id: int) -> frozenset[str]:
        return frozenset()


_NO_TERMS = _NoTerms()


def make_cluster(team_id: int, ref: str = "C1", content: str = "What was found.") -> KnowledgeCluster:
    """A cluster as a search would have kept it, without evidence."""
    moments = dict.fromkeys(("hotness_at", "created_at", "updated_at", "checked_at"), NOW)
    return KnowledgeCluster.objects.create(
        team_id=team_id, ref=ref, name=content[:200], content=content, mode="DEEP", **moments
    )


def make_conflict(row: Insight, by: Member, now: datetime = NOW, **theirs: Any) -> Conflict:
    """An edit of its page in the vault that waits; `theirs`: the fields that the file has otherwise."""
    page = f"{row.team.slug}/insights/{row.ref}"
    kept = {"page": f"{page}.md", "kept_as": f"{page}.conflict.md", "digest": "0" * 64}
    reason = "changed on both sides: body"
    said = theirs or {"body": f"{row.body} So the file says."}
    return vault_conflicts.note(team=row.team.slug, ref=row.ref, **kept, reason=reason, theirs=said, by=by, now=now)


def make_proposal(row: Insight, by: Member, now: datetime = NOW, **changes: Any) -> EditProposal:
    """A suggested edit of an insight."""
    note = changes.pop("note", "It is clearer so.")
    return propose(ref=row.ref, changes=changes or {"title": "Another title"}, note=note, by=by, now=now)[0]


def as_agent(member: Member, name: str = "agent") -> Member:
    """The person as an agent of theirs comes in: by a token of its own, which counts as one session."""
    token = issue_token(name=name, scopes=list(Scope), by=member, now=NOW).token
    return replace(member, token_id=token.pk, token_name=name)


def make_sheet(**over: Any) -> Sheet:
    fields = {
        "name": "release",
        "description": "How to release the importer safely. Use when tagging or publishing it.",
        "instructions": "1. Freeze.\n2. Run the smoke test.\n3. Tag.",
    }
    return Sheet(**{**fields, **over})


def make_skill(by: Member, now: datetime = NOW, *, live: bool = True, team: str = "platform", **over: Any) -> Skill:
    """A skill of a team, published unless told otherwise; `over` are fields of its sheet."""
    return author.create(sheet=make_sheet(**over), team=team, by=by, now=now, live=live).skill


def make_skill_use(skill: Skill, by: Member, now: datetime = NOW) -> SkillUse:
    """That a version was served to a member."""
    version = skill.served
    return SkillUse.objects.create(
        skill=skill, version=version, user_id=by.user_id, session_key=by.session_key, via="query", at=now
    )


def make_webhook(by: Member, now: datetime = NOW, *, team: str = "platform", **over: Any) -> Webhook:
    """An address that is told of a team's events."""
    fields = {"url": "https://203.0.114.7/hook", "events": list(Event), **over}
    return add_webhook(team=team, by=by, now=now, **fields).webhook


def make_annotation(by: Member, now: datetime = NOW, *, team: str = "platform", **over: Any) -> Annotation:
    """A mark on the time axis of a team's dashboard."""
    return annotate(team=team, by=by, now=now, **{"text": "Release 2.4", **over})[0]
