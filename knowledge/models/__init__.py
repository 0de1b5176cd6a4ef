from knowledge.models.anchor import Anchor
from knowledge.models.background_job import BackgroundJob
from knowledge.models.conflict import Conflict
from knowledge.models.former import Forgotten, FormerRef, Quarantined
from knowledge.models.insight import Insight
from knowledge.models.lexicon import Lexicon, Term
from knowledge.models.pair import Pair
from knowledge.models.query import Query
from knowledge.models.receipt import Receipt
from knowledge.models.saved import SavedFilter
from knowledge.models.signal import Corroboration, Signal
from knowledge.models.topic import Topic

__all__ = [
    "Anchor",
    "BackgroundJob",
    "Conflict",
    "Corroboration",
    "Forgotten",
    "FormerRef",
    "Insight",
    "Lexicon",
    "Pair",
    "Quarantined",
    "Query",
    "Receipt",
    "SavedFilter",
    "Signal",
    "Term",
    "Topic",
]
