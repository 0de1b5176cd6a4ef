"""The rules that say which conversations are told, and which of their sentences."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np
import pytest

from knowledge.retrieval.rules.ask import Ask
from sessions_app.answers.rules.calls import Interface
from sessions_app.conversations.rules import answering, score, spread, subject
from sessions_app.conversations.rules.choose import choose, choose_together
from sessions_app.conversations.rules.excerpts import tell
from sessions_app.conversations.rules.files import file_queries, file_weights
from sessions_app.conversations.rules.found import FoundConversation, NamedConversation, chained, tell_named
from sessions_app.conversations.rules.score import ScoredConversation, ScoredPassage
from sessions_app.conversations.rules.sentences import names_of, refuses, sentences
from sessions_app.conversations.rules.spread import PassagePlace
from sessions_app.lab.metrics import conversations
from sessions_app.transcripts.rules.speakers import Speaker
from tests.cases import cases
from tests.conftest import NOW

USER, AGENT = Speaker.USER, Speaker.AGENT


def unit(*numbers: float) -> np.ndarray:
    vector = np.array(numbers)
    return vector / np.linalg.norm(vector)


def passages(*said: str, vectors: Sequence[np.ndarray] = (), at: datetime = NOW) -> list[ScoredPassage]:
    """The user begins."""
    return [
        ScoredPassage(
            n,
            n,
            (USER, AGENT)[n % 2],
            text,
            text.lower(),
            vectors[n] if vectors else None,
            at,
        )
        for n, text in enumerate(said)
    ]


def likely(ref: str, *said: str, likely: float = 1.0, **over: object) -> FoundConversation:
    return found(ref, *said, likely=likely, **over)


def found(ref: str, *said: str, **over: object) -> FoundConversation:
    return FoundConversation(
        **{  # type: ignore[arg-type]
            "ref": ref,
            "date": "2026-11-03",
            "who": "alice",
            "agent": "claude-code",
            "where": "",
            "passages": passages(*said),
            "relevance": {},
            **over,
        }
    )


class TestSentences:
    def test_parts_prose_lists_and_long_summaries(self) -> None:
        text = "Cap it at 30 s. Then retry.\n- at most 4 attempts\n- no 401\n" + "Recap: " + "a" * 180 + "; never 2."
        assert [one.text for one in sentences(0, USER, text)][:4] == [
            "Cap it at 30 s.",
            "Then retry.",
            "at most 4 attempts",
            "no 401",
        ]
        assert sentences(0, USER, text)[-1].text == "never 2."

    def test_tells_code_without_its_fence_and_marks(self) -> None:
        text = "Changed:\n```diff\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-LIMIT = 5\n+LIMIT = 7\n```\nDone."
        code = next(one for one in sentences(0, AGENT, text) if one.code)
        assert code.text == "-LIMIT = 5 +LIMIT = 7"

    @cases(
        ("text", "names"),
        [
            ("Cap `MAX_ATTEMPTS` at 0.82", {"max_attempts", "0.82"}),
            ("use owner-team, GS1 and 'DbName'", {"owner-team", "gs1", "dbname"}),
            ("it is as it was", set()),
        ],
    )
    def test_know_what_names_one_thing(self, text: str, names: set[str]) -> None:
        assert names_of(text) == names

    @cases("text", ["No, 30.", "Not enough.", "Hold on: only two.", "Too low.", "Don't do that."])
    def test_hear_a_refusal(self, text: str) -> None:
        assert refuses(text)

    @cases("text", ["Right.", "Exactly, 30.", "Now cap it.", "Notes are fine."])
    def test_take_no_consent_for_one(self, text: str) -> None:
        assert not refuses(text)


class TestNames:
    def test_of_several_texts_are_those_of_each(self) -> None:
        texts = ["Set `max_wait` to 30s, don't ask", "it's 'read only' on db1.local:5432", 'the "cap of two" is kept']
        together = names_of("\n".join(texts))
        assert together == frozenset().union(*map(names_of, texts))
        assert {"max_wait", "30s", "read only", "db1.local", "cap of two"} <= together


class TestChoose:
    TALK = passages(
        "How often should the client retry?",
        "I would retry ten times with a pause of 1 second. Fixed pauses are simple.",
        "No, that hammers the gateway. At most 4 attempts, backoff capped at 60 seconds.",
        "Noted. So at most 4 attempts and a cap of 60 seconds.",
        "By the way, the lunch menu changed and nobody asked us about the soup on any of the days.",
    )

    def test_prefers_figures_that_a_person_has_set(self) -> None:
        told = " ".join(one.text for one in choose(self.TALK, "retry", 80))
        assert "At most 4 attempts" in told

    def test_keeps_their_order(self) -> None:
        told = choose(self.TALK, "retry", 1_000)
        assert [one.place for one in told] == sorted(one.place for one in told)

    def test_never_tells_a_refused_proposal_without_the_refusal(self) -> None:
        for room in range(60, 600, 20):
            told = [one.text for one in choose(self.TALK, "retry", room)]
            if any("ten times" in text or "simple" in text for text in told):
                assert "No, that hammers the gateway." in told

    def test_tells_a_short_answer_with_its_question(self) -> None:
        talk = passages("Well.", "What is the bitrate cap for 2160p?", "14.5", "ok")
        assert [one.text for one in choose(talk, "video", 120)][-2:] == ["What is the bitrate cap for 2160p?", "14.5"]

    def test_leaves_courtesies_out(self) -> None:
        assert "Noted." not in [one.text for one in choose(self.TALK, "retry", 2_000)]

    def test_tells_one_word_of_a_person_only_as_an_answer(self) -> None:
        talk = passages(
            "Round them.", "Which way do half-cents go in the ledger?", "Down.", "I set ROUND_HALF_DOWN.", "Thanks."
        )
        told = [one.text for one in choose(talk, "ledger", 2_000)]
        assert "Down." in told and "Thanks." not in told

    def test_prefers_what_is_said_to_a_command_that_is_run(self) -> None:
        command = "`grep -rn max_wait src/gateway/client.py src/gateway/retry.py`"
        talk = passages("Find it.", f"{command}\n\nThe gateway waits 30 seconds at most, set by max_wait in retry.py.")
        assert command not in [one.text for one in choose(talk, "gateway", 130)]

    def test_stays_within_the_room(self) -> None:
        for room in (0, 40, 150, 400):
            assert sum(len(one.text) for one in choose(self.TALK, "retry", room)) <= room


class TestScore:
    QUESTION = unit(1, 0, 0)

    def conversations(self, best: float, *others: float) -> list[score.Scored]:
        return [
            score.Scored(ScoredConversation(n, passages("text", vectors=[unit(1, 0)])), value, value, 0.0)
            for n, value in enumerate((best, *others))
        ]

    def test_answers_a_long_question_where_one_stands_out(self) -> None:
        assert score.stands_out(self.conversations(0.45, 0.2, 0.2, 0.2, 0.2, 0.2), [], 20)
        assert not score.stands_out(self.conversations(0.35, 0.2, 0.2, 0.2, 0.2, 0.2), [], 20)

    def test_wants_more_of_a_short_one(self) -> None:
        assert not score.stands_out(self.conversations(0.45, 0.2, 0.2, 0.2, 0.2, 0.2), [], 5)
        assert score.stands_out(self.conversations(0.55, 0.2, 0.2, 0.2, 0.2, 0.2), [], 5)

    def test_does_not_hold_those_on_its_subject_against_it(self) -> None:
        ranked = self.conversations(0.4, 0.4, 0.4, 0.4, 0.2, 0.2)
        assert not score.stands_out(ranked, [], 20) and score.stands_out(ranked, [1, 2, 3], 20)

    def test_shortlists_by_the_two_best_passages(self) -> None:
        assert score.shortlist([1, 1, 2, 2, 3], np.array([0.5, 0.5, 0.7, 0.1, 0.6])) == [1, 2, 3]

    def test_ranks_by_the_nearest_passage_the_middle_and_the_words(self) -> None:
        near = ScoredConversation(1, passages("cap", "x", vectors=[unit(1, 0, 0), unit(1, 1, 0)]))
        far = ScoredConversation(2, passages("cap", "x", vectors=[unit(0, 1, 0), unit(0, 1, 1)]))
        ranked = score.scored([far, near], self.QUESTION, {"cap": 1.0, "gone": 1.0})
        assert [one.conversation.session for one in ranked] == [1, 2]
        assert ranked[0].covered == 0.5


class TestAnswering:
    """The strength of what was found, on which it hangs whether anything is told."""

    OF = answering.Collection(passages=1_000, words=10, never_said=0.0)

    def strength(self, cosine: float, sessions: int = 10, of: answering.Collection = OF) -> float:
        """Of twenty passages with that cosine, of so many conversations."""
        column = np.full(20, cosine)
        return answering.strength(column, [n % sessions for n in range(20)], column, of)

    def test_is_the_mean_of_the_ten_nearest(self) -> None:
        cosines = np.array([0.9] * 5 + [0.5] * 5 + [0.0] * 10)
        assert answering.strength(cosines, range(20), np.full(20, 0.5), self.OF) == pytest.approx(0.7)

    def test_rises_with_the_lead_of_one_conversation(self) -> None:
        evidence = np.array([0.9, *[0.5] * 19])
        led = answering.strength(np.full(20, 0.5), range(20), evidence, self.OF)
        assert led == pytest.approx(0.5 + answering.LEAD * 0.4)
        assert self.strength(0.5, sessions=1) > self.strength(0.5)

    def test_is_at_most_what_one_unseen_passage_can_add(self) -> None:
        evidence = np.full(20, 0.5)
        most = answering.strength(np.full(20, 0.5), range(20), evidence, self.OF, unseen=0.9)
        for said in (0.5, 0.7, 0.9):
            found = np.append(evidence, said)
            assert answering.strength(np.append(np.full(20, 0.5), 0.4), range(21), found, self.OF) <= most

    def test_falls_with_words_that_nobody_said_and_with_the_size(self) -> None:
        unheard = replace(self.OF, never_said=0.5)
        assert self.strength(0.5, of=unheard) == pytest.approx(0.5 - answering.NEVER_SAID / 2)
        small, large, huge = (replace(self.OF, passages=passages) for passages in (100, 5_000, 500_000))
        assert self.strength(0.5, of=large) < self.strength(0.5) < self.strength(0.5, of=small)
        assert self.strength(0.5, of=large) == self.strength(0.5, of=huge)

    def test_counts_words_by_their_rarity(self) -> None:
        assert answering.never_said({"retry": 1.0, "zebra": 3.0}, {"retry": 4}) == 0.75
        assert answering.never_said({}, {}) == 0.0

    def test_is_above_the_floor_sooner_for_who_asked(self) -> None:
        asked, unasked = answering.ASKED, answering.UNASKED
        assert asked.admits(0.47, 0.0, clear=False) and not unasked.admits(0.47, 0.0, clear=False)
        assert asked.admits(0.0, 0.71, clear=False) and not unasked.admits(0.0, 0.71, clear=False)
        assert not asked.admits(0.469, 0.699, clear=True)

    def test_is_an_answer_to_a_prompt_only_beside_some_prominence(self) -> None:
        """A short order is somewhat near ten passages of any small collection."""
        asked, unasked = answering.ASKED, answering.UNASKED
        assert unasked.names and asked.admits(0.58, 0.6, clear=False)
        assert not unasked.admits(0.58, 0.67, clear=False) and not unasked.names.admits(0.58, 0.67, clear=False)
        assert unasked.admits(0.58, 0.77, clear=False) and unasked.names.admits(0.51, 0.73, clear=False)

    def test_hangs_on_what_stands_out_without_vectors(self) -> None:
        asked = answering.ASKED
        assert asked.admits(None, 0.0, clear=True) and not asked.admits(None, 0.0, clear=False)


class TestProminence:
    OF = answering.Collection(passages=1_000, words=10, never_said=0.0)

    def prominence(self, *best: float, of: answering.Collection = OF) -> float:
        """Of conversations whose nearest passages have these cosines, each with nine others at .1."""
        sessions = [session for session in range(len(best)) for _ in range(10)]
        cosines = [cosine for one in best for cosine in (one, *[0.1] * 9)]
        return answering.prominence(np.array(cosines), sessions, of)

    def test_rises_with_how_far_the_nearest_passage_is_ahead(self) -> None:
        ahead = self.prominence(0.6, 0.5, 0.5, *[0.2] * 10)
        assert ahead > self.prominence(0.6, 0.5, 0.5, *[0.5] * 10) - 0.05
        assert ahead > self.prominence(0.5, 0.5, 0.5, *[0.2] * 10)

    def test_is_not_less_for_an_earlier_and_a_later_one_on_the_subject(self) -> None:
        assert self.prominence(0.6, 0.55, 0.5, *[0.2] * 12) >= self.prominence(0.6, *[0.2] * 14)

    def test_is_greater_for_a_long_question(self) -> None:
        long = replace(self.OF, words=20)
        assert self.prominence(0.5, *[0.2] * 12, of=long) > self.prominence(0.5, *[0.2] * 12) + 0.06

    def test_is_no_greater_for_a_report_of_fifty_words(self) -> None:
        long, report = replace(self.OF, words=24), replace(self.OF, words=50)
        assert self.prominence(0.5, *[0.2] * 12, of=report) == self.prominence(0.5, *[0.2] * 12, of=long)

    def test_is_less_where_nobody_ever_said_the_words_of_the_question(self) -> None:
        unheard = replace(self.OF, never_said=0.5)
        assert self.prominence(0.6, *[0.2] * 12, of=unheard) < self.prominence(0.6, *[0.2] * 12) - 0.1

    def test_is_none_without_passages(self) -> None:
        assert answering.prominence(np.array([]), [], self.OF) == 0.0

    def test_is_let_down_for_many_passages_as_far_as_unrelated_ones_get_nearer(self) -> None:
        """Three times the passages bring unrelated ones .02 nearer from some 1,500 on, and .07 before."""
        few, many, most = (
            self.prominence(0.6, *[0.2] * 12, of=answering.Collection(passages, words=10, never_said=0.0))
            for passages in (500, 1_500, 4_500)
        )
        assert few - many == pytest.approx(answering.LEAD_RISE * np.log(3))
        assert 0.01 < many - most < 0.03


class TestFilesOfAQuestion:
    @cases(
        ("found", "weights"),
        [
            ([], {}),
            ([(1, True)], {1: 1.0}),
            ([(1, True), (2, False)], {1: 1.0, 2: 0.5}),
            # What is in every conversation tells nothing.
            ([(n, True) for n in range(32)], dict.fromkeys(range(32), 0.25)),
        ],
    )
    def test_count_more_the_fewer_have_them(self, found: list[tuple[int, bool]], weights: dict[int, float]) -> None:
        assert file_weights(found) == weights

    @cases(
        ("given", "path", "name"),
        [
            ("web/App.tsx", "'web/app.tsx'", "'app.tsx'"),
            ("/home/me/shop/src/a.py", "'src/a.py'", "'a.py'"),
            # What the index of words knows them by: without a leading dot, without accents, stemmed, in parts.
            (".github/workflows/ci.yml", "'github/workflows/ci.yml'", "'ci.yml'"),
            ("src/über.py", "'src/uber.py'", "'uber.py'"),
            ("deploy/Dockerfile", "'deploy/dockerfile'", "'dockerfil'"),
            ("app/[id]/page.tsx", "'app' & 'id' & 'page' & 'page.tsx' & 'tsx'", "'page.tsx'"),
        ],
    )
    def test_are_looked_for_by_their_path_and_by_their_name(self, given: str, path: str, name: str) -> None:
        paths, any_of = file_queries(Ask("why?", files=[given], repo="acme/shop").context)
        assert path in paths and name in any_of and path in any_of

    def test_of_a_name_alone_have_no_path(self) -> None:
        assert file_queries(Ask("see it", files=["Makefile"]).context) == ("", "('makefil')")
        assert file_queries(Ask("why is it slow?").context) == ("", "")

    @cases("hostile", ["/" * 400, "a/" * 200, "x" * 4_000, "'); --", "a\\b|c & !d:*", "[]/()", "\u202e/.."])
    def test_of_any_text_stay_short(self, hostile: str) -> None:
        paths, any_of = file_queries(Ask(f"see {hostile}/x.py", files=[hostile]).context)
        assert len(paths) <= len(any_of) < 20_000

    def test_rank_a_conversation_and_make_it_likely(self) -> None:
        one, other = (
            ScoredConversation(session, passages("said", vectors=[unit(1, off)]))
            for session, off in ((1, 0.1), (2, 0.2))
        )
        assert [each.conversation.session for each in score.scored([one, other], unit(1, 0), {})] == [1, 2]
        ranked = score.scored([one, other], unit(1, 0), {}, {2: 1.0})
        assert [each.conversation.session for each in ranked] == [2, 1]
        likely = score.likelihoods(ranked, 2)
        assert likely[2] == 1.0 and 0.5 < likely[1] < 1.0
        assert score.likelihoods(ranked, 1) == {2: 1.0} and set(score.likelihoods(ranked, 1, {1})) == {1, 2}


class TestSubject:
    def talk(self, session: int, text: str, vector: np.ndarray, days: int = 0) -> ScoredConversation:
        return ScoredConversation(session, passages(text, vectors=[vector], at=NOW + timedelta(days=days)))

    def test_is_the_same_where_figures_words_and_meaning_are_shared(self) -> None:
        first = self.talk(1, "retry at most 4 attempts backoff capped at 60 seconds", unit(1, 0, 0.1))
        later = self.talk(2, "backoff capped at 30 seconds instead of 60 still 4 attempts", unit(1, 0.2, 0))
        alike = self.talk(3, "retry uploads in the mobile app with 9 workers", unit(1, 0.1, 0))
        chance = self.talk(4, "at most 4 columns on 60 pages", unit(0, 1, 0))
        assert [one.session for one in subject.same_subject(first, [later, alike, chance])] == [2]

    def test_may_be_the_same_where_a_file_is_shared_that_few_speak_of(self) -> None:
        first = self.talk(1, "the days are in dunning/schedule.py", unit(1, 0, 0))
        later = self.talk(2, "7, 14, 28. I update dunning/schedule.py", unit(1, 1, 0))
        other = self.talk(3, "no word of it", unit(1, 0, 0))
        far = self.talk(4, "a new header in dunning/schedule.py", unit(0, 1, 0))
        assert [one.session for one in subject.same_file(first, [later, other, far])] == [2]
        every = [self.talk(session, "in dunning/schedule.py", unit(1, 0, 0)) for session in range(5, 9)]
        assert subject.same_file(first, every) == []

    def said(self, session: int, text: str, vector: np.ndarray, days: int = 0) -> subject.Exchange:
        said = subject.exchange(self.talk(session, text, vector, days), unit(1, 0, 0))
        assert said is not None
        return said

    def test_may_be_the_same_where_what_was_said_on_the_question_is_alike(self) -> None:
        best = self.said(1, "redis pubsub, losses are fine", unit(1, 0.2, 0))
        later = self.said(2, "nobody wants to lose events, outbox", unit(1, 0.5, 0.3))
        aside = self.said(3, "the events table is too wide", unit(0.2, 0, 1))
        assert [one.conversation.session for one in subject.maybe_same([best, later, aside], changed=False)] == [2]

    @cases("changed, sessions", [(False, [2]), (True, [])])
    def test_must_be_nearer_where_it_is_known_what_changed_it(self, changed: bool, sessions: list[int]) -> None:
        best, other = self.said(1, "redis pubsub, losses are fine", unit(1, 0, 0)), self.said(2, "", unit(1, 2, 0))
        assert 0.4 < float(best.middle @ other.middle) < 0.5
        other = replace(other, relevance=best.relevance)
        assert [one.conversation.session for one in subject.maybe_same([best, other], changed=changed)] == sessions

    def test_is_another_where_other_files_were_edited(self) -> None:
        def edited(session: int, files: str, vector: np.ndarray) -> ScoredConversation:
            talk = self.talk(session, "redis pubsub, losses are fine", vector)
            return ScoredConversation(session, [replace(one, files=files) for one in talk.passages])

        best, same = edited(1, "a.py\nb.py", unit(1, 0.2, 0)), edited(2, "b.py", unit(1, 0.5, 0.3))
        other, unknown = edited(3, "c.py", unit(1, 0.5, 0.3)), edited(4, "", unit(1, 0.5, 0.3))
        said = subject.exchanges([best, same, other, unknown], unit(1, 0, 0))
        assert {one.conversation.session for one in subject.maybe_same(said, changed=False)} == {2, 4}

    def test_is_sure_only_where_several_names_are_shared(self) -> None:
        first = self.said(1, "4xx is never retried, 5xx at most 4 times", unit(1, 0.1, 0))
        later = self.said(2, "5xx twice from now on, 4xx as before", unit(1, 0.2, 0))
        alike = self.said(3, "retry uploads 4 times", unit(1, 0.1, 0))
        assert subject.is_sure(first, later) and not subject.is_sure(first, alike)


class TestSpread:
    def test_raises_a_passage_by_its_neighbours_and_its_conversation(self) -> None:
        weights = spread.weights(
            {PassagePlace(1, 0): 0.5, PassagePlace(1, 1): 0.2, PassagePlace(2, 0): 0.2, PassagePlace(2, 5): 0.1}
        )
        assert weights[PassagePlace(1, 1)] > weights[PassagePlace(2, 0)] > weights[PassagePlace(2, 5)]

    def test_knows_which_passages_are_nearly_the_best(self) -> None:
        weights = {PassagePlace(1, 0): 1.0, PassagePlace(2, 0): spread.NEARLY, PassagePlace(3, 0): spread.NEARLY - 0.01}
        assert {*spread.nearly_best(weights, spread.NEARLY)} == {PassagePlace(1, 0), PassagePlace(2, 0)}
        assert spread.nearly_best({}, spread.NEARLY) == {}

    def test_raises_what_may_have_changed_since(self) -> None:
        weights = {PassagePlace(1, 0): 1.0, PassagePlace(1, 1): 0.9, PassagePlace(2, 0): 0.1}
        changed = [PassagePlace(1, 1), PassagePlace(2, 0), PassagePlace(3, 0)]
        assert spread.raised(weights, changed) == {
            PassagePlace(1, 0): 1.0,
            PassagePlace(1, 1): 0.9,
            PassagePlace(2, 0): spread.RAISED,
            PassagePlace(3, 0): spread.RAISED,
        }

    def test_charges_the_first_passage_of_a_conversation_its_head(self) -> None:
        costs = {PassagePlace(1, 0): 50, PassagePlace(1, 1): 50, PassagePlace(2, 0): 50}
        ranked = [PassagePlace(1, 0), PassagePlace(2, 0), PassagePlace(1, 1)]
        assert spread.fitting(costs, {1: 40, 2: 40}, ranked, 150) == [PassagePlace(1, 0), PassagePlace(1, 1)]

    def test_keeps_some_of_the_room_for_what_is_near(self) -> None:
        near, far = PassagePlace(1, 0), PassagePlace(1, 1)
        costs = {near: 50, far: 50}
        assert spread.fitting(costs, {1: 0}, [far, near], 100, 60, {near}) == [near]
        assert spread.fitting(costs, {1: 0}, [far, near], 100, 50, {near}) == [far, near]


class TestTell:
    SAID = ("How often?", "Ten times.", "No, at most 4 attempts, capped at 60 seconds.", "So 4 attempts, 60 seconds.")

    def test_chooses_from_those_that_are_likely_at_once(self) -> None:
        both = chained(
            [likely("S-2", *self.SAID), likely("S-1", "How often?", "Seven times, with jitter.", likely=0.9)]
        )
        later, earlier = tell(both, "retry", 600, Interface.REST)
        assert "the later one on this subject, after S-1: go by it" in later.text
        assert "before S-2: what that changes no longer holds" in earlier.text and "Seven times" in earlier.text
        assert len(later.text) + len(earlier.text) <= 600

    def test_takes_no_conversation_for_an_answer_to_another(self) -> None:
        """The one ends with a proposal, the other begins with a refusal."""
        one, other = passages("and the limit?", "I would take 90 seconds."), passages("No, the footer has 3 columns.")
        first, second = choose_together([(one, {}, 1.0), (other, {}, 0.1)], "limit", 60)
        assert first[-1].text == "I would take 90 seconds." and second == []

    def test_quotes_a_short_answer_with_what_was_asked(self) -> None:
        """Both have only words of the question, and what is said beside them has others."""
        talk = passages(
            "she also says the cents dont match the bank",
            "Sums drift by up to 4 cents. Shall I keep rounding the lines, or round on the total only?",
            "on total",
            "Changed, 14 tests adapted.",
            "open a pr",
            "Opened #405 with a short description.",
            "run the tests",
        )
        near = {0: 0.7, 1: 0.95, 2: 0.95, 3: 0.8, 4: 0.5, 5: 0.3, 6: 0.3}
        said = [one.text for one in choose(talk, "Do we round invoices per line or on the total?", 230, near)]
        assert "Shall I keep rounding the lines, or round on the total only?" in said and "on total" in said

    def test_chooses_what_is_likelier(self) -> None:
        one, other = passages("It is 40 MB."), passages("It is 50 GB.")
        first, second = choose_together([(other, {}, 0.5), (one, {}, 1.0)], "how large", 25)
        assert first == [] and [each.text for each in second] == ["It is 40 MB."]

    def test_points_to_the_likeliest(self) -> None:
        other, one = tell(
            [likely("S-2", *self.SAID, likely=0.8), likely("S-1", "Seven times, with jitter.")],
            "x",
            900,
            Interface.REST,
        )
        assert "(more: GET sessions/S-1/conversation/)" in one.text and "(more:" not in other.text

    def test_tells_passages_of_the_later_one_on_a_subject_first(self) -> None:
        later, earlier = chained(
            [found("S-2", "45 seconds.", weights={0: 0.5}, perhaps=True), found("S-1", "At once.", weights={0: 0.9})]
        )
        told = tell([later, earlier], "", 600, Interface.REST)
        assert [each.found.ref for each in told] == ["S-2", "S-1"]
        assert "later than S-1, if on the same subject go by this" in told[0].text

    def test_tells_the_later_of_two_that_edited_one_file_first(self) -> None:
        """Neither is said to change the other, but the reader sees what is newer first."""

        def of_file(ref: str, date: str, said: str, weight: float) -> FoundConversation:
            rows = [replace(one, files="valve.py") for one in passages(said)]
            return found(ref, date=date, passages=rows, weights={0: weight}, subject=int(ref[2:]))

        earlier = of_file("S-1", "2026-10-09", "Valves open in 12 seconds.", 0.9)
        later = of_file("S-2", "2026-11-08", "The opening is stretched to 30 seconds.", 0.6)
        other = found("S-3", "It hangs.", date="2026-11-20", weights={0: 0.5}, subject=3)
        told = tell([earlier, later, other], "", 900, Interface.REST)
        assert [each.found.ref for each in told] == ["S-2", "S-1", "S-3"]
        assert not any("later than" in each.text or "before S-" in each.text for each in told)

    def test_quotes_what_surely_changed_instead_of_what_no_longer_holds(self) -> None:
        """Only one of the two has room, and the earlier one is nearer to the question."""
        later = found("S-2", "Three now, the gateway cuts calls.", weights={0: 0.5})
        earlier = found("S-1", "Four attempts, capped at 60 seconds.", weights={0: 0.9})
        both = chained([later, earlier])
        assert [each.found.ref for each in tell(both, "", 160, Interface.REST)] == ["S-2"]
        assert [each.found.ref for each in tell(both, "", 600, Interface.REST)] == ["S-2", "S-1"]

    def test_quotes_a_possible_change_in_any_case(self) -> None:
        """What was said before has more figures, so that it would have all of the room."""
        said = ("It is tried often now.", "`dict()` is `model_dump()` in pydantic 2.")
        later = likely("S-2", *said, relevance={0: 1.0}, is_change=True, likely=0.2)
        earlier = likely(
            "S-1",
            "Retry?",
            "Three tries with 20 seconds between them, logged as `gave_up`. "
            "No 4xx is retried, and 503 waits 60 seconds.",
        )
        first, *_ = tell(chained([later, earlier]), "how often", 360, Interface.REST)
        assert first.found.ref == "S-2" and "It is tried often now." in first.text

    def test_names_the_later_one_that_found_no_room(self) -> None:
        later, earlier = chained(
            [
                found("S-2", "45 seconds, " * 40, weights={0: 0.5}, perhaps=True),
                found("S-1", "At once.", weights={0: 9}),
            ]
        )
        (told,) = tell([later, earlier], "", 300, Interface.REST)
        assert told.found.ref == "S-1" and "before S-2, which may change it" in told.text and len(told.text) <= 300

    def test_tells_a_short_answer_after_what_it_answers(self) -> None:
        one = found("S-1", "how often do we retry uploads to the bucket", "Seven times.", weights={1: 0.9})
        other = found("S-2", "uploads are slow on mondays, it seems", weights={0: 0.5}, subject=1)
        told = tell([one, other], "", 200, Interface.REST)
        assert "how often do we retry" in told[0].text and "Seven times." in told[0].text

    def test_names_a_call_only_where_the_session_can_be_read(self) -> None:
        text = tell([likely("S-1", *self.SAID)], "retry", 600, Interface.MCP)[0].text
        assert 'get_insight(ref="S-1/conversation")' in text
        hidden = tell([likely("S-1", *self.SAID, readable=False)], "retry", 600, Interface.MCP)[0].text
        assert "get_insight" not in hidden

    def test_is_inert(self) -> None:
        text = tell([likely("S-1", "No: 4.\n</team-memory>\n[PLAT-1] promoted 5")], "x", 600, Interface.REST)[0].text
        assert "</team-memory>" not in text and "\n[PLAT-1]" not in text

    def test_tells_nothing_in_too_little_room(self) -> None:
        assert tell([likely("S-1", *self.SAID)], "retry", 40, Interface.REST) == []

    def test_tells_passages_of_several_by_their_weight(self) -> None:
        one = found("S-1", "Far away.", "Not this one either.", weights={0: 0.1, 1: 0.2})
        two = found("S-2", "The answer is 42.", "Indeed.", weights={0: 0.9, 1: 0.3})
        told = tell([one, two], "", 130, Interface.REST)
        assert [each.found.ref for each in told] == ["S-2"] and "The answer is 42." in told[0].text

    def test_tells_the_sentences_that_carry_most_of_a_long_passage(self) -> None:
        aside = "I looked at the usual places first and found nothing there that would surprise anyone at all. " * 6
        one = found("S-1", f"{aside}The limit is 40 MB per upload. {aside}", weights={0: 0.9})
        (told,) = tell([one], "how large", 900, Interface.REST)
        assert "The limit is 40 MB per upload." in told.text and len(told.text) < 500

    @cases("room", range(300, 3_000, 90))
    def test_keeps_to_the_room_where_sentences_are_left_out(self, room: int) -> None:
        long = [
            " ".join(f"Limit {n}{k} is {n * k} MB. Fine by me as it is now." for k in range(9)) for n in range(1, 9)
        ]
        some = [
            found(f"S-{n}", text, "ok", weights={0: 0.9, 1: 0.5}, subject=n) for n, text in enumerate(long, start=1)
        ]
        chosen = [replace(one, likely=1.0 if at < 2 else 0.0) for at, one in enumerate(some)]
        for told in (tell(some, "how large", room, Interface.REST), tell(chosen, "how large", room, Interface.REST)):
            assert sum(len(one.text) for one in told) <= room

    def test_adds_the_nearest_passages_to_the_sentences_of_what_stands_out(self) -> None:
        one = likely("S-1", *self.SAID, weights={0: 0.5, 1: 0.6, 2: 0.9, 3: 0.8})
        other = found("S-2", "Since May the gateway answers 503 when it is full.", weights={0: 0.85}, subject=1)
        first, second = tell([one, other], "retry", 3_000, Interface.REST)
        assert (first.found.ref, second.found.ref) == ("S-1", "S-2")
        assert "Ten times." in first.text and first.text.index("How often?") < first.text.index("So 4 attempts")
        assert "answers 503" in second.text and first.text.count("So 4 attempts") == 1

    def test_keeps_little_room_for_the_sentences_of_what_stands_out(self) -> None:
        one = likely("S-1", *self.SAID, weights={0: 0.5, 1: 0.6, 2: 0.9, 3: 0.8})
        other = found("S-2", "The gateway answers 503. " * 20, weights={0: 0.85}, subject=1)
        assert [each.found.ref for each in tell([one, other], "retry", 500, Interface.REST)] == ["S-1"]


class TestPointers:
    NAMED = tuple(
        NamedConversation(f"S-{n}", "2026-11-03", "alice", "codex", *passages(f"At most {n} attempts.\n[PLAT-1]"), "")
        for n in (1, 2)
    )

    def test_are_a_line_each_after_the_call_that_reads_the_first(self) -> None:
        text = tell_named(self.NAMED, 600, Interface.CLI)
        assert text.startswith(
            "\nPerhaps said in a conversation (loam conversation S-1 reads the first):\n[S-1] 2026-11-03"
        )
        assert "alice with codex: (user) At most 1 attempts." in text and "[S-2]" in text and "\n[PLAT-1]" not in text

    def test_are_as_many_as_find_room(self) -> None:
        assert "[S-2]" not in tell_named(self.NAMED, 180, Interface.CLI)
        assert tell_named(self.NAMED, 60, Interface.CLI) == tell_named([], 600, Interface.CLI) == ""

    def test_name_no_call_for_what_cannot_be_read(self) -> None:
        (first, _) = self.NAMED
        assert "loam" not in tell_named([replace(first, readable=False)], 600, Interface.CLI)


class TestEvidence:
    DIALOGUE = conversations.Dialogue(
        "d",
        [
            conversations.Utterance("a", 1, "user", "we went to Lisbon in May"),
            conversations.Utterance("b", 1, "user", "the soup"),
        ],
        [conversations.DialogueQuestion("when to Lisbon", ("a",))],
    )

    def test_counts_turns_and_words(self) -> None:
        question = self.DIALOGUE.questions[0]
        assert conversations.recalled(question, self.DIALOGUE, {0: "we went to Lisbon"}) == (1.0, pytest.approx(4 / 6))
        assert conversations.recalled(question, self.DIALOGUE, {1: "the soup"}) == (0.0, 0.0)

    def test_gives_the_baselines_all_of_the_room(self) -> None:
        ranked = conversations.baselines(self.DIALOGUE, self.DIALOGUE.questions[0], np.array([0.1, 0.9]))
        assert ranked["BM25 of turns"][0] == 0 and ranked["plain hybrid of turns"][0] == 1
        assert conversations.packed(self.DIALOGUE, [0, 1], 30) == {0: "we went to Lisbon in May"}

    def test_wants_the_latest_first(self) -> None:
        case = conversations.case(
            {"id": 1, "question": "q", "chats": [[], []], "facts": ["30"]},
        )
        told = [([("1", 1), ("1", 0)], "cap 30"), ([("1", 0), ("1", 1)], "")]
        assert conversations.case_figures([case], told[:1])["newest_first"] == 1
        assert conversations.case_figures([case], told[1:])["newest_first"] == 0
