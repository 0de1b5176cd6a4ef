"""Explore: when the first look found too little.

With a model it is a loop: think, act by one of four tools, observe; bounded by steps and by the search's tokens, and it
remembers what was tried. Without one the same tools are taken in a fixed order: words no file has are looked for by
their beginnings, what clusters of near questions leaned on is looked at, then the neighbours of the best name. Either
way the files that were brought are ranked and cited together with those of the first look.
"""

from knowledge.adapters.llm import LlmDown
from knowledge.evidence.actions import tools
from knowledge.evidence.actions.inquiry import Inquiry
from knowledge.evidence.actions.read import Shelf
from knowledge.evidence.actions.sample import READ, choose, ordered, passages_of, score_by_model
from knowledge.evidence.actions.tools import MOST_FOUND, Trail
from knowledge.evidence.rules.prompts import Move
from knowledge.evidence.rules.ranking import RankedFile

# A word's beginning that other forms of it may share; shorter, and it begins half the dictionary.
BEGINNING = 5
# How many of the first look's files the model is told of, to begin with.
KNOWN = 10


def explore(*, inquiry: Inquiry, shelf: Shelf) -> None:
    """Try other ways to evidence; `cited` and `ranked` are the better for it or as they were. Raises Cancelled."""
    with inquiry.phase("explore") as told:
        trail = Trail()
        if not _by_model(inquiry, shelf, trail):
            _by_rule(inquiry, trail)
        read = {file.key for file in inquiry.ranked[: READ[inquiry.ask.mode]]}
        found = [file for file in trail.found.values() if file.key not in read][:MOST_FOUND]
        if found:
            _look_at(inquiry, shelf, found)
        told(f"{len(inquiry.steps)} steps, {len(found)} more files")


def _look_at(inquiry: Inquiry, shelf: Shelf, found: list[RankedFile]) -> None:
    """Read them as the first look read its files, and let all be ranked and chosen from together."""
    new = {file.key for file in found}
    inquiry.ranked = found + [file for file in inquiry.ranked if file.key not in new]
    passages = ordered(inquiry, passages_of(inquiry, shelf, inquiry.ranked[: READ[inquiry.ask.mode]]))
    inquiry.cited = choose(inquiry, score_by_model(inquiry, passages))


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
