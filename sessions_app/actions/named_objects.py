"""Which objects the lines of the log name, for links: only those that their reader may see."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from accounts.models import LogEntry
from accounts.rules.rights import Member
from knowledge.evidence.models import KnowledgeCluster
from knowledge.models import FormerRef, Insight, Topic
from sessions_app.models import AgentSession
from sessions_app.rules.activity import names_in
from skills.models import Skill

SKILL, TOPIC, SESSION, SOURCE = "skill:", "topic ", "S-", "source:"


@dataclass(frozen=True)
class NamedObjects:
    """`insights`: reference as it is written → as it is now. `skills`: (team, name) → slug of the team."""

    insights: Mapping[str, str]
    sessions: frozenset[str]
    topics: frozenset[str]
    clusters: frozenset[str]
    skills: Mapping[tuple[int, str], str]


def named_objects(lines: Iterable[LogEntry], *, by: Member) -> NamedObjects:
    """Return the objects that these lines name and the member sees: at most six statements."""
    lines = list(lines)
    subjects = {line.subject for line in lines}
    names = {*subjects, *(name for line in lines for name in names_in(f"{line.line} {line.why}"))}
    skills = {name.removeprefix(SKILL) for name in subjects if name.startswith(SKILL)}
    return NamedObjects(
        _insights({name for name in names if "-" in name}, by),
        _sessions(names, by),
        _topics(subjects, by),
        _clusters(subjects, by),
        {
            (row.team_id, row.name): row.team.slug
            for row in (Skill.objects.visible_to(by).filter(name__in=skills).select_related("team") if skills else ())
        },
    )


def names_of(text: str, by: Member) -> list[str]:
    """The names that the log may have for what a person calls `text`: an insight's former ones among them."""
    names = [text, text.upper(), f"{SKILL}{text}", f"{TOPIC}{text}", f"{SOURCE}{text}"]
    insight = Insight.objects.visible_to(by).called(text.upper()).first()
    return [*names, *(insight.names() if insight else ())]


def _insights(names: set[str], by: Member) -> dict[str, str]:
    visible = Insight.objects.visible_to(by)
    found = {ref: ref for ref in visible.filter(ref__in=names).values_list("ref", flat=True)} if names else {}
    rest = names - found.keys()
    former = FormerRef.objects.filter(ref__in=rest, insight__in=visible) if rest else FormerRef.objects.none()
    return found | dict(former.values_list("ref", "insight__ref"))


def _sessions(names: set[str], by: Member) -> frozenset[str]:
    keys = [int(name[2:]) for name in names if name.startswith(SESSION) and name[2:].isdecimal() and len(name) <= 20]
    found = AgentSession.objects.visible_to(by).filter(pk__in=keys).values_list("pk", flat=True) if keys else ()
    return frozenset(f"{SESSION}{key}" for key in found)


def _topics(subjects: set[str], by: Member) -> frozenset[str]:
    keys = [key for name in subjects if name.startswith(TOPIC) and (key := _uuid(name.removeprefix(TOPIC)))]
    found = Topic.objects.visible_to(by).filter(pk__in=keys).values_list("pk", flat=True) if keys else ()
    return frozenset(f"{TOPIC}{key}" for key in found)


def _clusters(subjects: set[str], by: Member) -> frozenset[str]:
    refs = [name for name in subjects if name[:1] == "C" and name[1:].isdecimal()]
    found = KnowledgeCluster.objects.visible_to(by).filter(ref__in=refs).values_list("ref", flat=True) if refs else ()
    return frozenset(found)


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
