"""Surface: what a prompt hook gives an agent, unasked, if the prompt passes the gates."""

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from accounts.models import User
from accounts.rules.guard.detection import masked, redact_personal
from accounts.rules.rights import Member
from knowledge.errors.rules.pasted_errors import split_question
from knowledge.lifecycle.actions.use import last_served
from knowledge.models import Anchor, Insight, Lexicon, Term
from knowledge.retrieval.actions.retrieve import Hit
from knowledge.retrieval.rules.ask import Ask
from knowledge.retrieval.rules.locality import Context, is_end_of, named_files
from sessions_app.answers.actions.build_answer import BuiltAnswer, build_answer
from sessions_app.answers.actions.coach import coach
from sessions_app.answers.actions.conversations import Conversations, conversations_share
from sessions_app.answers.actions.correct import corrections
from sessions_app.answers.actions.fences import fence_for
from sessions_app.answers.rules import calls
from sessions_app.answers.rules.answer import COACHING_SHARE, footer, joined, lacks, reserve
from sessions_app.answers.rules.calls import Interface
from sessions_app.answers.rules.coaching import CoachingMoment
from sessions_app.answers.rules.gates import Gate, GateVerdict, PromptReading, judge, read, telling, ties
from sessions_app.answers.rules.packing import Packed, pack, tokens
from sessions_app.answers.rules.parts import Item
from sessions_app.answers.rules.shown import ShownConversations, shown_conversations
from sessions_app.models import AgentSession, PassageTerm, ServedPassage, SurfaceDecision
from sessions_app.querysets.sessions import SurfaceDecisionQuerySet

# The tokens of one injection with its fence, and of all in a session, because unasked text stays in the agent's context
# to its end. Each takes at most half of what is left, so that injections shrink in a long session but never stop at
# once. The start's text counts too, so that all together stays below 1,500 (tests/trials/prefix.py): an orientation
# takes some 100, with a handoff 500, and the question before a stop comes once more.
MOST_TOKENS = 600
MOST_IN_SESSION = 1_400
# A correction is a sentence or two, and may take all that is left of the session's share.
MOST_CORRECTING = 200
# The tokens of the likeliest note if an order shares only one word with it: of 68 orders four more receive what they
# need, of 260 on other work four receive something beside the point (docs/evaluation.md).
MOST_NEAR = 240
# The least room: it fits a title.
LEAST_TOKENS = 80
# The number of a session's past decisions that are read: more than a day has prompts.
MOST_EARLIER = 500
# The lengths of the question and of the error that are searched, and of the stored prompt, which shows a person why
# something came or did not.
LONGEST_ASKED, LONGEST_ERROR, LONGEST_KEPT = 2_000, 20_000, 4_000
# Without a session, prompts of the same token within this time are taken to be of one (SAME counts an instance as
# active for 12 hours).
SITTING = timedelta(hours=12)


@dataclass(frozen=True)
class Surfaced:
    """The outcome for a prompt. `text` is empty unless the decision is `open`; `coaching` is part of it."""

    decision: SurfaceDecision
    text: str = ""
    coaching: str = ""
    degraded: tuple[dict[str, str], ...] = ()


def surface(
    *,
    prompt: str,
    by: Member,
    now: datetime,
    team: str = "",
    told: int = 0,
    received: Sequence[UUID] | None = None,
    via: Interface = Interface.REST,
) -> Surfaced:
    """Decide whether a prompt gets an answer unasked, and return it, each insight once in a session.

    `team`: ask only this team. Notes near the session's repository rank higher, and the session's first surfaced prompt
    becomes its topic. `told`: tokens that the session received otherwise. `received`: the queries whose answers reached
    the model, None from a client that does not report them; an answer that came too late was not received, and may be
    given again. Every decision is stored with its reason. Raises NoSuchTeam.

    If nothing else is found, the answer is what has superseded something that the session was shown, once.
    """
    session = _session(by)
    earlier = _earlier(by, now, session, received)
    told += sum(one.tokens for one in earlier)
    done = _judged(prompt, by, now, team, told, received, via, session, earlier)
    if done.text or session is None or done.decision.gate == Gate.SLASH_COMMAND:
        return done
    return _corrected(done, by, now, session, MOST_IN_SESSION - told, received, via, _last_topic(earlier, by))


def _judged(
    prompt: str,
    by: Member,
    now: datetime,
    team: str,
    told: int,
    received: Sequence[UUID] | None,
    via: Interface,
    session: AgentSession | None,
    earlier: Sequence[SurfaceDecision],
) -> Surfaced:
    """Return the outcome of the gates and the search for a prompt."""
    teams = [by.named(team).slug] if team else []
    kept = redact_personal(masked(prompt))[0]
    reading, asked = read(kept), _asked(kept.strip())
    known = _known_terms(reading, teams, by)
    verdict = judge(
        reading, known=known, last=_last_topic(earlier, by), first=not earlier, pasted=bool(asked.error.strip())
    )
    if not verdict.opens or not kept.strip():
        return Surfaced(_decide(kept, verdict.gate, verdict.reason, verdict, by, now))
    if (budget := _budget(told)) < LEAST_TOKENS:
        reason = f"The session has used its budget ({told} tokens); use {calls.QUERY[via]} for more."
        return Surfaced(_decide(kept, Gate.NOTHING_NEW, reason, verdict, by, now))
    ask = replace(asked, teams=teams, repo=session.repo if session else "")
    include = ("insights", "contradictions", "conversations")
    done = build_answer(
        ask=ask, max_tokens=budget, by=by, now=now, include=include, via=via, unasked=True, without=_own(session)
    )
    named = {hit.insight.ref for hit in done.found.hits if hit.of_named_file}
    # The questions that an insight answers are in the words of somebody who works on its subject.
    said = {hit.insight.ref: hit.insight.searched for hit in done.found.hits}
    tied = {
        one.ref
        for one in done.items
        if asked.error or one.ref in named or (not done.unlikely and ties(reading, verdict, said[one.ref], known))
    }
    shown = tied | _later_sides(done.found.hits, tied)
    items = [one for one in done.items if one.ref in shown]
    conversations = Conversations(done.answer, ask.text, via)
    conversations.leave_out_unanswered()
    if not items and not conversations.have_own and not done.unlikely:
        items, budget = done.items[:1], min(budget, MOST_NEAR)
    conversations.leave_out_changes({one.ref for one in items})
    if not items and not conversations.all_refs:
        reason = "The team has no relevant insight."
        decision = _decide(kept, Gate.NOTHING_RELEVANT, reason, verdict, by, now, query=done)
        return Surfaced(decision, degraded=done.found.degraded)
    return _show(kept, done, items, conversations, verdict, budget, by, now, via, session, received)


def _later_sides(hits: Sequence[Hit], told: Set[str]) -> set[str]:
    """Return the references of hits that are later than a served one and form an open pair with it, or with a hit added
    in this way. The latest statement of a changed fact may contain no name of the prompt.
    """
    found = set[str]()
    for hit in reversed(hits):
        open_pairs = [one.insight for one in hit.related if one.link.open and not one.link.unlike]
        earlier = {one.ref for one in open_pairs if one.learned_at < hit.insight.learned_at}
        if earlier & (told | found) and hit.insight.ref not in told:
            found.add(hit.insight.ref)
    return found


def _budget(told: int) -> int:
    """Return the tokens of one prompt's answer: half of what is left of the session's share, at most MOST_TOKENS."""
    return min(MOST_TOKENS, max((MOST_IN_SESSION - told) // 2, 0))


def _known_terms(reading: PromptReading, teams: Sequence[str], by: Member) -> frozenset[str]:
    """Return the terms of the subject that occur in the team's notes or conversations, but not in most of them.

    Two statements, three with a file; none if the prompt names nothing.
    """
    if not reading.subject.terms or reading.is_command:
        return frozenset()
    where = [by.named(slug).id for slug in teams] or by.team_ids
    documents, df = Term.objects.all().frequencies(where, reading.subject.terms, Lexicon.objects.all())
    noted = telling(documents, df) | telling(*PassageTerm.objects.all().counted(where, reading.subject.terms))
    return noted | _anchored(reading, where)


def _anchored(reading: PromptReading, team_ids: Sequence[int]) -> frozenset[str]:
    """Return the names of the subject that are files with notes. One statement; none if no file is named."""
    context = Context(named=frozenset(named_files(reading.text)))
    if not context.named:
        return frozenset()
    notes = Insight.objects.of_teams(team_ids).filter(retrievable=True)
    paths = Anchor.objects.all().of_files(context.file_names).filter(insight__in=notes).values_list("value", flat=True)
    found = set(paths[:MOST_EARLIER])
    return frozenset(name.lstrip("/").lower() for name in context.named if any(is_end_of(name, path) for path in found))


def _session(by: Member) -> AgentSession | None:
    rows = AgentSession.objects.visible_to(by).filter(key=by.session, user_id=by.user_id) if by.session else ()
    return next(iter(rows), None)


def _own(session: AgentSession | None) -> list[int]:
    """Return the sessions of this conversation of the agent. Its model has read what was said in them, and what its
    user typed there would be nearest to the next prompt.
    """
    if session is None:
        return []
    if not session.agent_session:
        return [session.pk]
    rows = AgentSession.objects.all().of_agent(session.user_id, session.agent_session)
    return list(rows.values_list("pk", flat=True)[:MOST_EARLIER])


def _decided(by: Member, now: datetime, session: AgentSession | None) -> SurfaceDecisionQuerySet:
    """Return the decisions on the session's prompts so far; without a session, those of the same sitting.

    An agent's conversation that was ended and resumed is several sessions, and its model has read all of them.
    """
    since, keys = None if by.session else now - SITTING, None
    if session and session.agent_session:
        keys = AgentSession.objects.all().of_agent(by.user_id, session.agent_session).values("key")
    return SurfaceDecision.objects.all().in_session(by, since, keys)


def _earlier(
    by: Member, now: datetime, session: AgentSession | None, received: Sequence[UUID] | None
) -> list[SurfaceDecision]:
    """Return the earlier decisions, newest first, without those whose answers came too late."""
    rows = _decided(by, now, session).exclude(gate=Gate.SLASH_COMMAND).received(received).newest()
    return list(rows.only("gate", "tokens", "topic")[:MOST_EARLIER])


def _asked(prompt: str) -> Ask:
    """Return the question to search: the beginning of the prompt, and an error that was pasted into it whole."""
    parted = split_question(prompt)
    return Ask(parted.question[:LONGEST_ASKED] or prompt[:LONGEST_ASKED], error=parted.error[:LONGEST_ERROR])


def _last_topic(earlier: Sequence[SurfaceDecision], by: Member) -> frozenset[str]:
    """Return the topic that was surfaced last in the session. Without a session it is empty, because a token's prompts
    may be of several agents.
    """
    surfaced = (one.topic for one in earlier if one.surfaced and by.session)
    return frozenset(next(surfaced, ()))


def _show(
    kept: str,
    done: BuiltAnswer,
    items: Sequence[Item],
    conversations: Conversations,
    verdict: GateVerdict,
    budget: int,
    by: Member,
    now: datetime,
    via: Interface,
    session: AgentSession | None,
    received: Sequence[UUID] | None,
) -> Surfaced:
    """Pack what was not shown before. The member's row is locked, so that two concurrent prompts do not show a note
    twice.
    """
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).only("pk").get(pk=by.user_id)
        answers = _answers_before(by, now, session, received)
        before = {ref for _, refs in answers for ref in refs}
        new = [item.after(before) for item in items if item.ref not in before]
        known = [*(item.ref for item in items), *conversations.all_refs]
        conversations.leave_out(_conversations_of(answers, frozenset(before.intersection(conversations.all_refs))))
        if not new and not conversations.all_refs and not conversations.told_above:
            reason = f"Already surfaced: {', '.join(known)}."
            decision = _decide(kept, Gate.NOTHING_NEW, reason, verdict, by, now, query=done)
            return Surfaced(decision, degraded=done.found.degraded)
        refs = [item.ref for item in new]
        told = coach(moment=CoachingMoment.SURFACED, by=by, now=now, via=via, room=int(budget * COACHING_SHARE))
        below, query_id = [*lacks(done.found.degraded), conversations.above_line, told], str(done.found.query_id)
        room = budget - reserve([footer(refs, conversations.refs, query_id, budget, via), *below])
        lines = [one for one in done.contradiction_lines if {one.a, one.b} & set(refs)]
        share = conversations_share(new, done.found, conversations.answer)
        packed = Packed("", 0, ())
        if new or conversations.all_refs:
            packed = pack(
                new,
                room,
                fence=fence_for(by),
                contradictions=lines,
                conversations=conversations.writer,
                conversations_share=share,
                named=None if new else conversations.namer,
                via=via,
            )
        shown = [*packed.refs, *conversations.shown_refs, *conversations.named, *conversations.told_above]
        if not shown:
            reason = "What was found has nothing that can be quoted."
            decision = _decide(kept, Gate.NOTHING_RELEVANT, reason, verdict, by, now, query=done)
            return Surfaced(decision, degraded=done.found.degraded)
        conversations.store_shown(done.found.query_id)
        text = joined(packed, refs, conversations.shown_refs, query_id, budget, via, *below)
        _name_session(kept, by)
        reason = f"{verdict.reason} Surfaced: {', '.join(shown)}."
        decision = _decide(kept, Gate.OPEN, reason, verdict, by, now, query=done, shown=shown, spent=tokens(text))
    return Surfaced(decision, text, told, done.found.degraded)


def _corrected(
    done: Surfaced,
    by: Member,
    now: datetime,
    session: AgentSession,
    left: int,
    received: Sequence[UUID] | None,
    via: Interface,
    topic: Iterable[str],
) -> Surfaced:
    """Return the outcome, with what has superseded something that the session was shown, if there is any. The member's
    row is locked, so that two concurrent prompts do not give it twice.
    """
    budget = min(left, MOST_CORRECTING)
    if budget < LEAST_TOKENS or not (shown := _read_so_far(by, now, session, received)):
        return done
    if not corrections(shown, by):
        return done
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).only("pk").get(pk=by.user_id)
        items = corrections(_read_so_far(by, now, session, received), by)
        packed = pack(items, budget, fence=fence_for(by), via=via)
        if not packed.refs:
            return done
        gone = ", ".join(ref for item in items if item.ref in packed.refs for ref in item.superseded or (item.ref,))
        reason = f"Corrects what the session was shown: {gone}. {done.decision.reason}"
        done.decision.correct(packed.refs, reason, topic=topic, tokens=packed.tokens)
    return replace(done, text=packed.text)


def _read_so_far(
    by: Member, now: datetime, session: AgentSession, received: Sequence[UUID] | None
) -> dict[str, datetime]:
    """Return when the session was last shown each reference, asked or unasked."""
    told = list(_decided(by, now, session).surfaced().order_by("at", "pk").values_list("query", "shown", "at"))
    reached = told if received is None else [one for one in told if one[0] in received]
    asked = last_served(by=by, now=now, unless=[query for query, *_ in told if query])
    unasked = {ref: at for _, refs, at in reached for ref in refs}
    return {ref: max(filter(None, (asked.get(ref), unasked.get(ref)))) for ref in {**asked, **unasked}}


def _name_session(kept: str, by: Member) -> None:
    """Set the session's topic from its first prompt that surfaced something."""
    mine = AgentSession.objects.visible_to(by).filter(key=by.session, user_id=by.user_id, topic="")
    session = mine.select_for_update(no_key=True, of=("self",)).first() if by.session else None
    if session:
        session.set_topic(kept)


def _answers_before(
    by: Member, now: datetime, session: AgentSession | None, received: Sequence[UUID] | None
) -> list[tuple[UUID | None, list[str]]]:
    """Return the session's answers so far in order: the query of each and the references it showed."""
    rows = _decided(by, now, session).surfaced().received(received).order_by("at", "pk")
    return list(rows.values_list("query", "shown"))


def _conversations_of(answers: Sequence[tuple[UUID | None, list[str]]], again: frozenset[str]) -> ShownConversations:
    """Return which conversations these answers quoted or named. One statement, and none unless some are found
    `again`.
    """
    if not again:
        return ShownConversations()
    queries = [query for query, refs in answers if query and again.intersection(refs)]
    quoted = ServedPassage.objects.all().sessions_of(queries)
    return shown_conversations(answers, {(query, f"S-{session}") for query, session in quoted})


def _decide(
    kept: str,
    gate: Gate,
    reason: str,
    verdict: GateVerdict,
    by: Member,
    now: datetime,
    *,
    query: BuiltAnswer | None = None,
    shown: Sequence[str] = (),
    spent: int = 0,
) -> SurfaceDecision:
    return SurfaceDecision.objects.create(
        team_id=by.home_id,
        user_id=by.user_id,
        token_id=by.token_id,
        session_key=by.session_key,
        at=now,
        prompt=kept[:LONGEST_KEPT],
        gate=gate,
        reason=reason[:300],
        mode=verdict.mode or "",
        topic=sorted(verdict.topic),
        shown=list(shown),
        tokens=spent,
        query=query.found.query_id if query else None,
    )


def decisions(*, by: Member, limit: int) -> list[SurfaceDecision]:
    """Return the member's own last decisions, newest first."""
    return list(SurfaceDecision.objects.all().decided_for(by).newest()[:limit])
