"""Stand-ins for the outside world, chosen by the setting that chooses the real one."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
from django.conf import settings

from knowledge.adapters.embedder import DIMENSIONS, NAME, EmbedderDown, OnnxEmbedder
from knowledge.judging.adapters.judge import JudgeDown
from knowledge.judging.rules.relations import Reason, Relation, Verdict
from tests.vectors import KnownVectors


class DownEmbedder:
    """An embedder whose model cannot be reached."""

    name = NAME
    dimensions = DIMENSIONS

    def __init__(self, models: Path) -> None:
        pass

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        raise EmbedderDown("the model is out of reach")


@cache
def _model_of(models: Path) -> tuple[OnnxEmbedder, KnownVectors]:
    """The real one of that folder, and what it has computed: one for all stand-ins, for each would keep a hundred
    megabytes to the end of a run.
    """
    return OnnxEmbedder(models), KnownVectors(models)


class RememberingEmbedder(OnnxEmbedder):
    """The real one, which computes each text once: thousands of tests tell the same few thousand.

    The suite's usual one (tests/conftest.py). test_embedder.py tests the real one without a memory.
    """

    def __init__(self, models: Path) -> None:
        super().__init__(models)
        self._real, self._known = _model_of(models)

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        known = self._known.of(texts)
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if missing or not texts:
            computed = dict(zip(missing, self._real.embed(missing), strict=True))
            self._known.keep(computed)
            known |= computed
        return np.array([known[text] for text in texts], np.float32).reshape(-1, DIMENSIONS)


class PickyEmbedder(RememberingEmbedder):
    """The real one, which cannot bear one word."""

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        if any("poison" in text for text in texts):
            raise EmbedderDown("the model did not run: poison")
        return super().embed(texts)


def nothing() -> None:
    pass


class SlowEmbedder(RememberingEmbedder):
    """The real one, taking its time: `interrupt` runs once, when the texts are read and there is no vector yet."""

    def __init__(self, models: Path) -> None:
        super().__init__(models)
        self.interrupt: Callable[[], None] = nothing

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        happens, self.interrupt = self.interrupt, nothing
        happens()
        return super().embed(texts)


class TurnedEmbedder(RememberingEmbedder):
    """Another model: the same likenesses in other places, so that a cosine between the two means nothing."""

    name = f"turned-{NAME}"

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        return np.roll(super().embed(texts), DIMENSIONS // 2, axis=1)


class PickyTurnedEmbedder(PickyEmbedder):
    """Another model, which cannot bear the same word."""

    name = f"turned-{NAME}"


class DownTurnedEmbedder(DownEmbedder):
    """Another model, which cannot be reached."""

    name = f"turned-{NAME}"


class FakeJudge:
    """A judge that says what the setting FAKE_JUDGE says, of every pair: a relation, or "unsure", or "down".

    `asked`: the pairs of texts it was asked about, the newer one first; `interrupt` runs once, while it thinks;
    `unreadable`: a text at which it fails.
    """

    NEEDS: ClassVar[tuple[str, ...]] = ()
    name = "fake"

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        self.interrupt: Callable[[], object] = nothing
        self.unreadable = ""

    @classmethod
    def configured(cls) -> Self:
        return cls()

    def judge(self, new: str, old: str, similarity: float) -> Verdict:
        says = settings.FAKE_JUDGE
        if says == "down" or (self.unreadable and self.unreadable in (new, old)):
            raise JudgeDown("the judge is out of reach")
        self.asked.append((new, old))
        happens, self.interrupt = self.interrupt, nothing
        happens()
        if says == "unsure":
            return Verdict(None, self.name, similarity, Reason.MODEL_UNSURE)
        return Verdict(Relation(says), self.name, similarity, Reason.MODEL)
