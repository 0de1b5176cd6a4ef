"""What the team knows about a question: ranked, explained, or nothing."""

from datetime import datetime, timedelta
from math import prod
from typing import Any

import pytest

from accounts.actions.members import member_of
from accounts.models import Team, User
from accounts.rules.rights import Member, NoSuchTeam
from knowledge.models import Insight, Query
from knowledge.retrieval.actions.retrieve import Retrieved, ranked, retrieve
from knowledge.retrieval.actions.search import NothingAsked
from knowledge.retrieval.rules import score
from knowledge.retrieval.rules.ask import Ask
from knowledge.retrieval.rules.score import Score
from knowledge.review.actions import curate
from knowledge.rules.vocabulary import Kind
from tests.database import contents
from tests.factories import make_insight
from tests.knowledge.library import LESSONS, stock

SECRET = "AKIA" + "Z7QF3MXT9WKD2RVB"
# The same fault on two machines, in words of their own.
ANNS_TRACE = (
    "Traceback (most recent call last):\n"
    '  File "/home/ann/shop/app/tick.py", line 41, in tick\n    lock()\n'
    "shop.locks.SchedulerHeld: process 4711 holds the lock since 2026-11-02 10:00:00"
)
BENS_TRACE = (
    "Traceback (most recent call last):\n"
    '  File "/srv/build/9/app/tick.py", line 57, in tick\n    lock()\n'
    "shop.locks.SchedulerHeld: process 92 holds the lock since 2026-11-20 23:59:59"
)


def ask(by: Member, now: datetime, text: str, **over: Any) -> Retrieved:
    return retrieve(ask=Ask(text, **over), by=by, now=now)


def refs(found: Retrieved) -> list[str]:
    return [hit.insight.ref for hit in found.hits]


def part(whole: Score, name: str) -> float:
    return next(part.value for part in whole.parts if part.name == name)


@pytest.fixture
def library(alice: Member, now: datetime) -> dict[str, str]:
    return stock(alice, now)


class TestFinding:
    def test_is_by_meaning_without_a_word_in_common(self, library: dict[str, str], bob: Member, now: datetime) -> None:
        found = ask(bob, now, "periodic tasks are executed double")
        assert refs(found)[0] == library["beat"]
        assert part(found.hits[0].score, "keywords") == 0
        assert found.hits[0].similarity > 0.35

    def test_is_by_a_word_alone(self, library: dict[str, str], bob: Member, now: datetime, embedder_down: str) -> None:
        found = ask(bob, now, "what is ERR_QUOTA_7731")
        assert refs(found) == [library["quota"]]
        assert found.hits[0].similarity == 0
        assert found.degraded == ({"component": "embedder", "reason": embedder_down},)

    def test_reaches_what_has_no_vector_yet_by_its_words(
        self, library: dict[str, str], bob: Member, now: datetime
    ) -> None:
        Insight.objects.filter(ref=library["quota"]).update(embedding=None, embedded_by="")
        assert refs(ask(bob, now, "ERR_QUOTA_7731")) == [library["quota"]]

    def test_is_by_the_very_error_first_whatever_machine_it_was_on(
        self, library: dict[str, str], alice: Member, bob: Member, now: datetime
    ) -> None:
        ref = make_insight(alice, body="Restart the second one.", error=ANNS_TRACE).ref
        found = ask(bob, now, LESSONS["beat"], error=BENS_TRACE)
        assert refs(found)[0] == ref
        assert part(found.hits[0].score, "exact") == 1
        assert found.hits[0].score.why.startswith("exact error")

    def test_is_by_reference_first(self, library: dict[str, str], bob: Member, now: datetime) -> None:
        found = ask(bob, now, f"is {library['cors']} about celery beat firing twice?")
        assert refs(found)[0] == library["cors"]

    def test_answers_a_bare_reference(self, library: dict[str, str], bob: Member, now: datetime) -> None:
        assert refs(ask(bob, now, library["pool"])) == [library["pool"]]

    def test_finds_the_moment_it_was_deposited(self, library: dict[str, str], bob: Member, now: datetime) -> None:
        ref = make_insight(bob, body="The staging database is reset every night at two.").ref
        assert refs(ask(bob, now, "when is the staging database reset"))[0] == ref

    def test_finds_an_edit_by_its_new_words_and_no_more_by_the_old(
        self, library: dict[str, str], alice: Member, now: datetime
    ) -> None:
        text = {"title": "Kaniko", "body": "Build images with kaniko, without a daemon."}
        curate.edit(ref=library["quota"], changes=text, revision=1, by=alice, now=now)
        assert refs(ask(alice, now, "kaniko images")) == [library["quota"]]
        assert library["quota"] not in refs(ask(alice, now, "ERR_QUOTA_7731"))


class TestFiles:
    """What is known of a file is found by the file, whatever words the question has."""

    PATH = "services/catalogue/thumbnails.py"
    BODY = "Photos from phones lie on their side: transpose by EXIF before resizing."

    @pytest.fixture
    def of_file(self, library: dict[str, str], alice: Member) -> str:
        return make_insight(alice, body=self.BODY, files=[self.PATH]).ref

    @pytest.mark.parametrize(
        "name",
        [
            PATH,
            "thumbnails.py",
            "catalogue/thumbnails.py",
            f"@{PATH}",
            f"./{PATH}",
            f"/home/me/shop/{PATH}:30",
            f"@{PATH}#L3-9",
        ],
    )
    def test_that_a_question_names(self, name: str, of_file: str, bob: Member, now: datetime) -> None:
        found = ask(bob, now, f"Please move the logging out of {name} into a module of its own")
        assert refs(found)[0] == of_file
        assert found.hits[0].of_named_file

    def test_that_a_question_names_are_told_of_whatever_else_is_near(
        self, of_file: str, alice: Member, bob: Member, now: datetime
    ) -> None:
        Insight.objects.filter(ref=of_file).update(trust="stale", strength=5)
        for body in (
            "A failing test that freezes the clock: fix the test by patching the zone, not the code under test.",
            "Tests that freeze the clock fail at midnight; fix them by naming the zone in each failing test.",
            "Fix failing tests first: a red test on the clock blocks the nightly run of all other tests.",
            "The clock is frozen in tests by a fixture; a failing one is fixed by asking for that fixture.",
        ):
            make_insight(alice, body=body)
        found = refs(ask(bob, now, f"fix the failing tests that freeze the clock, and mind {self.PATH}"))
        assert of_file in found and len(found) > 1

    @pytest.mark.parametrize(
        "trace",
        [
            f'Traceback (most recent call last):\n  File "/app/{PATH}", line 30, in make\nOSError: broken',
            f"{PATH}:88:12 - error TS2304: Cannot find name foo",
        ],
    )
    def test_that_an_error_names(self, trace: str, of_file: str, bob: Member, now: datetime) -> None:
        assert of_file in refs(ask(bob, now, trace))
        assert of_file in refs(ask(bob, now, "Why does this fail?", error=trace))

    @pytest.mark.parametrize("path", [f"/home/me/shop/{PATH}", f"C:\\work\\shop\\{PATH}", f"./{PATH}", "thumbnails.py"])
    def test_that_are_worked_on_however_they_are_written(
        self, path: str, of_file: str, bob: Member, now: datetime
    ) -> None:
        assert refs(ask(bob, now, "Anything I should know before this goes out?", files=[path])) == [of_file]

    def test_that_are_worked_on_where_the_words_find_nothing_else(
        self, of_file: str, bob: Member, now: datetime
    ) -> None:
        words = "Anything I should know before this goes out?"
        assert of_file not in refs(ask(bob, now, words))
        assert refs(ask(bob, now, words, files=[self.PATH])) == [of_file]
        beat = ask(bob, now, "scheduled jobs run two times", files=[self.PATH])
        assert beat.hits and of_file not in refs(beat)

    def test_with_many_notes_say_little_about_each(
        self, of_file: str, alice: Member, bob: Member, now: datetime
    ) -> None:
        for n in range(10):
            make_insight(alice, body=f"Lesson {n} of the catalogue: rule {n * 7} holds.", files=[self.PATH])
        assert of_file not in refs(ask(bob, now, "Anything I should know before this goes out?", files=[self.PATH]))

    def test_of_another_team_stay_unknown(self, of_file: str, charlie: Member, now: datetime) -> None:
        assert of_file not in refs(ask(charlie, now, f"Please refactor {self.PATH}", files=[self.PATH]))


class TestRank:
    def test_is_explained_by_parts_that_add_up(self, library: dict[str, str], bob: Member, now: datetime) -> None:
        for hit in ask(bob, now, "celery beat fires twice", trim=False, limit=50).hits:
            names = [part.name for part in hit.score.parts]
            assert names == ["similarity", "keywords", "exact", "locality", "strength", "trust", "quality", "feedback"]
            added = sum(part.value * part.weight for part in hit.score.terms)
            assert hit.score.total == pytest.approx(added * prod(part.value for part in hit.score.factors))

    def test_is_by_the_total(self, library: dict[str, str], bob: Member, now: datetime) -> None:
        totals = [hit.score.total for hit in ask(bob, now, "the cache of a tenant", trim=False, limit=50).hits]
        assert totals == sorted(totals, reverse=True)
        assert len(totals) == len(LESSONS)

    @pytest.mark.parametrize(
        ("context", "value"),
        [
            ({"files": ["./src\\jobs/beat.py"]}, 1.0),
            ({"files": ["src/jobs/worker.py"]}, 0.7),
            ({"files": ["src/jobs/deep/worker.py"]}, 0.5),
            ({"tags": ["Scheduling"]}, 0.5),
            ({"symbols": ["Beat.tick"]}, 0.5),
            ({"repo": "acme/web"}, 0.25),
            ({"repo": "acme/api", "files": ["README.md"]}, 0.0),
        ],
    )
    def test_rises_with_locality(self, bob: Member, now: datetime, context: dict[str, Any], value: float) -> None:
        lesson = "Beat runs once for the jobs of the "
        near = {"files": ["src/jobs/beat.py"], "tags": ["scheduling"], "symbols": ["Beat.tick"], "repo": "acme/web"}
        far = make_insight(bob, body=f"{lesson} shop.", tags=["other"]).ref
        here = make_insight(bob, body=f"{lesson} store.", **near).ref
        found = {hit.insight.ref: hit.score for hit in ask(bob, now, lesson, trim=False, **context).hits}
        assert part(found[here], "locality") == value
        assert part(found[far], "locality") == 0
        plain = {hit.insight.ref: hit.score for hit in ask(bob, now, lesson, trim=False).hits}
        quality = part(found[here], "quality")
        lifted = found[here].total - part(found[here], "locality") * score.LOCALITY * quality
        assert lifted == pytest.approx(plain[here].total)

    def test_turns_round_for_who_works_elsewhere(self, bob: Member, now: datetime) -> None:
        web = make_insight(bob, body="Tokens are refreshed in the background.", files=["web/auth/tokens.ts"]).ref
        api = make_insight(bob, body="Tokens are refreshed by the middleware.", files=["api/auth/tokens.py"]).ref
        question = "where are tokens refreshed"
        assert refs(ask(bob, now, question, files=["web/auth/tokens.ts"]))[0] == web
        assert refs(ask(bob, now, question, files=["api/auth/tokens.py"]))[0] == api

    def test_follows_strength_and_trust_among_equals(self, alice: Member, now: datetime) -> None:
        text = "Run beat once, in one pod."
        old, new = (make_insight(alice, body=text, now=now - timedelta(days=days)).ref for days in (60, 0))
        assert refs(ask(alice, now, text, trim=False)) == [new, old]
        curate.promote(ref=old, by=alice, now=now - timedelta(days=60))
        assert refs(ask(alice, now, text, trim=False)) == [old, new]

    def test_is_the_same_every_time(self, library: dict[str, str], bob: Member, now: datetime) -> None:
        make_insight(bob, body=LESSONS["beat"])
        answers = {tuple(refs(ask(bob, now, "beat", trim=False, limit=50))) for _ in range(5)}
        assert len(answers) == 1


class TestWhatIsNeverFound:
    """What must not be reached is not reached by meaning, word, error or reference."""

    def every_way(self, by: Member, now: datetime, ref: str, **over: Any) -> set[str]:
        questions = (LESSONS["beat"], "celery beat", "tick", f"what about {ref}")
        asked = [ask(by, now, text, error=BENS_TRACE, trim=False, limit=50, **over) for text in questions]
        asked += [ask(by, now, text, error=BENS_TRACE, **over) for text in questions]
        whole = ranked(ask=Ask(LESSONS["beat"], error=BENS_TRACE, **over), by=by, now=now)
        return {ref for found in asked for ref in refs(found)} | {*whole.refs, *whole.served}

    @pytest.fixture
    def beat(self, library: dict[str, str], alice: Member) -> str:
        return make_insight(alice, body=LESSONS["beat"] + " Always.", error=ANNS_TRACE).ref

    def test_control_it_is_found_otherwise(self, beat: str, bob: Member, now: datetime) -> None:
        assert beat in self.every_way(bob, now, beat)

    def test_is_what_was_superseded(self, beat: str, library: dict[str, str], bob: Member, now: datetime) -> None:
        heir = Insight.objects.get(ref=library["beat"])
        Insight.objects.filter(ref=beat).update(superseded_by=heir)
        assert beat not in self.every_way(bob, now, beat)

    def test_is_what_was_archived(self, beat: str, bob: Member, now: datetime) -> None:
        Insight.objects.filter(ref=beat).update(status="archived")
        assert beat not in self.every_way(bob, now, beat)

    def test_is_another_teams(self, beat: str, charlie: Member, now: datetime) -> None:
        make_insight(charlie, body="Something of our own.")
        assert beat not in self.every_way(charlie, now, beat)

    def test_is_another_teams_also_when_that_is_named(
        self, beat: str, charlie: Member, mobile: Team, now: datetime
    ) -> None:
        for teams in (["platform"], ["mobile", "platform"], ["personal-1"], ["nonsense"]):
            with pytest.raises(NoSuchTeam):
                ask(charlie, now, LESSONS["beat"], teams=teams)

    def test_is_a_colleagues_own(self, alice: Member, bob: Member, root: Member, now: datetime) -> None:
        own = make_insight(bob, body=LESSONS["beat"], team="personal", error=ANNS_TRACE).ref
        assert own in self.every_way(bob, now, own)
        for other in (alice, root):
            assert own not in self.every_way(other, now, own)
        with pytest.raises(NoSuchTeam):
            ask(root, now, "beat", teams=[f"personal-{bob.user_id}"])

    def test_is_what_a_token_was_not_made_for(self, beat: str, alice_user: User, alice: Member, now: datetime) -> None:
        narrow = member_of(user=alice_user, only=frozenset({alice.home_id}))
        own = make_insight(alice, body="Mine about celery beat.", team="personal").ref
        assert self.every_way(narrow, now, beat) == {own}
        with pytest.raises(NoSuchTeam):
            ask(narrow, now, "beat", teams=["platform"])

    def test_weighs_words_by_what_the_asker_may_see_alone(self, alice: Member, charlie: Member, now: datetime) -> None:
        """How rare a word is elsewhere would tell what others write about."""
        make_insight(charlie, body="The kestrel project is late.")

        def seen() -> list[tuple[str, float]]:
            return [(h.insight.ref, h.score.total) for h in ask(charlie, now, "kestrel project", trim=False).hits]

        before = seen()
        for n in range(5):
            make_insight(alice, body=f"The kestrel acquisition, part {n}.")
        assert seen() == before != []


class TestNarrowing:
    def test_is_by_kind(self, library: dict[str, str], alice: Member, now: datetime) -> None:
        trap = make_insight(alice, kind=Kind.PITFALL, body="Two beats fire every scheduled celery job twice.").ref
        assert trap in refs(ask(alice, now, "celery beat"))
        assert refs(ask(alice, now, "celery beat", kinds=["PITFALL"], trim=False, limit=50)) == [trap]
        assert refs(ask(alice, now, "celery beat", kinds=["DECISION"])) == []

    def test_is_by_team(self, library: dict[str, str], alice: Member, now: datetime) -> None:
        own = make_insight(alice, body=LESSONS["beat"] + " Mine.", team="personal").ref
        assert refs(ask(alice, now, "celery beat", teams=["personal"])) == [own]
        assert own not in refs(ask(alice, now, "celery beat", teams=["platform"]))

    @pytest.mark.parametrize("limit", [1, 2, 7, 50])
    def test_is_by_limit(self, library: dict[str, str], alice: Member, now: datetime, limit: int) -> None:
        assert len(ask(alice, now, "celery", trim=False, limit=limit).hits) == min(limit, len(LESSONS))

    def test_is_by_the_least_score(self, library: dict[str, str], alice: Member, now: datetime) -> None:
        best = ask(alice, now, "celery beat").hits[0].score.total
        assert refs(ask(alice, now, "celery beat", min_score=best - 0.001)) == [library["beat"]]
        nothing = ask(alice, now, "celery beat", min_score=best + 0.001)
        assert nothing.hits == []

    def test_leaves_what_is_much_weaker_than_the_best(
        self, library: dict[str, str], alice: Member, now: datetime
    ) -> None:
        trimmed = ask(alice, now, "celery beat fires scheduled jobs twice", limit=50)
        whole = ask(alice, now, "celery beat fires scheduled jobs twice", limit=50, trim=False)
        assert refs(trimmed) == [library["beat"]]
        assert len(whole.hits) == len(LESSONS)

    def test_says_the_same_thing_once(self, library: dict[str, str], alice: Member, now: datetime) -> None:
        again = make_insight(alice, body=LESSONS["beat"]).ref
        assert len({*refs(ask(alice, now, "celery beat", limit=50))} & {again, library["beat"]}) == 1
        whole = refs(ask(alice, now, "celery beat", limit=50, trim=False))
        assert {again, library["beat"]} <= {*whole}

    @pytest.mark.parametrize("limit", [1, 2, 3, 50])
    def test_fills_the_answer_behind_any_number_of_the_same(self, alice: Member, now: datetime, limit: int) -> None:
        for _ in range(12):
            make_insight(alice, body="Celery beat fires scheduled jobs twice.")
        others = [
            make_insight(alice, body=f"{start} celery beat fires scheduled jobs twice{end}.").ref
            for start, end in (("When two pods run,", " and locks help"), ("On the holiday of the operator", ""))
        ]
        found = refs(ask(alice, now, "celery beat fires scheduled jobs twice", limit=limit))
        assert len(found) == min(limit, 3)
        assert set(found[1:]) <= {*others}


class TestAbstaining:
    @pytest.mark.parametrize(
        "question", ["how do I bake sourdough bread", "who won the football match", "zzz", "the of and"]
    )
    def test_from_what_the_team_knows_nothing_of(
        self, library: dict[str, str], alice: Member, now: datetime, question: str
    ) -> None:
        found = ask(alice, now, question)
        assert (found.hits, found.abstained, found.candidate_count) == ([], True, len(LESSONS))

    def test_when_there_is_nothing_at_all(self, alice: Member, now: datetime) -> None:
        found = ask(alice, now, "celery beat")
        assert (found.hits, found.abstained, found.candidate_count) == ([], True, 0)

    def test_not_when_the_ranked_list_is_asked_for(self, library: dict[str, str], alice: Member, now: datetime) -> None:
        found = ask(alice, now, "how do I bake sourdough bread", trim=False)
        assert (len(found.hits), found.abstained) == (3, False)

    def test_without_an_embedder_only_when_no_word_is_shared(
        self, library: dict[str, str], alice: Member, now: datetime, embedder_down: str
    ) -> None:
        found = ask(alice, now, "how do I bake sourdough bread")
        assert (found.hits, found.abstained, len(found.degraded)) == ([], True, 1)


# What somebody did before they ask, as agents pass it on.
BEFORE = (
    "I moved the settings page to the new form component this morning and the reviewer liked it, so that is done. "
    "Then I started with the export of invoices, which the accountants want as one file a month. "
)


class TestLongQuestion:
    @pytest.mark.parametrize(
        ("name", "wanted"),
        [
            ("beat", "Why does every scheduled job of celery beat run twice?"),
            ("rebase", "How do I push safely after a rebase?"),
            ("locks", "What should be set before an ALTER TABLE that takes long?"),
        ],
    )
    def test_is_answered_by_the_part_that_asks(
        self, library: dict[str, str], bob: Member, now: datetime, name: str, wanted: str
    ) -> None:
        found = ask(bob, now, BEFORE + wanted)
        assert refs(found)[:1] == [library[name]] and not found.unlikely

    def test_of_the_same_length_about_other_things_is_not(
        self, library: dict[str, str], bob: Member, now: datetime
    ) -> None:
        found = ask(bob, now, BEFORE + "Which colour do we take for the button that starts it?")
        assert found.abstained or found.unlikely

    def test_is_asked_whole_without_an_embedder(
        self, library: dict[str, str], bob: Member, now: datetime, embedder_down: str
    ) -> None:
        words = (
            "Celery beat: every scheduled job fires twice. Celery beat must run as one process, every job fires twice."
        )
        found = ask(bob, now, f"{words} {words}")
        assert refs(found)[:1] == [library["beat"]] and found.degraded and not found.unlikely


class TestUnlikely:
    def test_is_what_only_sounds_alike(self, library: dict[str, str], bob: Member, now: datetime) -> None:
        found = ask(bob, now, "which driver do we use for the database")
        assert (refs(found)[:1], found.unlikely) == ([library["pool"]], True)

    def test_is_not_the_answer_in_its_own_words(self, library: dict[str, str], bob: Member, now: datetime) -> None:
        assert not ask(bob, now, "prepared statements with PgBouncer in transaction mode").unlikely

    def test_is_not_what_was_asked_for_by_name(self, library: dict[str, str], bob: Member, now: datetime) -> None:
        assert not ask(bob, now, f"tell me about {library['cors']}").unlikely

    def test_is_not_nothing(self, library: dict[str, str], bob: Member, now: datetime) -> None:
        assert not ask(bob, now, "who won the football match").unlikely


class TestAsking:
    def test_is_remembered_for_the_asker_alone(self, library: dict[str, str], bob: Member, now: datetime) -> None:
        found = ask(bob, now, "celery\u200b beat", files=["a.py"], limit=2)
        row = Query.objects.get(pk=found.query_id)
        assert (row.team_id, row.user_id, row.session_key, row.at) == (bob.home_id, bob.user_id, bob.session_key, now)
        assert (row.text, row.shown, row.abstained) == ("celery beat", refs(found), False)
        assert row.ask["files"] == ["a.py"]
        assert row.embedding is not None

    def test_is_remembered_at_home_also_through_a_narrowed_token(
        self, bob_user: User, bob: Member, platform: Team, now: datetime
    ) -> None:
        narrow = member_of(user=bob_user, only=frozenset({platform.pk}))
        ask(narrow, now, "celery beat")
        assert Query.objects.get().team_id == bob.home_id

    @pytest.mark.parametrize("text", ["", "  \n", "\u200b\ufeff", "\u202e"])
    def test_for_nothing_is_refused(self, alice: Member, now: datetime, text: str) -> None:
        with pytest.raises(NothingAsked) as refused:
            ask(alice, now, text)
        assert list(refused.value.errors) == ["query"]
        assert not Query.objects.exists()

    @pytest.mark.parametrize("field", ["text", "error", "repo", "files", "symbols", "tags"])
    def test_masks_a_secret_and_loses_nothing_else(self, bob: Member, now: datetime, field: str) -> None:
        words = f"why does {SECRET} not work"
        given = words if field in ("text", "error", "repo") else [words]
        retrieve(ask=Ask(**{"text": "why", field: given}), by=bob, now=now)
        assert SECRET not in str(contents())
        assert "[SECRET]" in str(Query.objects.values().get())

    @pytest.mark.parametrize(
        "text",
        [
            "'; DROP TABLE knowledge_insight; --",
            "a & b | !c:* <-> 'd",
            "\\",
            "'",
            "%s %(x)s {0}",
            "PLAT-1 " * 500,
            "日本語の検索 と 한국어",
            "🙂" * 1_000,
            "a" * 4_000,
        ],
    )
    def test_bears_any_words(self, library: dict[str, str], bob: Member, now: datetime, text: str) -> None:
        make_insight(bob, body=text)
        assert ask(bob, now, text, error=text, tags=[text]).query_id
