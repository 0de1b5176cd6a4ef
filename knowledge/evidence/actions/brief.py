"""Brief: what the evidence says, in its own words, with patterns and a confidence."""

from knowledge.evidence.actions.inquiry import Inquiry
from knowledge.evidence.rules import briefing
from knowledge.evidence.rules.ask import Brief
from knowledge.evidence.rules.confidence import Signs, confidence


def brief(*, inquiry: Inquiry) -> Brief:
    with inquiry.phase("brief") as told:
        passages = [
            briefing.Passage(number, f"{one.path}:{one.start_line}-{one.end_line}", one.heading, one.text, one.score)
            for number, one in enumerate(inquiry.cited, start=1)
        ]
        done = briefing.brief(inquiry.ask.text, passages, inquiry.keywords, inquiry.rarity)
        sure = sureness(inquiry)
        told(f"{len(done.patterns)} patterns, confidence {sure:.2f}")
        return Brief(done.content, done.patterns, sure)


def sureness(inquiry: Inquiry) -> float:
    """The calibrated confidence of what is cited so far; 0 when nothing is."""
    if not inquiry.cited:
        return 0.0
    return confidence(signs(inquiry))


def signs(inquiry: Inquiry) -> Signs:
    first, second = ([one.score for one in inquiry.ranked[:2]] + [0.0, 0.0])[:2]
    return Signs(
        coverage=max((one.coverage for one in inquiry.cited), default=0.0),
        cosine=max((one.cosine for one in inquiry.cited), default=0.0),
        margin=(first - second) / first if first > 0 else 0.0,
    )
