"""Quote: make an insight from passages of a conversation, linked back to them.

Passages of others go only to the team that they are shared with; a member's own go to any team that the member writes
in.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from accounts.rules.refused import NotAllowed, Refused
from accounts.rules.rights import Level, Member, TeamAccess, team_for_write
from knowledge.judging.actions.deposit import Deposited, deposit
from knowledge.models import Insight
from knowledge.rules.draft import Draft, derive_title
from knowledge.rules.vocabulary import Kind, Source
from sessions_app.conversations.actions.show import may_quote
from sessions_app.conversations.rules.sentences import sentences
from sessions_app.models import AgentSession, Passage, Quotation
from sessions_app.transcripts.rules.speakers import Speaker

# The largest number of passages in one selection; more are no single insight.
MOST_CHOSEN = 20
MOST_FILES = 20


class NothingChosen(Refused):
    code = "invalid"
    detail = "Select the passages to quote."


class OfSeveralTeams(Refused):
    code = "invalid"
    detail = "These passages are shared with different teams. Select passages of one team."


@dataclass(frozen=True)
class Selection:
    """Passages of one session that the member may quote, and the teams that an insight made of them can go to."""

    session: AgentSession
    passages: Sequence[Passage]
    teams: Sequence[TeamAccess]

    @property
    def body(self) -> str:
        """The statements of the passages, without code and questions, so that little is left to edit."""
        return "\n\n".join(filter(None, (statements(row) for row in self.passages)))

    @property
    def title(self) -> str:
        return derive_title(self.body)

    def draft(self, *, kind: Kind, title: str, body: str, reasoning: str, team: str) -> Draft:
        """Return the deposit made from the passages."""
        files = dict.fromkeys(path for row in self.passages for path in row.files)
        return Draft(
            kind=kind,
            title=title,
            body=body,
            reasoning=reasoning,
            team=team,
            repo=self.session.repo,
            files=list(files)[:MOST_FILES],
            source_type=Source.HUMAN,
            source_date=max(row.said_at for row in self.passages),
        )


def select(*, session: AgentSession, positions: Sequence[int], by: Member) -> Selection:
    """Return the passages at these positions that the member may quote. Raises NothingChosen, OfSeveralTeams."""
    rows = Passage.objects.visible_to(by).of_session(session.pk).filter(position__in=positions[:MOST_CHOSEN])
    chosen = [row for row in rows.defer("embedding", "lexemes", "bm25").select_related("user") if may_quote(row, by)]
    if not chosen:
        raise NothingChosen(errors={"passage": ["Select the passages to quote."]})
    theirs = {row.team_id for row in chosen if row.user_id != by.user_id}
    if len(theirs) > 1:
        raise OfSeveralTeams
    writable = [team for team in by.teams if by.may(team.id, Level.CONTRIBUTOR)]
    # The team that the conversation is shared with comes first.
    shared = {row.team_id for row in chosen}
    teams = [team for team in writable if not theirs or team.id in theirs]
    return Selection(session, chosen, sorted(teams, key=lambda team: team.id not in shared))


def quote(*, selection: Selection, draft: Draft, by: Member, now: datetime) -> Deposited:
    """Deposit an insight made from a selection, and link it to its passages. Raises NotAllowed if they may not be
    quoted, or not into that team, and what `deposit` raises.
    """
    team = team_for_write(by, draft.team)
    for row in selection.passages:
        if not may_quote(row, by) or (row.user_id != by.user_id and row.team_id != team.id):
            raise NotAllowed
    done = deposit(draft=draft, by=by, now=now)
    link(insight=done.insight, passages=selection.passages, now=now, by=by)
    return done


def link(
    *, insight: Insight, passages: Sequence[Passage], now: datetime, by: Member | None, proposed: bool = False
) -> None:
    """Store that an insight quotes these passages, if they still exist. A second call changes nothing."""
    with transaction.atomic():
        kept = Passage.objects.select_for_update(no_key=True).filter(pk__in=[row.pk for row in passages])
        Quotation.objects.bulk_create(
            [
                Quotation(
                    insight=insight,
                    session_id=row.session_id,
                    passage=row,
                    user_id=by.user_id if by else None,
                    proposed=proposed,
                    at=now,
                )
                for row in kept.only("pk", "session_id").order_by("position")
            ],
            ignore_conflicts=True,
        )


def statements(passage: Passage) -> str:
    """Return the sentences of a passage that state something; the whole passage if none does."""
    found = sentences(passage.position, Speaker(passage.speaker), passage.text)
    stated = [one.text for one in found if not (one.asks or one.code or one.text.startswith("["))]
    return " ".join(stated) or passage.text
