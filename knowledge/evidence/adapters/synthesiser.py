"""The language model's part in a search: keywords, scores of windows, the briefing, the next step of the exploration.

One for each search, with the search's own budget of tokens and of calls: when one is spent, or the endpoint fails,
every further wish is answered with LlmDown at once, and the search goes on by computing. The last two calls are kept
for what an answer needs most, the judgement of what was read and the briefing.
"""

import threading
from collections.abc import Callable, Sequence
from typing import Any, Self

from django.conf import settings

from knowledge.adapters.llm import Called, Chat, LlmDown, Messages, Prompt, Unfit, conversation, fenced
from knowledge.evidence.rules import prompts
from knowledge.evidence.rules.prompts import BadAnswer, Move, PromptWords, WrittenSummary

# A briefing is twenty times as long as a judgement, which LOAM_LLM_TIMEOUT is meant for.
PATIENCE = 3.0
# Passages scored in one call (Sirchmunk's batch is 5, and takes as many calls more).
BATCH = 10
SHORT, LONG = 600, 1_600
# A second try is a call like another one; what only helps has one.
TRIES = {"brief": 2, "score": 2}
# Calls that must be left behind one of this purpose.
LEFT_BEHIND = {"brief": 0, "score": 1}


class Synthesiser:
    """`budget`: tokens of the whole search. `calls` is what was asked so far, good and bad."""

    def __init__(self, chat: Chat, budget: int, ends: float, gone: Callable[[], bool]) -> None:
        self.model = chat.model
        self.calls: list[Called] = []
        self._most = settings.LOAM_EVIDENCE_CALLS
        self._chat, self._left, self._ends, self._gone = chat, budget, ends, gone
        self._lock = threading.Lock()

    @classmethod
    def configured(cls, *, budget: int, ends: float, gone: Callable[[], bool]) -> Self | None:
        """None where no endpoint is configured."""
        chat = Chat.configured()
        return cls(chat, budget, ends, gone) if chat else None

    def may(self, purpose: str) -> bool:
        """Whether the budgets allow one more call of this purpose."""
        return self._left > 0 and self._tries(purpose) > 0

    def _tries(self, purpose: str) -> int:
        made = sum(called.tries for called in self.calls)
        return min(TRIES.get(purpose, 1), self._most - made - LEFT_BEHIND.get(purpose, 2))

    def rewrite(self, question: str, before: Sequence[str]) -> str:
        """The question so that it can be understood without those before it."""
        asked = conversation(prompts.REWRITE, fenced(before=list(before), question=question))
        return str(self._ask("rewrite", asked, prompts.question, SHORT))

    def order(self, question: str, files: Sequence[dict[str, Any]]) -> list[int]:
        """Places in `files`, the likeliest to answer first."""
        asked = conversation(prompts.ORDER, fenced(question=question, files=list(files)))
        return list(self._ask("order", asked, prompts.order(len(files)), SHORT))

    def keywords(self, question: str) -> PromptWords:
        """Raises LlmDown, as all of these do."""
        return self._ask("keywords", conversation(prompts.KEYWORDS, fenced(question=question)), prompts.keywords, SHORT)

    def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        """0–10 for each passage, in order."""
        found: list[float] = []
        for start in range(0, len(passages), BATCH):
            some = list(passages[start : start + BATCH])
            asked = conversation(prompts.SCORE, fenced(question=question, passages=some))
            found += self._ask("score", asked, prompts.scores(len(some)), SHORT)
        return found

    def brief(self, question: str, passages: Sequence[dict[str, Any]]) -> WrittenSummary:
        asked = conversation(prompts.BRIEF, fenced(question=question, passages=list(passages)))
        return self._ask("brief", asked, prompts.briefing_parser(len(passages)), LONG)

    def step(self, question: str, seen: Sequence[dict[str, str]]) -> Move:
        return self._ask(
            "step", conversation(prompts.STEP, fenced(question=question, seen=list(seen))), prompts.move, SHORT
        )

    def _ask(self, purpose: str, messages: Messages, parse: Callable[[str], Any], most_tokens: int) -> Any:
        if self._left <= 0:
            raise LlmDown(f"{self.model}: the budget of tokens is spent")
        tries = self._tries(purpose)
        if tries <= 0:
            raise LlmDown(f"{self.model}: the budget of {self._most} calls is spent")

        def strictly(text: str) -> Any:
            try:
                return parse(text)
            except BadAnswer as bad:
                raise Unfit(str(bad)) from bad

        seconds = settings.LOAM_LLM_TIMEOUT * (PATIENCE if purpose == "brief" else 1.0)
        wish = Prompt(purpose, messages, strictly, min(most_tokens, self._left), seconds, tries)
        try:
            given, called = self._chat.ask(wish, ends=self._ends, gone=self._gone)
        except LlmDown as down:
            if down.called:
                self._spend(down.called)
            raise
        self._spend(called)
        return given

    def _spend(self, called: Called) -> None:
        with self._lock:
            self._left -= called.tokens
            self.calls.append(called)
