"""What sessions left, read later."""

import json
from dataclasses import replace
from datetime import datetime

from accounts.rules.rights import Member
from knowledge.models import Insight
from knowledge.review.actions.forget import forget
from sessions_app.actions.history import history
from sessions_app.handoffs.actions.acknowledge import acknowledge
from sessions_app.models import Handoff
from tests.factories import make_insight
from tests.sessions_app.sitting import MINUTE, REPO, sit, stop
from tests.sessions_app.test_continuity import TALK


def shown(handoff: Handoff) -> str:
    return json.dumps([handoff.deposits, handoff.decisions, handoff.facts, handoff.interpretation])


class TestHistory:
    def test_does_not_show_what_was_forgotten_since(self, alice: Member, bob: Member, now: datetime) -> None:
        session = sit(bob, now)
        make_insight(
            replace(bob, session=session.key),
            now=now,
            title="The walrus ledger",
            body="The walrus ledger is kept in the safe.",
        )
        stop(session, bob, now + MINUTE, transcript=TALK)
        before = shown(Handoff.objects.get())
        refs = list(Insight.objects.values_list("ref", flat=True))
        assert "The walrus ledger" in before and len(refs) > 1
        for ref in refs:
            forget(ref=ref, by=alice, now=now + MINUTE, why="It names somebody.")
        [read] = history(by=bob, repo=REPO)
        again = shown(read.handoff)
        assert "walrus" not in again and "(no longer shown)" in again
        assert all(one["statement"] == "(no longer shown)" for one in read.handoff.decisions if one.get("ref"))
        taken = acknowledge(name=session.ref, by=alice, now=now + MINUTE)
        assert "walrus" not in shown(taken)
