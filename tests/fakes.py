"""Stand-ins for the outside world, chosen by the setting that chooses the real one."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from knowledge.adapters.embedder import DIMENSIONS, NAME, EmbedderDown, OnnxEmbedder


class DownEmbedder:
    """An embedder whose model cannot be reached."""

    name = NAME
    dimensions = DIMENSIONS

    def __init__(self, models: Path) -> None:
        pass

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        raise EmbedderDown("the model is out of reach")


def nothing() -> None:
    pass


class SlowEmbedder(OnnxEmbedder):
    """The real one, taking its time: `meanwhile` happens once, when the texts are read and there is no vector yet."""

    def __init__(self, models: Path) -> None:
        super().__init__(models)
        self.meanwhile: Callable[[], None] = nothing

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        happens, self.meanwhile = self.meanwhile, nothing
        happens()
        return super().embed(texts)


class TurnedEmbedder(OnnxEmbedder):
    """Another model: the same likenesses in other places, so that a cosine between the two means nothing."""

    name = f"turned-{NAME}"

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        return np.roll(super().embed(texts), DIMENSIONS // 2, axis=1)
