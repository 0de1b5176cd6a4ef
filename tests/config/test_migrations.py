"""Migrations that can be applied while the version before is still serving: the rule of docs/operations, checked.

Old code runs against the new tables for as long as a roll-out takes, and a lock on a large table stops everybody. So a
migration adds; what is no longer used goes a version later, and says so.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib.postgres.operations import (
    AddConstraintNotValid,
    AddIndexConcurrently,
    RemoveIndexConcurrently,
    ValidateConstraint,
)
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations import base
from django.db.models import NOT_PROVIDED

from tests.cases import cases

# The numbers up to which each app's migrations belong to the first release: there is no version before it.
RELEASED = {"accounts": 11, "knowledge": 22, "evidence": 3, "skills": 2, "sessions_app": 4}
OURS = ("accounts", "knowledge", "evidence", "skills", "sessions_app")
# What neither locks a table for long nor takes anything away that the version before uses.
HARMLESS = (
    migrations.CreateModel,
    migrations.AlterModelOptions,
    migrations.AlterModelManagers,
    AddIndexConcurrently,
    RemoveIndexConcurrently,
    AddConstraintNotValid,
    ValidateConstraint,
)


def later() -> Iterator[Any]:
    """Migrations after those of the first release."""
    loader = MigrationLoader(None)
    for (app, name), migration in sorted(loader.disk_migrations.items()):
        if app in OURS and int(name[:4]) > RELEASED[app]:
            yield migration


def faults(migration: Any) -> list[str]:
    """Why it cannot be applied under the version before; none if it says in `without_downtime` why it can."""
    if getattr(migration, "without_downtime", ""):
        return []
    made = {one.name.lower() for one in migration.operations if isinstance(one, migrations.CreateModel)}
    return [why for one in migration.operations if (why := fault(one, made))]


def fault(operation: base.Operation, made: set[str]) -> str:
    if isinstance(operation, HARMLESS):
        return ""
    if getattr(operation, "model_name", "").lower() in made:
        return ""
    if isinstance(operation, migrations.AddField):
        field = operation.field
        given = field.null or field.many_to_many or field.db_default is not NOT_PROVIDED
        return (
            "" if given else f"{operation.name}: neither null nor a db_default, which the version before cannot write"
        )
    return f"{type(operation).__name__}: say in `without_downtime` why it stops nobody, or do it a version later"


# As `makemigrations` writes one.
MIGRATION = """
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("skills", "0002_schedule")]
    operations = [{}]
"""
BAD = 'migrations.RenameField("skill", "name", "title")'
GOOD = 'migrations.AddField("skill", "colour", models.CharField(max_length=9, db_default=""))'
WHY = "RenameField: say in `without_downtime` why it stops nobody, or do it a version later"


class TestTheMigrations:
    def test_can_be_applied_while_the_version_before_serves(self) -> None:
        assert {str(one): faults(one) for one in later() if faults(one)} == {}

    def test_of_the_first_release_are_there(self) -> None:
        """A number that is too high would let through whatever comes next."""
        there = {(app, int(name[:4])) for app, name in MigrationLoader(None).disk_migrations}
        assert set(RELEASED.items()) <= there

    @pytest.mark.parametrize(("added", "told"), [(BAD, {"skills.0003_added": [WHY]}), (GOOD, {})])
    def test_that_are_added_are_looked_at(
        self, added: str, told: dict[str, list[str]], tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        home = Path(str(apps.get_app_config("skills").path), "migrations")
        name = f"migrations_{tmp_path.name}"
        shutil.copytree(home, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
        (tmp_path / name / "0003_added.py").write_text(MIGRATION.format(added))
        monkeypatch.syspath_prepend(str(tmp_path))
        settings.MIGRATION_MODULES = {"skills": name}
        assert {str(one): faults(one) for one in later() if faults(one)} == told

    def test_are_of_the_apps_that_there_are(self) -> None:
        assert set(OURS) <= {config.label for config in apps.get_app_configs()}

    @cases(
        ("operation", "allowed"),
        [
            (migrations.AddField("insight", "mood", models.CharField(max_length=9)), False),
            (migrations.AddField("insight", "mood", models.CharField(max_length=9, null=True)), True),
            (migrations.AddField("insight", "mood", models.CharField(max_length=9, db_default="")), True),
            (migrations.AlterField("insight", "mood", models.CharField(max_length=3)), False),
            (migrations.RemoveField("insight", "body"), False),
            (migrations.RenameField("insight", "body", "text"), False),
            (migrations.DeleteModel("Insight"), False),
            (migrations.RunPython(migrations.RunPython.noop), False),
            (migrations.CreateModel("Mood", fields=[]), True),
        ],
        ids=lambda value: type(value).__name__ if isinstance(value, base.Operation) else str(value),
    )
    def test_are_told_by_what_they_do(self, operation: base.Operation, allowed: bool) -> None:
        migration = migrations.Migration("0099_some", "knowledge")
        migration.operations = [operation]
        assert (faults(migration) == []) is allowed
        migration.without_downtime = "nothing reads it"  # type: ignore[attr-defined]
        assert faults(migration) == []
