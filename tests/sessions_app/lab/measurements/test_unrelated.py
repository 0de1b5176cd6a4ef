"""Conversations that are brought to who asks about something else are counted, by how many there are."""

import json
from datetime import datetime
from pathlib import Path

import pytest

from sessions_app.lab.measurements import unrelated
from sessions_app.lab.measurements.unrelated import OWN, unrelated_figures, unrelated_table
from sessions_app.lab.metrics.conversations import DecisionCase
from sessions_app.transcripts.rules.turn import ASSISTANT, USER, Turn

QUESTION = "Why do uploads to the archive give up so early, how often does the uploader retry?"
CHAT = [
    Turn(USER, "How often should the uploader retry an upload to the archive?"),
    Turn(ASSISTANT, "Five times with a pause that doubles, the archive is often away for a minute."),
    Turn(USER, "Five retries then, and the pause of the uploader starts at two seconds."),
]
OTHER = [Turn(USER, "Draw the logo of the bakery in blue."), Turn(ASSISTANT, "The logo is blue now, with a white rim.")]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for file, fields, _ in unrelated.SOURCES.values():
        path = tmp_path / file
        path.parent.mkdir(exist_ok=True)
        row = dict.fromkeys(fields, "which moons of Saturn have an atmosphere of nitrogen")
        path.write_text(json.dumps(row) + "\n")
    return tmp_path


@pytest.mark.django_db
def test_counts_what_was_answered_of_each_source(data: Path, now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unrelated, "SIZES", ((1, 1), (2, 1)))
    figures = unrelated_figures(
        cases=[DecisionCase("retries", QUESTION, [CHAT], ["Five"])],
        others=[OTHER],
        data=data,
        now=now,
        progress=lambda what, done, total: None,
    )
    assert figures["2"][OWN] == {"texts": 1, "asked": 1, "unasked": 1}
    assert figures["2"]["CoNaLa"] == {"texts": 1, "asked": 0, "unasked": 0}
    assert "| 1             |" in unrelated_table(figures).markdown
