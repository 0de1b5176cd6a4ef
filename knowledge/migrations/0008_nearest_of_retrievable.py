"""HNSW over the rows a query may return, as the generated column says it."""

import pgvector.django.indexes
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0007_signals_topics_pairs")]
    operations = [
        migrations.RemoveIndex(
            model_name="insight",
            name="insight_near",
        ),
        migrations.AddIndex(
            model_name="insight",
            index=pgvector.django.indexes.HnswIndex(
                condition=models.Q(("retrievable", True)),
                ef_construction=200,
                fields=["embedding"],
                m=16,
                name="insight_near",
                opclasses=["halfvec_cosine_ops"],
            ),
        ),
    ]
