"""The columns that an insight is found by: its words, its vector and its anchors."""

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

# The columns that `recollect` and `index_words` set.
WORD_FIELDS = ["heard", "lexemes", "bm25", "bm25_recipe", "length", "prose"]


class Searchable:
    """Mixin of Insight for search."""

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
        """The messages of the errors that it is about."""
        return self._anchored(AnchorKind.MESSAGE)

    def index_merged_terms(self, lexicon: "Lexicon", *, counted: list[str]) -> None:
        """Collect the words of merged texts again, and index them. `counted`: the insight's words as counted so far."""
        self.recollect()
        lexicon.count(removed=[counted], added=[self.words])
        self.index_words(self.words, lexicon.pivot)

    def recollect(self) -> None:
        """Set `heard`: the words of merged texts that the insight does not have itself."""
        said = self.corroborations.all().merged().order_by("at", "pk")
        told = [(row.user_id, bm25.terms(row.searched)) for row in said]
        self.heard = lifecycle.heard_words(set(bm25.terms(self.searched)), told)

    @property
    def text(self) -> str:
        """Its title, body and reasoning as one text."""
        return searchable(self.title, self.body, self.reasoning)

    @property
    def searched(self) -> str:
        """The text that is embedded and searched by keyword: its own, and the questions that it answers."""
        return searched(self.text, self.questions)

    @property
    def words(self) -> list[str]:
        """The terms it is indexed by, with repetitions."""
        return [*bm25.terms(self.searched), *self.heard]

    def index_words(self, words: list[str], pivot: float) -> None:
        """Set the columns of keyword search. `pivot`: the average length that the team's keyword vectors assume."""
        self.lexemes = lexemes(words)
        self.bm25 = sparse(bm25.document_weights(words, pivot))
        self.bm25_recipe = bm25.RECIPE
        self.length = len(words)
        self.prose = prose(self.text)

    def set_vector(self, vector: np.ndarray | None, model: str) -> None:
        """Set the vector; None leaves it to the sweep."""
        self.embedding = None if vector is None else half(vector)
        self.embedded_by = "" if vector is None else model

    def know_anchors(self, anchored: Iterable[str]) -> None:
        """Set the anchors from strings ("kind:value") that a query has returned, as a prefetch would."""
        pairs = (text.partition(":") for text in anchored)
        known = [Anchor(insight=cast("Insight", self), kind=kind, value=value) for kind, _, value in pairs]
        self._prefetched_objects_cache = {"anchors": known}

    def assess(self, anchors: int) -> Score:
        """Set and return the quality; a new insight that says next to nothing starts weak. `anchors`:
        how many it has.
        """
        found = quality(self.title, self.body, self.reasoning, anchors)
        self.quality = found.total
        if self._state.adding and self.quality < GATE:
            self.strength = min(self.strength, decay.WEAK)
        return found

    def join_anchors(self, anchors: Iterable[Anchor]) -> set[tuple[str, str]]:
        """Add the anchors it does not have yet; return the kind and value of each of these."""
        known = set(self.anchors.values_list("kind", "value"))
        new = [anchor.of(cast("Insight", self)) for anchor in anchors if (anchor.kind, anchor.value) not in known]
        Anchor.objects.bulk_create(new, ignore_conflicts=True)
        return {(anchor.kind, anchor.value) for anchor in new}

    def replace_anchors(self, kinds: Iterable[AnchorKind], anchors: Iterable[Anchor]) -> None:
        """Replace the anchors of these kinds."""
        self.anchors.filter(kind__in=list(kinds)).delete()
        Anchor.objects.bulk_create([anchor.of(cast("Insight", self)) for anchor in anchors])
        self.forget_read_anchors()

    def forget_read_anchors(self) -> None:
        """Drop the anchors that were loaded with the row, after they changed."""
        getattr(self, "_prefetched_objects_cache", {}).pop("anchors", None)

    def _anchored(self, kind: AnchorKind) -> list[str]:
        return sorted(anchor.value for anchor in self.anchors.all() if anchor.kind == kind)
