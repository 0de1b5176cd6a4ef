"""What a narrowed token must not reach, laid out for sweeps; and which rows a call has changed, by their teams.

Alice leads the platform and the mobile team. All that is hers in the platform team, in her own, and all that she typed
has a word of its own, so that whatever tells it to somebody is found by the word.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any

from django.apps import apps
from django.db import models
from django.db.models import F
from rest_framework import serializers

from accounts.actions.preferences import state
from accounts.models import ApiToken, LogEntry, Membership, Team, User
from accounts.rules.rights import Level, Member
from accounts.serializers import SessionField
from knowledge.evidence.models import Search
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules.ask import Ask
from sessions_app.actions.end import SessionWords, end
from sessions_app.answers.actions.surface import surface
from sessions_app.conversations.actions.share import share
from sessions_app.models import Handoff
from sessions_app.transcripts.rules.speakers import SharedTurns
from sessions_app.transcripts.rules.turn import Turn
from tests.endpoints import Endpoint
from tests.factories import make_cluster, make_insight, make_skill
from tests.sessions_app.conversations.talk import begin

# Of the platform team; typed by Alice in a session of it; of her own.
TEAMS, TYPED, OWN = "zirconium", "tantalum", "beryllium"
# By the teams that a token is for, the words it must not meet: what is typed is of the personal team and of the
# session's, and takes both.
HIDDEN = {
    ("personal",): (TEAMS, TYPED),
    ("everyone",): (TEAMS, TYPED, OWN),
    ("mobile", "personal"): (TEAMS, TYPED),
    ("platform",): (TYPED, OWN),
}
MORNING = datetime.fromisoformat("2026-11-20T09:00:00Z")


@dataclass(frozen=True)
class Things:
    """Addresses of what a token may not reach, by the parts of a path, in turn; and the key of a session among them."""

    parts: list[dict[str, Any]]
    session: str


def furnish(alice: Member, platform: dict[str, Any], now: datetime) -> Things:
    """Put a word into everything, and let Alice have asked, typed and shared. `platform`: the parts of `stage`."""
    Membership.objects.create(
        team=Team.objects.create(name="Mobile", slug="mobile", prefix="MOB"), user_id=alice.user_id, level=Level.LEAD
    )
    sessions = [_talked(alice, "platform", TEAMS, TYPED, now), _talked(alice, "personal", OWN, OWN, now)]
    open_one = begin(alice, repo="acme/web", agent_session="claude-code:9", prompt=f"What does {TYPED} do?")
    note = make_insight(alice, body=f"The {TEAMS} ledger holds the salaries.", repo="acme/web", tags=[TEAMS])
    mine = make_insight(alice, body=f"The {OWN} ledger holds my notes.", team="personal")
    wish, _ = state(key=OWN, value=OWN, category="general", by=alice, now=now)
    make_skill(alice, name="ledger", description=f"Use for {TEAMS}.", instructions=TEAMS)
    make_skill(alice, name="notes", description=f"Use for {OWN}.", instructions=OWN, team="personal")
    own_cluster = make_cluster(alice.home_id, "C7", f"What {OWN} is.")
    asked = retrieve(ask=Ask(f"Where is the {TEAMS} ledger, and what does {TYPED} do?"), by=alice, now=now).query_id
    surface(prompt=f"Where is the {TEAMS} ledger of the {TYPED}? Why does it fail?", by=alice, now=now)
    search = {"team_id": alice.home_id, "user_id": alice.user_id, "at": now, "ask": {"mode": "FAST"}}
    Search.objects.create(**search, text=f"where is the {TEAMS} plan of {TYPED}", confidence=0.9)
    # One repository is kept to oneself where all others are shared: who removes that row shares it too.
    share(repo="diary", team="personal", turns=SharedTurns.ALL, by=alice, now=now)
    theirs = platform | {"ref": note.ref, "query_id": asked, "name": "ledger"}
    own = theirs | {"ref": mine.ref, "name": "notes", "preference_id": wish.id, "cluster": own_cluster.ref}
    parts = [platform, theirs | {"session_id": sessions[0]}, theirs | {"session_id": open_one.session}]
    return Things([*parts, own | {"session_id": sessions[1]}], open_one.session)


def _talked(alice: Member, team: str, word: str, typed: str, now: datetime) -> str:
    """A session that ended, with its handoff and a conversation."""
    turns = [
        Turn("user", f"The {typed} importer drops rows when the file has a BOM. What do we do?", _at(0)),
        Turn("assistant", f"Strip the BOM of {word} in the reader. " * 12, _at(1)),
        Turn("user", f"Keep the limit of {typed} at 5,000 rows a batch.", _at(2)),
        Turn("assistant", f"Done: batches of 5,000 rows of {word}.", _at(3)),
    ]
    key = begin(alice, repo="acme/web", team=team, prompt=f"The {typed} importer drops rows.").session
    end(
        name=key,
        words=SessionWords(summary=f"Mended {word}.", transcript=turns),
        by=replace(alice, session=key),
        now=now,
    )
    return key


def _at(minute: int) -> str:
    return MORNING.replace(minute=minute).isoformat()


# --- what is sent -------------------------------------------------------------------------------------------
def bodies(endpoint: Endpoint, slugs: Iterable[str], session: str) -> Iterator[Any]:
    """What works, in each team of the token and in a session of another one; and with each thing it can ask for."""
    body, shape = endpoint.good.body, endpoint.good.shape
    yield body
    if shape is None or body is None:
        return
    fields = shape().fields
    teams = [{"team": slug} for slug in slugs] if "team" in fields else [{}]
    more: list[dict[str, Any]] = [{}]
    for name, field in fields.items():
        if isinstance(field, serializers.BooleanField):
            more += [{name: True}, {name: False}]
        elif isinstance(field, SessionField) or name == "previous":
            more += [{name: session}]
        elif name == "agent_session":
            more += [{name: "claude-code:9"}]
        elif name == "repo":
            more += [{name: ""}, {name: "diary"}]
    yield from ({**body, **team, **one} for team in teams for one in more)


# --- what has changed ---------------------------------------------------------------------------------------
Row = tuple[int | None, str]
# What is kept of a call for its asker alone, in their own team, by whatever token; also what was said in a session of
# it, unless they share that.
KEPT_FOR_THE_ASKER = {
    *("knowledge.query", "evidence.search", "sessions_app.surfacedecision", "sessions_app.servedpassage"),
    "sessions_app.passage",
}
# Rows that tell nothing: what is counted, and of which hint an account was told.
COUNTED = {"accounts.tally", "accounts.lease", "sessions_app.coached", "sessions_app.passageterm"}
# When an account's preferences are next inferred, when and from where a token was last used; and a user's own prompts,
# which stand in a handoff and are shown to nobody else.
LEFT_OUT: dict[type[models.Model], tuple[str, ...]] = {
    User: ("inference_due_at",),
    ApiToken: ("last_used_at", "last_used_from"),
    Handoff: ("asked", "asked_last", "topics"),
}


def rows(tables: Collection[str] | None = None) -> dict[tuple[str, Any], Row]:
    """Every row of these tables, or of all, as its team (None: of none) and its text."""
    found: dict[tuple[str, Any], Row] = {}
    for model in apps.get_models(include_auto_created=True):
        if (tables is not None and model._meta.db_table not in tables) or model._meta.label_lower in COUNTED:
            continue
        names = [f.attname for f in model._meta.concrete_fields if f.attname not in LEFT_OUT.get(model, ())]
        every = model._base_manager.all()
        if model is LogEntry:
            every = every.exclude(verb="refused")
        paths = {f"team_{number}": F(path) for number, path in enumerate(team_paths(model))}
        for row in every.annotate(**paths).values("pk", *names, *paths):
            teams = [row.pop(name) for name in paths]
            team = next((one for one in teams if one is not None), None)
            found[model._meta.label_lower, row["pk"]] = (team, repr(sorted(row.items(), key=lambda item: item[0])))
    return found


@cache
def team_paths(model: type[models.Model], depth: int = 3) -> list[str]:
    """The relations by which a row may have its team, the nearest first; none for one that has no team."""
    if model is Team:
        return ["pk"]
    found = []
    fields = model._meta.concrete_fields
    for key in sorted(fields, key=lambda field: (field.related_model is not Team, field.null)):
        if isinstance(key, models.ForeignKey) and key.related_model is not User and depth:
            further = team_paths(key.related_model, depth - 1)  # type: ignore[arg-type]
            found += [f"{key.name}_id" if path == "pk" else f"{key.name}__{path}" for path in further]
            if further and not key.null:
                return found[-len(further) :]
    return sorted(found, key=lambda path: path.count("__"))


def beyond(before: dict[tuple[str, Any], Row], tables: Collection[str], by: Member, hidden: Iterable[str]) -> list[str]:
    """What was changed in these tables that is not of the member's teams, and where there is a hidden word now."""
    after, wrong = rows(tables), []
    models_of = {model._meta.label_lower for model in apps.get_models() if model._meta.db_table in tables}
    for key in {*(key for key in before if key[0] in models_of), *after}:
        was, now_is = before.get(key), after.get(key)
        if was == now_is:
            continue
        model = key[0]
        kept = model in KEPT_FOR_THE_ASKER and was is None and now_is and now_is[0] in (by.home_id, None)
        teams = {row[0] for row in (was, now_is) if row}
        if not kept and not teams <= set(by.team_ids):
            wrong.append(f"{key} of team {teams}")
        told = [word for word in hidden if now_is and word in now_is[1] and not (was and word in was[1])]
        if told and not kept:
            wrong.append(f"{key} tells {told}")
    return wrong
