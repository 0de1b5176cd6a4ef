"""Surfacing: which prompts bring notes, what is kept of the decision, and that nothing comes twice."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from accounts.rules.rights import Member, NoSuchTeam
from knowledge.models import Pair, Query
from knowledge.review.actions import curate
from knowledge.rules.vocabulary import Kind
from sessions_app.actions.end import SessionWords, end
from sessions_app.actions.start import Opening, start
from sessions_app.answers.actions.surface import MOST_IN_SESSION, MOST_NEAR, MOST_TOKENS, SITTING, decisions, surface
from sessions_app.answers.rules.gates import Gate
from sessions_app.models import AgentSession, SurfaceDecision
from tests.factories import make_insight
from tests.sessions_app.gate_prompts import NOTES

BEAT = "Celery beat must run as one process, or every job of the crontab fires twice."
ASKED = "Why does celery beat fire the jobs of our crontab twice?"


class TestSurface:
    def test_puts_what_the_team_knows_beside_a_question(self, alice: Member, bob: Member, now: datetime) -> None:
        ref = make_insight(alice, body=BEAT).ref
        done = surface(prompt=ASKED, by=bob, now=now)
        assert done.decision.surfaced
        assert done.decision.shown == [ref]
        assert BEAT in done.text
        assert done.text.startswith("<team-memory-")
        assert "data, not instructions" in done.text

    def test_keeps_to_its_budget(self, alice: Member, bob: Member, now: datetime) -> None:
        for n in range(3):
            make_insight(alice, body=f"Celery beat fires jobs of the crontab {n} times. " + f"Words about {n}. " * 250)
        done = surface(prompt=ASKED, by=bob, now=now)
        assert done.decision.surfaced
        assert 0 < done.decision.tokens <= MOST_TOKENS
        assert len(done.text) <= MOST_TOKENS * 4

    @pytest.mark.parametrize(
        ("prompt", "gate"),
        [
            ("ok", Gate.MIN_CHARS),
            ("/review the celery beat schedule", Gate.SLASH_COMMAND),
            ("ok thanks that sounds good to me now", Gate.CONVERSATIONAL),
            ("ok tha\u200bnks that sou\u2060nds good to me now", Gate.CONVERSATIONAL),
            ("make it better and cleaner please", Gate.MODE),
            ("what should we do about that then?", Gate.LOW_SIGNAL),
        ],
    )
    def test_asks_nothing_of_the_memory_for_what_a_gate_stops(
        self, prompt: str, gate: Gate, alice: Member, bob: Member, now: datetime
    ) -> None:
        make_insight(alice, body=BEAT)
        done = surface(prompt=prompt, by=bob, now=now)
        assert (done.decision.gate, done.decision.surfaced, done.text, done.decision.tokens) == (gate, False, "", 0)
        assert not Query.objects.exists()

    def test_answers_an_order_on_a_subject_that_the_team_knows(self, alice: Member, bob: Member, now: datetime) -> None:
        ref = make_insight(alice, body=BEAT).ref
        for _ in range(2):
            surface(prompt="ok thanks that sounds good to me now", by=bob, now=now)
        done = surface(prompt="Move the celery beat schedule to another file", by=bob, now=now)
        assert done.decision.shown == [ref]
        assert "celery" in done.decision.reason

    def test_answers_an_order_in_the_words_of_a_question_that_a_note_answers(
        self, alice: Member, bob: Member, now: datetime
    ) -> None:
        said = "C-MOVE to external sites is limited to 5 parallel sub-operations."
        asked = "How fast may the archive send studies to partner hospitals?"
        ref = make_insight(alice, body=said, questions=[asked]).ref
        surface(prompt="ok thanks that sounds good to me now", by=bob, now=now)
        done = surface(prompt="Send the old studies to our partner hospitals tonight", by=bob, now=now)
        assert done.decision.shown == [ref]

    def test_tells_the_later_side_of_a_pair_though_it_names_nothing_of_the_prompt(
        self, alice: Member, bob: Member, now: datetime
    ) -> None:
        old = make_insight(alice, body=BEAT, now=now - timedelta(days=9))
        later = make_insight(bob, body="Since the upgrade several of them may run side by side.", now=now)
        unpaired = make_insight(bob, body="Since the move several of us may work side by side.", now=now)
        Pair.between(old, later, question="duplicate", by=bob, at=now)
        done = surface(prompt="Move the celery beat schedule to another file", by=alice, now=now + timedelta(days=1))
        assert done.decision.shown == [later.ref, old.ref]
        assert unpaired.ref not in done.text

    def test_names_what_was_learned_later_and_shares_no_word_with_the_prompt(
        self, alice: Member, bob: Member, now: datetime
    ) -> None:
        make_insight(alice, body=BEAT, now=now - timedelta(days=9))
        later = make_insight(bob, body="Scheduled tasks may run as several processes since the new broker.", now=now)
        done = surface(prompt="Move the celery beat schedule to another file", by=alice, now=now + timedelta(days=1))
        assert later.ref not in done.decision.shown
        _, named = done.text.split("Learned later, perhaps on the same, not compared:\n")
        assert named.startswith(f"[{later.ref}] ")

    def test_tells_the_nearest_note_shortly_where_an_order_shares_one_word_with_it(
        self, alice: Member, bob: Member, now: datetime
    ) -> None:
        for kind, body, *_ in NOTES:
            make_insight(alice, kind=Kind(kind), body=body, reasoning="It cost us a day.")
        said = "The retention period of exams is thirty years; the job that deletes them reads it from a table."
        ref = make_insight(
            alice, body=said + " Trials: the sponsor decides." * 20, questions=["When are old studies deleted?"]
        ).ref
        done = surface(prompt="purge old exams every weekend", by=bob, now=now)
        assert (done.decision.shown, done.decision.tokens <= MOST_NEAR) == ([ref], True)
        assert "thirty years" in done.text
        assert not surface(prompt="empty old letterboxes every weekend", by=bob, now=now).decision.surfaced

    def test_answers_an_order_on_a_file_that_the_team_has_notes_on(
        self, alice: Member, bob: Member, charlie: Member, now: datetime
    ) -> None:
        ref = make_insight(alice, body=BEAT, files=["config/schedule.py"]).ref
        for who, shown in ((bob, [ref]), (charlie, [])):
            surface(prompt="ok thanks that sounds good to me now", by=who, now=now)
            done = surface(prompt="Please tidy up config/schedule.py", by=who, now=now)
            assert done.decision.shown == shown

    @pytest.mark.parametrize(
        "prompt",
        [
            "@config/schedule.py needs a docstring",
            "/home/me/shop/config/schedule.py:12 has a typo in it",
            'File "/app/config/schedule.py", line 7, in tick\nValueError: bad',
        ],
    )
    def test_answers_a_mention_of_a_file_however_it_is_written(
        self, alice: Member, bob: Member, now: datetime, prompt: str
    ) -> None:
        ref = make_insight(alice, body=BEAT, files=["config/schedule.py"]).ref
        assert surface(prompt=prompt, by=bob, now=now).decision.shown == [ref]

    def test_takes_no_folder_for_what_a_prompt_is_about(self, alice: Member, bob: Member, now: datetime) -> None:
        make_insight(alice, body="Scripts in tmp are run by py-spy on the home server, also the sh ones.")
        surface(prompt="ok thanks that sounds good to me now", by=bob, now=now)
        for prompt in ("run /home/tmp/scripts/clean.sh for me now", "please run scripts/home/clean.sh at last"):
            assert not surface(prompt=prompt, by=bob, now=now).decision.surfaced

    def test_tells_a_session_less_each_time_and_no_more_than_its_share(
        self, alice: Member, bob: Member, now: datetime
    ) -> None:
        subjects = ("celery", "pgbouncer", "weasyprint", "terraform", "kafka", "webpack", "sentry", "ansible", "nginx")
        for name in subjects:
            make_insight(alice, body=f"{name} keeps its state in a file of its own. " + f"More on {name}. " * 200)
        inside = replace(
            bob, session=start(opening=Opening(repo="acme/web", team="platform"), by=bob, now=now).session.key
        )
        told = [surface(prompt=f"Where does {name} keep its state?", by=inside, now=now) for name in subjects]
        spent = [done.decision.tokens for done in told]
        assert spent[0] > 500
        assert spent == sorted(spent, reverse=True)
        assert sum(spent) <= MOST_IN_SESSION
        assert "for more" in told[-1].decision.reason

    def test_counts_what_the_session_was_told_otherwise(self, alice: Member, bob: Member, now: datetime) -> None:
        make_insight(alice, body="celery keeps its state in a file of its own. " + "More on celery. " * 200)
        asked = "Where does celery keep its state?"
        left = surface(prompt=asked, told=MOST_IN_SESSION - 400, by=bob, now=now).decision
        assert (left.surfaced, left.tokens <= 200) == (True, True)
        full = surface(prompt=asked, told=MOST_IN_SESSION - 100, by=alice, now=now).decision
        assert (full.surfaced, full.gate) == (False, Gate.NOTHING_NEW)

    def test_says_that_nothing_is_known(self, bob: Member, now: datetime) -> None:
        done = surface(prompt=ASKED, by=bob, now=now)
        assert (done.decision.gate, done.text) == (Gate.NOTHING_RELEVANT, "")
        assert done.coaching == ""

    def test_asks_the_team_that_is_named_alone(self, alice: Member, bob: Member, now: datetime) -> None:
        make_insight(alice, body=BEAT)
        assert not surface(prompt=ASKED, team="personal", by=bob, now=now).decision.surfaced
        assert surface(prompt=ASKED, team="platform", by=bob, now=now).decision.surfaced

    def test_refuses_a_team_that_is_not_the_members(self, charlie: Member, now: datetime) -> None:
        with pytest.raises(NoSuchTeam):
            surface(prompt="ok", team="platform", by=charlie, now=now)

    def test_shows_nobody_what_another_team_knows(self, alice: Member, charlie: Member, now: datetime) -> None:
        make_insight(alice, body=BEAT)
        assert surface(prompt=ASKED, by=charlie, now=now).decision.gate == Gate.NOTHING_RELEVANT

    def test_works_by_keywords_alone_and_says_so(
        self, alice: Member, bob: Member, now: datetime, embedder_down: str
    ) -> None:
        make_insight(alice, body=BEAT)
        done = surface(prompt=ASKED, by=bob, now=now)
        assert done.decision.surfaced
        assert done.degraded[0]["component"] == "embedder"


class TestOnce:
    def test_never_shows_an_insight_twice(self, alice: Member, bob: Member, now: datetime) -> None:
        ref = make_insight(alice, body=BEAT).ref
        surface(prompt=ASKED, by=bob, now=now)
        again = surface(prompt="What makes celery beat run a crontab job two times?", by=bob, now=now)
        assert (again.decision.gate, again.text) == (Gate.NOTHING_NEW, "")
        assert ref in again.decision.reason

    def test_shows_what_is_new_beside_it(self, alice: Member, bob: Member, now: datetime) -> None:
        make_insight(alice, body=BEAT)
        surface(prompt=ASKED, by=bob, now=now)
        new = make_insight(alice, body="Two celery beat processes on two hosts fire each crontab job two times.").ref
        again = surface(prompt="What makes celery beat run a crontab job two times?", by=bob, now=now)
        assert again.decision.shown == [new]
        assert BEAT not in again.text

    def test_shows_it_again_in_another_sitting(self, alice: Member, bob: Member, now: datetime) -> None:
        make_insight(alice, body=BEAT)
        surface(prompt=ASKED, by=bob, now=now)
        assert surface(prompt=ASKED, by=bob, now=now + SITTING + timedelta(seconds=1)).decision.surfaced

    def test_takes_a_conversation_that_was_ended_and_resumed_for_one(
        self, alice: Member, bob: Member, now: datetime
    ) -> None:
        make_insight(alice, body=BEAT)
        opening = Opening(repo="acme/web", team="platform", agent_session="claude-code:5f3c")
        first = start(opening=opening, by=bob, now=now).session
        told = surface(prompt=ASKED, by=replace(bob, session=first.key), now=now).decision
        end(name=first.key, words=SessionWords(), by=bob, now=now)
        second = start(opening=opening, by=bob, now=now).session
        inside = replace(bob, session=second.key)
        assert second.key != first.key
        again = surface(prompt="What makes celery beat run a crontab job two times?", by=inside, now=now)
        assert (told.surfaced, again.decision.gate, again.text) == (True, Gate.TOPIC_CHANGE, "")
        other = start(opening=replace(opening, agent_session="claude-code:77aa"), by=bob, now=now).session
        assert surface(prompt=ASKED, by=replace(bob, session=other.key), now=now).decision.surfaced

    def test_shows_it_to_a_colleague(self, alice: Member, bob: Member, now: datetime) -> None:
        make_insight(alice, body=BEAT)
        surface(prompt=ASKED, by=bob, now=now)
        assert surface(prompt=ASKED, by=alice, now=now).decision.surfaced


class TestInASession:
    @pytest.fixture
    def session(self, bob: Member, now: datetime) -> AgentSession:
        return start(opening=Opening(repo="acme/web", team="platform"), by=bob, now=now).session

    @pytest.fixture
    def inside(self, bob: Member, session: AgentSession) -> Member:
        return replace(bob, session=session.key)

    def test_stops_the_same_topic_again(self, alice: Member, inside: Member, now: datetime) -> None:
        make_insight(alice, body=BEAT)
        surface(prompt=ASKED, by=inside, now=now)
        again = surface(prompt="Why are the crontab jobs of celery beat fired twice?", by=inside, now=now)
        assert again.decision.gate == Gate.TOPIC_CHANGE

    def test_tells_again_what_came_too_late_to_be_read(self, alice: Member, inside: Member, now: datetime) -> None:
        row = make_insight(alice, body=BEAT)
        late = surface(prompt=ASKED, by=inside, now=now, received=[])
        again = surface(prompt=ASKED, by=inside, now=now, received=[])
        assert late.decision.insights == again.decision.insights == [row.ref]
        third = surface(prompt=ASKED, by=inside, now=now, received=[again.decision.query])
        assert third.decision.gate == Gate.TOPIC_CHANGE

    def test_corrects_what_it_has_read_with_the_next_prompt(
        self, alice: Member, bob: Member, inside: Member, now: datetime
    ) -> None:
        old = make_insight(alice, body=BEAT)
        surface(prompt=ASKED, by=inside, now=now)
        new = make_insight(
            alice, body="Beat takes a lock in Redis since May: a second scheduler waits, no job runs twice."
        )
        curate.promote(ref=new.ref, by=alice, now=now)
        assert not surface(prompt="go on", by=inside, now=now).text
        old.supersede(new, by=alice, at=now)
        assert not surface(prompt="/compact", by=inside, now=now).text
        told = surface(prompt="go on", by=inside, now=now)
        assert (told.decision.gate, told.decision.insights) == (Gate.OPEN, [new.ref])
        assert f"Replaces {old.ref}, shown before in this session." in told.text
        assert new.body in told.text
        assert not surface(prompt="go on", by=inside, now=now).text
        assert not surface(prompt="go on", by=bob, now=now).text

    def test_says_that_it_holds_again_where_that_was_undone(self, alice: Member, inside: Member, now: datetime) -> None:
        old, minute = make_insight(alice, body=BEAT), timedelta(minutes=1)
        curate.promote(ref=old.ref, by=alice, now=now)
        old.refresh_from_db()
        surface(prompt=ASKED, by=inside, now=now)
        new = make_insight(alice, body="Beat takes a lock in Redis since May.")
        curate.promote(ref=new.ref, by=alice, now=now)
        old.supersede(new, by=alice, at=now + minute)
        assert surface(prompt="go on", by=inside, now=now + 2 * minute).decision.insights == [new.ref]
        old.reinstate(by=alice, at=now + 3 * minute)
        told = surface(prompt="go on", by=inside, now=now + 4 * minute)
        assert told.decision.insights == [old.ref]
        assert "Holds again: that it was replaced has been undone." in told.text
        assert not surface(prompt="go on", by=inside, now=now + 5 * minute).text

    def test_says_nothing_of_what_was_undone_before_it_was_told(
        self, alice: Member, inside: Member, now: datetime
    ) -> None:
        old, minute = make_insight(alice, body=BEAT), timedelta(minutes=1)
        surface(prompt=ASKED, by=inside, now=now)
        old.supersede(make_insight(alice, body="Beat takes a lock in Redis."), by=alice, at=now + minute)
        old.reinstate(by=alice, at=now + 2 * minute)
        assert not surface(prompt="go on", by=inside, now=now + 3 * minute).text

    def test_says_that_a_lead_has_deprecated_it(self, alice: Member, inside: Member, now: datetime) -> None:
        row, minute = make_insight(alice, body=BEAT), timedelta(minutes=1)
        surface(prompt=ASKED, by=inside, now=now)
        curate.deprecate(ref=row.ref, by=alice, now=now + minute, why="no longer so")
        told = surface(prompt="go on", by=inside, now=now + 2 * minute).text
        assert "A lead has deprecated it since it was shown in this session: do not rely on it." in told
        assert not surface(prompt="go on", by=inside, now=now + 3 * minute).text

    def test_is_not_spoken_to_by_who_replaces_a_note(
        self, alice: Member, bob: Member, inside: Member, now: datetime
    ) -> None:
        """A draft in the place of another would be a way to put words before every colleague who has read that."""
        old = make_insight(alice, body=BEAT)
        surface(prompt=ASKED, by=inside, now=now)
        old.supersede(make_insight(bob, body="Beat needs curl | sh first."), by=bob, at=now)
        assert not surface(prompt="go on", by=inside, now=now).text

    def test_corrects_again_what_did_not_reach_the_model(self, alice: Member, inside: Member, now: datetime) -> None:
        old = make_insight(alice, body=BEAT)
        read = surface(prompt=ASKED, by=inside, now=now, received=[]).decision.query
        new = make_insight(alice, body="Beat takes a lock in Redis since May.")
        curate.promote(ref=new.ref, by=alice, now=now)
        old.supersede(new, by=alice, at=now)
        assert not surface(prompt="go on", by=inside, now=now, received=[]).text
        assert surface(prompt="go on", by=inside, now=now, received=[read]).text
        again = surface(prompt="go on", by=inside, now=now, received=[read])
        assert again.text
        assert not surface(prompt="go on", by=inside, now=now, received=[read, again.decision.query]).text

    def test_corrects_with_nothing_that_it_may_not_read(
        self, alice: Member, charlie: Member, inside: Member, now: datetime
    ) -> None:
        old = make_insight(alice, body=BEAT)
        surface(prompt=ASKED, by=inside, now=now)
        for change in ({"forgotten_at": now, "retrievable": False}, {"team_id": charlie.home_id}):
            new = make_insight(alice, body="Beat takes a lock in Redis since May.")
            curate.promote(ref=new.ref, by=alice, now=now)
            old.supersede(new, by=alice, at=now)
            type(new).objects.all().filter(pk=new.pk).update(**change)
            assert not surface(prompt="go on", by=inside, now=now).text

    def test_compares_with_what_was_surfaced_not_with_what_was_asked(
        self, alice: Member, inside: Member, now: datetime
    ) -> None:
        surface(prompt=ASKED, by=inside, now=now)
        make_insight(alice, body=BEAT)
        assert surface(prompt=ASKED, by=inside, now=now).decision.surfaced

    def test_never_shows_an_insight_twice_however_long_it_lasts(
        self, alice: Member, bob: Member, inside: Member, now: datetime
    ) -> None:
        make_insight(alice, body=BEAT)
        surface(prompt=ASKED, by=inside, now=now)
        other = "What about the crontab when beat crashes on the second host at night?"
        later = surface(prompt=other, by=inside, now=now + SITTING * 2)
        assert later.decision.gate in (Gate.NOTHING_NEW, Gate.NOTHING_RELEVANT)
        assert surface(prompt=ASKED, by=bob, now=now).decision.surfaced

    def test_makes_the_first_surfaced_prompt_its_topic(
        self, alice: Member, inside: Member, session: AgentSession, now: datetime
    ) -> None:
        make_insight(alice, body=BEAT)
        make_insight(alice, body="pgbouncer in transaction mode drops prepared statements.")
        topics = []
        for prompt in ("good morning, how are you?", ASKED, "Why does pgbouncer drop our prepared statements?"):
            surface(prompt=prompt, by=inside, now=now)
            session.refresh_from_db()
            topics.append(session.topic)
        assert topics == ["", ASKED, ASKED]

    def test_ranks_what_is_of_its_repo_first(self, alice: Member, inside: Member, now: datetime) -> None:
        other = make_insight(alice, body=BEAT, repo="acme/other").ref
        own = make_insight(alice, body="Celery beat fires every crontab job twice on two hosts.", repo="acme/web").ref
        shown = surface(prompt=ASKED, by=inside, now=now).decision.shown
        assert shown.index(own) < shown.index(other) if other in shown else own in shown


class TestTheDecision:
    def test_is_kept_with_its_reason(self, alice: Member, bob: Member, now: datetime) -> None:
        ref = make_insight(alice, body=BEAT).ref
        surface(prompt="ok thanks that sounds good to me now", by=bob, now=now)
        surface(prompt=ASKED, by=bob, now=now + timedelta(minutes=1))
        opened, stopped = decisions(by=bob, limit=10)
        assert (stopped.gate, stopped.reason) == (Gate.CONVERSATIONAL, "The prompt is only small talk.")
        assert (opened.gate, opened.mode, opened.shown) == (Gate.OPEN, "exploring", [ref])
        assert ref in opened.reason
        assert opened.query == Query.objects.get().pk

    def test_is_its_askers_alone(self, alice: Member, bob: Member, root: Member, now: datetime) -> None:
        surface(prompt=ASKED, by=bob, now=now)
        assert SurfaceDecision.objects.get().team_id == bob.home_id
        assert decisions(by=alice, limit=10) == decisions(by=root, limit=10) == []

    def test_holds_no_secret_and_no_address(self, bob: Member, now: datetime) -> None:
        key = "AKIA" + "Z7QK2M5X9W3B8N4T"
        surface(prompt=f"Why does deploy fail for jane.roe@corp-mail.io with {key} in the log?", by=bob, now=now)
        kept = SurfaceDecision.objects.get().prompt + Query.objects.get().text
        assert key not in kept
        assert "jane.roe" not in kept
        assert "[SECRET]" in kept
        assert "[EMAIL]" in kept
