"""The judge that ships with Loam: the rules of `knowledge.rules.stance` with weights out of a file beside this one.

No network and no model of its own: it compares stored vectors, and asks the embedder only for a few words that stand in
each other's place. `manage.py calibrate` makes the weights anew (knowledge/actions/train_judge.py).
"""

import json
import threading
from pathlib import Path
from typing import ClassVar, Self

from knowledge.adapters.embedder import EmbedderDown
from knowledge.adapters.embedder import current as embedder
from knowledge.adapters.judge import JudgeDown
from knowledge.rules import stance
from knowledge.rules.stance import Judgement, Text
from knowledge.rules.stance_features import NAMES
from knowledge.rules.stance_network import Network, network

WEIGHTS = Path(__file__).with_name("stance_weights.json")


class LocalJudge:
    """Reads the weights at its first pair. It refuses the vectors of an embedder that they were not trained for."""

    NEEDS: ClassVar[tuple[str, ...]] = ("LOAM_EMBEDDER",)
    name = "local"

    def __init__(self, weights: Path = WEIGHTS) -> None:
        self._weights = weights
        self._network: Network | None = None
        self._lock = threading.Lock()

    @classmethod
    def configured(cls) -> Self:
        return cls()

    def judge(self, a: Text, b: Text) -> Judgement:
        """Raises JudgeDown: no weights, weights for another embedder or other features, or no embedder."""
        loaded = self._loaded()
        if loaded.embedder != embedder().name:
            raise JudgeDown(f"the weights are for {loaded.embedder}, and the embedder is {embedder().name}")
        try:
            return stance.judge(a, b, loaded, _akin)
        except EmbedderDown as error:
            raise JudgeDown(str(error)) from error

    def _loaded(self) -> Network:
        with self._lock:
            if self._network is None:
                try:
                    loaded = network(json.loads(self._weights.read_text()))
                except (OSError, ValueError, KeyError, TypeError) as error:
                    raise JudgeDown(f"the weights in {self._weights.name} are no good: {error}") from error
                if loaded.features != NAMES:
                    raise JudgeDown(f"the weights in {self._weights.name} are for other features")
                self._network = loaded
            return self._network


def _akin(first: str, second: str) -> float:
    vectors = embedder().embed([first, second])
    return float(vectors[0] @ vectors[1])
