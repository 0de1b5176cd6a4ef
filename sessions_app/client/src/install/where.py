"""Where the installed client lies, and how hooks call it."""

from __future__ import annotations

import os
import re
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

from sessions_app.client.src.late import subprocess
from sessions_app.client.src.local import home

# The launcher that a project commits, below its top folder.
LAUNCHER = ".loam/loam"


def own_place() -> Path:
    """Return where the hooks find this file: beside the credentials, so that a download may be thrown away."""
    return home() / "loam-client" / "loam.py"


def _python() -> str:
    """Return the interpreter itself, not the one of a virtual environment that will be gone one day."""
    return str(getattr(sys, "_base_executable", "") or sys.executable)


def client_words(*more: str) -> list[str]:
    # -I: neither the folder an agent works in nor its environment decides what is imported.
    # -S: the packages of this machine are not needed, and their start files take time.
    return [_python(), "-I", "-S", str(own_place().parent), *more]


@dataclass(frozen=True)
class HookCaller:
    """How an agent's hooks call the client: on this machine, or, with a `prefix`, by a project's launcher.

    `prefix`: the project's top folder with a slash, as the agent's shell knows it.
    """

    agent: str
    prefix: str = ""

    def line(self, event: str) -> str:
        more = ("hook", event, "--agent", self.agent)
        if self.prefix:
            return " ".join((self.prefix + LAUNCHER, *more))
        words = client_words(*more)
        return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)


def launcher(url: str, team: str) -> str:
    """Return the script that a project commits: it names the server, and nothing of a machine.

    It runs the installed client. Where there is none it fetches it from that server, once, if the server can be
    trusted to be itself: over https, or on this machine. Without Python or server it answers a hook with nothing.
    """
    lines = [f': "${{LOAM_TEAM:={team}}}"', "export LOAM_TEAM"] if team else []
    return _LAUNCHER.replace("@URL@", url).replace("@TEAM@\n", "".join(f"{line}\n" for line in lines))


def project_team(top: str, url: str) -> str:
    """Return the team that a checkout's committed launcher names for its server; empty if it is another one's."""
    try:
        text = (Path(top) / LAUNCHER).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""
    named = re.search(r'^: "\$\{LOAM_TEAM:=([^}"]*)\}"$', text, re.MULTILINE)
    return named[1] if named and f"{{LOAM_URL:={url}}}" in text else ""


_LAUNCHER = """\
#!/bin/sh
# Runs the Loam client for this project's agent hooks. Written by `loam install --project`; safe to commit.
# It names the server only; the token is in LOAM_TOKEN, or in what `loam login` wrote.
: "${LOAM_URL:=@URL@}"
export LOAM_URL
@TEAM@
# The client stands back for hooks in the user's own settings, which are called as well.
LOAM_LAUNCHER="$0"
export LOAM_LAUNCHER
own="${LOAM_HOME:-${XDG_CONFIG_HOME:-$HOME/.config}/loam}"
client="$own/loam-client"
call="$1"
give_up() {
  [ "$call" = hook ] || { echo "loam: no Python, server or token here: set LOAM_TOKEN or run loam login" >&2; exit 1; }
  cat >/dev/null 2>&1; echo '{}'; exit 0
}
command -v python3 >/dev/null 2>&1 || give_up
if [ ! -f "$client/__main__.py" ]; then
  case "$LOAM_URL" in https://*|http://127.0.0.1[:/]*|http://localhost[:/]*) ;; *) give_up ;; esac
  if [ -z "$LOAM_TOKEN" ] && [ ! -f "$own/credentials.json" ]; then give_up; fi
  (
    umask 077
    new=$(mktemp -d) || exit 1
    trap 'rm -rf "$new"' EXIT
    curl -fsS -m 5 -o "$new/loam.py" "$LOAM_URL/connect/loam.py" &&
      python3 -I -S "$new/loam.py" settle
  ) >/dev/null 2>&1 </dev/null || give_up
fi
exec python3 -I -S "$client" "$@"
"""
