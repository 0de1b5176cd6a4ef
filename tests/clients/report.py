"""The tables, as Markdown."""

from collections.abc import Sequence

from tests.clients.facts import KINDS
from tests.clients.measures import Measured
from tests.clients.project import Shared
from tests.clients.stories import Outcome


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
        lines.append(
            f"| {outcome.story} | {len(outcome.facts)} | {' | '.join(map(str, found))} | {missing} | {wrong} |"
        )
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


def client_table(measured: Sequence[Measured]) -> str:
    """A column for each client; tokens by four characters."""
    rows: list[tuple[str, list[str]]] = [
        ("version", [one.version for one in measured]),
        ("configured", [one.configured for one in measured]),
        ("hooks fired, headless", [_listed(one.headless) for one in measured]),
        ("hooks fired, interactive", [_listed(one.interactive) for one in measured]),
        ("orientation received, tokens", [str(one.orientation or "none") for one in measured]),
        ("surfaced with the prompt, tokens", [str(one.surfaced or "none") for one in measured]),
        ("tools of Loam's seen", [str(len(one.tools)) for one in measured]),
        ("`tools/list` as the model sees it, tokens", [f"{one.listed:,}" for one in measured]),
        ("a default query, tokens", [f"{one.query:,}" for one in measured]),
        ("evidence, tokens", [f"{one.evidence:,}" for one in measured]),
        ("a handoff by the call it names, tokens", [_or_none(one.handoff) for one in measured]),
        ("told by Loam after a kill, facts", [f"{one.found} of {one.planted}" for one in measured]),
    ]
    lines = [f"| | {' | '.join(one.client for one in measured)} |", f"|---|{'---|' * len(measured)}"]
    return "\n".join([*lines, *(f"| {name} | {' | '.join(cells)} |" for name, cells in rows)]) + "\n"


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words) or "none"


def _or_none(number: int | None) -> str:
    return "no such call" if number is None else f"{number:,}"


def project_table(shared: Sequence[Shared | None]) -> str:
    """What a colleague gets from the committed files alone."""
    lines = [
        "| client | committed | of these with a path of the machine | tools seen by the colleague | orientation |",
        "|---|---|---|---:|---|",
    ]
    for one in filter(None, shared):
        files, paths = _listed(one.committed), _listed(one.paths)
        lines.append(f"| {one.client} | {files} | {paths} | {one.tools} | {'yes' if one.orientation else 'no'} |")
    return "\n".join(lines) + "\n"
