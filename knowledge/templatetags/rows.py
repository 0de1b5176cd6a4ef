"""The rows of the long lists. They are made here and not in a template: fifty rows of a template's tags took a third of
the time of a page, and what is the same in all rows is made once.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from html import escape
from typing import Any

from django import template
from django.template import Context
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from accounts.rules.rights import Level, Member
from knowledge.models import EditProposal, Insight, Pair
from knowledge.review.actions.curate import may_edit
from knowledge.review.actions.inbox_state import EDIT, PAIR
from knowledge.review.actions.offered_acts import acts_of, plans_of
from knowledge.review.actions.optimistic_lock import version_of
from knowledge.review.actions.settle import keep_of, marks_of
from knowledge.review.proposals.actions import decide
from knowledge.review.rules.triage import Tab
from knowledge.templatetags.charts import strength_of
from knowledge.templatetags.loam import ago, icon, is_past, kind_dot, status_mark
from knowledge.templatetags.markdown import visible

register = template.Library()

PICK = (
    '<label class="{look}"><input type="checkbox" class="checkbox checkbox-primary checkbox-sm" form="bulk" name="ref" '
    'value="{value}" data-pick><span class="sr-only">Select {name}</span></label>'
)
LINK = (
    '<a class="dense-link" href="{to}#item" data-item-link>{dot} <span class="ref dense-ref">{refs}</span> '
    '<span class="dense-title" dir="auto">{title}</span> <span class="dense-why">{assignee}{why}</span> '
    '<span class="dense-age">{age}</span></a>'
)
# The two sides of a pair, a line each: which two it is about is seen without opening it.
TWO_LINES = '<span class="dense-side">{}<span class="sr-only">, </span></span><span class="dense-side">{}</span>'
QUEUE_ROW = (
    '<li id="row-{ref}" class="dense-row" tabindex="-1" data-row data-ref="{ref}"{more}{current} aria-label="{ref}">'
    "{pick}{link}</li>"
)
PAIR_ROW = (
    '<li id="row-pair-{pk}" class="dense-row {look}" tabindex="-1" data-row data-ref="{pk}" data-settle="{settle}" '
    'data-seen="{seen}" data-keep="{keep}" data-merge="{merge}"{acts} data-item="{item}"{current} '
    'aria-label="{name}">{pick}{link}</li>'
)
EDIT_ROW = (
    '<li id="row-proposal-{pk}" class="dense-row {look}" tabindex="-1" data-row data-ref="{pk}" data-decide="{page}" '
    'data-seen="{seen}"{acts} data-item="{page}item/?back={back}" data-open="{page}"{current} aria-label="{name}">'
    "{pick}{link}</li>"
)
TABLE_ROW = (
    '<tr id="row-{ref}" tabindex="-1" data-row data-ref="{ref}" data-seen="{seen}" data-acts="{acts}" '
    'data-item="{home}{ref}/item/?back={back}" data-open="{home}{ref}/"{edit}{current} aria-label="{ref}">{pick}'
    '<td class="col-title"><a href="?{address}at={ref}#item" data-item-link dir="auto">{dot} '
    '<span class="ref">{ref}</span><span class="dense-title">{title}</span></a></td>{cells}</tr>'
)
CURRENT, NOTHING = mark_safe(" data-current"), mark_safe("")
NONE = mark_safe('<span class="muted">none</span>')


@register.simple_tag(takes_context=True)
def queue_rows(context: Context) -> SafeString:
    """The insights of a queue, `rows` of the context: each with why it waits and what may be done to it."""
    tab, home, back = context["tab"], reverse("knowledge:insights"), _back(context)
    to_row, chosen = context["to_row"], context.get("chosen")
    open_to = tab is not Tab.QUARANTINED
    also = " unsnooze assign" if tab is Tab.SNOOZED else " snooze assign" if open_to else ""
    return _joined(
        _filled(
            QUEUE_ROW,
            ref=one.insight.ref,
            more=_links(one.insight, tab, home, back, f"{' '.join(verbs)}{also}", open_to=open_to),
            current=CURRENT if chosen == one.insight else NOTHING,
            pick=_filled(PICK, look="dense-pick", value=one.insight.ref, name=one.insight.ref),
            link=_queue_link(one.insight, one.why, f"{to_row}&at={one.insight.ref}"),
        )
        for one, verbs in context["rows"]
    )


def _links(row: Insight, tab: Tab, home: str, back: str, acts: str, *, open_to: bool) -> SafeString:
    """What the script needs of a row: how it was seen, what it offers, where it is shown and edited."""
    ref = row.ref
    item = _filled(' data-acts="{}" data-item="{}{}/item/?tab={}&amp;back={}"', acts, home, ref, tab.value, back)
    if not open_to:
        return item
    return _filled(
        ' data-seen="{}"{} data-open="{}{}/" data-edit="{}{}/edit/?back={}"',
        version_of(row), item, home, ref, home, ref, back,
    )  # fmt: skip


def _queue_link(row: Insight, why: str, to: str) -> SafeString:
    return _filled(
        LINK,
        to=to,
        dot=kind_dot(row.kind),
        refs=row.ref,
        title=visible(row.title),
        assignee=_assignee(row),
        why=visible(why),
        age=_age(row.created_at),
    )


@register.simple_tag(takes_context=True)
def pair_rows(context: Context) -> SafeString:
    """The pairs of a queue, `pairs` of the context. Among the mentions they are read, not settled from the list."""
    tab, to_row, chosen = context["tab"], context["to_row"], context.get("chosen")
    mentions = tab is Tab.MENTIONS
    made = []
    for one in context["pairs"]:
        pick = _filled(PICK, look="dense-pick", value=f"{PAIR}{one.pk}", name=_both(one, " and "))
        made.append(
            _filled(
                PAIR_ROW,
                pk=one.pk,
                look="dense-row-plain" if mentions else "dense-row-pair",
                settle=reverse("knowledge:settle", args=[one.pk]),
                seen=marks_of(one),
                keep=keep_of(one),
                merge=keep_of(one),
                acts=NOTHING if mentions else _filled(' data-acts="{}"', _pair_acts(one, tab)),
                item=f"{reverse('knowledge:pair-item', args=[one.pk])}?back={_back(context)}",
                current=CURRENT if chosen == one else NOTHING,
                name=_both(one, " and "),
                pick=NOTHING if mentions else pick,
                link=_pair_link(one, tab, f"{to_row}&at={'pair-' if mentions else ''}{one.pk}"),
            )
        )
    return _joined(made)


def _both(pair: Pair, between: str) -> str:
    return f"{pair.a.ref}{between}{pair.b.ref}"


def _pair_acts(pair: Pair, tab: Tab) -> str:
    """What a pair's row offers to the keys."""
    if tab is Tab.SNOOZED:
        return "unsnooze assign"
    return f"{'' if pair.question == Pair.Question.DUPLICATE else 'keep '}merge dismiss snooze assign"


def _pair_link(pair: Pair, tab: Tab, to: str) -> SafeString:
    state = getattr(pair, "inbox_state", None)
    return _filled(
        LINK,
        to=to,
        dot=kind_dot(pair.a.kind),
        refs=_filled(TWO_LINES, pair.a.ref, pair.b.ref),
        title=_filled(TWO_LINES, visible(pair.a.title), visible(pair.b.title)),
        assignee=_assignee(pair),
        why=state.words if tab is Tab.SNOOZED and state else visible(pair.raised_by),
        age=_age(pair.raised_at),
    )


@register.simple_tag(takes_context=True)
def edit_rows(context: Context) -> SafeString:
    """The suggested edits of a queue, `edits` of the context. Among the mentions they are read, not decided."""
    tab, to_row, chosen, member = context["tab"], context["to_row"], context.get("chosen"), context["request"].member
    at = "edit-" if tab is Tab.SNOOZED else ""
    made = []
    for one in context["edits"]:
        acts = "" if tab is Tab.MENTIONS else _edit_acts(one, tab, member)
        name = f"Suggested {one.noun} of {one.insight.ref}"
        pick = _filled(PICK, look="dense-pick", value=f"{EDIT}{one.pk}", name=name)
        made.append(
            _filled(
                EDIT_ROW,
                pk=one.pk,
                look="" if acts else "dense-row-plain",
                page=reverse("knowledge:proposal", args=[one.pk]),
                seen=decide.mark_of(one),
                acts=_filled(' data-acts="{}"', acts) if acts else NOTHING,
                back=_back(context),
                current=CURRENT if chosen == one else NOTHING,
                name=name,
                pick=pick if acts else NOTHING,
                link=_edit_link_of(one, tab, f"{to_row}&at={at}{one.pk}"),
            )
        )
    return _joined(made)


def _edit_acts(one: EditProposal, tab: Tab, member: Member) -> str:
    """What the row of a suggested edit offers to the keys: to who decides on it, and to a lead."""
    planned = "" if not member.may(one.team_id, Level.LEAD) else "assign"
    if tab is Tab.SNOOZED:
        return f"unsnooze {planned}"
    verbs = ["approve"] if decide.may_approve(one, member) else []
    verbs += ["reject", "request-changes"] if decide.may_turn_down(one, member) else []
    return " ".join([*verbs, *(["snooze", planned] if planned else [])])


def _edit_link_of(one: EditProposal, tab: Tab, to: str) -> SafeString:
    state = getattr(one, "inbox_state", None)
    why = one.proposed_by_name if one.state == EditProposal.State.OPEN else f"{one.state} · {one.proposed_by_name}"
    return _filled(
        LINK,
        to=to,
        dot=kind_dot(one.insight.kind),
        refs=one.insight.ref,
        title=_filled('{} <span class="muted">· {}</span>', visible(one.insight.title), one.fields),
        assignee=_assignee(one),
        why=state.words if tab is Tab.SNOOZED and state else visible(why),
        age=_age(one.proposed_at),
    )


def _age(moment: datetime) -> SafeString:
    """How long ago, with "ago" apart: a column beside an item leaves the word out."""
    return mark_safe(str(ago(moment)).replace(" ago</time>", "<span> ago</span></time>"))


def _assignee(row: Any) -> SafeString:
    state = getattr(row, "inbox_state", None)
    if state is None or state.assignee is None:
        return NOTHING
    return _filled('<span class="sr-only">assigned to </span>{} · ', state.assignee.username)


@register.simple_tag(takes_context=True)
def insight_rows(context: Context) -> SafeString:
    """The rows of the table of insights, `rows` of the context, with its columns."""
    member, chosen = context["request"].member, context.get("chosen")
    cells = [CELLS[column.name] for column in context["columns"]]
    same = {"home": reverse("knowledge:insights"), "back": _back(context), "address": context["address"]}
    return _joined(
        _filled(
            TABLE_ROW,
            **same,
            ref=row.ref,
            seen=version_of(row),
            acts=" ".join([*acts_of(row, member), *plans_of(row, member)]),
            edit=_edit_link(row, member, same),
            current=CURRENT if chosen is not None and chosen.pk == row.pk else NOTHING,
            pick=_table_pick(row, member) if context["leads"] else NOTHING,
            dot=kind_dot(row.kind),
            title=visible(row.title),
            cells=_joined(_filled("<td>{}</td>", cell(row)) for cell in cells),
        )
        for row in context["rows"]
    )


def _edit_link(row: Insight, member: Member, same: Mapping[str, str]) -> SafeString:
    if not may_edit(row, member):
        return NOTHING
    return _filled(' data-edit="{}{}/edit/?back={}"', same["home"], row.ref, same["back"])


def _table_pick(row: Insight, member: Member) -> SafeString:
    led = member.may(row.team_id, Level.LEAD)
    box = _filled(PICK, look="table-pick", value=row.ref, name=row.ref) if led else NOTHING
    return _filled('<td class="col-pick">{}</td>', box)


def _status_cell(row: Insight) -> SafeString:
    pinned = _filled('<span class="sr-only">, pinned</span>{}', icon("pin", "ml-1 inline size-3.5"))
    return _filled("{}{}", status_mark(row.standing), pinned if row.pinned else NOTHING)


def _fades_cell(row: Insight) -> SafeString | str:
    if row.superseded_by_id or not row.fades_at:
        return NONE
    return "tonight" if is_past(row.fades_at) else ago(row.fades_at)


def _tags_cell(row: Insight) -> str:
    tags = visible(", ".join(row.tags))
    return tags if len(tags) <= LONGEST_TAGS else f"{tags[: LONGEST_TAGS - 1]}…"


def _figure(value: int) -> SafeString:
    return _filled('<span class="tabular-nums">{}</span>', value)


LONGEST_TAGS = 60
# What stands in a column of the table of insights (`review/rules/columns.py`).
CELLS: Mapping[str, Callable[[Insight], SafeString | str]] = {
    "kind": lambda row: str(row.kind).capitalize(),
    "status": _status_cell,
    "team": lambda row: row.team.name,
    "repo": lambda row: _filled('<span class="font-mono text-xs">{}</span>', visible(row.repo)),
    "tags": _tags_cell,
    "author": lambda row: row.author.username if row.author else "deleted user",
    "owner": lambda row: row.owner.username if row.owner else NONE,
    "strength": lambda row: _figure(strength_of(row)),
    "corroborations": lambda row: _figure(row.corroboration_count),
    "fades": _fades_cell,
    "updated": lambda row: _age(row.updated_at),
    "created": lambda row: _age(row.created_at),
}


def _back(context: Context) -> str:
    """The address of the list, for a page that leads back to it."""
    return str(context["back"])


def _joined(parts: Iterable[Any]) -> SafeString:
    return mark_safe("".join(map(_escaped, parts)))


def _filled(markup: str, *values: Any, **named: Any) -> SafeString:
    """`format_html` for strings and numbers, in a third of its time: a page has six hundred."""
    return SafeString(markup.format(*map(_escaped, values), **{name: _escaped(value) for name, value in named.items()}))


def _escaped(value: Any) -> str:
    return value if isinstance(value, SafeString) else escape(str(value))
