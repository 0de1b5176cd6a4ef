"""Whom a comment on a suggested edit mentions, and which decision it is the reason of."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [
        ("knowledge", "0047_edit_proposal_act"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="proposalcomment",
            name="decision",
            field=models.CharField(blank=True, db_default="", default="", max_length=20),
        ),
        migrations.CreateModel(
            name="Mention",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("read_at", models.DateTimeField(null=True)),
                (
                    "comment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="mentions",
                        to="knowledge.proposalcomment",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("comment", "user"), name="mention_once_a_comment"),
                ],
                "indexes": [
                    models.Index(condition=Q(read_at__isnull=True), fields=["user"], name="mention_unread"),
                ],
            },
        ),
    ]
