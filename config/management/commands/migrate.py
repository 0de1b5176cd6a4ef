"""`manage.py migrate` while programs serve: Django's, with short lock waits."""

import time
from typing import Any

from django.core.management.commands import migrate
from django.db import OperationalError, connections
from django.db.migrations import Migration

from config.database.lock_waits import PAUSES, SHORT, WAITS, is_lock_refused, wait_briefly


class Command(migrate.Command):
    """Apply each migration completely or not at all, and retry it while another transaction holds a lock it needs: so
    nobody waits long behind it, and no request is ended for a deadlock with it. A migration that is not atomic (an
    index built concurrently, batches) waits as long as necessary.
    """

    help = "Apply migrations. Where another transaction holds a lock, a migration is made again instead of waiting."
    _atomic = False
    _wait = SHORT

    def handle(self, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        with connection.execute_wrapper(wait_briefly(lambda: self._wait if self._atomic else None)):
            for self._wait, pause in zip(WAITS, (*PAUSES, None), strict=True):
                try:
                    super().handle(*args, **options)
                    return
                except OperationalError as refused:
                    if pause is None or connection.in_atomic_block or not is_lock_refused(refused):
                        raise
                self.stderr.write(f"Another transaction holds a lock; again in {pause:.1f} s.")
                time.sleep(pause)

    def migration_progress_callback(self, action: str, migration: Migration | None = None, fake: bool = False) -> None:
        if action in ("apply_start", "unapply_start") and migration:
            self._atomic = migration.atomic
        elif action in ("apply_success", "unapply_success"):
            self._atomic = False
        super().migration_progress_callback(action, migration, fake)
