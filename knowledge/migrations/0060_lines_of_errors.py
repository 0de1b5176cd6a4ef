"""The other lines of the errors that insights are about already: a question may quote them."""

from itertools import islice

from django.db import migrations
from django.db.migrations.state import StateApps

from knowledge.errors.rules.fingerprint import RECIPE, searchable_lines

BATCH = 1_000


def create(apps: StateApps, schema_editor: object) -> None:
    anchors = apps.get_model("knowledge", "Anchor")
    errors = anchors.objects.filter(kind="error").exclude(detail="").values_list("insight_id", "detail")
    rows = errors.order_by("pk").iterator(BATCH)
    while some := list(islice(rows, BATCH)):
        lines = ((insight, line) for insight, detail in some for line in searchable_lines(detail))
        made = [anchors(insight_id=insight, kind="message", value=line, recipe=RECIPE) for insight, line in lines]
        anchors.objects.bulk_create(made, ignore_conflicts=True)


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0059_comment_on_one_thing")]
    operations = [migrations.RunPython(create, migrations.RunPython.noop)]
    without_downtime = "new rows of a kind that the version before reads in the same way"
