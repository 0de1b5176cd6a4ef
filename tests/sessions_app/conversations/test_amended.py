"""A decision that was changed later, in ordinary chat: who asks is told what holds now, first.

None of the pairs repeats a figure or a name of the earlier one, which is how `same_subject` knows most amendments.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from accounts.rules.rights import Member
from sessions_app.conversations.actions.share import share
from sessions_app.transcripts.rules.speakers import SharedTurns
from sessions_app.transcripts.rules.turn import Turn
from tests.conftest import NOW
from tests.sessions_app.conversations.decisions import OTHERS, ask, turns
from tests.sessions_app.conversations.talk import talk

pytestmark = pytest.mark.django_db


@dataclass(frozen=True)
class Changed:
    """What was said on two days; what holds since the second, and what held before; a question in other words."""

    first: tuple[str, ...]
    later: tuple[str, ...]
    now: str
    before: str
    question: str


CHANGED = {
    "lock-timeout": Changed(
        (
            "altering big tables takes the shop down, what's the rule",
            "pg_repack for everything.",
            "can't install extensions on the managed one",
            "lock_timeout of 30 s, so that it gives up rather than queue.",
            "30 s then",
            "migrate.sh sets lock_timeout=30 s.",
        ),
        (
            "so the shop stood still again for half a minute",
            "While the statement waits for its lock everyone behind it waits as well. That is what the limit allows.",
            "then the limit is far too generous",
            "1 s would fail most of the time at peak.",
            "let it fail, and try again later. but not forever",
            "2 s, 5 tries, 20 seconds between.",
            "👍",
            "Changed in migrate.sh.",
        ),
        "2 s, 5 tries",
        "30 s",
        "Last night's deployment altered the orders table and nobody could check out: migrate.sh waited "
        "for its lock, everyone behind it waited as well. Fix the lock handling of migrations.",
    ),
    "locale-fallback": Changed(
        (
            "what do we show when a text isn't translated",
            "Machine translation on the fly?",
            "marketing would kill me",
            "The key itself makes gaps visible.",
            "not in production. english",
            "A missing text falls straight to en.",
        ),
        (
            "we get tickets from zurich and vienna",
            "They have regional catalogues with few entries; whatever isn't in there is shown in English, as agreed.",
            "that's silly, german is right there",
            "So region first, then its language, then en: de-CH, de, en.",
            "yes, and for fr-CH likewise",
            "What about it-CH, there's no Italian at all?",
            "english then, nothing else",
            "Chain is region, language, en.",
        ),
        "region first",
        "straight to en",
        "Swiss and Austrian visitors see half of the shop in English since the new texts went live, although "
        "German translations exist. Fix which catalogue a missing text falls back to.",
    ),
    "csv-sep": Changed(
        (
            "finance wants the monthly numbers as a file they can open with a double click",
            "xlsx via openpyxl would be the nicest for them.",
            "nope, no new dependency for this. plain text",
            "Tab separated then: amounts contain commas, so a tab is the safest separator.",
            "ok tab, and two decimals",
            "The monthly export is tab separated with two decimals.",
        ),
        (
            "remember the monthly file? half of their machines show it as one column",
            "Because the regional list separator there isn't a tab. I can write a `sep=` line on top.",
            "libreoffice shows that line as data, no",
            "What do their machines expect?",
            "semicolon. and the é came out broken, so put the bom in front",
            "Semicolons, encoded as utf-8-sig, still two decimals.",
            "exactly, ship it",
        ),
        "semicolon",
        "tab separated",
        "An accountant in Lyon opens the monthly export with a double click and all numbers land in the first"
        " column; accented letters are garbled too. Fix the monthly file that finance downloads.",
    ),
    "rounding": Changed(
        (
            "where do we cut the digits when we compute vat",
            "With floats, and format at the end?",
            "floats for money, seriously? no",
            "Decimals then. Cut per line, half up, and add the lines.",
            "per line half up. good",
            "VAT is rounded per line, ROUND_HALF_UP, on Decimal.",
        ),
        (
            "the tax office of the dutch entity answered",
            "About the way we compute vat?",
            "yes. they want the sum taxed once, not every line for itself",
            "So cut once, at the level of the document, and show unrounded lines?",
            "show them with two digits still, but don't add those",
            "Shall I keep half up?",
            "they said bankers, so half even",
            "Once per document, half even. I'd migrate old documents as well.",
            "hands off the old ones, they're sealed",
        ),
        "half even",
        "half up",
        "Customer 4411 was charged one cent more than the VAT on the document says. The tax is computed from "
        "the lines of the invoice; fix how VAT is rounded in billing.",
    ),
}


@pytest.fixture(params=CHANGED)
def changed(request: pytest.FixtureRequest, alice: Member) -> Iterator[tuple[Changed, str, str]]:
    """One of them, with the references of both conversations, among others on the same repository."""
    share(repo="shop", team="platform", turns=SharedTurns.ALL, by=alice, now=NOW)
    case = CHANGED[request.param]
    first = talk(alice, turns(3, *case.first)).ref
    for one in OTHERS:
        talk(alice, one)
    yield case, first, talk(alice, turns(18, *case.later)).ref


class TestADecisionThatWasChanged:
    @pytest.mark.parametrize("room", [400, 800])
    def test_is_told_as_it_is_now_first(self, changed: tuple[Changed, str, str], bob: Member, room: int) -> None:
        case, first, later = changed
        done = ask(bob, case.question, max_tokens=room)
        told = [one.found.ref for one in done.conversations]
        assert told[:1] == [later]
        assert case.now in done.text.lower()
        if case.before in done.text.lower():
            assert done.text.index(f"[{later}]") < done.text.index(f"[{first}]")
            assert done.text.lower().index(case.now) < done.text.lower().rindex(case.before)
            assert f"before {later}" in done.text


# What else is said that day, before and after: nobody talks about one thing for two hours.
BEFORE = (
    "rename Foo to ParcelLabel",
    "Renamed in 11 files.",
    "the avatar is stretched",
    "object-fit: cover.",
    "bump pillow",
    "Bumped, its changelog has nothing for us.",
)
AFTER = (
    "what's in the stash",
    "A half-finished change of the footer.",
    "link in the footer is dead",
    "Points to /imprint now.",
    "squash please",
    "One commit now.",
)
PAGING = Changed(
    (
        "limit/offset ok for lists?",
        "Fine below some thousand rows.",
        "do that. max 200 per page",
        "LimitOffsetPagination, max_limit=200.",
    ),
    (
        "ios says duplicates while scrolling",
        "Rows are inserted on top while they page, so everything shifts.",
        "cursor. on (created, id). cap 50, the phones choke otherwise",
        "CursorPagination ordering by created,id, page_size max 50.",
    ),
    "cap 50",
    "max_limit=200",
    "mobile client skips rows when it scrolls through orders, how is paging supposed to work in the api?",
)


class TestADecisionAmongOtherMatters:
    """Four turns of sixteen are about it: a conversation about several things stands out as a whole from none."""

    def test_is_told_as_it_is_now_first(self, alice: Member, bob: Member) -> None:
        share(repo="shop", team="platform", turns=SharedTurns.ALL, by=alice, now=NOW)
        first = talk(alice, turns(3, *BEFORE, *PAGING.first, *AFTER)).ref
        for one in OTHERS:
            talk(alice, one)
        later = talk(alice, turns(18, *AFTER, *PAGING.later, *BEFORE)).ref
        done = ask(bob, PAGING.question, max_tokens=400, include=("conversations",))
        assert [one.found.ref for one in done.conversations][:1] == [later]
        assert PAGING.now in done.text
        assert first not in done.text or f"before {later}" in done.text


JANITOR = Changed(
    (
        "customers fetch a report twice and the second link is dead. what's the storage key",
        "Each click writes a new object; the old one is overwritten when both start in the same second.",
        "so the timestamp is useless in it",
        "As a key, yes. What stays is the report's id and its filter hash.",
        "which colour is the banner in staging",
        "Orange, from the environment's name.",
        "use report id slash filter hash then",
        "Key: `report_id/filter_hash`, written once, and the second click gets the same link.",
        "and how long do they lie there",
        "Support opens tickets up to three weeks later. 30 days leaves some room.",
        "ok 30 days then gone",
        "The nightly `report-janitor` removes objects older than 30 days.",
    ),
    (
        "passport scans lie in the support bucket. urgent",
        "The form's upload has no lifecycle rule at all.",
        "14 days after the case is closed, then away",
        "A rule on the prefix `scans/` with 14 days, set when the case is closed.",
        "why does the docker build take four minutes",
        "The lockfile is copied after the sources. Copied before them it takes 50 seconds.",
        "while you are there, the report-janitor: finance wants those for the whole year, make it 400",
        "report-janitor now keeps 400 days. The bucket grows to some 90 GB.",
        "yes fine",
        "Both rules are listed in docs/storage.md.",
    ),
    "make it 400",
    "30 days",
    "What is the storage key of a report and how long are reports kept?",
)


class TestADecisionChangedInPassing:
    """The later conversation is about something else, and names what it changes."""

    @pytest.mark.parametrize("room", [400, 800])
    def test_is_told_as_it_is_now_first(self, alice: Member, bob: Member, room: int) -> None:
        share(repo="shop", team="platform", turns=SharedTurns.ALL, by=alice, now=NOW)
        first = talk(alice, (*turns(3, *JANITOR.first), Turn("tool", "Edit reports/links.py"))).ref
        for one in OTHERS:
            talk(alice, one)
        later = talk(alice, (*turns(18, *JANITOR.later), Turn("tool", "Edit storage/rules.tf"))).ref
        done = ask(bob, JANITOR.question, max_tokens=room, include=("conversations",))
        assert [one.found.ref for one in done.conversations][:2] == [later, first]
        assert JANITOR.now in done.text
        assert f"later than {first}" in done.text
        assert "report_id/filter_hash" in done.text
