"""A cited file that another takes the place of, or that a later one of its series may: what holds is told first."""

from collections.abc import Callable
from pathlib import Path

import pytest

from knowledge.evidence.actions.search import EvidenceAnswer

Ask = Callable[..., EvidenceAnswer]


def write(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def paths(answer: EvidenceAnswer) -> list[str]:
    return [one.path for one in answer.cited]


class TestASupersededFile:
    ASKED = "how are frames handed from ingest to correct"
    OLD = "Frames are handed from ingest to correct through RabbitMQ, one queue for each station. Frames are kept."
    NEW = "Frames go through NATS JetStream, one subject for each station."

    @pytest.mark.parametrize(
        ("older", "newer"),
        [
            ("accepted", "Supersedes 0003."),
            ("accepted", "Supersedes: [3. RabbitMQ](0003-rabbitmq.md)"),
            ("Superseded by 0009", ""),
            ("superseded by [9. JetStream](0009-jetstream.md)", ""),
            ("replaced by ADR 9", ""),
        ],
    )
    def test_comes_behind_the_one_that_takes_its_place(self, ask: Ask, files: Path, older: str, newer: str) -> None:
        write(files, "adr/0003-rabbitmq.md", f"# 3. RabbitMQ\n\nStatus: {older}\n\n{self.OLD}\n")
        write(files, "adr/0009-jetstream.md", f"# 9. JetStream\n\nStatus: accepted\n\n{newer}\n\n{self.NEW}\n")
        answer = ask(self.ASKED)
        assert paths(answer)[:2] == ["adr/0009-jetstream.md", "adr/0003-rabbitmq.md"]
        assert "superseded by [1]" in answer.content

    def test_puts_its_successor_before_no_file_that_answers(self, ask: Ask, files: Path) -> None:
        write(files, "ops/ingest.md", "# Memory\n\nThe ingest container has 768 MB of memory.\n")
        write(
            files,
            "adr/0003-rabbitmq.md",
            "# 3. RabbitMQ\n\nStatus: superseded by 0009\n\nThe ingest container has memory for RabbitMQ.\n",
        )
        write(files, "adr/0009-jetstream.md", f"# 9. JetStream\n\nStatus: accepted\n\n{self.NEW}\n")
        told = paths(ask("how much memory does the ingest container have"))
        assert told == ["ops/ingest.md", "adr/0009-jetstream.md", "adr/0003-rabbitmq.md"]

    def test_is_none_because_a_figure_is_replaced(self, ask: Ask, files: Path) -> None:
        write(files, "adr/0003-rabbitmq.md", f"# 3. RabbitMQ\n\nStatus: accepted\n\n{self.OLD}\n")
        write(files, "adr/0009-workers.md", "# 9. Workers\n\nStatus: accepted\n\nOne pool replaces 3 workers.\n")
        answer = ask(self.ASKED)
        assert paths(answer)[0] == "adr/0003-rabbitmq.md"
        assert "superseded" not in answer.content


class TestANewerFileOfASeries:
    ASKED = "when does the lab move to building C"

    def test_that_speaks_of_it_in_other_words_is_cited_and_told_of(self, ask: Ask, files: Path) -> None:
        write(
            files, "minutes/2026-09-14.md", "# Weekly\n\n- The pump is late.\n- The lab moves to building C in May.\n"
        )
        write(files, "minutes/2026-10-12.md", "# Weekly\n\n- The pump came.\n- The move of the lab is put off.\n")
        write(files, "minutes/2026-11-09.md", "# Weekly\n\n- The boat of the lab is in the yard.\n")
        answer = ask(self.ASKED)
        assert paths(answer)[:2] == ["minutes/2026-09-14.md", "minutes/2026-10-12.md"]
        assert "minutes/2026-11-09.md" not in paths(answer)
        assert "The move of the lab is put off. [2]" in answer.content
        assert "[2] is newer than [1] and speaks of it, too" in answer.content
        assert 0.5 <= answer.confidence < 0.75

    def test_that_is_cited_first_is_said_to_be_newer_than_the_older_one_below_it(self, ask: Ask, files: Path) -> None:
        """A day and a figure differ: whether they are about one thing cannot be told, and which is newer can."""
        said = "- Visitors are admitted on {}, at most {} at a time.\n"
        write(files, "minutes/2026-03-02.md", f"# Weekly\n\n{said.format('Saturdays', 'twelve')}- The pump is late.\n")
        write(files, "minutes/2026-09-21.md", f"# Weekly\n\n{said.format('Fridays', 'eight')}- The pump came.\n")
        answer = ask("when are visitors admitted")
        assert paths(answer)[:2] == ["minutes/2026-09-21.md", "minutes/2026-03-02.md"]
        assert "[1] is newer than [2] and speaks of it, too" in answer.content

    def test_is_not_looked_for_where_another_time_is_asked_for(self, ask: Ask, files: Path) -> None:
        write(files, "minutes/2026-09-14.md", "# Weekly\n\n- The lab moved to building C in May.\n")
        write(files, "minutes/2026-10-12.md", "# Weekly\n\n- The move of the lab was celebrated.\n")
        answer = ask("when did the lab move to building C in 2026")
        assert "is newer than" not in answer.content
