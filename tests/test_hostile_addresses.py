"""What is typed into a page's address does not come back alive."""

import pytest

from accounts.models import User
from tests.hostile import ALIVE, EVIL, SCRIPTS, UNSEEN
from tests.pages import Faults, signed_in
from tests.read_fields import noting

PATHS = ("/", "/insights/", "/skills/", "/sessions/", "/go/", "/topics/", "/inbox/plan/", "/friction/")


class TestPages:
    @pytest.mark.parametrize("field", ["q", "tag", "repo", "author", "back", "team", "kind", "tab", "page", "cursor"])
    def test_give_nothing_back_alive_that_an_address_says(self, field: str, alice_user: User) -> None:
        """To a page that does not read the field all is said at once: at most it gives its whole address back."""
        client = signed_in(alice_user)
        for path in PATHS:
            for words in (EVIL[:1_500], UNSEEN, *SCRIPTS):
                with noting([field]) as read:
                    answer = client.get(path, {field: words}, follow=True)
                page = answer.content.decode()
                assert answer.status_code in (200, 400, 404), (path, answer.status_code)
                assert Faults(page).found == [], path
                assert not [alive for alive in ALIVE if alive in page], path
                assert not set(page) & set(UNSEEN), path
                if not read:
                    break
