"""Made-up notes of developers, and questions about them: what a benchmark is run on.

Speed depends on the shape of a text, not on its truth, so the shape is what is kept to: notes of 30 to 150 words, prose
with identifiers and file paths in between, words as unevenly spread as in real text (the k-th most frequent of a
vocabulary comes up in proportion to 1/k, Zipf's law), a long tail of names that occur once or twice, a few subjects
that share words. The same seed gives the same texts. How good an answer is must never be read from these.
"""

from dataclasses import dataclass
from random import Random

from knowledge.rules.vocabulary import Kind

SHORTEST, LONGEST = 30, 150


@dataclass(frozen=True)
class SyntheticSubject:
    """A technology: its tag, the things one has to do with, the folder and ending of its files."""

    tag: str
    things: tuple[str, ...]
    folder: str
    ending: str


def _listed(text: str) -> list[str]:
    """What stands between bars and line ends."""
    return [item.strip() for line in text.strip().splitlines() for item in line.split("|")]


def _subject(line: str) -> SyntheticSubject:
    tag, folder, ending, things = (part.strip() for part in line.split("/ "))
    return SyntheticSubject(tag, tuple(things.split(", ")), folder, ending)


SUBJECTS = [
    _subject(line)
    for line in _listed("""
django/ apps/ .py/ queryset, migration, middleware, form, signal, admin page, session, template tag, model manager
postgresql/ db/sql/ .sql/ index, transaction, lock, vacuum, partition, sequence, connection pool, plan, replica
celery/ workers/ .py/ task, beat schedule, retry, result backend, queue, worker pool, prefetch, visibility timeout
redis/ cache/ .py/ key, expiry, pipeline, stream, eviction policy, lua script, cluster slot, stampede
docker/ deploy/ .Dockerfile/ image, layer, build cache, volume, network, health check, entrypoint, base image
kubernetes/ deploy/k8s/ .yaml/ pod, probe, ingress, config map, secret mount, rollout, node pool, resource limit
git/ tools/ .sh/ rebase, merge commit, hook, submodule, worktree, reflog, branch protection, sparse checkout
ci/ jobs/ .yml/ pipeline, runner, artifact, flaky job, cache restore, matrix build, release tag, coverage gate
react/ web/components/ .tsx/ component, effect, context provider, render, hydration, suspense boundary, form state
typescript/ web/lib/ .ts/ type guard, generic, declaration file, enum, union, module resolution, strict mode
css/ web/styles/ .css/ grid, flex container, stacking context, media query, custom property, focus ring, font swap
http/ gateway/ .py/ header, redirect, timeout, keep-alive connection, proxy, cookie, range request, compression
auth/ services/auth/ .py/ token, session, refresh flow, password hash, role, permission check, audit line, login form
kafka/ streams/ .java/ topic, consumer group, offset, rebalance, schema, partition key, tombstone, lag alert
nginx/ deploy/nginx/ .conf/ upstream, location block, buffer, rate limit, certificate, gzip, access log, rewrite
terraform/ infra/ .tf/ state file, module, provider, plan, drift, import block, workspace, remote backend
python/ lib/ .py/ dataclass, generator, context manager, decorator, import cycle, wheel, virtualenv, event loop
testing/ tests/ .py/ fixture, mock, snapshot, factory, parametrised case, browser run, seed data, frozen clock
rust/ core/src/ .rs/ borrow, trait object, lifetime, async runtime, channel, feature flag, panic hook, build script
go/ cmd/ .go/ goroutine, channel, context, interface, module proxy, race detector, deferred call, error wrap
android/ app/android/ .kt/ activity, fragment, view model, permission prompt, gradle task, intent, background work
ios/ app/ios/ .swift/ view controller, keychain, provisioning profile, push token, background fetch, layout guide
logging/ ops/ .py/ log line, trace, span, sampling, metric, dashboard, alert rule, correlation id, retention
billing/ services/billing/ .py/ invoice, refund, tax rate, payment intent, webhook, ledger entry, currency, dunning
""")
]

VERBS = _listed("""
load|save|send|fetch|parse|build|make|find|check|apply|render|update|delete|create|sync|merge|split|encode|decode
retry|lock|release|flush|drain|schedule|cancel|validate|normalise|hash|sign|verify|resolve|route|filter|sort|group
count|sum|rank|score|fill|trim|pack|unpack|open|close|start|stop|pause|resume|push|pull|copy|move|rename|archive
restore|import|export|publish
""")
NOUNS = _listed("""
user|account|order|invoice|payment|token|session|team|member|role|report|event|message|job|task|queue|batch|file|path
image|document|page|section|note|tag|label|index|row|column|table|schema|field|value|key|cache|entry|record|log|line
trace|span|metric|alert|rule|policy|limit|quota|plan|price|rate|cart|item|product|stock|region|address|phone|email
profile|avatar|setting|preference|feature|flag|branch|commit|release|build|artifact|package|module|plugin|hook
handler|listener|stream|chunk|buffer|cursor|offset|window|range|bucket|shard|node|cluster|host|port|socket|proxy
header|cookie|body|query|filter|facet|result|score|rank|vector|embedding|model|prompt|answer|digest|summary|snapshot
backup|archive|lease|ticket|incident|review|draft|version|revision|patch|delta
adapter|agent|alias|allowance|anchor|answerer|applet|arena|argument|array|aspect|asset|assignment|attachment|attempt
attribute|auction|audit|badge|balance|banner|barrier|baseline|basket|beacon|binding|blob|block|board|bookmark|border
bound|broker|budget|bulletin|bundle|button|bytecode|calendar|callback|campaign|canary|canvas|capability|capture|carrier
catalogue|category|cell|channel|chapter|charge|chart|checkpoint|checksum|choice|claim|clause|client|clipboard|clone
codec|cohort|collar|collection|comment|commission|comparator|compiler|condition|connector|constant|consumer|contact
container|contract|control|converter|copyright|corner|counter|country|coupon|courier|course|coverage|credential|credit
criterion|crop|culture|curve|customer|daemon|dataset|deadline|dealer|debit|decimal|decoder|default|delegate|delivery
demand|department|dependency|deposit|descriptor|device|dialect|dialog|diagram|dictionary|directive|directory|discount
dispatch|display|distance|district|domain|donation|door|drawer|driver|duration|edge|edition|editor|effect|element
employee|engine|entity|envelope|epoch|estimate|excerpt|exchange|expense|experiment|expression|extension|extract|fallback
family|fare|feed|fence|figure|fleet|folder|footer|forecast|form|format|formula|forum|fragment|frame|freight|front|fund
gallery|gate|gauge|genre|gesture|glossary|glyph|graph|grant|greeting|grid|guard|guest|guide|half|header|heap|heartbeat
hint|histogram|history|holder|holiday|horizon|hotel|icon|identity|import|impression|inbox|income|increment|indicator
ingredient|inlet|input|insert|inspection|instance|insurance|integer|interest|interval|inventory|island|issuer|iteration
journal|journey|joint|kernel|keyboard|keyword|kiosk|lab|lane|language|launcher|layout|ledger|legend|lender|letter|level
library|licence|lifetime|link|list|loader|loan|locale|location|locker|logo|loop|machine|macro|mailbox|manifest|map
margin|marker|market|mask|match|matrix|measure|medal|medium|meeting|memo|menu|merchant|meter|method|migration|milestone
minute|mirror|mission|mode|monitor|month|motion|mount|movement|namespace|neighbour|notice|notification|number|object
obligation|observer|offer|office|operand|operator|option|orbit|origin|outbox|outcome|outlet|output|owner|packet|pair
palette|panel|paragraph|parameter|parcel|parent|parser|partner|party|passage|passport|pattern|payload|peer|penalty
period|permit|person|phase|phrase|picture|pixel|placeholder|platform|player|pointer|poll|pool|popup|portal|position
posting|predicate|prefix|premise|presence|priority|prize|probe|problem|process|producer|programme|project|proof|property
proposal|provider|purchase|puzzle|quarter|question|quiz|quotation|radius|railway|ratio|reader|reason|receipt|recipe
redirect|reducer|reference|refund|registry|relation|reminder|renderer|repair|replica|reply|request|reservation|resource
response|retailer|return|revenue|reward|ribbon|rider|ring|risk|robot|room|root|rotation|round|router|routine|sale|sample
sandbox|scale|scanner|scenario|scene|scope|screen|script|seat|secret|sector|segment|selector|sender|sensor|sentence
sequence|series|server|service|shape|share|sheet|shelf|shift|ship|signal|signature|site|size|sketch|skill|slice|slide
slot|socket|solution|source|space|speaker|spool|sprint|square|stack|stage|stamp|station|status|step|sticker|storage
store|story|strategy|street|student|studio|subject|subscriber|suffix|suggestion|suite|supplier|survey|switch|symbol
symptom|syntax|system|tablet|target|tariff|taxonomy|teacher|template|tenant|terminal|territory|text|theme|thread
threshold|thumbnail|ticker|tier|tile|timeline|timer|title|toggle|tool|topic|total|tournament|trade|traffic|train|transfer
transit|traveller|tree|trial|tribe|trip|tuple|tutorial|type|unit|update|upload|usage|utility|vacancy|vehicle|vendor
venue|verdict|vertex|video|view|village|visit|voice|volume|voter|voucher|wage|waiter|wallet|warehouse|warning|warrant
watcher|weather|weight|wheel|widget|winner|wire|witness|word|worker|workflow|workshop|wrapper|writer|year|zone
""")
QUALITIES = _listed("""
slow|nested|partial|legacy|cold|empty|shared|remote|signed|stale|broken|duplicate|missing|hidden|pending|frozen
expired|orphaned|cached|mutable|private|temporary|primary|secondary|nightly|weekly|large|tiny|sparse|dense|lazy|eager
optional|required|nullable|unique|ordered|sorted|raw|compressed|encrypted|staged|draft|final|manual|automatic
internal|public|foreign|local|global|volatile|durable|idle|busy|warm|blocked|merged|split|forked|mirrored|archived
retried|rejected|accepted|truncated|escaped|quoted|unsigned|floating|rounded|negative|recursive|circular|parallel
sequential|atomic|eventual|strict|loose|verbose|silent|noisy|flaky|stable|experimental|deprecated|vendored|pinned
""")
FAILS = _listed("""
times out|returns nothing|fails|leaks memory|slows down|loses rows|runs twice|hangs|breaks|goes backwards|deadlocks
drifts|vanishes|rejects good input|blocks readers|grows without bound|starts too early|swallows errors|rebuilds
overflows|flickers|truncates its output|panics|retries for ever|skips a step|forgets its owner|collides|stalls
""")
WHEN = _listed("""
under load|on the second run|overnight|after a deploy|after a failover|behind a proxy|on Windows|in production only
during a rebase|when the disk is full|with two tenants|on leap days|across midnight|after an upgrade|in a fork
on a cold start|over a slow link|with unicode names|at month end|during a rollback|in the sandbox|as another user
after a long weekend|when a certificate is renewed|with an old client|inside a container|on ARM machines|in CI
""")
CAUSES = _listed("""
the default changed with the last minor release|two processes hold the same handle|the clock of one host is behind
the connection is reused after a fork|the cache key leaves out the tenant|nobody closes it on the error path
the caller gives up before the callee does|the index does not cover the predicate|the retry is not idempotent
the variable is read at import|the buffer is flushed only at exit|a wildcard matches more than was meant
locks are taken in another order there|the probe answers before the migration is through|the cookie has no domain
an exception is caught too broadly|rounding happens before the sum|the encoding is guessed|the parent never waits
the environment is not inherited|a weak reference is collected|the iterator is consumed twice|the mock hides it
somebody patched the vendored copy|the header is dropped by the gateway|a trigger rewrites the row|umask differs
""")
REMEDIES = _listed("""
set an explicit timeout|hide it behind a feature flag|lock first and read again|pass the identifier, not the object
raise the limit and add an alert|pin the version|close it in a finally block|warm it up before traffic arrives
write to a new table and swap the names|make the handler idempotent|split it into two safe steps|log the decision
fail early with one clear line|give it a transaction of its own|bound the batch and loop|quote the argument
drop the wildcard|order by primary key|store the moment in UTC|compare digests instead|copy before mutating
register it once|wait for the socket|use a savepoint|stream the response|debounce the input|vendor the patch
""")
ERRORS = _listed("""
TimeoutError|KeyError|ConnectionResetError|ValidationError|DeadlockDetected|OutOfMemory|BrokenPipeError|TypeError
IntegrityError|NullPointerException|SegmentationFault|PermissionDenied|UnboundLocalError|StackOverflow|NotFound
""")
SYLLABLES = _listed("""
ba|bel|cor|da|den|el|fa|gar|hol|in|jo|ka|lan|lo|mar|mi|nor|ol|pa|quin|ra|rel|sa|sol|ta|tor|um|va|ven|zo
""")

SENTENCES = [
    "In `{path}` the {quality} {thing} {fails} {when}.",
    "`{symbol}` {fails}, because {cause}.",
    "The {thing} of {service} {fails} {when}; {cause}.",
    "What helped: {remedy}, in `{path}`.",
    "We now {remedy} before `{symbol}` touches the {quality} {noun}.",
    "It took {number} minutes to find, for the log of {service} only had `{error}`.",
    "With {number} {noun}s it {fails}, with {small} it does not.",
    "{Service} and its neighbours share one {quality} {thing}, so all of them are hit {when}.",
    "That {cause} shows only where `{symbol}` meets a {quality} {noun}.",
    "To see it, call `{symbol}` with a {quality} {noun} {when}.",
    "Do not {remedy} here: the {quality} {noun} {fails}.",
    "On {service} the p95 fell from {number} ms to {small} ms once we {remedy}.",
    "`{setting}={number}` is too low; the {noun} {fails} {when}.",
    "Compare `{path}`, which does the same for a {quality} {noun}.",
    "Whoever edits `{symbol}` has to {remedy} as well.",
    "From version {small}.{small} on, {service} no longer needs this.",
    "A {quality} {noun} is fine, a {other} one {fails}.",
    "Reviewed with the owners of {service}: they would rather {remedy}.",
    "First suspected the {quality} {noun}, but {cause}.",
    "The check in `{path}` misses it, since {cause}.",
    "Keep the {other} {noun} until `{symbol}` is gone.",
    "Nothing but the {quality} {thing} {fails} {when}.",
]
TITLES = [
    "The {quality} {thing} {fails} {when}",
    "{Service}: {thing} {fails}",
    "`{symbol}` {fails} {when}",
    "For a {quality} {noun}, {remedy}",
    "Why we {remedy} in {service}",
]
QUESTIONS = [
    "why does the {quality} {thing} {fails}",
    "{tag} {thing} {fails} {when}",
    "{quality} {noun} {fails}",
    "how do we keep the {thing} of {service} alive {when}",
    "{symbol} {fails}",
    "what to change in {path} if the {thing} {fails}",
    "{error} in {service}",
    "should we {remedy} for a {quality} {noun}",
]


@dataclass(frozen=True)
class Specimen:
    """One made-up note. `words` fill the templates, so that a question about it uses some of the same."""

    kind: Kind
    title: str
    body: str
    tags: list[str]
    files: list[str]
    symbols: list[str]
    repo: str
    subject: SyntheticSubject
    words: dict[str, str]


def specimen(rng: Random, longest: int = LONGEST) -> Specimen:
    """A note of SHORTEST to `longest` words."""
    subject = SUBJECTS[_zipf(rng, len(SUBJECTS))]
    words = _words(rng, subject)
    files, symbols, sentences = [words["path"]], [words["symbol"]], []
    wanted, said = rng.randint(SHORTEST, longest), 0
    for template in rng.sample(SENTENCES, len(SENTENCES)):
        own = _words(rng, subject) if rng.random() < FRESH else words
        sentence = template.format(**own)
        size = len(sentence.split())
        if said + size > longest:
            continue
        sentences.append(sentence)
        files += [own["path"]] * ("{path}" in template)
        symbols += [own["symbol"]] * ("{symbol}" in template)
        said += size
        if said >= wanted:
            break
    return Specimen(
        kind=rng.choice([kind for kind in Kind if kind is not Kind.DECISION]),
        title=_capital(rng.choice(TITLES).format(**words)),
        body=_paragraphs(rng, sentences),
        tags=[subject.tag, words["thing"].split()[-1], words["service"]],
        files=list(dict.fromkeys(files)),
        symbols=list(dict.fromkeys(symbols)),
        repo=f"acme/{words['service']}",
        subject=subject,
        words=words,
    )


def question(rng: Random, about: Specimen) -> str:
    """What somebody might ask whom the note would help: some of its words, and some of their own."""
    words = about.words | {name: value for name, value in _words(rng, about.subject).items() if rng.random() < STRANGE}
    return rng.choice(QUESTIONS).format(**words)


def remark(rng: Random, about: Specimen) -> str:
    """What somebody says in a conversation about the note: a few sentences, as long as a passage is on the mean."""
    templates = rng.sample(SENTENCES, len(SENTENCES))
    wanted, text = rng.randint(*REMARK), ""
    while len(text.split()) < wanted:
        words = _words(rng, about.subject) if rng.random() < FRESH else about.words
        text += f"{' ' if text else ''}{_capital(templates.pop().format(**words))}"
    return text


# Words of a remark, at least: recorded passages have 77 on the mean.
REMARK = (25, 115)
# How often a sentence brings new names instead of speaking of the same ones, and a question words of its own.
FRESH = 0.5
STRANGE = 0.3
# Sizes of the vocabularies, such that the frequencies at ranks 3, 100 and 300 are about those of 1,871 notes of a
# developer (jbranchaud/til) put through the same tokeniser: 40 %, 9 % and 4 % of the notes.
SYMBOLS = 60_000
SERVICES = 20_000


def _words(rng: Random, subject: SyntheticSubject) -> dict[str, str]:
    service = _name(_zipf(rng, SERVICES))
    return {
        "tag": subject.tag,
        "thing": rng.choice(subject.things),
        "quality": QUALITIES[_zipf(rng, len(QUALITIES))],
        "other": rng.choice(QUALITIES),
        "fails": rng.choice(FAILS),
        "when": rng.choice(WHEN),
        "cause": rng.choice(CAUSES),
        "remedy": rng.choice(REMEDIES),
        "service": service,
        "Service": service.capitalize(),
        "noun": NOUNS[_zipf(rng, len(NOUNS))],
        "symbol": _symbol(_zipf(rng, SYMBOLS), subject.ending),
        "path": f"{subject.folder}/{_name(_zipf(rng, SERVICES))}/{rng.choice(NOUNS)}{subject.ending}",
        "error": f"{rng.choice(ERRORS)}: {rng.choice(NOUNS)} {rng.randint(100, 99_999)}",
        "setting": f"{rng.choice(NOUNS)}_{rng.choice(NOUNS)}".upper(),
        "number": str(rng.randint(20, 5_000)),
        "small": str(rng.randint(1, 19)),
    }


def _zipf(rng: Random, size: int) -> int:
    """0 … size - 1, the k-th in proportion to 1/k: size**u for u in [0, 1) has that density."""
    return int(size ** rng.random()) - 1


def _symbol(rank: int, ending: str) -> str:
    """The rank-th identifier, in the manner of the language."""
    verb, rest = rank % len(VERBS), rank // len(VERBS)
    noun, other = rest % len(NOUNS), rest // len(NOUNS)
    parts = [VERBS[verb], NOUNS[noun]] + ([NOUNS[(noun + other * 7) % len(NOUNS)]] if other else [])
    if ending in (".py", ".rs", ".sql", ".sh"):
        return "_".join(parts)
    return parts[0] + "".join(part.capitalize() for part in parts[1:])


def _name(rank: int) -> str:
    """The rank-th name of a service: two or three syllables, each rank another."""
    first, rest = rank % len(SYLLABLES), rank // len(SYLLABLES)
    second, third = rest % len(SYLLABLES), rest // len(SYLLABLES)
    return SYLLABLES[first] + SYLLABLES[second] + (SYLLABLES[third] if third else "")


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _paragraphs(rng: Random, sentences: list[str]) -> str:
    """Two or three sentences to a paragraph, each beginning with a capital."""
    text = ""
    for sentence in sentences:
        gap = ("\n\n" if rng.random() < 0.4 else " ") if text else ""
        text += gap + _capital(sentence)
    return text
