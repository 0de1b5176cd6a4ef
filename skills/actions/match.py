"""Match: find the skills that apply to a question, and record that they were served."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from django.db.models import QuerySet

from accounts.adapters.replica import primary
from accounts.rules.rights import Member, TeamKind
from accounts.statements import MEMBER_PARAM, BindParam, prepared
from knowledge.retrieval.rules.ask import Ask
from knowledge.rules.vectors import half
from skills.models import SkillUse, SkillVersion, Trigger
from skills.rules.match import LEAST_SIMILARITY, Question, SkillCandidate, SkillMatch, best, match
from skills.rules.vocabulary import Via

# The number of a member's skills that are compared with a question, the nearest first. A team writes tens of them; of
# 172, 1,000 and 2,000 the best are found in 2.4, 3.7 and 6 ms (two busy cores).
MOST_MEASURED = 2_000
# The fields of a candidate, in order.
COLUMNS = ("pk", "skill__name", "skill__team_id", "distance", "called_for")
# Of two skills of one name, the one of the team nearer to the person is used, as with preferences.
NEARNESS = (TeamKind.PERSONAL, TeamKind.SHARED, TeamKind.EVERYONE)


@dataclass(frozen=True)
class Applicable:
    """A published version that applies, and why."""

    version: SkillVersion
    match: SkillMatch


def applicable(*, ask: Ask, vector: np.ndarray | None, by: Member, now: datetime) -> list[Applicable]:
    """Return the published skills that apply to a question, best first, at most a few, and record their use.

    `vector`: of the question; None if the embedder was down, in which case only triggers can match.
    """
    teams = [by.named(slug).id for slug in ask.teams] or None
    near = prepared(("skills", vector is not None), lambda: _nearest(vector is not None), planned=True)
    rows = near.visible_to(by, only=teams, vector=None if vector is None else half(vector).to_text())
    candidates = _nearer([SkillCandidate(*row) for row in rows], by)
    question = Question.asked(text=ask.text, tags=ask.tags, files=ask.files, error=ask.error)
    found = best([match(candidate, question) for candidate in candidates], meaning=vector is not None)
    if not found:
        return []
    versions = SkillVersion.objects.select_related("skill__team", "published_by").in_bulk(
        [m.candidate.version_id for m in found]
    )
    with primary():
        SkillUse.objects.bulk_create(_use(versions[m.candidate.version_id], m.score, by, now) for m in found)
    return [Applicable(versions[m.candidate.version_id], m) for m in found]


def _nearest(meaning: bool) -> QuerySet[Any, Any]:
    """Return the statement for the skills nearest to a question. `meaning`: whether there is a vector."""
    served = SkillVersion.objects.all().served_to(MEMBER_PARAM)
    near = served.nearest(BindParam("vector") if meaning else None, 1 - LEAST_SIMILARITY, Trigger.objects.all())
    rows: QuerySet[Any, Any] = near.values_list(*COLUMNS)[:MOST_MEASURED]
    return rows


def _nearer(candidates: list[SkillCandidate], by: Member) -> list[SkillCandidate]:
    """Return the candidates without those that have the name of a skill in a team nearer to the person."""
    rank = {team.id: NEARNESS.index(team.kind) for team in by.teams}
    nearest: dict[str, int] = {}
    for one in candidates:
        nearest[one.name] = min(rank[one.team_id], nearest.get(one.name, len(NEARNESS)))
    return [one for one in candidates if rank[one.team_id] == nearest[one.name]]


def _use(version: SkillVersion, score: float, by: Member, now: datetime) -> SkillUse:
    return SkillUse(
        skill_id=version.skill_id,
        version=version,
        user_id=by.user_id,
        session_key=by.session_key,
        via=Via.QUERY,
        score=score,
        at=now,
    )
