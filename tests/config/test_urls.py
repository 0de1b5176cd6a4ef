"""Where everything is mounted."""

from django.contrib.staticfiles import finders
from django.test import Client


class TestTheAddressBrowsersGuess:
    def test_leads_to_the_mark(self, client: Client) -> None:
        to = client.get("/favicon.ico")["Location"]
        assert to.startswith("/static/") and finders.find(to.removeprefix("/static/"))
