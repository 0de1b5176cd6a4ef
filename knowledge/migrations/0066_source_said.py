"""What a person typed in a conversation is a source of its own: it is not their agent's. Choices alone, no SQL."""

from django.db import migrations, models

from knowledge.rules.vocabulary import Source

SOURCES = [(word, word) for word in ("agent", "human", "import", "transcript", "said", "evidence")]


class Migration(migrations.Migration):
    without_downtime = "no SQL; the version before reads the word as text, and takes such a note for an agent's"
    dependencies = [("knowledge", "0065_insight_questions")]
    operations = [
        migrations.AlterField(
            model_name="corroboration",
            name="source_type",
            field=models.CharField(choices=SOURCES, max_length=12),
        ),
        migrations.AlterField(
            model_name="insight",
            name="source_type",
            field=models.CharField(choices=SOURCES, default=Source.AGENT, max_length=12),
        ),
    ]
