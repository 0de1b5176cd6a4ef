"""`manage.py demo`: a team to look at, with logins and tokens that work."""

import json
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from sessions_app.lab.demo.demo import NotEmpty, make_demo, people_of

BODY = "Celery beat must run as one process, or every job fires twice."


class Command(BaseCommand):
    help = "Create the demo data in an empty database, once; print the accounts."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print accounts and tokens as JSON")
        parser.add_argument("--url", default=settings.PUBLIC_URL, help="address to print")
        parser.add_argument("--once", action="store_true", help="do not wait for demo data that is still being created")

    def handle(self, *args: Any, **options: Any) -> None:
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            raise CommandError("The database is not up to date. Run `manage.py migrate` first.")
        file = settings.VAR / "demo.json"
        people = people_of(file) if options["once"] else {}
        if people:
            known: dict[str, Any] = {"url": options["url"], "people": people}
        else:
            try:
                known = make_demo(file=file, url=options["url"], now=timezone.now(), progress=self._progress)
            except NotEmpty as refused:
                raise CommandError(str(refused)) from None
        self.stdout.write(json.dumps(known, indent=2) if options["json"] else self._welcome(known))

    def _progress(self, done: int, total: int) -> None:
        if sys.stderr.isatty():
            end = "\n" if done == total else ""
            self.stderr.write(f"\rdemo insights: {done} of {total}", ending=end)

    def _welcome(self, known: dict[str, Any]) -> str:
        url, people = known["url"], known["people"]
        lines = [f"Loam: {url}", ""]
        lines += [f"  {p['username']:<8} password {p['password']}" for p in people.values()]
        lines += ["", "Deposit as alice's agent, then ask as bob's:", ""]
        lines += [self._curl(url, people["alice"]["token"], "insights/", {"kind": "PITFALL", "body": BODY}), ""]
        lines += [self._curl(url, people["bob"]["token"], "query/", {"query": "scheduled jobs run two times"}), ""]
        return "\n".join(lines)

    def _curl(self, url: str, token: str, path: str, body: dict[str, str]) -> str:
        return (
            f"curl -s {url}/api/v1/{path} -H 'Authorization: Bearer {token}'"
            f" -H 'Content-Type: application/json' \\\n  -d '{json.dumps(body)}'"
        )
