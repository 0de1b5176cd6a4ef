"""Read the environment variables of config/settings.py with their types, and report invalid ones in one line each.

An invalid value is replaced by the default until all variables are read; then `require_valid` ends the process and
reports all of them. So a misspelt word does not silently mean `off`, and a letter in a number causes no traceback.
Values that may contain a password are never repeated.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured
from kombu.transport import TRANSPORT_ALIASES

ON = frozenset(environ.Env.BOOLEAN_TRUE_STRINGS)
OFF = frozenset({"", "off", "no", "n", "false", "0", "none"})
POSTGRES = ("postgres", "postgresql", "pgsql", "psql")
DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+")
CALIBRATION = re.compile(r"[^=]{1,200}=" + ":".join([r"(\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})"] * 3))
PLACE = re.compile(r"/.+|s3://[^/]+(/.*)?")
ENCODE = "with %40 for @, %2F for / and %23 for # in the password"
LONGEST_SHOWN = 60
# The prefixes of our variables, and those that are read elsewhere.
OURS = ("LOAM_", "DATABASE_")
OTHERS = frozenset({"LOAM_VAR", "LOAM_POSTGRES_USER"})
# From this similarity on, two names differ only in a letter or a separator.
ALIKE = 0.85
# Aliases, because the methods of the class have the names of the types.
Text: TypeAlias = str
Whole: TypeAlias = int
Real: TypeAlias = float
Flag: TypeAlias = bool


@dataclass(frozen=True)
class SettingFault:
    """An invalid variable: what is wrong with it, and what would be right."""

    name: str
    wrong: str
    right: str

    def __str__(self) -> str:
        return f"{self.name} {self.wrong}. {self.right}."


class Environment:
    """Reads variables. `given`: the environment, by default that of the process. An empty value counts as unset; for on
    and off it is off.
    """

    def __init__(self, given: Mapping[Text, Text] | None = None) -> None:
        self.faults: list[SettingFault] = []
        self.names: set[Text] = set()
        self._env = environ.Env()
        if given is not None:
            self._env.ENVIRON = dict(given)

    def read_file(self, path: Path) -> None:
        """Add the variables of a file that the environment does not have. A missing file has none."""
        self._env.read_env(path)

    def str(self, name: Text, *, default: Text) -> Text:
        self.names.add(name)
        return self._env.str(name, default=default)

    def list(self, name: Text, *, default: Sequence[Text]) -> Sequence[Text]:
        self.names.add(name)
        return self._env.list(name, default=default)

    def bool(self, name: Text, *, default: Flag) -> Flag:
        given = self._given(name)
        if given is None:
            return default
        if given.lower() not in ON | OFF:
            self._wrong(name, f"is {_shown(given)}, neither on nor off", "Set it to on or off, or unset it")
            return default
        return given.lower() in ON

    def int(self, name: Text, *, default: Whole, least: Whole = 0) -> Whole:
        return self._number(name, int, default, least, "whole number")

    def float(self, name: Text, *, default: Real, least: Real = 0.0) -> Real:
        return self._number(name, _finite, default, least, "number")

    def choice(self, name: Text, *, default: Text, of: Sequence[Text], or_path: Flag = False) -> Text:
        """Return one of these words. `or_path`: the dotted path of a replacement is allowed too."""
        given = self.str(name, default="").strip() or default
        if given in of or (or_path and DOTTED.fullmatch(given)):
            return given
        words = ", ".join(word for word in of if word) + (" or a dotted path (package.module.Class)" if or_path else "")
        unset = ", or unset it" if default in ("", *of) else ""
        self._wrong(name, f"is {_shown(given)}", f"Set it to one of: {words}{unset}")
        return default

    def path_of(self, name: Text, *, default: Text) -> Text:
        """Return the dotted path of something that is imported later."""
        given = self.str(name, default="").strip() or default
        if DOTTED.fullmatch(given):
            return given
        self._wrong(name, f"is {_shown(given)}, no dotted path", "Set it to package.module.Class, or unset it")
        return default

    def shaped(self, name: Text, shape: re.Pattern[Text], what: Text) -> Text:
        """Return a text that matches `shape`, or "". `what`: its description in messages."""
        given = self.str(name, default="").strip()
        if not given or shape.fullmatch(given):
            return given
        self._wrong(name, f"is {_shown(given)}", f"Set it to {what}, or unset it")
        return ""

    def place(self, name: Text) -> Text:
        """Return an absolute path or s3://BUCKET/FOLDER, without a slash at its end; or ""."""
        return self.shaped(name, PLACE, "an absolute path or s3://BUCKET/FOLDER").rstrip("/")

    def http(self, name: Text, *, default: Text) -> Text:
        """Return an HTTP address, or ""."""
        given = self.str(name, default=default)
        if given and not _has_host(given, ("http", "https")):
            self._wrong(name, "is not an HTTP address", "Set it to https://HOST or http://HOST:PORT, or unset it")
            return default
        return given

    def origins(self, name: Text) -> Sequence[Text]:
        """Return HTTP addresses without a path."""
        given = self.list(name, default=[])
        if all(_has_host(one, ("http", "https")) for one in given):
            return given
        self._wrong(name, "contains an invalid origin", "Set it to https://HOST, several separated by commas")
        return []

    def db(self, name: Text) -> dict[Text, Any]:
        """Return Django's settings of a PostgreSQL database; {} if the variable is unset or empty."""
        given = self.str(name, default="")
        if not given:
            return {}
        right = f"Set it to postgres://USER:PASSWORD@HOST:5432/DATABASE, {ENCODE}"
        if given.partition("://")[0] not in POSTGRES:
            self._wrong(name, "is not the address of a PostgreSQL database", right)
            return {}
        found: dict[str, Any] = self._parsed(name, environ.Env.db_url_config, given, right) or {}
        if found and not found["NAME"]:
            self._wrong(name, "names no database", right)
            return {}
        return found

    def email_url(self, name: Text, *, default: Text) -> dict[Text, Any]:
        right = f"Set it to smtp+tls://USER:PASSWORD@HOST:587, {ENCODE}, or unset it"
        found = self._parsed(name, environ.Env.email_url_config, self.str(name, default="") or default, right)
        return found or dict(environ.Env.email_url_config(default))

    def cache_url(self, name: Text) -> Text:
        """Return the address of a cache, usually Redis, or ""."""
        given = self.str(name, default="")
        right = "Set it to redis://HOST:6379/1, or unset it for a table of the database"
        return given if given and self._parsed(name, environ.Env.cache_url_config, given, right) else ""

    def broker(self, name: Text, *, default: Text) -> Text:
        given = self.str(name, default="") or default
        if "://" in given and _scheme(given.split(";")[0]) in TRANSPORT_ALIASES:
            return given
        self._wrong(name, "is not the address of a broker", "Set it to redis://HOST:6379/0, or unset it")
        return default

    def folder(self, path: Path, *, of: Text, mode: Whole = 0o777) -> Path:
        """Return the folder, created if missing. `of`: the variable that sets its location."""
        try:
            path.mkdir(mode=mode, parents=True, exist_ok=True)
        except OSError as error:
            self._wrong(
                of, f"leads to {path}, which cannot be made ({error.strerror})", "Name a folder that Loam may write"
            )
        return path

    def misspelt(self) -> dict[Text, Text]:
        """Return the unknown variables of Loam's, each with the name that was probably meant."""
        ours = [name for name in self._env.ENVIRON if name.startswith(OURS) and name not in self.names | OTHERS]
        alike = {name: get_close_matches(name, sorted(self.names), 1, ALIKE) for name in sorted(ours)}
        return {name: found[0] for name, found in alike.items() if found}

    def require_valid(self) -> None:
        """Raise SystemExit with a line for each invalid variable."""
        if self.faults:
            raise SystemExit("Loam cannot start:\n" + "\n".join(f"  {fault}" for fault in self.faults))

    def _given(self, name: Text) -> Text | None:
        self.names.add(name)
        return str(self._env.str(name)).strip() if name in self._env.ENVIRON else None

    def _number(self, name: Text, read: Callable[[Text], Any], default: Any, least: Any, kind: Text) -> Any:
        given = self._given(name)
        if not given:
            return default
        right = f"Set it to a {kind}, {least} or more, or unset it for {default}"
        try:
            found = read(given)
        except ValueError:
            self._wrong(name, f"is {_shown(given)}, no {kind}", right)
            return default
        if found < least:
            self._wrong(name, f"is {_shown(given)}, below {least}", right)
            return default
        return found

    def _parsed(self, name: Text, read: Callable[[Text], Any], given: Text, right: Text) -> Any:
        """Return the value parsed by `read`; None, with a fault added, if that fails. The exception's message is not
        used, because it may contain a password.
        """
        try:
            return read(given)
        except (ValueError, KeyError, TypeError, ImproperlyConfigured):
            self._wrong(name, "cannot be read", right)
            return None

    def _wrong(self, name: Text, wrong: Text, right: Text) -> None:
        self.faults.append(SettingFault(name, wrong, right))


def _shown(given: str) -> str:
    return f"“{given[:LONGEST_SHOWN]}”" if given else "empty"


def _finite(given: str) -> float:
    found = float(given)
    if not math.isfinite(found):
        raise ValueError(given)
    return found


def _scheme(given: str) -> str:
    """Return the scheme of an address; "" for an invalid one, for example with a port that is no number because of a #
    in the password.
    """
    try:
        parts = urlsplit(given)
        return parts.scheme if parts.port != 0 else ""
    except ValueError:
        return ""


def _has_host(given: str, schemes: Sequence[str]) -> bool:
    return _scheme(given) in schemes and bool(urlsplit(given).hostname)
