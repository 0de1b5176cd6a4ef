"""Stand-ins for the outside world, chosen by the setting that chooses the real one."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from knowledge.adapters.embedder import DIMENSIONS, NAME, EmbedderDown


class DownEmbedder:
    """An embedder whose model cannot be reached."""

    name = NAME
    dimensions = DIMENSIONS

    def __init__(self, models: Path) -> None:
        pass

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        raise EmbedderDown("the model is out of reach")
