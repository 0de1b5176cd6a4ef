"""Who says whether two texts are the same lesson: what the rest of Loam knows is `current().judge(a, b)`.

The setting LOAM_JUDGE names one: `local` (no network, weights that ship with Loam), `llm` (any endpoint that speaks
OpenAI's chat protocol), `nli` (a cross-encoder the operator supplies as ONNX), `off`, or the dotted path of a class of
one's own. Any failure is one exception, JudgeDown; the caller says what happens without a judge, and no judge guesses.
"""

import threading
from typing import ClassVar, Protocol, Self

from django.conf import settings
from django.utils.module_loading import import_string

from knowledge.rules.stance import Judgement, Text


class JudgeDown(Exception):
    """There is no judgement: switched off, out of reach, or what it answered was none. The text says which."""


class Judge(Protocol):
    """`NEEDS`: the settings it is made from. A judge is made anew when one of them changes, and loads nothing before
    its first pair. Threads share it.
    """

    NEEDS: ClassVar[tuple[str, ...]]
    name: str

    @classmethod
    def configured(cls) -> Self:
        """One made from the settings. Raises JudgeDown if they do not do."""
        ...

    def judge(self, a: Text, b: Text) -> Judgement:
        """What `b` is to `a`. Raises JudgeDown."""
        ...


class OffJudge:
    """No judge, on purpose."""

    NEEDS: ClassVar[tuple[str, ...]] = ()
    name = "off"

    @classmethod
    def configured(cls) -> Self:
        return cls()

    def judge(self, a: Text, b: Text) -> Judgement:
        raise JudgeDown("the judge is switched off (LOAM_JUDGE)")


SHORT = {
    "local": "knowledge.adapters.judge_local.LocalJudge",
    "llm": "knowledge.adapters.judge_llm.LlmJudge",
    "nli": "knowledge.adapters.judge_nli.NliJudge",
    "off": "knowledge.adapters.judge.OffJudge",
}

_instances: dict[tuple[str, ...], Judge] = {}
_lock = threading.Lock()


def current() -> Judge:
    """The judge the settings name, one per process. Raises JudgeDown if there is no such class or it cannot be made."""
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
