"""Build the answer to one question: insights with topics and warnings, skills, conversations and preferences.

Insights and skills are found with the same query vector. All parts are packed into one text within a token budget.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from accounts.actions import preferences
from accounts.adapters.traces import span, traced
from accounts.rules.fence import inert, inert_line, whose
from accounts.rules.preferences import Effective, Origin
from accounts.rules.rights import Member
from knowledge.errors.rules.fingerprint_traces import SPEAKS_OF_ERROR
from knowledge.judging.rules.relations import Relation
from knowledge.lifecycle.actions.use import consulted
from knowledge.lifecycle.actions.validate import stale_reporters
from knowledge.lifecycle.rules.inference import is_profile
from knowledge.models import Insight
from knowledge.retrieval.actions.related import Related
from knowledge.retrieval.actions.retrieve import Hit, Retrieved, retrieve
from knowledge.retrieval.actions.standings import is_confirmed
from knowledge.retrieval.actions.warn import Summary, summarise, warn
from knowledge.retrieval.rules import bm25
from knowledge.retrieval.rules.ask import DEEPEST, Ask
from knowledge.retrieval.rules.contradiction import Contradiction, reported
from knowledge.retrieval.rules.currency import SCOPE, Currency
from knowledge.rules.draft import shortened
from knowledge.rules.vocabulary import Kind, Source, Status
from sessions_app.answers.actions.coach import coach
from sessions_app.answers.actions.conversations import Conversations, conversations_share, outdone
from sessions_app.answers.actions.fences import fence_for
from sessions_app.answers.actions.retellings import retold
from sessions_app.answers.rules.answer import COACHING_SHARE, footer, joined, lacks, reserve
from sessions_app.answers.rules.beside import Other, standing
from sessions_app.answers.rules.calls import Interface
from sessions_app.answers.rules.coaching import MOST_TOKENS, CoachingMoment
from sessions_app.answers.rules.excerpt import sentence
from sessions_app.answers.rules.item_forms import LONGEST_SENTENCE
from sessions_app.answers.rules.neighbours import related
from sessions_app.answers.rules.packing import Packed, likeliest, pack
from sessions_app.answers.rules.parts import ContradictionLine, Heading, Item, LaterNote, SkillLine
from sessions_app.answers.rules.preferred import PreferenceLine
from sessions_app.conversations.actions.find import ConversationAnswer, find, searched_for
from sessions_app.conversations.actions.origin import as_earlier
from sessions_app.conversations.rules.answering import ASKED, UNASKED
from sessions_app.conversations.rules.excerpts import Excerpt
from sessions_app.models import CodeFile, PassageTerm
from skills.actions.match import Applicable, applicable

# The parts of an answer. A part that is not asked for is not searched.
PARTS = ("insights", "topics", "skills", "preferences", "contradictions", "conversations")


@dataclass(frozen=True)
class BuiltAnswer:
    """The parts of an answer, and all of them as one `text` within the budget.

    `packed`: the notes in the text; `items`: the insights in packable form, for a caller that leaves some out.
    """

    found: Retrieved
    packed: Packed
    text: str
    topics: list[Summary] = field(default_factory=list)
    contradictions: list[Contradiction] = field(default_factory=list)
    skills: list[Applicable] = field(default_factory=list)
    preferences: list[Effective] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    # Whether the insights are probably no answer.
    unlikely: bool = False
    coaching: str = ""
    conversations: list[Excerpt] = field(default_factory=list)
    # What was found in conversations, for a caller that packs the answer again.
    answer: ConversationAnswer = field(default_factory=ConversationAnswer)
    # The contradictions in packable form: pairs with a served side whose notes do not state the contradiction.
    contradiction_lines: list[ContradictionLine] = field(default_factory=list)


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
    without: Collection[int] = (),
) -> BuiltAnswer:
    """Return the answer to an agent's question, with the parts in `include`. With all parts it may contain coaching.

    The text names calls of the interface `via`. `unasked`: the question is a prompt that a person typed, so
    conversations must be nearer to it, and the caller packs again and stores which passages were shown. `without`:
    sessions whose conversations are not searched. Raises what `retrieve` raises.
    """
    talked = "conversations" in include and searched_for(ask)
    beside = PassageTerm.objects.all().beside if talked else None
    found = retrieve(ask=_widened(ask, by), by=by, now=now, beside=beside)
    found = replace(found, degraded=(*found.degraded, *_elsewhere(by)))
    topics = summarise(found=found.topics, by=by) if "topics" in include else []
    near = found.compared
    wary = "contradictions" in include
    contradictions = warn(ids=near.ids, advice=near.advice, vectors=near.vectors, by=by) if wary else []
    preferred = preferences.effective(by=by, team_slugs=ask.teams) if "preferences" in include else []
    skills = applicable(ask=ask, vector=found.vector, by=by, now=now) if "skills" in include else []
    items = _items(found, ask.text, by, now) if "insights" in include else []
    if not unasked and by.session and any(item.superseded for item in items):
        read = set(consulted(by=by, now=now))
        items = [item.after(read) for item in items]
    floor = UNASKED if unasked else ASKED
    answer = (
        find(ask=ask, vector=found.vector, by=by, floor=floor, counted=found.beside, without=without)
        if talked
        else ConversationAnswer()
    )
    unlikely = found.unlikely or outdone(found, answer, ask)
    if items and not unlikely:
        vectors = dict(zip(found.compared.ids, found.compared.vectors, strict=True))
        first = found.hits[0].insight
        answer = answer.with_changes(as_earlier(first, vectors.get(first.pk), ask.repo.strip()))
    conversations = Conversations(answer, ask.text, via)
    moment = CoachingMoment.ANSWERED if found.hits else CoachingMoment.NOTHING_KNOWN
    room = min(int(max_tokens * COACHING_SHARE), MOST_TOKENS)
    coaching = coach(moment=moment, by=by, now=now, via=via, room=room) if set(include) >= set(PARTS) else ""
    below = [*lacks(found.degraded), coaching]
    warned = contradiction_lines(contradictions, found, ask.repo.strip())
    rated = likeliest(items, bool(conversations.writer)) if unlikely else items
    refs, query_id = [item.ref for item in rated], str(found.query_id)
    with span("query pack"):
        packed = pack(
            items,
            max_tokens - reserve([footer(refs, conversations.refs, query_id, max_tokens, via), *below]),
            _preference_lines(preferred),
            fence=fence_for(by),
            contradictions=warned,
            headings=_headings(topics) if ask.depth < DEEPEST else [],
            skills=[_skill_line(one) for one in skills],
            conversations=conversations.writer,
            conversations_share=conversations_share(items, found, answer),
            named=conversations.namer if unlikely or not items else None,
            unlikely=unlikely,
            via=via,
        )
    if not unasked:
        conversations.store_shown(found.query_id)
    text = joined(packed, refs, conversations.shown_refs, query_id, max_tokens, via, *below)
    return BuiltAnswer(
        found=found,
        packed=packed,
        text=text,
        topics=topics,
        contradictions=contradictions,
        contradiction_lines=warned,
        skills=skills,
        preferences=preferred,
        items=items,
        unlikely=unlikely,
        coaching=coaching,
        conversations=conversations.shown,
        answer=answer,
    )


def _preference_lines(preferred: Sequence[Effective]) -> list[PreferenceLine]:
    """Return the preferences that say how to work. Preferences that only say what somebody works on are for their own
    page, and would stand above every answer.
    """
    rows = [one.stated for one in preferred]
    return [
        PreferenceLine(row.key, row.value, row.whose, row.statement)
        for row in rows
        if row.source != Origin.INFERRED or not is_profile(row.key)
    ]


def _skill_line(one: Applicable) -> SkillLine:
    version = one.version
    who = version.published_by.username if version.published_by else "somebody who left"
    return SkillLine(version.skill.name, version.number, f"{version.published_at:%Y-%m-%d}", version.instructions, who)


def _items(found: Retrieved, question: str, by: Member, now: datetime) -> list[Item]:
    reporters = stale_reporters([hit.insight for hit in found.hits])
    again = retold([hit.insight for hit in found.hits], question)
    others = {hit.insight.ref: tuple(_other(hit, one, question, by) for one in hit.related) for hit in found.hits}
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
                *_error(hit.insight),
                *filter(None, [again.get(hit.insight.pk)]),
                *_strangers(hit),
                *_stale(hit, reporters),
                *_held_back(hit),
                *_replaced(hit),
            ),
            others=others[hit.insight.ref],
            standing=standing(others[hit.insight.ref]),
            trust=hit.insight.trust,
            found=hit.insight.source_type in (Source.TRANSCRIPT, Source.SAID) and hit.insight.status == Status.DRAFT,
            side=_side(hit, found.hits[0]),
            superseded=hit.superseded,
            later=tuple(_later(row, question) for row in (*hit.later, *hit.later_served)),
            question=question,
        )
        for hit in found.hits
    ]


def _replaced(hit: Hit) -> list[str]:
    """Return the line that says the note replaced a confirmed one without review, as its author's agents may, or a
    colleague's draft.
    """
    gone = [] if is_confirmed(hit.insight) else [one.partition(" ") for one in hit.unreviewed]
    confirmed = [ref for ref, draft, _ in gone if not draft]
    if confirmed:
        return [f"Replaced {ref}, which the team had confirmed; this one is not reviewed." for ref in confirmed[:1]]
    drafts = [(ref, inert_line(who) or "somebody who left") for ref, _, who in gone[:1]]
    return [f"Replaced {ref}, a draft by {who}; not reviewed." for ref, who in drafts]


# The length of the beginning of a later note that is quoted if there is room: two or three sentences.
LONGEST_BEGINNING = 400


def _later(row: Insight, question: str) -> LaterNote:
    """Return the note in short form: the whole of a short one, otherwise the sentence that says most about the
    question. A paragraph mostly begins with the history: of 15 about an opera house the chosen sentence has the new
    value in 11, the first sentence in none (28 Nov 2026).
    """
    who = whose(row.author.username if row.author else None, row.source_type)
    body = inert(row.body)
    told = row.body if len(row.body) <= LONGEST_SENTENCE else sentence(body, question, LONGEST_SENTENCE)
    return LaterNote(row.ref, row.status, f"{row.learned_at:%Y-%m-%d}", who, told, shortened(body, LONGEST_BEGINNING))


def _held_back(hit: Hit) -> list[str]:
    """Return the line that says why the hit is not first, unless a note says that it was rejected."""
    noted = any(one.link.rejected for one in hit.related)
    return [] if noted or not hit.held_back else [inert_line(hit.held_back)]


def _side(hit: Hit, first: Hit) -> str:
    """Return which side of an open pair a served insight is, if the other side is served too or is proposed to replace
    it; "" if none. An insight that is only proposed to be replaced is not called outdated, and one older than the
    answer's first is not called newer.
    """
    pairs = [one for one in hit.related if one.link.open and one.relation != Relation.COMPLEMENTS]
    pairs = [one for one in pairs if (one.served or (one.link.proposed and one.newer)) and not one.link.unlike]
    if pairs:
        older = any(one.newer for one in pairs) or hit.insight.learned_at < first.insight.learned_at
        return "older" if older else "newer"
    return "outdated" if hit.currency is Currency.OUTDATED else ""


# The length of an error message that says what went wrong. The note repeats the message if it has this share of its
# words.
LONGEST_MESSAGE = 120
REPEATED = 0.5


def _error(row: Insight) -> list[str]:
    """Return the line that names the insight's error, unless its own words do."""
    if not row.errors:
        return []
    message = max(row.errors, key=lambda said: (bool(SPEAKS_OF_ERROR.search(said)), len(said)))
    words = set(bm25.terms(message))
    if words and len(words & set(bm25.terms(row.text))) >= REPEATED * len(words):
        return []
    return [f"For the error: {inert_line(shortened(message, LONGEST_MESSAGE))}"]


def _strangers(hit: Hit) -> list[str]:
    """Return the line that names the author of a stranger's draft."""
    row = hit.insight
    who = row.author.username if row.author else "somebody who left"
    line = f"Nobody of your teams has confirmed it: it is a draft by {who} in {row.team.slug}."
    return [line] if hit.stranger else []


def _stale(hit: Hit, reporters: Mapping[str, str]) -> list[str]:
    """Return the line that names who reported that the insight's files changed."""
    who = reporters.get(hit.insight.ref)
    return [f"That its files changed is a report by {who}."] if who else []


def _other(hit: Hit, one: Related, question: str, by: Member) -> Other:
    row = one.insight
    warnings = [kind == Kind.PITFALL for kind in (hit.insight.kind, row.kind)]
    return Other(
        ref=row.ref,
        kind=row.kind,
        status=row.status,
        date=f"{row.learned_at:%Y-%m-%d}",
        who="you" if row.author_id == by.user_id else row.author.username if row.author else "somebody who left",
        by_person=row.by_person,
        sentence=sentence(inert(row.body), f"{question}\n{hit.insight.title}", LONGEST_SENTENCE),
        newer=one.newer,
        older=row.learned_at < hit.insight.learned_at,
        same_day=abs(row.learned_at - hit.insight.learned_at) < timedelta(days=1),
        relation=one.relation,
        proposed=one.link.proposed,
        replaces=one.replaces,
        refused=one.link.refused,
        rejected=one.link.rejected,
        unlike=one.link.unlike,
        confirmed=_confirmed(one),
        reported_by=one.reported_by,
        scoped=one.link.decided == SCOPE,
        decided=shortened(one.decision.words, LONGEST_SENTENCE) if one.decision else "",
        decided_by=f"{one.decision.by}, {_day(one.decision.at)}" if one.decision else "",
        question=one.link.question,
        warns=warnings[0] if warnings[0] != warnings[1] else None,
    )


def _confirmed(one: Related) -> str:
    """Return who has confirmed the older note since the newer one came, and when."""
    return f"{one.upheld.by or 'a person'} on {_day(one.upheld.at)}" if one.upheld else ""


def _day(at: datetime) -> str:
    return f"{at.day} {at:%b %Y}"


# The number of words of a contributor's note that a warning quotes: enough to see its subject. A longer quotation would
# let its author speak to agents that never asked for the note.
QUOTED_WORDS = 12


def contradiction_lines(contradictions: list[Contradiction], found: Retrieved, repo: str) -> list[ContradictionLine]:
    """Return the contradictions with a served side, unless a note of that side states it. A contributor's words on the
    pair are quoted only if that side is of the repository that was asked about, or of none.
    """
    noted = {frozenset((hit.insight.ref, one.insight.ref)) for hit in found.hits for one in hit.related}
    of_repo = {hit.insight.ref: hit.insight.repo in ("", repo) for hit in found.hits}

    def line(one: Contradiction) -> ContradictionLine:
        quotable = of_repo.get(one.a, False) or of_repo.get(one.b, False)
        reason = reported(one.claim, one.quote, QUOTED_WORDS if quotable else 0) if one.claim else one.reason
        return ContradictionLine(one.a, one.b, reason, one.newer)

    served = (one for one in contradictions if one.a in of_repo or one.b in of_repo)
    return [line(one) for one in served if frozenset((one.a, one.b)) not in noted]


def _headings(topics: list[Summary]) -> list[Heading]:
    return [Heading(str(one.id), one.label, one.kinds, one.count) for one in topics]


def _elsewhere(by: Member) -> list[dict[str, str]]:
    """Return what the answer lacks because it is in another cell, as entries of `degraded`."""
    return [{"component": "moved team", "reason": one.sentence} for one in by.moved]


def _widened(ask: Ask, by: Member) -> Ask:
    """Return the question with the files related to those it names, if their repository has a code index. One
    statement, and none unless both are named.
    """
    files = sorted(ask.context.files)
    if not files or not ask.repo.strip():
        return ask
    rows = CodeFile.objects.all().around(by.team_ids, ask.repo.strip(), files).values_list("path", "imports")
    return replace(ask, related=related(files, rows))
