#!/usr/bin/env python3
"""Loam's commands. With no DATABASE_URL, the embedded PostgreSQL runs for as long as a command does."""

import os
import signal
import sys
from contextlib import nullcontext

from django.conf import settings
from django.core.management import execute_from_command_line

from config.database import embedded

# `serve` asks for the database itself, after the port: when that is taken nothing is started.
WITHOUT_DATABASE = {"help", "version", "serve", "startapp", "startproject"}


def needs_database(arguments: list[str]) -> bool:
    """Whether these words ask for a command that may reach for the database, not for help or a version."""
    if not arguments or {"-h", "--help", "--version"} & set(arguments):
        return False
    return arguments[0] not in WITHOUT_DATABASE and bool(settings.EMBEDDED)


def open_standard_streams() -> None:
    """A closed stdin would give its number to the first file or socket that is opened."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    open_standard_streams()
    # Terminated is like finished: the last one out stops the server.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        with embedded.in_use() if needs_database(sys.argv[1:]) else nullcontext():
            execute_from_command_line(sys.argv)
    except embedded.EmbeddedError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
