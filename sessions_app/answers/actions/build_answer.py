"""Recall: everything the team has to say to one question, in one answer.

Insights with their topics and warnings, skills found by the same query vector, conversations, and preferences.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from accounts.actions import preferences
from accounts.adapters.disk_space import lacking_room
from accounts.adapters.traces import span, traced
from accounts.rules.fence import inert_line, whose
from accounts.rules.preferences import Effective
from accounts.rules.rights import Member
from knowledge.lifecycle.actions.validate import stale_reporters
from knowledge.retrieval.actions.retrieve import Hit, Related, Retrieved, retrieve
from knowledge.retrieval.actions.warn import Summary, summarise, warn
from knowledge.retrieval.rules.ask import DEEPEST, Ask
from knowledge.retrieval.rules.contradiction import Contradiction
from knowledge.rules.draft import first_sentence, shortened
from knowledge.rules.vocabulary import Source, Status
from sessions_app.answers.actions.coach import coach
from sessions_app.answers.actions.fences import fence_for
from sessions_app.answers.rules.answer import COACHING_SHARE, footer, joined, lacks, reserve
from sessions_app.answers.rules.beside import Other, lines
from sessions_app.answers.rules.calls import Interface
from sessions_app.answers.rules.coaching import MOST_TOKENS, CoachingMoment
from sessions_app.answers.rules.neighbours import related
from sessions_app.answers.rules.packing import (
    LONGEST_SENTENCE,
    ContradictionLine,
    Heading,
    Item,
    Packed,
    PreferenceLine,
    SkillLine,
    pack,
)
from sessions_app.conversations.actions.find import ConversationAnswer, find
from sessions_app.conversations.rules.answering import ASKED, UNASKED
from sessions_app.conversations.rules.excerpts import Excerpt, tell, tell_passages
from sessions_app.models import CodeFile, ServedPassage
from skills.actions.match import Applicable, applicable

# What one query may say. What is not wanted is not looked up.
PARTS = ("insights", "topics", "skills", "preferences", "contradictions", "conversations")
# Of the room of the insights, what conversations have beside them: by how near each is to the question, within bounds.
# Drafts that were found in transcripts say no more than the conversation itself.
LEAST_BESIDE, MOST_BESIDE = 0.3, 0.85


@dataclass(frozen=True)
class BuiltAnswer:
    """The retrieved insights, what goes with them, and all of it as one `text` within the budget.

    `packed`: the notes in it; `items`: the insights as they are packed, for a caller that must leave some out.
    """

    found: Retrieved
    packed: Packed
    text: str
    topics: list[Summary] = field(default_factory=list)
    contradictions: list[Contradiction] = field(default_factory=list)
    skills: list[Applicable] = field(default_factory=list)
    preferences: list[Effective] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    coaching: str = ""
    conversations: list[Excerpt] = field(default_factory=list)
    # What was found, for anyone who packs it again.
    answer: ConversationAnswer = field(default_factory=ConversationAnswer)

    @property
    def clashes(self) -> list[ContradictionLine]:
        """The contradictions as they are packed."""
        return _clashes(self.contradictions)


@traced("query")
def build_answer(
    *,
    ask: Ask,
    max_tokens: int,
    by: Member,
    now: datetime,
    include: Collection[str] = PARTS,
    via: Interface = Interface.REST,
    unasked: bool = False,
) -> BuiltAnswer:
    """Answer an agent's question with the parts it wants. Who wants all is told, too, what is new to them about asking.

    The text names calls of `via`. `unasked`: only a prompt was written, so conversations answer less
    readily, and the caller packs again and stores which passages were told. Raises what
    `retrieve` raises.
    """
    found = retrieve(ask=_widened(ask, by), by=by, now=now)
    topics = summarise(found=found.topics, by=by) if "topics" in include else []
    near = found.compared
    wary = "contradictions" in include
    clashes = warn(ids=near.ids, advice=near.advice, vectors=near.vectors, by=by) if wary else []
    held = preferences.effective(by=by, team_slugs=ask.teams) if "preferences" in include else []
    skills = applicable(ask=ask, vector=found.vector, by=by, now=now) if "skills" in include else []
    items = _items(found, by, now) if "insights" in include else []
    floor = UNASKED if unasked else ASKED
    answer = (
        find(ask=ask, vector=found.vector, by=by, floor=floor) if "conversations" in include else ConversationAnswer()
    )
    conversations = Conversations(answer, ask.text, via)
    moment = CoachingMoment.ANSWERED if found.hits else CoachingMoment.NOTHING_KNOWN
    room = min(int(max_tokens * COACHING_SHARE), MOST_TOKENS)
    told = coach(moment=moment, by=by, now=now, via=via, room=room) if set(include) >= set(PARTS) else ""
    below = [*lacks(found.degraded), told]
    refs, query_id = [item.ref for item in items], str(found.query_id)
    with span("query pack"):
        packed = pack(
            items,
            max_tokens - reserve([footer(refs, conversations.refs, query_id, max_tokens, via), *below]),
            [PreferenceLine(one.held.key, one.held.value, one.held.whose, one.held.statement) for one in held],
            fence=fence_for(by),
            clashes=_clashes(_unnoted(clashes, found)),
            headings=_headings(topics) if ask.depth < DEEPEST else [],
            skills=[_taught(one) for one in skills],
            said=conversations.said,
            said_share=share_beside(items, found, answer),
            via=via,
        )
    if not unasked:
        conversations.keep_served(found.query_id)
    text = joined(packed, refs, conversations.told_refs, query_id, max_tokens, via, *below)
    return BuiltAnswer(
        found, packed, text, topics, clashes, skills, held, items, told, conversations.told, conversations.answer
    )


class Conversations:
    """The conversations of one answer, told within the room that the packing leaves them."""

    def __init__(self, answer: ConversationAnswer, question: str, via: Interface) -> None:
        self.answer, self._question, self._via = answer, question, via
        self.told: list[Excerpt] = []

    @property
    def said(self) -> Callable[[int], str] | None:
        return self._tell if self.answer.found else None

    def _tell(self, room: int) -> str:
        found = self.answer.found
        one = self.answer.stands_out
        self.told = tell(found, self._question, room, self._via) if one else tell_passages(found, room, self._via)
        return "".join(one.text for one in self.told)

    @property
    def refs(self) -> list[str]:
        """Of what was found."""
        return [one.ref for one in self.answer.found]

    @property
    def told_refs(self) -> list[str]:
        return [one.found.ref for one in self.told]

    def leave_out(self, refs: Collection[str]) -> None:
        """Tell nothing of these sessions."""
        self.answer = replace(self.answer, found=[one for one in self.answer.found if one.ref not in refs])

    def keep_served(self, query_id: UUID | None) -> None:
        """Store which passages were told."""
        served = [pk for one in self.told for pk in one.passage_ids]
        if served and query_id and not lacking_room():
            ServedPassage.objects.all().keep(query_id, served)


def share_beside(items: Sequence[Item], done: Retrieved, answer: ConversationAnswer) -> float:
    """Of the room of these insights, what conversations have beside them; all of it where there are none.

    What counts is the square of the cosine of the nearest of each: from .4 to .8 it is from a likeness to an answer.
    """
    if not items:
        return 1.0
    if all(item.found for item in items):
        return MOST_BESIDE
    near = max((max(hit.similarity, 0.0) ** 2 for hit in done.hits), default=0.0)
    said = max(answer.nearest, 0.0) ** 2
    return min(max(said / (near + said), LEAST_BESIDE), MOST_BESIDE) if said else LEAST_BESIDE


def _taught(one: Applicable) -> SkillLine:
    version = one.version
    who = version.published_by.username if version.published_by else "somebody who left"
    return SkillLine(version.skill.name, version.number, f"{version.published_at:%Y-%m-%d}", version.instructions, who)


def _items(found: Retrieved, by: Member, now: datetime) -> list[Item]:
    reporters = stale_reporters([hit.insight for hit in found.hits])
    place = {hit.insight.ref: at for at, hit in enumerate(found.hits)}
    return [
        Item(
            ref=hit.insight.ref,
            kind=hit.insight.kind,
            status=hit.insight.status,
            title=hit.insight.title,
            body=hit.insight.body,
            reasoning=hit.insight.reasoning,
            date=f"{hit.insight.learned_at:%Y-%m-%d}",
            confidence=hit.insight.confidence,
            who=whose(hit.insight.author.username if hit.insight.author else None, hit.insight.source_type),
            notes=(
                *_strangers(hit),
                *_stale(hit, reporters),
                *filter(None, [inert_line(hit.held_back)]),
                *lines([_other(one, by, told=place.get(one.insight.ref, at) < at) for one in hit.related]),
            ),
            trust=hit.insight.trust,
            found=hit.insight.source_type == Source.TRANSCRIPT and hit.insight.status == Status.DRAFT,
        )
        for at, hit in enumerate(found.hits)
    ]


def _strangers(hit: Hit) -> list[str]:
    """The line that says of a stranger's draft whose it is."""
    row = hit.insight
    who = row.author.username if row.author else "somebody who left"
    said = f"Nobody of your teams has confirmed it: it is a draft by {who} in {row.team.slug}."
    return [said] if hit.stranger else []


def _stale(hit: Hit, reporters: Mapping[str, str]) -> list[str]:
    """The line that says whose report it is that its files changed."""
    who = reporters.get(hit.insight.ref)
    return [f"That its files changed is a report by {who}."] if who else []


def _other(one: Related, by: Member, *, told: bool) -> Other:
    row = one.insight
    return Other(
        ref=row.ref,
        kind=row.kind,
        status=row.status,
        date=f"{row.learned_at:%Y-%m-%d}",
        who="you" if row.author_id == by.user_id else row.author.username if row.author else "somebody who left",
        by_person=row.by_person,
        sentence="" if one.served else shortened(first_sentence(row.body), LONGEST_SENTENCE),
        newer=one.newer,
        relation=one.relation,
        proposed=one.link.proposed,
        replaces=one.replaces,
        refused=one.link.refused,
        upheld=one.upheld,
        reported_by=one.reported_by,
        told=told,
    )


def _unnoted(contradictions: list[Contradiction], found: Retrieved) -> list[Contradiction]:
    """Those that are not told beside the insights themselves."""
    noted = {frozenset((hit.insight.ref, one.insight.ref)) for hit in found.hits for one in hit.related}
    return [one for one in contradictions if frozenset((one.a, one.b)) not in noted]


def _clashes(contradictions: list[Contradiction]) -> list[ContradictionLine]:
    return [ContradictionLine(one.a, one.b, one.reason, one.newer) for one in contradictions]


def _headings(topics: list[Summary]) -> list[Heading]:
    return [Heading(str(one.id), one.label, one.kinds, one.count) for one in topics]


def _widened(ask: Ask, by: Member) -> Ask:
    """The question with the files that stand next to those it names, if their repo has a code index: one statement, and
    none unless both are named.
    """
    files = sorted(ask.context.files)
    if not files or not ask.repo.strip():
        return ask
    rows = CodeFile.objects.all().around(by.team_ids, ask.repo.strip(), files).values_list("path", "imports")
    return replace(ask, related=related(files, rows))
