"""The small network of the local judge: features in, three probabilities out; forward and training in numpy.

One hidden layer. Inputs are brought to mean 0 and spread 1 and cut at ±CUT, so that a text unlike anything seen in
training cannot push it to any certainty. Weights are plain numbers in JSON: nothing is executed when they are loaded.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# The order of the outputs, by the names of Stance.
CLASSES = ("same", "contradiction", "unrelated")
CUT = 4.0


@dataclass(frozen=True)
class Network:
    """`features` and `embedder` say what it was trained on: it must be given nothing else. `data`: a digest of that."""

    mean: Floats
    spread: Floats
    into: Floats
    into_bias: Floats
    out: Floats
    out_bias: Floats
    features: tuple[str, ...]
    embedder: str
    data: str

    def probabilities(self, rows: Floats) -> Floats:
        """(n, features) → (n, 3), in the order of CLASSES; each row sums to 1."""
        hidden = np.tanh(self._scaled(rows) @ self.into + self.into_bias)
        return _softmax(hidden @ self.out + self.out_bias)

    def _scaled(self, rows: Floats) -> Floats:
        return np.clip((rows - self.mean) / self.spread, -CUT, CUT)

    def as_json(self) -> dict[str, Any]:
        """Five significant digits: the probabilities change by less than .0005."""
        arrays = {name: _rounded(getattr(self, name)) for name in _ARRAYS}
        return {"features": self.features, "embedder": self.embedder, "data": self.data, **arrays}


_ARRAYS = ("mean", "spread", "into", "into_bias", "out", "out_bias")


def _rounded(values: Floats) -> Any:
    return np.vectorize(lambda value: float(f"{value:.5g}"))(values).tolist()


def network(stored: Mapping[str, Any]) -> Network:
    """What `as_json` gave. Raises KeyError, TypeError or ValueError for anything else, wrong shapes included."""
    arrays = {name: np.array(stored[name], np.float64) for name in _ARRAYS}
    made = Network(**arrays, features=tuple(stored["features"]), embedder=stored["embedder"], data=stored["data"])
    width, hidden = len(made.features), made.into.shape[-1]
    shapes = [(width,), (width,), (width, hidden), (hidden,), (hidden, len(CLASSES)), (len(CLASSES),)]
    if [arrays[name].shape for name in _ARRAYS] != shapes or not all(np.isfinite(a).all() for a in arrays.values()):
        raise ValueError("the weights do not fit the features they name")
    return made


def _softmax(rows: Floats) -> Floats:
    raised = np.exp(rows - rows.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


# --- training -------------------------------------------------------------------------------------------------
# Half as many units or epochs, a third more units, or another seed moved no share of NL2Bash, MRPC or SICK by more
# than .04.
HIDDEN = 24
EPOCHS = 400
RATE = 0.01
DECAY = 2e-3


@dataclass(frozen=True)
class Examples:
    """`rows` (n, features), `labels` (n,) as places in CLASSES, `weights` (n,)."""

    rows: Floats
    labels: NDArray[np.int64]
    weights: Floats


def train(examples: Examples, *, features: Sequence[str], embedder: str, data: str, seed: int) -> Network:
    """Adam on the weighted cross-entropy, full batches: the same network for the same rows and seed."""
    mean, spread = examples.rows.mean(axis=0), examples.rows.std(axis=0)
    spread = np.where(spread > 1e-6, spread, 1.0)
    scaled = np.clip((examples.rows - mean) / spread, -CUT, CUT)
    rng = np.random.default_rng(seed)
    width = scaled.shape[1]
    held = [
        rng.normal(0, width**-0.5, (width, HIDDEN)),
        np.zeros(HIDDEN),
        rng.normal(0, HIDDEN**-0.5, (HIDDEN, len(CLASSES))),
        np.zeros(len(CLASSES)),
    ]
    wanted = np.eye(len(CLASSES))[examples.labels]
    weights = (examples.weights / examples.weights.sum())[:, None]
    moments = [(np.zeros_like(part), np.zeros_like(part)) for part in held]
    for epoch in range(1, EPOCHS + 1):
        for part, slope, (first, second) in zip(held, _slopes(held, scaled, wanted, weights), moments, strict=True):
            first += 0.1 * (slope - first)
            second += 0.001 * (slope**2 - second)
            part -= RATE * (first / (1 - 0.9**epoch)) / (np.sqrt(second / (1 - 0.999**epoch)) + 1e-8)
    into, into_bias, out, out_bias = held
    return Network(mean, spread, into, into_bias, out, out_bias, tuple(features), embedder, data)


def _slopes(held: list[Floats], rows: Floats, wanted: Floats, weights: Floats) -> list[Floats]:
    into, into_bias, out, out_bias = held
    hidden = np.tanh(rows @ into + into_bias)
    error = (_softmax(hidden @ out + out_bias) - wanted) * weights
    back = (error @ out.T) * (1 - hidden**2)
    return [rows.T @ back + DECAY * into, back.sum(axis=0), hidden.T @ error + DECAY * out, error.sum(axis=0)]
