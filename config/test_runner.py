"""`manage.py test` runs the whole suite: pytest behind Django's command."""

import pytest
from django.core.management.base import CommandParser


class PytestRunner:
    """Django's runner protocol, handed on to pytest. Returns 1 when any test failed or none ran."""

    def __init__(self, verbosity: int = 1, failfast: bool = False, keepdb: bool = False, **options: object) -> None:
        self.verbosity, self.failfast, self.keepdb = verbosity, failfast, keepdb
        self.keyword = options.get("keyword")

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        parser.add_argument("--keepdb", action="store_true", help="keep the test database for the next run")
        parser.add_argument("-k", dest="keyword", help="only tests that match this expression")

    def run_tests(self, test_labels: list[str], **options: object) -> int:
        arguments = [*test_labels]
        arguments += ["-v"] if self.verbosity > 1 else []
        arguments += ["-x"] if self.failfast else []
        arguments += ["--reuse-db"] if self.keepdb else []
        arguments += ["-k", str(self.keyword)] if self.keyword else []
        return int(pytest.main(arguments) != 0)
