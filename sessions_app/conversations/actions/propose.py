"""Propose: a passage that answered several people becomes a draft for a lead to decide on, with its quotation.

The one write path deposits it, as its speaker's: what the team knows already is corroborated instead. A proposal that
nobody has decided on goes as soon as its passage is not the team's any more.
"""

from dataclasses import replace
from datetime import datetime

from accounts.actions.jobs import Items, Work
from accounts.actions.members import member_of
from accounts.models import Team
from accounts.rules.refused import Refused
from accounts.rules.rights import ALL_SCOPES, SYSTEM, Level, Member, TeamAccess, TeamKind
from knowledge.judging.actions.deposit import deposit
from knowledge.models import Insight
from knowledge.review.actions.forget import forget
from knowledge.rules.draft import Draft, derive_title
from knowledge.rules.vocabulary import Kind, Source
from sessions_app.conversations.actions.quote import link, statements
from sessions_app.conversations.rules.choose import refused
from sessions_app.conversations.rules.marks import decided_in
from sessions_app.conversations.rules.sentences import sentences
from sessions_app.conversations.rules.useful import FEWEST_WORDS, PEOPLE, TIMES
from sessions_app.models import Passage, Quotation, ServedPassage
from sessions_app.transcripts.rules.speakers import Speaker

WITHDRAWN = "Its conversation is no longer shared with the team."


def propose_passages(*, now: datetime) -> Work:
    """Deposit what answered often enough, and take back proposals whose passage is gone."""
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
    said = list(Passage.objects.all().of_session(passage.session_id).filter(position__gte=passage.position)[:2])
    if refused(said) or sentences(passage.position, Speaker(passage.speaker), passage.text)[-1].asks:
        return False  # it was turned down, or asks rather than answers
    body = statements(passage)
    speaker = member_of(user=passage.user, only=frozenset({passage.team_id}), token_name="proposed")
    if len(body.split()) < FEWEST_WORDS or not speaker.may(passage.team_id, Level.CONTRIBUTOR):
        return False
    draft = Draft(
        kind=Kind.CONTEXT,
        title=derive_title(body),
        body=body,
        files=passage.files,
        repo=passage.repo,
        team=passage.team.slug,
        source_type=Source.TRANSCRIPT,
        source_date=passage.said_at,
        idempotency_key=f"served:{passage.pk}",
    )
    try:
        done = deposit(draft=draft, by=replace(speaker, session=passage.session.key), now=now)
    except Refused:
        return False
    proposed = done.outcome != "merged"
    link(insight=done.insight, passages=[passage], now=now, by=None, proposed=proposed)
    return proposed


def _withdraw(items: Items, now: datetime) -> int:
    """Forget the proposals whose passage the team does not read any more. What a person has edited, moved or decided on
    is theirs, and stays.
    """
    untouched = Insight.objects.all().retrievable().proposed().filter(revision=1)
    undecided = {row.pk: row for row in untouched.select_related("team")}
    gone = 0
    for row in items.each(undecided.values()):
        with items.guard(row.ref):
            quotations = Quotation.objects.filter(insight=row, passage__team_id=row.team_id)
            if not quotations.exists():
                forget(ref=row.ref, why=WITHDRAWN, by=_lead_of(row.team), now=now)
                gone += 1
    return gone


def _lead_of(team: Team) -> Member:
    """The sweep as a lead of that team: who proposed may take back."""
    access = TeamAccess(team.pk, team.slug, team.name, team.prefix, TeamKind(team.kind), Level.LEAD)
    return replace(SYSTEM, teams=(access,), scopes=ALL_SCOPES)
