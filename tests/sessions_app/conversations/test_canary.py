"""What a member typed is nowhere that a teammate, a stranger or a superuser can look, unless it is shared with them.

A word that is nowhere else stands in each part of what the user says: the prompt, a decision, a step, a blocker, a
path, a command, a link, a quotation. Every address there is, found by looking, is asked for it.
"""

import itertools
import logging
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib import admin
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.actions.members import member_of, remove_member, set_level
from accounts.models import LogEntry, Team, User
from accounts.rules.rights import Level, Member
from knowledge.models import EditProposal, Insight, Pair, Query
from knowledge.review.actions.move import move
from knowledge.review.actions.settle import report
from knowledge.review.proposals.actions.decide import comment
from knowledge.rules.vocabulary import Kind
from knowledge.topics.actions.topics import set_owner
from sessions_app.actions.capture import Report, capture
from sessions_app.actions.end import SessionWords, checkpoint, end
from sessions_app.actions.start import Opening, start
from sessions_app.conversations.actions.quote import quote, select
from sessions_app.conversations.actions.share import share, unshare
from sessions_app.handoffs.actions.recover_killed import Killed, recover_killed
from sessions_app.models import AgentSession, Annotation, Passage
from sessions_app.transcripts.rules.speakers import SharedTurns
from sessions_app.transcripts.rules.turn import Turn
from sessions_app.vault.actions.vault import export
from tests.addresses import answers
from tests.conftest import NOW, agent, make_platform, person
from tests.factories import make_annotation, make_insight, make_proposal
from tests.pages import signed_in

pytestmark = pytest.mark.django_db

TYPED = {
    "prompt": "Why does the quagga export stall at night?",
    "decision": "Decision: we chose the zebrafinch queue over Redis because two armadillo brokers lost some in May.",
    "step": "Next steps:\n- [ ] give the pangolin report its own index\n- TODO: rename axolotl",
    "blocker": "Blocked: I wait for the numbat team to grant access.",
    "path": "I edited `src/wolverine/limits.py` and created src/dugong.py. Look at src/wolverine/limits.py first.",
    "command": "Run `kookaburra --drain 40` and then: $ bash numbat.sh\nBash: gibbon deploy\nE   ValueError: gibbon 7",
    "link": "See https://wiki.example.com/capybara/limits for the reason.",
    "quotation": '> the potoroo must not exceed 17\n\n"the potoroo limit is 17", said the manager.',
}
CANARIES = (
    *(
        "quagga",
        "zebrafinch",
        "armadillo",
        "pangolin",
        "axolotl",
        "numbat",
        "wolverine",
        "dugong",
        "kookaburra",
        "gibbon",
    ),
    *("capybara", "potoroo"),
)
ANSWER = "Decision: we chose batches of 5,000 rows over 2,000 because smaller ones were slower than the network."
TURNS = [
    turn
    for text in TYPED.values()
    for turn in (Turn("user", text), Turn("assistant", ANSWER), Turn("tool", "Edit src/batch.py"))
]


Scene = tuple[Team, User, User, list[AgentSession]]


@pytest.fixture(scope="module")
def scene(module_db: None) -> Scene:
    """Alice, Bob and what he said, made once: what a test does with it is undone with the test."""
    platform = make_platform()
    alice_user, bob_user = person("alice", platform, Level.LEAD), person("bob", platform)
    return platform, alice_user, bob_user, speak(member_of(user=alice_user), member_of(user=bob_user))


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
def spoken(scene: Scene, db: None) -> list[AgentSession]:
    return scene[3]


def speak(alice: Member, bob: Member) -> list[AgentSession]:
    """Three sessions of Bob's with the same conversation: one ended, one live, one killed and found."""
    prompt = {"repo": "shop", "team": "platform", "prompt": TYPED["prompt"]}
    ended = start(opening=Opening(**prompt), by=bob, now=NOW).session
    capture(name=ended.key, reports=[Report("edit", path="src/batch.py")], by=bob, now=NOW)
    end(name=ended.key, words=SessionWords(summary="Done.", transcript=TURNS, asked=TYPED["prompt"]), by=bob, now=NOW)
    live = start(opening=Opening(**prompt), by=bob, now=NOW).session
    checkpoint(name=live.key, words=SessionWords(transcript=TURNS, asked=TYPED["prompt"]), by=bob, now=NOW)
    opening = Opening(**prompt, agent_session="a-1", transcript=TURNS)
    killed = recover_killed(killed=Killed(opening), by=bob, now=NOW).session
    agent(bob).post("/api/v1/query/", {"query": TYPED["prompt"], "repo": "shop"})
    agent(bob).post("/api/v1/surface/", {"prompt": TYPED["prompt"]})
    talk_about_it(Insight.objects.filter(kind="DECISION")[0], alice, bob)
    return [ended, live, killed]


def talk_about_it(draft: Insight, alice: Member, bob: Member) -> None:
    """What a team does with a draft of such a session, in each place where it may write of it."""
    proposal = make_proposal(draft, bob, note="Shorter.", title="Batches")
    comment(proposal_id=proposal.pk, text="@bob see the figures first", by=alice, now=NOW)
    report(a=draft.ref, b=make_insight(alice).ref, reason="both cannot be", by=alice, now=NOW)
    make_annotation(alice, text="Batches of 5,000 rows")
    if draft.topic_id:
        set_owner(topic_id=draft.topic_id, owner="bob", by=alice, now=NOW)


def quoted(session: AgentSession, by: Member) -> str:
    """The reference of an insight that a lead makes of the user's turns of a session, in words of their own."""
    rows = Passage.objects.visible_to(by).of_session(session.pk).filter(speaker="user")
    chosen = select(session=session, positions=list(rows.values_list("position", flat=True)), by=by)
    draft = chosen.draft(
        kind=Kind.PITFALL, title="Night export", body="The export stalls at night.", reasoning="", team="platform"
    )
    return quote(selection=chosen, draft=replace(draft, files=[]), by=by, now=NOW).insight.ref


def found_in(text: str) -> list[str]:
    text = text.lower()
    return [word for word in CANARIES if word in text]


def names_of(sessions: list[AgentSession]) -> dict[str, list[Any]]:
    """What fills in the paths: all that may have been made of what was said."""
    refs = list(Insight.objects.values_list("ref", flat=True))
    return {
        "session_id": [sessions[0].key, *(session.ref for session in sessions)],
        "name": [session.ref for session in sessions],
        "ref": refs,
        "slug": ["platform"],
        "topic_id": list(Insight.objects.exclude(topic=None).values_list("topic_id", flat=True)),
        "query_id": list(Query.objects.values_list("pk", flat=True)),
        "proposal_id": list(EditProposal.objects.values_list("pk", flat=True)),
        "annotation_id": list(Annotation.objects.values_list("pk", flat=True)),
        "pair_id": list(Pair.objects.values_list("pk", flat=True)),
        "line_id": list(LogEntry.objects.filter(team__slug="platform").values_list("pk", flat=True)[:5]),
    }


def asked(client: APIClient) -> Iterator[tuple[str, str]]:
    """What is served to an agent that asks for exactly that, or begins to work there."""
    for text in TYPED.values():
        body = {"query": text, "repo": "shop", "trim": False, "limit": 50, "explain": True}
        given = client.post("/api/v1/query/", body, format="json").json()
        given.pop("query", None)
        # What is asked comes back to anyone who asks: only what was found counts.
        found = [given.get("insights"), given.get("skills"), given.get("conversations"), given.get("passages")]
        yield f"query {text[:20]}", str(found)
    begun = client.post(
        "/api/v1/sessions/", {"repo": "shop", "team": "platform", "handoff_tokens": 2000}, format="json"
    )
    yield "start", begun.content.decode()


OTHERS = ("teammate", "stranger", "superuser")


@pytest.fixture(params=OTHERS)
def other(request: pytest.FixtureRequest, alice: Member, charlie: Member, root: Member) -> tuple[Member, int]:
    """Somebody, and a turn of theirs: an address of several things is asked of another share of them by each."""
    return dict(zip(OTHERS, (alice, charlie, root), strict=True))[request.param], OTHERS.index(request.param)


def leaks(who: Member, sessions: list[AgentSession], turn: int | None = None) -> list[tuple[str, list[str]]]:
    # What they asked themselves before (`asked`) is theirs to see again.
    Query.objects.filter(user_id=who.user_id).delete()
    user = User.objects.get(pk=who.user_id)
    client = agent(who)
    told = itertools.chain(answers(client, signed_in(user), names_of(sessions), turn), asked(client))
    found = ((where, found_in(text)) for where, text in told)
    return [(where, words) for where, words in found if words]


def read(who: Member, session: AgentSession) -> set[str]:
    """The words in the conversation of that session, asked for by its reference."""
    told = agent(who).get(f"/api/v1/sessions/{session.ref}/conversation/")
    assert told.status_code == 200
    return set(found_in(told.content.decode()))


class TestWhatAMemberTyped:
    def test_is_nowhere_when_nothing_is_shared(self, spoken: list[AgentSession], other: tuple[Member, int]) -> None:
        who, turn = other
        assert leaks(who, spoken, turn) == []

    def test_is_nowhere_when_the_agents_turns_are_shared(
        self, spoken: list[AgentSession], bob: Member, other: tuple[Member, int]
    ) -> None:
        share(repo="shop", team="platform", turns=SharedTurns.AGENT, by=bob, now=NOW)
        who, turn = other
        assert leaks(who, spoken, turn + 1) == []

    def test_is_the_teams_while_all_is_shared_and_nowhere_after(
        self, spoken: list[AgentSession], alice: Member, bob: Member, charlie: Member
    ) -> None:
        share(repo="shop", team="platform", turns=SharedTurns.ALL, by=bob, now=NOW)
        assert read(alice, spoken[0]) == set(CANARIES)
        assert leaks(charlie, spoken, 1) == []
        unshare(repo="shop", by=bob, now=NOW)
        assert leaks(alice, spoken, 2) == []
        share(repo="shop", team="platform", turns=SharedTurns.ALL, by=bob, now=NOW)
        remove_member(team_slug="platform", username="bob", by=alice, now=NOW)
        assert leaks(alice, spoken, 3) == []

    def test_goes_from_one_team_to_another_with_its_sharing(
        self, spoken: list[AgentSession], alice: Member, bob: Member, charlie: Member
    ) -> None:
        share(repo="shop", team="platform", turns=SharedTurns.ALL, by=bob, now=NOW)
        moved = quoted(spoken[0], alice)
        assert read(alice, spoken[0]) == set(CANARIES)
        set_level(team_slug="mobile", username="bob", level=Level.CONTRIBUTOR, by=charlie, now=NOW)
        set_level(team_slug="mobile", username="alice", level=Level.CONTRIBUTOR, by=charlie, now=NOW)
        # An insight made of it goes to the other team: its quotation is for those who may read the passage.
        move(ref=moved, team="mobile", by=member_of(user=User.objects.get(username="alice")), now=NOW)
        assert leaks(charlie, spoken, 1) == []
        remove_member(team_slug="mobile", username="alice", by=charlie, now=NOW)
        both = member_of(user=User.objects.get(username="bob"))
        share(repo="shop", team="mobile", turns=SharedTurns.ALL, by=both, now=NOW)
        assert leaks(alice, spoken, 2) == []
        assert read(charlie, spoken[0]) == set(CANARIES)
        remove_member(team_slug="mobile", username="bob", by=charlie, now=NOW)
        assert leaks(charlie, spoken, 3) == []

    def test_is_nowhere_for_who_has_not_signed_in(self, spoken: list[AgentSession], bob: Member) -> None:
        share(repo="shop", team="platform", turns=SharedTurns.ALL, by=bob, now=NOW)
        told = answers(APIClient(), Client(), names_of(spoken))
        assert [where for where, text in told if found_in(text)] == []

    def test_is_found_by_no_search_of_the_admin(self, spoken: list[AgentSession], root: Member) -> None:
        page = signed_in(User.objects.get(pk=root.user_id))
        for model, shown in admin.site._registry.items():
            if shown.search_fields:
                address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
                for word in ("quagga", "zebrafinch", "gibbon"):
                    assert (address, page.get(address, {"q": word}).context["cl"].result_count) == (address, 0)

    def test_is_in_no_line_of_the_server_log(
        self, caplog: pytest.LogCaptureFixture, bob: Member, alice: Member
    ) -> None:
        caplog.set_level(logging.DEBUG)
        speak(alice, bob)
        share(repo="shop", team="platform", turns=SharedTurns.ALL, by=bob, now=NOW)
        list(asked(agent(alice)))
        unshare(repo="shop", by=bob, now=NOW)
        assert found_in(caplog.text) == []

    def test_is_in_no_draft_log_line_or_vault_of_the_team(
        self, spoken: list[AgentSession], bob: Member, tmp_path: Path
    ) -> None:
        share(repo="shop", team="platform", turns=SharedTurns.AGENT, by=bob, now=NOW)
        drafts = Insight.objects.values_list("title", "body", "reasoning", "provenance")
        assert found_in(str(list(drafts))) == []
        assert Insight.objects.filter(kind="DECISION").exists()
        assert found_in(str(list(LogEntry.objects.values_list("line", "why", "before", "after")))) == []
        export(shared=tmp_path / "a", personal=tmp_path / "mine", conversations=True)
        shared = "".join(file.read_text() for file in (tmp_path / "a").rglob("*") if file.is_file())
        assert found_in(shared) == []
        own = "".join(file.read_text() for file in (tmp_path / "mine").rglob("*") if file.is_file())
        assert set(found_in(own)) == set(CANARIES)

    def test_is_nowhere_for_a_token_of_ones_own_that_was_narrowed_to_a_team(
        self, spoken: list[AgentSession], bob: Member
    ) -> None:
        Query.objects.filter(user_id=bob.user_id).delete()
        client = agent(bob, name="narrow", team_slugs=["platform"])
        told = itertools.chain(answers(client, Client(), names_of(spoken)), asked(client))
        assert [(where, words) for where, text in told if (words := found_in(text))] == []
        for word in ("quagga", "zebrafinch"):
            found = client.get("/api/v1/sessions/", {"q": word}).content.decode()
            assert found_in(found) == []
        live = spoken[1]
        for verb in ("checkpoint", "end"):
            told_back = client.post(f"/api/v1/sessions/{live.key}/{verb}/", {"summary": "Done."}, format="json")
            assert (told_back.status_code, found_in(told_back.content.decode())) == (200, [])

    def test_is_printed_by_no_command(self, spoken: list[AgentSession]) -> None:
        out = StringIO()
        for name in ("embed_passages", "place_passages", "drop_old_passages"):
            call_command("sweep", name, stdout=out, stderr=out)
        assert found_in(out.getvalue()) == []

    def test_is_ones_own_to_read(self, spoken: list[AgentSession], bob: Member) -> None:
        assert read(bob, spoken[0]) == set(CANARIES)
        found = agent(bob).get(f"/api/v1/sessions/{spoken[0].ref}/conversation/?q=zebrafinch").json()
        assert [row["speaker"] for row in found["passages"]] == ["user"]
        assert Passage.objects.visible_to(bob).exists()
