"""The suite of the adversary: months of a team with a crew of colluding accounts in it."""

from dataclasses import replace
from typing import Any

from accounts.actions.members import create_team, enrol, member_of
from accounts.actions.tokens import issue_token
from accounts.models import Membership, Team, User
from accounts.rules.rights import Level, Member, Scope
from sessions_app.lab.measurements.adversary import DAYS, Cast, month
from sessions_app.lab.metrics import adversary as rules
from sessions_app.lab.suites.suite import SuiteOutcome, SuiteRequest, evaluator
from sessions_app.lab.throwaway import throwaway_database

CREWS = (0, 1, 2, 5)
HONEST = 20
SEED = 1


def evaluate_adversary(wanted: SuiteRequest) -> SuiteOutcome:
    """What one, two and five colluding accounts among twenty honest ones achieve in a month, held to bars."""
    return months(wanted)


def months(wanted: SuiteRequest, *, honest: int = HONEST, days: int = DAYS) -> SuiteOutcome:
    """Return the figures of a month for each crew, and which bars they miss."""
    found: dict[int, dict[str, Any]] = {}
    for size in CREWS:
        with throwaway_database():
            found[size] = month(
                cast=cast_of(wanted, honest, size), start=wanted.now, seed=SEED, progress=wanted.progress, days=days
            )
    figures = {"crews": {str(size): one for size, one in found.items()}}
    return SuiteOutcome(figures, rules.tables(found, honest), rules.missed(found))


def cast_of(wanted: SuiteRequest, honest: int, crew: int) -> Cast:
    """Return a lead, honest contributors and a crew of one team, and a member of another one; all of them are new."""
    root = evaluator()
    team = create_team(name="Shop", slug="shop", prefix="SHOP", by=root, now=wanted.now)
    away = create_team(name="Rival", slug="rival", prefix="RIV", by=root, now=wanted.now)
    crews = [_person(f"hostile{number}", team) for number in range(crew)]
    return Cast(
        lead=_person("lead", team, Level.LEAD),
        honest=[_agent(_person(f"honest{number}", team), wanted) for number in range(honest)],
        crew=crews,
        agents=[_agent(one, wanted) for one in crews],
        rival=_person("rival", away),
    )


def _person(name: str, team: Team, level: Level = Level.CONTRIBUTOR) -> Member:
    user = User.objects.create_user(username=name)
    enrol(user=user)
    Membership.objects.create(team=team, user=user, level=level)
    return member_of(user=user)


def _agent(member: Member, wanted: SuiteRequest) -> Member:
    token = issue_token(name="agent", scopes=list(Scope), by=member, now=wanted.now).token
    return replace(member, token_id=token.pk, token_name="agent")
