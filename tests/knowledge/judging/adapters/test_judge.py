import pytest

from knowledge.judging.adapters import judge as judges
from knowledge.judging.adapters.judge import JudgeDown, current
from knowledge.judging.adapters.judge_llm import LlmJudge
from knowledge.judging.adapters.judge_nli import NliJudge


class OwnJudge:
    """A judge of somebody's own, made from a setting of their own."""

    NEEDS = ("OWN_WORD",)
    name = "own"

    def __init__(self, word):
        self.word = word

    @classmethod
    def configured(cls):
        return cls(judges.settings.OWN_WORD)


@pytest.fixture(autouse=True)
def _fresh(monkeypatch):
    monkeypatch.setattr(judges, "_instances", {})


class TestCurrent:
    def test_is_none_when_it_is_off(self, settings):
        settings.LOAM_JUDGE = "off"
        assert current() is None

    def test_may_be_of_ones_own(self, settings):
        settings.LOAM_JUDGE = f"{__name__}.OwnJudge"
        settings.OWN_WORD = "first"
        assert current().word == "first"

    def test_is_one_until_a_setting_it_needs_changes(self, settings):
        settings.LOAM_JUDGE = f"{__name__}.OwnJudge"
        settings.OWN_WORD = "first"
        first = current()
        assert current() is first
        settings.OWN_WORD = "second"
        assert current().word == "second"

    def test_is_made_from_the_settings_of_the_endpoint(self, settings):
        settings.LOAM_JUDGE = "llm"
        settings.LOAM_LLM_URL, settings.LOAM_LLM_KEY = "http://127.0.0.1:1/v1", ""
        settings.LOAM_LLM_MODEL, settings.LOAM_LLM_TIMEOUT = "small", 1.0
        assert isinstance(current(), LlmJudge)
        assert current().name == "llm:small"

    def test_is_made_from_the_files_of_the_operator(self, settings):
        settings.LOAM_JUDGE = "nli"
        settings.LOAM_NLI_MODEL, settings.LOAM_NLI_TOKENIZER = "/srv/tiny.onnx", "/srv/tokenizer.json"
        settings.LOAM_NLI_LABELS = ["entailment", "neutral", "contradiction"]
        assert isinstance(current(), NliJudge)
        assert current().name == "nli:tiny"

    @pytest.mark.parametrize("name", ["nothing", "local", "knowledge.judging.adapters.judge.NoJudge", ""])
    def test_is_down_when_there_is_no_such_judge(self, settings, name):
        settings.LOAM_JUDGE = name
        with pytest.raises(JudgeDown, match="LOAM_JUDGE"):
            current()

    @pytest.mark.parametrize("name", ["llm", "nli"])
    def test_is_down_when_it_is_not_set_up(self, settings, name):
        settings.LOAM_JUDGE = name
        settings.LOAM_LLM_URL = settings.LOAM_LLM_KEY = settings.LOAM_LLM_MODEL = ""
        settings.LOAM_LLM_TIMEOUT = 1.0
        settings.LOAM_NLI_MODEL = settings.LOAM_NLI_TOKENIZER = ""
        settings.LOAM_NLI_LABELS = ["entailment", "neutral", "contradiction"]
        with pytest.raises(JudgeDown, match="not set"):
            current()
