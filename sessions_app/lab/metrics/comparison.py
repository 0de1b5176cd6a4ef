"""How Loam stands against the baselines on judged sets: means by half of the questions, and the tables of them.

Constants were chosen on one half of each set's questions (`choosing`), so what counts is the other (`held_out`);
`all` is both together.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sessions_app.lab.metrics import baselines
from sessions_app.lab.metrics.qrels import TITLES
from sessions_app.lab.metrics.ranked_lists import Quality, held_out, mean
from sessions_app.lab.metrics.tables import Table, decimal

RANKED = "loam"
SERVED = "served"
WAYS = baselines.WAYS | {RANKED: "**Loam, ranked**", SERVED: "Loam, served"}
HALVES = {"held_out": "held-out half", "choosing": "choosing half", "all": "all questions"}
MEASURES = {"ndcg_10": "nDCG@10", "mrr_10": "MRR@10", "recall_10": "recall@10", "recall_100": "recall@100"}

Figures = Mapping[str, Any]


@dataclass(frozen=True)
class Judgement:
    """One question, and how good each way's list was."""

    question: str
    quality: Mapping[str, Quality]


def halves(judgements: Sequence[Judgement]) -> dict[str, dict[str, Any]]:
    """For each half with a question in it: {"questions": n, "ways": {way: {measure: mean}}}."""
    parts = {
        "held_out": [one for one in judgements if held_out(one.question)],
        "choosing": [one for one in judgements if not held_out(one.question)],
        "all": list(judgements),
    }
    return {
        half: {
            "questions": len(some),
            "ways": {way: asdict(mean(one.quality[way] for one in some)) for way in WAYS},
        }
        for half, some in parts.items()
        if some
    }


def tables(sets: Mapping[str, Figures]) -> list[Table]:
    """`sets`: name → what `halves` gave. For each half a table of nDCG@10, then Loam's other measures."""
    made = []
    for half, title in HALVES.items():
        there = {name: figures[half] for name, figures in sets.items() if half in figures}
        if there:
            made += [_standing(title, there), _measures(title, there)]
    return made


def _standing(title: str, sets: Mapping[str, Figures]) -> Table:
    rows = [
        [label, *(decimal(value) for value in _with_mean([_value(one, way, "ndcg_10") for one in sets.values()]))]
        for way, label in WAYS.items()
    ]
    margins = [_value(one, RANKED, "ndcg_10") - _best_baseline(one) for one in sets.values()]
    best_mean = max(_mean([_value(one, way, "ndcg_10") for one in sets.values()]) for way in baselines.WAYS)
    ours = _mean([_value(one, RANKED, "ndcg_10") for one in sets.values()])
    label = "… against the best of the first four"
    rows.append([label, *(_signed(margin) for margin in [*margins, ours - best_mean])])
    names = [f"{TITLES.get(name, name)} ({one['questions']:,})" for name, one in sets.items()]
    return Table(f"nDCG@10, {title}", ["", *names, "mean"], rows)


def _measures(title: str, sets: Mapping[str, Figures]) -> Table:
    rows = [
        [f"{label}, {which}", *(decimal(v) for v in _with_mean([_value(one, way, measure) for one in sets.values()]))]
        for measure, label in MEASURES.items()
        if measure != "ndcg_10"
        for way, which in ((RANKED, "ranked"), (SERVED, "served"))
        if (way, measure) != (SERVED, "recall_100")
    ]
    return Table(f"Loam's other measures, {title}", ["", *(TITLES.get(name, name) for name in sets), "mean"], rows)


def _value(figures: Figures, way: str, measure: str) -> float:
    return float(figures["ways"][way][measure])


def _best_baseline(figures: Figures) -> float:
    return max(_value(figures, way, "ndcg_10") for way in baselines.WAYS)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _with_mean(values: Sequence[float]) -> list[float]:
    return [*values, _mean(values)]


def _signed(value: float) -> str:
    text = decimal(value)
    return text if text.startswith("−") else f"+{text}"
