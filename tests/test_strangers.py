"""A stranger's sweep: every endpoint and page, on every thing of another team, answers as if it were not there."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import cycle, product
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, reverse
from rest_framework.test import APIClient

import accounts.urls
import knowledge.urls
import sessions_app.urls
from accounts.actions.guard_terms import allow_term
from accounts.actions.invitations import invite
from accounts.actions.members import member_of
from accounts.actions.preferences import state
from accounts.actions.tokens import issue_token
from accounts.models import LogEntry, Team, User
from accounts.rules.rights import Level, Member
from knowledge.jobs.actions.background import ask_regroup
from knowledge.models import Insight
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules.ask import Ask
from knowledge.review.actions import curate
from knowledge.review.actions.saved_filters import save_filter
from knowledge.review.actions.settle import report
from knowledge.review.rules.saved_filters import Listing
from sessions_app.actions.end import SessionWords, end
from sessions_app.actions.start import Opening, start
from tests.conftest import NOW, agent, make_platform, person
from tests.database import changed, contents
from tests.endpoints import ENDPOINTS, SKILL, Endpoint
from tests.factories import (
    make_annotation,
    make_cluster,
    make_conflict,
    make_insight,
    make_proposal,
    make_skill,
    make_webhook,
)
from tests.knowledge.library import LESSONS
from tests.pages import signed_in
from tests.sweep import share

SECRET_WORD = "kestrel"
HIDDEN = f"The {SECRET_WORD} release of the platform team ships on Friday."
# Paths to things that are not there.
NOWHERE = {
    "pair_id": 2**62,
    "preference_id": 2**62,
    "term_id": 2**62,
    "conflict_id": 2**62,
    "proposal_id": 2**62,
    "invitation_id": 2**62,
    "filter_id": 2**62,
    "job_id": 2**62,
    "line_id": 2**62,
    "webhook_id": 2**62,
    "annotation_id": 2**62,
    "session_id": "S-999999",
    "topic_id": uuid4(),
    "name": "nonsense",
    "cluster": "C0",
}
# A skill of the platform team, and one of Bob's own.
SKILLS = {"theirs": f"{SECRET_WORD}-release", "personal": f"{SECRET_WORD}-mine"}
ON_A_THING = [endpoint for endpoint in ENDPOINTS if endpoint.names]
PAGES = {
    app.app_name: [pattern for pattern in app.urlpatterns if isinstance(pattern, URLPattern)]
    for app in (accounts.urls, knowledge.urls, sessions_app.urls)
}
PAGES_OF_A_THING = [(app, page) for app, pages in PAGES.items() for page in pages if page.pattern.converters]


Scene = tuple[Team, User, User, list[Insight]]


@pytest.fixture(scope="module")
def scene(module_db: None) -> Scene:
    """The platform team, Alice and Bob, and what is theirs: made once, for no stranger changes anything."""
    platform = make_platform()
    alice_user, bob_user = person("alice", platform, Level.LEAD), person("bob", platform)
    return platform, alice_user, bob_user, furnish(member_of(user=alice_user), member_of(user=bob_user), NOW)


@pytest.fixture
def platform(scene: Scene, db: None) -> Team:
    return scene[0]


@pytest.fixture
def alice_user(scene: Scene, db: None) -> User:
    return scene[1]


@pytest.fixture
def bob_user(scene: Scene, db: None) -> User:
    return scene[2]


@pytest.fixture
def theirs(scene: Scene, db: None) -> list[Insight]:
    """What the platform team has, in every state; and what Bob has for himself."""
    return scene[3]


def furnish(alice: Member, bob: Member, now: datetime) -> list[Insight]:
    rows = {status: make_insight(alice, body=f"{HIDDEN} {status}", tags=["ship"]) for status in
            ("draft", "promoted", "deprecated", "archived", "superseded", "pinned")}  # fmt: skip
    curate.promote(ref=rows["promoted"].ref, by=alice, now=now)
    curate.deprecate(ref=rows["deprecated"].ref, by=alice, now=now)
    curate.pin(ref=rows["pinned"].ref, by=alice, now=now)
    Insight.objects.filter(pk=rows["archived"].pk).update(status="archived")
    Insight.objects.filter(pk=rows["superseded"].pk).update(superseded_by=rows["promoted"])
    make_skill(alice, name=SKILLS["theirs"], description=HIDDEN, instructions=HIDDEN)
    make_skill(bob, team="personal", name=SKILLS["personal"], description=HIDDEN, instructions=HIDDEN)
    return [*rows.values(), make_insight(bob, body=f"{HIDDEN} Mine.", team="personal")]


# The first three must not see anything of the team's: of what it has in seven states each endpoint is asked a third by
# each of them, and so for all of it.
STRANGERS = ("charlie", "narrowed", "narrowed_root", "colleague", "root")
WRONG_BODIES: tuple[dict[str, Any], ...] = ({}, {"nonsense": 1})


@pytest.fixture(params=STRANGERS)
def stranger(
    request: pytest.FixtureRequest, theirs: list[Insight], alice_user: User, charlie: Member, root: Member
) -> tuple[APIClient, list[Insight], Member]:
    """Somebody, with what they must not see: another team's lead, a colleague (of Bob's own things), a superuser
    (likewise), and tokens of those who could, narrowed to their own.
    """
    personal = theirs[-1:]
    alice = member_of(user=alice_user)
    return {
        "charlie": (agent(charlie), theirs, charlie),
        "colleague": (agent(alice), personal, alice),
        "root": (agent(root), personal, root),
        "narrowed": (agent(alice, team_slugs=["personal"]), theirs, alice),
        "narrowed_root": (agent(root, team_slugs=["personal", "everyone"]), theirs, root),
    }[request.param]


def hidden_preference(row: Insight, alice: Member, bob: Member, now: datetime) -> int:
    """What the team of that insight prefers: the platform team, or Bob for himself."""
    team, by = ("platform", alice) if row.ref.startswith("PLAT-") else ("personal", bob)
    fields = {"key": "runner", "value": SECRET_WORD, "category": "general", "team": team}
    return state(**fields, by=by, now=now)[0].id


def hidden_session(row: Insight, alice: Member, bob: Member, now: datetime) -> list[str]:
    """The names of a session with a handoff in the team of that insight: Alice's for the platform, or Bob's own."""
    team, by = ("platform", alice) if row.ref.startswith("PLAT-") else ("personal", bob)
    session = start(opening=Opening(repo="acme/web", team=team, prompt=SECRET_WORD), by=by, now=now).session
    end(name=session.key, words=SessionWords(summary=HIDDEN), by=by, now=now)
    return [session.key, session.ref]


def said(answer: Any) -> tuple[int, str, bytes]:
    """All that a client learns from an answer."""
    return answer.status_code, answer["Content-Type"], answer.content


class TestEveryEndpoint:
    def test_answers_as_if_it_were_not_there(
        self,
        stranger: tuple[APIClient, list[Insight], Member],
        alice: Member,
        bob: Member,
        now: datetime,
        request: pytest.FixtureRequest,
    ) -> None:
        client, hidden, who = stranger
        turn = STRANGERS.index(request.node.callspec.params["stranger"])
        asked, own = (retrieve(ask=Ask(SECRET_WORD), by=by, now=now).query_id for by in (alice, who))
        pair = report(a=hidden[0].ref, b=hidden[1].ref, reason="so", by=alice, now=now) if len(hidden) > 1 else None
        pair_id = pair.pk if pair else 2**61
        preference_id = hidden_preference(hidden[0], alice, bob, now)
        lead, team = (alice, "platform") if len(hidden) > 1 else (bob, "personal")
        term_id = allow_term(team=team, term="hunter2", reason="so", by=lead, now=now)[0].pk
        webhook_id = make_webhook(lead, team=team, now=now).pk
        annotation_id = make_annotation(lead, team=team, now=now).pk
        names = cycle(hidden_session(hidden[0], alice, bob, now))
        skill = SKILLS["theirs" if len(hidden) > 1 else "personal"]
        cluster = make_cluster(hidden[0].team_id, content=HIDDEN).ref
        fixed = {"pair_id": pair_id, "preference_id": preference_id, "term_id": term_id, "webhook_id": webhook_id}
        proposal_id = make_proposal(hidden[0], lead, now).pk
        fixed |= {"name": skill, "cluster": cluster, "annotation_id": annotation_id, "proposal_id": proposal_id}
        before = contents()
        wrong, sent, turns = [], set(), cycle(hidden)
        for at, endpoint in enumerate(ON_A_THING, turn):
            others = "query_id" in endpoint.names and who.user_id != alice.user_id
            # What is read has no body to be wrong; and what is wrong with one does not hang on the row: of those one,
            # another for each endpoint. Of two bodies that are wrong each stranger sends one, the next the other.
            for body in (endpoint.good.body, *(() if endpoint.method == "GET" else share(WRONG_BODIES, at, 2))):
                rows = share(hidden, at) if body == endpoint.good.body else [next(turns)]
                nowhere = said(endpoint.send(client, body, ref="PLAT-999", query_id=uuid4(), **NOWHERE))
                assert nowhere[0] == 404 or body != endpoint.good.body
                for row, query_id in product(rows, (own, asked) if others else (own,)):
                    about = {"ref": row.ref} if body and "ref" in body else body
                    parts = fixed | {"ref": row.ref, "query_id": query_id, "topic_id": row.topic_id}
                    parts["session_id"] = next(names)
                    asking = (str(endpoint), repr(about), *(str(parts[name]) for name in endpoint.names))
                    if asking not in sent:  # whose address names none of the rows is asked once
                        there = said(endpoint.send(client, about, **parts))
                        wrong += [] if there == nowhere else [(str(endpoint), row.ref, body, there, nowhere)]
                    sent.add(asking)
        assert wrong == []
        assert changed(before) == []

    @pytest.mark.parametrize("endpoint", [e for e in ON_A_THING if "query_id" in e.names], ids=str)
    def test_answers_as_if_nobody_else_had_asked(
        self, endpoint: Endpoint, stranger: tuple[APIClient, list[Insight], Member], bob: Member, now: datetime
    ) -> None:
        """Another's question, about an insight of one's own."""
        client, _, who = stranger
        own = {"ref": make_insight(who, body=HIDDEN, team="personal").ref}
        asked = retrieve(ask=Ask(HIDDEN), by=bob, now=now).query_id
        there, nowhere = (said(endpoint.send(client, own, query_id=query_id)) for query_id in (asked, uuid4()))
        assert there == nowhere
        assert there[0] == 404

    def test_finds_nothing_by_searching(
        self, stranger: tuple[APIClient, list[Insight], Member], theirs: list[Insight]
    ) -> None:
        client, hidden, _ = stranger
        refs = {row.ref for row in hidden}
        for query in (HIDDEN, SECRET_WORD, *refs):
            for over in ({}, {"trim": False, "limit": 50}, {"tags": ["ship"], "trim": False, "limit": 50}):
                answer = client.post("/api/v1/query/", {"query": query, "explain": True, **over})
                found = {insight["ref"] for insight in answer.json()["insights"]}
                assert not found & refs
                assert not any(ref in answer.json()["text"] for ref in refs)
                names = {SKILLS["personal"], *([SKILLS["theirs"]] if len(hidden) > 1 else [])}
                assert not names & {skill["name"] for skill in answer.json()["skills"]}

    def test_finds_nothing_by_leafing(self, stranger: tuple[APIClient, list[Insight], Member]) -> None:
        client, hidden, _ = stranger
        refs = {row.ref for row in hidden}
        for query in ({}, {"q": SECRET_WORD}, {"team": "platform"}, {"author": "bob"}, {"tag": "ship"}, {"limit": 100}):
            found = {row["ref"] for row in client.get("/api/v1/insights/", query).json()["results"]}
            assert not found & refs
        names = {SKILLS["personal"], *([SKILLS["theirs"]] if len(hidden) > 1 else [])}
        for query in ({}, {"q": SECRET_WORD}, {"team": "platform"}, {"status": "published"}, {"limit": 100}):
            assert not names & {row["name"] for row in client.get("/api/v1/skills/", query).json()["results"]}

    def test_is_told_nothing_of_what_others_prefer(
        self, stranger: tuple[APIClient, list[Insight], Member], alice: Member, bob: Member, now: datetime
    ) -> None:
        client, hidden, _ = stranger
        hidden_preference(hidden[0], alice, bob, now)
        assert SECRET_WORD not in client.get("/api/v1/preferences/").content.decode()
        answer = client.post("/api/v1/query/", {"query": "runner"}).json()
        assert (answer["preferences"], SECRET_WORD in answer["text"]) == ([], False)

    def test_finds_no_session_by_leafing_nor_by_starting(
        self, stranger: tuple[APIClient, list[Insight], Member], alice: Member, bob: Member, now: datetime
    ) -> None:
        client, hidden, _ = stranger
        names = hidden_session(hidden[0], alice, bob, now)
        asked = [client.get("/api/v1/sessions/", query) for query in ({}, {"repo": "acme/web"}, {"limit": 100})]
        asked.append(client.get("/api/v1/friction/"))
        asked.append(client.post("/api/v1/sessions/", {"repo": "acme/web", "team": "personal"}))
        assert [answer.status_code for answer in asked] == [200, 200, 200, 200, 201]
        for answer in asked:
            told = [names[0], f'"{names[1]}"', *(f'"{row.ref}"' for row in hidden)]
            assert not any(word in answer.content.decode() for word in told)

    def test_cannot_use_anothers_session(
        self, stranger: tuple[APIClient, list[Insight], Member], alice: Member, bob: Member, now: datetime
    ) -> None:
        client, hidden, who = stranger
        key = hidden_session(hidden[0], alice, bob, now)[0]
        if who.user_id == alice.user_id and hidden[0].ref.startswith("PLAT-"):
            return  # a narrowed token of hers: the session is her own
        for path, body in (
            ("insights/", {"kind": "CONTEXT", "body": "x"}),
            ("query/", {"query": "x"}),
            ("ratings/", {"insight": "PLAT-1", "verdict": "helpful"}),
            ("sessions/", {"repo": "x", "team": "personal"}),
        ):
            field = "previous" if path == "sessions/" else "session"
            answers = [client.post(f"/api/v1/{path}", {**body, field: name}) for name in (key, "loam-s-" + "x" * 44)]
            assert [(a.status_code, list(a.json()["errors"])) for a in answers] == [(400, [field])] * 2
            assert answers[0].content == answers[1].content

    def test_learns_nothing_of_a_key_somebody_else_used(
        self, theirs: list[Insight], bob: Member, charlies_agent: APIClient
    ) -> None:
        make_insight(bob, body=HIDDEN, idempotency_key="k1")
        answer = charlies_agent.post(
            "/api/v1/insights/", {"kind": "CONTEXT", "body": LESSONS["beat"]}, HTTP_IDEMPOTENCY_KEY="k1"
        )
        assert answer.json()["insight"]["ref"] == "MOB-1"

    def test_cannot_tell_a_team_that_is_there_from_one_that_is_not(
        self, theirs: list[Insight], charlies_agent: APIClient, bob: Member
    ) -> None:
        def told(team: str) -> list[str]:
            answers = [
                charlies_agent.post("/api/v1/insights/", {"kind": "CONTEXT", "body": "x", "team": team}),
                charlies_agent.post("/api/v1/query/", {"query": "x", "teams": [team]}),
                charlies_agent.get("/api/v1/insights/", {"team": team}),
                charlies_agent.get("/api/v1/preferences/", {"team": team}),
                charlies_agent.post("/api/v1/preferences/", {"key": "runner", "value": "x", "team": team}),
                charlies_agent.post("/api/v1/skills/", {**SKILL, "team": team}),
                charlies_agent.get("/api/v1/skills/", {"team": team}),
                charlies_agent.get("/api/v1/skills/kestrel-release/", {"team": team}),
            ]
            return [f"{answer.status_code} {answer.content.decode()}".replace(team, "…") for answer in answers]

        assert told("platform") == told(f"personal-{bob.user_id}") == told("nonsense")


@pytest.fixture(scope="class")
def named(scene: Scene) -> Iterator[dict[str, list[Any]]]:
    """What fills in the paths, made once for a class and undone at its end."""
    with transaction.atomic():
        yield parts_of(scene)
        transaction.set_rollback(True)


@pytest.fixture
def parts(named: dict[str, list[Any]], db: None) -> dict[str, list[Any]]:
    return named


class TestEveryPage:
    """The same for a person in the browser: 404 for what is not theirs, in the same words as for what is not."""

    @pytest.mark.parametrize(("app", "page"), PAGES_OF_A_THING, ids=lambda value: getattr(value, "name", value))
    def test_answers_as_if_it_were_not_there(
        self, app: str, page: URLPattern, parts: dict[str, list[Any]], charlie_user: User
    ) -> None:
        client = signed_in(charlie_user)
        before = contents()
        names = list(page.pattern.converters)
        nothing: dict[str, Any] = {"token_id": 10**9, "corroboration": 10**9}
        nothing |= {"ref": "PLAT-999", "slug": "nonsense", "username": "nobody", **NOWHERE, "name": "S-999"}
        nowhere = {name: nothing[name] for name in names}
        for method in (client.get, client.post):
            gone = method(reverse(f"{app}:{page.name}", kwargs=nowhere))
            for value in some_of(parts[names[0]], PAGES_OF_A_THING.index((app, page))):
                there = {names[0]: value, **{name: parts[name][0] for name in names[1:]}}
                answers = [method(reverse(f"{app}:{page.name}", kwargs=there)), gone]
                assert [answer.status_code for answer in answers] in ([404, 404], [405, 405])
                assert plain(answers[0]) == plain(answers[1])
                assert SECRET_WORD not in plain(answers[0])
        assert changed(before) == []

    @pytest.mark.parametrize(("app", "page"), PAGES_OF_A_THING, ids=lambda value: getattr(value, "name", value))
    def test_asks_a_visitor_to_sign_in_whether_it_is_there_or_not(
        self, app: str, page: URLPattern, parts: dict[str, list[Any]]
    ) -> None:
        kwargs = {name: parts[name][0] for name in page.pattern.converters}
        for method in (Client().get, Client().post):
            answer = method(reverse(f"{app}:{page.name}", kwargs=kwargs))
            assert answer.status_code == 302
            assert answer.url.startswith("/accounts/login/?next=")

    def test_finds_nothing_by_searching(self, theirs: list[Insight], charlie_user: User) -> None:
        client = signed_in(charlie_user)
        for query in ("", HIDDEN, SECRET_WORD, theirs[0].ref):
            page = client.get("/insights/", {"q": query, "nearest": "1"}).content.decode()
            page += client.get("/activity/", {"q": query}).content.decode()
            assert SECRET_WORD not in page.replace(query, "").replace(urlencode({"q": query}), "")
            assert "/insights/PLAT-" not in page


def some_of(values: Sequence[Any], turn: int) -> Sequence[Any]:
    """All of them if they are a few; else the last, which is Bob's own, and a third of the team's."""
    return values if len(values) <= 3 else [*share(values[:-1], turn), values[-1]]


def parts_of(scene: Scene) -> dict[str, list[Any]]:
    """Parts of paths, each with something of the platform team, and some with Bob's own."""
    _, alice_user, bob_user, theirs = scene
    alice, bob, now = member_of(user=alice_user), member_of(user=bob_user), NOW

    def saved(team: str, by: Member) -> int:
        given = {"q": HIDDEN}
        return save_filter(listing=Listing.INSIGHTS, name=SECRET_WORD, given=given, team=team, by=by, now=now).pk

    token = issue_token(name="bobs", scopes=["read"], by=bob, now=now).token
    link = invite(team_slug="platform", level=Level.READER, uses=1, days=7, by=alice, now=now)
    return {
        "ref": [row.ref for row in theirs],
        "slug": ["platform", f"personal-{bob.user_id}"],
        "username": ["bob"],
        "token_id": [token.pk],
        "pair_id": [report(a=theirs[0].ref, b=theirs[1].ref, reason=HIDDEN, by=alice, now=now).pk],
        "conflict_id": [make_conflict(theirs[0], by=alice, now=now).pk],
        "proposal_id": [make_proposal(theirs[0], alice, now, body=HIDDEN + " Now.", note=HIDDEN).pk],
        "term_id": [allow_term(team="platform", term=SECRET_WORD, reason=HIDDEN, by=alice, now=now)[0].pk],
        "invitation_id": [link.invitation.pk],
        "annotation_id": [make_annotation(alice, now=now, text=HIDDEN).pk],
        "filter_id": [saved("platform", alice), saved("personal", bob)],
        "job_id": [ask_regroup(team="platform", by=alice, now=now).pk],
        "line_id": list(LogEntry.objects.filter(team__slug="platform").values_list("pk", flat=True)[:3]),
        "preference_id": [hidden_preference(row, alice, bob, now) for row in (theirs[0], theirs[-1])],
        "corroboration": [1],
        "topic_id": [Insight.objects.get(pk=theirs[0].pk).topic_id],
        "name": hidden_session(theirs[0], alice, bob, now),
    }


def plain(answer: Any) -> str:
    """A page without what differs between any two (the form's token) and without its own address."""
    text = re.sub(r'value="[A-Za-z0-9]{64}"', "", answer.content.decode())
    return text.replace(answer.request["PATH_INFO"], "")
