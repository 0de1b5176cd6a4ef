"""`manage.py doctor`: report what is wrong with this deployment and its data, and how to fix it."""

import argparse

from django.core.checks import run_checks
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from config.checks import TAG
from config.monitoring import backups, collectors
from config.monitoring.readiness import parts
from config.monitoring.system_part import SystemPart
from knowledge.jobs.actions.audit import audited, mend
from knowledge.jobs.rules.integrity import Fault


class Command(BaseCommand):
    """Exits with 1 if something is wrong, for use in scripts."""

    help = "Check this deployment and its data, and say how to fix what is wrong."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--mend", action="store_true", help="fix what needs no decision")
        parser.add_argument("--quick", action="store_true", help="skip the audit of the stored data")

    def handle(self, *, mend: bool, quick: bool, **options: object) -> None:
        now = timezone.now()
        found = [part for part in parts(now=now) if quick or part.name != "audit"]
        if all(part.ok for part in found if part.needed):
            found += backups.parts(now=now)
        found += collectors.parts()
        for part in found:
            self._tell_part(part)
        wrong = sum(not part.ok for part in found) + self._settings()
        if not quick and all(part.ok for part in found if part.needed):
            wrong += self._audit(mend)
        if wrong:
            raise CommandError(f"{wrong} {'problem' if wrong == 1 else 'problems'} found.")
        self.stdout.write("No problems found.")

    def _settings(self) -> int:
        """Report unsafe settings; return how many of them keep Loam from starting."""
        found = run_checks(tags=[TAG])
        for message in found:
            if message.is_serious():
                self._say(False, f"settings {message.id}", message.msg, message.hint or "")
            else:
                self._warn(f"settings {message.id}", message.msg, message.hint or "")
        if not found:
            self._say(True, "settings", "none is unsafe", "")
        return sum(message.is_serious() for message in found)

    def _audit(self, mending: bool) -> int:
        """Return the number of faults that are left."""
        _, faults = audited(clock=timezone.now)
        if mending and any(fault.explained.mend for fault in faults):
            for fault in mend(faults=faults, now=timezone.now()):
                self.stdout.write(f"fixed {fault.check}: {fault.explained.how}")
            _, faults = audited(clock=timezone.now)
        for fault in faults:
            self._tell(fault)
        if not faults:
            self._say(True, "audit", "no errors in the stored data", "")
        return len(faults)

    def _tell(self, fault: Fault) -> None:
        safe = " `doctor --mend` fixes it." if fault.explained.mend else ""
        self._say(False, fault.check.value, f"{fault}{safe}", "")

    def _tell_part(self, part: SystemPart) -> None:
        if part.ok and part.unsafe:
            self._warn(part.name, part.said, part.mend)
        else:
            self._say(part.ok, part.name, part.said, part.mend)

    def _warn(self, name: str, said: str, mend: str) -> None:
        self.stdout.write(f"{self.style.WARNING('unsafe ')} {name}: {said} → {mend}")

    def _say(self, ok: bool, name: str, said: str, mend: str) -> None:
        mark = self.style.SUCCESS("ok     ") if ok else self.style.ERROR("WRONG  ")
        self.stdout.write(f"{mark} {name}: {said}{f' → {mend}' if mend else ''}")
