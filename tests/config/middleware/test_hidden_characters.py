"""The last net: no page shows what nobody sees."""

from django.test import Client

from accounts.models import Team, User
from tests.pages import signed_in


class TestPlain:
    def test_is_every_page_whatever_a_name_holds(self, alice_user: User, platform: Team) -> None:
        Team.objects.filter(pk=platform.pk).update(name="Plat\u202eform\u200b سلام‌ها 👩\u200d💻")
        page = signed_in(alice_user).get("/teams/platform/").content.decode()
        assert "\u202e" not in page and "\u200b" not in page
        assert "👩\u200d💻" in page

    def test_is_nothing_to_an_answer_of_the_api(self, client: Client, db: None) -> None:
        assert client.get("/api/v1/health/").status_code == 200
