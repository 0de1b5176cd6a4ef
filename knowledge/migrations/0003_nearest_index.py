"""Nearest neighbours by HNSW, over the rows a query may return."""

import pgvector.django.indexes
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0002_insights")]
    operations = [
        migrations.AddIndex(
            model_name="insight",
            index=pgvector.django.indexes.HnswIndex(
                condition=models.Q(
                    models.Q(("status", "archived"), _negated=True),
                    ("superseded_by__isnull", True),
                ),
                ef_construction=64,
                fields=["embedding"],
                m=16,
                name="insight_near",
                opclasses=["halfvec_cosine_ops"],
            ),
        ),
    ]
