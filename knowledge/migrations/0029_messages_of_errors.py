"""The messages of the errors that insights are about already."""

from collections.abc import Iterable
from itertools import islice
from typing import Any

from django.db import migrations
from django.db.migrations.state import StateApps

from knowledge.errors.rules.fingerprint import RECIPE, telling_messages

BATCH = 1_000


def create(apps: StateApps, schema_editor: object) -> None:
    anchors = apps.get_model("knowledge", "Anchor")
    errors = anchors.objects.filter(kind="error").exclude(detail="").values_list("insight_id", "detail")
    rows = errors.order_by("pk").iterator(BATCH)
    while some := list(islice(rows, BATCH)):
        anchors.objects.bulk_create(_messages(anchors, some), ignore_conflicts=True)


def _messages(anchors: Any, errors: Iterable[tuple[int, str]]) -> list[Any]:
    return [
        anchors(insight_id=insight, kind="message", value=message, recipe=RECIPE)
        for insight, detail in errors
        for message in telling_messages(detail)
    ]


def remove(apps: StateApps, schema_editor: object) -> None:
    apps.get_model("knowledge", "Anchor").objects.filter(kind="message").delete()


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0028_anchor_message")]
    operations = [migrations.RunPython(create, remove)]
    without_downtime = "new rows of a kind that the version before passes over"
