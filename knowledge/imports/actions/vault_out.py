"""What a team knows, as pages of a vault.

    <team>/insights/PLAT-42.md   its fields, its text, its reasons, links, and all that was said and thought of it
    <team>/topics.md             names, ids, who named them
    <team>/pairs.md              what contradicts each other or says the same, open and settled

A forgotten insight leaves the vault at once: what stands there is what erasing it will leave. One in quarantine goes
with its secrets masked, in everything that was merged into it too.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from django.db.models import Model

from accounts.actions.vault_passes import Stamps
from accounts.actions.vault_rows import People, record
from accounts.models import Team
from accounts.rules.guard.detection import masked
from accounts.rules.page import Page
from accounts.rules.rights import TeamKind
from knowledge.models import Anchor, Corroboration, FormerRef, Insight, Lexicon, Pair, Receipt, Signal, Topic
from knowledge.rules.vocabulary import AnchorKind, Kind

INSIGHTS, TOPICS, PAIRS = "insights", "topics.md", "pairs.md"

# What a person may edit in the file, and what is only told there.
EDITABLE = ("title", "kind", "repo", "stability", "questions")
LISTS = {"tags": AnchorKind.TAG, "files": AnchorKind.FILE, "symbols": AnchorKind.SYMBOL}
TOLD = (
    "id",
    "status",
    "pinned",
    "confirmed_at",
    "strength",
    "strength_at",
    "trust",
    "corroboration_count",
    "people",
    "last_corroborated_at",
    "author",
    "owner",
    "token",
    "session_key",
    "source_type",
    "source_date",
    "source_url",
    "provenance",
    "quality",
    "unweighed",
    "quarantined_at",
    "reviewed_at",
    "earned_at",
    "revision",
    "created_at",
    "updated_at",
)
# What erasing leaves.
LEFT = ("id", "status", "strength", "strength_at", "forgotten_at", "erased_at", "revision", "created_at", "updated_at")
VECTOR = ("embedding", "embedded_by")
ERROR = ("value", "recipe", "detail")
SAID = (
    *("at", "user", "token", "session_key", "kind", "title", "body", "reasoning", "repo", "draft"),
    *("source_type", "source_date", "similarity", "judged_by"),
)
SIGNAL = (
    *("kind", "human", "at", "user", "token", "session_key", "reason", "query", "question"),
    *("embedding", "embedded_by", "counts"),
)
RECEIPT = ("user", "key", "digest", "outcome", "answer", "at")
PAIR = (
    *("question", "state", "reason", "similarity", "raised_by", "raised_at"),
    *("settled_by", "settled_at", "resolution", "scope", "relation", "successor_side", "verdict", "settled_by_lead"),
    *("raised_by_user", "stated_by_user"),
)
TOPIC = ("id", "label", "terms", "named", "owner", "centroid", "embedded_by", "created_at", "updated_at")
CHUNK = 500


def pages_of(team: Team, people: People, stamps: Stamps | None = None) -> Iterator[tuple[str, Page]]:
    """Path in the team's folder → page, insights in the order of their ids; without those that `stamps` knows as they
    are.
    """
    yield from _topics(team, people)
    yield from _pairs(team, people)
    same: set[int] = set()
    if stamps is not None:
        stamped = Insight.objects.all().stamps_of_pages(team.pk)
        same = {pk for pk, ref, stamp in stamped if stamps.take(f"{INSIGHTS}/{ref}.md", stamp)}
    ids = Insight.objects.filter(team=team).order_by("pk").values_list("pk", flat=True)
    wanted = [pk for pk in ids if pk not in same]
    for start in range(0, len(wanted), CHUNK):
        some = Insight.objects.filter(pk__in=wanted[start : start + CHUNK])
        rows = list(some.select_related("superseded_by").order_by("pk"))
        around = Around(rows)
        for row in rows:
            yield f"{INSIGHTS}/{row.ref}.md", insight_page(row, around, people)


def count_of(team: Team) -> int:
    """How many pages of insights there are, for progress."""
    return Insight.objects.filter(team=team).count()


def column(name: str) -> Any:
    """Of an insight: what its field takes."""
    return Insight._meta.get_field(name)


class Around:
    """What hangs on some insights, read in one statement each."""

    def __init__(self, rows: Sequence[Insight]) -> None:
        ids = [row.pk for row in rows]
        self.anchors = _by(Anchor.objects.filter(insight__in=ids).order_by("kind", "value"), "insight_id")
        said = Corroboration.objects.filter(insight__in=ids).select_related("unmerged_into").order_by("pk")
        self.said = _by(said, "insight_id")
        self.signals = _by(Signal.objects.filter(insight__in=ids).order_by("pk"), "insight_id")
        self.receipts = _by(Receipt.objects.filter(insight__in=ids).order_by("user_id", "key"), "insight_id")
        self.former = _by(FormerRef.objects.filter(insight__in=ids).select_related("team").order_by("pk"), "insight_id")
        heirs = Insight.objects.filter(superseded_by__in=ids).order_by("pk")
        self.gave_way = _by(heirs.only("ref", "superseded_by"), "superseded_by_id")
        told = Pair.objects.filter(a__forgotten_at=None, b__forgotten_at=None).touching(rows)
        pairs = told.select_related("a", "b").order_by("pk")
        self.pairs: dict[int, list[Pair]] = defaultdict(list)
        for pair in pairs:
            self.pairs[pair.a_id].append(pair)
            self.pairs[pair.b_id].append(pair)
        self.forgotten = _forgotten([one for some in self.said.values() for one in some])


def insight_page(row: Insight, around: Around, people: People) -> Page:
    said = [one for one in around.said[row.pk] if not around.forgotten(one)]
    if row.forgotten_at:
        return _tombstone(row, around, people)
    clean = masked if row.quarantined_at else str
    head: dict[str, Any] = {name: _each(clean, getattr(row, name)) for name in EDITABLE}
    anchors = around.anchors[row.pk]
    head |= {name: [clean(one.value) for one in anchors if one.kind == kind] for name, kind in LISTS.items()}
    head |= {"ref": row.ref, **record(row, TOLD, people)}
    if row.superseded_by:
        head["superseded_by"] = f"[[{row.superseded_by.ref}]]"
    if row.topic_id:
        head["topic"] = str(row.topic_id)
    texts = {"": clean(row.body), **({"reasoning": clean(row.reasoning)} if row.reasoning else {})}
    errors = [{"error": record(one, ERROR, people)} for one in anchors if one.kind == AnchorKind.ERROR]
    records: list[dict[str, Any]] = [
        *errors,
        *_former(row, around, people),
        *({"said": record(one, SAID, people) | _parted(one)} for one in said),
        *({"signal": record(one, SIGNAL, people)} for one in around.signals[row.pk]),
        *({"receipt": record(one, RECEIPT, people)} for one in around.receipts[row.pk]),
    ]
    if row.quarantined_at:
        records = [_without_vectors(_each(clean, one)) for one in records]
    elif row.embedding is not None:
        records.append({"vector": {**record(row, VECTOR, people), "of": fingerprint_of(row)}})
    return Page(head, texts, _related(row, around), records)


def fingerprint_of(row: Insight) -> str:
    """Of what a vector was made of: the vector of a text that was changed in the file is not its own any more."""
    return hashlib.sha256(row.searched.encode()).hexdigest()[:32]


def _tombstone(row: Insight, around: Around, people: People) -> Page:
    head = {"ref": row.ref, "kind": Kind.CONTEXT.value, **record(row, LEFT, people)}
    head["erased_at"] = head.pop("erased_at", head["forgotten_at"])
    if row.superseded_by:
        head["superseded_by"] = f"[[{row.superseded_by.ref}]]"
    receipts = [record(one, RECEIPT, people) for one in around.receipts[row.pk]]
    kept = [{"receipt": {k: v for k, v in one.items() if k not in {"digest", "answer"}}} for one in receipts]
    return Page(head, {"": ""}, (), [*_former(row, around, people), *kept])


def _former(row: Insight, around: Around, people: People) -> list[dict[str, Any]]:
    rows = around.former[row.pk]
    return [{"former": record(one, ("ref", "number", "at"), people) | {"team": one.team.slug}} for one in rows]


def _parted(said: Corroboration) -> dict[str, str]:
    return {"unmerged_into": said.unmerged_into.ref} if said.unmerged_into else {}


def _related(row: Insight, around: Around) -> list[str]:
    """Links for people and for the graph of a reader of Markdown; the facts stand elsewhere."""
    lines = [f"superseded by [[{row.superseded_by.ref}]]"] if row.superseded_by else []
    lines += [f"supersedes [[{one.ref}]]" for one in around.gave_way[row.pk]]
    for pair in around.pairs[row.pk]:
        other = pair.b if pair.a_id == row.pk else pair.a
        if other.team_id == row.team_id:
            word = "contradicts" if pair.question == Pair.Question.CONTRADICTION else "perhaps says the same as"
            lines.append(f"{word} [[{other.ref}]] ({pair.state})")
    for one in around.said[row.pk]:
        if around.forgotten(one):
            continue
        if one.unmerged_into and one.unmerged_into.team_id == row.team_id:
            lines.append(f"was corroborated by [[{one.unmerged_into.ref}]], which is a row of its own")
        elif "ref" in one.draft:
            lines.append(f"corroborated by [[{one.draft['ref']}]]")
    return lines


def _topics(team: Team, people: People) -> Iterator[tuple[str, Page]]:
    rows = list(Topic.objects.filter(team=team).order_by("created_at", "pk"))
    lexicon = Lexicon.objects.filter(team=team).first()
    if not rows and lexicon is None:
        return
    head = {"topics": len(rows), "average_length": lexicon.pivot if lexicon else None}
    merged = ({"merged_into": str(row.merged_into_id)} if row.merged_into_id else {} for row in rows)
    records = [{"topic": record(row, TOPIC, people) | heir} for row, heir in zip(rows, merged, strict=True)]
    said = "\n".join(f"- {row.label}" for row in rows if not row.merged_into_id)
    yield TOPICS, Page(head, {"": said}, (), records)


def _pairs(team: Team, people: People) -> Iterator[tuple[str, Page]]:
    """Pairs whose older side is of the team. What crosses from shared to personal stays out of either vault."""
    rows = Pair.objects.filter(a__team=team, a__forgotten_at=None, b__forgotten_at=None).order_by("pk")
    if team.kind != TeamKind.PERSONAL:
        rows = rows.exclude(b__team__kind=TeamKind.PERSONAL)
    else:
        rows = rows.filter(b__team=team)
    sides = (f"{side}__{name}" for side in "ab" for name in ("embedding", "lexemes", "bm25", "heard"))
    found = list(rows.select_related("a", "b").defer(*sides))
    if not found:
        return
    records, lines = [], []
    for pair in found:
        said: dict[str, Any] = {"a": pair.a.ref, "b": pair.b.ref, **record(pair, PAIR, people)}
        hidden = pair.a.quarantined_at or pair.b.quarantined_at
        records.append({"pair": _each(masked, said) if hidden else said})
        lines.append(f"- [[{pair.a.ref}]] and [[{pair.b.ref}]]: {pair.question}, {pair.state}")
    yield PAIRS, Page({"pairs": len(found)}, {"": "\n".join(lines)}, (), records)


def _forgotten(said: Sequence[Corroboration]) -> Callable[[Corroboration], bool]:
    """Whether what was said is an insight of its own that was forgotten: then its words are forgotten here too."""
    refs = {one.draft["ref"] for one in said if isinstance(one.draft.get("ref"), str)}
    gone = set(Insight.objects.filter(ref__in=refs, forgotten_at__isnull=False).values_list("ref", flat=True))
    gone |= set(
        FormerRef.objects.filter(ref__in=refs, insight__forgotten_at__isnull=False).values_list("ref", flat=True)
    )

    def is_gone(one: Corroboration) -> bool:
        heir = one.unmerged_into
        return one.draft.get("ref") in gone or bool(heir and heir.forgotten_at)

    return is_gone


def _by(rows: Iterable[Model], column: str) -> dict[int, list[Any]]:
    found: dict[int, list[Any]] = defaultdict(list)
    for row in rows:
        found[getattr(row, column)].append(row)
    return found


def _each(clean: Callable[[str], str], value: Any) -> Any:
    """A value with every text in it cleaned."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {name: _each(clean, one) for name, one in value.items()}
    if isinstance(value, list):
        return [_each(clean, one) for one in value]
    return value


def _without_vectors(said: dict[str, Any]) -> dict[str, Any]:
    """A vector tells of the secret that its text had."""
    return {what: {k: v for k, v in one.items() if k not in VECTOR} for what, one in said.items()}
