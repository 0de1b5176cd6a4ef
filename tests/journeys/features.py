"""Everything that Loam does, done once, through its own interfaces: REST, MCP, pages, the admin, commands, sweeps.

What there is to do is found by looking; what is new and has no story here fails tests/journeys/test_every_feature.py.
Most REST calls are those of tests/endpoints.py, on rows of their own; `PREPARED` says what a call needs beforehand.
"""

import functools
import io
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.contrib import admin
from django.core.asgi import get_asgi_application
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command, get_commands
from django.db import connection, transaction
from django.test import Client
from django.urls import URLPattern, reverse
from django.utils import timezone

import accounts.urls
import knowledge.evidence.urls
import knowledge.urls
import sessions_app.urls
import skills.urls
from accounts.actions.guard_terms import allow_term
from accounts.actions.invitations import invite
from accounts.actions.members import member_of, set_level
from accounts.actions.preferences import state
from accounts.actions.tokens import issue_token
from accounts.authentication import INVITATION
from accounts.models import Membership, Preference, Team, User
from accounts.rules.archive import pack
from accounts.rules.rights import Level, Member, Scope
from knowledge.evidence.models import KnowledgeCluster
from knowledge.forms.proposals import ApproveForm
from knowledge.jobs.actions.background import ask_regroup
from knowledge.judging.actions.relate import relate
from knowledge.judging.rules.relations import Relation, Statement
from knowledge.models import BackgroundJob, Corroboration, Insight, Pair, Topic
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules.ask import Ask
from knowledge.review.actions import combine, curate
from knowledge.review.actions.forget import forget
from knowledge.review.actions.inbox_state import snooze
from knowledge.review.actions.quarantine import scan
from knowledge.review.actions.saved_filters import save_filter
from knowledge.review.actions.settle import marks_of, report
from knowledge.review.rules.saved_filters import Listing
from sessions_app.management.commands.sweep import NAMES as SWEEPS
from sessions_app.mcp.catalogue import TOOLS
from sessions_app.mcp.gateway import Gateway
from skills.actions import author
from tests import stage
from tests.conftest import agent, person
from tests.endpoints import ENDPOINTS, LESSON, SKILL, Endpoint
from tests.factories import make_annotation, make_conflict, make_insight, make_proposal, make_skill, make_webhook
from tests.knowledge.review.actions.test_quarantine import LEAKY
from tests.pages import signed_in
from tests.sessions_app.conversations.talk import on_day, talk
from tests.together import apart

Form = dict[str, Any]
APPS = (accounts.urls, knowledge.urls, knowledge.evidence.urls, skills.urls, sessions_app.urls)
# Written by any request, whatever it is for.
VISITED = ("django_session", "accounts_tally", "shared_cache", '"accounts_apitoken" SET "last_used')


@contextmanager
def writing() -> Iterator[list[str]]:
    """The statements inside that wrote something, a request's own traces apart."""
    written: list[str] = []

    def seen(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.lstrip().startswith(("INSERT", "UPDATE", "DELETE")) and not any(name in sql for name in VISITED):
            written.append(sql)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(seen):
        yield written


class World:
    """People, what they come in with, and rows to act on; `folder` is for files."""

    def __init__(self, platform: Team, mobile: Team, root: User, folder: Path) -> None:
        self.folder, self.platform = folder, platform
        users = {"alice": person("alice", platform, Level.LEAD), "bob": person("bob", platform)}
        set_level(
            team_slug=mobile.slug, username="alice", level=Level.LEAD, by=member_of(user=root), now=timezone.now()
        )
        self.users = users | {"root": root}
        self.alice, self.bob, self.root = (member_of(user=user) for user in self.users.values())
        self.agents = {name: agent(member_of(user=user), now=timezone.now()) for name, user in users.items()}
        self.browsers = {name: signed_in(user) for name, user in self.users.items()}
        self.count = 0
        self.fresh(), self.fresh()  # PLAT-1 and PLAT-2, as tests/endpoints.py names them

    def fresh(self, by: Member | None = None, **over: Any) -> Insight:
        """An insight that says what no other one says."""
        self.count += 1
        body = f"Shard {self.count} of the ledger is resized with `ledgerctl grow {self.count}`, and needs a freeze."
        return make_insight(by or self.alice, timezone.now(), **{"body": body, "team": "platform", **over})

    def twin(self) -> Insight:
        """One that another was merged into."""
        row = self.fresh()
        combine.merge(ref=self.fresh(by=self.bob).ref, into=row.ref, by=self.alice, now=timezone.now())
        return row

    def pair(self) -> int:
        pair = report(a=self.fresh().ref, b=self.fresh().ref, reason="so", by=self.alice, now=timezone.now())
        return int(pair.pk)

    def topics(self) -> list[Topic]:
        """Two that stand, the team's."""
        team = {"team": self.platform, "created_at": timezone.now(), "updated_at": timezone.now()}
        return [Topic.objects.create(label=f"Ledger {n}", **team) for n in range(2)]

    def leaked(self) -> str:
        row = self.fresh()
        Insight.objects.filter(pk=row.pk).update(body=LEAKY)
        scan(now=timezone.now())
        return row.ref

    def skill(self, name: str, *, live: bool) -> str:
        return make_skill(self.alice, timezone.now(), live=live, name=name).name


# --- REST -----------------------------------------------------------------------------------------------------
Prepared = Callable[[World], Form]


def _after(act: Callable[..., Any], **more: Any) -> Prepared:
    """A fresh insight to which that was done before."""

    def prepared(world: World) -> Form:
        row = world.fresh()
        act(ref=row.ref, by=world.alice, now=timezone.now(), **more)
        return {"ref": row.ref}

    return prepared


def _unmerge(world: World) -> Form:
    row = world.twin()
    return {"ref": row.ref, "body": {"corroboration": Corroboration.objects.get(insight=row).pk}}


def _merge_topics(world: World) -> Form:
    one, other = world.topics()
    return {"topic_id": one.pk, "body": {"into": str(other.pk)}}


def _asked(world: World) -> Form:
    return {"query_id": retrieve(ask=Ask("resize a shard"), by=world.alice, now=timezone.now()).query_id}


def _preference(world: World) -> Form:
    fields = {"key": "runner", "value": "jest", "category": "general", "team": "platform"}
    return {"preference_id": state(**fields, by=world.alice, now=timezone.now())[0].id}


def _provenance(world: World) -> Form:
    world.fresh(repo="acme/web", files=["a.py"], provenance=[{"path": "a.py", "sha256": "1" * 64}])
    return {}


def _term(world: World) -> int:
    return int(allow_term(team="platform", term="hunter3", reason="so", by=world.alice, now=timezone.now())[0].pk)


def _cluster(world: World) -> Form:
    world.agents["alice"].post("/api/v1/evidence/search/", {"query": "largest blobs of the history of a repository"})
    return {"cluster": KnowledgeCluster.objects.order_by("pk")[0].ref}


def _known_topic(world: World) -> Form:
    """One of which enough is promoted to make a skill of."""
    rows = [world.fresh() for _ in range(3)]
    Insight.objects.filter(pk__in=[row.pk for row in rows]).update(topic=rows[0].topic_id)
    for row in rows:
        curate.promote(ref=row.ref, by=world.alice, now=timezone.now())
    return {"topic_id": rows[0].topic_id}


def _suggested(world: World) -> Form:
    row = world.fresh()
    return {"ref": row.ref, "proposal_id": make_proposal(row, world.bob, timezone.now()).pk}


PREPARED: dict[str, Prepared] = {
    "insight-proposal-comments": _suggested,
    "contradiction-comments": lambda world: {"pair_id": world.pair()},
    "insight-unpin": _after(curate.pin),
    "insight-restore": _after(curate.deprecate),
    "insight-reinstate": _after(combine.supersede, by_ref="PLAT-2"),
    "insight-unmerge": _unmerge,
    "insight-release": lambda world: {"ref": world.leaked()},
    "why-not": _asked,
    "provenance": _provenance,
    "contradiction-resolve": lambda world: {"pair_id": world.pair()},
    "contradiction-dismiss": lambda world: {"pair_id": world.pair()},
    "preference": _preference,
    "annotation": lambda world: _annotation(world),
    "guard-term": lambda world: {"term_id": _term(world)},
    "webhook": lambda world: {"webhook_id": make_webhook(world.alice, timezone.now()).pk},
    "insight-owner": lambda world: {"ref": world.fresh().ref, "body": {"owner": "alice"}},
    "topic-owner": lambda world: {"topic_id": world.topics()[0].pk, "body": {"owner": "alice"}},
    "topic-rename": lambda world: {"topic_id": world.topics()[0].pk},
    "topic-merge": _merge_topics,
    "topic-distil": _known_topic,
    "skill": lambda world: {"name": world.skill("drafted", live=False)},
    "skill-owner": lambda world: {"name": world.skill("to-own", live=False), "body": {"owner": "alice"}},
    "skill-publish": lambda world: {"name": world.skill("to-publish", live=False)},
    "skill-retire": lambda world: {"name": world.skill("to-retire", live=True)},
    "session-forget": lambda world: {"session_id": talk(world.alice).key},
    "evidence-deposit": _cluster,
    "evidence-refresh": _cluster,
}
# By somebody else than whose it is, or it would not count; by a contributor, who only proposes a skill.
BY_BOB = {("ratings", "POST"), ("skills", "POST")}
# It only looks. What is no more shared is what the call before it shared.
LOOKS = {"why-not"}
MORE: dict[tuple[str, str], Form] = {("session-sharing", "DELETE"): {"QUERY_STRING": "repo=acme/web"}}


def rest_calls() -> list[Endpoint]:
    """All but reads; what is shared before it is shared no more."""
    return sorted((endpoint for endpoint in ENDPOINTS if endpoint.method != "GET"), key=lambda e: e.method == "DELETE")


def call(world: World, endpoint: Endpoint) -> str:
    """Make that call; what is wrong with how it went, "" if nothing is."""
    fresh: dict[str, Prepared] = {
        "ref": lambda world: {"ref": world.fresh().ref},
        "session_id": lambda world: {"session_id": stage.session(world.alice, timezone.now())},
    }
    prepare = PREPARED.get(endpoint.name) or fresh.get((*endpoint.names, "")[0], lambda world: {})
    parts = prepare(world) | MORE.get((endpoint.name, endpoint.method), {})
    client = world.agents["bob" if (endpoint.name, endpoint.method) in BY_BOB else "alice"]
    with writing() as written:
        answer = endpoint.send(client, parts.pop("body", None) or _team_named(endpoint), **parts)
    if answer.status_code != endpoint.good.status:
        return f"{answer.status_code}: {answer.content[:300]!r}"
    return "" if written or endpoint.name in LOOKS else "nothing was written"


def _team_named(endpoint: Endpoint) -> Form:
    """The good body; of one who is of several teams it says which is meant."""
    body = dict(endpoint.good.body or {})
    shape = endpoint.good.shape
    named = shape is not None and "team" in shape().fields and endpoint.name != "query"
    inner = {"insights": [{**LESSON, "team": "platform"}]} if "insights" in body and endpoint.name != "ratings" else {}
    return {**body, **inner, **({"team": body.get("team", "platform")} if named else {})}


# --- MCP ------------------------------------------------------------------------------------------------------
def _handoff(world: World) -> Form:
    return {"session": stage.session(world.alice, timezone.now()), "take": stage.session(world.alice, timezone.now())}


TOOL_STORIES: dict[str, Callable[[World], Form]] = {
    "deposit_insight": lambda world: {**LESSON, "body": "Ledger exports close at noon.", "team": "platform"},
    "relate_insight": lambda world: {
        "ref": world.fresh().ref, "relations": [{"ref": world.fresh().ref, "relation": "supersedes", "note": "so"}],
    },
    "rate_insight": lambda world: {"insight": world.fresh(by=world.bob).ref, "verdict": "unhelpful", "reason": "old"},
    "report_contradiction": lambda world: {"a": world.fresh().ref, "b": world.fresh().ref, "reason": "both cannot be"},
    "propose_edit": lambda world: {"ref": world.fresh().ref, "title": "Clearer", "note": "so"},
    "set_preference": lambda world: {"category": "values", "key": "tests", "value": "first"},
    "create_skill": lambda world: {**SKILL, "name": "by-tool", "team": "platform", "trigger_tags": ["ledger"]},
    "start_session": lambda world: {"repo": "acme/web", "team": "platform", "claims": ["src/**"], "prompt": "Resize."},
    "checkpoint_session": lambda world: {
        "session": stage.session(world.alice, timezone.now()), "summary": "half", "claims": ["a/**"],
    },
    "end_session": lambda world: {"session": stage.session(world.alice, timezone.now()), "summary": "done"},
    "get_session_history": lambda world: {
        "session": stage.session(world.alice, timezone.now()), "take": talk(world.bob, repo="acme/web").ref,
    },
    "search_evidence": lambda world: {"query": "largest blobs of the history"},
    "refresh_saved_answer": lambda world: {"ref": _cluster(world)["cluster"]},
}  # fmt: skip


def writing_tools() -> set[str]:
    return {tool.name for tool in TOOLS if not tool.reads}


def use_tool(world: World, name: str) -> str:
    """Call that tool as MCP does; what is wrong with how it went."""
    tool = next(tool for tool in TOOLS if tool.name == name)
    secret = issue_token(name="tool", scopes=list(Scope), by=world.alice, now=timezone.now()).secret
    headers = [(b"authorization", f"Bearer {secret}".encode()), (b"host", b"localhost")]
    scope = {"type": "http", "http_version": "1.1", "scheme": "http", "headers": headers}
    scope |= {"server": ("localhost", 80), "client": ("127.0.0.1", 40_000)}
    given = TOOL_STORIES[name](world)
    result = apart(functools.partial(tool.run, Gateway(get_asgi_application(), scope), given))
    return str(result.content) if result.is_error else ""


# --- pages ----------------------------------------------------------------------------------------------------
# Parts of the address and the form's fields; `_by`: who sends it, else Alice.
Page = Callable[[World], tuple[Form, Form]]
EDITED = {"title": "New", "kind": "PITFALL", "body": "New words.", "stability": "stable", "initial-title": "Old"}


def _one(**form: Any) -> Page:
    return lambda world: ({"ref": world.fresh().ref}, form)


def _on(prepared: Prepared, **form: Any) -> Page:
    return lambda world: (prepared(world), form)


def _edit(world: World) -> tuple[Form, Form]:
    row = world.fresh()
    return {"ref": row.ref}, {**EDITED, "initial-body": row.body, "revision": row.revision}


def _settle(world: World) -> tuple[Form, Form]:
    pair = Pair.objects.select_related("a").get(pk=world.pair())
    return {"pair_id": pair.pk}, {"how": "merge", "keep": pair.a.ref}


def _merge(world: World) -> tuple[Form, Form]:
    """One written text for both sides of a pair, typed over what the form shows."""
    pair = Pair.objects.with_sides().get(pk=world.pair())
    typed = {"keep": pair.a.ref, "title": "One for both", "body": "What both say of the ledger.", "reasoning": "so"}
    return {"pair_id": pair.pk}, {**typed, "why": "so", "seen": marks_of(pair)}


def _snoozed(world: World) -> Form:
    row = world.fresh()
    now = timezone.now()
    snooze(items=[row.ref], until=now + timedelta(days=1), by=world.alice, now=now)
    return {"ref": row.ref}


def _proposal(**form: Any) -> Page:
    def page(world: World) -> tuple[Form, Form]:
        made = make_proposal(world.fresh(), world.bob, timezone.now())
        return {"proposal_id": made.pk}, form

    return page


def _withdrawn(world: World) -> tuple[Form, Form]:
    return {"proposal_id": make_proposal(world.fresh(), world.alice, timezone.now()).pk}, {}


def _approved_with_edits(world: World) -> tuple[Form, Form]:
    made = make_proposal(world.fresh(), world.bob, timezone.now())
    form = ApproveForm.of_proposal(made)
    return {"proposal_id": made.pk}, {**form.data, "title": "Better still"}


def _conflict(how: str) -> Page:
    def page(world: World) -> tuple[Form, Form]:
        row = world.fresh()
        form = {**EDITED, "how": how, "revision": row.revision, "initial-body": row.body}
        return {"conflict_id": make_conflict(row, world.alice, timezone.now()).pk}, form

    return page


def _undo(world: World) -> tuple[Form, Form]:
    row = world.fresh()
    path = reverse("knowledge:promote", args=[row.ref])
    told = world.browsers["alice"].post(path, {}, follow=True).content.decode()
    return {}, {"action": told.split('name="action" value="')[1].split('"')[0]}


def _filter(world: World) -> Form:
    fields = {"listing": Listing.INSIGHTS, "name": "Pitfalls", "given": {"kind": "PITFALL"}, "team": "platform"}
    return {"filter_id": save_filter(**fields, by=world.alice, now=timezone.now()).pk}


def _job(world: World) -> Form:
    job = BackgroundJob.objects.open().first() or ask_regroup(team="platform", by=world.alice, now=timezone.now())
    return {"job_id": job.pk}


def _revert(world: World) -> tuple[Form, Form]:
    row = world.fresh()
    curate.pin(ref=row.ref, by=world.alice, now=timezone.now())
    return {"ref": row.ref}, {"revision": Insight.objects.get(pk=row.pk).revision}


def _corroboration(world: World) -> Form:
    row = world.twin()
    return {"ref": row.ref, "corroboration": Corroboration.objects.get(insight=row).pk}


def _retelling(world: World) -> Form:
    """What says a note again in other words, and waits for a lead."""
    row = world.twin()
    said = Corroboration.objects.get(insight=row)
    said.hold()
    said.save(update_fields=["draft", "judged_by"])
    return {"ref": row.ref, "corroboration": said.pk}


def _link(world: World) -> Form:
    """Two of which their author says that they belong together."""
    other = world.fresh(body="Before the ledger is frozen, its channel is told.")
    row = world.fresh(by=world.bob, body="Who thaws the ledger again waits for the night's report.")
    told = [Statement(other.ref, Relation.COMPLEMENTS)]
    relate(ref=row.ref, statements=told, by=world.bob, now=timezone.now())
    return {"pair_id": Pair.objects.get(relation=Relation.COMPLEMENTS, settled_by_lead=False).pk}


def _topic(world: World) -> Form:
    return {"topic_id": world.topics()[0].pk}


def _topic_into(world: World) -> tuple[Form, Form]:
    one, other = world.topics()
    return {"topic_id": one.pk}, {"into": str(other.pk), "confirmed": "1"}


def _ripe_topic(world: World) -> Form:
    """A topic with as many promoted insights as a skill takes."""
    one, _ = world.topics()
    rows = [world.fresh() for _ in range(3)]
    Insight.objects.filter(pk__in=[row.pk for row in rows]).update(topic=one, status="promoted")
    return {"topic_id": one.pk}


def _own_token(world: World) -> Form:
    return {"token_id": issue_token(name="old", scopes=[Scope.READ], by=world.alice, now=timezone.now()).token.pk}


def _invitation(world: World) -> Form:
    made = invite(team_slug="platform", level=Level.READER, uses=1, days=7, by=world.alice, now=timezone.now())
    return {"slug": "platform", "invitation_id": made.invitation.pk}


def _join(world: World) -> tuple[Form, Form]:
    """Bob follows a link into the mobile team."""
    made = invite(team_slug="mobile", level=Level.READER, uses=1, days=7, by=world.alice, now=timezone.now())
    world.browsers["bob"].get(reverse("accounts:join"), {INVITATION: made.secret})
    return {}, {"_by": "bob"}


def _two_leads(world: World) -> tuple[Form, Form]:
    """The mobile team asks for a second reviewer, which takes another lead."""
    person("mona", Team.objects.get(slug="mobile"), Level.LEAD)
    return {"slug": "mobile"}, {"required": "on"}


def _removed(world: World) -> Form:
    person("gone", world.platform)
    return {"slug": "platform", "username": "gone"}


def _mine(world: World) -> Form:
    row = state(key="editor", value="vim", category="general", team="personal", by=world.alice, now=timezone.now())[0]
    return {"preference_id": row.id}


def _inferred(world: World) -> Form:
    own = _mine(world)
    Preference.objects.filter(pk=own["preference_id"]).update(source="inferred", confidence=0.7)
    return own


def _skill(name: str, *, live: bool = False) -> Prepared:
    return lambda world: {"team": "platform", "name": world.skill(name, live=live)}


def _skill_edit(world: World) -> tuple[Form, Form]:
    said = {"name": "by-page-edited", "description": "New.", "instructions": "1. New.", "revision": 1}
    return _skill("by-page-edited")(world), said


def _retired(world: World) -> Form:
    """One that comes back."""
    found = _skill("by-page-published", live=True)(world)
    author.retire(**found, by=world.alice, now=timezone.now())
    return found


def _restored(world: World) -> tuple[Form, Form]:
    found = _skill("by-page-restored", live=True)(world)
    sent = {"changes": {"instructions": "1. Other."}, "by": world.alice, "now": timezone.now()}
    skill = author.edit(**found, **sent, revision=None).skill
    return {**found, "number": 1}, {"revision": skill.revision}


def _annotation(world: World) -> Form:
    world.count += 1
    return {"annotation_id": make_annotation(world.alice, timezone.now(), text=f"Deploy {world.count}").pk}


def _session(world: World) -> Form:
    world.count += 1
    return {"name": talk(world.alice, on_day(1 + world.count % 28), repo="acme/pages").ref}


def _archive(name: str, files: dict[str, bytes]) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, pack(files))


SKILL_MD = b"---\nname: by-archive\ndescription: How to release.\n---\n\n1. Tag.\n"
PAGES: dict[str, Page] = {
    "accounts:tokens": lambda world: ({}, {"name": "laptop", "scopes": ["read", "write"], "expires": "90"}),
    "accounts:revoke": _on(_own_token),
    "accounts:team": lambda world: (
        {"slug": "platform"}, {"username": person("carla", None).username, "level": Level.READER.value},
    ),
    "accounts:remove": _on(_removed),
    "accounts:invitations": lambda world: ({"slug": "platform"}, {"level": Level.READER.value, "uses": 2, "days": 7}),
    "accounts:invitation-revoke": _on(_invitation),
    "accounts:join": _join,
    "accounts:retention": lambda world: ({"slug": "platform"}, {"days": 90}),
    "accounts:second-reviewer": _two_leads,
    "accounts:terms": lambda world: ({"slug": "platform"}, {"term": "hunter4", "reason": "a joke"}),
    "accounts:term-withdraw": lambda world: ({"slug": "platform", "term_id": _term(world)}, {}),
    "accounts:preferences": lambda world: (
        {}, {"key": "shell", "value": "fish", "category": "general", "team": "personal"},
    ),
    "accounts:preference": _on(_mine, value="emacs", category="general"),
    "accounts:preference-confirm": _on(_inferred),
    "accounts:preference-forget": _on(_mine, confirmed="1"),
    "accounts:settings": lambda world: ({}, {one.name: [*one.words][-1] for one in accounts.forms.SETTINGS}),
    "knowledge:standing-restore": lambda world: ({}, {"team": "platform", "username": "bob", "how": "restore"}),
    "knowledge:act": lambda world: ({}, {"verb": "promote", "ref": [world.fresh().ref, world.fresh().ref]}),
    "knowledge:undo": _undo,
    "knowledge:settle": _settle,
    "knowledge:settle-many": lambda world: ({}, {"how": "dismiss", "ref": [world.pair(), world.pair()]}),
    "knowledge:pair-merge": _merge,
    "knowledge:pair-comment": lambda world: ({"pair_id": world.pair()}, {"text": "so"}),
    "knowledge:pair-mentions-read": lambda world: ({"pair_id": world.pair()}, {}),
    "knowledge:snooze": lambda world: ({}, {"ref": [world.fresh().ref], "until": "week"}),
    "knowledge:unsnooze": lambda world: ({}, _snoozed(world)),
    "knowledge:assign": lambda world: ({}, {"ref": [world.fresh().ref], "assignee": "me"}),
    "knowledge:propose": _edit,
    "knowledge:proposal-approve": _proposal(),
    "knowledge:proposal-reject": _proposal(text="so"),
    "knowledge:proposal-request-changes": _proposal(text="so"),
    "knowledge:proposal-comment": _proposal(text="so"),
    "knowledge:proposal-mentions-read": _proposal(),
    "knowledge:proposal-withdraw": _withdrawn,
    "knowledge:proposal-replay": _proposal(),
    "knowledge:proposal-edit": _approved_with_edits,
    "knowledge:conflict": _conflict("take"),
    "knowledge:conflict-edit": _conflict(""),
    "knowledge:filter-save": lambda world: (
        {}, {"page": "insights", "query": "kind=DECISION", "name": "Decisions", "team": "platform"},
    ),
    "knowledge:filter-delete": _on(_filter),
    "knowledge:new": lambda world: (
        {}, {"team": "platform", "kind": "CONTEXT", "body": "The ledger is audited each May.", "stability": "stable"},
    ),
    "knowledge:edit-many": lambda world: ({}, {"ref": [world.fresh().ref, world.fresh().ref], "add_tags": "ledger"}),
    "knowledge:bring-in": lambda world: (
        {}, {"team": "platform", "kind": "CONTEXT", "file": _archive("n.zip", {"a.md": b"# Ledger\n\nIt is audited."})},
    ),
    "knowledge:regroup": lambda world: ({}, {"team": "mobile"}),
    "knowledge:job-stop": _on(_job),
    "knowledge:edit": _edit,
    "knowledge:inline": _edit,
    "knowledge:promote": _one(),
    "knowledge:deprecate": _one(why="so"),
    "knowledge:restore": _on(_after(curate.deprecate)),
    "knowledge:leave": _one(),
    "knowledge:pin": _one(),
    "knowledge:unpin": _on(_after(curate.pin)),
    "knowledge:merge": _one(other="PLAT-2"),
    "knowledge:supersede": _one(other="PLAT-2"),
    "knowledge:reinstate": _on(_after(combine.supersede, by_ref="PLAT-2")),
    "knowledge:validate": _one(),
    "knowledge:move": lambda world: ({"ref": world.twin().ref}, {"team": "mobile", "confirmed": "1"}),
    "knowledge:rate": lambda world: ({"ref": world.fresh(by=world.bob).ref}, {"verdict": "unhelpful", "why": "old"}),
    "knowledge:revert": _revert,
    "knowledge:unmerge": _on(_corroboration),
    "knowledge:accept-retelling": _on(_retelling),
    "knowledge:accept-link": _on(_link),
    "knowledge:owner": _one(owner="bob"),
    "knowledge:topic-rename": _on(_topic, label="Shards"),
    "knowledge:topic-owner": _on(_topic, owner="alice"),
    "knowledge:topic-merge": _topic_into,
    "evidence:evidence": lambda world: ({}, {"query": "biggest keys of redis", "mode": "DEEP"}),
    "evidence:cluster": lambda world: (
        {"ref": KnowledgeCluster.objects.order_by("-pk")[0].ref}, {"title": "What was found", "kind": "CONTEXT"},
    ),
    "evidence:refresh": lambda world: ({"ref": _cluster(world)["cluster"]}, {}),
    "skills:new": lambda world: ({}, {**SKILL, "name": "by-page", "team": "platform", "tags": "ledger"}),
    "skills:import": lambda world: (
        {}, {"team": "platform", "live": "on", "file": _archive("s.zip", {"by-archive/SKILL.md": SKILL_MD})},
    ),
    "skills:edit": _skill_edit,
    "skills:restore": _restored,
    "skills:publish": _on(_retired),
    "skills:owner": _on(_skill("by-page-owned", live=True), owner="alice"),
    "skills:retire": _on(_skill("by-page-retired", live=True), confirmed="1"),
    "skills:distil": _on(_ripe_topic),
    "sessions:connect": lambda world: ({}, {"name": "agent", "scopes": ["read"], "expires": "90"}),
    "sessions:annotation-add": lambda world: (
        {}, {"day": timezone.now().date().isoformat(), "text": "Release 3.0", "team": "platform"},
    ),
    "sessions:annotation-edit": lambda world: (
        _annotation(world), {"day": timezone.now().date().isoformat(), "text": "Release 3.1"},
    ),
    "sessions:annotation-remove": _on(_annotation, confirmed="1"),
    "sessions:acknowledge": _on(_session, action="close"),
    "sessions:quote": lambda world: (
        _session(world),
        {"passage": [1, 2], "save": "1", "team": "platform", "kind": "CONTEXT", "title": "BOM", "body": "Strip it."},
    ),
    "sessions:forget-conversation": _on(_session, why="private"),
    "sessions:sharing": lambda world: ({}, {"repo": "acme/pages", "team": "platform", "turns": "all"}),
    "sessions:unshare": lambda world: ({}, {"repo": "acme/pages"}),
}  # fmt: skip


def _methods(view: Any) -> set[str]:
    """The methods that a view's decorators let through; none if they say nothing."""
    found: set[str] = set()
    while view is not None:
        for cell in getattr(view, "__closure__", None) or ():
            if isinstance(cell.cell_contents, list):
                found |= {word for word in cell.cell_contents if word in ("GET", "POST", "HEAD")}
        view = getattr(view, "__wrapped__", None)
    return found


def writing_pages() -> set[str]:
    pages = [(app.app_name, page) for app in APPS for page in app.urlpatterns if isinstance(page, URLPattern)]
    return {f"{app}:{page.name}" for app, page in pages if "".join(_methods(page.callback) - {"HEAD"}) != "GET"}


def send(world: World, name: str) -> str:
    """Send that page's form; what is wrong with how it went."""
    parts, form = PAGES[name](world)
    client: Client = world.browsers[form.pop("_by", "alice")]
    with writing() as written:
        answer = client.post(reverse(name, kwargs=parts), form)
    if answer.status_code not in (200, 302):
        return f"{answer.status_code}: {answer.content[:300]!r}"
    return "" if written else f"nothing was written: {_faults(answer)}"


def _faults(answer: Any) -> str:
    form = (answer.context or {}).get("form") if hasattr(answer, "context") else None
    return str(getattr(form, "errors", "")) or answer.get("Location", "")


# --- the admin ------------------------------------------------------------------------------------------------
# The framework's own, and what is only ever made by looking or by the clock.
NOT_OURS = ("auth", "django_celery_beat", "account.", "account_", "mfa", "sites", "socialaccount")


class _Request:
    def __init__(self, user: User) -> None:
        self.user, self.GET = user, {}


def admin_actions(world: World) -> list[tuple[str, str]]:
    """Of every list of ours its bulk actions; those that hand out a file apart."""
    request: Any = _Request(world.users["root"])
    lists = [(page.model._meta.label_lower, page) for page in admin.site._registry.values()]
    ours = [(label, page) for label, page in lists if not label.startswith(NOT_OURS)]
    return [(label, name) for label, page in ours for name in page.get_actions(request) if "export" not in name]


# Which rows an action is tried on; else the newest.
CHOSEN: dict[tuple[str, str], Callable[[World], list[Any]]] = {
    ("knowledge.topic", "merge_topics"): lambda world: [topic.pk for topic in world.topics()],
    ("knowledge.insight", "restore"): lambda world: [_pk(_after(curate.deprecate)(world))],
    ("knowledge.insight", "unpin"): lambda world: [_pk(_after(curate.pin)(world))],
    **{
        ("knowledge.quarantined", name): lambda world: [_pk({"ref": world.leaked()})]
        for name in ("release_masked", "release_as_it_is", "forget")
    },
    **{("knowledge.forgotten", name): lambda world: [_pk(_forgotten(world))] for name in ("restore", "erase")},
    ("accounts.membership", "delete_selected"): lambda world: [
        Membership.objects.get(user__username="carla", team=world.platform).pk
    ],
    ("accounts.invitation", "revoke"): lambda world: [_invitation(world)["invitation_id"]],
    ("accounts.apitoken", "revoke"): lambda world: [_own_token(world)["token_id"]],
}


def _forgotten(world: World) -> Form:
    """One with a history: merged into, superseding another, forgotten."""
    row = world.twin()
    combine.supersede(ref=world.fresh().ref, by_ref=row.ref, by=world.alice, now=timezone.now())
    forget(ref=row.ref, why="private", by=world.alice, now=timezone.now())
    return {"ref": row.ref}


def _pk(found: Form) -> Any:
    return Insight.objects.get(ref=found["ref"]).pk


def moderate(world: World, label: str, name: str) -> str:
    """That bulk action, confirmed where it asks; what is wrong with how it went. Of a list without rows nothing is."""
    model = next(page.model for page in admin.site._registry.values() if page.model._meta.label_lower == label)
    choose = CHOSEN.get((label, name))
    if choose is None and label == "knowledge.insight":
        world.fresh()
    rows = choose(world) if choose else list(model._default_manager.order_by("-pk").values_list("pk", flat=True)[:1])
    path = reverse(f"admin:{label.replace('.', '_')}_changelist")
    answer = world.browsers["root"].post(path, {"action": name, "_selected_action": rows, "post": "yes"}, follow=True)
    return "" if answer.status_code == 200 else f"{answer.status_code}: {answer.content[:300]!r}"


ADDED: dict[str, Callable[[World], Form]] = {
    "accounts_team": lambda world: {"name": "Data", "slug": "data", "prefix": "DATA", "colour": "slate"},
    "accounts_user": lambda world: {
        "username": "dora", "password1": "doras-own-password", "password2": "doras-own-password",
        "usable_password": "true",
    },
    "accounts_membership": lambda world: {
        "user": User.objects.get(username="dora").pk, "team": world.platform.pk, "level": Level.CONTRIBUTOR.value,
    },
    "accounts_guardterm": lambda world: {"team": world.platform.pk, "term": "hunter5", "reason": "so"},
    "accounts_preference": lambda world: {
        "team": world.platform.pk, "key": "formatter", "value": "ruff", "category": "general",
    },
    "accounts_webhook": lambda world: {
        "team": world.platform.pk, "url": "https://203.0.114.8/hook", "events": ["insight.promoted"],
    },
    "evidence_source": lambda world: {
        "slug": "more", "team": world.platform.pk, "name": "More", "path": "books", "largest_file": 1000,
        "most_files": 10, "active": "on", "include": "[]", "exclude": "[]",
    },
    "knowledge_insight": lambda world: {
        "team": world.platform.pk, "kind": "PITFALL", "title": "By the admin", "body": "Moderated words.",
        "stability": "stable", "anchors-TOTAL_FORMS": 0, "anchors-INITIAL_FORMS": 0,
    },
}  # fmt: skip


def addable(world: World) -> set[str]:
    request: Any = _Request(world.users["root"])
    pages = [page for page in admin.site._registry.values() if page.has_add_permission(request)]
    names = {f"{page.model._meta.app_label}_{page.model._meta.model_name}" for page in pages}
    return {name for name in names if not name.startswith(NOT_OURS)}


def add(world: World, name: str) -> str:
    with writing() as written:
        answer = world.browsers["root"].post(reverse(f"admin:{name}_add"), ADDED[name](world))
    form = answer.context and answer.context.get("adminform")
    if answer.status_code != 302:
        return f"{answer.status_code}: {form.form.errors if form else answer.content[:300]!r}"
    return "" if written else "nothing was written"


# --- commands -------------------------------------------------------------------------------------------------
def _vault(world: World) -> list[list[Any]]:
    """A team that a vault tells of, and that is not there."""
    vault = world.folder / "vault"
    with transaction.atomic():
        team = Team.objects.create(name="Garden", slug="garden", prefix="GARD")
        person("gwen", team, Level.LEAD)
        gwen = member_of(user=User.objects.get(username="gwen"))
        one, other = (make_insight(gwen, timezone.now(), team="garden", body=f"Water bed {n}.") for n in range(2))
        combine.merge(ref=one.ref, into=other.ref, by=gwen, now=timezone.now())
        call_command("vault", "export", vault, stdout=io.StringIO())
        transaction.set_rollback(True)
    return [["vault", "import", vault], ["vault", "export", vault], ["vault", "sync", vault]]


def _notes(world: World) -> list[list[Any]]:
    notes = world.folder / "notes"
    notes.mkdir()
    (notes / "adr.md").write_text("# Use one queue\n\n## Context\n\nTwo drift.\n\n## Decision\n\nWe use one.\n")
    (notes / "mem.jsonl").write_text(json.dumps({"text": "Ledger backups run at four.", "tags": ["ledger"]}))
    return [["import_notes", notes, "--team=platform"], ["import_notes", notes / "mem.jsonl", "--team=platform"]]


def _skill_folders(world: World) -> list[list[Any]]:
    folder = world.folder / "skills"
    return [
        ["export_skills", folder, "--team=platform", "--drafts"],
        ["import_skills", folder, "--team=mobile", "--publish"],
    ]


def _erase(world: World) -> list[list[Any]]:
    return [["erase", _forgotten(world)["ref"], "--by=root"]]


def _forget_person(world: World) -> list[list[Any]]:
    """Dora, who has done what one does."""
    dora = member_of(user=User.objects.get(username="dora"))
    row = world.fresh(by=dora)
    combine.merge(ref=world.fresh(by=dora).ref, into=world.fresh().ref, by=world.alice, now=timezone.now())
    report(a=row.ref, b="PLAT-2", reason="so", by=dora, now=timezone.now())
    talk(dora, repo="acme/dora")
    make_insight(dora, timezone.now(), team="personal", body="My own.")
    return [["forget_person", "dora", "--yes"]]


def _cell(world: World) -> list[list[Any]]:
    """A team that moves away and is deleted, and one that comes back."""
    for name in ("going", "staying"):
        team = Team.objects.create(name=name, slug=name, prefix=name.upper())
        person(f"of-{name}", team, Level.LEAD)
        by = member_of(user=User.objects.get(username=f"of-{name}"))
        make_insight(by, timezone.now(), team=name, body=f"Seeds of {name} keep four years.")
    there = "--address=https://eu1.loam.example.org"
    left = [["cell", act, team, *more] for team in ("going", "staying") for act, *more in (("stop",), ("moved", there))]
    return [*left, ["cell", "show"], ["cell", "resume", "staying"], ["cell", "delete", "going", "--yes"]]


COMMANDS: dict[str, Callable[[World], list[list[Any]]]] = {
    "vault": _vault,
    "cell": _cell,
    "import_notes": _notes,
    "export_skills": _skill_folders,
    "import_skills": lambda world: [],  # with export_skills
    "scan": lambda world: [["scan"]],
    "erase": _erase,
    "forget_person": _forget_person,
    "sweep": lambda world: [["sweep", name] for name in SWEEPS],
    "demo": lambda world: [],  # on an empty database only
    "reembed": lambda world: [],  # for another model only
}
# They measure, in databases of their own, or are about the program and not what it keeps.
KEEPING_NOTHING = {
    "backup", "restore", "benchmark", "bundle_client", "calibrate", "doctor", "evaluate", "migrate", "serve",
    "write_reference",
}  # fmt: skip


def our_commands() -> set[str]:
    ours = ("accounts", "knowledge", "knowledge.evidence", "skills", "sessions_app", "config")
    return {name for name, app in get_commands().items() if app in ours}


def run(world: World, name: str) -> str:
    for words in COMMANDS[name](world):
        said = io.StringIO()
        call_command(*map(str, words), stdout=said, stderr=said)
    return ""
