"""Statements of a member's agents about others' notes that have nothing in common with their own: how many a day, and
which of them wait until somebody has looked.
"""

from datetime import datetime

from accounts.rules.rights import Level, Member
from knowledge.judging.actions.successions import DAY
from knowledge.judging.rules.nearness import BELONG, nearness_of_texts
from knowledge.judging.rules.relations import Reason, Relation
from knowledge.models import Insight, Pair
from knowledge.models.lexicon import belongs, nothing_in_common, similarity

# Statements a day of a member's agents about others' notes that have nothing in common with theirs. Of 44 changes of
# one team told at work 4 are so (docs/decisions/0014-relations.md).
MOST_UNLIKE_A_DAY = 3
# Contradictions of others' notes a day, however alike: each marks both notes, and a shared word is easily added.
MOST_CONTRADICTED_A_DAY = 10
# The same limit for reports that two notes of others contradict each other: the reporter deposited neither and knows
# only their texts.
MOST_REPORTED_A_DAY = 5
# Once a lead has dismissed this many of a member's statements in a day, further ones are refused.
MOST_DISMISSED_A_DAY = 3
# Links a day to notes of others that are not near (`nearness.BELONG`): once both notes are confirmed, each shows the
# other's words. Links to neighbours, which agents are asked about, are limited to a hundred a day.
MOST_FAR_LINKED_A_DAY = 10


# Relations that put neither note in doubt.
LINKING = (Relation.COMPLEMENTS, Relation.UNRELATED)
# The limited relations. `unrelated` is shown to nobody, and `duplicates` needs texts that are alike.
_LIMITED = (Relation.SUPERSEDES, Relation.CONTRADICTS, Relation.COMPLEMENTS)


def caution(row: Insight, other: Insight, relation: Relation, by: Member) -> Reason:
    """Return why readers and leads should look twice at an agent's statement about the two; `stated` if there is no
    reason.
    """
    if _is_unlike(row, other, relation, by):
        return Reason.NOT_ALIKE
    return Reason.FAR if _is_far_link(row, other, relation, by) else Reason.STATED


def _is_unlike(row: Insight, other: Insight, relation: Relation, by: Member) -> bool:
    """Return whether the two have nothing in common and nobody entitled has looked at the statement. Links between
    one's own notes, notes of teams one leads, or notes whose authors both state the link need no review. A link shows
    words of either below the other, so a rare word or two in common are not enough.
    """
    if relation not in LINKING:
        return nothing_in_common(row, other)
    return not belongs(row, other) and _concerns_others(row, other, by) and not _vouched_for(row, other, by)


def _is_far_link(row: Insight, other: Insight, relation: Relation, by: Member) -> bool:
    """Return whether the statement links two notes, one of them not the member's, whose relation neither meaning nor
    words show. Then only the member knows why, and their words stand below no confirmed note before somebody has
    looked.
    """
    if relation is not Relation.COMPLEMENTS or row.embedding is None or other.embedding is None:
        return False
    far = nearness_of_texts(similarity(row, other), row.text, other.text) < BELONG
    return far and _concerns_others(row, other, by) and not _vouched_for(row, other, by)


def one_of_too_many(
    row: Insight, other: Insight, relation: Relation, caution: Reason, *, by: Member, at: datetime
) -> bool:
    """Return whether the member's agents have reached today's limit of statements about others' notes that are unlike
    theirs or contradicted by them. A single statement may be right, but dozens fill the leads' inbox and the lines
    below everybody's notes.
    """
    if relation not in _LIMITED or not _concerns_others(row, other, by):
        return False
    said = Pair.objects.all().stated_of_others_by(by.user_id, since=at - DAY)
    if caution is Reason.NOT_ALIKE:
        if said.unlike().count() >= MOST_UNLIKE_A_DAY:
            return True
    elif caution is Reason.FAR:
        linked = said.filter(relation=Relation.COMPLEMENTS, verdict__reason=Reason.FAR)
        return linked.count() >= MOST_FAR_LINKED_A_DAY
    return relation is Relation.CONTRADICTS and _contradicts_too_much(by, at)


def reports_too_much(a: Insight, b: Insight, *, by: Member, at: datetime) -> bool:
    """Return whether the member has reported or stated as many contradictions between others' notes today as a lead
    looks through.
    """
    if not _concerns_others(a, b, by):
        return False
    reported = Pair.objects.all().contradictions_by(by.user_id, since=at - DAY).of_others_alone(by.user_id)
    of_others = by.user_id not in (a.author_id, b.author_id)
    return _contradicts_too_much(by, at) or (of_others and reported.count() >= MOST_REPORTED_A_DAY)


def _contradicts_too_much(by: Member, at: datetime) -> bool:
    said = Pair.objects.all().contradictions_by(by.user_id, since=at - DAY)
    dismissed = said.filter(state=Pair.State.DISMISSED, settled_by_lead=True)
    return said.count() >= MOST_CONTRADICTED_A_DAY or dismissed.count() >= MOST_DISMISSED_A_DAY


def _concerns_others(row: Insight, other: Insight, by: Member) -> bool:
    """Return whether one of the two is somebody else's, and the member does not lead their team."""
    return {row.author_id, other.author_id} != {by.user_id} and not by.may(row.team_id, Level.LEAD)


def _vouched_for(row: Insight, other: Insight, by: Member) -> bool:
    """Return whether the authors of both notes say that they belong together: one has, and now the other does."""
    authors = {row.author_id, other.author_id}
    said = Pair.objects.all().of_both(row.pk, other.pk).filter(relation=Relation.COMPLEMENTS)
    return None not in authors and any(authors == {by.user_id, pair.stated_by_user_id} for pair in said)
