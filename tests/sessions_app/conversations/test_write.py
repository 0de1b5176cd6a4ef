"""A transcript that a session leaves is kept as passages, whichever way it comes."""

from datetime import UTC, datetime, timedelta

import pytest

from accounts.rules.rights import Member
from sessions_app.actions.capture import Report, capture
from sessions_app.actions.end import SessionWords, checkpoint, end
from sessions_app.actions.start import Opening, start
from sessions_app.handoffs.actions.recover_killed import Killed, recover_killed
from sessions_app.transcripts.rules.turn import Turn
from tests.conftest import NOW
from tests.sessions_app.conversations.talk import TALK, begin, passages

pytestmark = pytest.mark.django_db


class TestEnd:
    def test_keeps_what_was_said_by_whom_and_when(self, alice: Member) -> None:
        me = begin(alice)
        end(name=me.session, words=SessionWords(transcript=TALK), by=me, now=NOW)
        kept = passages(alice)
        assert [row.speaker for row in kept] == ["user", "agent", "user", "agent"]
        assert [(row.first_turn, row.last_turn) for row in kept] == [(0, 0), (1, 3), (4, 4), (5, 5)]
        assert kept[1].text.endswith("[edited importer/reader.py; ran pytest -q: ValueError: bad row 7]")
        assert kept[0].files == kept[1].files == ["importer/reader.py"]
        assert kept[2].said_at.isoformat() == "2026-11-20T09:04:00+00:00"
        assert {row.team_id for row in kept} == {alice.home_id}

    def test_makes_them_found_by_words_and_meaning_at_once(self, alice: Member) -> None:
        me = begin(alice)
        end(name=me.session, words=SessionWords(transcript=TALK), by=me, now=NOW)
        assert all(row.lexemes and row.embedding and row.length for row in passages(alice))

    def test_masks_secrets(self, alice: Member) -> None:
        me = begin(alice)
        said = Turn("user", "Use the key AKIAZ3MPL7Q4RNUYV2WX for the upload.")
        end(name=me.session, words=SessionWords(transcript=[said]), by=me, now=NOW)
        assert "AKIA" not in passages(alice)[0].text

    def test_changes_nothing_when_it_is_sent_again(self, alice: Member) -> None:
        me = begin(alice)
        checkpoint(name=me.session, words=SessionWords(transcript=TALK[:4]), by=me, now=NOW)
        before = [row.pk for row in passages(alice)]
        for turns in (TALK, TALK, TALK[:4], TALK[4:]):
            end(name=me.session, words=SessionWords(transcript=turns), by=me, now=NOW)
        after = passages(alice)
        assert [row.pk for row in after][:2] == before
        assert [row.position for row in after] == [0, 1, 2, 3]

    def test_replaces_what_was_rewritten(self, alice: Member) -> None:
        me = begin(alice)
        checkpoint(name=me.session, words=SessionWords(transcript=TALK), by=me, now=NOW)
        rewritten = [*TALK[:4], Turn("user", "No: 2,000 rows a batch."), Turn("assistant", "Done: 2,000.")]
        end(name=me.session, words=SessionWords(transcript=rewritten), by=me, now=NOW)
        assert [row.text for row in passages(alice)][2:] == ["No: 2,000 rows a batch.", "Done: 2,000."]

    def test_takes_the_files_from_hooks_where_the_transcript_has_no_tools(self, alice: Member) -> None:
        """Cursor's transcripts say what was said alone; its hook `afterFileEdit` tells of edits."""
        me = begin(alice)
        said = [Turn("user", "Cap the ramp."), Turn("assistant", "Capped at 2.5.")]
        capture(name=me.session, reports=[Report("edit", path="kiln/ramp.py")], by=me, now=NOW)
        checkpoint(name=me.session, words=SessionWords(transcript=said), by=me, now=NOW)
        before = passages(alice)
        assert [row.files for row in before] == [["kiln/ramp.py"]] * 2
        later = NOW + timedelta(minutes=5)
        capture(name=me.session, reports=[Report("edit", path="kiln/log.py")], by=me, now=later)
        more = [*said, Turn("user", "Log it as well."), Turn("assistant", "Logged.")]
        end(name=me.session, words=SessionWords(transcript=more), by=me, now=later)
        end(name=me.session, words=SessionWords(transcript=more), by=me, now=later)
        after = passages(alice)
        assert [row.pk for row in after][:2] == [row.pk for row in before]
        assert [row.files for row in after] == [["kiln/ramp.py"]] * 2 + [["kiln/log.py"]] * 2

    def test_takes_what_a_hook_alone_tells_beside_the_edits_of_the_transcript(self, alice: Member) -> None:
        me = begin(alice)
        said = [
            Turn("user", "Cap the ramp.", "2026-11-20T09:00:00Z"),
            Turn("assistant", "Capped at 2.5.", "2026-11-20T09:01:00Z"),
            Turn("user", "Log it as well.", "2026-11-20T09:10:00Z"),
            Turn("assistant", "Logged.", "2026-11-20T09:11:00Z"),
            Turn("tool", "Edit kiln/log.py", "2026-11-20T09:11:00Z"),
        ]
        edit = Report("edit", path="kiln/ramp.py", at=datetime(2026, 11, 20, 9, 1, tzinfo=UTC))
        capture(name=me.session, reports=[edit], by=me, now=NOW)
        for _ in range(2):
            end(name=me.session, words=SessionWords(transcript=said), by=me, now=NOW)
        assert [row.files for row in passages(alice)] == [["kiln/ramp.py"]] * 2 + [["kiln/log.py"]] * 2

    def test_goes_without_vectors_when_the_embedder_is_down(self, alice: Member, embedder_down: str) -> None:
        me = begin(alice)
        end(name=me.session, words=SessionWords(transcript=TALK), by=me, now=NOW)
        assert [row.embedding for row in passages(alice)] == [None] * 4


class TestRecover:
    def test_keeps_the_conversation_of_a_killed_session(self, alice: Member) -> None:
        opening = Opening(repo="shop", team="platform", agent_session="a-1", transcript=TALK)
        recover_killed(killed=Killed(opening), by=alice, now=NOW + timedelta(hours=2))
        assert len(passages(alice)) == 4
        recover_killed(killed=Killed(opening), by=alice, now=NOW + timedelta(hours=3))
        assert len(passages(alice)) == 4

    def test_keeps_that_of_one_that_ended_without_it(self, alice: Member) -> None:
        me = begin(alice, agent_session="a-1")
        end(name=me.session, words=SessionWords(summary="Done."), by=me, now=NOW)
        opening = Opening(repo="shop", team="platform", agent_session="a-1", transcript=TALK)
        recover_killed(killed=Killed(opening), by=alice, now=NOW)
        assert len(passages(alice)) == 4

    def test_keeps_that_which_a_start_brings(self, alice: Member) -> None:
        me = begin(alice)
        start(
            opening=Opening(repo="shop", team="platform", previous=me.session, transcript=TALK),
            by=alice,
            now=NOW + timedelta(hours=1),
        )
        assert len(passages(alice)) == 4
