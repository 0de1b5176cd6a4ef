"""The text of conversations for a model: what was said, by whom and when, in the words of those who said it.

Where one conversation stands out, the sentences that carry what was decided in it are told, and in what room they
leave the passages nearest to the question; where none does, those passages alone, of whichever conversation.

Each conversation has a head with its date, whose it was, where, and that nobody has reviewed it; then its sentences,
those of one speaker on one line; then the call that reads more of it. Of conversations on one subject the latest comes
first and says so. It is data, as all that agents and people wrote: it stands within the fence, and is inert.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from accounts.rules.fence import inert, inert_line
from sessions_app.answers.rules import calls
from sessions_app.answers.rules.calls import Interface
from sessions_app.conversations.rules.choose import choose
from sessions_app.conversations.rules.score import ScoredPassage
from sessions_app.conversations.rules.sentences import PassageSentence, sentences
from sessions_app.conversations.rules.spread import PassagePlace, fitting
from sessions_app.transcripts.rules.speakers import Speaker

# Stands where sentences of one speaker were left out between two.
GAP = " … "
# With less room a conversation says nothing that helps.
LEAST_ROOM = 160
# What a line takes beside its words: who speaks.
LINE = 8
# Sentences carry what was decided, but the one fact that is asked for may be in none of them, or in another
# conversation. So beyond FIRST characters sentences have this share of the room, and the nearest passages the rest.
FIRST, SENTENCES_SHARE = 1_400, 0.6
# What is only likely to change the next one takes less of the room than it would by its number.
LIKELY_SHARE = 0.6


@dataclass(frozen=True)
class FoundConversation:
    """A conversation that may be told. `relevance`: how near each passage is to the point, 0 to 1, by its
    position (`score.to_the_point`); `weights`: what it has to do with the question (`spread.weights`).

    `changed_by`: the reference of a later one on the same subject, "" if there is none; `changes`: of the next earlier
    one. `where`: its repository and branch as far as they are not the asker's. `readable`: whether the asker may read
    its session. `subject`: the same number for those on one subject. `sure`: it would be told unasked, too.
    `perhaps`: it is likely, and not certain, that it is on the subject of the other one with the same number.
    """

    ref: str
    date: str
    who: str
    agent: str
    where: str
    passages: Sequence[ScoredPassage]
    relevance: Mapping[int, float]
    weights: Mapping[int, float] = field(default_factory=dict)
    subject: int = 0
    changed_by: str = ""
    changes: str = ""
    readable: bool = True
    sure: bool = True
    perhaps: bool = False

    @property
    def is_aside(self) -> bool:
        """Whether it gets only the room that others leave: an earlier one that is perhaps on the subject."""
        return self.perhaps and bool(self.changed_by)

    @property
    def has_answer(self) -> bool:
        """Whether an agent says anything in it: a prompt by itself tells nobody what came of it."""
        return any(one.speaker == Speaker.AGENT for one in self.passages)


@dataclass(frozen=True)
class Excerpt:
    """One conversation as it is told; `has_pointer`: with the call that reads more of it."""

    found: FoundConversation
    sentences: Sequence[PassageSentence]
    text: str
    has_pointer: bool = False

    @property
    def passage_ids(self) -> list[int]:
        """The passages that a sentence was told of."""
        told = {one.position for one in self.sentences}
        return [one.pk for one in self.found.passages if one.position in told]


def tell(conversations: Sequence[FoundConversation], question: str, room: int, via: Interface) -> list[Excerpt]:
    """What stands out within `room` characters: the sentences of the conversations on the subject of the first, which
    share their room, for what a later one changes and what stays are both needed; then the nearest passages.
    """
    told: list[Excerpt] = []
    subject = conversations[0].subject if conversations else 0
    first = [one for one in conversations if one.subject == subject and not one.is_aside]
    left = min(room, max(FIRST, int(room * SENTENCES_SHARE)))
    for number, one in enumerate(first):
        part = left // (len(first) - number)
        done = _write_excerpt(one, question, int(part * LIKELY_SHARE) if one.perhaps else part, via)
        if done:
            told.append(done)
            left -= len(done.text)
            room -= len(done.text)
    return _with_nearest(told, conversations, room, via) if told else []


def _write_excerpt(one: FoundConversation, question: str, room: int, via: Interface) -> Excerpt | None:
    head, more = _head(one), _more(one, via)
    left = room - len(head) - len(more)
    if left < LEAST_ROOM:
        more, left = "", room - len(head)
    if left < LEAST_ROOM:
        return None
    chosen = choose(one.passages, question, left, one.relevance)
    return Excerpt(one, chosen, f"{head}{lines(chosen)}{more}", has_pointer=bool(more)) if chosen else None


def _with_nearest(
    told: Sequence[Excerpt], conversations: Sequence[FoundConversation], room: int, via: Interface
) -> list[Excerpt]:
    """What was told with the nearest passages, as far as they are not told yet, within `room` more characters."""
    refs = {one.found.ref for one in told}
    ordered = [one.found for one in told] + [one for one in conversations if one.ref not in refs]
    places, weight = _places(ordered), _weights(ordered)
    said = {(number, one.place): len(one.text) for number, each in enumerate(told) for one in each.sentences}
    costs = {place: LINE + len(one.text) for place, one in places.items()}
    for (number, (position, _)), length in said.items():
        costs[PassagePlace(number, position)] -= length
    heads = {number: len(_head(one)) if number >= len(told) else 0 for number, one in enumerate(ordered)}
    kept = fitting(costs, heads, _ranked(places, weight), room)
    added = _sentences_of([place for place in kept if costs[place] > LINE], places)
    done: list[Excerpt] = []
    for number, one in enumerate(ordered):
        before = told[number] if number < len(told) else Excerpt(one, [], "")
        all_said = {sentence.place: sentence for sentence in (*before.sentences, *added.get(number, ()))}
        chosen = [all_said[place] for place in sorted(all_said)]
        more = _more(one, via) if before.has_pointer else ""
        done += [replace(before, sentences=chosen, text=f"{_head(one)}{lines(chosen)}{more}")] if chosen else []
    return done


def tell_passages(conversations: Sequence[FoundConversation], room: int, via: Interface) -> list[Excerpt]:
    """The passages with the greatest weights, of whichever conversation, within `room` characters.

    The conversation of the best passage comes first, but for a later one on its subject, of which the best passage is
    told too: who reads that something was changed must see how. The passages of each are in their order.
    """
    places, weight = _places(conversations), _weights(conversations)
    ranked = _with_latest(_ranked(places, weight), conversations)
    costs = {place: len(passage.text) + LINE for place, passage in places.items()}
    heads = {number: len(_head(one)) for number, one in enumerate(conversations)}
    more = _more(conversations[ranked[0].session], via) if ranked else ""
    if ranked and costs[ranked[0]] + heads[ranked[0].session] + len(more) > room:
        more = ""  # the best passage goes before the pointer
    told: list[Excerpt] = []
    chosen_of = _sentences_of(fitting(costs, heads, ranked, room - len(more)), places)
    for number in _latest_first(list(chosen_of), conversations):
        one, chosen = conversations[number], chosen_of[number]
        text = f"{_head(one)}{lines(chosen)}{'' if told else more}"
        told.append(Excerpt(one, chosen, text, has_pointer=bool(more) and not told))
    return told


def _with_latest(ranked: list[PassagePlace], conversations: Sequence[FoundConversation]) -> list[PassagePlace]:
    """The places with the best one of the latest conversation on the subject of the first place second."""
    if not ranked or not (ref := conversations[ranked[0].session].changed_by):
        return ranked
    best = next((place for place in ranked if conversations[place.session].ref == ref), None)
    return ranked if best is None else [ranked[0], best, *(place for place in ranked[1:] if place != best)]


def _latest_first(numbers: Sequence[int], conversations: Sequence[FoundConversation]) -> list[int]:
    """The numbers of conversations by the first of their subject, those of a subject in the order they were found in,
    which is the latest first.
    """
    place = {subject: at for at, subject in reversed([*enumerate(conversations[n].subject for n in numbers)])}
    return sorted(numbers, key=lambda number: (place[conversations[number].subject], number))


def _places(conversations: Sequence[FoundConversation]) -> dict[PassagePlace, ScoredPassage]:
    """The passages by their places; `session` of a place is the number of its conversation."""
    return {
        PassagePlace(number, passage.position): passage
        for number, one in enumerate(conversations)
        for passage in one.passages
    }


def _weights(conversations: Sequence[FoundConversation]) -> dict[PassagePlace, float]:
    return {place: conversations[place.session].weights.get(place.position, 0.0) for place in _places(conversations)}


def _ranked(places: Iterable[PassagePlace], weight: Mapping[PassagePlace, float]) -> list[PassagePlace]:
    return sorted(places, key=lambda place: (-weight[place], place))


def _sentences_of(
    kept: Sequence[PassagePlace], places: Mapping[PassagePlace, ScoredPassage]
) -> dict[int, list[PassageSentence]]:
    """The sentences of these passages, in order, by the number of their conversation, that of the best one first."""
    return {
        number: [
            sentence
            for place in sorted(kept)
            if place.session == number
            for sentence in sentences(place.position, Speaker(places[place].speaker), places[place].text)
        ]
        for number in dict.fromkeys(place.session for place in kept)
    }


def whole(ref: str, user: str, repo: str, turns: Iterable[tuple[str, str, str]]) -> str:
    """What was said in a session, turn by turn; `turns`: speaker, moment in ISO 8601, text. It is inert."""
    head = f"{ref} of {inert_line(user, 40)} on {inert_line(repo, 120)}, not reviewed"
    said = [f"{speaker} ({at[:16].replace('T', ' ')}): {inert(text)}" for speaker, at, text in turns]
    return "\n".join([head, *said])


def lines(sentences: Sequence[PassageSentence]) -> str:
    """A line for each turn of a speaker; what was left out within it is marked. "user: …" would read like the turn of
    the one who asks.
    """
    text, last = "", None
    for one in sentences:
        said = inert_line(one.text)
        if last and last.speaker is one.speaker and last.position == one.position:
            text += f"{' ' if one.number == last.number + 1 else GAP}{said}"
        else:
            text += f"\n({one.speaker}) {said}" if text else f"({one.speaker}) {said}"
        last = one
    return f"{text}\n" if text else ""


def _head(one: FoundConversation) -> str:
    parts = [one.date, f"{inert_line(one.who)}{f' with {inert_line(one.agent)}' if one.agent else ''}"]
    parts += [inert_line(one.where)] if one.where else []
    if one.is_aside:
        parts.append(f"before {one.changed_by} and perhaps on the same subject: where they differ, go by that one")
    elif one.changed_by:
        parts.append(f"before {one.changed_by}: what that changes no longer holds")
    elif one.perhaps:
        parts.append(f"later than {one.changes} and perhaps on the same subject: where they differ, go by this one")
    elif one.changes:
        parts.append(f"the later one on this subject, after {one.changes}: go by it")
    nature = "conversation, not reviewed" if one.sure else "conversation, not reviewed, may not answer this"
    return f"\n[{one.ref}] {nature} · {' · '.join(parts)}\n"


def _more(one: FoundConversation, via: Interface) -> str:
    return f"(more: {calls.read_conversation(one.ref, via)})\n" if one.readable else ""


def chained(found: Sequence[FoundConversation]) -> list[FoundConversation]:
    """Conversations on one subject, the latest first, each with which one it changes and by which it is changed. The
    latest does not say that it changes an earlier one that is only perhaps on the subject.
    """
    after = [one.ref if not (place and one.perhaps) else "" for place, one in enumerate(found)]
    return [
        replace(one, changed_by=found[0].ref if place else "", changes="".join(after[place + 1 : place + 2]))
        for place, one in enumerate(found)
    ]
