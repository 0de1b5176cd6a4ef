"""The guard, as it is today, against everything that is stored, in every app."""

from collections.abc import Callable
from datetime import datetime

from accounts.actions.jobs import Work
from knowledge.evidence.models import ClusterQuestion, Evidence, KnowledgeCluster, Search
from knowledge.review.actions.quarantine import Kept, scan
from sessions_app.models import AgentSession, Handoff, Passage, SessionEvent, SurfaceDecision
from skills.models import SkillVersion

# A skill is masked where it stands, like what must not be lost: who teaches by it sees what is missing.
ELSEWHERE: tuple[Kept, ...] = (
    (SkillVersion, "skill__team_id", ("description", "instructions", "extra", "files", "why")),
    (AgentSession, "team_id", ("prompt", "said", "digest", "uncommitted")),
    (SessionEvent, "session__team_id", ("command", "error", "template")),
    (
        Handoff,
        "team_id",
        (
            *("summary", "note", "pending", "blockers", "topics", "decisions", "deposits", "facts", "interpretation"),
            *("asked", "asked_last", "plan", "last_message", "failure", "next_steps", "found_blockers", "uncommitted"),
            "continues",
        ),
    ),
    (Passage, "team_id", ("text", "files", "branch")),
    (SurfaceDecision, "team_id", ("prompt", "reason")),
    (KnowledgeCluster, "team_id", ("name", "description", "content", "patterns")),
    (Evidence, "cluster__team_id", ("summary", "text")),
    (ClusterQuestion, "cluster__team_id", ("text",)),
    (Search, "team_id", ("text",)),
)


def scan_all(*, now: datetime, progress: Callable[[str, int], None] = lambda what, done: None) -> Work:
    """`scan` of `knowledge`, with what the apps above it keep."""
    return scan(now=now, also=ELSEWHERE, progress=progress)
