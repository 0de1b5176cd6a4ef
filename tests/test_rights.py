"""Level × scope × verb: every endpoint of the API, asked by everybody who may be in a team, with every kind of token.

The table of tests/endpoints.py says which scope each takes; the level follows from it. So an endpoint that is new is
here as soon as it is there, and without a row there the first test of tests/test_bad_input.py fails.
"""

from typing import Any

import pytest
from django.db import transaction

from accounts.actions.members import member_of
from accounts.models import Membership, User
from accounts.rules.rights import Level, Scope
from tests import stage
from tests.conftest import agent
from tests.database import Contents, changed, contents
from tests.endpoints import GOOD, LESSON, WITH_TOKEN, Endpoint

platform, alice_user, laid_out, place = stage.platform, stage.alice_user, stage.laid_out, stage.place
Way = tuple[Level, Scope]
LEAD, CONTRIBUTOR, READER = (Level.LEAD, Scope.CURATE), (Level.CONTRIBUTOR, Scope.WRITE), (Level.READER, Scope.WRITE)
WAYS: dict[Scope | None, list[Way]] = {
    None: [(Level.READER, Scope.READ)], Scope.WRITE: [CONTRIBUTOR], Scope.CURATE: [LEAD],
}  # fmt: skip
# What one may do with what is one's own, as everything here is Alice's: edit, validate and forget one's drafts with the
# scope `write`, edit a skill that was never published, prefer what one likes.
OWN: dict[tuple[str, str], list[Way]] = {
    ("annotation", "DELETE"): [CONTRIBUTOR],
    ("insight", "PATCH"): [CONTRIBUTOR],
    ("insight-forget", "POST"): [CONTRIBUTOR],
    ("insight-validate", "POST"): [CONTRIBUTOR],
    ("me", "PATCH"): [READER],
    ("preferences", "POST"): [READER],
    ("session-forget", "POST"): [READER],
    ("session-sharing", "DELETE"): [READER],
    ("skill", "PATCH"): [CONTRIBUTOR, LEAD],
}
# A lead's acts that write as well, here or in another team: they take both scopes.
WRITING_TOO = {("insight-move", "POST")}
# These answer 200 and change nothing: each item is refused for itself, or is of no team that may be written to.
BY_ITEM = {("insight-batch", "POST"), ("provenance", "POST")}
# Which team is meant is said, for what is meant without saying so depends on the level.
NAMED = {
    ("insights", "POST"): {**LESSON, "team": "platform"},
    ("insight-batch", "POST"): {"insights": [{**LESSON, "team": "platform"}]},
    **{key: {**(GOOD[key].body or {}), "team": "platform"} for key in (("skills", "POST"), ("code-index", "POST"))},
}
WHO = [(level, list(Scope)) for level in Level]
WHO += [(Level.LEAD, [Scope.READ, *more]) for more in ([], [Scope.WRITE], [Scope.CURATE])]


class Undone(Exception):
    """What was done is taken back."""


def asked(endpoint: Endpoint, client: Any, parts: dict[str, Any], before: Contents) -> tuple[Any, list[str]]:
    """The answer, and the tables it changed; nothing of it stays."""
    try:
        with transaction.atomic():
            answer = endpoint.send(client, NAMED.get((endpoint.name, endpoint.method)), **parts)
            tables = changed(before)
            raise Undone
    except Undone:
        return answer, tables


class TestEveryEndpoint:
    @pytest.mark.parametrize(("level", "scopes"), WHO, ids=[f"{level.name}-{'+'.join(s)}" for level, s in WHO])
    def test_takes_the_level_and_the_scope(
        self, level: Level, scopes: list[Scope], place: dict[str, Any], alice_user: User
    ) -> None:
        """Alice's own things, in her team, where she is now of that level."""
        Membership.objects.filter(user=alice_user, team__slug="platform").update(level=level)
        client = agent(member_of(user=alice_user), scopes=scopes)
        wrong, before = [], contents()
        for endpoint in WITH_TOKEN:
            key = (endpoint.name, endpoint.method)
            ways = OWN.get(key, WAYS[endpoint.good.scope])
            may = any(level >= least and scope in scopes for least, scope in ways)
            may = may and (Scope.WRITE in scopes or key not in WRITING_TOO)
            answer, tables = asked(endpoint, client, place, before.undone())
            if may:
                fine = answer.status_code not in (401, 403) and answer.status_code < 500
            else:
                fine = not tables and (answer.status_code == 403 or key in BY_ITEM)
            wrong += [] if fine else [(str(endpoint), may, answer.status_code, tables)]
        assert "\n".join(map(str, wrong)) == ""
