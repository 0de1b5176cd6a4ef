"""`manage.py test` runs the whole suite: pytest behind Django's command."""

import os

import pytest
from django.core.management.base import CommandParser

# Processes of a whole run: each has a database and a model of its own, some 600 MB. One more than there are cores: a
# test that drives a browser, a server or a client's hook waits for it much of its time.
MOST = 4


class PytestRunner:
    """Django's runner protocol, handed on to pytest. Returns 1 when any test failed or none ran.

    A run of everything takes one process more than there are cores, up to MOST; a run of some tests takes one.
    """

    def __init__(
        self,
        verbosity: int = 1,
        failfast: bool = False,
        keepdb: bool = False,
        parallel: int | None = None,
        **options: object,
    ) -> None:
        self.verbosity, self.failfast, self.keepdb, self.parallel = verbosity, failfast, keepdb, parallel
        self.keyword = options.get("keyword")

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        parser.add_argument("--keepdb", action="store_true", help="keep the test database for the next run")
        parser.add_argument(
            "--parallel", type=int, metavar="N", help="number of processes; 1 shows the output of each test at once"
        )
        parser.add_argument("-k", dest="keyword", help="only tests that match this expression")

    def run_tests(self, test_labels: list[str], **options: object) -> int:
        arguments = [*test_labels]
        arguments += ["-v"] if self.verbosity > 1 else []
        processes = self.parallel or (1 if test_labels else min(len(os.sched_getaffinity(0)) + 1, MOST))
        arguments += ["-n", str(processes), "--dist", "worksteal"] if processes > 1 else []
        arguments += ["-x"] if self.failfast else []
        arguments += ["--reuse-db"] if self.keepdb else []
        arguments += ["-k", str(self.keyword)] if self.keyword else []
        return int(pytest.main(arguments) != 0)
