from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    atomic = False
    without_downtime = "the index is made concurrently"
    dependencies = [("knowledge", "0051_insight_earned")]

    operations = [
        AddIndexConcurrently(
            model_name="insight",
            index=models.Index(
                condition=Q(status="promoted", strength__lte=15.0),
                fields=["fades_at", "id"],
                name="insight_objected",
            ),
        ),
    ]
