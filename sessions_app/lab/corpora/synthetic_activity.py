"""What lies around the insights of a team that has worked for two years, made up: what was said of them and done to
them, what was asked, what sessions did, skills, preferences, clusters. In a database that is only measured on.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from accounts.models import LogEntry, Preference, Team
from accounts.rules.preferences import Category, Origin
from accounts.rules.rights import Member
from knowledge.errors.rules.fingerprint import RECIPE
from knowledge.evidence.models import KnowledgeCluster
from knowledge.models import Corroboration, Insight, Pair, Query, Signal, Topic
from knowledge.rules.vocabulary import Source
from sessions_app.adapters import bulk
from sessions_app.answers.rules.gates import Gate
from sessions_app.lab.corpora.synthetic_corpus import said_of
from sessions_app.lab.corpora.synthetic_notes import Specimen, question
from sessions_app.models import AgentSession, SessionEvent, SurfaceDecision
from sessions_app.rules.vocabulary import EventKind
from skills.actions import author
from skills.models import Skill, SkillUse
from skills.rules.sheet import Sheet
from skills.rules.vocabulary import Via

SEED = 20_261_122
# Of a hundred insights so many were said again, and are one of a pair.
SAID_AGAIN, PAIRED = 3, 1
# So many wait in quarantine: a guard that finds more has been off.
QUARANTINED = 30
# For each insight half a question and half a prompt of the one who looks; five events in a session, a fifth of them
# errors of so many kinds.
EVENTS, ERRORS = 5, 300
SKILLS, USES, PREFERENCES, CLUSTERS = 60, 50, 60, 300
DAYS = 730


@dataclass(frozen=True)
class Ground:
    """What the rows are made on."""

    by: Member
    now: datetime
    began: datetime
    samples: Sequence[Specimen]
    rng: Random

    def moment(self) -> datetime:
        return self.now - timedelta(days=DAYS * self.rng.random())

    def text(self) -> str:
        return question(self.rng, self.rng.choice(self.samples))


def leave(*, by: Member, samples: Sequence[Specimen], now: datetime, began: datetime) -> None:
    """Write all of it, by COPY where there is much. The teams' people ask and rate as `by`. `began`: as of when the
    insights were written.
    """
    ground = Ground(by, now, began, samples, Random(SEED))
    bulk.copy(_lines(_insights(), ground))
    bulk.copy(_signals(_insights(), ground))
    bulk.copy(_make_corroborations(_insights(), ground))
    count = Insight.objects.count()
    bulk.copy(_questions(count // 2, ground))
    bulk.copy(_prompts(count // 2, ground))
    bulk.copy(_events(ground))
    keys = list(Insight.objects.order_by("pk").values_list("pk", "team_id"))
    _pairs(keys, ground)
    _moderate([key for key, _ in keys], ground)
    _centre()
    _teach(ground)
    _prefer(ground)


InsightLine = tuple[int, int, str, str, str, datetime]


def _insights() -> Iterator[InsightLine]:
    """Key, team, reference, title, status and date of each, page by page: there may be a million."""
    rows = Insight.objects.order_by("pk").values_list("pk", "team_id", "ref", "title", "status", "created_at")
    return rows.iterator(chunk_size=bulk.CHUNK)


def _lines(rows: Iterator[InsightLine], ground: Ground) -> Iterator[LogEntry]:
    for _, team, ref, title, status, at in rows:
        for verb in ("deposited", status) if status != "draft" else ("deposited",):
            line = f"{ref} {verb}: {title}"
            yield LogEntry.of(team_id=team, verb=verb, line=line, by=ground.by, at=at, subject=ref)


def _signals(rows: Iterator[InsightLine], ground: Ground) -> Iterator[Signal]:
    for key, _, _, _, _, at in rows:
        for kind, moment in said_of(key, at, ground.began):
            session = f"session {ground.rng.randrange(5_000)}"
            yield Signal(
                insight_id=key, kind=kind, at=moment, user_id=ground.by.user_id, session_key=session, question=""
            )


def _make_corroborations(rows: Iterator[InsightLine], ground: Ground) -> Iterator[Corroboration]:
    for key, _, _, title, _, at in rows:
        if ground.rng.randrange(100) < SAID_AGAIN:
            note = ground.rng.choice(ground.samples)
            fields = {"kind": note.kind, "title": title, "body": note.body, "source_type": Source.AGENT}
            yield Corroboration(
                insight_id=key, at=at, user_id=ground.by.user_id, session_key="", similarity=0.94, **fields
            )


def _questions(count: int, ground: Ground) -> Iterator[Query]:
    for _ in range(count):
        text, at = ground.text(), ground.moment()
        yield Query(team_id=ground.by.home_id, user_id=ground.by.user_id, at=at, text=text, session_key="asked")


def _prompts(count: int, ground: Ground) -> Iterator[SurfaceDecision]:
    mine = {"team_id": ground.by.home_id, "user_id": ground.by.user_id, "session_key": "asked"}
    for _ in range(count):
        gate = ground.rng.choice(list(Gate))
        yield SurfaceDecision(**mine, at=ground.moment(), prompt=ground.text(), gate=gate, reason="made up")


def _events(ground: Ground) -> Iterator[SessionEvent]:
    rng = ground.rng
    for key, at in AgentSession.objects.order_by("pk").values_list("pk", "started_at").iterator(bulk.CHUNK):
        for number in range(EVENTS):
            kind = rng.randrange(ERRORS)
            failed = rng.random() < 0.2
            error = {"fingerprint": f"{kind:032x}", "template": f"error {kind}", "recipe": RECIPE} if failed else {}
            moment = at + timedelta(minutes=number)
            fields = {"kind": EventKind.TEST, "at": moment, "received_at": moment, "command": "pytest -q", **error}
            yield SessionEvent(session_id=key, path=f"src/part_{kind}.py", **fields)


def _pairs(keys: Sequence[tuple[int, int]], ground: Ground) -> None:
    """Half of them contradictions, four in ten still open; of one team each, the older first."""
    by_team: dict[int, list[int]] = {}
    for key, team in keys:
        by_team.setdefault(team, []).append(key)
    found: dict[tuple[int, int], Pair] = {}
    for _ in range(len(keys) * PAIRED // 100):
        ids = by_team[ground.rng.choice(keys)[1]]
        a, b = sorted(ground.rng.choices(ids, k=2))
        open_still = ground.rng.random() < 0.4
        if a != b:
            found[a, b] = Pair(
                a_id=a,
                b_id=b,
                question=ground.rng.choice(list(Pair.Question)),
                state=Pair.State.OPEN if open_still else Pair.State.RESOLVED,
                reason=ground.text(),
                similarity=0.8,
                raised_by="benchmark",
                raised_at=ground.moment(),
            )
    Pair.objects.bulk_create(found.values(), batch_size=2_000)


def _moderate(keys: Sequence[int], ground: Ground) -> None:
    held = ground.rng.sample(keys, min(QUARANTINED, len(keys) // 10))
    Insight.objects.filter(pk__in=held).update(quarantined_at=ground.now)


def _centre() -> None:
    """A topic's centre: the place of one of its insights, which is enough for a map."""
    vectors = Insight.objects.filter(topic__isnull=False).order_by("topic", "pk").distinct("topic")
    for topic, vector, model in vectors.values_list("topic", "embedding", "embedded_by"):
        Topic.objects.filter(pk=topic).update(centroid=vector, embedded_by=model)


def _teach(ground: Ground) -> None:
    """As many skills as a large company has, each with what it was used for; of the largest team."""
    team = Team.objects.order_by("-last_number").values_list("slug", flat=True)[0]
    for number in range(min(SKILLS, max(Insight.objects.count() // 50, 1))):
        note = ground.samples[number % len(ground.samples)]
        sheet = Sheet(name=f"skill-{number}", description=note.title, instructions=note.body)
        author.create(sheet=sheet, team=team, by=ground.by, now=ground.moment(), live=True)
    rows = Skill.objects.values_list("pk", "live_id")
    bulk.copy(
        SkillUse(skill_id=s, version_id=v, via=Via.QUERY, at=ground.moment()) for s, v in rows for _ in range(USES)
    )


def _prefer(ground: Ground) -> None:
    said = {"category": Category.APPROACH, "source": Origin.EXPLICIT, "changed_at": ground.now}
    Preference.objects.bulk_create(
        Preference(team_id=ground.by.home_id, key=f"key_{n}", value=f"value {n}", **said) for n in range(PREFERENCES)
    )
    moments = dict.fromkeys(("hotness_at", "created_at", "updated_at", "checked_at"), ground.now)
    KnowledgeCluster.objects.bulk_create(
        KnowledgeCluster(
            team_id=ground.by.home_id, ref=f"C{n}", name=ground.text(), content=ground.text(), mode="DEEP", **moments
        )
        for n in range(1, CLUSTERS + 1)
    )
