"""Passages of conversations, and with whom they are shared."""

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
import pgvector.django.halfvec
import pgvector.django.indexes
from django.conf import settings
from django.db import migrations, models

import sessions_app.transcripts.rules.speakers


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0012_share_prompts"),
        ("sessions_app", "0007_index_open_handoffs"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Passage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("repo", models.CharField(max_length=200)),
                ("branch", models.CharField(blank=True, max_length=200)),
                ("speaker", models.CharField(choices=[("user", "user"), ("agent", "agent")], max_length=5)),
                ("position", models.PositiveIntegerField()),
                ("first_turn", models.PositiveIntegerField()),
                ("last_turn", models.PositiveIntegerField()),
                ("text", models.TextField()),
                (
                    "files",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=400), blank=True, default=list, size=None
                    ),
                ),
                ("said_at", models.DateTimeField()),
                ("embedding", pgvector.django.halfvec.HalfVectorField(dimensions=384, editable=False, null=True)),
                ("embedded_by", models.CharField(blank=True, editable=False, max_length=80)),
                ("lexemes", django.contrib.postgres.search.SearchVectorField(editable=False, null=True)),
                ("length", models.PositiveIntegerField(default=0, editable=False)),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="passages",
                        to="sessions_app.agentsession",
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="passages", to="accounts.team"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="passages",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["team", "repo", "-said_at"], name="passage_of_repo"),
                    models.Index(fields=["user", "repo"], name="passage_of_user"),
                    models.Index(fields=["said_at"], name="passage_said_at"),
                    models.Index(fields=["embedded_by"], name="passage_embedded_by"),
                    django.contrib.postgres.indexes.GinIndex(
                        fastupdate=False, fields=["lexemes"], name="passage_lexemes"
                    ),
                    pgvector.django.indexes.HnswIndex(
                        ef_construction=64,
                        fields=["embedding"],
                        m=16,
                        name="passage_near",
                        opclasses=["halfvec_cosine_ops"],
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("session", "position"), name="passage_position_once"),
                    models.CheckConstraint(
                        condition=models.Q(("last_turn__gte", models.F("first_turn"))), name="passage_turns_in_order"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="SessionSharing",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("repo", models.CharField(blank=True, max_length=200)),
                (
                    "turns",
                    models.CharField(
                        choices=[("all", "all"), ("agent", "agent")],
                        default=sessions_app.transcripts.rules.speakers.SharedTurns["AGENT"],
                        max_length=5,
                    ),
                ),
                ("changed_at", models.DateTimeField()),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="session_sharing", to="accounts.team"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="session_sharing",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "session sharing",
                "constraints": [models.UniqueConstraint(fields=("user", "repo"), name="session_sharing_once_a_repo")],
            },
        ),
    ]
