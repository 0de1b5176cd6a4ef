from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models import F, Q


class Migration(migrations.Migration):
    atomic = False
    without_downtime = "the index is made concurrently"
    dependencies = [("knowledge", "0050_insight_earned_at")]

    operations = [
        AddIndexConcurrently(
            model_name="insight",
            index=models.Index(
                condition=Q(
                    Q(reviewed_at__isnull=True) | Q(reviewed_at__lt=F("earned_at")),
                    earned_at__isnull=False,
                    status="promoted",
                ),
                fields=["-created_at", "-id"],
                name="insight_earned",
            ),
        ),
    ]
