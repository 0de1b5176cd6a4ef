import time

from knowledge.evidence.rules.heads import HEAD, head
from tests.cases import cases


class TestAHead:
    @cases(
        ("text", "told"),
        [
            ("\n# NAME\n\nfuser - identify processes\n\n# SYNOPSIS\n", "NAME fuser - identify processes SYNOPSIS"),
            ("# Redis is full\n\nFind the *big* keys.\n", "Redis is full Find the *big* keys."),
            ("Model indexes\n=============\n\n.. _x:\n\nIndex classes.\n", "Model indexes Index classes."),
            ("#!/bin/sh\n# Copyright 2020 A\n# MIT License\n\n# Rotate the logs.\nset -e\n", "Rotate the logs. set -e"),
            ('"""Pick words."""\n\nimport re\nfrom a.b import c\n', "Pick words."),
            ("// Copyright (c) 2019\n\n// Renders a label.\nexport x\n", "Renders a label. export x"),
            ("---\ntitle: 'Leave'\nlayout: page\n---\n\n28 days.\n", "Leave 28 days."),
            ("# whitenoise\n\n[![x](y)](z)\n\nStatic files.\n", "whitenoise Static files."),
            ("From here on\nuse the lift.\n", "From here on use the lift."),
            ("---\n\n****\n", ""),
            ("", ""),
        ],
    )
    def test_is_what_a_file_says_it_is_about(self, text: str, told: str) -> None:
        assert head(text) == told

    def test_is_short_and_told_in_time_whatever_the_file_is(self) -> None:
        began = time.process_time()
        for unit in ("a ", "\n", "#", "=\n", "---\n", "<!--", "from a", "* ", '"""'):
            assert len(head(unit * 50_000)) <= HEAD
        assert time.process_time() - began < 1
