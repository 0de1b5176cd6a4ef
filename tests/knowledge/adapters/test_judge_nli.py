import json

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

from knowledge.adapters.judge import JudgeDown
from knowledge.adapters.judge_nli import MAX_PIECES, NliJudge
from knowledge.rules.stance import Stance, Text

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
        ("a", "b", "stance"),
        [
            ("agree", "agree indeed", Stance.SAME),
            ("oppose", "indeed", Stance.CONTRADICTION),
            ("apart", "indeed", Stance.UNRELATED),
            ("agree", "oppose", Stance.UNSURE),
            ("some", "other words", Stance.UNSURE),
        ],
    )
    def test_says_what_the_model_says_both_ways(self, judge, a, b, stance):
        found = judge.judge(Text(a), Text(b))
        assert (found.stance, found.by) == (stance, "nli:tiny")
        assert 0 < found.confidence <= 1

    def test_goes_by_the_labels_and_not_by_their_order(self, tmp_path, judge):
        turned = NliJudge(model=tmp_path / "tiny.onnx", tokenizer=tmp_path / "t.json", labels=LABELS[::-1])
        assert turned.judge(Text("agree"), Text("agree too")).stance is Stance.CONTRADICTION

    def test_can_do_without_a_neutral_label(self, tmp_path, judge):
        two = model(tmp_path / "two.onnx", outputs=2)
        made = NliJudge(model=two, tokenizer=tmp_path / "t.json", labels=("entailment", "contradiction"))
        assert made.judge(Text("agree"), Text("agree too")).stance is Stance.SAME
        assert made.judge(Text("some"), Text("words")).stance is Stance.UNSURE

    def test_comes_with_the_structural_cues(self, judge):
        found = judge.judge(Text("agree on 40 agree"), Text("agree on 400 agree"))
        assert (found.stance, [str(cue) for cue in found.cues]) == (Stance.SAME, ["number: 40 / 400"])

    def test_needs_no_model_for_the_same_words(self, tmp_path):
        made = NliJudge(model=tmp_path / "none.onnx", tokenizer=tmp_path / "none.json", labels=LABELS)
        assert made.judge(Text("Agree!"), Text("agree")).stance is Stance.SAME

    def test_is_unsure_of_what_the_model_cannot_read_whole(self, judge):
        found = judge.judge(Text("agree " * MAX_PIECES), Text("agree"))
        assert (found.stance, found.reason) == (Stance.UNSURE, "too long")


class TestInputs:
    @pytest.mark.parametrize("kind", [TensorProto.INT64, TensorProto.INT32])
    @pytest.mark.parametrize("inputs", [("input_ids",), ("input_ids", "attention_mask", "token_type_ids")])
    def test_are_those_the_model_names(self, tmp_path, judge, kind, inputs):
        made = model(tmp_path / "other.onnx", kind=kind, inputs=inputs)
        found = NliJudge(model=made, tokenizer=tmp_path / "t.json", labels=LABELS).judge(Text("oppose"), Text("it"))
        assert found.stance is Stance.CONTRADICTION

    def test_are_as_long_as_the_model_wants(self, tmp_path, judge):
        made = NliJudge(model=model(tmp_path / "fixed.onnx", width=12), tokenizer=tmp_path / "t.json", labels=LABELS)
        assert made.judge(Text("oppose"), Text("it")).stance is Stance.CONTRADICTION
        assert made.judge(Text("oppose"), Text("it " * 12)).reason == "too long"


class TestDown:
    def test_without_the_file_or_the_tokenizer(self, tmp_path, judge):
        for model_, tokenizer_ in (("none.onnx", "t.json"), ("tiny.onnx", "none.json")):
            made = NliJudge(model=tmp_path / model_, tokenizer=tmp_path / tokenizer_, labels=LABELS)
            with pytest.raises(JudgeDown, match="did not load"):
                made.judge(Text("agree"), Text("it"))

    def test_with_a_file_that_is_no_model(self, tmp_path, judge):
        (tmp_path / "text.onnx").write_text(json.dumps({}))
        made = NliJudge(model=tmp_path / "text.onnx", tokenizer=tmp_path / "t.json", labels=LABELS)
        with pytest.raises(JudgeDown, match="did not load"):
            made.judge(Text("agree"), Text("it"))

    def test_with_more_outputs_than_labels(self, tmp_path, judge):
        made = NliJudge(
            model=tmp_path / "tiny.onnx", tokenizer=tmp_path / "t.json", labels=("entailment", "contradiction")
        )
        with pytest.raises(JudgeDown, match="3 outputs for 2 labels"):
            made.judge(Text("agree"), Text("it"))

    def test_with_an_input_nobody_knows(self, tmp_path, judge):
        strange = model(tmp_path / "strange.onnx", inputs=("input_ids", "position_ids"))
        with pytest.raises(JudgeDown, match="did not run"):
            NliJudge(model=strange, tokenizer=tmp_path / "t.json", labels=LABELS).judge(Text("agree"), Text("it"))

    @pytest.mark.parametrize("labels", [(), ("yes", "no"), ("entailment", "neutral")])
    def test_with_labels_that_lack_one(self, tmp_path, labels):
        with pytest.raises(JudgeDown, match="LOAM_NLI_LABELS"):
            NliJudge(model=tmp_path / "m", tokenizer=tmp_path / "t", labels=labels)
