"""The suite of the adversary: months of a team with a crew of colluding accounts in it."""

from concurrent.futures import as_completed
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from accounts.actions.members import create_team, enrol, member_of
from accounts.actions.tokens import issue_token
from accounts.models import Membership, Team, User
from accounts.rules.rights import Level, Member, Scope
from knowledge.adapters.embedder import cached_vectors
from sessions_app.lab.measurements.adversary import DAYS, Cast, Month, begin, month
from sessions_app.lab.metrics import adversary as rules
from sessions_app.lab.processes import processes
from sessions_app.lab.suites.suite import SuiteOutcome, SuiteRequest, evaluator
from sessions_app.lab.throwaway import let_go, move_to, throwaway_database

CREWS = (0, 1, 2, 5)
HONEST = 20
SEED = 1
TEAM = "shop"


def evaluate_adversary(wanted: SuiteRequest) -> SuiteOutcome:
    """What one, two and five colluding accounts among twenty honest ones achieve in a month, held to bars."""
    return months(wanted)


def months(wanted: SuiteRequest, *, honest: int = HONEST, days: int = DAYS) -> SuiteOutcome:
    """Return the figures of a month for each crew, and which bars they miss.

    What they begin with is made once. Each month goes on in a copy of it and a process of its own, the longest first:
    half of a month is spent waiting for its database.
    """
    with throwaway_database(durable=False) as name:
        lived = begin(cast=cast_of(wanted, honest), start=wanted.now, seed=SEED)
        let_go()
        given = [BegunMonth(name, wanted.cache, lived, wanted.now, size, days) for size in sorted(CREWS, reverse=True)]
        found: dict[int, dict[str, Any]] = {}
        with processes(len(given)) as pool:
            waited = {pool.submit(month_of, one): one.crew for one in given}
            for done in as_completed(waited):
                found[waited[done]] = done.result()
                wanted.progress("months", len(found), len(given))
    found = dict(sorted(found.items()))
    figures = {"crews": {str(size): one for size, one in found.items()}}
    return SuiteOutcome(figures, rules.tables(found, honest), rules.missed(found))


@dataclass(frozen=True)
class BegunMonth:
    """A month that another process is to go on with. `database`: what it has begun in; `crew`: how many are hostile."""

    database: str
    cache: Path | None
    lived: Month
    start: datetime
    crew: int
    days: int


def month_of(begun: BegunMonth) -> dict[str, Any]:
    """Return the figures of a month that goes on in a copy of its database; this process has no other work."""
    move_to(begun.database)
    with (
        throwaway_database(copied=True, durable=False),
        cached_vectors(begun.cache) if begun.cache else nullcontext(),
    ):
        return month(lived=joined(begun.lived, begun.crew, begun.start), start=begun.start, days=begun.days)


def cast_of(wanted: SuiteRequest, honest: int) -> Cast:
    """Return a lead and honest contributors of one team, and a member of another one; all of them are new."""
    root = evaluator()
    team = create_team(name="Shop", slug=TEAM, prefix="SHOP", by=root, now=wanted.now)
    away = create_team(name="Rival", slug="rival", prefix="RIV", by=root, now=wanted.now)
    return Cast(
        lead=_person("lead", team, Level.LEAD),
        honest=[_agent(_person(f"honest{number}", team), wanted.now) for number in range(honest)],
        rival=_person("rival", away),
    )


def joined(lived: Month, crew: int, now: datetime) -> Month:
    """Return the month with so many hostile accounts, which are new in the team."""
    team = Team.objects.get(slug=TEAM)
    people = [_person(f"hostile{number}", team) for number in range(crew)]
    agents = [_agent(one, now) for one in people]
    return replace(lived, cast=replace(lived.cast, crew=people, agents=agents))


def _person(name: str, team: Team, level: Level = Level.CONTRIBUTOR) -> Member:
    user = User.objects.create_user(username=name)
    enrol(user=user)
    Membership.objects.create(team=team, user=user, level=level)
    return member_of(user=user)


def _agent(member: Member, now: datetime) -> Member:
    token = issue_token(name="agent", scopes=list(Scope), by=member, now=now).token
    return replace(member, token_id=token.pk, token_name="agent")
