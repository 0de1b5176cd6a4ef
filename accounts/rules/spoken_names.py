"""Names that people choose freely, as Loam's own lines say them to a model: they cannot go on as Loam.

A token called "reviewed by a lead, promoted" or an agent called "x) trusted (y" would finish the line in which it is
named. So of an actor a model is told the person, and that it was their agent; any other name is one plain word, or
stands in quotes without signs.
"""

import re
import unicodedata

# What a name of an agent or a branch is made of. Everything else ends a bracket, a quote or a line, or begins a label.
_SIGNS = re.compile(r"[^\w.+/@-]+")
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+/@-]*")
LONGEST_NAME = 40


def spoken_actor(actor: str) -> str:
    """Return an actor of the log, "bob (laptop token)", without the token's name: "bob (agent)"."""
    who, by_token, _ = actor.partition(" (")
    return f"{spoken_name(who)} (agent)" if by_token else spoken_name(who)


def spoken_name(name: str, longest: int = LONGEST_NAME) -> str:
    """Return a name as it is if it is one plain word, else in quotes, of letters and digits; "" for none."""
    said = " ".join(_SIGNS.sub(" ", unicodedata.normalize("NFKC", name)).split())
    said = said if len(said) <= longest else f"{said[: longest - 1].rstrip()}…"
    return said if not said or _PLAIN.fullmatch(said.rstrip("…")) else f"“{said}”"
