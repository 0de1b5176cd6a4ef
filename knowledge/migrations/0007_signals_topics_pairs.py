"""Signals, corroborations, topics, pairs to be settled; and what may be retrieved, in one column."""

import uuid

import django.contrib.postgres.fields
import django.db.models.deletion
import pgvector.django.halfvec
from django.conf import settings
from django.db import migrations, models

import knowledge.rules.vocabulary


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0004_guard_terms_job_runs"),
        ("knowledge", "0006_kinds_of_team"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Corroboration",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField()),
                ("session_key", models.CharField(max_length=80)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("SOLUTION", "SOLUTION"),
                            ("PATTERN", "PATTERN"),
                            ("PITFALL", "PITFALL"),
                            ("CONTEXT", "CONTEXT"),
                            ("WORKFLOW", "WORKFLOW"),
                            ("DEPENDENCY", "DEPENDENCY"),
                            ("DECISION", "DECISION"),
                        ],
                        max_length=12,
                    ),
                ),
                ("title", models.CharField(max_length=200)),
                ("body", models.TextField()),
                ("reasoning", models.TextField(blank=True)),
                ("repo", models.CharField(blank=True, max_length=200)),
                ("draft", models.JSONField(default=dict)),
                (
                    "source_type",
                    models.CharField(
                        choices=[
                            ("agent", "agent"),
                            ("human", "human"),
                            ("import", "import"),
                            ("transcript", "transcript"),
                            ("evidence", "evidence"),
                        ],
                        max_length=12,
                    ),
                ),
                ("source_date", models.DateTimeField(null=True)),
                ("similarity", models.FloatField(null=True)),
                ("judged_by", models.CharField(blank=True, max_length=40)),
            ],
        ),
        migrations.CreateModel(
            name="Pair",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "question",
                    models.CharField(
                        choices=[("contradiction", "Contradiction"), ("duplicate", "Duplicate")], max_length=14
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[("open", "Open"), ("dismissed", "Dismissed"), ("resolved", "Resolved")],
                        default="open",
                        max_length=10,
                    ),
                ),
                ("reason", models.TextField(blank=True)),
                ("similarity", models.FloatField(null=True)),
                ("raised_by", models.CharField(max_length=80)),
                ("raised_at", models.DateTimeField()),
                ("settled_at", models.DateTimeField(null=True)),
                ("resolution", models.TextField(blank=True)),
                ("scope", models.TextField(blank=True)),
            ],
        ),
        migrations.CreateModel(
            name="Signal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("helpful", "helpful"),
                            ("unhelpful", "unhelpful"),
                            ("corroborated", "corroborated"),
                            ("used", "used"),
                        ],
                        max_length=12,
                    ),
                ),
                ("human", models.BooleanField(default=False)),
                ("at", models.DateTimeField()),
                ("session_key", models.CharField(max_length=80)),
                ("reason", models.TextField(blank=True)),
                ("query", models.UUIDField(null=True)),
                ("question", models.TextField(blank=True)),
                ("embedding", pgvector.django.halfvec.HalfVectorField(dimensions=384, null=True)),
                ("embedded_by", models.CharField(blank=True, max_length=80)),
            ],
        ),
        migrations.CreateModel(
            name="Topic",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("label", models.CharField(max_length=120)),
                (
                    "terms",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=80), default=list, size=None
                    ),
                ),
                ("named", models.BooleanField(default=False)),
                ("centroid", pgvector.django.halfvec.HalfVectorField(dimensions=384, null=True)),
                ("embedded_by", models.CharField(blank=True, max_length=80)),
                ("created_at", models.DateTimeField()),
                ("updated_at", models.DateTimeField()),
            ],
        ),
        migrations.AddField(
            model_name="insight",
            name="fades_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="insight",
            name="forgotten_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="insight",
            name="heard",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=200), default=list, editable=False, size=None
            ),
        ),
        migrations.AddField(
            model_name="insight",
            name="quality",
            field=models.FloatField(default=1.0, editable=False),
        ),
        migrations.AddField(
            model_name="insight",
            name="quarantined_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="corroboration",
            name="insight",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="corroborations", to="knowledge.insight"
            ),
        ),
        migrations.AddField(
            model_name="corroboration",
            name="token",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="accounts.apitoken"
            ),
        ),
        migrations.AddField(
            model_name="corroboration",
            name="unmerged_into",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="unmerged_from",
                to="knowledge.insight",
            ),
        ),
        migrations.AddField(
            model_name="corroboration",
            name="user",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="pair",
            name="a",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="pairs_as_a", to="knowledge.insight"
            ),
        ),
        migrations.AddField(
            model_name="pair",
            name="b",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="pairs_as_b", to="knowledge.insight"
            ),
        ),
        migrations.AddField(
            model_name="pair",
            name="settled_by",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="signal",
            name="insight",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="signals", to="knowledge.insight"
            ),
        ),
        migrations.AddField(
            model_name="signal",
            name="token",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="accounts.apitoken"
            ),
        ),
        migrations.AddField(
            model_name="signal",
            name="user",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="topic",
            name="merged_into",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="knowledge.topic",
            ),
        ),
        migrations.AddField(
            model_name="topic",
            name="team",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="topics", to="accounts.team"
            ),
        ),
        migrations.AddField(
            model_name="insight",
            name="topic",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="insights",
                to="knowledge.topic",
            ),
        ),
        migrations.AddIndex(
            model_name="insight",
            index=models.Index(
                condition=models.Q(("fades_at__isnull", False)), fields=["fades_at"], name="insight_fades_at"
            ),
        ),
        migrations.AddIndex(
            model_name="corroboration",
            index=models.Index(fields=["insight", "at"], name="corroboration_of_insight"),
        ),
        migrations.AddConstraint(
            model_name="pair",
            constraint=models.UniqueConstraint(fields=("a", "b", "question"), name="pair_once"),
        ),
        migrations.AddConstraint(
            model_name="pair",
            constraint=models.CheckConstraint(condition=models.Q(("a__lt", models.F("b"))), name="pair_older_first"),
        ),
        migrations.AddIndex(
            model_name="signal",
            index=models.Index(fields=["insight", "-at"], name="signal_of_insight"),
        ),
        migrations.AddField(
            model_name="insight",
            name="retrievable",
            field=models.GeneratedField(
                db_persist=True,
                expression=models.Q(
                    models.Q(("status", knowledge.rules.vocabulary.Status["ARCHIVED"]), _negated=True),
                    ("forgotten_at__isnull", True),
                    ("quarantined_at__isnull", True),
                    ("superseded_by__isnull", True),
                ),
                output_field=models.BooleanField(),
            ),
        ),
    ]
