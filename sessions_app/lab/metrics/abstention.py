"""When Loam answers and when it does not: two curves over the floor, and the same over a floor on the cosine alone.

Lower the floor, and questions about something else are answered with something; raise it, and a note is no longer found
by its title. Both are read from searches that were made once, so a point costs nothing: the lists are Loam's, only the
decision whether to show them moves. Loam's own point is what its searches really answered.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from knowledge.retrieval.rules import relevance
from sessions_app.lab.metrics.ranked_lists import held_out
from sessions_app.lab.metrics.tables import Table, decimal

# Where the curves are drawn: distances from Loam's floor, in evidence; and cosines.
STEPS = (-0.08, -0.06, -0.04, -0.02, 0.0, 0.02, 0.04, 0.06, 0.08, 0.10, 0.14, 0.18)
COSINES = (0.30, 0.32, 0.34, 0.36, 0.38, 0.40, 0.42, 0.44, 0.46, 0.48, 0.50)


@dataclass(frozen=True)
class AbstentionProbe:
    """One search of `searched` insights: its strongest evidence, its nearest cosine, and whether Loam answered.

    `found`, for a question with a known answer: whether that is in the list served; if Loam did not answer, in the list
    it would have served.
    """

    question: str
    searched: int
    evidence: float
    cosine: float
    answered: bool
    found: bool = False


def figures(known: Sequence[AbstentionProbe], unrelated: Mapping[str, Sequence[AbstentionProbe]]) -> dict[str, Any]:
    """`known`: questions whose answer is there; `unrelated`: by collection, questions it cannot answer.

    Everywhere the share of `known` whose answer is served, and of each `unrelated` that nothing is served to: Loam's
    own point for all questions and for each half, then the curves.
    """
    return {
        "floor": relevance.FLOOR,
        "loam": {
            "all": _point(known, unrelated),
            "choosing": _point(_half(known, False), {name: _half(some, False) for name, some in unrelated.items()}),
            "held_out": _point(_half(known, True), {name: _half(some, True) for name, some in unrelated.items()}),
        },
        "curve": [{"floor": round(relevance.FLOOR + step, 4), **_at_floor(known, unrelated, step)} for step in STEPS],
        "cosine_curve": [{"floor": cosine, **_at_cosine(known, unrelated, cosine)} for cosine in COSINES],
    }


def _point(known: Sequence[AbstentionProbe], unrelated: Mapping[str, Sequence[AbstentionProbe]]) -> dict[str, Any]:
    return {
        "found": _share([one.answered and one.found for one in known]),
        "nothing": {name: _share([not one.answered for one in some]) for name, some in unrelated.items()},
    }


def _at_floor(
    known: Sequence[AbstentionProbe], unrelated: Mapping[str, Sequence[AbstentionProbe]], step: float
) -> dict[str, Any]:
    def passes(one: AbstentionProbe) -> bool:
        return one.evidence >= relevance.floor(one.searched) + step

    return {
        "found": _share([passes(one) and one.found for one in known]),
        "nothing": {name: _share([not passes(one) for one in some]) for name, some in unrelated.items()},
    }


def _at_cosine(
    known: Sequence[AbstentionProbe], unrelated: Mapping[str, Sequence[AbstentionProbe]], least: float
) -> dict[str, Any]:
    return {
        "found": _share([one.cosine >= least and one.found for one in known]),
        "nothing": {name: _share([one.cosine < least for one in some]) for name, some in unrelated.items()},
    }


def _half(probes: Sequence[AbstentionProbe], which: bool) -> list[AbstentionProbe]:
    return [one for one in probes if held_out(one.question) == which]


def _share(values: Sequence[bool]) -> float | None:
    return sum(values) / len(values) if values else None


def tables(figures: Mapping[str, Any], known: str, unrelated: Mapping[str, str]) -> list[Table]:
    """`known` and `unrelated` (by collection): the headings of the columns."""
    columns = [known, *unrelated.values()]
    points = [
        [label, *_cells(figures["loam"][half], unrelated)]
        for half, label in (("all", "all questions"), ("choosing", "choosing half"), ("held_out", "held-out half"))
    ]
    bold = {figures["floor"]: "**"}
    curve = [
        [decimal(at["floor"]).join([bold.get(at["floor"], "")] * 2), *_cells(at, unrelated)] for at in figures["curve"]
    ]
    plain = [[decimal(at["floor"], 2), *_cells(at, unrelated)] for at in figures["cosine_curve"]]
    return [
        Table("Loam's own answers", ["", *columns], points),
        Table("Moving the floor (of 100 insights)", ["floor", *columns], curve, "Loam's floor is in bold."),
        Table("A floor on the cosine alone", ["cosine", *columns], plain),
    ]


def _cells(point: Mapping[str, Any], unrelated: Mapping[str, str]) -> list[str]:
    values = [point["found"], *(point["nothing"][name] for name in unrelated)]
    return ["–" if value is None else decimal(value) for value in values]
