"""A team with one of everything that an address or a body can name, laid out once for a whole module of sweeps.

A module that names these fixtures as its own has the cast of conftest.py stand on it. What a test does is undone with
the test.
"""

from datetime import datetime
from typing import Any

import pytest

from accounts.actions.guard_terms import allow_term
from accounts.actions.members import member_of
from accounts.actions.preferences import state
from accounts.models import Team, User
from accounts.rules.rights import Level, Member
from knowledge.models import Topic
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules.ask import Ask
from knowledge.review.actions.settle import report
from sessions_app.actions import start as starting
from sessions_app.actions.end import SessionWords, end
from tests.conftest import NOW, make_platform, person
from tests.endpoints import OTHER_TOPIC
from tests.factories import make_annotation, make_cluster, make_insight, make_proposal, make_skill, make_webhook
from tests.knowledge.library import LESSONS

Laid = tuple[Team, User, dict[str, Any]]


@pytest.fixture(scope="module")
def laid_out(module_db: None) -> Laid:
    platform = make_platform()
    alice_user = person("alice", platform, Level.LEAD)
    return platform, alice_user, lay_out(member_of(user=alice_user), NOW)


@pytest.fixture
def platform(laid_out: Laid, db: None) -> Team:
    return laid_out[0]


@pytest.fixture
def alice_user(laid_out: Laid, db: None) -> User:
    return laid_out[1]


@pytest.fixture
def place(laid_out: Laid, db: None) -> dict[str, Any]:
    """What fills in the paths: an insight of Alice's team, a question and a reviewed term of hers, a pair."""
    return laid_out[2]


def lay_out(alice: Member, now: datetime) -> dict[str, Any]:
    insight = make_insight(alice)
    one, other = (make_insight(alice, body=LESSONS[name]).ref for name in ("locks", "cache"))
    team_id = insight.team_id
    Topic.objects.create(pk=OTHER_TOPIC, team_id=team_id, label="Other", created_at=now, updated_at=now)
    preference, _ = state(key="runner", value="jest", category="general", team="platform", by=alice, now=now)
    return {
        "ref": insight.ref,
        "query_id": retrieve(ask=Ask("celery beat"), by=alice, now=now).query_id,
        "pair_id": report(a=one, b=other, reason="so", by=alice, now=now).pk,
        "cluster": make_cluster(team_id).ref,
        "preference_id": preference.id,
        "term_id": allow_term(team="platform", term="hunter2", reason="a joke", by=alice, now=now)[0].pk,
        "webhook_id": make_webhook(alice, now=now).pk,
        "annotation_id": make_annotation(alice, now=now).pk,
        "proposal_id": make_proposal(insight, alice, now).pk,
        "session_id": session(alice, now),
        "topic_id": insight.topic_id,
        "name": make_skill(alice, live=False, name="release").name,
    }


def session(alice: Member, now: datetime) -> str:
    """A session of hers that was offered a handoff."""
    opening = starting.Opening(repo="acme/web", team="platform")
    end(
        name=starting.start(opening=opening, by=alice, now=now).session.key,
        words=SessionWords("done"),
        by=alice,
        now=now,
    )
    return starting.start(opening=opening, by=alice, now=now).session.key
