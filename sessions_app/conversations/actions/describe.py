"""Describe: the conversations that were found, in the form that their text needs."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from accounts.rules.rights import Member
from sessions_app.conversations.actions.candidates import ConversationQuery
from sessions_app.conversations.rules.found import FoundConversation, NamedConversation
from sessions_app.conversations.rules.score import ScoredConversation, to_the_point
from sessions_app.conversations.rules.spread import PassagePlace
from sessions_app.conversations.rules.subject import NEARLY, Exchange, is_sure, maybe_same
from sessions_app.querysets.passage_search import PassageLine

# The largest number of conversations quoted on one subject beside the best one.
MOST_ON_SUBJECT = 3
# The likelihood of a later conversation that may change the answer; the best conversation has 1. With .7 the same
# number of 46 changes is quoted.
AMENDMENT_LIKELY = 0.9


class Subject:
    """The exchanges on the question's subject, and their conversations.

    `said`: the exchange of each conversation, the best conversation's first. `whole`: sessions that are on the subject
    as a whole: the one that stands out and those like it. `sure`: sessions whose exchange shows that they are on the
    subject. `of_file`: the likeliest sessions in which a file of the question was edited or named. `named`: exchanges
    that share a rare name with the best conversation.
    """

    def __init__(
        self, said: Sequence[Exchange], whole: Sequence[int], of_file: Collection[int], named: Sequence[Exchange]
    ) -> None:
        near = [one for one in said[1:] if one.relevance >= NEARLY * said[0].relevance]
        alike = [one for one in near if one.conversation.session in whole]
        self.whole = {*whole[:1], *(one.conversation.session for one in alike)}
        # If two conversations were on the file, the later one may have changed what the earlier one decided.
        on_file = [one for one in said if one.conversation.session in of_file]
        shared = {one.conversation.session for one in named}
        by_name = [one for one in said[1:] if one.conversation.session in shared]
        first_on_file = on_file if said[:1] == on_file[:1] else []
        related = [*said[:1], *alike, *first_on_file, *by_name, *maybe_same(said, changed=bool(by_name))]
        distinct = {one.conversation.session: one for one in related}
        self.said = dict(list(distinct.items())[: MOST_ON_SUBJECT + 1])
        self.sure = {session for session, one in self.said.items() if one is said[0] or is_sure(said[0], one)}

    def along(self, best: ScoredConversation) -> set[int]:
        """Return the sessions to quote beside the best one: those on its subject, and later ones that may be on it."""
        at = self.said[best.session].said_at if best.session in self.said else None
        return self.whole | {session for session, one in self.said.items() if self.whole and at and one.said_at > at}

    def in_order(self, conversations: Sequence[ScoredConversation]) -> list[ScoredConversation]:
        """Return the conversations, those on the subject first and the latest of them at the top."""

        def place(one: ScoredConversation) -> tuple[bool, float, int]:
            said = self.said.get(one.session)
            return (said is None, -said.said_at.timestamp(), -one.session) if said else (True, 0.0, 0)

        return sorted(conversations, key=place)


def pointer(line: PassageLine, asked: ConversationQuery, by: Member) -> NamedConversation:
    """Return the conversation of a passage that is only named, with a sentence of the passage."""
    return NamedConversation(
        ref=f"S-{line.session}",
        date=f"{line.said_at:%Y-%m-%d}",
        who="you" if line.user == by.user_id else line.who,
        agent=line.agent,
        nearest=line,
        question=asked.ask.text,
        readable=line.session_team in by.team_ids,
    )


def describe(
    one: ScoredConversation,
    first: PassageLine,
    subject: Subject,
    weight: Mapping[PassagePlace, float],
    likely: Mapping[int, float],
    asked: ConversationQuery,
    by: Member,
    *,
    sure: bool,
    changed: Mapping[int, Exchange],
) -> FoundConversation:
    """Return a found conversation in the form that its text needs. `first`: its first passage that was read. `changed`:
    by session, the exchanges of later sessions that may change the answer; nothing else of these sessions is quoted.
    """
    places = {passage.position: PassagePlace(one.session, passage.position) for passage in one.passages}
    repo = first.repo if first.repo != asked.repo else ""
    branch = f"branch {first.branch}" if first.branch else ""
    said = subject.said.get(one.session)
    relevance: Mapping[int, float] = to_the_point(one, asked.vector) if one.session in likely else {}
    if amendment := changed.get(one.session):
        at = {passage.position for passage in amendment.passages}
        relevance = {position: float(position in at) for position in places}
    return FoundConversation(
        ref=f"S-{one.session}",
        date=f"{said.said_at if said else one.said_at:%Y-%m-%d}",
        who="you" if first.user == by.user_id else first.who,
        agent=first.agent,
        where=" ".join(filter(None, [repo, branch])),
        passages=one.passages,
        relevance=relevance,
        weights={position: weight.get(place, 0.0) for position, place in places.items()},
        subject=0 if said else one.session,
        readable=first.session_team in by.team_ids,
        sure=sure,
        perhaps=said is not None and one.session not in subject.sure,
        likely=likely.get(one.session, 0.0),
        is_change=amendment is not None,
    )


def describe_changes(
    ref: str,
    later: Sequence[Exchange],
    found: Sequence[FoundConversation],
    rows: Mapping[int, Sequence[PassageLine]],
    asked: ConversationQuery,
    by: Member,
) -> list[FoundConversation]:
    """Return the found conversations, those that may have changed the insight `ref` first, the latest at the top.

    `later`: what may have changed the insight; nothing else of its conversations is quoted. `rows`: by session, the
    passages that were read.
    """
    known = {one.ref: one for one in found}
    most = max((weight for one in found for weight in one.weights.values()), default=1.0) or 1.0
    likely = AMENDMENT_LIKELY if any(one.likely for one in found) else 0.0
    changes: dict[str, FoundConversation] = {}
    for said in sorted(later, key=lambda one: one.said_at, reverse=True):
        one = said.conversation
        weight = {PassagePlace(one.session, row.position): most for row in said.passages}
        told = describe(
            one,
            rows[one.session][0],
            Subject([], [], [], []),
            weight,
            {},
            asked,
            by,
            sure=found[0].sure if found else True,
            changed={one.session: said},
        )
        # One that the question found keeps its place among those on its subject, which may have changed it again.
        before = known.get(told.ref)
        changes[told.ref] = (
            replace(before, relevance=told.relevance, weights=told.weights, likely=likely, after=ref)
            if before
            else replace(told, likely=likely, after=ref, for_note=True)
        )
    first = {one.subject for one in changes.values()}
    new = [one for one in changes.values() if one.for_note]
    merged = [*new, *(changes.get(one.ref, one) for one in found)]
    return sorted(merged, key=lambda one: one.subject not in first)
