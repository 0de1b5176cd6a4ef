"""What an insight is found by: its words, its vector, and its anchors."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from knowledge.lifecycle.rules import decay, lifecycle
from knowledge.models.anchor import Anchor
from knowledge.retrieval.rules import bm25
from knowledge.retrieval.rules.relevance import prose
from knowledge.retrieval.rules.score import Score
from knowledge.rules.draft import searchable, searched
from knowledge.rules.quality import GATE, quality
from knowledge.rules.vectors import half, lexemes, sparse
from knowledge.rules.vocabulary import AnchorKind

if TYPE_CHECKING:
    from knowledge.models.insight.insight import Insight
    from knowledge.models.lexicon import Lexicon

# What `recollect` and `index_words` set.
WORD_FIELDS = ["heard", "lexemes", "bm25", "bm25_recipe", "length", "prose"]


class Searchable:
    """An insight as searches find it."""

    if TYPE_CHECKING:
        title: Any
        body: Any
        reasoning: Any
        questions: Any
        quality: Any
        strength: Any
        lexemes: Any
        bm25: Any
        bm25_recipe: Any
        length: Any
        prose: Any
        heard: Any
        embedding: Any
        embedded_by: Any
        anchors: Any
        corroborations: Any
        _state: Any

    @property
    def tags(self) -> list[str]:
        return self._anchored(AnchorKind.TAG)

    @property
    def files(self) -> list[str]:
        return self._anchored(AnchorKind.FILE)

    @property
    def symbols(self) -> list[str]:
        return self._anchored(AnchorKind.SYMBOL)

    @property
    def errors(self) -> list[str]:
        """What the errors say that it is about."""
        return self._anchored(AnchorKind.MESSAGE)

    def index_merged_terms(self, lexicon: "Lexicon", *, counted: list[str]) -> None:
        """Collect the words of what is merged into it again, and index with them. `counted`: its words so far."""
        self.recollect()
        lexicon.count(removed=[counted], added=[self.words])
        self.index_words(self.words, lexicon.pivot)

    def recollect(self) -> None:
        """Collect again the words of what is merged into it that it does not have itself."""
        said = self.corroborations.all().merged().order_by("at", "pk")
        told = [(row.user_id, bm25.terms(row.searched)) for row in said]
        self.heard = lifecycle.heard_words(set(bm25.terms(self.searched)), told)

    @property
    def text(self) -> str:
        """What it says, as one text: what it is judged by."""
        return searchable(self.title, self.body, self.reasoning)

    @property
    def searched(self) -> str:
        """What is embedded and searched by keyword: what it says, and the questions that it answers."""
        return searched(self.text, self.questions)

    @property
    def words(self) -> list[str]:
        """The terms it is searched by, repeated as often as they occur."""
        return [*bm25.terms(self.searched), *self.heard]

    def index_words(self, words: list[str], pivot: float) -> None:
        """Set what keyword search needs; `pivot` is the average length the team's vectors assume."""
        self.lexemes = lexemes(words)
        self.bm25 = sparse(bm25.document_weights(words, pivot))
        self.bm25_recipe = bm25.RECIPE
        self.length = len(words)
        self.prose = prose(self.text)

    def set_vector(self, vector: np.ndarray | None, model: str) -> None:
        """Set the meaning vector, or none: the sweep makes what is missing."""
        self.embedding = None if vector is None else half(vector)
        self.embedded_by = "" if vector is None else model

    def know_anchors(self, anchored: Iterable[str]) -> None:
        """Take the anchors from what a query has brought already ("kind:value"), as a prefetch would."""
        pairs = (text.partition(":") for text in anchored)
        known = [Anchor(insight=cast("Insight", self), kind=kind, value=value) for kind, _, value in pairs]
        self._prefetched_objects_cache = {"anchors": known}

    def assess(self, anchors: int) -> Score:
        """Set the quality; what is new and says next to nothing starts weak. `anchors`: how many it has."""
        found = quality(self.title, self.body, self.reasoning, anchors)
        self.quality = found.total
        if self._state.adding and self.quality < GATE:
            self.strength = min(self.strength, decay.WEAK)
        return found

    def join_anchors(self, anchors: Iterable[Anchor]) -> set[tuple[str, str]]:
        """Add those it does not have yet; returns kind and value of each of them."""
        known = set(self.anchors.values_list("kind", "value"))
        new = [anchor.of(cast("Insight", self)) for anchor in anchors if (anchor.kind, anchor.value) not in known]
        Anchor.objects.bulk_create(new, ignore_conflicts=True)
        return {(anchor.kind, anchor.value) for anchor in new}

    def replace_anchors(self, kinds: Iterable[AnchorKind], anchors: Iterable[Anchor]) -> None:
        """Drop the anchors of `kinds` and put these in their place."""
        self.anchors.filter(kind__in=list(kinds)).delete()
        Anchor.objects.bulk_create([anchor.of(cast("Insight", self)) for anchor in anchors])
        self.forget_read_anchors()

    def forget_read_anchors(self) -> None:
        """Drop those that were read with the row and are not its any more."""
        getattr(self, "_prefetched_objects_cache", {}).pop("anchors", None)

    def _anchored(self, kind: AnchorKind) -> list[str]:
        return sorted(anchor.value for anchor in self.anchors.all() if anchor.kind == kind)
