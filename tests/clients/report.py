"""The tables, as Markdown."""

from collections.abc import Sequence

from tests.clients.facts import KINDS
from tests.clients.stories import Outcome

# Four characters a token: the rule by which Loam itself packs, and the usual one for English and code.
CHARACTERS_A_TOKEN = 4


def tokens(text: str) -> int:
    return -(-len(text) // CHARACTERS_A_TOKEN)


def story_table(outcomes: Sequence[Outcome]) -> str:
    """The share of the planted facts that the next model is told."""
    lines = [
        "| story | planted | Loam, at the start | Loam, with the call it names | whole context | missing | invented |",
        "|---|---:|---:|---:|---:|---|---|",
    ]
    counts = [0, 0, 0, 0]
    for outcome in outcomes:
        found = [len(outcome.held(text)) for text in (outcome.at_start, outcome.told, outcome.context)]
        counts = [total + one for total, one in zip(counts, [len(outcome.facts), *found], strict=True)]
        missing = ", ".join(f"{fact.kind}: {fact.words}" for fact in outcome.missing)
        wrong = ", ".join([*outcome.invented, *(f"told: {words}" for words in outcome.leaked)])
        lines.append(f"| {outcome.story} | {len(outcome.facts)} | {' | '.join(map(str, found))} | {missing} | {wrong} |")
    total = counts[0] or 1
    lines.append(f"| **share** | {counts[0]} | {' | '.join(f'**{one / total:.2f}**' for one in counts[1:])} | | |")
    lines += ["", *_by_kind(outcomes)]
    return "\n".join(lines) + "\n"


def _by_kind(outcomes: Sequence[Outcome]) -> list[str]:
    lines = ["| kind | planted | Loam | whole context |", "|---|---:|---:|---:|"]
    for kind in KINDS:
        planted = sum(fact.kind == kind for outcome in outcomes for fact in outcome.facts)
        told = sum(fact.kind == kind for outcome in outcomes for fact in outcome.held(outcome.told))
        read = sum(fact.kind == kind for outcome in outcomes for fact in outcome.held(outcome.context))
        if planted:
            lines.append(f"| {kind} | {planted} | {told / planted:.2f} | {read / planted:.2f} |")
    return lines
