"""Decide whether an agent is asked, before it stops, to deposit what was decided; and word the question."""

from dataclasses import dataclass

from sessions_app.answers.rules.calls import DEPOSIT, Interface


@dataclass(frozen=True)
class SessionStanding:
    """The known facts of a session whose agent is about to stop."""

    wanted: bool
    asked: bool
    deposited: bool
    changed: bool


def why_not(one: SessionStanding) -> str:
    """Return why the agent is not asked, as a stable word; "" if it is asked."""
    reasons = {
        "switched_off": not one.wanted,
        "asked_before": one.asked,
        "deposited": one.deposited,
        "nothing_changed": not one.changed,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


# After these it is never asked in that session.
FINAL = frozenset({"switched_off", "asked_before", "deposited"})


def question(session: str, via: Interface) -> str:
    """Return the line that the agent is given. It may do nothing: most sessions decide nothing that others need."""
    call = f'{DEPOSIT[via]}(kind="DECISION", session="{session}")' if via is Interface.MCP else DEPOSIT[via]
    return f"Before you go: deposit what was decided here that the team needs, with its reasons ({call}), or nothing."
