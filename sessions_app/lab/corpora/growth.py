"""A world to grow in: what a team's agents could learn in a quarter, in which facts are found, repeated and overturned.

The world is of facts: of each service, what it uses for each purpose. A fact has several wordings, and over time
several values, one after the other; an agent that learns a new value says so in the words people use for it. Beside
facts there is chatter that says nothing. All is drawn from a generator the caller seeds, so that a quarter can be lived
again.

The sentences are Loam's own. They prove that the machinery works together over time, not how well it judges sentences
of others: that is measured on labelled pairs.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

SERVICES = (
    "checkout", "billing", "search", "inventory", "notifications", "identity", "reporting", "media", "shipping",
    "catalogue",
)  # fmt: skip
# Purpose, how a question asks for it, and what can be used for it.
PURPOSES = (
    ("caching responses", "what caches the responses", ("Redis", "Memcached", "Varnish", "Hazelcast")),
    ("background jobs", "what runs the background jobs", ("Celery", "Dramatiq", "Huey", "Temporal")),
    ("front-end tests", "which runner is for front-end tests", ("Jest", "Vitest", "Mocha", "Karma")),
    ("log shipping", "what ships the logs", ("Fluentd", "Vector", "Logstash", "Filebeat")),
    ("schema migrations", "what makes the schema migrations", ("Alembic", "Flyway", "Liquibase", "Atlas")),
    ("feature flags", "where the feature flags live", ("Unleash", "LaunchDarkly", "Flagsmith", "Flipt")),
)
SAYINGS = (
    "{service} uses {value} for {purpose}; configure it in settings/{service}.toml.",
    "For {purpose} the {service} service relies on {value}, set up in settings/{service}.toml.",
    "In {service}, {purpose} is done with {value}. The configuration is settings/{service}.toml.",
)
CHANGES = (
    "{service} no longer uses {old} for {purpose}: we switched to {value}, set up in settings/{service}.toml.",
    "We switched {service} from {old} to {value} for {purpose}; {old} is no longer used there.",
)
CHATTER = ("All tests pass now.", "Fixed the bug.", "Refactored some code for readability.", "Looks good, done.")


@dataclass(frozen=True)
class Fact:
    """What one service uses for one purpose. `values`: one after the other, the first being true at the start."""

    service: str
    purpose: str
    question: str
    values: tuple[str, ...]

    @property
    def repo(self) -> str:
        return f"acme/{self.service}"

    @property
    def asked(self) -> str:
        return f"{self.question} of {self.service}"

    def statement(self, version: int, rng: Random) -> str:
        """Somebody who finds it so, in one of its wordings."""
        return rng.choice(SAYINGS).format(service=self.service, value=self.values[version], purpose=self.purpose)

    def overturned(self, version: int, rng: Random) -> str:
        """Somebody who has just changed it to the value of that version."""
        return rng.choice(CHANGES).format(
            service=self.service, value=self.values[version], old=self.values[version - 1], purpose=self.purpose
        )


def facts(rng: Random) -> list[Fact]:
    """All facts of a world."""
    return [
        Fact(service, purpose, question, tuple(rng.sample(values, len(values))))
        for service in SERVICES
        for purpose, question, values in PURPOSES
    ]


@dataclass(frozen=True)
class SimulatedAct:
    """One thing an agent does: `ask` about a fact, `tell` it as it is, `overturn` it, or `chat`."""

    verb: str
    fact: Fact | None = None
    text: str = ""
    version: int = 0


class World:
    """What is true now, and what each session does about it."""

    # A session asks and tells a little; one in three finds that something has changed.
    ASKED, TOLD = 3, 3
    CHANGE, CHATTER = 1 / 3, 1 / 4

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.facts = facts(rng)
        self.version = dict.fromkeys(self.facts, 0)
        self.told: set[Fact] = set()

    def session(self) -> Iterator[SimulatedAct]:
        """Deeds in their order; what a deed changes is true from then on."""
        for fact in self.rng.sample(self.facts, self.ASKED):
            yield SimulatedAct("ask", fact)
        for fact in self.rng.sample(self.facts, self.TOLD):
            self.told.add(fact)
            yield SimulatedAct("tell", fact, fact.statement(self.version[fact], self.rng), self.version[fact])
        if self.told and self.rng.random() < self.CHANGE:
            fact = self.rng.choice(sorted(self.told, key=lambda one: one.asked))
            if self.version[fact] + 1 < len(fact.values):
                self.version[fact] += 1
                yield SimulatedAct("overturn", fact, fact.overturned(self.version[fact], self.rng), self.version[fact])
        if self.rng.random() < self.CHATTER:
            yield SimulatedAct("chat", None, self.rng.choice(CHATTER))
