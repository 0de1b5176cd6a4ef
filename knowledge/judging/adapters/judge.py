"""The judge of open pairs in the background: `current().judge(new, old)`; None if no model is configured.

The setting LOAM_JUDGE names one: `off` (the default), `llm` (any endpoint that speaks OpenAI's chat protocol), `nli` (a
cross-encoder that the operator supplies as ONNX), or the dotted path of an own class. No deposit waits for it. Any
failure is one exception, JudgeDown.
"""

import threading
from typing import ClassVar, Protocol, Self

from django.conf import settings
from django.utils.module_loading import import_string

from knowledge.judging.rules.relations import Verdict


class JudgeDown(Exception):
    """No judgement: the judge is unreachable or gave no valid answer. The text says which."""


class Judge(Protocol):
    """A judge. `NEEDS`: the settings it is made from. It is rebuilt if one of them changes, and loads nothing before
    its first pair. Threads share it.
    """

    NEEDS: ClassVar[tuple[str, ...]]
    name: str

    @classmethod
    def configured(cls) -> Self:
        """Return a judge made from the settings. Raises JudgeDown if they are not sufficient."""
        ...

    def judge(self, new: str, old: str, similarity: float) -> Verdict:
        """Return the relation of the newer text to the older one; relation None if it cannot tell. Raises JudgeDown."""
        ...


OFF = "off"
SHORT = {"llm": "knowledge.judging.adapters.judge_llm.LlmJudge", "nli": "knowledge.judging.adapters.judge_nli.NliJudge"}

_instances: dict[tuple[str, ...], Judge] = {}
_lock = threading.Lock()


def current() -> Judge | None:
    """Return the judge that the settings name, one per process. Raises JudgeDown if it cannot be found or made."""
    if settings.LOAM_JUDGE == OFF:
        return None
    path = str(SHORT.get(settings.LOAM_JUDGE, settings.LOAM_JUDGE))
    try:
        made: type[Judge] = import_string(path)
    except ImportError as error:
        raise JudgeDown(f"LOAM_JUDGE names no judge: {error}") from error
    key = (path, *(repr(getattr(settings, name)) for name in made.NEEDS))
    with _lock:
        if key not in _instances:
            _instances[key] = made.configured()
        return _instances[key]
