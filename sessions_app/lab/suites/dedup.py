"""The suites of the living memory: what is merged and told apart, what is recognised, what is let in, how it grows."""

from collections.abc import Sequence
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import Any

from django.conf import settings

from accounts.actions.members import create_team, enrol, member_of
from accounts.models import Membership, Team, User
from accounts.rules.rights import Level, Member
from knowledge.adapters.embedder import current
from sessions_app.lab.measurements import faults, growth, pairs, topics
from sessions_app.lab.metrics import pairs as pair_metrics
from sessions_app.lab.metrics import topics as topic_metrics
from sessions_app.lab.metrics.pairs import LabelledPair, Measures
from sessions_app.lab.metrics.tables import Table, decimal
from sessions_app.lab.suites.suite import SuiteOutcome, SuiteRequest, evaluator
from sessions_app.lab.throwaway import throwaway_database

# Pairs of the developers' language, written and labelled for Loam; the others lie in the data's folder `pairs`.
DEVELOPERS = ("developer_choosing", "developer_held_out")
OTHERS = ("sick", "nl2bash", "mrpc", "beam_conflicts")
# The living model's band, from which a store without a judge merges.
SIMILAR = 0.83


def evaluate_pairs(wanted: SuiteRequest) -> SuiteOutcome:
    """What the server alone merges, swallows and supersedes of labelled pairs, beside merging by similarity."""
    names = wanted.sets or (*DEVELOPERS, *OTHERS)
    read = {name: pairs.read_pairs(_file(wanted.data, name)) for name in names}
    figures: dict[str, Any] = {"similarity": SIMILAR, "sets": {}}
    tables = []
    for name, some in read.items():
        told = pairs.judge_pairs(rows=some, embedder=current(), now=wanted.now, progress=wanted.progress)
        ways = {
            f"similarity from {SIMILAR}": pair_metrics.measures(told, pair_metrics.by_similarity(SIMILAR)),
            "the server": pair_metrics.measures(told, pair_metrics.by_server),
        }
        figures["sets"][name] = {"pairs": len(told), "ways": _plain(ways)}
        left_out = ways["the server"].mislabelled
        title = f"{name}: {len(told):,} pairs" + (f", {left_out} of equal texts left out" if left_out else "")
        tables += [pair_metrics.table(title, list(ways.items())), _worst(name, ways["the server"].worst)]
    return SuiteOutcome(figures, tables)


def _file(data: Path, name: str) -> Path:
    if name in DEVELOPERS:
        return Path(settings.BASE_DIR) / "tests" / "pairs" / f"{name}.jsonl"
    return data / "pairs" / f"{name}.jsonl"


def _plain(ways: dict[str, Measures]) -> dict[str, Any]:
    plain: dict[str, Any] = {}
    for way, one in ways.items():
        shares = asdict(one)
        shares.pop("worst")
        plain[way] = shares
    return plain


def _worst(name: str, worst: Sequence[LabelledPair]) -> Table:
    rows = [[one.a[:90], one.b[:90], one.label.value, decimal(one.cosine)] for one in worst]
    return Table(f"{name}: what the server does worst", ["a", "b", "is", "cosine"], rows)


ERRORS = "errors/loghub16.jsonl"


def evaluate_fingerprints(wanted: SuiteRequest) -> SuiteOutcome:
    """Whether an error is recognised again on another machine: grouping accuracy on lines of systems' logs."""
    figures, table = faults.fingerprints(path=wanted.data / ERRORS)
    return SuiteOutcome(figures, [table])


def evaluate_guard(wanted: SuiteRequest) -> SuiteOutcome:
    """How often the guard refuses or masks a published text, where there is nothing to hide."""
    figures, tables = faults.guard(folder=wanted.data / "corpus")
    return SuiteOutcome(figures, tables)


# A quarter is lived three times: what holds for one seed may be its luck.
SEEDS = (1, 2, 3)


def evaluate_growth(wanted: SuiteRequest) -> SuiteOutcome:
    """A quarter of a team: does it know more after 100 sessions than after 10, and is it still true."""
    figures: dict[str, Any] = {}
    tables: list[Table] = []
    for seed, consulting in product(SEEDS, (False, True)):
        name = f"{seed}, consulting" if consulting else str(seed)
        with throwaway_database():
            lead, agents = _people(wanted)
            figures[name] = growth.growth(
                agents=agents,
                lead=lead,
                start=wanted.now,
                seed=seed,
                progress=wanted.progress,
                consulting=consulting,
            )
        tables += growth.tables(figures[name])
    return SuiteOutcome({"seeds": figures}, tables)


# So many people's agents take turns.
AGENTS = 4


def _people(wanted: SuiteRequest) -> tuple[Member, list[Member]]:
    """A lead and the agents of some contributors, who see one new team and nothing else."""
    lead = evaluator()
    team = create_team(name="Growth", slug="growth", prefix="GROW", by=lead, now=wanted.now)
    agents = []
    for number in range(AGENTS):
        user = User.objects.create_user(username=f"agent{number}")
        enrol(user=user)
        Membership.objects.create(team=team, user=user, level=Level.CONTRIBUTOR)
        agents.append(_only(user, team))
    return _only(User.objects.get(pk=lead.user_id), team), agents


def _only(user: User, team: Team) -> Member:
    return member_of(user=user, only=frozenset({team.pk}))


def evaluate_topics(wanted: SuiteRequest) -> SuiteOutcome:
    """Topics against the folders of notes and the labels of titles, beside k-means on words."""
    sets = {name: topics.read_labelled(data=wanted.data, name=name) for name in wanted.sets or topics.SETS}
    found = {}
    for name, texts in sets.items():
        with throwaway_database():
            found[name] = topics.measure_topics(
                name=name, texts=texts, by=evaluator(), now=wanted.now, progress=wanted.progress
            )
    ways, shown = ({name: getattr(one, part) for name, one in found.items()} for part in ("ways", "shown"))
    return SuiteOutcome({"sets": {name: one.figures for name, one in found.items()}}, topic_metrics.tables(ways, shown))
