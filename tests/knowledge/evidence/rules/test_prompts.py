import json
from collections.abc import Callable
from typing import Any

import pytest

from knowledge.evidence.rules import prompts
from knowledge.evidence.rules.prompts import BadAnswer
from tests.cases import cases

BRIEF = {"content": "So [1].", "patterns": ["a"], "confidence": 0.5, "sufficient": True}


class TestParsers:
    def test_take_what_was_asked_for(self) -> None:
        assert prompts.keywords('{"levels": [["a"], ["b c"]]}').levels == (("a",), ("b c",))
        assert prompts.scores(2)('{"scores": [0, 9.5]}') == [0.0, 9.5]
        assert prompts.briefing_parser(1)(json.dumps(BRIEF)).content == "So [1]."
        assert prompts.move('{"tool": "file_read", "arguments": {"paths": ["a.md"]}}').arguments == ("a.md",)
        assert prompts.move('{"tool": "dir_scan", "arguments": {"folder": ""}}').arguments == ("",)
        assert prompts.move('{"tool": "finish"}').tool == "finish"

    @cases(
        ("parse", "text"),
        [
            (prompts.keywords, "no"),
            (prompts.keywords, "[]"),
            (prompts.keywords, '{"levels": "a"}'),
            (prompts.keywords, '{"levels": [[1]]}'),
            (prompts.keywords, '{"levels": [["a"]], "rarity": {"a": 11}}'),
            (prompts.scores(2), '{"scores": [1]}'),
            (prompts.scores(1), '{"scores": [11]}'),
            (prompts.scores(1), '{"scores": [true]}'),
            (prompts.scores(1), '{"scores": ["high"]}'),
            (prompts.order(2), '{"files": [3]}'),
            (prompts.order(2), '{"files": []}'),
            (prompts.question, '{"question": ""}'),
            (prompts.scores(1), '{"scores": [NaN]}'),
            (prompts.move, '{"tool": "shell"}'),
            (prompts.move, '{"tool": ["finish"]}'),
            (prompts.move, '{"tool": "file_read", "arguments": {}}'),
            (prompts.move, '{"tool": "file_read", "arguments": {"paths": [{}]}}'),
        ],
    )
    def test_take_nothing_else(self, parse: Callable[[str], Any], text: str) -> None:
        with pytest.raises(BadAnswer):
            parse(text)

    @cases(
        "over",
        [
            {"content": ""},
            {"content": "no citation"},
            {"content": "a lie [2]"},
            {"content": "[1]" * 5_000},
            {"content": 7},
            {"patterns": {"a": 1}},
            {"confidence": 2},
            {"confidence": None},
            {"sufficient": "maybe"},
        ],
    )
    def test_take_no_briefing_that_cites_what_is_not_there(self, over: dict[str, Any]) -> None:
        with pytest.raises(BadAnswer):
            prompts.briefing_parser(1)(json.dumps(BRIEF | over))
