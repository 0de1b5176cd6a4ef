"""Explore: when the first look found too little.

With a model it is a loop: think, act by one of four tools, observe; bounded by steps and by the search's tokens, and it
remembers what was tried. Without one the same tools are taken in a fixed order: words no file has are looked for by
their beginnings, what clusters of near questions leaned on is looked at, then the neighbours of the best name. Either
way the files that were brought are ranked and cited together with those of the first look.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from knowledge.adapters.llm import LlmDown
from knowledge.evidence.actions import tools
from knowledge.evidence.actions.inquiry import Inquiry
from knowledge.evidence.actions.read import Shelf
from knowledge.evidence.actions.sample import READ, choose, ordered, passages_of, score_by_model
from knowledge.evidence.actions.tools import MOST_FOUND, Trail
from knowledge.evidence.rules import sampling
from knowledge.evidence.rules.prompts import Move
from knowledge.evidence.rules.ranking import RankedFile

# A word's beginning that other forms of it may share; shorter, and it begins half the dictionary.
BEGINNING = 5
# How many of the first look's files the model is told of, to begin with.
KNOWN = 10


# Files a model chooses from by their names, sizes and dates, and what its first choice adds to a file's score (the
# best content is worth 1); the others add less by their place.
CHOSEN_FROM = 40
BY_ORDER = 0.5
# What a passage must be judged, of 1, to be a direct answer.
DIRECT = sampling.ENOUGH / 10


def rank_by_model(*, inquiry: Inquiry) -> None:
    """Let a model choose from the first files by what is known of them before they are read."""
    if inquiry.model is None or len(inquiry.ranked) < 2:
        return
    with inquiry.phase("order") as told:
        first = inquiry.ranked[:CHOSEN_FROM]
        try:
            chosen = inquiry.model.order(
                inquiry.ask.text, [_known_of(inquiry, n, one) for n, one in enumerate(first, 1)]
            )
        except LlmDown as down:
            inquiry.notes.down("llm", str(down))
            return
        more = {first[at].key: BY_ORDER * (1 - place / len(chosen)) for place, at in enumerate(chosen)}
        ranked = [replace(one, score=one.score + more.get(one.key, 0.0)) for one in inquiry.ranked]
        inquiry.ranked = sorted(ranked, key=lambda one: -one.score)
        told(f"{len(chosen)} files, first {inquiry.ranked[0].path}")


def _known_of(inquiry: Inquiry, number: int, file: RankedFile) -> dict[str, Any]:
    found = inquiry.scans[file.source].files[file.path]
    counted = inquiry.census.get(file.source)
    changed = datetime.fromtimestamp(found.mtime_ns / 1e9, UTC).date().isoformat()
    words = dict(counted.counts.get(file.path, {})) if counted else {}
    return {"number": number, "path": file.path, "bytes": found.size, "changed": changed, "words": words}


def may_be_elsewhere(inquiry: Inquiry) -> bool:
    """Whether a model has judged what was found, and nothing answers directly: better read on than write."""
    if inquiry.model is None or not inquiry.model.may("step"):
        return False
    was_judged = any(call.purpose == "score" and not call.outcome for call in inquiry.model.calls)
    return was_judged and max((one.judged or 0.0 for one in inquiry.cited), default=0.0) < DIRECT


def explore(*, inquiry: Inquiry, shelf: Shelf) -> None:
    """Try other ways to evidence; `cited` and `ranked` are the better for it or as they were. Raises Cancelled."""
    with inquiry.phase("explore") as told:
        trail = Trail()
        if not _by_model(inquiry, shelf, trail):
            _by_rule(inquiry, trail)
        known = {file.key for file in inquiry.ranked[: READ[inquiry.ask.mode]]}
        new = [file for file in trail.found.values() if file.key not in known]
        found = sorted(new, key=lambda file: file.key not in trail.read)[: max(MOST_FOUND, len(trail.read))]
        if found or trail.read:
            _look_at(inquiry, shelf, found, trail.read)
        told(f"{len(inquiry.steps)} steps, {len(found)} more files")


def _look_at(inquiry: Inquiry, shelf: Shelf, found: list[RankedFile], read: Sequence[tuple[str, str]]) -> None:
    """Read them as the first look read its files, and let all be ranked and chosen from together. What was `read` in
    the exploration is judged first, whatever its place.
    """
    new = {file.key for file in found}
    inquiry.ranked = found + [file for file in inquiry.ranked if file.key not in new]
    passages = ordered(inquiry, passages_of(inquiry, shelf, inquiry.ranked[: READ[inquiry.ask.mode]]))
    judged = score_by_model(inquiry, passages, read)
    # Without a judgement this time, that of the first look stands.
    if judged is passages and any(one.judged is not None for one in inquiry.cited):
        return
    inquiry.cited = choose(inquiry, judged)


def _by_model(inquiry: Inquiry, shelf: Shelf, trail: Trail) -> bool:
    """The loop; False when the model did not say a single step."""
    if inquiry.model is None:
        return False
    known = [file.path for file in inquiry.ranked[:KNOWN]]
    trail.shown.append({"tool": "first look", "asked": inquiry.ask.text, "seen": "\n".join(known) or "none"})
    for loop in range(inquiry.ask.max_loops):
        inquiry.stop_if_gone()
        if inquiry.late:
            inquiry.notes.down("time", "the exploration was stopped early")
            return True
        if not inquiry.model.may("step"):
            return loop > 0  # what is left is for judging what was read, and for the briefing
        try:
            move = inquiry.model.step(inquiry.ask.text, trail.shown)
        except LlmDown as down:
            inquiry.notes.down("llm", str(down))
            return loop > 0
        if move.tool == "finish":
            return True
        _act(inquiry, shelf, trail, move)
    return True


def _act(inquiry: Inquiry, shelf: Shelf, trail: Trail, move: Move) -> None:
    if move.tool == "keyword_search":
        tools.keyword_search(inquiry, trail, move.arguments)
    elif move.tool == "file_read":
        tools.file_read(inquiry, shelf, trail, move.arguments)
    elif move.tool == "knowledge_query":
        tools.knowledge_query(inquiry, trail, move.arguments[0])
    else:
        tools.dir_scan(inquiry, trail, move.arguments[0] if move.arguments else "")


def _by_rule(inquiry: Inquiry, trail: Trail) -> None:
    left = inquiry.ask.max_loops
    have = set(inquiry.rarity)
    missing = [word[:BEGINNING] for word in inquiry.keywords.words if word not in have and len(word) > BEGINNING]
    if missing and left > 0:
        tools.keyword_search(inquiry, trail, sorted(set(missing)))
        left -= 1
    if inquiry.hints and left > 0:
        tools.knowledge_query(inquiry, trail, inquiry.ask.text)
        left -= 1
    named = [file for file in inquiry.ranked if file.structure > 0][:1] or inquiry.ranked[:1]
    if named and left > 0 and not inquiry.late:
        tools.dir_scan(inquiry, trail, named[0].path.rpartition("/")[0])
