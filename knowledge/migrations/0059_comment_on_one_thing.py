"""A comment is on a suggested edit or on a pair; those of a pair are read in order."""

from django.contrib.postgres.operations import AddConstraintNotValid, AddIndexConcurrently, ValidateConstraint
from django.db import migrations, models
from django.db.models import Q

ONE_THING = models.CheckConstraint(
    condition=Q(proposal__isnull=False, pair__isnull=True, team__isnull=True)
    | Q(proposal__isnull=True, pair__isnull=False, team__isnull=False),
    name="comment_on_one_thing",
)


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("knowledge", "0058_pair_comment")]

    operations = [
        AddConstraintNotValid("comment", ONE_THING),
        ValidateConstraint("comment", ONE_THING.name),
        AddIndexConcurrently(
            "comment",
            models.Index(condition=Q(pair__isnull=False), fields=["pair", "at"], name="pair_comment_in_order"),
        ),
    ]
