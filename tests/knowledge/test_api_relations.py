"""`insights/{ref}/relations/`, and what a deposit asks. The verb is in actions/test_relate.py."""

from datetime import datetime
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.actions.members import member_of
from accounts.models import Team
from accounts.rules.rights import Level, Member, Scope
from knowledge.judging.rules.relations import Reason, Relation, RelationState
from knowledge.models import Insight, Pair
from knowledge.review.actions import settle
from sessions_app.mcp import schemas
from tests.conftest import agent, person
from tests.database import changed, contents
from tests.factories import make_insight

INSIGHTS = "/api/v1/insights/"
BATCH = "/api/v1/insights/batch/"
TEN = "Requests to the payment gateway time out after 10 seconds."
THIRTY = "Requests to the payment gateway time out after 30 seconds."
LONG = f"{TEN} " + "The limit is set in the settings of the shop and is read once when a worker starts. " * 12
ASKED = {
    "ref",
    "title",
    "text",
    "kind",
    "status",
    "pinned",
    "author",
    "source_type",
    "age_days",
    "similarity",
    "cues",
    "repo",
}


def note(body: str, **over: Any) -> dict[str, Any]:
    return {"kind": "CONTEXT", "body": body, **over}


def deposited(client: APIClient, body: str, **over: Any) -> Any:
    answer = client.post(INSIGHTS, note(body, **over))
    assert answer.status_code == 201, answer.json()
    return answer.json()


def related(client: APIClient, ref: str, *relations: Any) -> Any:
    return client.post(f"{INSIGHTS}{ref}/relations/", {"relations": list(relations)})


def to(ref: str, relation: str, **over: Any) -> dict[str, Any]:
    return {"ref": ref, "relation": relation, **over}


class TestAsk:
    def test_shows_what_is_near_with_the_words_to_answer_in(
        self, alices_agent: APIClient, bobs_agent: APIClient
    ) -> None:
        old = deposited(alices_agent, TEN)["insight"]
        done = deposited(bobs_agent, THIRTY)
        assert done["outcome"] == "queued"
        assert done["ask"]["relations"] == [relation.value for relation in Relation]
        [asked] = done["ask"]["neighbours"]
        assert set(asked) == ASKED
        assert {name: asked[name] for name in ("ref", "text", "kind", "status", "pinned", "author")} == {
            "ref": old["ref"],
            "text": TEN,
            "kind": "CONTEXT",
            "status": "draft",
            "pinned": False,
            "author": "alice",
        }
        assert 0.8 < asked["similarity"] < 1
        assert asked["cues"] == [{"kind": "number", "first": ["10 seconds"], "second": ["30 seconds"]}]

    def test_is_null_where_nothing_is_near(self, bobs_agent: APIClient) -> None:
        done = deposited(bobs_agent, TEN)
        assert (done["ask"], done["related"], done["outcome"]) == (None, [], "inserted")

    def test_is_null_where_it_is_plainly_the_same(self, alices_agent: APIClient, bobs_agent: APIClient) -> None:
        deposited(alices_agent, TEN)
        answer = bobs_agent.post(INSIGHTS, note(TEN.upper().replace("AFTER", "after")))
        assert answer.status_code in (200, 201)
        again = bobs_agent.post(INSIGHTS, note(TEN)).json()
        assert (again["outcome"], again["ask"]) == ("merged", None)

    def test_is_of_at_most_sixty_words(self, alices_agent: APIClient, bobs_agent: APIClient) -> None:
        deposited(alices_agent, LONG)
        [asked] = deposited(bobs_agent, LONG.replace("10", "30"))["ask"]["neighbours"]
        assert asked["text"].endswith(" …")
        assert len(asked["text"].removesuffix(" …").split()) == 60

    def test_is_about_at_most_three_and_shorter_for_it(self, alice: Member, bobs_agent: APIClient) -> None:
        for shop in range(5):
            make_insight(alice, kind="CONTEXT", body=f"{LONG} So it is in shop {shop}.")
        asked = deposited(bobs_agent, f"{LONG} So it is in shop 7.")["ask"]["neighbours"]
        assert len(asked) == 3
        assert max(len(one["text"].removesuffix(" …").split()) for one in asked) <= 24

    def test_is_not_put_about_what_its_agent_has_related(self, alices_agent: APIClient, bobs_agent: APIClient) -> None:
        ref = deposited(alices_agent, TEN)["insight"]["ref"]
        done = deposited(bobs_agent, THIRTY, relations=[to(ref, "supersedes")])
        assert (done["ask"], done["outcome"], done["superseded"], done["supersedes"]) == (
            None,
            "superseding",
            ref,
            [ref],
        )

    def test_is_put_for_each_of_a_batch(self, alices_agent: APIClient, bobs_agent: APIClient) -> None:
        deposited(alices_agent, TEN)
        near, far = bobs_agent.post(BATCH, {"insights": [note(THIRTY), note("Use uv to lock versions.")]}).json()[
            "results"
        ]
        assert (len(near["ask"]["neighbours"]), far["ask"]) == (1, None)


class TestRelate:
    def test_answers_with_what_became_of_each(self, alices_agent: APIClient, bobs_agent: APIClient) -> None:
        old, other = (deposited(alices_agent, body)["insight"]["ref"] for body in (TEN, "Use uv to lock versions."))
        ref = deposited(bobs_agent, THIRTY)["insight"]["ref"]
        answer = related(bobs_agent, ref, to(other, "unrelated"), to(old, "supersedes", note="the contract changed"))
        assert answer.status_code == 200
        body = answer.json()
        assert body["related"] == [
            # They have nothing in common, so that it goes without saying.
            {
                "ref": other,
                "relation": "unrelated",
                "state": "done",
                "reason": "not_alike",
                "cues": [],
                "instead_of": "",
            },
            {"ref": old, "relation": "supersedes", "state": "done", "reason": "stated", "cues": [], "instead_of": ""},
        ]
        assert (body["outcome"], body["superseded"], body["insight"]["ref"], body["ask"]) == (
            "superseding",
            old,
            ref,
            None,
        )
        assert bobs_agent.get(f"{INSIGHTS}{old}/").json()["superseded_by"] == ref

    def test_asks_again_where_it_is_refused_over_a_difference(
        self, alices_agent: APIClient, bobs_agent: APIClient
    ) -> None:
        old = deposited(alices_agent, TEN)["insight"]["ref"]
        ref = deposited(bobs_agent, THIRTY)["insight"]["ref"]
        body = related(bobs_agent, ref, to(old, "duplicates")).json()
        [stated] = body["related"]
        cue = {"kind": "number", "first": ["10 seconds"], "second": ["30 seconds"]}
        assert (stated["state"], stated["reason"], stated["cues"]) == ("refused", "differs", [cue])
        assert [one["ref"] for one in body["ask"]["neighbours"]] == [old]

    def test_of_what_is_merged_answers_with_the_one_that_stays(
        self, alices_agent: APIClient, bobs_agent: APIClient
    ) -> None:
        old = deposited(alices_agent, "Shared code of the shop lives in packages/core.")["insight"]["ref"]
        ref = deposited(bobs_agent, "In the shop the shared code is kept in packages/core.")["insight"]["ref"]
        body = related(bobs_agent, ref, to(old, "duplicates")).json()
        assert (body["outcome"], body["insight"]["ref"]) == ("merged", old)

    def test_takes_references_in_lower_case(self, alices_agent: APIClient, bobs_agent: APIClient) -> None:
        old = deposited(alices_agent, TEN)["insight"]["ref"]
        done = deposited(bobs_agent, THIRTY, relations=[to(old.lower(), "supersedes")])
        assert done["supersedes"] == [old]
        [stated] = related(bobs_agent, done["insight"]["ref"], to(old.lower(), "supersedes")).json()["related"]
        assert (stated["ref"], stated["state"]) == (old, "done")

    def test_takes_the_last_word_about_one(self, alices_agent: APIClient, bobs_agent: APIClient) -> None:
        old = deposited(alices_agent, TEN)["insight"]["ref"]
        ref = deposited(bobs_agent, THIRTY)["insight"]["ref"]
        related(bobs_agent, ref, to(old, "supersedes"))
        [stated] = related(bobs_agent, ref, to(old, "contradicts")).json()["related"]
        assert (stated["relation"], stated["state"]) == ("contradicts", "open")

    def test_is_described_with_the_words_of_the_rules(self) -> None:
        stated = schemas.of("POST insights/{ref}/relations/").answer["properties"]["related"]["items"]["properties"]
        assert [set(stated[name]["enum"]) for name in ("relation", "state", "reason")] == [
            set(Relation),
            set(RelationState),
            set(Reason),
        ]


class TestRefused:
    @pytest.mark.parametrize(
        ("relations", "field"),
        [
            ([], "relations"),
            ([to("PLAT-1", "replaces")], "relations.0.relation"),
            ([to("PLAT-1", "unrelated"), to("PLAT-1", "")], "relations.1.relation"),
            ([{"ref": "PLAT-1"}], "relations.0.relation"),
            ([{"relation": "unrelated"}], "relations.0.ref"),
            ([to("PLAT-1", "unrelated", why="so")], "relations.0.why"),
            ([to("PLAT-1", "unrelated", note="x" * 501)], "relations.0.note"),
            ([to("PLAT-999", "unrelated")], "relations.0.ref"),
            ([to("PLAT-1", "unrelated"), to("MOB-1", "duplicates")], "relations.1.ref"),
            ([to("PLAT-2", "unrelated")], "relations.0.ref"),
            ([to("PLAT-1", "unrelated"), to("PLAT-1", "supersedes")], "relations.1.ref"),
        ],
    )
    def test_names_the_field(
        self, relations: list[Any], field: str, alice: Member, charlie: Member, bobs_agent: APIClient
    ) -> None:
        make_insight(alice, body=TEN)
        make_insight(charlie, body=TEN)
        ref = deposited(bobs_agent, THIRTY)["insight"]["ref"]
        before = Pair.objects.count()
        answer = related(bobs_agent, ref, *relations)
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
        assert list(answer.json()["errors"]) == [field]
        assert Pair.objects.count() == before

    def test_in_a_deposit_too(self, bobs_agent: APIClient) -> None:
        answer = bobs_agent.post(INSIGHTS, note(TEN, relations=[to("PLAT-999", "supersedes")]))
        assert answer.status_code == 400
        assert answer.json()["errors"] == {"relations.0.ref": ["There is no insight PLAT-999 in this team."]}
        assert Insight.objects.count() == 0

    def test_is_a_deposit_that_says_two_things_of_one_note(self, alice: Member, bobs_agent: APIClient) -> None:
        old = make_insight(alice, body=TEN).ref
        two = [to(old, "contradicts"), to(old, "duplicates"), to(old, "contradicts")]
        answer = bobs_agent.post(INSIGHTS, note(THIRTY, relations=two))
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
        assert answer.json()["errors"] == {
            "relations.1.ref": ["relations.0 already says `contradicts` of PLAT-1; keep one of the two."]
        }
        assert Insight.objects.count() == 1

    def test_is_not_one_thing_said_twice(self, alice: Member, bobs_agent: APIClient) -> None:
        old = make_insight(alice, body=TEN).ref
        done = deposited(bobs_agent, THIRTY, relations=[to(old, "unrelated"), to(old, "unrelated", note="sure")])
        assert [one["relation"] for one in done["related"]] == ["unrelated"]

    def test_is_the_note_of_somebody_else(self, alices_agent: APIClient, bobs_agent: APIClient) -> None:
        old, new = (
            deposited(client, body)["insight"]["ref"] for client, body in ((bobs_agent, TEN), (alices_agent, THIRTY))
        )
        before = contents()
        answer = related(bobs_agent, new, to(old, "supersedes"))
        assert (answer.status_code, changed(before)) == (403, [])

    def test_is_a_stranger_as_if_it_were_not_there(self, bobs_agent: APIClient, charlies_agent: APIClient) -> None:
        refs = [deposited(bobs_agent, body)["insight"]["ref"] for body in (TEN, "Use uv to lock versions.")]
        before = contents()
        there = related(charlies_agent, refs[0], to(refs[1], "unrelated"))
        nowhere = related(charlies_agent, "PLAT-999", to(refs[1], "unrelated"))
        assert (there.status_code, there.json()) == (nowhere.status_code, nowhere.json())
        assert (there.status_code, changed(before)) == (404, [])

    def test_is_a_reader(self, platform: Team, alice: Member, bobs_agent: APIClient) -> None:
        reader = agent(member_of(user=person("rita", platform, Level.READER)))
        refs = [deposited(bobs_agent, body)["insight"]["ref"] for body in (TEN, "Use uv to lock versions.")]
        assert related(reader, refs[0], to(refs[1], "unrelated")).status_code == 403

    def test_is_a_token_that_may_only_read(self, bob: Member, bobs_agent: APIClient) -> None:
        refs = [deposited(bobs_agent, body)["insight"]["ref"] for body in (TEN, "Use uv to lock versions.")]
        reads = agent(bob, scopes=[Scope.READ])
        assert related(reads, refs[0], to(refs[1], "unrelated")).status_code == 403


class TestRead:
    """What one insight has to do with others is told where it is read by itself, too."""

    @pytest.fixture
    def proposed(self, alices_agent: APIClient, bobs_agent: APIClient) -> tuple[str, str]:
        """A confirmed note, and what a colleague's agent says to replace it."""
        old = deposited(alices_agent, TEN)["insight"]["ref"]
        assert alices_agent.post(f"{INSIGHTS}{old}/promote/", {"reason": "so"}).status_code == 200
        return old, deposited(bobs_agent, THIRTY, relations=[to(old, "supersedes")])["insight"]["ref"]

    def test_a_proposal_on_either_side(self, bobs_agent: APIClient, proposed: tuple[str, str]) -> None:
        """No lead has looked at it: which of the two holds is open."""
        old, new = (bobs_agent.get(f"{INSIGHTS}{ref}/").json() for ref in proposed)
        assert (old["current"], old["related"]) == (
            "disputed",
            [{"ref": proposed[1], "relation": "superseded_by", "state": "proposed", "newer": True}],
        )
        assert (new["current"], new["related"][0]["relation"]) == ("disputed", "supersedes")

    def test_a_proposal_that_a_lead_took(
        self, bobs_agent: APIClient, proposed: tuple[str, str], alice: Member, now: datetime
    ) -> None:
        pair = Pair.objects.get(question="supersession")
        settle.resolve(pair_id=pair.pk, keep=proposed[1], by=alice, now=now)
        assert [bobs_agent.get(f"{INSIGHTS}{ref}/").json()["current"] for ref in proposed] == [False, True]

    def test_a_proposal_that_a_lead_rejected(
        self, bobs_agent: APIClient, proposed: tuple[str, str], alice: Member, now: datetime
    ) -> None:
        settle.dismiss(pair_id=Pair.objects.get(question="supersession").pk, by=alice, now=now)
        assert [bobs_agent.get(f"{INSIGHTS}{ref}/").json()["current"] for ref in proposed] == [True, False]

    def test_a_replacement_that_a_lead_took_back(self, alices_agent: APIClient, bobs_agent: APIClient) -> None:
        """Both stand again; the one that the lead kept comes first, and neither passes for the newer truth."""
        old = deposited(alices_agent, TEN)["insight"]["ref"]
        new = deposited(bobs_agent, THIRTY, relations=[to(old, "supersedes")])["insight"]["ref"]
        assert alices_agent.post(f"{INSIGHTS}{old}/reinstate/", {"reason": "still ten"}).status_code == 200
        assert bobs_agent.get(f"{INSIGHTS}{old}/").json()["current"] is True
        assert bobs_agent.get(f"{INSIGHTS}{new}/").json()["current"] is False
        answer = bobs_agent.post(
            "/api/v1/query/", {"query": "after how many seconds do requests to the payment gateway time out"}
        ).json()
        assert [hit["ref"] for hit in answer["insights"]][:2] == [old, new]
        assert f"A lead kept this over {new}" in answer["text"]
        assert f"A lead kept {old}" in answer["text"]
