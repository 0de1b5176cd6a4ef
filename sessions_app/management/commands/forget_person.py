"""`manage.py forget_person USER`: anonymise a person, for good."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounts.rules.refused import Refused
from sessions_app.actions.forget_person import forget_person


class Command(BaseCommand):
    help = (
        "Forget a person: erase their personal team, questions and tokens, and anonymise what they contributed "
        "to others."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--yes", action="store_true", help="do not ask for confirmation; this cannot be undone")

    def handle(self, *args: Any, username: str, yes: bool, **options: Any) -> None:
        if not yes and input(f"Forget {username}? This cannot be undone. Type the name again: ") != username:
            raise CommandError("Nothing was changed.")
        try:
            gone = forget_person(username=username, now=timezone.now())
        except Refused as refused:
            raise CommandError(refused.message) from refused
        self.stdout.write(", ".join(f"{count:,} {what}" for what, count in gone.counts.items()) + ".")
        if gone.named:
            self.stdout.write(f"Their name still occurs in the text of {', '.join(gone.named)}: review them.")
