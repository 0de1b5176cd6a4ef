"""Brief: what the evidence says, in its own words, with patterns and a confidence."""

from knowledge.adapters.llm import LlmDown
from knowledge.evidence.actions.inquiry import Inquiry
from knowledge.evidence.rules import briefing
from knowledge.evidence.rules.ask import Brief
from knowledge.evidence.rules.confidence import UNSURE, Signs, confidence


def brief(*, inquiry: Inquiry) -> Brief:
    with inquiry.phase("brief") as told:
        passages = [
            briefing.BriefingPassage(
                number, f"{one.path}:{one.start_line}-{one.end_line}", one.heading, one.text, one.score
            )
            for number, one in enumerate(inquiry.cited, start=1)
        ]
        written = _write_by_model(inquiry, passages)
        if written is not None:
            told(f"{len(written.patterns)} patterns, confidence {written.confidence:.2f}, by {written.written_by}")
            return written
        done = briefing.brief(inquiry.ask.text, passages, inquiry.keywords, inquiry.rarity)
        sure = sureness(inquiry)
        told(f"{len(done.patterns)} patterns, confidence {sure:.2f}")
        return Brief(done.content, done.patterns, sure)


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
    sure = (done.confidence + sureness(inquiry)) / 2 if done.sufficient else min(done.confidence, UNSURE / 2)
    content = f"{done.content}\n\n{briefing.sources(passages)}"
    return Brief(content, done.patterns, round(sure, 3), inquiry.model.model)


def sureness(inquiry: Inquiry) -> float:
    """The calibrated confidence of what is cited so far; 0 when nothing is."""
    if not inquiry.cited:
        return 0.0
    return confidence(signs(inquiry))


def signs(inquiry: Inquiry) -> Signs:
    first, second = ([one.score for one in inquiry.ranked[:2]] + [0.0, 0.0])[:2]
    return Signs(
        coverage=max((one.coverage for one in inquiry.cited), default=0.0),
        cosine=None if inquiry.vector is None else max((one.cosine for one in inquiry.cited), default=0.0),
        margin=(first - second) / first if first > 0 else 0.0,
    )
