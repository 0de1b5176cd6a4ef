"""The text of conversations for a model: what was said, by whom and when, in the words of those who said it.

Where one conversation stands out, the sentences that carry what was decided in it are told, and in what room they
leave the passages nearest to the question; where none does, those passages alone, of whichever conversation.

Each conversation has a head with its date, whose it was, where, and that nobody has reviewed it; then its sentences,
those of one speaker on one line; then the call that reads more of it. Of conversations on one subject the latest comes
first and says so. It is data, as all that agents and people wrote: it stands within the fence, and is inert.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, zip_longest

from accounts.rules.fence import inert, inert_line, untagged
from accounts.rules.spoken_names import spoken_name
from sessions_app.answers.rules import calls
from sessions_app.answers.rules.calls import Interface
from sessions_app.conversations.rules.choose import choose, choose_together, refused
from sessions_app.conversations.rules.context import SHORT
from sessions_app.conversations.rules.score import ScoredPassage
from sessions_app.conversations.rules.sentences import PassageSentence, sentences
from sessions_app.conversations.rules.spread import PassagePlace, fitting
from sessions_app.transcripts.rules.speakers import Speaker

# Stands where sentences of one speaker were left out between two.
GAP = " … "
# Stands once above them.
SURE = "\nSaid in conversations, not reviewed:\n"
UNSURE = "\nSaid in conversations, not reviewed, and may not answer this:\n"
# What a line takes beside its words: who speaks.
LINE = 8
# Sentences carry what was decided, but the one fact that is asked for may be in none of them, or in another
# conversation. So sentences have FIRST characters, which is all of a small room, or this share of a large one, and the
# nearest passages the rest. Of sde-bench's facts 1.00 are told with 1,400 characters within 400 tokens and .93 with
# 1,000; of the facts of 74 written decisions within 800 tokens .869 with .45, .889 with .6 and .887 with .75.
FIRST, SENTENCES_SHARE = 1_400, 0.6
# Of a passage that is much longer only the sentences that carry most, as far as these go: whole, one of an agent's long
# turns fills 400 tokens. Of the facts of those decisions within 800 tokens .846 whole, .865 with 300, .856 with 200.
LONGEST_PASSAGE, MUCH_LONGER = 300, 1.25
# The sentences of a passage are looked for only where it may be told: of the greatest weights so many, or one for each
# so many characters. What is farther down is short and beside the point; to look at all of what six conversations say
# took half of an answer's time.
MOST_TRIED, LEAST_WORTH = 24, 100
# The best passage of the latest conversation goes before better ones if it takes at most this share of the room. With
# any BEAM's evidence falls from .56 to .55 and from .45 to .39 (100K-4, 100K-6): its passages are long.
LATEST_SHARE = 0.125
# Words of a person's reply that is told with the report it replies to, and of any to the nearest passage. Of LoCoMo's
# evidence .821 / .799 is told with 8 for both, .827 / .809 with 60 for the nearest, .813 / .791 with 16 for all reports
# (conv-26 and a part of conv-30, 28 Nov 2026).
REPLY, REPLY_TO_NEAREST = 8, 60


@dataclass(frozen=True)
class Amendment:
    """Another conversation on the same subject; `sure`: what was said in both shows that it is."""

    ref: str
    date: str
    sure: bool


@dataclass(frozen=True)
class FoundConversation:
    """A conversation that may be told. `relevance`: what each passage is worth for being near the point or not, 0 to
    1, by its position (`score.to_the_point`); `weights`: what it has to do with the question (`spread.weights`), of
    those that have nearly as much as the best.

    `changed_by`: the latest one on the same subject, none if this is the latest; `changes`: the next earlier one.
    `where`: its repository and branch as far as they are not the asker's. `readable`: whether the asker may read its
    session. `subject`: the same number for those on one subject. `sure`: it need not be said that it may be no answer.
    `perhaps`: it may be on the subject of the best one with the same number, and may as well not be.
    `likely`: how likely it is the one that is asked for, of those that sentences are chosen from: 1 for the best, 0 for
    the others. `after`: the reference of an insight that it may have changed, and `for_note` whether it was found by
    that alone.
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
    changed_by: "Amendment | None" = None
    changes: "Amendment | None" = None
    readable: bool = True
    sure: bool = True
    perhaps: bool = False
    likely: float = 0.0
    after: str = ""
    for_note: bool = False

    @property
    def has_answer(self) -> bool:
        """Whether an agent says anything in it: a prompt by itself tells nobody what came of it."""
        return any(one.speaker == Speaker.AGENT for one in self.passages)


def surely_changes(one: FoundConversation, other: FoundConversation) -> bool:
    """Whether the one is surely a later one on the subject of the other."""
    later = one.date >= other.date and one.subject == other.subject
    return later and not one.perhaps and one.changes is not None and one.changes.sure


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
    """What was found within `room` characters: of the likely conversations the sentences that add most, chosen from all
    of them at once; then the nearest passages of any, or these alone where no conversation is likely.
    """
    likely = [one for one in conversations if one.likely]
    if not likely:
        return _tell_passages(conversations, question, room, via)
    most = max(likely, key=lambda one: one.likely)
    more = _more(most, via)
    left = min(room, max(FIRST, int(room * SENTENCES_SHARE))) - sum(len(_head(one)) for one in likely)
    chosen = choose_together([(one.passages, one.relevance, one.likely) for one in likely], question, left - len(more))
    told = [
        Excerpt(one, some, f"{_head(one)}{lines(some)}{more if one is most else ''}", one is most and bool(more))
        for one, some in zip(likely, chosen, strict=True)
        if some
    ]
    spare = room - sum(len(one.text) for one in told)
    return _with_nearest(told, conversations, question, spare, via)


def _with_nearest(
    told: Sequence[Excerpt], conversations: Sequence[FoundConversation], question: str, room: int, via: Interface
) -> list[Excerpt]:
    """What was told with the nearest passages, as far as they are not told yet, within `room` more characters."""
    refs = {one.found.ref for one in told}
    ordered = [one.found for one in told] + [one for one in conversations if one.ref not in refs]
    places = _places(ordered)
    weight = _weights(places, ordered)
    said = {(number, one.place) for number, each in enumerate(told) for one in each.sentences}
    near = [place for place in places if ordered[place.session].relevance.get(place.position, 1.0) > 0 < weight[place]]
    best = _ranked(near, weight)[: _most_of(room)]
    best = _with_context(best, places, best[0] if best else None)
    parts = _parts_of(best, places, ordered, question)
    costs = {
        place: LINE + sum(len(one.text) + len(GAP) for one in some if (place.session, one.place) not in said)
        for place, some in parts.items()
    }
    heads = {number: len(_head(one)) if number >= len(told) else 0 for number, one in enumerate(ordered)}
    kept = fitting(costs, heads, best, room)
    added = _sentences_of([place for place in kept if costs[place] > LINE], parts)
    done: list[Excerpt] = []
    for number, one in enumerate(ordered):
        before = told[number] if number < len(told) else Excerpt(one, [], "")
        all_said = {sentence.place: sentence for sentence in (*before.sentences, *added.get(number, ()))}
        chosen = [all_said[place] for place in sorted(all_said)]
        more = _more(one, via) if before.has_pointer else ""
        done += [replace(before, sentences=chosen, text=f"{_head(one)}{lines(chosen)}{more}")] if chosen else []
    return _in_order(done, conversations)


def _tell_passages(
    conversations: Sequence[FoundConversation], question: str, room: int, via: Interface
) -> list[Excerpt]:
    """The passages with the greatest weights, of whichever conversation, within `room` characters.

    The subject of the best passage comes first, and the best passage of the latest conversation that may be on it is
    told too: who reads that something was changed must see how. The passages of each are in their order.
    """
    places = _places(conversations)
    weight = _weights(places, conversations)
    ranked = _ranked([place for place in places if weight[place] > 0], weight)
    latest = _best_of_latest(ranked, conversations)
    best = ranked[: _most_of(room)]
    nearest = ranked[0] if ranked else None
    parts = _parts_of(_with_context([*best, *latest], places, nearest), places, conversations, question)
    costs = {place: LINE + sum(len(one.text) + len(GAP) for one in some) for place, some in parts.items()}
    if latest and costs[latest[0]] <= LATEST_SHARE * room:
        best = list(dict.fromkeys([best[0], *latest, *best]))
    ranked = _with_context(best, places, nearest)
    heads = {number: len(_head(one)) for number, one in enumerate(conversations)}
    more = _more(conversations[ranked[0].session], via) if ranked else ""
    if ranked and costs[ranked[0]] + heads[ranked[0].session] + len(more) > room:
        more = ""  # the best passage goes before the pointer
    told: list[Excerpt] = []
    for number, chosen in _sentences_of(fitting(costs, heads, ranked, room - len(more)), parts).items():
        one = conversations[number]
        text = f"{_head(one)}{lines(chosen)}{'' if told else more}"
        told.append(Excerpt(one, chosen, text, has_pointer=bool(more) and not told))
    return _in_order(told, conversations)


def _most_of(room: int) -> int:
    """How many passages are tried for so many characters."""
    return max(MOST_TRIED, room // LEAST_WORTH)


def _best_of_latest(ranked: Sequence[PassagePlace], conversations: Sequence[FoundConversation]) -> list[PassagePlace]:
    """The best place of the latest conversation on the subject of the first place; empty if there is none at all."""
    subject = conversations[ranked[0].session].subject if ranked else 0
    latest = min((place.session for place in ranked if conversations[place.session].subject == subject), default=0)
    return [place for place in ranked if place.session == latest][:1]


def _with_context(
    ranked: Sequence[PassagePlace], places: Mapping[PassagePlace, ScoredPassage], nearest: PassagePlace | None
) -> list[PassagePlace]:
    """The places, each with the one that it is not understood without."""
    ordered = dict.fromkeys(
        beside for place in ranked for beside in _in_context(place, places, is_nearest=place == nearest)
    )
    return [place for place in ordered if place in places]


def _in_context(
    place: PassagePlace, places: Mapping[PassagePlace, ScoredPassage], *, is_nearest: bool
) -> list[PassagePlace]:
    """A place, after the one before it if its passage is too short to be understood alone: it was found by the words
    before it (`rules/context.py`); and before a person's short reply, in which what an agent reported is decided. The
    nearest place comes with its reply, whichever of the two spoke.
    """
    before, after = (PassagePlace(place.session, place.position + step) for step in (-1, 1))
    reply = places.get(after)
    replied = reply is not None and reply.speaker != places[place].speaker
    longest = REPLY_TO_NEAREST if is_nearest else REPLY if places[place].speaker == Speaker.AGENT else 0
    led = len(places[place].text.split()) < SHORT
    answered = reply is not None and replied and len(reply.text.split()) <= longest
    return [*([before] if led else []), place, *([after] if answered else [])]


def _in_order(told: Sequence[Excerpt], conversations: Sequence[FoundConversation]) -> list[Excerpt]:
    """The excerpts by the first of their subject, those of a subject in the order they were found in, which is the
    latest first. One that found no room is named in the head of an earlier one alone: who reads that must know of it.
    """
    place = {one.ref: number for number, one in enumerate(conversations)}
    first: dict[int, int] = {}
    for at, one in enumerate(told):
        first.setdefault(one.found.subject, at)
    ordered = sorted(told, key=lambda one: (first[one.found.subject], place[one.found.ref]))
    done: list[Excerpt] = []
    for _, some in groupby(ordered, key=lambda one: one.found.subject):
        each = list(some)
        for one, now in zip(each, chained([one.found for one in each]), strict=True):
            now = now if now.changed_by else replace(now, changed_by=one.found.changed_by)
            done.append(replace(one, found=now, text=f"{_head(now)}{one.text.removeprefix(_head(one.found))}"))
    return done


def _places(conversations: Sequence[FoundConversation]) -> dict[PassagePlace, ScoredPassage]:
    """The passages by their places; `session` of a place is the number of its conversation."""
    return {
        PassagePlace(number, passage.position): passage
        for number, one in enumerate(conversations)
        for passage in one.passages
    }


def _weights(places: Iterable[PassagePlace], conversations: Sequence[FoundConversation]) -> dict[PassagePlace, float]:
    return {place: conversations[place.session].weights.get(place.position, 0.0) for place in places}


def _ranked(places: Iterable[PassagePlace], weight: Mapping[PassagePlace, float]) -> list[PassagePlace]:
    return sorted(places, key=lambda place: (-weight[place], place))


def _parts(passage: ScoredPassage, question: str) -> list[PassageSentence]:
    """The sentences that are told of a passage among the nearest."""
    if len(passage.text) <= LONGEST_PASSAGE * MUCH_LONGER:
        return sentences(passage.position, Speaker(passage.speaker), passage.text)
    return choose([passage], question, LONGEST_PASSAGE)


def _parts_of(
    told: Sequence[PassagePlace],
    places: Mapping[PassagePlace, ScoredPassage],
    conversations: Sequence[FoundConversation],
    question: str,
) -> dict[PassagePlace, list[PassageSentence]]:
    """The sentences that are told of each place; of a proposal that was refused those of the refusal as well, so that
    it is told with that or not at all.
    """
    refusals = {
        PassagePlace(number, position): PassagePlace(number, after)
        for number in {place.session for place in told}
        for position, after in refused(conversations[number].passages).items()
    }
    return {
        place: [one for each in (place, refusals.get(place)) if each for one in _parts(places[each], question)]
        for place in told
    }


def _sentences_of(
    kept: Sequence[PassagePlace], parts: Mapping[PassagePlace, Sequence[PassageSentence]]
) -> dict[int, list[PassageSentence]]:
    """The sentences of these passages, in order and each once, by the number of their conversation, that of the best
    one first.
    """
    told: dict[int, dict[tuple[int, int], PassageSentence]] = {place.session: {} for place in kept}
    for place in kept:
        told[place.session] |= {one.place: one for one in parts[place]}
    return {number: [some[at] for at in sorted(some)] for number, some in told.items() if some}


def whole(ref: str, user: str, repo: str, turns: Iterable[tuple[str, str, str]]) -> str:
    """What was said in a session, turn by turn; `turns`: speaker, moment in ISO 8601, text. It is inert."""
    head = f"{ref} of {inert_line(user, 40)} on {inert_line(repo, 120)}, not reviewed"
    said = [f"{speaker} ({at[:16].replace('T', ' ')}): {inert(text)}" for speaker, at, text in turns]
    return "\n".join([head, *said])


# What ends a sentence, and what may stand behind it.
_ENDS, _AROUND = tuple(".!?:;,…。！？])"), "\"'”’*_`"


def lines(sentences: Sequence[PassageSentence]) -> str:
    """A line for each turn of a speaker; what was left out within it is marked. "user: …" would read like the turn of
    the one who asks.
    """
    text, last = "", None
    for one in sentences:
        said = inert_line(one.text)
        if last and last.speaker is one.speaker and last.position == one.position:
            text += f"{_between(last) if one.number == last.number + 1 else GAP}{said}"
        else:
            text += f"\n({one.speaker}) {said}" if text else f"({one.speaker}) {said}"
        last = one
    # A tag may be in two sentences, which are one line now.
    return f"{untagged(text)}\n" if text else ""


def _between(before: PassageSentence) -> str:
    """What parts a sentence from the next one: many a person types lines without full stops."""
    return " " if before.text.rstrip(_AROUND)[-1:] in _ENDS else " / "


def _head(one: FoundConversation) -> str:
    parts = [one.date, f"{inert_line(one.who)}{f' with {spoken_name(one.agent)}' if one.agent else ''}"]
    parts += [inert_line(one.where)] if one.where else []
    parts += [relation] if (relation := _relation(one)) else []
    return f"\n[{one.ref}] {' · '.join(parts)}\n"


def _more(one: FoundConversation, via: Interface) -> str:
    return f"(more: {calls.read_conversation(one.ref, via)})\n" if one.readable else ""


def _relation(one: FoundConversation) -> str:
    """What its head says of an earlier or a later one. Only what is sure is said to hold no longer."""
    if (later := one.changed_by) and later.sure:
        return f"before {later.ref}: what that changes no longer holds"
    if later:
        return f"before {later.ref}, which may change it"
    if (earlier := one.changes) and earlier.sure:
        return f"the later one on this subject, after {earlier.ref}: go by it"
    if before := one.after or (earlier.ref if earlier else ""):
        return f"later than {before}, if on the same subject go by this"
    return ""


def chained(found: Sequence[FoundConversation]) -> list[FoundConversation]:
    """Conversations on one subject, the latest first, each with the next earlier one and with the latest."""
    latest = found[0] if found else None

    def relate(one: FoundConversation, other: FoundConversation | None) -> Amendment | None:
        return Amendment(other.ref, other.date, not (one.perhaps or other.perhaps)) if other else None

    return [
        replace(one, changed_by=relate(one, latest if place else None), changes=relate(one, earlier))
        for place, (one, earlier) in enumerate(zip_longest(found, found[1:]))
        if one
    ]
