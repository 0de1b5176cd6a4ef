"""Coach: one explanation beside an answer, as long as it is new to the member."""

from collections.abc import Callable, Mapping
from datetime import datetime

from django.db import transaction

from accounts.rules.rights import Member
from knowledge.models import Insight, Signal
from sessions_app.models import Coached
from sessions_app.rules.coaching import AT, UNTIL, Concept, Moment, next_concept, words_for


def coach(*, moment: Moment, by: Member, now: datetime) -> str:
    """What to tell the member at this moment; "" for whom there is nothing new, for one statement."""
    rows = {Concept(row.concept): row for row in Coached.objects.all().of(by.user_id, list(AT[moment]))}
    told = {concept: row.told for concept, row in rows.items()}
    known = {concept for concept, row in rows.items() if row.known_at}
    while (concept := next_concept(moment, told, known)) is not None:
        if _knows(concept, by):
            known.add(concept)
            _row(concept, by).know(at=now)
        else:
            return _tell(concept, by, now)
    return ""


def _tell(concept: Concept, by: Member, now: datetime) -> str:
    with transaction.atomic():
        row = Coached.objects.select_for_update().get(pk=_row(concept, by).pk)
        return words_for(concept, row.tell(at=now)) if row.told < UNTIL else ""


def _row(concept: Concept, by: Member) -> Coached:
    row, _ = Coached.objects.get_or_create(user_id=by.user_id, concept=concept, defaults={"team_id": by.home_id})
    return row


# Who has done it, knows it. Asked only as long as the concept is still told of: five times at most.
DONE: Mapping[Concept, Callable[[Member], bool]] = {
    Concept.RATING: lambda by: Signal.objects.filter(user_id=by.user_id).ratings().exists(),
    Concept.DEPOSITING: lambda by: Insight.objects.filter(author_id=by.user_id, source_type="agent").exists(),
}


def _knows(concept: Concept, by: Member) -> bool:
    return concept in DONE and DONE[concept](by)
