"""What the OpenAPI schema promises, the API does; and what the schema has no word for, it does not do."""

import os
import sys
from datetime import datetime
from typing import Any

import pytest

from accounts.actions.guard_terms import allow_term
from accounts.actions.preferences import state
from accounts.actions.tokens import issue_token
from accounts.rules.rights import Member, Scope
from knowledge.models import Insight
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules.ask import Ask
from knowledge.review.actions import combine, curate
from knowledge.review.actions.settle import report
from sessions_app.actions import start as starting
from sessions_app.actions.end import SessionWords, end
from tests.contract import Caller, Held, hold, operations
from tests.factories import make_annotation, make_cluster, make_insight, make_proposal, make_skill, make_webhook
from tests.knowledge.library import LESSONS
from tests.sweep import WHOLE
from tests.trials.contract import CASES, SEED

# Cases of each operation, by who calls. A longer run (python -m tests.trials.contract) is several of it.
SHARE = {"alice": 4 if os.environ.get(WHOLE) else 2, "charlie": 1, "nobody": 1}
# An operation without parameters has one case, not two; but fewer than so many together are no trial.
LEAST = 250
MOST_ROUNDS = 1000


@pytest.fixture
def known(alice: Member, now: datetime) -> dict[str, list[Any]]:
    """Names of what is there: in paths, in bodies, in parameters."""
    rows = [make_insight(alice, body=body, tags=["ship"]) for body in LESSONS.values()]
    curate.promote(ref=rows[1].ref, by=alice, now=now)
    curate.deprecate(ref=rows[2].ref, by=alice, now=now)
    combine.supersede(ref=rows[3].ref, by_ref=rows[1].ref, by=alice, now=now)
    said = combine.merge(ref=rows[4].ref, into=rows[1].ref, by=alice, now=now)
    Insight.objects.filter(pk__in=[rows[1].pk, rows[5].pk, rows[6].pk]).update(
        status="promoted", topic=Insight.objects.get(pk=rows[1].pk).topic_id
    )
    locked = make_insight(alice, body="The build agent is called kestrel.")
    Insight.objects.filter(pk=locked.pk).update(quarantined_at=now)
    refs = [row.ref for row in (*rows, locked)]
    opening = starting.Opening(repo="acme/web", team="platform")
    before = starting.start(opening=opening, by=alice, now=now).session
    end(name=before.key, words=SessionWords("done"), by=alice, now=now)
    session = starting.start(opening=opening, by=alice, now=now).session
    asked = retrieve(ask=Ask("celery beat"), by=alice, now=now).query_id
    pairs = [report(a=refs[0], b=row.ref, reason="so", by=alice, now=now).pk for row in rows[5:7]]
    preference, _ = state(key="runner", value="jest", category="general", team="platform", by=alice, now=now)
    skills = [make_skill(alice, live=live, name=name).name for name, live in (("release", True), ("review", False))]
    topics = [str(Insight.objects.get(pk=rows[at].pk).topic_id) for at in (1, 1, 0)]
    return {
        **dict.fromkeys(("ref", "insight", "by", "a", "b", "keep"), refs),
        "into": refs + topics,
        "insights": [refs[:1], refs[:2]],
        "corroboration": list(said.corroborations.values_list("pk", flat=True)),
        "query_id": [str(asked)],
        "pair_id": pairs,
        "cluster": [make_cluster(rows[0].team_id).ref],
        "preference_id": [preference.id],
        "term_id": [allow_term(team="platform", term="hunter2", reason="a joke", by=alice, now=now)[0].pk],
        "webhook_id": [make_webhook(alice, now=now).pk],
        "annotation_id": [make_annotation(alice, now=now).pk],
        "proposal_id": [make_proposal(rows[1], alice, now).pk],
        "session_id": [session.key, session.ref],
        **{field: [session.key, before.key, ""] for field in ("session", "previous", "handoff")},
        **dict.fromkeys(("topic_id", "topic"), topics),
        "name": [*skills, "anew"],
        "team": ["platform", "platform", "platform", "personal", "everyone", ""],
        "teams": [["platform"], ["personal", "everyone"]],
        "url": ["https://203.0.114.9/hook"],
        "If-Match": ["1", '"2"', "3"],
    }


@pytest.fixture
def callers(alice: Member, charlie: Member, known: dict[str, list[Any]], now: datetime) -> list[Caller]:
    """A lead of the team that has it all, a stranger to it, and somebody without a token."""
    tokens = [(by, issue_token(by=by, name="agent", scopes=list(Scope), now=now).secret) for by in (alice, charlie)]
    people = [Caller(by.username, {"Authorization": f"Bearer {secret}"}, known) for by, secret in tokens]
    return [*people, Caller("nobody", {}, known)]


class TestTheApi:
    def test_keeps_what_its_schema_promises(self, callers: list[Caller], capsys: pytest.CaptureFixture[str]) -> None:
        wanted = int(os.environ.get(CASES, "0"))
        every = operations()
        held = {caller.name: Held() for caller in callers}
        for round in range(MOST_ROUNDS if wanted else 1):
            seeded = int(os.environ[SEED]) + round if wanted else None
            for operation in every:
                for caller in callers:
                    hold(operation, caller, cases=SHARE[caller.name], held=held[caller.name], seeded=seeded)
            if sum(one.cases for one in held.values()) >= wanted:
                break
        if wanted:
            with capsys.disabled():
                sys.stdout.writelines(["\n", *told(held, every)])
        found = [f"{what}\n    {request}" for one in held.values() for what, request in one.violations.items()]
        assert not found, "\n".join(found)
        assert sum(one.cases for one in held.values()) >= max(wanted, LEAST)


def told(held: dict[str, Held], every: list[Any]) -> list[str]:
    """Lines: how each caller was answered, and which operations never said yes to the first of them."""
    lines = []
    for name, one in held.items():
        statuses = ", ".join(f"{count} × {status}" for status, count in sorted(one.statuses.items()))
        lines.append(f"{name}: {one.cases} cases of {len(every)} operations: {statuses}\n")
    never = sorted({operation.label for operation in every} - next(iter(held.values())).accepted)
    return [*lines, f"violations: {sum(len(one.violations) for one in held.values())}; never accepted: {never}\n"]
