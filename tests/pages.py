"""Looking at pages as a browser would, without one."""

from html.parser import HTMLParser

from django.test import Client

from accounts.models import User

HTMX = {"HTTP_HX_REQUEST": "true"}


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


class Faults(HTMLParser):
    """What the content security policy would refuse, and ids that stand on the page twice."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.ids: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "style" or "style" in given:
            self.found.append(f"style in <{tag}>")
        if tag == "script" and "src" not in given and given.get("type") != "application/json":
            self.found.append("inline script")
        self.found += [f"{name} in <{tag}>" for name in given if name.startswith(("on", "hx-on"))]
        self.found += [
            f"{name}={value!r} in <{tag}>"
            for name, value in attrs
            if name in ("src", "href")
            and (value or "").startswith(("javascript:", "http://", "https://", "//"))
            and tag != "a"
        ]
        name = given.get("id")
        if name in self.ids:
            self.found.append(f"id {name} twice")
        self.ids.add(name or "")
        self.ids.discard("")
