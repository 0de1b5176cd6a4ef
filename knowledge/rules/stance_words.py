"""The closed word lists that the stance rules read with: English, as software teams write it.

Every list says what follows from being on it. A missing word costs a merge or a catch; a wrong one costs a team a fact,
so a word with an everyday second meaning ("drop", "close", "light") is left out or kept to its unmistakable forms.
Words are written as people write them; lookups go through `stem`, which `stance_reading` gives.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Say nothing of their own: neither aligned nor counted. Negators, numbers and modal verbs are handled apart.
FUNCTION = _words(
    """a an the this that these those it its itself he she they them their his her hers him i we us our ours you your
    and or as at by for from in into of on onto off to with within without via per than then so if when while where
    which who whom whose what how why there here is are was were be been being am do does did done doing has have had
    having can could may might must shall should will would also just very too quite even still yet already again
    because since but however therefore hence thus otherwise else though although after before until unless about
    against between through during over under out up down any some each every all both either neither such own same
    other another more most less least few many much only not no nor never always please note that's let lets
    like well really simply currently longer now get got gets make makes made sure need needs needed ought
    """
)

# Carry little by themselves: a contrast that rests on these alone is none.
GENERIC = _words(
    """use using used uses run runs running set sets go goes went put keep keeps kept take takes took give work works
    thing things way ways time times case cases one new old want way should must need do get look find let call calls
    service services code app application system file files data user users test tests team project value name
    client server add adds create allow let need ones kind part
    """
)

# What English has many of, and what its neighbours have many of and English has not: they tell the language of a text.
COMMON_ENGLISH = _words(
    """the a an of to and is are be it that this for with as not or by from at we you if when because so do does
    use has have must should can never always but into all than then its only
    """
)
COMMON_ELSEWHERE = _words(
    """der das und ist ein eine einer einem nicht mit von zu den dem auf für auch wird werden sich wenn dass bei nur
    le la les et est une un pas pour dans que qui sur avec sont du au ce cette ne plus il elle nous être
    el los las es una por con para como más se lo del al su pero cuando hay
    di che non per sono della nel con una gli ma anche come viene
    het een van niet en dat op te zijn voor maar ook wordt als
    os um uma não com para mais na ao são em isso
    jest nie na się że och att det som inte är på
    """
)

NUMBERS = {
    "zero": 0, "one": 1, "single": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40,
    "fifty": 50, "sixty": 60, "ninety": 90, "hundred": 100, "thousand": 1000,
}  # fmt: skip

# Unit → (dimension, factor). Numbers of two dimensions are never one against the other.
UNITS = {
    **dict.fromkeys(("ms", "millisecond", "milliseconds", "msec"), ("time", 0.001)),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), ("time", 1.0)),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), ("time", 60.0)),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), ("time", 3600.0)),
    **dict.fromkeys(("d", "day", "days"), ("time", 86_400.0)),
    **dict.fromkeys(("week", "weeks"), ("time", 604_800.0)),
    **dict.fromkeys(("month", "months"), ("time", 2_592_000.0)),
    **dict.fromkeys(("year", "years"), ("time", 31_536_000.0)),
    **dict.fromkeys(("b", "byte", "bytes"), ("size", 1.0)),
    **dict.fromkeys(("kb", "kib"), ("size", 1024.0)),
    **dict.fromkeys(("mb", "mib", "megabyte", "megabytes"), ("size", 1024.0**2)),
    **dict.fromkeys(("gb", "gib", "gigabyte", "gigabytes"), ("size", 1024.0**3)),
    **dict.fromkeys(("tb", "tib", "terabyte", "terabytes"), ("size", 1024.0**4)),
    **dict.fromkeys(("%", "percent", "pct"), ("percent", 1.0)),
}

# One word turns a statement into its opposite. Both ways; each word may stand in several pairs.
OPPOSITES = [
    ("on!", "off!"), ("enabled", "off!"), ("disabled", "on!"), ("enable", "disable"), ("enabled", "disabled"),
    ("enables", "disables"), ("increase", "decrease"), ("raise", "lower"), ("allow", "deny"), ("allow", "forbid"),
    ("allow", "block"), ("allow", "prohibit"), ("allow", "ban"), ("permit", "forbid"), ("permit", "deny"),
    ("permit", "prohibit"), ("accept", "reject"), ("accept", "refuse"), ("grant", "deny"), ("grant", "revoke"),
    ("fine", "forbidden"), ("allowed", "forbidden"), ("allowed", "prohibited"), ("allowed", "banned"),
    ("ok", "forbidden"), ("public", "private"), ("sync", "async"), ("synchronous", "asynchronous"),
    ("synchronously", "asynchronously"), ("manual", "automatic"), ("manually", "automatically"),
    ("hand", "automatically"), ("implicit", "explicit"), ("parallel", "serial"), ("parallel", "serially"),
    ("parallel", "sequential"), ("parallel", "sequentially"), ("parallel", "series"),
    ("concurrently", "sequentially"), ("concurrently", "serially"), ("safe", "unsafe"),
    ("safe", "dangerous"), ("recoverable", "fatal"), ("recoverable", "unrecoverable"), ("mutable", "immutable"),
    ("optional", "required"), ("optional", "mandatory"), ("required", "forbidden"), ("mandatory", "forbidden"),
    ("valid", "invalid"), ("include", "exclude"), ("included", "excluded"), ("stateful", "stateless"),
    ("strict", "lenient"), ("strict", "loose"), ("strict", "permissive"), ("eager", "lazy"), ("eagerly", "lazily"),
    ("ascending", "descending"), ("asc", "desc"), ("internal", "external"), ("online", "offline"),
    ("encrypted", "plaintext"), ("encrypted", "unencrypted"), ("compressed", "uncompressed"),
    ("signed", "unsigned"), ("lock", "unlock"), ("succeed", "fail"), ("succeeds", "fails"), ("present", "absent"),
    ("true", "false"), ("supported", "unsupported"), ("necessary", "unnecessary"), ("possible", "impossible"),
    ("recommended", "discouraged"), ("opt-in", "opt-out"), ("centralised", "decentralised"), ("pull", "push"),
    ("nobody", "everybody"), ("nobody", "everyone"), ("normalised", "denormalised"), ("normalized", "denormalized"),
    ("monolith", "microservices"), ("cached", "uncached"), ("tracked", "ignored"), ("commit", "ignore"),
    ("ignore", "refuse"), ("ignored", "refused"), ("ignored", "rejected"), ("ignore", "reject"),
    ("blocking", "non-blocking"), ("whitelist", "blacklist"), ("preserve", "discard"), ("keep", "discard"),
    ("strongly", "eventually"), ("encode", "decode"), ("encrypt", "decrypt"), ("upload", "download"),
    ("upgrade", "downgrade"), ("import", "export"),
]  # fmt: skip

# ... and with one of these put before it: mount, unmount.
REVERSING = ("un", "dis", "non", "de", "ir", "mis")

# The same for words of place, size, time and extent. They stand in too many sentences to prove that one was given up.
CONTRASTS = [
    ("on", "off"), ("onto", "off"), ("up", "down"), ("before", "after"), ("first", "last"), ("early", "late"),
    ("earlier", "later"), ("head", "tail"), ("minimum", "maximum"), ("min", "max"), ("inside", "outside"),
    ("inner", "outer"), ("indoors", "outdoors"), ("outside", "indoors"), ("inside", "outdoors"), ("into", "out"),
    ("small", "large"), ("small", "big"), ("tiny", "huge"), ("small", "huge"), ("short", "long"),
    ("shorter", "longer"), ("higher", "lower"), ("high", "low"), ("more", "less"), ("most", "least"),
    ("strong", "weak"), ("same", "different"), ("shared", "separate"), ("shared", "own"), ("single", "several"),
    ("one", "several"), ("only", "all"), ("only", "any"), ("only", "every"), ("add", "remove"), ("open", "close"),
    ("opening", "closing"), ("start", "stop"), ("started", "stopped"), ("local", "remote"), ("static", "dynamic"),
    ("fast", "slow"), ("connect", "disconnect"), ("mount", "unmount"), ("best", "worst"), ("good", "bad"),
    ("better", "worse"), ("keep", "delete"), ("keep", "drop"), ("keep", "remove"), ("verify", "skip"),
    ("positive", "negative"), ("visible", "hidden"), ("show", "hide"), ("cheap", "expensive"), ("empty", "full"),
    ("near", "far"), ("close", "far"), ("left", "right"), ("push", "pull"), ("day", "night"), ("new", "old"),
    ("success", "failure"), ("yes", "no"), ("direct", "indirect"), ("directly", "indirectly"),
    ("present", "missing"),
    ("local", "utc"),
]  # fmt: skip

# Of each set a statement names one: another of the same set is another statement, if not always its opposite.
ALTERNATIVES = [
    "monday tuesday wednesday thursday friday saturday sunday weekend",
    "january february march april june july august september october november december",
    "staging production prod dev development qa sandbox preview",
    "main master develop trunk",
    "get post put patch delete head",
    "debug info warning error critical",
    "primary replica standby",
    "frontend backend",
    "linux macos windows",
    "ios android",
    "json xml yaml toml csv protobuf avro parquet",
    "hourly daily nightly weekly monthly quarterly yearly",
    "morning noon afternoon evening night",
    "unit integration e2e",
    "north south east west", "top bottom", "read write",
]  # fmt: skip

# Different words for one thing, as far as two lessons are compared. The first word stands for all.
SYNONYMS = """
delete remove erase purge discard
directory folder dir
show display print list output
find search look locate
create make build generate construct
start launch begin boot
stop halt kill terminate
end finish complete
fix repair cure solve mend resolve
fail break crash
config configuration setting settings configure
database db
documents docs documentation
environment env
repository repo
dependency dependencies package packages library libraries
kubernetes k8s
postgres postgresql
javascript js
typescript ts
authentication auth login
authorization authorisation permission permissions
credential credentials secret secrets
message event
record row entry
fast quick
slow sluggish
big large huge
small tiny little
employ utilise utilize use
wrong incorrect
right correct
need require
must shall
allow permit
forbid prohibit ban
ensure guarantee
vanish disappear
argument parameter
default fallback
function method
developer engineer
customer client
request call
answer response reply
retry repeat
twice double duplicate
order sequence
limit cap
memory ram
deploy rollout release
rollback revert
container pod
picture image photo
mail email e-mail
timestamp time
fetch load read retrieve
write save store
send post deliver
replace substitute
change modify alter edit
update upgrade
check verify validate
copy duplicate clone
move transfer
contain include hold
name title
begin start
current present
every each
whole entire complete
quit exit
execute run invoke
pattern regex
character char
string text
number count
recursive recursively
directory tree
owner owned
empty blank
match matching
automatic automatically
explicit explicitly
weekly week
daily day
nightly night
exhaust exhausted
prefer favour favor
forget lose
drop lose
happen occur
cause reason
therefore hence
usual normal
"""

# --- polarity -----------------------------------------------------------------------------------------------
# What follows, up to the end of the clause, is denied.
NEGATORS = _words(
    """not no never neither nor none nobody nothing cannot without hardly nowhere don't doesn't didn't isn't aren't
    wasn't weren't won't wouldn't can't couldn't shouldn't mustn't needn't hasn't haven't hadn't ain't dont doesnt cant
    wont isnt shouldnt mustnt avoid avoids avoiding unable forbid forbids prohibit disable disables disabling
    """
)

# ... before a word in -ing only: "stop using X", but not "stop the worker".
STOPS = _words("stop stops stopped quit")

# What stands before it in the clause is denied: "backfills during the day are forbidden".
DENIES_SUBJECT = _words(
    """forbidden prohibited banned disallowed unsupported unavailable impossible discouraged disabled"""
)

# What stands before it in the clause is over: "Jest is deprecated".
ENDS_SUBJECT = _words(
    """deprecated obsolete retired discontinued cancelled canceled abandoned gone legacy superseded sunset replaced
    decommissioned ended expired frozen"""
)

# What follows is over, up to the next preposition: "we dropped Jest in favour of Vitest".
ENDS_OBJECT = _words("dropped abandoned retired ditched replaced removed deprecated sunset")

# In two words: "we gave up Poetry", "got rid of", "away from"; and "Jenkins was switched off".
ENDS_OBJECT_PAIRS = frozenset({("gave", "up"), ("given", "up"), ("rid", "of"), ("away", "from"), ("moved", "off")})
# "X beats Y".
BEATS = _words("beats outperforms replaces replaced supersedes")
ENDS_SUBJECT_PAIRS = frozenset(
    {("switched", "off!"), ("turned", "off!"), ("shut", "down"), ("closed", "off"), ("phased", "out"), ("out", "of")}
)

# "switched from X to Y", "moved X from Y to Z": what stands between "from" and "to" is over.
MOVES = _words(
    """switch switched switching move moved moving migrate migrated migrating change changed port ported convert
    converted went transition transitioned upgrade upgraded raised lowered increased decreased reduced"""
)

# "has moved to Y": that something was otherwise before.
MOVED = _words("switched moved migrated ported transitioned")

# With one of these in the clause, a denial is a condition: "must not retry unless ...", "only with ...".
CONDITIONS = _words("unless until without except only before but otherwise if else")

# With one of these a clause affirms only part of what it says, and a denial of the rest does not oppose it: "at most".
LIMITS = _words(
    "only exactly most least outside out off! below beneath away except unless without until sole free exempt"
)

# A clause with one of these, in any form, says what goes wrong or is left out: it affirms nothing else in it.
DOUBTS = _words(
    """break fail crash leak lose deadlock corrupt hang outage wrong stale overload overflow vanish collide throttle
    flaky freeze blow insecure unsafe dangerous painful terrible ignore lack exclude miss skip prevent reject discard
    omit removing lie hide untested unmaintained unreliable untrusted"""
)

# Who denies one of these of a thing, denies the thing: "X is not safe".
EVALUATES = _words("safe secure good recommended allowed supported acceptable suitable viable needed necessary")

# A clause that begins so gives a reason: what it says is so, and not what is to be done.
REASONS = _words("because since as")

# Where a clause ends besides punctuation.
CLAUSE_WORDS = _words("because since but otherwise else so therefore hence while whereas although though")

# Where the object of a contrast ends: "instead of X for Y".
OBJECT_ENDS = _words(
    """for in on at when with by to as because since so and but from into after before during while if we it you they
    is are was were has have had per via or"""
)

# --- small words that tell what a pattern means ---------------------------------------------------------------
# Before a participle: what it is said of is the subject ("was removed"), or, with "has", of one that takes no object.
PASSIVE = _words("is are was were be been being get gets got")
PERFECT = _words("has have had")
WITHOUT_OBJECT = _words("ended expired gone")
# Before a participle: what was left behind comes after it ("we dropped X").
ACTORS = _words("we i they team has have had and it")
# After a participle: something was put somewhere, and not given up ("dropped into a pan").
INTO = _words("into onto in on down")
# After one of these "that" begins a statement, after other words a description ("tests that need X").
TELLS = _words("note remember mind sure so learned know found means ensure shows says such see it is was")
# Before a participle: it is not so yet ("can be removed").
MODALS = _words("can could may might must should will shall would to")
# A clause that begins so supposes something.
SUPPOSES = _words("if when whenever unless otherwise else or")
# Before "on" and "off", these are the statement ("turned on", "is off").
SWITCHES = _words("turn turned turning switch switched is are be stay stays kept keep leave leaves left set")
# Joined with what follows, hyphen or not: front-end, e-mail, re-run.
JOINED = _words("front back e re pre post non un multi sub co auto")

# What the stemmer leaves apart.
IRREGULAR = {
    "ran": "run", "built": "build", "written": "write", "wrote": "write", "sent": "send", "kept": "keep",
    "lost": "lose", "left": "leave", "held": "hold", "made": "make", "found": "find", "taken": "take", "took": "take",
    "given": "give", "gave": "give", "broke": "break", "broken": "break", "froze": "freeze", "frozen": "freeze",
    "chosen": "choose", "chose": "choose", "went": "go", "came": "come", "brought": "bring", "bound": "bind",
    "caught": "catch", "spoke": "speak", "men": "man", "women": "woman", "children": "child", "people": "person",
    "indices": "index", "indexes": "index", "queries": "query", "slower": "slow", "larger": "large", "bigger": "big",
    "faster": "fast", "smaller": "small",
}  # fmt: skip

# Names that are written small: what a sentence is about, as `Redis` and `read_csv` are.
TOOLS = _words(
    """npm yarn pnpm deno pip pipx poetry uv conda tox nox pytest unittest jest vitest mocha cypress playwright
    selenium ruff flake8 pylint mypy pyright isort eslint prettier biome webpack vite rollup esbuild babel
    docker podman kaniko buildah helm kustomize kubectl terraform pulumi ansible vagrant packer nginx apache
    caddy traefik haproxy envoy gunicorn uvicorn hypercorn daphne uwsgi celery dramatiq huey rq sidekiq redis
    valkey memcached rabbitmq kafka nats sqs postgres mysql mariadb sqlite mongodb cassandra dynamodb clickhouse
    duckdb elasticsearch opensearch solr meilisearch qdrant pgvector django flask fastapi starlette laravel
    react vue svelte angular htmx tailwind bootstrap redux zustand graphql grpc git mercurial svn github gitlab
    gitea bitbucket jenkins circleci bash zsh powershell vim emacs vscode debian ubuntu alpine fedora centos
    linux macos aws gcp azure heroku vercel netlify cloudflare s3 minio prometheus grafana datadog sentry loki
    jaeger slog zap logrus zerolog logback log4j gradle maven bazel cargo rustup tokio numpy pandas polars dask
    airflow dagster dbt pydantic marshmallow sqlalchemy alembic httpx aiohttp axios openssl gpg ssh rsync curl
    wget tmux systemd cron cmake"""
)
