"""The `everyone` team exists from the start and cannot be deleted."""

from django.db import migrations
from django.db.migrations.state import StateApps


def create(apps: StateApps, schema_editor: object) -> None:
    apps.get_model("accounts", "Team").objects.get_or_create(
        kind="everyone",
        defaults={"name": "Everyone", "slug": "everyone", "prefix": "ALL", "colour": "slate"},
    )


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_accounts_teams_tokens_log")]
    operations = [migrations.RunPython(create, migrations.RunPython.noop)]
