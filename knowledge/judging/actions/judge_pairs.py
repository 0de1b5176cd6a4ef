"""Judge pairs: a configured model judges open pairs in the background; nobody waits for it.

Its verdict has the effect of an agent's statement and no more (`relations`). A pair that it cannot judge stays with a
person, and is not asked again.
"""

from datetime import datetime

from django.db import transaction

from accounts.actions.jobs import Items, Work
from accounts.models import Team
from accounts.rules.rights import SYSTEM
from knowledge.judging.actions import relations
from knowledge.judging.adapters.judge import JudgeDown, current
from knowledge.judging.rules.relations import Reason, RelationState, Statement, Verdict
from knowledge.models import Insight, Pair
from knowledge.rules.vectors import unit

# The largest number of pairs in a run; the next run continues.
MOST = 50


# This many failures in a row mean that the model is down. A single failure between two answers means that it cannot
# read that pair. The pair is left to a person; otherwise it would be tried first for ever.
DOWN_AFTER = 3


def judge_pairs(*, now: datetime) -> Work:
    """Ask the configured model about undetermined pairs, oldest first. A model that is down leaves the rest waiting."""
    counts = {"settled": 0, "proposed": 0, "opened": 0, "unsure": 0}
    failed: list[tuple[Pair, str]] = []
    try:
        judge = current()
    except JudgeDown as down:
        return Work(counts, down=str(down))
    if judge is None:
        return Work(counts)
    items = Items("judge_pairs")
    for pair in items.each(list(Pair.objects.all().undetermined()[:MOST])):
        newer, older = sorted((pair.a, pair.b), key=lambda row: (row.learned_at, row.pk), reverse=True)
        with items.guard(f"{newer.ref}, {older.ref}"):
            try:
                verdict = judge.judge(newer.text, older.text, _similarity(newer, older))
            except JudgeDown as down:
                failed.append((pair, str(down)))
                if len(failed) >= DOWN_AFTER:
                    break
                continue
            for unread, _ in failed:
                unread.record_verdict(Verdict(None, judge.name, 0.0, Reason.MODEL_FAILED))
            counts["unsure"] += len(failed)
            failed.clear()
            counts[_settle(pair, newer, older, verdict, now)] += 1
    return items.work(counts, down=failed[-1][1] if failed else "")


def _similarity(newer: Insight, older: Insight) -> float:
    mine, theirs = newer.embedding, older.embedding
    return 0.0 if mine is None or theirs is None else float(unit(mine) @ unit(theirs))


def _settle(pair: Pair, newer: Insight, older: Insight, verdict: Verdict, now: datetime) -> str:
    with transaction.atomic():
        Team.objects.select_for_update(no_key=True).get(pk=newer.team_id)
        held = {row.pk: row for row in Insight.objects.filter(pk__in=(newer.pk, older.pk)).order_by("pk")
                .select_for_update(no_key=True)}  # fmt: skip
        found = Pair.objects.filter(pk=pair.pk).first()
        if found is None or len(held) < 2:
            return "unsure"
        pair = found
        same = all(held[row.pk].revision == row.revision and held[row.pk].retrievable for row in (newer, older))
        if not pair.is_open or not same:
            return "unsure"
        if verdict.relation is None:
            pair.record_verdict(verdict)
            return "unsure"
        statement = Statement(older.ref, verdict.relation)
        applied = relations.apply(
            held[newer.pk], [statement], {older.ref: held[older.pk]}, by=SYSTEM, at=now, judge=verdict.judge
        )
        state = applied.outcomes[0].state
        if state is RelationState.REFUSED:
            pair.record_verdict(verdict)
        return {RelationState.DONE: "settled", RelationState.PROPOSED: "proposed", RelationState.OPEN: "opened"}.get(
            state, "unsure"
        )
