"""Links to the objects that a line of the log names."""

from typing import Any

from django import template
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from accounts.rules.guard.detection import strip_invisible
from sessions_app.actions.named_objects import SKILL, SOURCE, TOPIC, NamedObjects
from sessions_app.rules.activity import parts_of

register = template.Library()

PREFERENCE = "preference"


@register.simple_tag
def linked_event(line: Any, objects: NamedObjects) -> SafeString:
    """What happened, each object in it a link."""
    parts = parts_of(strip_invisible(line.line).text)
    return format_html_join(
        "", "{}", ((_link(address_of(text, objects) if named else "", text),) for text, named in parts)
    )


@register.simple_tag
def linked_object(line: Any, objects: NamedObjects) -> SafeString:
    """What it is about, as a link where it has a page that the reader may see."""
    subject = strip_invisible(line.subject).text
    shown = subject
    for prefix in (SKILL, SOURCE):
        shown = shown.removeprefix(prefix)
    if line.subject.startswith(TOPIC):
        shown = "topic"
    return _link(_subject_address(line, objects), shown)


def address_of(name: str, objects: NamedObjects) -> str:
    """The page of an insight or a session by its reference; empty if there is none for this reader."""
    if name in objects.insights:
        return reverse("knowledge:insight", args=[objects.insights[name]])
    return reverse("sessions:session", args=[name]) if name in objects.sessions else ""


def _subject_address(line: Any, objects: NamedObjects) -> str:
    subject = line.subject
    if subject in objects.topics:
        return reverse("knowledge:topic", args=[subject.removeprefix(TOPIC)])
    if subject in objects.clusters:
        return reverse("evidence:cluster", args=[subject])
    if subject.startswith(SOURCE):
        return reverse("evidence:evidence")
    if subject.startswith(SKILL):
        name = subject.removeprefix(SKILL)
        team = objects.skills.get((line.team_id, name))
        return reverse("skills:skill", args=[team, name]) if team else ""
    if line.verb.startswith(PREFERENCE):
        return reverse("accounts:preferences")
    return address_of(subject, objects)


def _link(url: str, text: str) -> SafeString:
    return format_html('<a class="link" href="{}">{}</a>', url, text) if url else format_html("{}", text)
