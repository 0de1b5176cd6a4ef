"""Make rows from drafts, merge an insight into another one, and undo merges and supersessions."""

from datetime import datetime
from typing import Any

from accounts.models import LogEntry, Team
from accounts.rules.rights import Level, Member
from knowledge.errors.rules.fingerprint import RECIPE, Fingerprint, searchable_lines
from knowledge.judging.rules.careful import SERVER, repeats
from knowledge.judging.rules.relations import Verdict
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models.anchor import Anchor
from knowledge.models.insight import DECIDED, Insight
from knowledge.models.lexicon import Lexicon
from knowledge.models.pair import Pair
from knowledge.models.signal import Corroboration, Signal
from knowledge.retrieval.rules.locality import repo_paths
from knowledge.rules.draft import Draft, clean_questions, clean_symbols, clean_tags
from knowledge.rules.vocabulary import AnchorKind, Status

# Fields of an insight that a corroboration stores as columns (SHARED), and those it stores in `draft` (KEPT). Together
# they can make a row again.
SHARED = ("kind", "title", "body", "reasoning", "repo", "source_type", "source_date", "token_id", "session_key")
KEPT = ("stability", "source_url", "provenance", "questions")


def insight_of(draft: Draft, team_id: int, *, by: Member, now: datetime, strength: float) -> Insight:
    """Return an unsaved insight for a draft, without a number."""
    return Insight(
        team_id=team_id,
        kind=draft.kind,
        title=draft.headline,
        body=draft.body.strip(),
        reasoning=draft.reasoning.strip(),
        questions=clean_questions(draft.questions),
        repo=draft.repo.strip(),
        stability=draft.stability,
        provenance=list(draft.provenance),
        source_type=draft.source_type,
        # A date in the future is cut to now, since it would come before every later correction.
        source_date=min(draft.source_date or now, now),
        source_url=draft.source_url,
        author_id=by.user_id,
        token_id=by.token_id,
        session_key=by.session_key,
        strength=strength,
        strength_at=now,
        created_at=now,
        updated_at=now,
    )


def anchors_of(draft: Draft, error: Fingerprint | None) -> list[Anchor]:
    """Return the unsaved anchors of a draft, each once."""
    found = [Anchor(kind=AnchorKind.TAG, value=tag) for tag in clean_tags(draft.tags)]
    found += [Anchor(kind=AnchorKind.FILE, value=path) for path in repo_paths(draft.files, draft.repo)]
    found += [Anchor(kind=AnchorKind.SYMBOL, value=name) for name in clean_symbols(draft.symbols)]
    if error:
        found.append(Anchor(kind=AnchorKind.ERROR, value=error.digest, recipe=error.recipe, detail=draft.error))
        found += message_anchors(draft.error)
    return found


def message_anchors(error: str) -> list[Anchor]:
    """Return unsaved anchors with the messages of an error, to find it when it is raised elsewhere or quoted."""
    return [Anchor(kind=AnchorKind.MESSAGE, value=line, recipe=RECIPE) for line in searchable_lines(error)]


def corroboration_of(row: Insight, anchors: list[Anchor], *, at: datetime, **more: Any) -> Corroboration:
    """Return an unsaved corroboration with what an insight says. `more`: similarity, judged_by."""
    kept = {name: getattr(row, name) for name in KEPT}
    kept["anchors"] = [[anchor.kind, anchor.value, anchor.recipe, anchor.detail] for anchor in anchors]
    if not row._state.adding:
        kept["ref"] = row.ref
    return Corroboration(
        at=at, user_id=row.author_id, draft=kept, **{name: getattr(row, name) for name in SHARED}, **more
    )


def heir_of(said: Corroboration, kept: Insight, *, at: datetime) -> Insight:
    """Save what was merged into `kept` as an insight of its own, and return it. It gets a vector with
    the next sweep.
    """
    team = Team.objects.get(pk=kept.team_id)
    number = team.take_numbers()
    row = Insight(
        team=team,
        author_id=said.user_id,
        strength_at=at,
        created_at=said.at,
        updated_at=at,
        **{name: getattr(said, name) for name in SHARED},
        **{name: said.draft[name] for name in KEPT if name in said.draft},
    )
    row.take_number(team.prefix, number)
    row.assess(len(said.anchors))
    lexicon = Lexicon.of(team.pk)
    row.index_words(row.words, lexicon.pivot)
    row.schedule_fade()
    row.save(force_insert=True)
    row.join_anchors(said.anchors)
    lexicon.count(added=[row.words])
    return row


def corroborated(*, by: Member, at: datetime, voice: Insight | None = None) -> Signal:
    """Return an unsaved signal that somebody said the same: the author of `voice`, or `by`."""
    return Signal(
        kind=SignalKind.CORROBORATED,
        human=(voice.token_id if voice else by.token_id) is None,
        at=at,
        user_id=(voice.author_id if voice else by.user_id) or None,
        token_id=voice.token_id if voice else by.token_id,
        session_key=voice.session_key if voice else by.session_key,
    )


def merge_into(
    kept: Insight,
    gone: Insight,
    *,
    by: Member,
    at: datetime,
    why: str,
    verdict: Verdict | None = None,
    signal: Signal | None = None,
) -> None:
    """Merge `gone` into `kept`: its words and anchors join `kept`, and `gone` is superseded. The caller holds both
    rows.

    `signal`: the signal to give, if it is not by `by`. If an agent alone says that a text agrees with a confirmed note
    of somebody else, and the text says more, it waits for a lead (`Corroboration.waits`).
    """
    anchors = [anchor.copy() for anchor in gone.anchors.all()]
    similarity = round(verdict.similarity, 4) if verdict else None
    said = corroboration_of(
        gone, anchors, at=at, judged_by=verdict.judge if verdict else by.username, similarity=similarity
    )
    if _says_more(kept, gone, by, verdict):
        said.hold()
    data = verdict.as_data() if verdict else None
    signal = signal or corroborated(by=by, at=at)
    kept.merge_in(said, signal, anchors, lexicon=Lexicon.of(kept.team_id), by=by, at=at, why=why, verdict=data)
    gone.supersede(kept, by=by, at=at, why=why or f"merged into {kept.ref}", verdict=data)


def _says_more(kept: Insight, gone: Insight, by: Member, verdict: Verdict | None) -> bool:
    """Return whether only an agent says that the two agree, `kept` is a confirmed note of somebody else, and `gone`
    does not repeat its sentences.
    """
    confirmed = kept.status == Status.PROMOTED or kept.pinned
    if verdict is None or verdict.judge == SERVER or not confirmed or kept.author_id == gone.author_id:
        return False
    return not by.may(kept.team_id, Level.LEAD) and not repeats(gone.text, kept.text)


IN_PLACE = "in place of {}"


def take_place(heir: Insight, gone: Insight, *, by: Member, at: datetime) -> None:
    """Promote a draft that a lead has put in the place of a confirmed note. As a draft it would fade, and the team
    would be left with neither.
    """
    confirmed = gone.status == Status.PROMOTED or gone.pinned
    if confirmed and heir.status == Status.DRAFT:
        heir.set_status(Status.PROMOTED, verb="promoted", by=by, at=at, why=IN_PLACE.format(gone.ref))


def leave_place(heir: Insight, gone: Insight, *, by: Member, at: datetime) -> None:
    """Undo `take_place`, unless somebody has decided on the successor's status since."""
    decided = LogEntry.objects.filter(subject=heir.ref, verb__in=DECIDED).order_by("-at", "-pk").first()
    if decided is not None and decided.verb == "promoted" and decided.why == IN_PLACE.format(gone.ref):
        heir.set_status(Status.DRAFT, verb="restored", by=by, at=at, why=f"{gone.ref} was reinstated")


def stand_again(insight: Insight, *, by: Member, at: datetime, why: str) -> None:
    """Undo a supersession, and the merge if it was one: its words leave the successor, a draft promoted in its place
    becomes a draft again, and proposals of it to replace others are open again.
    """
    heir = insight.superseded_by
    insight.reinstate(by=by, at=at, why=why)
    if heir is None:
        return
    leave_place(heir, insight, by=by, at=at)
    Pair.give_back(insight, heir, by=by, at=at)
    said = heir.corroborations.all().merged().filter(draft__ref=insight.ref).first()
    if said:
        heir.split_off(said, insight, lexicon=Lexicon.of(heir.team_id), by=by, at=at)
