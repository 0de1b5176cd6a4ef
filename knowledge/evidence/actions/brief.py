"""Brief: what the evidence says, in its own words, with patterns and a confidence."""

import re
from collections.abc import Callable
from dataclasses import replace

from knowledge.adapters.llm import LlmDown
from knowledge.evidence.actions.inquiry import Inquiry
from knowledge.evidence.rules import briefing, disagreement
from knowledge.evidence.rules.ask import Brief
from knowledge.evidence.rules.confidence import AT_MOST_OUTDATED, AT_MOST_UNFOUND, by_model, is_found, reported, surest
from knowledge.evidence.rules.coverage import MONTHS
from knowledge.evidence.rules.rows import is_table
from knowledge.evidence.rules.tokens import as_written, holds
from knowledge.rules.numbers import without_unsupported

# What a briefing must still have when statements were taken out of it.
_CITES = re.compile(r"\[\d{1,3}\]")


def brief(*, inquiry: Inquiry) -> Brief:
    with inquiry.phase("brief") as told:
        passages = [
            briefing.BriefingPassage(number, one.place, one.heading, one.text, one.score, is_table(one.path))
            for number, one in enumerate(inquiry.cited, start=1)
        ]
        written = _write_by_model(inquiry, passages)
        if written is not None and is_found(written.confidence):
            if written.confidence < briefing.SURE:
                written = replace(written, content=f"{briefing.UNSURE_LINE}\n\n{written.content}")
            written = _with_disagreement(inquiry, written)
            told(f"{len(written.patterns)} patterns, confidence {written.confidence:.2f}, by {written.written_by}")
            return written
        sure = sureness(inquiry) if written is None else written.confidence
        if not is_found(sure):
            return _unfound(inquiry, reported(sure), told)
        differs = inquiry.disagreement
        outdated = (differs.older.number, differs.said) if differs else None
        done = briefing.brief(passages, inquiry.keywords, inquiry.rarity, sure, outdated, _superseded(inquiry))
        told(f"{len(done.patterns)} patterns, confidence {sure:.2f}")
        return _with_disagreement(inquiry, Brief(done.content, done.patterns, sure))


def _superseded(inquiry: Inquiry) -> dict[int, int]:
    """The number of each cited passage whose file is superseded by a cited one → that one's number."""
    keys = [(one.source, one.path) for one in inquiry.cited]
    newer = {number: inquiry.superseded.get(key) for number, key in enumerate(keys, start=1)}
    return {number: keys.index(key) + 1 for number, key in newer.items() if key in keys}


def _with_disagreement(inquiry: Inquiry, done: Brief) -> Brief:
    """The brief below the lines that say which cited files disagree, or which may, if any do."""
    if inquiry.disagreement is not None:
        return replace(done, content=f"{disagreement.lines(inquiry.disagreement)}\n\n{done.content}")
    if inquiry.newer is not None:
        return replace(done, content=f"{disagreement.newer_line(*inquiry.newer)}\n\n{done.content}")
    return done


# Passages shown when none of them answers.
NEAREST = 3


def _unfound(inquiry: Inquiry, sure: float, told: Callable[[str], None]) -> Brief:
    """Say that nothing was found, where it was looked for, and what is nearest; nothing is cited any more."""
    inquiry.nearest, inquiry.cited = inquiry.cited, []
    files = sum(len(one.files) for one in inquiry.scans.values())
    places = [one.place for one in inquiry.nearest[:NEAREST]]
    told(f"not found, {len(places)} passages are nearest")
    shown = inquiry.ask.text.lower()
    absent = [term for term in inquiry.exact if term.lower() in inquiry.weights.absent]
    told_of = "\n".join(f"{one.path} {one.heading} {one.text}" for one in inquiry.nearest[:NEAREST]).lower()
    said = MONTHS | {term.lower() for term in absent}  # a month may stand there as a number
    names = [one for one in inquiry.things if len(one) > 1 and one not in said]
    unnamed = [as_written(inquiry.ask.text, one) for one in names if not holds(told_of, one)]
    if inquiry.has_secret:  # a term that the question shows masked is not spelled out either
        absent, unnamed = ([one for one in some if one.lower() in shown] for some in (absent, unnamed))
    sources = [one.slug for one in inquiry.sources]
    return Brief(briefing.not_found(files, sources, places, absent, unnamed), (), sure)


def _write_by_model(inquiry: Inquiry, passages: list[briefing.BriefingPassage]) -> Brief | None:
    """By the model, its citations checked and the list of sources ours; None where there is none, or it is down.

    Its confidence counts no more than the evidence's own: a model is sure of everything.
    """
    if inquiry.model is None or not passages:
        return None
    try:
        given = [{"number": one.number, "place": one.place, "text": one.text} for one in passages]
        done = inquiry.model.brief(inquiry.ask.text, given)
    except LlmDown as down:
        inquiry.notes.down("llm", str(down))
        return None
    sure = (
        by_model(done.confidence, sureness(inquiry)) if done.sufficient else min(done.confidence, AT_MOST_UNFOUND / 2)
    )
    said, unsupported = without_unsupported(done.content, [inquiry.ask.text, *(one.text for one in passages)])
    if unsupported:
        count = f"{len(unsupported)} statement{'s' if len(unsupported) > 1 else ''}"
        inquiry.notes.down("llm", f"{count} left out, with numbers that no cited passage has")
    if not _CITES.search(said):
        return None
    content = f"{said}\n\n{briefing.sources(passages)}"
    return Brief(content, done.patterns, round(sure, 3), inquiry.model.model)


def sureness(inquiry: Inquiry) -> float:
    """The calibrated confidence of what is cited so far; 0 when nothing is. Not sure where a later file may say
    something else.
    """
    sure = surest(one.signs for one in inquiry.cited)
    return min(sure, AT_MOST_OUTDATED) if inquiry.newer and inquiry.newer[0] > inquiry.newer[1] else sure
