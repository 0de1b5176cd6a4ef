"""What the demo's people and their agents did in the last two weeks, told through the acts that anybody has.

Each chapter is told once. Drafts and sittings carry keys of their own; what was asked leaves no key, so the questions
come before the sittings, and the last sitting stands for the whole: where it is, nothing is told again. What somebody
has changed since (a skill retired, a preference forgotten) stays as they left it.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from accounts.actions import preferences
from accounts.models import Preference, Team
from accounts.rules.rights import SYSTEM, Member
from knowledge.adapters.embedder import EmbedderDown, current
from knowledge.judging.actions.deposit import deposit
from knowledge.lifecycle.actions.infer import infer_due
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.rules.lifecycle import SignalKind as Verdict
from knowledge.models import Insight, Query
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules.ask import Ask
from knowledge.review.actions import settle
from knowledge.rules.draft import Draft
from knowledge.rules.vocabulary import Kind
from sessions_app.actions.capture import Report, capture
from sessions_app.actions.end import SessionWords, end
from sessions_app.actions.start import Opening, start
from sessions_app.conversations.actions.share import share
from sessions_app.handoffs.actions.recover import recover
from sessions_app.models import AgentSession
from sessions_app.rules.vocabulary import SILENCE, SessionState
from sessions_app.transcripts.rules.speakers import SharedTurns
from sessions_app.transcripts.rules.turn import Turn
from skills.actions import author
from skills.models import Skill
from skills.rules.skill_md import read

STORY = Path(__file__).resolve().parent / "content" / "story"
TEAM, REPO, AGENT = "platform", "acme/platform", "claude-code"


def tell(*, agents: Mapping[str, Member], now: datetime) -> None:
    """Let two weeks pass in the demo's teams, up to `now`. `agents`: by username, each as their token brings them."""
    sittings = json.loads((STORY / "sittings.json").read_text(encoding="utf-8"))
    if _sat(sittings[-1], agents):
        return
    _drafts(agents, now)
    _skills(agents["alice"], now)
    _preferences(agents, now)
    _questions(agents, now)
    share(repo="", team=TEAM, turns=SharedTurns.ALL, by=agents["alice"], now=now - timedelta(days=14))
    for sitting in sittings:
        if not _sat(sitting, agents):
            _sit(sitting, agents[sitting["who"]], now)
    infer_due(now=now)


def _rows(name: str) -> Iterator[dict[str, Any]]:
    with (STORY / name).open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _ago(row: dict[str, Any], now: datetime) -> datetime:
    return now - timedelta(days=row["days"])


# --- what was learned -------------------------------------------------------------------------------------------
def _drafts(agents: Mapping[str, Member], now: datetime) -> None:
    for row in _rows("drafts.jsonl"):
        by, at = agents[row["author"]], _ago(row, now)
        names = ("title", "body", "reasoning", "tags", "files")
        said = {name: row[name] for name in names}
        key = f"demo:story:{row['author']}:{row['title']}"
        draft = Draft(kind=Kind(row["kind"]), repo=REPO, team=TEAM, idempotency_key=key, **said)
        done = deposit(draft=draft, by=by, now=at)
        theirs = Insight.objects.visible_to(by).filter(team__slug=TEAM, title=row.get("contradicts", ""))
        other = theirs.order_by("pk").first()
        if other and other.is_current:
            settle.report(a=other.ref, b=done.insight.ref, reason=row["why"], by=by, now=at)


# The one that agents are given; the other waits for a lead to publish it.
PUBLISHED = "safe-migration"


def _skills(lead: Member, now: datetime) -> None:
    for days, path in zip((10.0, 2.0), sorted((STORY / "skills").glob("*.md"), reverse=True), strict=True):
        sheet = read(path.read_text(encoding="utf-8"))
        if not Skill.objects.filter(team__slug=TEAM, name=sheet.name).exists():
            live = sheet.name == PUBLISHED
            author.create(sheet=sheet, by=lead, now=now - timedelta(days=days), team=TEAM, live=live)


def _preferences(agents: Mapping[str, Member], now: datetime) -> None:
    for row in _rows("preferences.jsonl"):
        by = agents[row["who"]]
        place = Team.objects.get(slug=TEAM).pk if row["scope"] == "team" else by.home_id
        if not Preference.objects.filter(team_id=place, key=row["key"]).exists():
            said = {name: row[name] for name in ("key", "value", "category", "statement", "scope")}
            preferences.state(**said, team=TEAM if row["scope"] == "team" else "", by=by, now=_ago(row, now))


# --- what was asked ---------------------------------------------------------------------------------------------
def _questions(agents: Mapping[str, Member], now: datetime) -> None:
    rows = list(_rows("questions.jsonl"))
    with suppress(EmbedderDown):
        current().embed([row["query"] for row in rows])  # all in one call; each question then finds its vector
    for row in rows:
        by = agents[row["who"]]
        if not Query.objects.asked_by(by).filter(text=row["query"]).exists():
            _ask(row, by, _ago(row, now))


def _ask(row: dict[str, Any], by: Member, at: datetime) -> None:
    """Ask, and two minutes later say whether what came first has helped."""
    found = retrieve(ask=Ask(text=row["query"], files=row.get("files", ()), repo=row.get("repo", REPO)), by=by, now=at)
    if row["verdict"] and found.hits:
        rate(
            refs=[found.hits[0].insight.ref],
            verdict=Verdict(row["verdict"]),
            by=by,
            now=at + timedelta(minutes=2),
            query_id=found.query_id,
            reason=row.get("reason", ""),
        )


# --- how agents came and went -----------------------------------------------------------------------------------
def _key(sitting: dict[str, Any]) -> str:
    return f"demo:story:{sitting['branch']}"


def _sat(sitting: dict[str, Any], agents: Mapping[str, Member]) -> bool:
    who = agents[sitting["who"]].user_id
    return AgentSession.objects.filter(user_id=who, idempotency_key=_key(sitting)).exists()


def _sit(sitting: dict[str, Any], by: Member, now: datetime) -> None:
    """Start, ask, work; then end, fall silent and be recovered, or be at work still."""
    over = _ago(sitting, now)
    begun = over - timedelta(minutes=sitting["minutes"])
    said = {name: sitting[name] for name in ("branch", "prompt")}
    opening = Opening(repo=REPO, team=TEAM, agent=AGENT, idempotency_key=_key(sitting), **said)
    session = start(opening=opening, by=by, now=begun).session
    within = replace(by, session=session.key)
    if sitting["query"]:
        _ask(sitting, within, begun + timedelta(minutes=1))
    reports = [
        Report(id=f"{_key(sitting)}:{place}", at=begun + timedelta(minutes=event["minute"]), **_event(event))
        for place, event in enumerate(sitting["events"])
    ]
    capture(name=session.key, reports=reports, by=within, now=over)
    if sitting["finish"] == SessionState.ENDED:
        words = SessionWords(
            sitting["summary"], sitting["note"], sitting["pending"], transcript=_make_turns(sitting, begun, over)
        )
        end(name=session.key, words=words, by=within, now=over)
    if sitting["finish"] == SessionState.ABANDONED:
        told = _make_turns(sitting, begun, over)
        recover(session_id=session.pk, by=SYSTEM, now=over + SILENCE + timedelta(minutes=1), turns=told)


def _make_turns(sitting: dict[str, Any], begun: datetime, over: datetime) -> list[Turn]:
    """What was said in it, spread evenly over its time."""
    said = json.loads((STORY / "conversations.json").read_text(encoding="utf-8"))[sitting["branch"]]
    step = (over - begun) / len(said)
    return [Turn(role, text, (begun + step * place).isoformat()) for place, (role, text) in enumerate(said)]


def _event(event: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in event.items() if name != "minute"}
