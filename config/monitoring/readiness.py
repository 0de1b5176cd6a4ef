"""Checks of whether this deployment works: for /readyz, which a load balancer reads, and `manage.py doctor`, for
people.

Each part is checked separately, and no check can fail the whole answer. If a `needed` part is down, the deployment is
not ready: without a database nothing works. Without the others it still answers, and is degraded.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import psycopg
from django.conf import settings
from django.core.cache import cache
from django.db import DEFAULT_DB_ALIAS, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from kombu import Connection

from accounts.actions import moving, tokens
from accounts.adapters import replica
from accounts.adapters.disk_space import free_bytes, lacking_room
from accounts.adapters.failing_programs import failing
from accounts.models import JobRun
from config.database import pooling
from config.database.backup_record import BACKUP
from config.monitoring.system_part import SystemPart, checked
from config.processes import queues
from knowledge.adapters.embedder import EmbedderDown, current
from knowledge.evidence.adapters.git import GitMissing, git_version
from knowledge.evidence.models import Source
from knowledge.jobs.actions.audit import last_audit
from sessions_app.models import EmbeddingChange

# Some job is enqueued every minute; if none has run for this long, beat or worker is not running.
SILENT = timedelta(minutes=5)
# The audit runs each night.
AUDIT_OVERDUE = timedelta(hours=26)
LEAST_POSTGRES = 150_000
# Seconds within which a database or a broker must accept a connection.
PATIENCE = 2
# The writes to a team are stopped for the last pass of its move, which takes seconds.
LONGEST_STOP = timedelta(minutes=5)
# In bytes. Below this PostgreSQL is about to stop.
LEAST_ROOM = 500_000_000


def parts(*, now: datetime) -> list[SystemPart]:
    """Return all parts, the needed ones first; without a database those that query it are left out."""
    found = [checked("database", _database, needed=True)]
    if not found[0].ok:
        return [*found, checked("embedder", _embedder), checked("broker", _broker), checked("disk", _disk)]
    found.append(checked("migrations", _migrations, needed=True))
    if not found[1].ok:
        return found
    found.append(checked("database session", _session))
    jobs = (
        ("programs", _programs),
        ("beat", lambda: _beat(now)),
        ("workers", lambda: _workers(now)),
        ("jobs", _jobs),
        ("audit", lambda: _audit(now)),
    )
    if replica.configured():
        found.append(checked("replica", _replica))
    if settings.LOAM_CELL or moving.teams_in_motion():
        found.append(checked("cell", lambda: _cell(now)))
    if change := EmbeddingChange.objects.all().open().first():
        found.append(checked("embedding change", lambda: _embedding_change(change)))
    others: tuple[tuple[str, Callable[[], SystemPart]], ...] = (
        ("embedder", _embedder),
        ("broker", _broker),
        ("cache", _cache),
        ("disk", _disk),
        ("git", _git),
        *jobs,
    )
    return [*found, *(checked(name, check) for name, check in others)]


VERSIONS = """
SELECT current_setting('server_version_num')::int, current_setting('server_version'),
    (SELECT extversion FROM pg_extension WHERE extname = 'vector')
"""


# PgBouncer's error if a client sends session settings.
REFUSED = "unsupported startup parameter"


def _database() -> SystemPart:
    """Check the database without the pool, which waits longer for a server that is down than callers do."""
    try:
        with psycopg.connect(**connection.get_connection_params() | {"connect_timeout": PATIENCE}) as server:
            row = server.execute(VERSIONS).fetchone()
    except psycopg.OperationalError as error:
        if REFUSED not in str(error):
            raise
        mend = "Set DATABASE_POOLER to its mode: transaction or session."
        return SystemPart("database", False, "DATABASE_URL is the address of a PgBouncer.", True, mend)
    number, version, vector = row or (0, "of unknown version", None)
    if number < LEAST_POSTGRES:
        return SystemPart("database", False, f"PostgreSQL {version} is older than 15.", True, "Upgrade it.")
    said = f"PostgreSQL {version}, pgvector {vector or 'not installed'}"
    return SystemPart("database", True, said, True)


def _session() -> SystemPart:
    """Check that the settings that searches rely on are in force; behind a pooler only the role can have them."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT user")  # This loads nothing; a setting of pgvector is known only after it was used.
        (role,) = cursor.fetchone()
        cursor.execute("SELECT NULL::vector")
        known = {name: f"current_setting('{name}', true)" for name in pooling.SESSION_SETTINGS}
        cursor.execute(f"SELECT {', '.join(known.values())}")
        there = dict(zip(known, cursor.fetchone(), strict=True))
    wrong = [name for name, value in pooling.SESSION_SETTINGS.items() if there[name] != value]
    if wrong:
        said = f"Not set: {', '.join(wrong)}. Searches find less."
        return SystemPart("database session", False, said, mend=f"As a superuser: {pooling.as_role(role)}")
    if settings.DATABASE_POOLER == pooling.SESSION and _shares_servers():
        said = "DATABASE_POOLER is session, but the pooler is in transaction mode: what a session sets is lost."
        return SystemPart("database session", False, said, mend="Set DATABASE_POOLER=transaction.")
    through = f"behind PgBouncer in {settings.DATABASE_POOLER} mode" if settings.DATABASE_POOLER else "direct"
    return SystemPart("database session", True, through)


def _shares_servers() -> bool:
    """Return whether two open connections are served by the same PostgreSQL process: only a pooler in transaction mode
    does that.
    """
    given = connection.get_connection_params() | {"connect_timeout": PATIENCE, "autocommit": True}
    with psycopg.connect(**given) as one, psycopg.connect(**given) as other:
        served = [each.execute("SELECT pg_backend_pid()").fetchone() for each in (one, other)]
    return served[0] == served[1]


def _replica() -> SystemPart:
    """Return how far the standby is behind; if it cannot be read the primary is, which only costs time."""
    written = replica.ask(DEFAULT_DB_ALIAS, replica.WRITTEN) or 0
    replayed, seconds = (replica.ask(replica.ALIAS, text) for text in (replica.REPLAYED, replica.SECONDS_BEHIND))
    if replayed is None:
        mend = "Set DATABASE_REPLICA_URL to a standby of DATABASE_URL, or unset it."
        return SystemPart("replica", False, "DATABASE_REPLICA_URL is no standby: it is not read.", mend=mend)
    behind = max(0, written - replayed)
    late = 0 if behind == 0 else seconds or 0
    said = f"a standby, {behind / 1e6:,.1f} MB and {late} s behind"
    if late <= settings.DATABASE_REPLICA_STALENESS:
        return SystemPart("replica", True, said)
    mend = "Look at its log, at pg_stat_replication of the primary, and at recovery_min_apply_delay."
    return SystemPart("replica", False, f"{said}: the primary answers all reads.", mend=mend)


def _migrations() -> SystemPart:
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if plan:
        return SystemPart("migrations", False, f"{len(plan)} are not applied.", True, "manage.py migrate")
    return SystemPart("migrations", True, "all applied", True)


def _embedder() -> SystemPart:
    try:
        current().embed(["ready"])
    except EmbedderDown as down:
        mend = f"Loam retries automatically. Check free space and write permission of {settings.LOAM_MODELS}."
        return SystemPart("embedder", False, f"{str(down).splitlines()[0][:250]}", mend=mend)
    return SystemPart("embedder", True, current().name)


def _embedding_change(change: EmbeddingChange) -> SystemPart:
    """Report a half-finished change of the embedding model: the vectors in use are complete, and the new ones take room
    until it is continued or abandoned.
    """
    name, said = "embedding change", f"to {change.model}, half-way: {change.progress}"
    if EmbeddingChange.objects.all().is_running():
        return SystemPart(name, True, said)
    mend = "Go on with manage.py reembed and that model's LOAM_EMBEDDER, or give it up: manage.py reembed --cancel."
    return SystemPart(name, False, f"{said}; no process is at work on it.", mend=mend)


def _broker() -> SystemPart:
    folders = getattr(settings, "CELERY_BROKER_TRANSPORT_OPTIONS", {})
    if str(settings.CELERY_BROKER_URL).startswith("filesystem"):
        folder = Path(folders["data_folder_in"])
        if not folder.is_dir():
            return SystemPart("broker", False, "The folder does not exist.", mend="Start a worker, or manage.py serve.")
        return SystemPart("broker", True, f"{sum(1 for _ in folder.iterdir())} messages waiting in a folder")
    with Connection(settings.CELERY_BROKER_URL, connect_timeout=PATIENCE) as broker:
        broker.ensure_connection(max_retries=1, timeout=PATIENCE)
        return SystemPart("broker", True, broker.as_uri())


def _cache() -> SystemPart:
    try:
        cache.get("readiness")
    except Exception as away:
        why = str(away).splitlines()[0][:200] if str(away) else type(away).__name__
        said = f"{why} Each process counts attempts to sign in for itself."
        in_database = str(settings.CACHES["default"]["BACKEND"]).endswith("DatabaseCache")
        mend = "manage.py migrate" if in_database else "Start the Redis of CACHE_URL, or unset it."
        return SystemPart("cache", False, said, mend=mend)
    return SystemPart("cache", True, "attempts to sign in are counted for all processes")


def _disk() -> SystemPart:
    lack = lacking_room()
    if lack:
        return SystemPart(
            "disk", False, lack, mend="Free disk space; writes resume automatically. The limit is LOAM_LEAST_FREE_MB."
        )
    free = free_bytes()
    said = f"{free / 1e9:,.1f} GB free"
    return SystemPart(
        "disk", free > LEAST_ROOM, said, mend="" if free > LEAST_ROOM else "Free disk space, or PostgreSQL will stop."
    )


def _git() -> SystemPart:
    """Check git, by which sources that are repositories are read; nothing else needs it."""
    repositories = Source.objects.all().searchable().exclude(revision="").count()
    if not repositories:
        return SystemPart("git", True, "not needed, no evidence source is a Git repository")
    said = f"{repositories} evidence source{'s are repositories' if repositories > 1 else ' is a repository'}"
    try:
        return SystemPart("git", True, f"Git {git_version()}, {said}")
    except GitMissing:
        mend = "Install git, or name the program in LOAM_GIT."
        return SystemPart("git", False, f"Git is not installed, and {said}.", mend=mend)


def _programs() -> SystemPart:
    """Return the programs of `serve` that fail; a web process that runs without `serve` knows of none."""
    found = failing()
    if found:
        said = "; ".join(f"{name} {how}" for name, how in found.items())
        return SystemPart(
            "programs", False, said, mend="See the log of serve for the errors; it keeps restarting them."
        )
    return SystemPart("programs", True, "all running")


def _beat(now: datetime) -> SystemPart:
    of_beat = JobRun.objects.exclude(name=BACKUP)
    last = of_beat.order_by("-started_at").values_list("started_at", flat=True).first()
    mend = "Start a worker and beat (manage.py serve starts both); see the schedule in the admin."
    if last is None:
        # After its first start, and after each migration, beat gets the time that it always has.
        if now - _migrated() <= SILENT:
            return SystemPart("beat", True, "no job has run yet; the first is due within a minute")
        return SystemPart("beat", False, "No job has run yet.", mend=mend)
    silence = now - last
    if silence > SILENT:
        return SystemPart("beat", False, f"No job has run for {_words(silence)}.", mend=mend)
    return SystemPart("beat", True, f"last job {max(int(silence.total_seconds()), 0)} s ago")


def _cell(now: datetime) -> SystemPart:
    """Check that the tokens belong to this cell, and that no move of a team is half done."""
    name = settings.LOAM_CELL
    said = [f"this is {name}"] if name else ["no name (LOAM_CELL)"]
    stopped = {
        team.slug: now - team.writes_stopped_at
        for team in moving.teams_in_motion()
        if not team.moved_to and team.writes_stopped_at
    }
    left = [f"{slug} has taken no writes for {_words(time)}" for slug, time in stopped.items() if time > LONGEST_STOP]
    said += [f"{slug} takes no writes now" for slug in stopped]
    if left:
        return SystemPart("cell", False, "; ".join(left), mend="Finish the move, or: manage.py cell resume TEAM")
    cells = tokens.count_by_cell(now=now)
    if others := {cell: count for cell, count in cells.items() if cell not in ("", name)}:
        told = ", ".join(f"{count} of {cell}" for cell, count in sorted(others.items()))
        mend = "Give each cell its own database, or set LOAM_CELL back; tokens of another cell are sent there."
        return SystemPart("cell", False, f"Tokens name other cells: {told}.", mend=mend)
    if name and cells.get(""):
        said.append(f"{cells['']} tokens name none: the router's default must be this cell")
    return SystemPart("cell", True, "; ".join(said))


def _workers(now: datetime) -> SystemPart:
    """Check that each queue has a worker. Some job of each queue is enqueued every minute; one of the second queue may
    take its full time.
    """
    patience = {queues.PROMPT: SILENT, queues.BULK: SILENT + timedelta(seconds=settings.CELERY_TASK_TIME_LIMIT)}
    tasks = {queues.PROMPT: queues.PROMPT_TASKS, queues.BULK: queues.BULK_TASKS}
    silent = {}
    for queue, names in tasks.items():
        last = JobRun.objects.filter(name__in=names).order_by("-started_at").values_list("started_at", flat=True)
        silence = now - (last.first() or _migrated())
        if silence > patience[queue]:
            silent[queue] = silence
    if silent:
        said = " ".join(f"No job of the queue {queue} has run for {_words(span)}." for queue, span in silent.items())
        mend = "; ".join(f"celery -A config worker -Q {queue} --pool solo" for queue in silent)
        return SystemPart("workers", False, said, mend=f"Start a worker for it: {mend}")
    return SystemPart("workers", True, "each queue has one")


def _migrated() -> datetime:
    """Return when the last migration was applied. There is one, because migrations are checked first."""
    applied: datetime = MigrationRecorder.Migration.objects.latest("applied").applied
    return applied


def _words(span: timedelta) -> str:
    minutes = int(span.total_seconds() // 60)
    return f"{minutes} minutes" if minutes < 120 else f"{minutes // 60} hours"


def _jobs() -> SystemPart:
    bad = (JobRun.Outcome.FAILED, JobRun.Outcome.STOPPED)
    wrong = [run for run in JobRun.objects.all().latest_of_each() if run.outcome in bad]
    if wrong:
        said = "; ".join(f"{run.name} {run.outcome}: {run.detail}" for run in wrong)
        return SystemPart(
            "jobs", False, said[:600], mend="See the job runs in the admin; run the job with: manage.py sweep"
        )
    return SystemPart("jobs", True, "last run of each succeeded")


def _audit(now: datetime) -> SystemPart:
    found = last_audit()
    if found.at is None:
        return SystemPart("audit", True, "not run yet; manage.py doctor runs it")
    if now - found.at > AUDIT_OVERDUE:
        return SystemPart("audit", False, f"It last ran {_words(now - found.at)} ago.", mend="manage.py doctor")
    if found.faults:
        return SystemPart("audit", False, f"{found.faults} errors found", mend="manage.py doctor explains them")
    return SystemPart("audit", True, "no errors")
