from knowledge.models.anchor import Anchor
from knowledge.models.background_job import BackgroundJob
from knowledge.models.comment import Comment, Mention
from knowledge.models.conflict import Conflict
from knowledge.models.edit_proposal import EditProposal
from knowledge.models.former_reference import Forgotten, FormerRef, Quarantined
from knowledge.models.inbox_state import InboxState
from knowledge.models.insight import Insight
from knowledge.models.lexicon import Lexicon, Term
from knowledge.models.pair import Pair
from knowledge.models.query import Query
from knowledge.models.receipt import Receipt
from knowledge.models.saved_filter import SavedFilter
from knowledge.models.signal import Corroboration, Signal
from knowledge.models.standing import ContributorStanding
from knowledge.models.topic import Topic
from knowledge.models.undoable_action import UndoableAction

__all__ = [
    "Anchor",
    "BackgroundJob",
    "Comment",
    "Conflict",
    "ContributorStanding",
    "Corroboration",
    "EditProposal",
    "Forgotten",
    "FormerRef",
    "InboxState",
    "Insight",
    "Lexicon",
    "Mention",
    "Pair",
    "Quarantined",
    "Query",
    "Receipt",
    "SavedFilter",
    "Signal",
    "Term",
    "Topic",
    "UndoableAction",
]
