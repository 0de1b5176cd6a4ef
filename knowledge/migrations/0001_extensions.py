"""What PostgreSQL must be able to do: vectors, similar spellings, letters without accents."""

from django.contrib.postgres.operations import TrigramExtension, UnaccentExtension
from django.db import migrations
from pgvector.django import VectorExtension


class Migration(migrations.Migration):
    initial = True
    dependencies = []
    operations = [VectorExtension(), TrigramExtension(), UnaccentExtension()]
