"""A question for some kinds only measures every insight of them: this finds them without reading the others."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0005_vector_storage")]
    operations = [
        migrations.AddIndex(
            model_name="insight", index=models.Index(fields=["team", "kind"], name="insight_kinds_of_team")
        )
    ]
