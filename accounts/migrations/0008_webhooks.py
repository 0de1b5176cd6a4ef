"""Where a team's events are told, and each telling until it has arrived."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0007_tallies"),
    ]

    operations = [
        migrations.CreateModel(
            name="Webhook",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("url", models.CharField(max_length=500)),
                (
                    "events",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(
                            choices=[
                                ("insight.promoted", "insight.promoted"),
                                ("insight.superseded", "insight.superseded"),
                                ("contradiction.opened", "contradiction.opened"),
                                ("handoff.left", "handoff.left"),
                            ],
                            max_length=30,
                        ),
                        size=None,
                    ),
                ),
                ("secret", models.CharField(editable=False, max_length=64)),
                ("created_at", models.DateTimeField(editable=False)),
                (
                    "created_by",
                    models.ForeignKey(
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="webhooks", to="accounts.team"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Delivery",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("event", models.CharField(max_length=30)),
                ("due_at", models.DateTimeField()),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("delivered_at", models.DateTimeField(null=True)),
                ("gave_up_at", models.DateTimeField(null=True)),
                ("last", models.CharField(blank=True, max_length=120)),
                (
                    "entry",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="accounts.logentry"
                    ),
                ),
                (
                    "webhook",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="deliveries", to="accounts.webhook"
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "deliveries",
            },
        ),
        migrations.AddConstraint(
            model_name="webhook",
            constraint=models.UniqueConstraint(fields=("team", "url"), name="webhook_once"),
        ),
        migrations.AddIndex(
            model_name="delivery",
            index=models.Index(
                condition=models.Q(("delivered_at__isnull", True), ("gave_up_at__isnull", True)),
                fields=["due_at"],
                name="delivery_due",
            ),
        ),
        migrations.AddConstraint(
            model_name="delivery",
            constraint=models.UniqueConstraint(fields=("webhook", "entry"), name="delivery_once"),
        ),
    ]
