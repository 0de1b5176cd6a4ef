"""The rule of decay (`lifecycle.rules.decay`) in SQL, for more rows than can be loaded."""

from datetime import datetime
from functools import cache
from itertools import product
from math import isinf
from typing import Any

from django.db.models import Case, F, FloatField, Q, QuerySet, Value, When
from django.db.models.functions import Cast, Extract, Greatest, Power

from knowledge.lifecycle.rules import decay
from knowledge.rules.vocabulary import Kind, Stability, Status

DAY = 86_400.0


def of_strength(rows: QuerySet[Any], least: float, below: float, now: datetime) -> QuerySet[Any]:
    """Return the rows whose current strength is at least `least` and below `below` points, without superseded ones."""
    return _with_left(rows.filter(superseded_by__isnull=True), now).filter(left__gte=least, left__lt=below)


def strongest_first(rows: QuerySet[Any], now: datetime) -> QuerySet[Any]:
    """Return the rows by their current strength, the strongest first."""
    return _with_left(rows, now).order_by("-left", "-pk")


def _with_left(rows: QuerySet[Any], now: datetime) -> QuerySet[Any]:
    age = (Value(now.timestamp()) - Cast(Extract("strength_at", "epoch"), FloatField())) / Value(DAY)
    faded = Power(Value(2.0), Greatest(age, Value(0.0)) * F("rate"), output_field=FloatField())
    return rows.alias(rate=_rates()).alias(left=F("strength") * faded)


@cache
def _rates() -> Case:
    """Return the exponent per day: -1 / half-life in days, 0 for what does not fade."""
    by_rate: dict[float, Q] = {}
    for status, stability, pinned in product(Status, Stability, (True, False)):
        kinds: dict[float, list[str]] = {}
        for kind in Kind:
            half_life = decay.half_life(status.value, stability.value, pinned, kind.value)
            kinds.setdefault(0.0 if isinf(half_life) else -1.0 / half_life, []).append(kind.value)
        for rate, words in kinds.items():
            which = Q(status=status.value, stability=stability.value, pinned=pinned, kind__in=words)
            by_rate[rate] = by_rate[rate] | which if rate in by_rate else which
    whens = [When(which, then=Value(rate)) for rate, which in by_rate.items()]
    return Case(*whens, default=Value(0.0), output_field=FloatField())
