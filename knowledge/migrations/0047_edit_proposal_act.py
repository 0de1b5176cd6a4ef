"""What an edit proposal proposes: an edit, or to deprecate, supersede or merge; one open of each act, not one at all."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    without_downtime = (
        "new columns have defaults; the constraint is widened, and what the version before writes meets both of them"
    )
    dependencies = [
        ("knowledge", "0046_contributor_standing"),
    ]

    operations = [
        migrations.AddField(
            model_name="editproposal",
            name="act",
            field=models.CharField(
                choices=[
                    ("edit", "Edit"),
                    ("deprecate", "Deprecate"),
                    ("supersede", "Supersede"),
                    ("merge", "Merge"),
                ],
                db_default="edit",
                default="edit",
                max_length=10,
            ),
        ),
        migrations.AddField(
            model_name="editproposal",
            name="other",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="knowledge.insight",
            ),
        ),
        migrations.RemoveConstraint(model_name="editproposal", name="edit_proposal_open_once"),
        migrations.AddConstraint(
            model_name="editproposal",
            constraint=models.UniqueConstraint(
                condition=Q(state__in=("open", "changes requested")),
                fields=("insight", "proposed_by", "act"),
                name="edit_proposal_open_once_an_act",
            ),
        ),
        migrations.AddConstraint(
            model_name="editproposal",
            constraint=models.CheckConstraint(
                condition=Q(act__in=("edit", "deprecate")) | Q(other__isnull=False),
                name="edit_proposal_names_other",
            ),
        ),
    ]
