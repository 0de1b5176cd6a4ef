"""Every endpoint, called with a token that is for some of its owner's teams: it neither reads nor changes the others.

What one account may do all at once (its settings, what it shares, what it typed and asked) is found here as soon as
there is an endpoint for it, for nothing is named but endpoints; a new one needs a row in tests/endpoints.py.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest
from django.db import transaction

from accounts.actions.members import member_of
from accounts.models import Team, User
from accounts.rules.rights import Member
from tests import stage
from tests.conftest import NOW, agent
from tests.database import Contents, changed, contents
from tests.endpoints import WITH_TOKEN, Endpoint
from tests.narrowed import HIDDEN, Row, Things, beyond, bodies, furnish, rows
from tests.test_rights import Undone

laid_out = stage.laid_out


@pytest.fixture(scope="module")
def things(laid_out: stage.Laid) -> tuple[User, Things]:
    _, alice_user, place = laid_out
    return alice_user, furnish(member_of(user=alice_user), place, NOW)


@pytest.mark.django_db
@pytest.mark.parametrize("slugs", HIDDEN, ids="+".join)
class TestANarrowedToken:
    def test_reads_and_changes_nothing_of_other_teams(
        self, slugs: tuple[str, ...], things: tuple[User, Things]
    ) -> None:
        alice_user, laid = things
        own = {Team.objects.get(owner=alice_user).slug if slug == "personal" else slug for slug in slugs}
        whole = member_of(user=alice_user)
        client = agent(whole, name="narrow", team_slugs=sorted(own))
        teams = frozenset(Team.objects.filter(slug__in=own).values_list("pk", flat=True))
        by = member_of(user=alice_user, only=teams)
        before, was = contents(), rows()
        wrong, sent = [], set()
        for endpoint in WITH_TOKEN:
            for body, parts in product(bodies(endpoint, slugs, laid.session), laid.parts):
                asking = (str(endpoint), repr(body), *(str(parts[name]) for name in endpoint.names))
                if asking not in sent:
                    status, faults = _asked(endpoint, client, body, parts, before.undone(), was, by, HIDDEN[slugs])
                    wrong += [(*asking, status, faults)] if faults or status >= 500 else []
                sent.add(asking)
        if wrong:
            pytest.fail("\n".join(map(str, wrong)))


def _asked(
    endpoint: Endpoint,
    client: Any,
    body: Any,
    parts: dict[str, Any],
    before: Contents,
    was: dict[tuple[str, Any], Row],
    by: Member,
    hidden: Sequence[str],
) -> tuple[int, list[str]]:
    """The status, and what was told or changed that must not be; nothing of it stays."""
    try:
        with transaction.atomic():
            answer = endpoint.send(client, body, **parts)
            said = answer.content.decode(errors="replace")
            faults = [f"the answer tells {word}" for word in hidden if word in said]
            tables = changed(before)
            faults += beyond(was, tables, by, hidden) if tables else []
            raise Undone
    except Undone:
        return answer.status_code, faults
