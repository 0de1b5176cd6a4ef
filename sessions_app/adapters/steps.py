"""Which steps of a long measurement are done, and what each gave: kept in the database that is measured on."""

import json
from collections.abc import Callable
from typing import Any

from django.db import connection, transaction


class StepLog:
    """Steps by name, in memory: for what is done in one go."""

    def __init__(self) -> None:
        self._results: dict[str, Any] = {}

    def has(self, step: str) -> bool:
        return step in self._results

    def result(self, step: str) -> Any:
        """What a step gave that is done, as JSON keeps it. Raises KeyError."""
        return self._results[step]

    def record(self, step: str, result: Any = None) -> None:
        """Note that a step is done, in the transaction that is open, if there is one."""
        self._results[step] = result

    def once(self, step: str, work: Callable[[], Any], *, whole: bool = False) -> Any:
        """Do a step unless it is done; return what it gave, now or then. `whole`: in one transaction with its note."""
        if not self.has(step):
            if whole:
                with transaction.atomic():
                    self.record(step, work())
            else:
                self.record(step, work())
        return self.result(step)

    def forget(self, *steps: str) -> None:
        """Do these again."""
        for step in steps:
            self._results.pop(step, None)


class StoredStepLog(StepLog):
    """Steps that outlive the process, in a table of their own in the connected database."""

    def __init__(self) -> None:
        super().__init__()
        with connection.cursor() as cursor:
            cursor.execute(
                "CREATE TABLE IF NOT EXISTS measurement_step (step text PRIMARY KEY, result jsonb, at timestamptz)"
            )
            cursor.execute("SELECT step, result::text FROM measurement_step")
            self._results = {step: json.loads(result) for step, result in cursor.fetchall()}

    def record(self, step: str, result: Any = None) -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO measurement_step VALUES (%s, %s, now())"
                " ON CONFLICT (step) DO UPDATE SET result = EXCLUDED.result, at = EXCLUDED.at",
                [step, json.dumps(result)],
            )
        super().record(step, json.loads(json.dumps(result)))

    def forget(self, *steps: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM measurement_step WHERE step = ANY(%s)", [list(steps)])
        super().forget(*steps)
