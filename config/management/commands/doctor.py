"""`manage.py doctor`: what is wrong with this deployment and with what it holds, and how to mend it."""

import argparse

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from config.readiness import parts
from knowledge.actions.audit import audited, mend
from knowledge.rules.integrity import Fault


class Command(BaseCommand):
    """Ends with 1 while something is wrong, so that it can stand in a script."""

    help = "Say what is wrong with this deployment and with what it holds, and how to mend it."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--mend", action="store_true", help="mend what can be mended without deciding anything")
        parser.add_argument("--quick", action="store_true", help="leave out the audit of all that is stored")

    def handle(self, *, mend: bool, quick: bool, **options: object) -> None:
        found = [part for part in parts(now=timezone.now()) if quick or part.name != "audit"]
        for part in found:
            self._say(part.ok, part.name, part.said, part.mend)
        wrong = sum(not part.ok for part in found)
        if not quick and all(part.ok for part in found if part.needed):
            wrong += self._audit(mend)
        if wrong:
            raise CommandError(f"{wrong} {'thing is' if wrong == 1 else 'things are'} wrong.")
        self.stdout.write("All is well.")

    def _audit(self, mending: bool) -> int:
        """How many faults are left."""
        _, faults = audited(clock=timezone.now)
        if mending and any(fault.explained.mend for fault in faults):
            for fault in mend(faults=faults, now=timezone.now()):
                self.stdout.write(f"mended  {fault.check}: {fault.explained.how}")
            _, faults = audited(clock=timezone.now)
        for fault in faults:
            self._tell(fault)
        if not faults:
            self._say(True, "audit", "nothing is lost, hidden things stay hidden, all counts are true", "")
        return len(faults)

    def _tell(self, fault: Fault) -> None:
        safe = " `doctor --mend` does that." if fault.explained.mend else ""
        self._say(False, fault.check.value, f"{fault}{safe}", "")

    def _say(self, ok: bool, name: str, said: str, mend: str) -> None:
        mark = self.style.SUCCESS("ok     ") if ok else self.style.ERROR("WRONG  ")
        self.stdout.write(f"{mark} {name}: {said}{f' → {mend}' if mend else ''}")
