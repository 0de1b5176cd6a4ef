"""What is written to a team at the moment in which its writes are stopped."""

import time
from threading import Thread

import pytest
from django.db import connections, transaction

from accounts.actions.members import member_of
from accounts.actions.moving import stop_writes
from accounts.models import User
from accounts.rules.rights import SYSTEM, Member, TeamStopped
from knowledge.judging.actions.deposit import deposit
from knowledge.models import Insight
from tests.conftest import NOW
from tests.endpoints import LESSON
from tests.factories import make_draft


class TestAWriteUnderWay:
    def test_is_waited_for(self, transactional_db: None, alice: Member) -> None:
        """The stop ends when it has, and what comes then is refused."""
        order: list[str] = []

        def stop() -> None:
            try:
                stop_writes(slug="platform", by=SYSTEM, now=NOW)
                order.append("stopped")
            finally:
                connections.close_all()

        thread = Thread(target=stop)
        with transaction.atomic():
            kept = deposit(draft=make_draft(team="platform"), by=alice, now=NOW)
            thread.start()
            time.sleep(0.5)
            order.append("deposited")
        thread.join()
        assert order == ["deposited", "stopped"]
        assert Insight.objects.filter(ref=kept.insight.ref).exists()
        with pytest.raises(TeamStopped):
            deposit(
                draft=make_draft(team="platform", body=LESSON["body"]),
                by=member_of(user=User.objects.get(pk=alice.user_id)),
                now=NOW,
            )
