"""Before a web process takes requests it has answered a prompt, and nothing of that is left."""

import logging

import pytest

from accounts.rules.rights import Member
from config.processes.warm_up import PROMPT, warm_up
from knowledge.adapters import embedder
from knowledge.models import Query
from sessions_app.models import SurfaceDecision
from tests.factories import make_insight


@pytest.mark.django_db(transaction=True)
class TestWarmUp:
    def test_asks_as_somebody_and_leaves_nothing(self, bob: Member) -> None:
        make_insight(bob, body=PROMPT.replace("How do we", "We"))
        warm_up()
        assert not SurfaceDecision.objects.exists()
        assert not Query.objects.exists()

    def test_loads_the_model_where_nobody_has_an_account(self) -> None:
        warm_up()
        assert embedder.current().embed([PROMPT]).shape == (1, embedder.current().dimensions)

    def test_does_not_keep_a_process_without_a_model_from_starting(
        self, embedder_down: str, bob: Member, caplog: pytest.LogCaptureFixture
    ) -> None:
        with caplog.at_level(logging.WARNING):
            warm_up()
        assert "The first question will take longer" in caplog.text
