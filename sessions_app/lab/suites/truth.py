"""The suite of current truth: what a team is told after facts have changed."""

from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from accounts.actions.members import member_of
from accounts.models import Team, User
from accounts.rules.rights import Member
from sessions_app.lab.demo.demo import make_demo
from sessions_app.lab.measurements.retrieval import NoSuchSet
from sessions_app.lab.measurements.truth import measure_truth, read_cases
from sessions_app.lab.metrics import truth as rules
from sessions_app.lab.metrics.tables import Table
from sessions_app.lab.metrics.truth import CaseResult, TruthCase
from sessions_app.lab.suites.suite import SuiteOutcome, SuiteRequest
from sessions_app.lab.throwaway import throwaway_database

# (name, whether the older note is promoted, whether the depositing agent answers what it is asked, whether it asked
# about the subject before it deposits)
WAYS = (
    ("mute, old note promoted", True, False, False),
    ("mute, old note a draft", False, False, False),
    ("answering, old note promoted", True, True, False),
    ("answering, old note a draft", False, True, False),
    ("consulting and answering, old note promoted", True, True, True),
    ("consulting and answering, old note a draft", False, True, True),
)


def evaluate_truth(wanted: SuiteRequest) -> SuiteOutcome:
    """What a team is told after facts have changed, of every file of cases in the folder, beside a demo's insights."""
    files = sorted(wanted.data.glob("*.jsonl"))
    if not files:
        raise NoSuchSet(f"{wanted.data} has no *.jsonl.")
    figures: dict[str, Any] = {}
    tables: list[Table] = []
    for name, cases in {file.stem: read_cases(file) for file in files}.items():
        runs = {way: _run(cases, wanted, *how) for way, *how in WAYS}
        plain = {
            way: {what: asdict(share) for what, share in rules.figures(told).items()} for way, told in runs.items()
        }
        figures[name] = plain
        tables += rules.tables(f"{name}: {len(cases)} cases", runs)
    return SuiteOutcome(figures, tables)


def _run(
    cases: list[TruthCase], wanted: SuiteRequest, promoted: bool, answering: bool, consulting: bool
) -> list[CaseResult]:
    """Each way in a team of its own: what was said in another would surround the notes with copies of themselves."""
    with throwaway_database(), TemporaryDirectory() as folder:
        make_demo(file=Path(folder) / "demo.json", url="", now=wanted.now)
        lead, colleague = _of_platform("alice"), _of_platform("bob")
        return measure_truth(
            cases=cases,
            lead=lead,
            colleague=colleague,
            repo="acme/truth",
            promoted=promoted,
            answering=answering,
            consulting=consulting,
            now=wanted.now,
            progress=wanted.progress,
        )


def _of_platform(username: str) -> Member:
    """Somebody of the demo, who works with one team and nothing else."""
    team = Team.objects.get(slug="platform")
    return member_of(user=User.objects.get(username=username), only=frozenset({team.pk}))
