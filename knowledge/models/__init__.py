from knowledge.models.insight import Anchor, Insight
from knowledge.models.lexicon import Lexicon, Term
from knowledge.models.query import Query
from knowledge.models.receipt import Receipt

__all__ = ["Anchor", "Insight", "Lexicon", "Query", "Receipt", "Term"]
