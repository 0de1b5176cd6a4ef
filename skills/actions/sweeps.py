"""The sweeps of `skills` by name. Beat runs them on schedule, an operator by hand; each run is recorded."""

from collections.abc import Callable
from datetime import datetime

from accounts.actions.jobs import PROMPT_WITHIN, Items, Work, run_job
from accounts.models import JobRun
from knowledge.adapters.embedder import EmbedderDown, Unembeddable, current, embed_each
from skills.models import SkillVersion

BATCH = 64
MOST = 1_000


def embed_skills() -> Work:
    """Compute the vectors of versions that have none, or one of another model. Stops at MOST; the next run
    continues.
    """
    items, done, failed = Items("embed_skills", within=PROMPT_WITHIN), 0, list[int]()
    while done < MOST and not items.is_over():
        rows = list(SkillVersion.objects.all().waiting_for_vector(current().name).exclude(pk__in=failed)[:BATCH])
        if not rows:
            break
        try:
            vectors = embed_each([row.meaning for row in rows])
        except EmbedderDown as down:
            return items.work({"changed": done}, down=str(down))
        for row, vector in zip(rows, vectors, strict=True):
            with items.guard(f"skill {row.skill.name}, version {row.pk}"):
                failed.append(row.pk)  # until it has its vector
                if vector is None:
                    raise Unembeddable(row.skill.name)
                row.set_vector(vector, current().name)
                # A version that was edited since it was read has its own vector, or waits for the next run.
                SkillVersion.objects.filter(pk=row.pk, description=row.description, skill__name=row.skill.name).update(
                    embedding=row.embedding, embedded_by=row.embedded_by
                )
                failed.pop()
                done += 1
    return items.work({"changed": done})


SWEEPS: dict[str, Callable[[], Work]] = {"embed_skills": embed_skills}


def sweep(name: str, *, clock: Callable[[], datetime]) -> JobRun:
    """Run one of SWEEPS now. Raises what the sweep raises, after recording it."""
    return run_job(name=f"skills.{name}", work=SWEEPS[name], clock=clock)
