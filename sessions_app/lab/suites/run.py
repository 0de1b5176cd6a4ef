"""Evaluate: the suites by name, each in temporary databases of its own, with what its figures were made on.

A new suite is a function of `SuiteRequest` to `SuiteOutcome`, entered in SUITES; measuring itself is in the app it
measures.
"""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from accounts.rules.refused import Refused
from knowledge.adapters.embedder import cached_vectors
from knowledge.models import Insight
from sessions_app.adapters.machine import machine, versions
from sessions_app.lab.corpora import transcripts
from sessions_app.lab.demo.demo import make_demo
from sessions_app.lab.measurements import retrieval as knowledge
from sessions_app.lab.metrics import abstention, comparison
from sessions_app.lab.metrics.qrels import OF_RECORD
from sessions_app.lab.metrics.tables import Table
from sessions_app.lab.suites import adversary, conversations, dedup, evidence, truth
from sessions_app.lab.suites.suite import SuiteOutcome, SuiteRequest, evaluator
from sessions_app.lab.throwaway import throwaway_database


class NoSuchSuite(Refused):
    code = "invalid"


def evaluate(*, suite: str, wanted: SuiteRequest, cache: Path) -> SuiteOutcome:
    """Run one suite. Vectors are kept in `cache`, so that a second run need not make them.

    Raises NoSuchSuite, NoSuchSet (a file of a set is missing), NoDatabase, EmbedderDown.
    """
    if suite not in SUITES:
        raise NoSuchSuite(f"Unknown suite '{suite}'; available: {', '.join(SUITES)}.")
    begun = perf_counter()
    with nullcontext() if suite in TIMED else cached_vectors(cache):
        outcome = SUITES[suite](replace(wanted, cache=cache))
    about = {
        "suite": suite,
        "date": wanted.now.isoformat(timespec="seconds"),
        "seconds": round(perf_counter() - begun, 1),
        "machine": machine(),
        "versions": versions(),
        "recipe": knowledge.recipe(),
    }
    return SuiteOutcome(about | outcome.figures, outcome.tables, outcome.missed)


# --- the suites ---------------------------------------------------------------------------------------------
def _retrieval(wanted: SuiteRequest) -> SuiteOutcome:
    """The ranking, against keywords alone, meaning alone, RRF and a fixed sum."""
    return _ranking(wanted, merging=False)


def _evaluate_written(wanted: SuiteRequest) -> SuiteOutcome:
    """The same, of what write-or-merge made of the documents."""
    return _ranking(wanted, merging=True)


def _ranking(wanted: SuiteRequest, *, merging: bool) -> SuiteOutcome:
    # All are read before the first is loaded: what is missing is said at once.
    sets = [knowledge.read_set(data=wanted.data, name=name) for name in wanted.sets or OF_RECORD]
    figures: dict[str, Any] = {}
    for judged in sets:
        with throwaway_database():
            figures[judged.name] = knowledge.retrieval(
                judged=judged, by=evaluator(), now=wanted.now, progress=wanted.progress, merging=merging
            )
    tables = comparison.tables({name: one["halves"] for name, one in figures.items()})
    return SuiteOutcome({"sets": figures}, [*tables, _sizes(figures)])


COUNTS = ("documents", "refused", "altered", "merged")


def _sizes(sets: dict[str, Any]) -> Table:
    rows = [
        [
            name,
            *(f"{one[key]:,}" for key in COUNTS),
            *map(str, one["seconds"].values()),
        ]
        for name, one in sets.items()
    ]
    columns = ["", "documents", "refused by the guard", "altered by it", "merged", "seconds to load", "seconds to ask"]
    return Table("What was loaded", columns, rows)


# Questions about the computing of the 1970s, which neither collection has answers to, and titles of notes that one has.
UNRELATED = "cacm"
KNOWN = "til_titles"
HEADINGS = {
    "demo": "CACM → demo: nothing",
    KNOWN: "CACM → TIL: nothing",
}


def _abstention(wanted: SuiteRequest) -> SuiteOutcome:
    """Whether questions about something else get no answer, and known notes are still found."""
    unrelated = knowledge.read_set(data=wanted.data, name=UNRELATED).questions
    notes = knowledge.read_set(data=wanted.data, name=KNOWN)
    now, progress = wanted.now, wanted.progress
    with throwaway_database(), TemporaryDirectory() as folder:
        make_demo(file=Path(folder) / "demo.json", url="", now=now)
        member = evaluator()
        size = Insight.objects.visible_to(member).count()
        demo = knowledge.unrelated_probes(questions=unrelated, by=member, now=now, progress=progress)
    with throwaway_database():
        documents = notes.collections.get("", [])
        loaded = knowledge.load(name="notes", documents=documents, by=evaluator(), now=now, progress=progress)
        known = knowledge.known_probes(questions=notes.questions, loaded=loaded, now=now, progress=progress)
        away = knowledge.unrelated_probes(questions=unrelated, by=loaded.by, now=now, progress=progress)
    figures = abstention.figures(known, {"demo": demo, KNOWN: away})
    collections = {"demo": size, KNOWN: len(loaded.documents)}
    asked = {"known": len(known), "unrelated": len(unrelated)}
    return SuiteOutcome(
        {"collections": collections, "questions": asked, **figures},
        abstention.tables(figures, "TIL title finds its note", HEADINGS),
    )


# What the rules were made on, and what they were only measured on: transcripts, and traps in which nothing is decided.
TRANSCRIPTS = {
    "tuned on": ("tuning.txt", "traps_tuning.txt"),
    "held out": ("held_out.txt", "traps_held_out.txt"),
    "held out, second": ("held_out_second.txt", "traps_held_out_second.txt"),
}


def _decisions(wanted: SuiteRequest) -> SuiteOutcome:
    """What is read from a transcript: decisions, files, next steps."""
    parts: dict[str, list[list[transcripts.Labelled]]] = {}
    for part, names in TRANSCRIPTS.items():
        for name in names:
            if not (wanted.data / name).is_file():
                raise knowledge.NoSuchSet(f"{wanted.data} has no {name}.")
        parts[part] = [transcripts.read((wanted.data / name).read_text(encoding="utf-8")) for name in names]
    counts = {part: transcripts.measure([*talks, *traps]) for part, (talks, traps) in parts.items()}
    sizes = {part: f"{len(talks)} transcripts, {len(traps)} traps" for part, (talks, traps) in parts.items()}
    figures = {part: {kind: count.figures for kind, count in of.items()} for part, of in counts.items()}
    return SuiteOutcome({"sizes": sizes, "parts": figures}, transcripts.tables(counts, sizes))


SUITES: dict[str, Callable[[SuiteRequest], SuiteOutcome]] = {
    "retrieval": _retrieval,
    "written": _evaluate_written,
    "abstention": _abstention,
    "decisions": _decisions,
    "pairs": dedup.evaluate_pairs,
    "truth": truth.evaluate_truth,
    "fingerprints": dedup.evaluate_fingerprints,
    "guard": dedup.evaluate_guard,
    "topics": dedup.evaluate_topics,
    "growth": dedup.evaluate_growth,
    "adversary": adversary.evaluate_adversary,
    "evidence": evidence.evaluate_evidence,
    "conversations": conversations.evaluate_conversations,
}
# Suites that measure time compute their vectors again.
TIMED = ("evidence",)
