"""`manage.py erase REF`: erase for good what was forgotten, without waiting for the sweep."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounts.actions.members import member_of
from accounts.models import User
from accounts.rules.refused import Refused
from knowledge.review.actions.forget import erase


class Command(BaseCommand):
    help = "Erase forgotten insights by reference now instead of after 30 days. This cannot be undone."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("refs", nargs="+", metavar="REF")
        parser.add_argument("--by", required=True, metavar="USER", help="superuser who orders it")

    def handle(self, *args: Any, refs: list[str], by: str, **options: Any) -> None:
        user = User.objects.filter(username=by, is_active=True).first()
        if user is None:
            raise CommandError(f"There is no account '{by}'.")
        for ref in refs:
            try:
                erase(ref=ref, by=member_of(user=user), now=timezone.now())
            except Refused as refused:
                raise CommandError(refused.message) from refused
            self.stdout.write(f"{ref} erased.")
