"""The text of conversations for a model: what was said, by whom and when, in the speakers' own words.

If one conversation stands out, its sentences that carry a decision are quoted, then the passages nearest to the
question in the room that is left. If none stands out, only the nearest passages are quoted, from any conversation.

Each conversation has a head with its date, its user, its repository if it is another one, and the note that nobody has
reviewed it. Its sentences follow, one line for each speaker's turn, then the call that reads more of it. Within a
subject the latest conversation comes first and says so. The text is data, like all that agents and people wrote: it is
made inert and placed within the fence.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby

from accounts.rules.fence import inert, inert_line, untagged
from accounts.rules.spoken_names import spoken_name
from sessions_app.answers.rules import calls
from sessions_app.answers.rules.calls import Interface
from sessions_app.conversations.rules.choose import JOINED, choose, choose_together, refused
from sessions_app.conversations.rules.context import SHORT
from sessions_app.conversations.rules.found import FoundConversation, chained
from sessions_app.conversations.rules.score import ScoredPassage
from sessions_app.conversations.rules.sentences import PassageSentence, sentences
from sessions_app.conversations.rules.spread import BESIDE, PassagePlace, fitting, nearly_best
from sessions_app.conversations.rules.subject import in_time
from sessions_app.transcripts.rules.speakers import Speaker

# Marks sentences of one speaker that were left out.
GAP = " … "
# The heading above all excerpts.
SURE = "\nSaid in conversations, not reviewed:\n"
UNSURE = "\nSaid in conversations, not reviewed, and may not answer this:\n"
# The characters of a line beside its words: the speaker.
LINE = 8
# Sentences that carry a decision may lack the one fact that is asked for, or it is in another conversation. So they
# have FIRST characters, which is all of a small room, or this share of a large one. The nearest passages have the rest.
# Of sde-bench's facts 1.00 are quoted with 1,400 characters within 400 tokens and .93 with 1,000; of the facts of 74
# written decisions within 800 tokens .869 with .45, .889 with .6 and .887 with .75.
FIRST, SENTENCES_SHARE = 1_400, 0.6
# The characters of a possible change that are quoted in any case. Of 36 later changes 32 and 35 are quoted without it
# (without their file, with it), 33 and 36 with 160 and with 220, 32 and 35 with 280; of an outsider's eight on frost
# alarms, with their file, 6 come first without it and with 160, 7 with 220, 6 with 280 (28 Nov 2026).
LONGEST_CHANGE = 220
# Of a much longer passage only the sentences that carry most are quoted, up to this length. Quoted whole, one long turn
# of an agent fills 400 tokens. Of the facts of those 74 decisions within 800 tokens .846 are quoted with whole
# passages, .865 with 300, .856 with 200.
LONGEST_PASSAGE, MUCH_LONGER = 300, 1.25
# Passages are split into sentences only if they may be quoted: this many with the greatest weights, or one for each
# LEAST_WORTH characters of room. Splitting all passages of six conversations took half of an answer's time.
MOST_TRIED, LEAST_WORTH = 24, 100
# The best passage of the latest conversation precedes better passages if it takes at most this share of the room.
# Without this limit BEAM's evidence falls from .56 to .55 and from .45 to .39 (100K-4, 100K-6), because its passages
# are long.
LATEST_SHARE = 0.125
# The longest reply, in words, that is quoted with the passage before it: a person's with any report, and anyone's with
# the nearest passage. Of LoCoMo's evidence .821 / .799 is quoted with 8 for both, .827 / .809 with 60 for the nearest,
# .813 / .791 with 16 for all reports (conv-26 and a part of conv-30, 28 Nov 2026).
REPLY, REPLY_TO_NEAREST = 8, 60


@dataclass(frozen=True)
class Excerpt:
    """One conversation as it is quoted; `has_pointer`: with the call that reads more of it."""

    found: FoundConversation
    sentences: Sequence[PassageSentence]
    text: str
    has_pointer: bool = False

    @property
    def passage_ids(self) -> list[int]:
        """The passages that a sentence was quoted from."""
        told = {one.position for one in self.sentences}
        return [one.pk for one in self.found.passages if one.position in told]


def tell(conversations: Sequence[FoundConversation], question: str, room: int, via: Interface) -> list[Excerpt]:
    """Return the excerpts of the conversations within `room` characters. A conversation that is surely changed by a
    later one is quoted with it or, if there is no room for both, not at all.
    """
    told = _tell(conversations, question, room, via)
    outdated = _outdated_alone(told, {one.ref for one in conversations})
    if not outdated:
        return told
    return _tell([one for one in conversations if one.ref not in outdated], question, room, via) or told


def _outdated_alone(told: Sequence[Excerpt], found: Collection[str]) -> set[str]:
    """Return the references of the quoted conversations whose sure change was found and is not quoted."""
    missing = set(found) - {one.found.ref for one in told}
    return {one.found.ref for one in told if (by := one.found.changed_by) and by.sure and by.ref in missing}


def _tell(conversations: Sequence[FoundConversation], question: str, room: int, via: Interface) -> list[Excerpt]:
    """Return the excerpts within `room` characters: first the sentences that add most, chosen from all likely
    conversations at once, then the nearest passages of any conversation. If none is likely, only the passages.
    """
    likely = [one for one in conversations if one.likely]
    if not likely:
        return _tell_passages(conversations, question, room, via)
    most = max(likely, key=lambda one: one.likely)
    more = _more(most, via)
    left = min(room, max(FIRST, int(room * SENTENCES_SHARE))) - sum(len(_head(one)) for one in likely)
    changes = [_change(one, question) for one in likely]
    left -= len(more) + sum(len(one.text) + JOINED for some in changes for one in some)
    chosen = choose_together([(one.passages, one.relevance, one.likely) for one in likely], question, left)
    chosen = [_joined(*some) for some in zip(changes, chosen, strict=True)]
    told = [
        Excerpt(one, some, f"{_head(one)}{lines(some)}{more if one is most else ''}", one is most and bool(more))
        for one, some in zip(likely, chosen, strict=True)
        if some
    ]
    unused = room - sum(len(one.text) for one in told)
    return _with_nearest(told, conversations, question, unused, max(0, room - FIRST), via)


def _change(one: FoundConversation, question: str) -> list[PassageSentence]:
    """Return the sentences that carry most of what may change an earlier statement, [] for none.

    They are quoted in any case. Chosen among all sentences, others of that conversation may say more, and the answer
    has the earlier statement alone.
    """
    told = [row for row in one.passages if one.is_change and one.relevance.get(row.position)]
    return choose(told, question, LONGEST_CHANGE)


def _joined(*some: Sequence[PassageSentence]) -> list[PassageSentence]:
    """Return the sentences in their order, each once."""
    found = {one.place: one for one in chain(*some)}
    return [found[place] for place in sorted(found)]


def _with_nearest(
    told: Sequence[Excerpt],
    conversations: Sequence[FoundConversation],
    question: str,
    room: int,
    for_near: int,
    via: Interface,
) -> list[Excerpt]:
    """Return the excerpts with the nearest passages that they lack, within `room` more characters, the last `for_near`
    of them for those nearly as near as the nearest.
    """
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
    kept = fitting(costs, heads, best, room, for_near, nearly_best(weight, BESIDE))
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
    """Return the passages with the greatest weights, of any conversation, within `room` characters.

    The subject of the best passage comes first. The best passage of the latest conversation that may be on this subject
    is quoted too, so that a reader who learns that something changed also sees how. The passages of a conversation are
    in their order.
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
    """Return how many passages are tried for a room of so many characters."""
    return max(MOST_TRIED, room // LEAST_WORTH)


def _best_of_latest(ranked: Sequence[PassagePlace], conversations: Sequence[FoundConversation]) -> list[PassagePlace]:
    """Return the best place of the latest conversation on the subject of the first place, as a list; [] for none."""
    subject = conversations[ranked[0].session].subject if ranked else 0
    latest = min((place.session for place in ranked if conversations[place.session].subject == subject), default=0)
    return [place for place in ranked if place.session == latest][:1]


def _with_context(
    ranked: Sequence[PassagePlace], places: Mapping[PassagePlace, ScoredPassage], nearest: PassagePlace | None
) -> list[PassagePlace]:
    """Return the places, each with the neighbour that is needed to understand it."""
    ordered = dict.fromkeys(
        beside for place in ranked for beside in _in_context(place, places, is_nearest=place == nearest)
    )
    return [place for place in ordered if place in places]


def _in_context(
    place: PassagePlace, places: Mapping[PassagePlace, ScoredPassage], *, is_nearest: bool
) -> list[PassagePlace]:
    """Return a place with the neighbours that are needed to understand it, in order.

    A passage too short to be understood alone follows the one before it, by whose words it was found
    (`rules/context.py`). A person's short reply follows the agent's report that it decides on. The nearest place always
    comes with its reply.
    """
    before, after = (PassagePlace(place.session, place.position + step) for step in (-1, 1))
    reply = places.get(after)
    replied = reply is not None and reply.speaker != places[place].speaker
    longest = REPLY_TO_NEAREST if is_nearest else REPLY if places[place].speaker == Speaker.AGENT else 0
    led = len(places[place].text.split()) < SHORT
    answered = reply is not None and replied and len(reply.text.split()) <= longest
    return [*([before] if led else []), place, *([after] if answered else [])]


def _in_order(told: Sequence[Excerpt], conversations: Sequence[FoundConversation]) -> list[Excerpt]:
    """Return the excerpts by the first of their subject or file; among those in the order found, which is the latest
    first on one subject, and by date if they only share an edited file. A conversation without room is named in the
    head of an earlier one, so that the reader knows of it.
    """
    place = {one.ref: number for number, one in enumerate(conversations)}
    done: list[Excerpt] = []
    for _, some in groupby(sorted(told, key=lambda one: one.found.subject), key=lambda one: one.found.subject):
        each = sorted(some, key=lambda one: place[one.found.ref])
        for one, now in zip(each, chained([one.found for one in each]), strict=True):
            now = now if now.changed_by else replace(now, changed_by=one.found.changed_by)
            done.append(replace(one, found=now, text=f"{_head(now)}{one.text.removeprefix(_head(one.found))}"))
    done.sort(key=lambda one: next(at for at, other in enumerate(told) if other.found.ref == one.found.ref))
    said = [(one.found.subject, (one.found.date, -place[one.found.ref]), one.found.files) for one in done]
    return [done[at] for at in in_time(said)]


def _places(conversations: Sequence[FoundConversation]) -> dict[PassagePlace, ScoredPassage]:
    """Return the passages by their places; `session` of a place is the number of its conversation."""
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
    """Return the sentences to quote of a passage among the nearest."""
    if len(passage.text) <= LONGEST_PASSAGE * MUCH_LONGER:
        return sentences(passage.position, Speaker(passage.speaker), passage.text)
    return choose([passage], question, LONGEST_PASSAGE)


def _parts_of(
    told: Sequence[PassagePlace],
    places: Mapping[PassagePlace, ScoredPassage],
    conversations: Sequence[FoundConversation],
    question: str,
) -> dict[PassagePlace, list[PassageSentence]]:
    """Return the sentences to quote of each place. A refused proposal has those of its refusal too, so that it is
    quoted with the refusal or not at all.
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
    """Return the sentences of these passages, in order and each once, by the number of their conversation; the best
    conversation's first.
    """
    told: dict[int, dict[tuple[int, int], PassageSentence]] = {place.session: {} for place in kept}
    for place in kept:
        told[place.session] |= {one.place: one for one in parts[place]}
    return {number: [some[at] for at in sorted(some)] for number, some in told.items() if some}


def whole(ref: str, user: str, repo: str, turns: Iterable[tuple[str, str, str]]) -> str:
    """Return the text of a whole session, turn by turn, made inert. `turns`: speaker, moment in ISO 8601, text."""
    head = f"{ref} of {inert_line(user, 40)} on {inert_line(repo, 120)}, not reviewed"
    said = [f"{speaker} ({at[:16].replace('T', ' ')}): {inert(text)}" for speaker, at, text in turns]
    return "\n".join([head, *said])


# The characters that end a sentence, and those that may follow them.
_ENDS, _AROUND = tuple(".!?:;,…。！？])"), "\"'”’*_`"


def lines(sentences: Sequence[PassageSentence]) -> str:
    """Return a line for each turn of a speaker; omissions within it are marked. The speaker is in brackets, because
    "user: …" would read like a turn of the asker.
    """
    text, last = "", None
    for one in sentences:
        said = inert_line(one.text)
        if last and last.speaker is one.speaker and last.position == one.position:
            text += f"{_between(last) if one.number == last.number + 1 else GAP}{said}"
        else:
            text += f"\n({one.speaker}) {said}" if text else f"({one.speaker}) {said}"
        last = one
    # A tag may span two sentences, which are one line now.
    return f"{untagged(text)}\n" if text else ""


def _between(before: PassageSentence) -> str:
    """Return the separator between a sentence and the next one: many people type lines without full stops."""
    return " " if before.text.rstrip(_AROUND)[-1:] in _ENDS else " / "


def _head(one: FoundConversation) -> str:
    parts = [one.date, f"{inert_line(one.who)}{f' with {spoken_name(one.agent)}' if one.agent else ''}"]
    parts += [inert_line(one.where)] if one.where else []
    parts += [relation] if (relation := _relation(one)) else []
    return f"\n[{one.ref}] {' · '.join(parts)}\n"


def _more(one: FoundConversation, via: Interface) -> str:
    return f"(more: {calls.read_conversation(one.ref, via)})\n" if one.readable else ""


def _relation(one: FoundConversation) -> str:
    """Return what the head of an earlier or later conversation says about the other. Only a sure change says that the
    earlier statement no longer holds.
    """
    if (later := one.changed_by) and later.sure:
        return f"before {later.ref}: what that changes no longer holds"
    if later:
        return f"before {later.ref}, which may change it"
    if (earlier := one.changes) and earlier.sure:
        return f"the later one on this subject, after {earlier.ref}: go by it"
    if before := one.after or (earlier.ref if earlier else ""):
        return f"later than {before}, if on the same subject go by this"
    return ""
