"""Checks of the settings before Loam serves more than this machine. Each message ends with how to fix it.

`manage.py` runs them as Django's system checks. The web, a worker and beat, which no command starts, call
`refuse_to_start`. An error stops them; a warning is printed.
"""

from importlib.util import find_spec
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register, run_checks
from django.utils.module_loading import import_string

from accounts.rules.cell_names import is_cell_name

TAG = "loam"
# Django's check --deploy asks for 50 characters. 256 bits in base64 have 43, and those are accepted.
SHORTEST_KEY = 40
# Parts of keys in published examples, ours and Django's. A published key is no secret.
PUBLISHED = ("change-me", "changeme", "django-insecure", "replace", "example", "secret")
HERE = {"localhost", "127.0.0.1", "[::1]", "testserver"}
MAKE_KEY = "python3 -c 'import secrets; print(secrets.token_urlsafe(48))'"


@register(TAG)
def deployment(app_configs: Any = None, **more: Any) -> list[CheckMessage]:
    """Return the faults of a production deployment, that is, if DATABASE_URL or PRODUCTION is set; otherwise []."""
    anywhere = [*tracing_faults(), *metrics_faults(), *cell_faults(), *_unknown_classes(), *_misspelt()]
    if not settings.PRODUCTION:
        return anywhere
    return [*anywhere, *_debug(), *_secret(), *_names(), *_transport(), *_parts(), *_replica()]


def tracing_faults() -> list[CheckMessage]:
    """Return why the traces that LOAM_TRACES configures cannot be sent."""
    return _missing_packages("LOAM_TRACES", settings.LOAM_TRACES)


def metrics_faults() -> list[CheckMessage]:
    """Return why the metrics that LOAM_METRICS configures cannot be sent."""
    return _missing_packages("LOAM_METRICS", settings.LOAM_METRICS)


def _missing_packages(name: str, where: str) -> list[CheckMessage]:
    needed = {"": (), "otlp": ("sdk", "exporter.otlp")}.get(where, ("sdk",))
    if all(_there(f"opentelemetry.{part}") for part in needed):
        return []
    hint = f"Run `pip install --require-hashes -r requirements-traces.lock`, or unset {name}."
    return [Error(f"{name} is set, and OpenTelemetry is not installed.", hint=hint, id="loam.E010")]


# The key in the router's map for calls without a cell's name.
NO_CELL = "default"


def cell_faults() -> list[CheckMessage]:
    """Return why the router could not recognise this cell's tokens."""
    name = settings.LOAM_CELL
    if not name or (is_cell_name(name) and name != NO_CELL):
        return []
    hint = f"Set LOAM_CELL to up to seven letters and digits, a letter first, and not to “{NO_CELL}”."
    why = f"LOAM_CELL is “{name}”, which a token and the router's map cannot hold."
    return [Error(why, hint=hint, id="loam.E012")]


def _unknown_classes() -> list[CheckMessage]:
    """Return the dotted paths that cannot be imported. The one of LOAM_TRACES may need packages that are missing."""
    found: list[CheckMessage] = []
    for name in ("LOAM_EMBEDDER", "LOAM_OUTSIDE", "LOAM_JUDGE"):
        path = getattr(settings, name)
        try:
            if "." in path:
                import_string(path)
        except ImportError as error:
            hint = "Set it to the dotted path of a class that Python can import here, or unset it."
            found.append(Error(f"{name} is “{path}”: {error}.", hint=hint, id="loam.E013"))
    return found


def _misspelt() -> list[CheckMessage]:
    return [
        Warning(f"{name} is no setting, and changes nothing.", hint=f"Did you mean {meant}?", id="loam.W015")
        for name, meant in settings.MISSPELT_VARIABLES.items()
    ]


def _there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # nor is a package that would contain it
        return False


def refuse_to_start() -> None:
    """End the process with all errors in words, if there are any."""
    wrong = [message for message in run_checks(tags=[TAG]) if message.is_serious()]
    if wrong:
        raise SystemExit("Loam cannot start:\n" + "\n".join(f"  {one.id}: {one.msg} {one.hint}" for one in wrong))


def _debug() -> list[CheckMessage]:
    if not settings.DEBUG:
        return []
    return [
        Error("DEBUG is on: error pages would show settings and data to anyone.", hint="Unset DEBUG.", id="loam.E001")
    ]


def _secret() -> list[CheckMessage]:
    given, mend = settings.SECRET_KEY_GIVEN, f"Set SECRET_KEY to the output of: {MAKE_KEY}"
    if not given:
        why = (
            "SECRET_KEY is not set: each machine would generate its own, and sessions would be valid on one "
            "machine only."
        )
        return [Error(why, hint=mend, id="loam.E002")]
    if len(given) < SHORTEST_KEY or any(word in given.lower() for word in PUBLISHED) or len(set(given)) < 10:
        return [Error("SECRET_KEY is a default value or easy to guess.", hint=mend, id="loam.E003")]
    return []


def _names() -> list[CheckMessage]:
    found: list[CheckMessage] = []
    if "*" in settings.ALLOWED_HOSTS:
        hint = "List the host names in ALLOWED_HOSTS, separated by commas."
        found.append(Error("ALLOWED_HOSTS accepts any name: links in emails can be forged.", hint=hint, id="loam.E004"))
    elif not set(settings.ALLOWED_HOSTS) - HERE:
        hint = "Set ALLOWED_HOSTS to the host name people use, for example loam.example.org."
        found.append(Warning("ALLOWED_HOSTS only has the name of this machine.", hint=hint, id="loam.W001"))
    if any(host in settings.PUBLIC_URL for host in ("//127.0.0.1", "//localhost")):
        hint = "Set PUBLIC_URL to the address people use, for example https://loam.example.org."
        found.append(
            Warning("PUBLIC_URL points to this machine: links would not work elsewhere.", hint=hint, id="loam.W002")
        )
    return found


def _transport() -> list[CheckMessage]:
    if not settings.HTTPS:
        hint = "Set HTTPS=on, and BEHIND_PROXY=on if your proxy terminates TLS and sets X-Forwarded-Proto."
        return [Warning("HTTPS is off: tokens and passwords are sent unencrypted.", hint=hint, id="loam.W003")]
    if settings.SECURE_PROXY_SSL_HEADER and not settings.ALLAUTH_TRUSTED_PROXY_COUNT:
        hint = "Set TRUSTED_PROXY_COUNT to the number of your proxies, usually 1."
        why = "BEHIND_PROXY is on and TRUSTED_PROXY_COUNT is 0: all logins would share one address in the rate limit."
        return [Warning(why, hint=hint, id="loam.W004")]
    return []


# In seconds. With a larger value a team's agents would not see each other's deposits.
LONGEST_STALENESS = 60


def _replica() -> list[CheckMessage]:
    """Return what is unsafe about the standby that answers reads, if there is one."""
    if "replica" not in settings.DATABASES:
        return []
    found: list[CheckMessage] = []
    primary, standby = settings.DATABASES["default"], settings.DATABASES["replica"]
    if all(primary.get(name) == standby.get(name) for name in ("HOST", "PORT", "NAME")):
        hint = "Set it to the address of a standby, or unset it."
        found.append(Warning("DATABASE_REPLICA_URL is the address of DATABASE_URL.", hint=hint, id="loam.W012"))
    backend = str(settings.CACHES["default"]["BACKEND"])
    if backend.endswith("LocMemCache"):
        hint = "Set CACHE_URL to redis://…"
        why = (
            "A standby is read, and the cache is in the memory of one process: others answer without one's own writes."
        )
        found.append(Error(why, hint=hint, id="loam.E011"))
    elif backend.endswith("DatabaseCache"):
        hint = "Set CACHE_URL to redis://…"
        why = "A standby is read, and the cache is a table of the primary: each read asks the primary first."
        found.append(Warning(why, hint=hint, id="loam.W013"))
    if not 0 < settings.DATABASE_REPLICA_STALENESS <= LONGEST_STALENESS:
        hint = f"Set DATABASE_REPLICA_STALENESS to 1 to {LONGEST_STALENESS} seconds."
        why = "Answers may be so old that agents do not know of each other's deposits, or the standby is never read."
        found.append(Warning(why, hint=hint, id="loam.W014"))
    return found


def _parts() -> list[CheckMessage]:
    found: list[CheckMessage] = []
    if str(settings.CELERY_BROKER_URL).startswith("filesystem"):
        hint = "Set CELERY_BROKER_URL to redis://…; not needed on a single machine."
        found.append(Warning("The broker is a folder on this machine.", hint=hint, id="loam.W005"))
    if settings.EMAIL_BACKEND.endswith(("console.EmailBackend", "filebased.EmailBackend")):
        hint = "Set EMAIL_URL, for example smtp+tls://user:password@mail.example.org:587."
        found.append(Warning("Emails are not sent but written to this machine.", hint=hint, id="loam.W006"))
    if settings.LOAM_RATE_LIMIT <= 0 or settings.LOAM_TEAM_RATE_LIMIT <= 0:
        hint = "Set LOAM_RATE_LIMIT and LOAM_TEAM_RATE_LIMIT to calls per minute, or unset them."
        found.append(
            Warning("Calls are not limited: one agent in a loop slows down everyone.", hint=hint, id="loam.W007")
        )
    if settings.LOAM_AT_ONCE <= 0:
        hint = "Set LOAM_AT_ONCE to the calls at once in a web process, or unset it."
        found.append(Warning("One team may take a whole web process.", hint=hint, id="loam.W010"))
    elif 0 < settings.POOL_SIZE < settings.LOAM_AT_ONCE:
        hint = "Set DATABASE_POOL_SIZE to LOAM_AT_ONCE or more."
        why = "Calls whose turn it is wait for a connection to the database."
        found.append(Warning(why, hint=hint, id="loam.W011"))
    if settings.POOL_SIZE <= 0 and not settings.DATABASE_POOLER:
        hint = "Unset DATABASE_POOL, or set DATABASE_POOLER if a PgBouncer is in between."
        found.append(Warning("Each request opens a connection to the database.", hint=hint, id="loam.W008"))
    if str(settings.CACHES["default"]["BACKEND"]).endswith("LocMemCache"):
        hint = "Unset CACHE_URL, or set it to redis://…"
        why = "The cache is in the memory of one process: failed logins are counted for each process alone."
        found.append(Warning(why, hint=hint, id="loam.W009"))
    return found
