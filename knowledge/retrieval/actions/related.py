"""Describe how a served insight relates to others, with what people have said and decided about each pair."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from accounts.models import LogEntry
from accounts.rules.spoken_names import spoken_actor
from knowledge.judging.rules.relations import Relation
from knowledge.models import Insight, Pair, Signal
from knowledge.retrieval.actions.standings import is_confirmed
from knowledge.retrieval.rules.currency import SCOPE, Currency, Link, currency
from knowledge.rules.vocabulary import Status


@dataclass(frozen=True)
class Settlement:
    """A lead's decision about a pair, in the lead's words (not empty)."""

    by: str
    at: datetime
    words: str


@dataclass(frozen=True)
class Confirmation:
    """A person's confirmation of an insight. `by`: their name, "" if unknown."""

    by: str
    at: datetime


@dataclass(frozen=True)
class Related:
    """The other side of a pair of a served insight.

    `newer`: it was learned later. `served`: it is in the answer itself. `upheld`: a person has confirmed the older of
    the two after the newer one was stored. `reported_by`: who raised a contradiction. `decision`: a lead's decision.
    """

    insight: Insight
    link: Link
    newer: bool
    served: bool
    upheld: Confirmation | None = None
    reported_by: str = ""
    decision: Settlement | None = None

    @classmethod
    def of(cls, insight: Insight, other: Insight, link: Link, *, served: bool, words: "PairWords") -> "Related":
        newer = other.learned_at > insight.learned_at
        older, pair = upheld(insight, other), link.pair_id
        confirmed = None
        if older is not None and older.confirmed_at is not None:
            confirmed = Confirmation(words.confirmed.get(older.pk, ""), older.confirmed_at)
        return cls(other, link, newer, served, confirmed, words.reporters.get(pair, ""), words.decisions.get(pair))

    @property
    def relation(self) -> str:
        """The relation of the served insight to this one, as stated; `undetermined` if nobody has stated one."""
        if self.link.refused:
            return "superseded_by" if self.replaces else Relation.SUPERSEDES.value
        if self.link.relation is None:
            return Relation.CONTRADICTS.value if self.link.question == "contradiction" else "undetermined"
        if self.link.relation is Relation.SUPERSEDES and self.replaces:
            return "superseded_by"
        return self.link.relation.value

    @property
    def replaces(self) -> bool:
        return self.link.successor_id == self.insight.pk


@dataclass(frozen=True)
class PairWords:
    """What people said about pairs. `reporters`: by pair, who raised a contradiction. `decisions`: by pair, what a lead
    decided. `confirmed`: by insight, who confirmed it last.
    """

    reporters: Mapping[int, str] = field(default_factory=dict)
    decisions: Mapping[int, Settlement] = field(default_factory=dict)
    confirmed: Mapping[int, str] = field(default_factory=dict)


def is_told(link: Link, own_id: int) -> bool:
    """Return whether an answer mentions the pair when this side is served.

    A rejected replacement is mentioned only with the rejected note, because a confirmed note may have hundreds of them.
    """
    rejected = link.rejected and link.successor_id == own_id
    return link.open or link.refused or rejected or link.relation is Relation.COMPLEMENTS or bool(link.decided)


def currency_of(insight: Insight, links: Iterable[Link], related: Iterable[Related]) -> Currency:
    """Return whether an insight still holds.

    It is outdated if a lead kept the note that it was proposed to replace, unless it was confirmed since then or the
    other note is deprecated. A deprecated note in an open pair with one that is not deprecated is outdated too.
    """
    if insight.superseded_by_id:
        return Currency.OUTDATED
    told = list(related)
    beside = {one.link.other_id for one in told if one.link.open and one.insight.status != Status.DEPRECATED}
    if insight.status == Status.DEPRECATED:
        if beside:
            return Currency.OUTDATED
    else:
        links = [link for link in links if not link.open or (link.other_id in beside and not link.unlike)]
    kept = (one for one in told if one.link.rejected and not one.replaces and one.insight.status != Status.DEPRECATED)
    return currency(list(links), insight.pk, rejected=not is_confirmed(insight) and any(kept))


def pair_words(links_of: Mapping[int, Sequence[Link]], rows: Mapping[int, Insight]) -> PairWords:
    """Return what people said about these pairs. `links_of`: by insight, its pairs. `rows`: the insights of both sides,
    by id. Without pairs no query runs.
    """
    links = [link for some in links_of.values() for link in some]
    named = [link.pair_id for link in links if link.question == "contradiction" or link.decided]
    told = list(Pair.objects.all().told_of(named)) if named else []
    scoped = {link.pair_id for link in links if link.decided == SCOPE}
    decided = {link.pair_id for link in links if link.decided}
    return PairWords(
        reporters={pair: spoken_actor(raised) for pair, raised, *_ in told},
        decisions={
            pair: Settlement(who or "deleted user", at, scope if pair in scoped else resolution)
            for pair, _, who, at, scope, resolution in told
            if pair in decided
        },
        confirmed=_confirmed_by(
            older
            for own, some in links_of.items()
            for link in some
            if link.other_id in rows and (older := upheld(rows[own], rows[link.other_id]))
        ),
    )


def upheld(one: Insight, other: Insight) -> Insight | None:
    """Return the older of two insights if a person has confirmed it after the newer one was stored, else None."""
    older, newer = (one, other) if other.learned_at > one.learned_at else (other, one)
    return older if older.confirmed_at is not None and older.confirmed_at > newer.created_at else None


def _confirmed_by(rows: Iterable[Insight]) -> dict[int, str]:
    """Return, by insight, who confirmed it last, according to its history or its ratings."""
    found = {row.ref: row for row in rows if row.confirmed_at}
    if not found:
        return {}
    at = {row.confirmed_at for row in found.values() if row.confirmed_at}
    logged = LogEntry.objects.filter(subject__in=found, at__in=at, user__isnull=False)
    rated = Signal.objects.filter(insight__ref__in=found, at__in=at, human=True, user__isnull=False)
    names = [
        *rated.values_list("insight__ref", "at", "user__username"),
        *logged.values_list("subject", "at", "user__username"),
    ]
    return {found[ref].pk: name for ref, moment, name in names if found[ref].confirmed_at == moment}
