"""Two stories of what was decided in a session and deposited by nobody: the one after it is a colleague's."""

import json
from collections.abc import Callable

from tests.clients.driver import Driver, Play, Session
from tests.clients.facts import DECISION, Fact
from tests.clients.follow import reader, session_in
from tests.clients.script import Ask, Asked, Reply, Run, Script
from tests.clients.stories import Outcome, _claude
from tests.clients.works import TARIFFS, Work
from tests.clients.world import World

QUESTION = "What did we decide on retries of the carrier API, and on how tariff weights are kept?"
# Decisions in the middle of other words, the last of which tell of something else.
SPOKEN = Work(
    prompt="Why does the carrier reject our parcels at night? Look at importer/tariffs.py.",
    steps=(
        Reply(
            "The carrier's gateway closes after 19 seconds, so retries of the carrier API stop at seven, with 40 "
            "seconds between them; a longer pause would run into the nightly settlement.",
            (Run("cat importer/tariffs.py"),),
        ),
        Reply(
            "Tariff weights are kept as whole grams until the invoice is written: kilograms lose the third digit, and "
            "the auditors rejected decimals.",
            (Run("cat README.md"),),
        ),
    ),
    last="The night run is explained. I have not touched anything else yet.",
    facts=(
        Fact(DECISION, "stop at seven"),
        Fact(DECISION, "40 seconds"),
        Fact(DECISION, "whole grams"),
        Fact(DECISION, "the third digit"),
    ),
)


def _colleague(world: World, story: str) -> Driver:
    return _claude(world.setup(story, "bob"))


def two_days(world: World) -> Outcome:
    """Decisions are spoken, never deposited, and the agent is killed; the next day a colleague asks about them."""
    driver = _claude(world.setup("two-days"))
    checkout = driver.setup.checkout
    driver.setup.machine.loam("share", "--team", "platform", "--turns", "agent", "--yes", cwd=checkout)
    marker = driver.setup.machine.home / "second-turn"
    steps = (*SPOKEN.ended(), *Work("", (), "Going on.", ()).killed(marker))
    play = Play((SPOKEN.prompt, "Go on"), Script(*steps), headless=False, until=marker.exists)
    before = driver.play(play)
    after = _colleague(world, "two-days").play(Play((QUESTION,), Script(*reader())))
    return Outcome("two days, nothing deposited", SPOKEN.facts, (before,), after)


def asked_at_stop(world: World) -> Outcome:
    """A person's agent edits, decides and stops: it is asked once, and deposits; nobody's conversation is shared."""
    driver = _claude(world.setup("asked"))

    def deposit(asked: Asked) -> Reply:
        given = {
            "kind": "DECISION",
            "body": "Net weights of tariffs stay in whole grams until the invoice is written.",
            "reasoning": "Kilograms lose the third digit.",
            "session": session_in(asked.context),
            "repo": world.repo("asked"),
            "team": "platform",
        }
        return Reply("", (Ask("deposit_insight", given),))

    script = Script(*TARIFFS.ended(), deposit, Reply("Deposited."), Reply("Bye."))
    before = driver.play(Play((TARIFFS.prompt, "Thanks"), script, headless=False))
    after = _colleague(world, "asked").play(Play(("How are net weights of tariffs kept?",), Script(*reader())))
    kept = (Fact(DECISION, "whole grams until the invoice is written"), Fact(DECISION, "the third digit"))
    return Outcome("asked at its stop", kept, (before,), after)


def questions(session: Session) -> list[str]:
    """What the session's agent was asked at its Stops."""
    said = [json.loads(hook.said or "{}") for hook in session.hooks if hook.event == "Stop"]
    return [str(one["reason"]) for one in said if one.get("decision") == "block"]


DECIDED: dict[str, Callable[[World], Outcome]] = {"two_days": two_days, "asked_at_stop": asked_at_stop}
