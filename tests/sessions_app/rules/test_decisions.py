"""Decisions read from a transcript."""

from sessions_app.rules.decisions import Sureness, Where, extract
from sessions_app.rules.turn import Turn


class TestExtract:
    def test_finds_what_is_marked_with_its_reason_and_its_place(self) -> None:
        talk = [
            Turn("user", "Decision: rewrite it all because I say so."),
            Turn("assistant", "Done.\n\n**Decision**: Redis for the queue because Celery supports it.", "2026-11-22"),
        ]
        (found,) = extract(talk)
        assert found.statement.startswith("Redis for the queue")
        assert "Celery supports it" in found.reasoning
        assert found.where == Where(1, 3, "2026-11-22")
        assert found.sureness is Sureness.HIGH
