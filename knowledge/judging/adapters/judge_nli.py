"""A natural-language-inference cross-encoder as judge: an ONNX file, its tokenizer and its labels, from the operator.

Loam ships none, because no model that can be installed as a package has a licence. The model is asked in both
directions, because inference has a direction and a stance has none. *Same* is entailment in both directions.
"""

import threading
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import onnxruntime
from django.conf import settings
from tokenizers import Tokenizer

from knowledge.adapters.embedder import session_options
from knowledge.judging.adapters.judge import JudgeDown
from knowledge.judging.rules.careful import cues_between
from knowledge.judging.rules.relations import Reason, Relation, Verdict

ENTAILMENT, CONTRADICTION, NEUTRAL = "entailment", "contradiction", "neutral"
# Below this confidence in both directions together the model counts as unsure. Not measured, because it differs by
# model.
SURE = 0.7
# The input length if the file does not state one.
MAX_PIECES = 512
_TYPES = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}


class NliJudge:
    """A judge that runs an ONNX model. `labels`: its outputs in order; `entailment` and `contradiction` must be among
    them, `neutral` may be.
    """

    NEEDS: ClassVar[tuple[str, ...]] = ("LOAM_NLI_MODEL", "LOAM_NLI_TOKENIZER", "LOAM_NLI_LABELS")

    def __init__(self, *, model: Path, tokenizer: Path, labels: tuple[str, ...]) -> None:
        if not {ENTAILMENT, CONTRADICTION} <= set(labels):
            raise JudgeDown(f"LOAM_NLI_LABELS must name {ENTAILMENT} and {CONTRADICTION}, not {', '.join(labels)}")
        self.name = f"nli:{model.stem}"
        self._model = model
        self._tokenizer = tokenizer
        self._labels = labels
        self._loaded: _Encoder | None = None
        self._lock = threading.Lock()

    @classmethod
    def configured(cls) -> Self:
        if not settings.LOAM_NLI_MODEL or not settings.LOAM_NLI_TOKENIZER:
            raise JudgeDown("LOAM_NLI_MODEL and LOAM_NLI_TOKENIZER are not set")
        return cls(
            model=Path(settings.LOAM_NLI_MODEL),
            tokenizer=Path(settings.LOAM_NLI_TOKENIZER),
            labels=tuple(label.strip().lower() for label in settings.LOAM_NLI_LABELS),
        )

    def judge(self, new: str, old: str, similarity: float) -> Verdict:
        """Return the model's verdict. Raises JudgeDown if a file is missing or does not fit the others."""
        cues = cues_between(old, new)
        encoder = self._encoder()
        try:
            there, back = encoder.probabilities(old, new), encoder.probabilities(new, old)
        except Exception as error:  # onnxruntime raises what it likes
            raise JudgeDown(f"{self.name}: the model did not run: {error}") from error
        if there is None or back is None:
            return Verdict(None, self.name, similarity, Reason.TOO_LONG, cues)
        if there.shape != (len(self._labels),):
            raise JudgeDown(f"{self.name}: {there.size} outputs for {len(self._labels)} labels")
        relation = _relation(dict(zip(self._labels, zip(there.tolist(), back.tolist(), strict=True), strict=True)))
        return Verdict(relation, self.name, similarity, Reason.MODEL if relation else Reason.MODEL_UNSURE, cues)

    def _encoder(self) -> "_Encoder":
        with self._lock:
            if self._loaded is None:
                try:
                    self._loaded = _Encoder(self._model, self._tokenizer)
                except Exception as error:  # of two libraries, each with its own
                    raise JudgeDown(f"{self.name}: the model did not load: {error}") from error
            return self._loaded


def _relation(given: dict[str, tuple[float, float]]) -> Relation | None:
    """Return the relation; `given`: for each label the probabilities in both directions. Inference has no "supersedes":
    an opposition is a contradiction, which a person settles.
    """
    same = min(given[ENTAILMENT])
    opposed = sum(given[CONTRADICTION]) / 2
    apart = sum(given.get(NEUTRAL, (0.0, 0.0))) / 2
    found = ((Relation.CONTRADICTS, opposed), (Relation.DUPLICATES, same), (Relation.UNRELATED, apart))
    return next((relation for relation, confidence in found if confidence >= SURE), None)


class _Encoder:
    """The loaded model with its tokenizer: two texts → the probability of each output."""

    def __init__(self, model: Path, tokenizer: Path) -> None:
        self._session = onnxruntime.InferenceSession(str(model), session_options())
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._inputs = {given.name: given for given in self._session.get_inputs()}
        fixed = next(iter(self._inputs.values())).shape[-1]
        self._fixed = fixed if isinstance(fixed, int) else 0

    def probabilities(self, premise: str, hypothesis: str) -> np.ndarray | None:
        """Return the probability of each label, summing to 1; None if the texts are too long for the model."""
        pieces = self._tokenizer.encode(premise, hypothesis)
        if len(pieces.ids) > (self._fixed or MAX_PIECES):
            return None
        given = {"input_ids": pieces.ids, "attention_mask": pieces.attention_mask, "token_type_ids": pieces.type_ids}
        rows = {name: self._row(given[name], wanted) for name, wanted in self._inputs.items()}
        logits = np.asarray(self._session.run(None, rows)[0], np.float64)[0]
        raised = np.exp(logits - logits.max())
        return raised / raised.sum()

    def _row(self, values: list[int], wanted: Any) -> np.ndarray:
        padded = values + [0] * (self._fixed - len(values))
        return np.array([padded], _TYPES[wanted.type])
