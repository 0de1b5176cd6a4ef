"""Coach: one explanation beside an answer, as long as it is new to the member."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from accounts.adapters.replica import primary
from accounts.rules.rights import Member
from accounts.rules.settings import Machinery
from accounts.statements import MEMBER_PARAM, BindParam, prepared
from knowledge.models import Insight, Signal
from knowledge.rules.vocabulary import Source
from sessions_app.answers.rules.calls import Interface
from sessions_app.answers.rules.coaching import AT, MOST_TOKENS, CoachingMoment, Concept, next_concept, words_for
from sessions_app.answers.rules.packing import tokens
from sessions_app.models import Coached


def coach(
    *, moment: CoachingMoment, by: Member, now: datetime, via: Interface = Interface.REST, room: int = MOST_TOKENS
) -> str:
    """Return the explanation for the member at this moment, within `room` tokens; "" if there is nothing new (one
    statement) or they want no explanations (none). It is counted as shown: the caller puts it into the text.
    """
    if by.machinery == Machinery.SILENT:
        return ""
    done = {concept: rows for concept, rows in DONE.items() if concept in AT[moment]}
    statement = prepared(("coached", moment), lambda: _rows(moment, done))
    rows = {Concept(row.concept): row for row in statement.visible_to(by, user_id=by.user_id)}
    told = {concept: row.told for concept, row in rows.items()}
    known = {concept for concept, row in rows.items() if row.known_at}
    # The calls of a handoff need a session.
    known |= set() if by.session else {Concept.HANDOFFS}
    while (concept := next_concept(moment, told, known)) is not None:
        row = rows.get(concept)
        if not (row.done if row else concept in done and done[concept](by).exists()):
            return _tell(concept, row, by, now, via, room)
        known.add(concept)
        _note(concept, by, now)
    return ""


def _rows(moment: CoachingMoment, done: Mapping[Concept, Callable[[Member], QuerySet[Any]]]) -> QuerySet[Any]:
    """Return the statement for what was explained to a member at a moment like this, and what they do."""
    return Coached.objects.all().of(
        BindParam("user_id"), list(AT[moment]), {c: rows(MEMBER_PARAM) for c, rows in done.items()}
    )


def _tell(concept: Concept, row: Coached | None, by: Member, now: datetime, via: Interface, room: int) -> str:
    """Count the explanation and return it, if it fits; of two concurrent answers only one has it."""
    words = words_for(concept, row.told if row else 0, by.machinery, via)
    if tokens(words) > room:
        return ""
    if row is None:
        new = Coached(user_id=by.user_id, team_id=by.home_id, concept=concept, told=1, told_at=now)
        with primary():
            Coached.objects.bulk_create([new], ignore_conflicts=True)
        return words
    with primary():
        return words if row.tell(at=now) else ""


def _note(concept: Concept, by: Member, now: datetime) -> None:
    """Store that the member knows the concept, for good."""
    found = {"user_id": by.user_id, "concept": concept}
    fresh = {"team_id": by.home_id, "known_at": now}
    with primary():
        Coached.objects.update_or_create(**found, defaults={"known_at": now}, create_defaults=fresh)


# The rows that show that a member has done it, and so knows it.
DONE: Mapping[Concept, Callable[[Member], QuerySet[Any]]] = {
    Concept.RATING: lambda by: Signal.objects.filter(user_id=by.user_id).ratings(),
    Concept.DEPOSITING: lambda by: Insight.objects.filter(author_id=by.user_id, source_type=Source.AGENT),
}
