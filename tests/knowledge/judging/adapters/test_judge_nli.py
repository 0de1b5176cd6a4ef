import json

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

from knowledge.judging.adapters.judge import JudgeDown
from knowledge.judging.adapters.judge_nli import MAX_PIECES, NliJudge, _relation
from knowledge.judging.rules.relations import Reason, Relation
from tests.cases import cases

LABELS = ("entailment", "neutral", "contradiction")
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "agree", "apart", "oppose", "half"]
# The logits that each word adds: the model says what its words say.
SAYS = np.zeros((len(WORDS), 3), np.float32)
SAYS[4, 0] = SAYS[5, 1] = SAYS[6, 2] = 4.0


def tokenizer(path):
    made = Tokenizer(WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
    made.pre_tokenizer = Whitespace()
    made.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    made.save(str(path))
    return path


def model(path, width="pieces", kind=TensorProto.INT64, inputs=("input_ids", "attention_mask"), outputs=3):
    """A cross-encoder of two nodes: the sum of what its words say."""
    nodes = [
        helper.make_node("Gather", ["says", "input_ids"], ["told"]),
        helper.make_node("ReduceSum", ["told", "axis"], ["logits"], keepdims=0),
    ]
    initial = [numpy_helper.from_array(SAYS[:, :outputs], "says"), numpy_helper.from_array(np.array([1]), "axis")]
    given = [helper.make_tensor_value_info(name, kind, [1, width]) for name in inputs]
    made = helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, outputs])
    graph = helper.make_graph(nodes, "nli", given, [made], initial)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), str(path))
    return path


@pytest.fixture
def judge(tmp_path):
    return NliJudge(model=model(tmp_path / "tiny.onnx"), tokenizer=tokenizer(tmp_path / "t.json"), labels=LABELS)


class TestNliJudge:
    @pytest.mark.parametrize(
        ("new", "old", "relation"),
        [
            ("agree", "agree indeed", Relation.DUPLICATES),
            ("oppose", "indeed", Relation.CONTRADICTS),
            ("apart", "indeed", Relation.UNRELATED),
            ("agree", "oppose", None),
            ("some", "other words", None),
        ],
    )
    def test_says_what_the_model_says_both_ways(self, judge, new, old, relation):
        found = judge.judge(new, old, 0.8)
        assert (found.relation, found.judge, found.similarity) == (relation, "nli:tiny", 0.8)
        assert found.reason is (Reason.MODEL if relation else Reason.MODEL_UNSURE)

    @cases(
        ("there", "back", "relation"),
        [
            ((0.9, 0.1, 0.0), (0.9, 0.1, 0.0), Relation.DUPLICATES),
            # What follows from the one, and not the other way round, is a detail more.
            ((0.9, 0.1, 0.0), (0.1, 0.9, 0.0), None),
            ((0.7, 0.3, 0.0), (0.7, 0.3, 0.0), Relation.DUPLICATES),
            ((0.69, 0.31, 0.0), (0.9, 0.1, 0.0), None),
            ((0.0, 0.1, 0.9), (0.0, 0.4, 0.6), Relation.CONTRADICTS),
            ((0.0, 0.2, 0.8), (0.0, 0.5, 0.5), None),
            ((0.0, 0.9, 0.1), (0.0, 0.9, 0.1), Relation.UNRELATED),
        ],
    )
    def test_is_sure_of_what_holds_both_ways(self, there, back, relation):
        given = dict(zip(LABELS, zip(there, back, strict=True), strict=True))
        assert _relation(given) is relation

    def test_goes_by_the_labels_and_not_by_their_order(self, tmp_path, judge):
        turned = NliJudge(model=tmp_path / "tiny.onnx", tokenizer=tmp_path / "t.json", labels=LABELS[::-1])
        assert turned.judge("agree", "agree too", 0.8).relation is Relation.CONTRADICTS

    def test_can_do_without_a_neutral_label(self, tmp_path, judge):
        two = model(tmp_path / "two.onnx", outputs=2)
        made = NliJudge(model=two, tokenizer=tmp_path / "t.json", labels=("entailment", "contradiction"))
        assert made.judge("agree", "agree too", 0.8).relation is Relation.DUPLICATES
        assert made.judge("some", "words", 0.8).relation is None

    def test_never_says_that_one_replaces_the_other(self, judge):
        """Inference knows what opposes, and nothing of what came later."""
        assert judge.judge("now oppose", "oppose", 0.8).relation is Relation.CONTRADICTS

    def test_comes_with_what_the_texts_differ_in(self, judge):
        found = judge.judge("agree on 400 agree", "agree on 40 agree", 0.8)
        assert found.relation is Relation.DUPLICATES
        assert [str(cue) for cue in found.cues] == ["number: 40 / 400"]

    def test_is_unsure_of_what_the_model_cannot_read_whole(self, judge):
        found = judge.judge("agree " * MAX_PIECES, "agree", 0.8)
        assert (found.relation, found.reason) == (None, Reason.TOO_LONG)


class TestInputs:
    @pytest.mark.parametrize("kind", [TensorProto.INT64, TensorProto.INT32])
    @pytest.mark.parametrize("inputs", [("input_ids",), ("input_ids", "attention_mask", "token_type_ids")])
    def test_are_those_the_model_names(self, tmp_path, judge, kind, inputs):
        made = model(tmp_path / "other.onnx", kind=kind, inputs=inputs)
        found = NliJudge(model=made, tokenizer=tmp_path / "t.json", labels=LABELS).judge("oppose", "it", 0.8)
        assert found.relation is Relation.CONTRADICTS

    def test_are_as_long_as_the_model_wants(self, tmp_path, judge):
        made = NliJudge(model=model(tmp_path / "fixed.onnx", width=12), tokenizer=tmp_path / "t.json", labels=LABELS)
        assert made.judge("oppose", "it", 0.8).relation is Relation.CONTRADICTS
        assert made.judge("oppose", "it " * 12, 0.8).reason is Reason.TOO_LONG


class TestDown:
    def test_without_the_file_or_the_tokenizer(self, tmp_path, judge):
        for model_, tokenizer_ in (("none.onnx", "t.json"), ("tiny.onnx", "none.json")):
            made = NliJudge(model=tmp_path / model_, tokenizer=tmp_path / tokenizer_, labels=LABELS)
            with pytest.raises(JudgeDown, match="did not load"):
                made.judge("agree", "it", 0.8)

    def test_with_a_file_that_is_no_model(self, tmp_path, judge):
        (tmp_path / "text.onnx").write_text(json.dumps({}))
        made = NliJudge(model=tmp_path / "text.onnx", tokenizer=tmp_path / "t.json", labels=LABELS)
        with pytest.raises(JudgeDown, match="did not load"):
            made.judge("agree", "it", 0.8)

    def test_with_more_outputs_than_labels(self, tmp_path, judge):
        made = NliJudge(
            model=tmp_path / "tiny.onnx", tokenizer=tmp_path / "t.json", labels=("entailment", "contradiction")
        )
        with pytest.raises(JudgeDown, match="3 outputs for 2 labels"):
            made.judge("agree", "it", 0.8)

    def test_with_an_input_nobody_knows(self, tmp_path, judge):
        strange = model(tmp_path / "strange.onnx", inputs=("input_ids", "position_ids"))
        with pytest.raises(JudgeDown, match="did not run"):
            NliJudge(model=strange, tokenizer=tmp_path / "t.json", labels=LABELS).judge("agree", "it", 0.8)

    @pytest.mark.parametrize("labels", [(), ("yes", "no"), ("entailment", "neutral")])
    def test_with_labels_that_lack_one(self, tmp_path, labels):
        with pytest.raises(JudgeDown, match="LOAM_NLI_LABELS"):
            NliJudge(model=tmp_path / "m", tokenizer=tmp_path / "t", labels=labels)
