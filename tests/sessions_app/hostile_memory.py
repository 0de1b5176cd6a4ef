"""A memory in which all that can be written was written by somebody hostile, and what every answer calls a text."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from drf_spectacular.generators import SchemaGenerator

from accounts.actions.preferences import state
from accounts.rules.rights import Member
from knowledge.judging.actions.relate import relate
from knowledge.judging.rules.relations import Reason, Relation, Statement, Verdict
from knowledge.lifecycle.actions.standing import restore_standing
from knowledge.models import Insight, Pair
from knowledge.review.actions.settle import dismiss, report, resolve
from sessions_app.actions.annotations import annotate
from sessions_app.conversations.actions.share import share
from sessions_app.transcripts.rules.speakers import SharedTurns
from sessions_app.transcripts.rules.turn import Turn
from skills.actions import author
from skills.rules.sheet import Sheet
from tests.conftest import NOW
from tests.factories import make_insight, make_proposal
from tests.sessions_app.conversations.talk import talk
from tests.sessions_app.mcp.injections import INJECTIONS

ABOUT = "The importer reads CSV in chunks of memory."
ALL = f"{ABOUT}\n" + "\n\n".join(INJECTIONS)
SOME = [inj for inj in INJECTIONS if "\n" not in inj][:40]
# What a session leaves to the next one.
LEFT: dict[str, Any] = {
    "summary": ALL[:3_000],
    "pending": SOME[:9],
    "handoff_note": ALL[:1_500],
    "blockers": SOME[9:12],
}


def fill(alice: Member, files: Path) -> str:
    """Write it, in the name of Alice and in the files of a source; return the session that was talked in."""
    lines = "\n\n".join(f"The quarterly kestrel report says: {text}" for text in INJECTIONS)
    (files / "kestrel.md").write_text(f"# Kestrel report\n\n{lines}\n")
    for number, start in enumerate(range(0, len(INJECTIONS), 30)):
        body = f"{ABOUT}\n" + "\n\n".join(INJECTIONS[start : start + 30])
        title = f"CSV importer memory {number} {SOME[number]}"
        row = make_insight(
            alice, body=body, title=title, reasoning=body[:900].rpartition("\n")[0], questions=[title[:190]]
        )
        Insight.objects.filter(pk=row.pk).update(pinned=number < 3)
    _questions(alice)
    for number, text in enumerate(SOME[:12]):
        state(key=f"key_{number}", value=text[:60], category="general", team="platform", by=alice, now=NOW)
    sheet = Sheet(name="csv-import", description=f"How to import CSV {SOME[0]}", instructions=ALL)
    author.create(sheet=sheet, team="platform", by=alice, now=NOW, live=True)
    said = [Turn("user", f"How do we import CSV? {text}") for text in SOME[:10]]
    ref = talk(alice, [*said, Turn("assistant", ALL), Turn("user", "Keep the CSV importer's limit at 5,000 rows.")]).ref
    share(repo="shop", team="platform", turns=SharedTurns.ALL, by=alice, now=NOW)
    return ref


def _questions(alice: Member) -> None:
    """What stands beside notes: reasons of reports and of decisions, a scope, remarks on relations, edits and notes."""
    for number, (a, b) in enumerate((("PLAT-1", "PLAT-2"), ("PLAT-1", "PLAT-3"), ("PLAT-2", "PLAT-3"))):
        pair = report(a=a, b=b, reason=SOME[10 + number], by=alice, now=NOW)
        if number:
            settled = {"scope": SOME[13]} if number == 1 else {"why": SOME[14]}
            (resolve if number == 1 else dismiss)(pair_id=pair.pk, by=alice, now=NOW, **settled)
    relate(ref="PLAT-4", statements=[Statement("PLAT-1", Relation.COMPLEMENTS, SOME[15])], by=alice, now=NOW)
    row = Insight.objects.get(ref="PLAT-1")
    make_proposal(row, alice, title=f"CSV {SOME[16]}", note=SOME[17])
    for new, why in (("PLAT-5", ""), ("PLAT-6", SOME[18])):
        _rejected(new, "PLAT-4", why, alice)
    annotate(text=SOME[19][:80], team="platform", by=alice, now=NOW)
    restore_standing(team="platform", username="alice", by=alice, now=NOW, why=SOME[20])


def _rejected(new: str, old: str, why: str, alice: Member) -> None:
    """One was proposed to replace the other, with a remark, and a lead has dismissed that."""
    rows = {row.ref: row for row in Insight.objects.filter(ref__in=[new, old])}
    verdict = Verdict(Relation.SUPERSEDES, "agent", 0.9, Reason.STATED, note=SOME[21])
    pair = Pair.stated(
        rows[old], rows[new], question=Pair.Question.SUPERSESSION, verdict=verdict, reason=SOME[21],
        successor=rows[new], by=alice, at=NOW,
    )  # fmt: skip
    dismiss(pair_id=pair.pk, by=alice, now=NOW, why=why)


def texts_of_the_schema() -> dict[str, set[str]]:
    """Where each operation of the API answers with a field called `text`: operation → places (`handoff.text`)."""
    schema: Any = SchemaGenerator().get_schema(request=None, public=True)
    shapes = schema["components"]["schemas"]

    def places(shape: Any, path: str, within: frozenset[str]) -> Iterator[str]:
        if name := shape.get("$ref", "").rpartition("/")[2]:
            if name not in within:
                yield from places(shapes[name], path, within | {name})
            return
        for one in (*shape.get("allOf", ()), *shape.get("oneOf", ()), *shape.get("anyOf", ())):
            yield from places(one, path, within)
        if "items" in shape:
            yield from places(shape["items"], f"{path}[]", within)
        for name, one in shape.get("properties", {}).items():
            place = f"{path}.{name}".lstrip(".")
            yield from [place] if name == "text" else []
            yield from places(one, place, within)

    found: dict[str, set[str]] = {}
    for operations in schema["paths"].values():
        for operation in operations.values():
            for status, answer in operation.get("responses", {}).items():
                for content in answer.get("content", {}).values() if status.startswith("2") else ():
                    here = set(places(content.get("schema", {}), "", frozenset()))
                    found.setdefault(operation["operationId"], set()).update(here)
    return {name: here for name, here in found.items() if here}


def at(answer: Any, place: str) -> list[str]:
    """The texts of an answer at such a place."""
    name, _, rest = place.partition(".")
    inner = (answer or {}).get(name.removesuffix("[]"))
    several = (inner or []) if name.endswith("[]") else [inner]
    return [text for one in several for text in (at(one, rest) if rest else [one]) if text]
