"""What an attacker would write, in every field there is: as an agent could send it, and as an old row may hold it."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.apps import apps
from django.contrib.postgres.fields import ArrayField
from django.db import models

from knowledge.models import Anchor, Insight

# What each would do, if it did anything, is to set `window.hit` or to open a dialog. It closes what a template may have
# opened: a tag, an attribute, a script, a style, a comment, a text area, a title; and it is an expression to Alpine,
# Django and spreadsheets.
SCRIPTS = (
    "</textarea></title></style></script>--><script>window.hit=1;alert(1)</script>",
    '"\'><svg onload="window.hit=2;alert(2)"><img src=x onerror="window.hit=3"><iframe src="javascript:parent.hit=4">',
    "[a](javascript:window.hit=5) [b](data:text/html,<script>alert(6)</script>) <javascript:alert(7)> "
    "![c](https://evil.example/x.png) [d](vbscript:x) [e]( javascript:alert(8))",
    '{{ 7*7 }}{% debug %}${alert(9)} x" onmouseover="window.hit=10" autofocus onfocus="window.hit=11" y="',
)
# Turns the line around, hides what stands there, is no wider than nothing.
UNSEEN = "\u202e\u2066\u200b\u200d\ufeff\u202c\u2069\U000e0041"
FORMULA = "=cmd|'/c calc'!A1"
LONG = "W" * 10_000
EVIL = f"{FORMULA} {UNSEEN}{' '.join(SCRIPTS)} {LONG}"
WIDE = f"{LONG[:150]}{UNSEEN}{' '.join(SCRIPTS)}{LONG}"

# Attributes are looked for by `Faults`: as words their quotes may stand as they are.
ALIVE = ("<script>window.hit", "<svg onload", "<img src=x", "<iframe")

APPS = ("accounts", "knowledge", "evidence", "skills", "sessions_app")
# What has a grammar of its own that no door lets go: names in addresses, keys, digests, recipes, times of jobs.
STRICT = {
    "ref", "slug", "prefix", "username", "password", "digest", "key", "session_key", "idempotency_key", "fingerprint",
    "recipe", "bm25_recipe", "embedded_by", "sha256", "client_id", "email", "level", "scope", "scopes", "events",
    "lexemes", "heard", "first_name", "last_name", "colour", "url", "sources", "refs", "shown", "gate",
    "concept", "mode",
}  # fmt: skip
NAMED = {("skills", "skill"): {"name"}, ("accounts", "jobrun"): {"name"}, ("knowledge", "savedfilter"): {"query"}}


def spoil(*texts: str) -> int:
    """Put it, or these, into every text of every row; how many texts that were."""
    done, evil = 0, texts or (WIDE, EVIL)
    for model in (model for app in APPS for model in apps.get_app_config(app).get_models()):
        fields = [field for field in model._meta.concrete_fields if _takes(model, field)]
        alike: dict[str, tuple[dict[str, Any], list[Any]]] = {}
        for number, row in enumerate(model._default_manager.order_by("pk") if fields else []):
            values = {field.name: _evil(field, getattr(row, field.attname), number, evil) for field in fields}
            alike.setdefault(repr(values), (values, []))[1].append(row.pk)
            done += len(values)
        for values, keys in alike.values():  # thousands of tags are written in two statements
            model._default_manager.filter(pk__in=keys).update(**values)
    return done


def many_tags(row: Insight, count: int = 5_000) -> None:
    """More than any door takes."""
    tags = [f"{n} {SCRIPTS[n % len(SCRIPTS)]}"[:60] if n % 50 == 0 else f"tag-{n}" for n in range(count)]
    Anchor.objects.bulk_create([Anchor(insight=row, kind="tag", value=tag) for tag in tags], ignore_conflicts=True)


def _takes(model: type[models.Model], field: Any) -> bool:
    own = NAMED.get((model._meta.app_label, str(model._meta.model_name)), set())
    if field.name in STRICT or field.name in own or field.choices or field.primary_key or field.generated:
        return False
    unique = field.unique or any(field.name in c.fields for c in model._meta.constraints if hasattr(c, "fields"))
    return not unique and isinstance(field, models.CharField | models.TextField | models.JSONField | ArrayField)


def _evil(field: Any, value: Any, number: int, texts: Sequence[str]) -> Any:
    text = texts[number % len(texts)]
    if isinstance(field, ArrayField):
        return [text[: field.base_field.max_length or None] for _ in value or []]
    if isinstance(field, models.JSONField):
        return _within(value, text)
    return text[: field.max_length] if value else value


def _within(value: Any, text: str) -> Any:
    """The same shape, with every text in it replaced."""
    if isinstance(value, dict):
        return {key: _within(inner, text) for key, inner in value.items()}
    if isinstance(value, list):
        return [_within(inner, text) for inner in value]
    return text if isinstance(value, str) and not _is_grammar(value) else value


def _is_grammar(value: str) -> bool:
    """A digest, a moment, a path of a key: code reads these, not people."""
    return (len(value) in (32, 64) and value.isalnum()) or value[:4].isdigit()


def texts(value: Any) -> Iterator[str]:
    """All texts of an answer in JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from texts(inner)
