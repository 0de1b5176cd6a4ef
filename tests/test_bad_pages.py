"""Whatever is typed into an address or sent by a form: a page that says so, never a 500, and nothing is changed."""

from itertools import cycle
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import pytest
from django.test import Client
from django.urls import URLPattern, reverse

import accounts.urls
import knowledge.urls
import sessions_app.urls
from accounts.actions.members import member_of
from accounts.models import User
from accounts.rules.rights import Level
from tests.conftest import make_platform, person
from tests.database import changed, contents
from tests.factories import make_insight
from tests.pages import signed_in
from tests.read_fields import noting
from tests.sweep import share

PAGES = [
    (app.app_name, page)
    for app in (accounts.urls, knowledge.urls, sessions_app.urls)
    for page in app.urlpatterns
    if isinstance(page, URLPattern)
]
# By the name of a part of the path, what it may be made of.
PARTS: dict[str, list[Any]] = {
    "ref": [
        "nonsense",
        "PLAT-0",
        "plat-1",
        "\x00",
        "🙂",
        "A" * 3_000,
        "..",
        "' OR 1=1 --",
        "PLAT-99999999999999999999",
    ],
    "slug": ["nonsense", "x" * 3_000, "-", "_"],
    "username": ["nobody", "\x00", "🙂", "A" * 3_000, "' OR 1=1 --"],
    "token_id": [0, 10**9, 10**19, 10**400],
    "pair_id": [0, 10**9, 10**19, 10**400],
    "conflict_id": [0, 10**9, 10**19, 10**400],
    "proposal_id": [0, 10**9, 10**19, 10**400],
    "line_id": [0, 10**9, 10**19, 10**400],
    "term_id": [0, 10**9, 10**19, 10**400],
    "filter_id": [0, 10**9, 10**19, 10**400],
    "job_id": [0, 10**9, 10**19, 10**400],
    "invitation_id": [0, 10**9, 10**19, 10**400],
    "preference_id": [0, 10**9, 10**19, 10**400],
    "annotation_id": [0, 10**9, 10**19, 10**400],
    "corroboration": [0, 10**9, 10**19, 10**400],
    "topic_id": [UUID(int=0), UUID(int=7)],
    "name": ["nonsense", "S-0", "S-99999999999999999999", "\x00", "🙂", "A" * 3_000, "' OR 1=1 --"],
}
# Of each part one that might be.
SOUND: dict[str, Any] = {
    "ref": "PLAT-1",
    "slug": "platform",
    "username": "alice",
    "token_id": 1,
    "pair_id": 1,
    "conflict_id": 1,
    "proposal_id": 1,
    "line_id": 1,
    "term_id": 1,
    "filter_id": 1,
    "job_id": 1,
    "invitation_id": 1,
    "preference_id": 1,
    "annotation_id": 1,
    "corroboration": 1,
    "topic_id": UUID(int=7),
    "name": "S-1",
}
NASTY = [
    "",
    " ",
    "\x00",
    "🙂",
    "x" * 20_400,
    "' OR 1=1 --",
    "<script>",
    "-1",
    "10000000000000000000000",
    "\u202e",
    "a\r\nb",
]
# Whatever fields the forms and filters have, and one they have not.
FIELDS = [
    "q", "kind", "status", "tag", "repo", "team", "cursor", "limit", "nearest", "ordering", "files", "title", "body",
    "reasoning", "tags", "stability", "revision", "why", "name", "scopes", "team_slugs", "expires", "username", "level",
    "token", "uses", "days", "invitation", "action", "confirmed", "rank", "cols", "at", "part", "reviewed", "act",
    "tab", "add_tags", "remove_tags", "ref", "all", "back", "text",
    "saved", "page", "query", "nonsense",
]  # fmt: skip
NUL = "a\x00b"
# An address' query and a form's body that nobody types.
QUERIES = ("%ff=1", "q=%ff", "%00=%00", "&&==&", "q=a&q=b", "cursor=cD0x", "cursor=%00")
BODIES = (
    ("application/json", b"{"),
    ("text/plain", b"\xff"),
    ("multipart/form-data; boundary=x", b"--x\r\nnonsense"),
    ("multipart/form-data", b"no boundary"),
    ("application/x-www-form-urlencoded", b"%ff=%00&" * 500),
    ("application/x-www-form-urlencoded; charset=nonsense", b"a=b"),
    ("application/x-www-form-urlencoded", b"a=1&" * 2_000),
    ("application/x-www-form-urlencoded", b"x" * 1_000_001),
)
FINE = {200, 302, 400, 403, 404, 405, 409, 412}


@pytest.fixture(scope="module")
def lead(module_db: None) -> User:
    """Of a team that has an insight, for all of these tests: what one changes is undone with it."""
    user = person("alice", make_platform(), Level.LEAD)
    make_insight(member_of(user=user))
    return user


@pytest.fixture
def page(lead: User, db: None) -> Client:
    client = signed_in(lead)
    client.raise_request_exception = False
    return client


def turn(app: str, pattern: URLPattern) -> int:
    """Each page gets another share of the values."""
    return PAGES.index((app, pattern))


def tried(values: list[Any], at: int) -> list[Any]:
    """All of a few; of more a third, and in any case a NUL, which is what the database itself refuses."""
    few = values if len(values) <= 4 else share(values, at)
    return [value for value in values if value in few or value == "\x00"]


def each(some: list[tuple[str, URLPattern]]) -> Any:
    return pytest.mark.parametrize(("app", "pattern"), some, ids=[f"{app}:{page.name}" for app, page in some])


@each([(app, page) for app, page in PAGES if page.pattern.converters])
class TestPaths:
    def test_of_what_cannot_be_are_not_there(self, app: str, pattern: URLPattern, page: Client) -> None:
        before = contents()
        names = list(pattern.pattern.converters)
        fine = SOUND
        for name in names:
            for part in tried(PARTS[name], turn(app, pattern)):
                path = reverse(f"{app}:{pattern.name}", kwargs={**{n: fine[n] for n in names}, name: part})
                for method in (page.get, page.post):
                    answer = method(path)
                    assert answer.status_code in (400, 404, 405), (path[:80], answer.status_code)
        assert changed(before) == []


@each(PAGES)
class TestValues:
    """A page is sent all values at once, another in each field; one that reads any field gets a share of them in all
    fields, and the next page another.
    """

    def test_of_the_address_are_borne(self, app: str, pattern: URLPattern, page: Client) -> None:
        path = address(app, pattern)
        with noting(FIELDS) as read:
            for query in (urlencode(dict(zip(FIELDS, cycle(NASTY), strict=False))), "&".join(QUERIES)):
                assert page.get(f"{path}?{query}").status_code in FINE, query
        for value in tried(NASTY, turn(app, pattern)) if read else ():
            answer = page.get(path, dict.fromkeys(FIELDS, value))
            assert answer.status_code in FINE, (value[:20], answer.status_code)
        for query in share(QUERIES, turn(app, pattern)) if read else ():
            assert page.get(f"{path}?{query}").status_code in FINE, query

    def test_of_a_form_are_borne(self, app: str, pattern: URLPattern, page: Client) -> None:
        path = address(app, pattern)
        unread, read = set(FIELDS), set[str]()
        at = turn(app, pattern)
        forms = [dict(zip(FIELDS, cycle(NASTY), strict=False))]
        forms += [dict.fromkeys(FIELDS, value) for value in share(NASTY, at, 5)]
        while forms:
            with noting(FIELDS) as newly:
                for form in forms:
                    answer = page.post(path, form)
                    assert answer.status_code in FINE, (str(form)[:80], answer.status_code)
                    if not read | newly:
                        break
            found = newly & unread
            unread, read = unread - found, read | found
            spoilt = [name for name in FIELDS if name in found]
            forms = [dict.fromkeys(spoilt, NUL), *({name: NUL} for name in share(spoilt, at))] if spoilt else []
        for kind, raw in share(BODIES, at, 4) if read else BODIES[:1]:
            answer = page.generic("POST", path, raw, content_type=kind)
            assert answer.status_code in {*FINE, 413}, (kind, raw[:20], answer.status_code)


def address(app: str, pattern: URLPattern) -> str:
    fine = SOUND | {"username": "nobody", "token_id": 10**9}
    return reverse(f"{app}:{pattern.name}", kwargs={name: fine[name] for name in pattern.pattern.converters})
