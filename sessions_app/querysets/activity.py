"""SQL of the activity page: the filtered lines of the log, one page at a time."""

import re
from collections.abc import Sequence
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import BooleanField, Exists, ExpressionWrapper, F, OuterRef, Q, QuerySet, Value
from django.db.models.fields.json import KT

from accounts.querysets import LogQuerySet
from accounts.rules.refused import REFUSED
from accounts.rules.webhooks import AGAINST
from knowledge.querysets.text_search import Ilike, words_of
from knowledge.rules.vocabulary import stored_verb, verb_name
from sessions_app.querysets.measured import of_group
from sessions_app.rules.activity import ActorInterface


def narrowed_log(
    rows: LogQuerySet,
    people: QuerySet[Any],
    *,
    q: str = "",
    who: str = "",
    verb: str = "",
    group: str = "",
    about: Sequence[str] = (),
    team_id: int | None = None,
    via: str = "",
    since: datetime | None = None,
    until: datetime | None = None,
) -> LogQuerySet:
    """Return those of `rows` that fit all that is given. `people`: the users among whom `who` is looked up; `about`:
    the names of one object; `q`: every word stands in the line or in its reason, unless that is about another insight,
    which may be hidden; `until` is excluded.
    """
    if team_id:
        rows = rows.filter(team_id=team_id)
    if who:
        # Of a key the planner knows how many rows it has, of a name it does not.
        ids = list(people.filter(username=who).values_list("pk", flat=True))
        rows = rows.filter(user_id__in=ids) if ids else rows.filter(user__isnull=True, actor=who)
    if verb:
        rows = rows.filter(verb=stored_verb(verb))
    rows = of_group(rows, group)
    if about:
        rows = rows.filter(Q(subject__in=about) | reduce(or_, map(_refused_on, about)))
    if via:
        rows = rows.filter(token__isnull=via == ActorInterface.PAGES)
    if since:
        rows = rows.filter(at__gte=since)
    if until:
        rows = rows.filter(at__lt=until)
    for word in words_of(q):
        # Each field by itself: the trigram index has them as columns.
        pattern = Value("%" + word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%")
        in_reason = Q(Ilike(F("why"), pattern)) & ~Q(after__has_key=AGAINST)
        rows = rows.filter(Q(Ilike(F("line"), pattern)) | in_reason)
    return rows


def _refused_on(name: str) -> Q:
    """Refused attempts on an object: their lines are the team's, for nothing happened to it, and name it."""
    return Q(verb=REFUSED, line__regex=rf"(^|[^\w-]){re.escape(name)}($|[^\w-])")


def with_hidden_reasons(rows: LogQuerySet, insights: QuerySet[Any]) -> LogQuerySet:
    """With `reason_hidden`: the line is about another insight that is not among `insights`, those the reader sees; its
    reason may repeat the words of what was forgotten.
    """
    seen = insights.filter(ref=OuterRef("against")).order_by()
    hidden = ExpressionWrapper(Q(after__has_key=AGAINST) & ~Exists(seen), output_field=BooleanField())
    return rows.select_related("team").alias(against=KT(f"after__{AGAINST}")).annotate(reason_hidden=hidden)


def listed_log(rows: LogQuerySet) -> LogQuerySet:
    """With what the table shows of each line: not the values before and after, only whether there are any."""
    has_values = ExpressionWrapper(~Q(before={}) | ~Q(after={}), output_field=BooleanField())
    return rows.defer("before", "after").annotate(has_values=has_values)


def page_beyond(
    rows: LogQuerySet, order: Sequence[str], most: int, place: tuple[datetime, int] | None, *, back: bool = False
) -> list[Any]:
    """Return at most `most` lines that follow the one at `place` in that order, or with `back` precede it. By its key,
    not by how many are passed over: the last page costs what the first costs, and new lines move nothing.
    """
    descending = order[0].startswith("-")
    if place:
        at, pk = place
        side = "lt" if descending is not back else "gt"
        # The first condition is what the index is entered by.
        rows = rows.filter(Q(**{f"at__{side}e": at}), Q(**{f"at__{side}": at}) | Q(at=at, **{f"pk__{side}": pk}))
    found = list((rows.order_by(*order).reverse() if back else rows.order_by(*order))[:most])
    return found[::-1] if back else found


def latest_verbs(rows: LogQuerySet, most: int) -> list[str]:
    """The verbs of the newest lines, by name, to suggest."""
    newest = rows.order_by("-at", "-pk").values("pk")[:most]
    found = rows.model.objects.filter(pk__in=newest).order_by("verb").values_list("verb", flat=True).distinct()
    return sorted(verb_name(verb) for verb in found)
