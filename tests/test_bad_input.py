"""Whatever is sent to whichever endpoint: a clear problem document, never a 500, and nothing is changed."""

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.conf import settings
from django.utils import timezone
from rest_framework import serializers
from rest_framework.fields import _UnvalidatedField
from rest_framework.test import APIClient

from accounts.models import ApiToken, User
from accounts.rules.rights import Member, Scope
from accounts.serializers import PlainValue
from knowledge.models import Corroboration, EditProposal, Insight
from knowledge.review.actions.combine import merge, supersede
from tests import stage
from tests.conftest import agent
from tests.database import changed, contents
from tests.endpoints import ENDPOINTS, GOOD, WITH_BODY, WITH_TOKEN, Endpoint, addresses, endpoints
from tests.factories import make_insight, make_proposal, make_skill
from tests.sweep import FIELDS, PARTS, Sweep, share

platform, alice_user, laid_out, place = stage.platform, stage.alice_user, stage.laid_out, stage.place

DEEP = 100_000


@pytest.fixture(autouse=True)
def a_patient_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests send more bad tokens in a minute than one address may."""
    monkeypatch.setattr("accounts.authentication.BAD_TOKENS", 1_000_000)


# Not JSON, or not as the standard has it: (what is wrong, the bytes sent).
BROKEN: list[tuple[str, bytes]] = [
    ("nothing but a brace", b"{"),
    ("two values", b"{} {}"),
    ("single quotes", b"{'kind': 'PITFALL'}"),
    ("a comma too many", b'{"kind": "PITFALL",}'),
    ("no quotes", b"{kind: PITFALL}"),
    ("a comment", b'{"kind": "PITFALL"} // so'),
    ("a raw line feed in a string", b'{"body": "a\nb"}'),
    ("a raw NUL", b'{"body": "a\x00b"}'),
    ("nothing but NUL", b"\x00\x00\x00"),
    ("invalid UTF-8", b'{"body": "\xff\xfe"}'),
    ("half a UTF-8 character", '{"body": "é"}'.encode()[:-3] + b'"}'),
    ("a surrogate in UTF-8", b'{"body": "\xed\xa0\x80"}'),
    ("UTF-16", '{"body": "a"}'.encode("utf-16")),
    ("a byte order mark", b'\xef\xbb\xbf{"body": "a"}'),
    ("NaN", b'{"body": NaN}'),
    ("Infinity", b'{"body": -Infinity}'),
    ("a key twice", b'{"body": "a", "body": "b"}'),
    ("a key twice in the depth", b'{"x": [{"y": 1, "y": 2}]}'),
    ("lists in lists", b'{"body": ' + b"[" * 50 + b"]" * 50 + b"}"),
    ("objects in objects", b'{"a":' * 50 + b"1" + b"}" * 50),
    ("100,000 lists in lists", b"[" * DEEP + b"]" * DEEP),
    ("100,000 objects in objects", b'{"a":' * DEEP + b"1" + b"}" * DEEP),
    ("100,000 lists without an end", b"[" * DEEP),
    ("a number of 100,000 digits", b'{"limit": ' + b"9" * DEEP + b"}"),
]
# JSON, but no object.
OTHER: list[bytes] = [b"[]", b'"text"', b"7", b"null", b"true", b"[{}]", b"1e999", b'[["kind", "PITFALL"]]']
TYPES = [
    "text/plain",
    "text/html",
    "application/xml",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/octet-stream",
    "application/jsonx",
    "nonsense",
    "",
]
# By what a field is, values that it never takes.
NO_TEXT = [7, 1.5, True, None, [], {}, ["a"], "a\x00b", "\ud800", "a\udfffb", "x" * 70_000]
NO_LIST = ["text", 7, True, None, {}, {"0": "a"}, [7], [None], [["a"]], [{}], ["\x00"], ["\ud800"], ["x" * 70_000]]
WRONG: list[tuple[type[serializers.Field], list[Any]]] = [
    (serializers.BooleanField, ["perhaps", 7, [], {}, None, "\ud800"]),
    (serializers.IntegerField, ["ten", 1.5, [], {}, None, -1, 10**30, 1e308, "\ud800", "9" * 5_000]),
    (serializers.FloatField, ["much", [], {}, "nan", "inf", "-Infinity", "1e999", "\ud800", 10**400]),
    (
        serializers.DateTimeField,
        ["yesterday", 7, [], {}, True, "2026-13-45", "\ud800", "0000-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00"],
    ),
    (
        serializers.DateField,
        ["yesterday", 7, [], {}, True, None, "2026-13-45", "0000-01-01", "2026-01-01T00:00:00Z", "\ud800"],
    ),
    (serializers.ChoiceField, ["SONG", 7, 1.5, [], {}, None, True, "\x00", "\ud800", "x" * 30_000]),
    (
        serializers.URLField,
        ["no address", 7, [], {}, "javascript:alert(1)", "http://", "http://" + "x" * 600, "\ud800"],
    ),
    (serializers.UUIDField, ["nonsense", [], {}, True, "\ud800", "x" * 30_000]),
    (serializers.DictField, ["text", 7, True, None, [], {"a": 7}, {"a": None}, {"a": ["b"]}, {"a": "x\x00"}]),
    (serializers.ListField, NO_LIST),
    (serializers.ListSerializer, NO_LIST),
    (PlainValue, [None, [], {}, "", " ", "\u200b", "a\x00b", "\ud800", "x" * 30_000]),
    (serializers.CharField, NO_TEXT),
    (serializers.Serializer, ["text", 7, None, [], True, {"nonsense": 1}]),
]
# Kinds of which there are fields enough for each value to meet some; a field of another kind is sent them all.
COMMON = (serializers.CharField, serializers.ChoiceField, serializers.IntegerField, serializers.ListField)
REFS = [
    "nonsense", "plat-1", "PLAT-0", "PLAT--1", "PLAT-99999999999999999999999", "PLAT-1 ", " PLAT-1", "PLAT-1\n",
    "\x00", "PLAT-1\x00", "..", "*", "' OR 1=1 --", "%", "{0}", "%s", "🙂", "\u202ePLAT-1", "PLAT-١", "A" * 5_000,
    "batch", "null",
]  # fmt: skip
PARAMETERS = [
    "knd=PITFALL", "kind=SONG", "kind=%00", "status=gone", "ordering=title", "ordering=%00", "pinned=2", "stale=x",
    "limit=0", "limit=-1", "limit=1e3", "limit=101", "limit=" + "9" * 5_000, "limit=%D9%A1", "q=" + "x" * 501, "q=%00",
    "tag=%00", "tag=" + "x" * 61, "file=%00", "repo=%00", "team=%00", "author=%00", "cursor=x", "cursor=%00",
    "cursor=🙂",
    "cursor=cD0x", "cursor=cj0xJnA9MQ==", "cursor=" + "x" * 9_000, "%00=1",
    "%ff=1", "kind=%ff",
]  # fmt: skip


# Paths to things that are not there.
NOWHERE = {"ref": "PLAT-999", "query_id": uuid4(), "topic_id": uuid4()}
NOWHERE |= dict.fromkeys(("pair_id", "preference_id", "term_id", "webhook_id", "annotation_id", "proposal_id"), 2**62)


@pytest.fixture
def sweep(place: dict[str, Any], alices_agent: APIClient) -> Iterator[Sweep]:
    one = Sweep(alices_agent)
    yield one
    assert one.wrong == []
    assert changed(one.before) == []
    assert one.sent


def each(some: list[Endpoint]) -> Callable[..., Any]:
    return pytest.mark.parametrize("endpoint", some, ids=str)


class TestTheTable:
    def test_has_a_row_for_every_endpoint(self) -> None:
        assert {(endpoint.name, endpoint.method) for endpoint in endpoints()} == set(GOOD)

    @each(ENDPOINTS)
    def test_begins_with_what_is_good(
        self, endpoint: Endpoint, place: dict[str, Any], alice: Member, alices_agent: APIClient, now: datetime
    ) -> None:
        body = endpoint.good.body
        if endpoint.name == "insight-restore":
            Insight.objects.update(status="deprecated")
        if endpoint.name == "insight-reinstate":
            supersede(ref=place["ref"], by_ref="PLAT-2", by=alice, now=now)
        if endpoint.name == "insight-unmerge":
            merge(ref="PLAT-2", into=place["ref"], by=alice, now=now)
            body = {"corroboration": Corroboration.objects.get().pk}
        if endpoint.name == "insight-release":
            Insight.objects.filter(ref=place["ref"]).update(quarantined_at=now)
        if endpoint.name == "insight-proposals":
            EditProposal.objects.all().delete()
        if endpoint.name == "topic-distil":
            Insight.objects.update(status="promoted", topic_id=place["topic_id"])
        assert endpoint.send(alices_agent, body, **place).status_code == endpoint.good.status


# What no endpoint reads: one parser takes them all, and so each endpoint gets a ninth of each sort; and all of them the
# one that is content with any field of its body, which would take what the parser let through.
READ_BY_NONE = 9
CONTENT = ("insight", "PATCH")
ROOM = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
LARGE = [
    ("a byte too many", b'"' + b"x" * (ROOM - 1) + b'"', 413),
    ("five times too many", b'{"body": "' + b"x" * 5 * ROOM + b'"}', 413),
    ("blanks", b" " * (ROOM + 1), 413),
    ("just not too many, and no JSON", b" " * ROOM, 400),
]
UNKNOWN = [
    *({name: 1} for name in ("nonsense", "", " ", "__class__", "Kind", "a\x00b", "\ud800", "x" * 10_000, "🙂")),
    {f"field{n}": n for n in range(2_000)},
]


class TestBodies:
    @each(WITH_BODY)
    def test_that_nobody_reads(self, endpoint: Endpoint, place: dict[str, Any], sweep: Sweep) -> None:
        """No JSON, no object, too large, of another type, with fields that nobody knows."""
        at, send = turn(endpoint), partial(endpoint.send, sweep.client, **place)
        parts = 1 if (endpoint.name, endpoint.method) == CONTENT else READ_BY_NONE
        for what, raw in share(BROKEN, at, parts):
            sweep.expect(send(raw=raw), what, 400)
        for raw in share(OTHER, at, parts):
            sweep.expect(send(raw=raw), raw.decode(), 400)
        for what, raw, status in share(LARGE, at, parts):
            sweep.expect(send(raw=raw), what, status)
        for kind in share(TYPES, at, parts):
            sweep.expect(send(type=kind), kind, 415)
        for unknown in share(UNKNOWN, at, parts):
            answer = send({**(endpoint.good.body or {}), **unknown})
            assert answer.status_code == 400, str(unknown)[:60]
            if len(unknown) == 1:  # many fields are named one by one
                sweep.expect(answer, f"the field {unknown}", 400)

    @each(WITH_BODY)
    def test_with_fields_left_out(self, endpoint: Endpoint, place: dict[str, Any], sweep: Sweep) -> None:
        assert endpoint.good.shape
        needed = [name for name, field in endpoint.good.shape().fields.items() if field.required]
        for name in needed:
            body = {key: value for key, value in (endpoint.good.body or {}).items() if key != name}
            answer = endpoint.send(sweep.client, body, **place)
            sweep.expect(answer, name, 400)
            assert name in answer.json()["errors"]
        sweep.sent += 1

    @each(WITH_BODY)
    def test_with_values_of_another_type(self, endpoint: Endpoint, place: dict[str, Any], sweep: Sweep) -> None:
        assert endpoint.good.shape
        for what, body in spoilt(endpoint.good.body or {}, endpoint.good.shape(), at=turn(endpoint)):
            sweep.expect(endpoint.send(sweep.client, body, **place), what, 400)

    def test_with_a_number_no_float_can_hold(self, place: dict[str, Any], sweep: Sweep) -> None:
        query = next(endpoint for endpoint in WITH_BODY if endpoint.name == "query")
        for number in (b"1e999", b"-1e999", b"9" * 400):
            raw = b'{"query": "celery beat", "min_score": ' + number + b"}"
            sweep.expect(query.send(sweep.client, raw=raw, **place), number.decode(), 400)

    def test_of_a_batch_are_judged_one_by_one(self, place: dict[str, Any], sweep: Sweep) -> None:
        batch = next(endpoint for endpoint in WITH_BODY if endpoint.name == "insight-batch")
        draft = GOOD["insights", "POST"]
        assert draft.shape
        # Half a character makes the whole body none; everything else is one item's own fault.
        items = [item for _, item in spoilt(draft.body or {}, draft.shape()) if "\\ud" not in json.dumps(item)]
        items += [None, 7, "text", [], True, {}, {**(draft.body or {}), "nonsense": 1}]
        for start in range(0, len(items), 10):
            answer = batch.send(sweep.client, {"insights": items[start : start + 10]}, **place)
            assert answer.status_code == 200
            for item, result in zip(items[start:], answer.json()["results"], strict=False):
                assert result["status"] == result["problem"]["status"] == 400, item
                assert set(result["problem"]) >= FIELDS
        sweep.sent += 1


def spoilt(
    good: dict[str, Any], shape: serializers.Serializer[Any], path: str = "", at: int = 0
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The good body with one field at a time made wrong, nested ones too: (which and how, the body).

    A field of a common kind gets a third of what is wrong for it, from `at` on another third for each field.
    """
    for turn, (name, field) in enumerate(shape.fields.items(), at):
        for value in sent(field, turn):
            yield f"{path}{name} = {str(value)[:60]!a}", {**good, name: value}
        inner = getattr(field, "child", field)
        if isinstance(inner, serializers.Serializer):
            for what, body in spoilt(nested(inner), inner, f"{path}{name}.", turn):
                yield what, {**good, name: body if inner is field else [body]}


def wrong(field: serializers.Field) -> list[Any]:
    """What such a field never takes."""
    anything = isinstance(getattr(field, "child", None), _UnvalidatedField)
    return [
        value
        for value in dict(WRONG)[kind_of(field)]
        if not (value is None and field.allow_null) and not (value and isinstance(value, list) and anything)
    ]


def sent(field: serializers.Field, turn: int) -> Sequence[Any]:
    """What of it is sent to this field."""
    return share(wrong(field), turn) if kind_of(field) in COMMON else wrong(field)


def kind_of(field: serializers.Field) -> type[serializers.Field]:
    return next(kind for kind, _ in WRONG if isinstance(field, kind))


def turn(endpoint: Endpoint) -> int:
    return ENDPOINTS.index(endpoint)


class TestTheShare:
    """Of values that are sent in shares each is sent."""

    @pytest.mark.parametrize("parts", [PARTS, READ_BY_NONE])
    @pytest.mark.parametrize(
        "values",
        [BROKEN, OTHER, LARGE, TYPES, UNKNOWN, REFS],
        ids=["broken", "other", "large", "types", "unknown", "refs"],
    )
    def test_sends_each_in_as_many_turns(self, values: list[Any], parts: int) -> None:
        turns = range(min(parts, len(values)))
        found = [value for at in turns for value in share(values, at, parts)]
        assert sorted(map(str, found)) == sorted(map(str, values))
        assert all(share(values, at, parts) for at in turns)

    def test_has_turns_enough_for_each_sort_of_body_and_path(self) -> None:
        for some, parts in (
            (WITH_BODY, READ_BY_NONE),
            ([endpoint for endpoint in ENDPOINTS if "ref" in endpoint.names], PARTS),
            ([endpoint for endpoint in ENDPOINTS if "name" in endpoint.names], PARTS),
        ):
            assert all({turn(endpoint) % n for endpoint in some} == set(range(n)) for n in range(1, parts + 1))

    def test_sends_each_value_to_some_field_of_its_kind(self) -> None:
        fields = [(at, field) for endpoint in WITH_BODY for at, field in _turns(endpoint)]
        for kind, values in WRONG:
            own = [(at, field) for at, field in fields if kind_of(field) is kind]
            own_sent = {str(value) for at, field in own for value in sent(field, at)}
            assert own_sent == {str(value) for _, field in own for value in wrong(field)} <= set(map(str, values)), kind


def _turns(endpoint: Endpoint) -> list[tuple[int, serializers.Field]]:
    assert endpoint.good.shape
    return list(enumerate(endpoint.good.shape().fields.values(), turn(endpoint)))


def nested(shape: serializers.Serializer[Any]) -> dict[str, Any]:
    """A good value for the objects that stand inside others."""
    values = {"path": "src/a.py", "sha256": "a" * 64, "kind": "edit", "role": "user", "text": "Go on."}
    values |= {"ref": "PLAT-2", "relation": "complements"}
    return {name: values[name] for name, field in shape.fields.items() if field.required}


class TestPaths:
    @each([endpoint for endpoint in ENDPOINTS if "ref" in endpoint.names])
    def test_with_a_reference_that_is_none(self, endpoint: Endpoint, place: dict[str, Any], sweep: Sweep) -> None:
        for ref in share(REFS, turn(endpoint)):
            sweep.expect(endpoint.send(sweep.client, **{**place, "ref": ref}), ref, 404, 405)

    @each([endpoint for endpoint in ENDPOINTS if "name" in endpoint.names])
    def test_with_a_name_that_is_none(self, endpoint: Endpoint, place: dict[str, Any], sweep: Sweep) -> None:
        for name in share((*REFS, "Release", "release ", "relea", "release-"), turn(endpoint)):
            sweep.expect(endpoint.send(sweep.client, **{**place, "name": name}), name, 404, 405)

    @each([endpoint for endpoint in ENDPOINTS if "query_id" in endpoint.names])
    def test_with_a_question_that_is_none(self, endpoint: Endpoint, place: dict[str, Any], sweep: Sweep) -> None:
        for query_id in (uuid4(), UUID(int=0), UUID(int=2**128 - 1)):
            sweep.expect(endpoint.send(sweep.client, **{**place, "query_id": query_id}), str(query_id), 404)
        path = endpoint.path(**place)
        for text in ("nonsense", "0", str(place["query_id"])[:-1], str(place["query_id"]).upper(), "%00", "🙂"):
            spoilt_path = path.replace(str(place["query_id"]), text)
            answer = sweep.client.generic(endpoint.method, spoilt_path, b"{}", content_type="application/json")
            sweep.expect(answer, text, 404)

    @pytest.mark.parametrize("method", ["get", "post", "patch"])
    def test_with_bytes_that_are_no_text(self, place: dict[str, Any], sweep: Sweep, method: str) -> None:
        for path in ("insights/%ff%fe/", "insights/%00/", "insights/PLAT-1%00/history/", "query/%ff/why-not/", "%ff/"):
            sweep.expect(getattr(sweep.client, method)(f"/api/v1/{path}"), path, 404, 405)

    def test_with_parameters_that_are_none(self, place: dict[str, Any], sweep: Sweep) -> None:
        for query in PARAMETERS:
            sweep.expect(sweep.client.get(f"/api/v1/insights/?{query}"), query, 400, 404)
        for query in ("status=gone", "status=%00", "team=%00", "q=%00", "nonsense=1", "limit=0", "limit=101"):
            sweep.expect(sweep.client.get(f"/api/v1/skills/?{query}"), query, 400, 404)
        for query in ("from=0", "from=1", "from=1&to=9", "from=x&to=1", "to=-1", "team=%00", "nonsense=1"):
            sweep.expect(sweep.client.get(f"/api/v1/skills/release/versions/?{query}"), query, 400, 404)


# Methods that no address takes: each is asked with one of them, the next with another.
FOREIGN = ("TRACE", "PROPFIND", "NONSENSE")


class TestMethods:
    @pytest.mark.parametrize("name", addresses())
    def test_that_are_not_for_it(self, name: str, place: dict[str, Any], sweep: Sweep) -> None:
        endpoint = next(endpoint for endpoint in endpoints() if endpoint.name == name)
        foreign = share(FOREIGN, list(addresses()).index(name))
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE", *foreign} - addresses()[name]:
            answer = sweep.client.generic(method, endpoint.path(**place), b"{}", content_type="application/json")
            sweep.expect(answer, method, 405)
            assert set(answer["Allow"].split(", ")) == addresses()[name] | {"OPTIONS"} | (
                {"HEAD"} if "GET" in addresses()[name] else set()
            )


class TestHeaders:
    def test_of_a_revision_that_is_none(self, place: dict[str, Any], sweep: Sweep) -> None:
        patch = next(one for one in WITH_BODY if (one.name, one.method) == ("insight", "PATCH"))
        for header in ("", "x", "-1", "1.5", "1e3", "9" * 5_000, "*", "\xb2", "0x1", '"', "1;1"):
            sweep.expect(patch.send(sweep.client, **place, HTTP_IF_MATCH=header), header, 400)
        for header in ("0", "2", "999999999", '"999999999"', 'W/"2"'):
            sweep.expect(patch.send(sweep.client, **place, HTTP_IF_MATCH=header), header, 412)

    def test_of_a_key_that_is_none(self, place: dict[str, Any], sweep: Sweep) -> None:
        post = next(endpoint for endpoint in WITH_BODY if endpoint.name == "insights")
        for key in ("k" * 201, "k" * 50_000, "a\x00b", "\x00"):
            sweep.expect(post.send(sweep.client, **place, HTTP_IDEMPOTENCY_KEY=key), key, 400)


# Tokens that are good for nothing, beside none at all: each endpoint gets one of them, the next another.
USELESS = ("expired", "revoked", "wrong", "basic", "NUL")
HEADERS = {"wrong": "Bearer loam_0_0", "basic": "Basic YTpi", "NUL": "Bearer \x00"}


def useless(name: str, alice: Member) -> APIClient:
    client = agent(alice, name=name) if name in ("expired", "revoked") else APIClient()
    ApiToken.objects.filter(name="expired").update(expires_at=timezone.now() - timedelta(seconds=1))
    ApiToken.objects.filter(name="revoked").update(revoked_at=timezone.now())
    if name in HEADERS:
        client.credentials(HTTP_AUTHORIZATION=HEADERS[name])
    return client


class TestTokens:
    """Every endpoint that needs a token, with one that is not good for it."""

    @each(WITH_TOKEN)
    def test_that_are_none_or_over(
        self, endpoint: Endpoint, place: dict[str, Any], alice: Member, sweep: Sweep
    ) -> None:
        for name in ("none", *share(USELESS, turn(endpoint), len(USELESS))):
            client = useless(name, alice)
            sweep.before = contents()
            sweep.expect(endpoint.send(client, **place), name, 401)
            sweep.expect(endpoint.send(client, **{**place, **NOWHERE}), name, 401)

    def test_of_a_closed_account(self, place: dict[str, Any], alice_user: User, sweep: Sweep) -> None:
        User.objects.filter(pk=alice_user.pk).update(is_active=False)
        sweep.before = contents()
        for endpoint in WITH_TOKEN:
            sweep.expect(endpoint.send(sweep.client, **place), str(endpoint), 401)
            sweep.nothing_came_of(str(endpoint))

    def test_without_the_scope_to_read(self, place: dict[str, Any], alice: Member, sweep: Sweep) -> None:
        client = agent(alice, scopes=["write", "curate"])
        sweep.before = contents()
        for endpoint in WITH_TOKEN:
            sweep.expect(endpoint.send(client, **place), str(endpoint), 403)
            sweep.nothing_came_of(str(endpoint))

    @pytest.mark.parametrize("without", [Scope.WRITE, Scope.CURATE])
    def test_without_the_scope_for_it(
        self, without: Scope, place: dict[str, Any], alice: Member, bob: Member, sweep: Sweep
    ) -> None:
        """Alice's own drafts may be edited with `write`; Bob's take `curate`."""
        row = make_insight(bob)
        skill = make_skill(bob, live=False, name="rollout").name
        place = {**place, "ref": row.ref, "proposal_id": make_proposal(row, bob).pk, "name": skill}
        client = agent(alice, scopes=[scope for scope in Scope if scope is not without])
        sweep.before = contents()
        for endpoint in (endpoint for endpoint in WITH_TOKEN if endpoint.good.scope is without):
            answer = endpoint.send(client, **place)
            if endpoint.name == "insight-batch":
                assert [item["problem"]["status"] for item in answer.json()["results"]] == [403]
            else:
                sweep.expect(answer, str(endpoint), 403)
            sweep.nothing_came_of(str(endpoint))

    def test_narrowed_to_another_team(self, place: dict[str, Any], alice: Member, sweep: Sweep) -> None:
        client = agent(alice, team_slugs=["personal"])
        sweep.before = contents()
        for endpoint in (endpoint for endpoint in WITH_TOKEN if {"ref", "name"} & set(endpoint.names)):
            sweep.expect(endpoint.send(client, **place), str(endpoint), 404)
            sweep.nothing_came_of(str(endpoint))

    def test_narrowed_to_another_team_deposit_nothing_here(
        self, place: dict[str, Any], alice: Member, sweep: Sweep
    ) -> None:
        post = next(endpoint for endpoint in WITH_BODY if endpoint.name == "insights")
        client = agent(alice, team_slugs=["personal"])
        sweep.before = contents()
        sweep.expect(post.send(client, {**GOOD["insights", "POST"].body, "team": "platform"}), "platform", 400)  # type: ignore[dict-item]
