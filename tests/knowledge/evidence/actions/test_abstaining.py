"""What no file answers is said to be not found, and is neither kept nor suggested."""

from collections.abc import Callable
from pathlib import Path

import pytest

from accounts.rules.rights import Member
from knowledge.evidence.actions.search import EvidenceAnswer
from knowledge.evidence.actions.suggest import suggest
from knowledge.evidence.models import KnowledgeCluster
from knowledge.evidence.rules.reuse import ReuseMode

Ask = Callable[..., EvidenceAnswer]
BREAD = "how do I bake sourdough bread at home"


@pytest.fixture
def reference(files: Path) -> None:
    """A handbook that uses some of the words, each somewhere else."""
    (files / "python").mkdir()
    (files / "python" / "install.md").write_text(
        "# Installing\n\nThe prefix is the home of the installation. Use --home to install at another place.\n"
    )
    (files / "python" / "loop.md").write_text("# Loops\n\nDo this at every step: bake the recipe into a function.\n")


class TestAQuestionNoFileAnswers:
    @pytest.mark.parametrize("mode", [ReuseMode.FAST, ReuseMode.DEEP])
    def test_is_said_to_be_not_found(self, ask: Ask, reference: None, mode: ReuseMode) -> None:
        answer = ask(BREAD, mode)
        assert answer.content.startswith("Not found in 7 files of books.")
        assert answer.confidence <= 0.3
        assert (answer.cited, answer.patterns) == ([], [])

    def test_shows_what_is_nearest_as_such(self, ask: Ask, reference: None) -> None:
        answer = ask(BREAD)
        assert answer.nearest
        assert "Nearest passages, which do not seem to answer it" in answer.content

    def test_is_not_kept(self, ask: Ask, reference: None) -> None:
        assert ask(BREAD).cluster is None
        assert not KnowledgeCluster.objects.exists()

    def test_is_not_suggested_as_known(self, ask: Ask, reference: None, alice: Member, now: object) -> None:
        ask(BREAD)
        known = "how do I list the largest files in a git repository"
        ask(known)
        assert suggest(by=alice, now=now) == [known]  # type: ignore[arg-type]

    def test_is_not_answered_because_one_file_alone_has_a_word_of_it(self, ask: Ask) -> None:
        answer = ask("which sourdough starter needs a vacuum", ReuseMode.FAST, paths=("postgres",))
        assert (answer.cited, answer.cluster) == ([], None)

    def test_names_the_exact_term_no_file_has(self, ask: Ask) -> None:
        answer = ask("what does MAX_PARALLEL_UPLOADS mean for redis memory")
        assert "No file has `MAX_PARALLEL_UPLOADS`." in answer.content
        assert answer.cluster is None


class TestAQuestionAboutAnotherThingOfTheKind:
    """Its neighbour is in the files, and says nothing of it."""

    @pytest.mark.parametrize("mode", [ReuseMode.FAST, ReuseMode.DEEP])
    @pytest.mark.parametrize(
        ("known", "unknown"),
        [
            ("which port does the label printer in hall 3 use", "which port does the label printer in hall 5 use"),
            ("who do I ask about customs for Norway", "who do I ask about customs for Brazil"),
        ],
    )
    def test_is_not_answered_with_its_neighbour(
        self, ask: Ask, files: Path, mode: ReuseMode, known: str, unknown: str
    ) -> None:
        (files / "printers.md").write_text(
            "# Label printers\n\nThe label printers of hall 1 use port 9100; the one in hall 3 uses port 9104.\n"
        )
        (files / "contacts.md").write_text(
            "# Who to ask\n\nAbout customs for Norway ask Ingrid Solheim, for Switzerland Paolo Ferri.\n"
        )
        assert ask(known, mode).cited
        answer = ask(unknown, mode)
        assert (answer.cited, answer.cluster) == ([], None)
        assert answer.nearest and answer.confidence <= 0.3

    def test_is_told_what_the_nearest_passages_do_not_name(self, ask: Ask) -> None:
        answer = ask("how do I find the biggest keys of Postgres", paths=("redis",))
        assert "Nearest passages, which do not name `Postgres`:\n- `redis/memory.md" in answer.content


class TestAnAnswer:
    def test_is_given_though_the_month_that_was_asked_for_is_written_as_a_number(self, ask: Ask, files: Path) -> None:
        line = "2026-03-03 14:27:59 ERROR out of disk space on /var/spool/labels, printing paused"
        (files / "desk.log").write_text(f"2026-03-03 14:27:57 INFO started\n{line}\n2026-03-03 14:28:09 INFO ended\n")
        answer = ask("why was printing paused in March")
        assert answer.cited and line in answer.cited[0].text

    def test_is_still_given(self, ask: Ask, reference: None) -> None:
        answer = ask("redis out of memory", ReuseMode.FAST)
        assert answer.cited[0].path == "redis/memory.md"
        assert answer.nearest == []
        assert answer.confidence > 0.5 and answer.cluster
