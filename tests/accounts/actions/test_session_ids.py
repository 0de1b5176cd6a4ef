"""Session ids: unguessable, and nobody else's."""

from typing import Any

from accounts.actions.session_ids import belongs, issue
from tests.cases import cases


class TestASessionId:
    def test_belongs_to_its_user_alone(self) -> None:
        session = issue(user_id=7)
        assert belongs(session, user_id=7)
        assert not belongs(session, user_id=8)

    def test_is_never_the_same_twice_and_fits_a_session_key(self) -> None:
        issued = {issue(user_id=7) for _ in range(50)}
        assert len(issued) == 50
        assert all(len(session) <= 80 for session in issued)

    def test_is_not_to_be_made_up(self) -> None:
        session = issue(user_id=7)
        for made_up in (
            "", "x", "token:1", "loam-s-", "loam-s-" + "A" * 44, session[:-1], session + "A", session[len("loam-s-"):],
            session.swapcase(), session.replace("loam-s-", "loam-t-"), "loam-s-" + "é" * 44, f" {session}",
        ):  # fmt: skip
            assert not belongs(made_up, user_id=7), made_up

    @cases("place", range(7, 51))
    def test_bears_no_other_character_anywhere(self, place: int) -> None:
        session = issue(user_id=7)
        other = "A" if session[place] != "A" else "B"
        assert not belongs(session[:place] + other + session[place + 1 :], user_id=7)

    def test_outlives_a_change_of_the_key(self, settings: Any) -> None:
        session = issue(user_id=7)
        settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
        settings.SECRET_KEY = "another"
        assert belongs(session, user_id=7)
        settings.SECRET_KEY_FALLBACKS = []
        assert not belongs(session, user_id=7)
