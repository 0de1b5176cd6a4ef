"""A comment may be on a pair, too."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0018_team_second_reviewer"), ("knowledge", "0057_comment")]
    without_downtime = "a column that may be empty is allowed to be, which the version before never makes it"

    operations = [
        migrations.AlterField(
            model_name="comment",
            name="proposal",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="comments",
                to="knowledge.editproposal",
            ),
        ),
        migrations.AddField(
            model_name="comment",
            name="pair",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.CASCADE, related_name="comments", to="knowledge.pair"
            ),
        ),
        migrations.AddField(
            model_name="comment",
            name="team",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="accounts.team"
            ),
        ),
    ]
