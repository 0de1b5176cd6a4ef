"""A suggested edit may be snoozed and assigned, too."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0061_named_faults")]
    without_downtime = (
        "the new condition holds for all that the version before writes, which leaves the new column empty"
    )

    operations = [
        migrations.AddField(
            model_name="inboxstate",
            name="proposal",
            field=models.OneToOneField(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="inbox_state",
                to="knowledge.editproposal",
            ),
        ),
        migrations.RemoveConstraint(model_name="inboxstate", name="inbox_state_of_one_item"),
        migrations.AddConstraint(
            model_name="inboxstate",
            constraint=models.CheckConstraint(
                condition=models.Q(insight__isnull=False, pair__isnull=True, proposal__isnull=True)
                | models.Q(insight__isnull=True, pair__isnull=False, proposal__isnull=True)
                | models.Q(insight__isnull=True, pair__isnull=True, proposal__isnull=False),
                name="inbox_state_of_one",
            ),
        ),
    ]
