"""Propose: a passage that answered several people becomes a draft for a lead to decide on, with its quotation.

Only a passage that states a decision is proposed. It is deposited as its speaker's, like any deposit, so an insight
that exists already is corroborated instead. Until a lead has decided on it, answers quote the passage and not the
draft. An undecided draft is erased when the team can no longer read its passage.
"""

from dataclasses import replace
from datetime import datetime

from accounts.actions.jobs import Items, Work
from accounts.actions.members import member_of
from accounts.rules.refused import Refused
from accounts.rules.rights import Level, Member, TeamKind
from knowledge.judging.actions.deposit import Deposited, deposit, deposit_many, preview
from knowledge.rules.draft import Draft, derive_title
from knowledge.rules.vocabulary import Kind, Source
from sessions_app.conversations.actions.quote import link
from sessions_app.conversations.actions.withdraw import undecided, withdraw
from sessions_app.conversations.rules.marks import decided_in
from sessions_app.conversations.rules.statement import PEOPLE, TIMES, decided_statement
from sessions_app.models import Passage, ServedPassage
from sessions_app.transcripts.rules.speakers import Speaker


def propose_passages(*, now: datetime) -> Work:
    """Deposit the passages that helped often enough, and withdraw proposals whose passage is gone."""
    items = Items("propose_passages")
    withdrawn = _withdraw(items, now)
    often = ServedPassage.objects.all().often_useful(TIMES, PEOPLE)
    rows = Passage.objects.filter(pk__in=often, quotations__isnull=True).exclude(team__kind=TeamKind.PERSONAL)
    done = 0
    for passage in items.each(rows.select_related("user", "team", "session").order_by("pk")):
        with items.guard(f"passage {passage.pk}"):
            done += _propose(passage, now)
    return items.work({"proposed": done, "withdrawn": withdrawn})


def _propose(passage: Passage, now: datetime) -> bool:
    decided = decided_in([(passage.position, passage.text)], passage.session.digest.get("decisions", ()))
    if any(decided.values()):
        return False  # what was decided in it is a draft already, made when the session ended
    beside = Passage.objects.all().of_session(passage.session_id).defer("embedding", "lexemes", "bm25")
    before = beside.filter(position__lt=passage.position).last()
    after = beside.filter(position__gt=passage.position).first()
    body = decided_statement(passage, before=before, after=after)
    speaker = member_of(user=passage.user, only=frozenset({passage.team_id}), token_name="proposed")
    if not body or not speaker.may(passage.team_id, Level.CONTRIBUTOR):
        return False
    draft = Draft(
        kind=Kind.CONTEXT,
        title=derive_title(body),
        body=body,
        files=passage.files,
        repo=passage.repo,
        team=passage.team.slug,
        source_type=Source.SAID if passage.speaker == Speaker.USER else Source.TRANSCRIPT,
        source_date=passage.said_at,
        idempotency_key=f"served:{passage.pk}",
    )
    try:
        done = _deposit(draft, by=replace(speaker, session=passage.session.key), now=now)
    except Refused:
        return False
    proposed = done.outcome != "merged"
    link(insight=done.insight, passages=[passage], now=now, by=None, proposed=proposed)
    return proposed


def _deposit(draft: Draft, *, by: Member, now: datetime) -> Deposited:
    """Deposit a proposal. If it repeats an insight, it corroborates that one. Otherwise it becomes a row of its own
    that supersedes and contradicts nothing until a lead has looked at it.
    """
    if preview(draft=draft, by=by, now=now).merge_into:
        return deposit(draft=draft, by=by, now=now)
    done = deposit_many(drafts=[draft], by=by, now=now, merging=False)[0]
    if isinstance(done, Refused):
        raise done
    return done


def _withdraw(items: Items, now: datetime) -> int:
    """Erase the proposals whose passage the team can no longer read; return how many."""
    gone = 0
    for row in items.each(list({row.pk: row for row in undecided()}.values())):
        with items.guard(row.ref):
            gone += withdraw(row, now=now)
    return gone
