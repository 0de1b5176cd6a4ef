"""What every page shares: icons, moments, marks, form fields."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from django import forms, template
from django.forms.boundfield import BoundField
from django.http import HttpRequest, QueryDict
from django.template.defaultfilters import date as format_date
from django.templatetags.static import static
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from accounts.rules.rights import Level
from knowledge.forms.insights import UNDO
from knowledge.lifecycle.actions import validate as validated
from knowledge.review.actions.curate import may_edit
from knowledge.review.actions.offered_acts import acts_of, plans_of
from knowledge.review.actions.optimistic_lock import version_of
from knowledge.review.actions.settle import marks_of
from knowledge.rules.vocabulary import verb_name

register = template.Library()


STATUS_CLASSES = {
    "promoted": "text-success",
    "draft": "text-info",
    "deprecated": "text-warning",
    "archived": "muted",
    "published": "text-success",
    "retired": "muted",
    "live": "text-success",
    "ended": "muted",
    "abandoned": "text-warning",
    "clean": "text-success",
    "provisional": "text-info",
    "recovered": "text-warning",
    "open": "text-info",
    "taken over": "muted",
    "continued": "muted",
    "closed": "muted",
    "superseded": "muted",
    "done": "text-success",
    "running": "text-info",
    "waiting": "text-info",
    "stopped": "text-warning",
    "failed": "text-error",
    "stable": "text-success",
    "emerging": "text-info",
    "contested": "text-error",
}
TRUST_CLASSES = {"validated": "text-success", "stale": "text-warning", "contradicted": "text-error"}

GATE_WORDS = {
    "min_chars": "too short",
    "slash_command": "command",
    "conversational": "small talk",
    "low_signal": "no specific names",
    "mode": "instruction",
    "topic_change": "same topic",
    "nothing_relevant": "no relevant insight",
    "nothing_new": "shown before",
    "open": "surfaced",
}

# What the clock runs, as a person would say it; a job without words here is shown by its name.
JOB_WORDS = {
    "accounts.deliver_webhooks": "Send webhooks",
    "evidence.check_sources": "Check evidence sources",
    "evidence.connect": "Link related saved answers",
    "evidence.cool": "Lower the rank of unused saved answers",
    "evidence.read_documents": "Index new documents",
    "evidence.compare_deposits": "Check insights from files",
    "knowledge.audit": "Audit the data",
    "knowledge.embed_waiting": "Embed new insights",
    "knowledge.background_jobs": "Run imports and reclusterings",
    "knowledge.erase_forgotten": "Erase forgotten insights",
    "knowledge.fade": "Fade unused insights",
    "knowledge.forget_old": "Delete old questions",
    "knowledge.infer": "Infer preferences, nightly",
    "knowledge.infer_due": "Infer preferences after ratings",
    "knowledge.judge_pairs": "Classify open pairs",
    "knowledge.reconsider": "Process dedup queue",
    "knowledge.recount": "Recount search terms",
    "knowledge.regroup": "Recluster topics, nightly",
    "knowledge.regroup_grown": "Recluster grown topics",
    "knowledge.reweigh_drifted": "Refresh term weights",
    "sessions.drop_old": "Delete old sessions",
    "sessions.drop_old_passages": "Delete old conversations",
    "sessions.embed_passages": "Embed new conversations",
    "sessions.place_passages": "Share conversations",
    "sessions.propose_passages": "Propose insights from conversations",
    "sessions.propose_by_model": "Propose insights with a model",
    "sessions.recover_silent": "Recover interrupted sessions",
    "skills.embed_skills": "Embed new skills",
}

# The phases of a search of raw files.
PHASE_WORDS = {
    "reuse": "Reuse",
    "checkout": "Check out repositories",
    "probe": "Probe",
    "rank": "Rank files",
    "order": "Choose files by name",
    "sample": "Score passages",
    "explore": "Explore",
    "brief": "Write answer",
    "keep": "Save answer",
}

# Largest unit first; what is younger than a minute is "just now".
UNITS = [
    ("year", timedelta(days=365)),
    ("month", timedelta(days=30)),
    ("week", timedelta(days=7)),
    ("day", timedelta(days=1)),
    ("hour", timedelta(hours=1)),
    ("minute", timedelta(minutes=1)),
]


@register.filter
def undo_of(message: Any) -> str:
    """What a message's undo button sends, if what it tells can be taken back."""
    words = str(message.extra_tags or "")
    return words.removeprefix(UNDO) if words.startswith(UNDO) else ""


# What is the same on every page is made once: a list has some in each row.
@register.simple_tag
@lru_cache(256)
def icon(name: str, classes: str = "size-5") -> SafeString:
    """A drawing of static/img/icons.svg, beside words that say the same and so hidden from screen readers."""
    return format_html(
        '<svg class="{} shrink-0" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.75" '
        'stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><use href="{}#{}"></use></svg>',
        classes,
        static("img/icons.svg"),
        name,
    )


@register.simple_tag
def ago(moment: datetime | None, empty: str = "never") -> SafeString | str:
    """`3 days ago`, or `in 3 days`, as a <time> whose title is the exact moment."""
    if moment is None:
        return empty
    return format_html(
        '<time datetime="{}" title="{} UTC">{}</time>',
        moment.isoformat(timespec="seconds"),
        # A list has one in each row: `format_date` takes twenty times as long.
        timezone.localtime(moment, timezone.get_default_timezone()).strftime("%-d %b %Y, %H:%M"),
        distance(moment - timezone.now()),
    )


@register.filter
def is_past(moment: datetime | None) -> bool:
    return moment is not None and moment <= timezone.now()


@register.simple_tag
def next_sweep(moment: datetime) -> SafeString | str:
    """`on 7 Nov 2026`, or `tonight` for what was due and waits for the nightly job that does it."""
    if is_past(moment):
        return "tonight"
    day = format_date(timezone.localtime(moment, timezone.get_default_timezone()), "j M Y")
    return format_html('on <time datetime="{}">{}</time>', moment.date().isoformat(), day)


def distance(gap: timedelta) -> str:
    """A signed time span in the largest unit it fills, rounded."""
    size = abs(gap)
    for name, unit in UNITS:
        if size >= unit:
            count = round(size / unit)
            words = f"{count} {name}{'' if count == 1 else 's'}"
            return f"{words} ago" if gap < timedelta(0) else f"in {words}"
    return "just now"


@register.filter
def span_words(span: timedelta | None) -> str:
    """A time span in the largest unit it fills, rounded; a dash for none."""
    if span is None:
        return "–"
    return distance(span).removeprefix("in ").replace("just now", "under 1 minute")


@register.simple_tag
@lru_cache(32)
def kind_mark(kind: str) -> SafeString:
    return format_html('<span class="mark kind-{}">{}</span>', str(kind).lower(), str(kind).capitalize())


@register.simple_tag
@lru_cache(32)
def kind_dot(kind: str) -> SafeString:
    """The kind in its colour, small enough for a row of a list."""
    name = str(kind).capitalize()
    return format_html('<span class="kind-dot kind-{}">{}</span>', name.lower(), name)


@register.simple_tag
@lru_cache(64)
def status_mark(status: str) -> SafeString:
    return format_html('<span class="mark {}">{}</span>', STATUS_CLASSES.get(status, "muted"), str(status))


@register.simple_tag
def phase_words(phase: str) -> str:
    """What a phase of a search did, for people."""
    return PHASE_WORDS.get(phase, phase)


@register.simple_tag
def gate_words(gate: str) -> str:
    """What stopped a prompt, as a person would say it."""
    return GATE_WORDS.get(str(gate), str(gate).replace("_", " "))


@register.filter
def job_words(name: str) -> str:
    return JOB_WORDS.get(str(name), str(name))


# A capital behind a word in lower case is a title's, and none of ours has one.
_TITLE_CASE = re.compile(r"(?<=[a-z)][ -])(?!Loam\b)[A-Z](?=[a-z]*\b)")


@register.filter(is_safe=True)
def sentence_case(words: str) -> str:
    """What others have written In Title Case, as our own pages say it."""
    return _TITLE_CASE.sub(lambda found: found[0].lower(), str(words))


@register.simple_tag
def trust_mark(trust: str, by: str = "") -> SafeString | str:
    """The trust, and by whom, if that is given. Nothing for `unknown`: that no file was named is not news."""
    if trust not in TRUST_CLASSES:
        return ""
    return format_html('<span class="mark {}">{}{}</span>', TRUST_CLASSES[trust], str(trust), by and f" by {by}")


@register.filter
def validated_by(insight: Any) -> str:
    """Who said that it holds, where one insight is shown."""
    return validated.validated_by(insight)


@register.filter
def widget(field: BoundField) -> SafeString:
    """A form field's control in the clothes of the design. Django itself ties errors and help text to it."""
    control: Any = field.field.widget
    if isinstance(control, forms.CheckboxInput):
        look = "checkbox checkbox-primary"
    elif isinstance(control, forms.CheckboxSelectMultiple | forms.RadioSelect):
        return field.as_widget()
    elif isinstance(control, forms.Select):
        look = "select w-full"
    elif isinstance(control, forms.Textarea):
        look = "textarea w-full leading-relaxed"
    else:
        look = "input w-full"
    own = control.attrs.get("class", "")
    attrs: dict[str, str | bool] = {"class": f"{look} {own}".strip()}
    if str(control.attrs.get("placeholder", "")).lower() == str(field.label).lower():
        attrs["placeholder"] = ""  # it would say what the label says
    html = field.as_widget(attrs=attrs)
    return html + field.as_hidden(only_initial=True) if field.field.show_hidden_initial else html


@register.filter
def compact_widget(field: BoundField) -> SafeString:
    """The same where many stand in a line; as high as a finger needs on a phone."""
    look = "select select-sm" if field.widget_type == "select" else "input input-sm"
    return field.as_widget(attrs={"class": f"{look} w-full"})


@register.filter
def chosen_columns(given: QueryDict) -> list[str]:
    """The names of columns that an address gives, one by one or separated by commas."""
    return [name for name in ",".join(given.getlist("cols")).split(",") if name]


@register.filter
def address_without(request: HttpRequest, names: str) -> list[tuple[str, str]]:
    """Name and value of what stands in the address, but for these names: for a form that sends the rest along."""
    left_out = names.split()
    return [(name, value) for name, values in request.GET.lists() if name not in left_out for value in values]


@register.filter
def offered_acts(insight: Any, member: Any) -> list[str]:
    """What a member may do to it from a list, by the key's first choice."""
    return [*acts_of(insight, member), *plans_of(insight, member)]


@register.filter
def named_widget(field: BoundField, key: Any) -> SafeString:
    """The same in a row of a list: its id is the row's own."""
    id = f"row-{key}-{field.name}"
    html = field.as_widget(
        attrs={"id": id, "class": f"{'select' if field.widget_type == 'select' else 'input'} w-full"}
    )
    return html + field.as_hidden(only_initial=True, attrs={"id": f"initial-{id}"})


@register.filter
def editable_by(insight: Any, member: Any) -> bool:
    return may_edit(insight, member)


@register.filter
def as_seen(insight: Any) -> str:
    """How it stands on this page: an act that is sent from here is refused when it has changed since."""
    return version_of(insight)


@register.filter
def both_as_seen(pair: Any) -> str:
    return marks_of(pair)


@register.filter
def led_by(insight: Any, member: Any) -> bool:
    return bool(member.may(insight.team_id, Level.LEAD))


@register.filter
def is_checkbox(field: BoundField) -> bool:
    return isinstance(field.field.widget, forms.CheckboxInput)


@register.filter
def is_choices(field: BoundField) -> bool:
    """Several boxes or radios, which want a fieldset with a legend."""
    return isinstance(field.field.widget, forms.CheckboxSelectMultiple | forms.RadioSelect)


ACT_NAMES = {
    "leave": "Dismiss",
    "helpful": "Rate helpful",
    "validate": "Validate",
    "release": "Redact and release",
    "allow": "Add to allowlist",
}


@register.filter
def act_name(verb: str) -> str:
    """An act as a button for several says it."""
    return ACT_NAMES.get(str(verb), str(verb).capitalize())


@register.filter
def verb_words(verb: str) -> str:
    """A verb of the log as people read it."""
    return verb_name(str(verb))


@register.filter
def following(rows: Sequence[Any], place: int) -> Any:
    """What comes after, or before the last one; None of a single row."""
    if len(rows) < 2:
        return None
    return rows[place + 1] if place + 1 < len(rows) else rows[place - 1]


@register.simple_tag
def key_line(key: str, pressed: str, words: str) -> SafeString:
    """A line of the list of shortcuts: what is `pressed`, parted by spaces, and what it does. It is shown where `key`
    does something.
    """
    keys = format_html_join(" ", '<kbd class="kbd kbd-sm">{}</kbd>', ((one,) for one in pressed.split()))
    return format_html('<div data-help="{}"><dt>{}</dt><dd>{}</dd></div>', key, keys, words)
