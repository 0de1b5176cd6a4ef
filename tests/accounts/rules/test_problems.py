"""Problem documents: one shape for every way a request can go wrong."""

from typing import Any

from accounts.rules.problems import document, flat, of_refused
from accounts.rules.refused import NotAllowed, NotFound, Refused, Stale
from tests.cases import cases


class TestDocument:
    def test_has_the_fields_of_rfc_9457_and_code_and_errors(self) -> None:
        assert document(404, "Not found.") == {
            "type": "about:blank",
            "title": "Not Found",
            "status": 404,
            "detail": "Not found.",
            "code": "not_found",
            "errors": {},
        }

    @cases(
        ("status", "code"),
        [
            (400, "invalid"),
            (401, "not_authenticated"),
            (403, "not_allowed"),
            (404, "not_found"),
            (405, "method_not_allowed"),
            (413, "too_large"),
            (415, "unsupported_media_type"),
            (429, "rate_limited"),
            (500, "internal"),
            (418, "error"),
        ],
    )
    def test_has_a_stable_code_for_each_status(self, status: int, code: str) -> None:
        assert document(status, "…")["code"] == code

    def test_takes_a_code_of_its_own_and_more_fields(self) -> None:
        body = document(409, "…", code="last_lead", errors={"team": ["…"]}, current_revision=3)
        assert (body["code"], body["errors"], body["current_revision"]) == ("last_lead", {"team": ["…"]}, 3)


class TestRefused:
    @cases(
        ("refused", "status", "code"),
        [
            (Refused(), 400, "invalid"),
            (NotFound(), 404, "not_found"),
            (NotAllowed(), 403, "not_allowed"),
            (Stale(current_revision=3), 412, "stale_revision"),
        ],
    )
    def test_carries_its_status_and_code(self, refused: Refused, status: int, code: str) -> None:
        body = of_refused(refused)
        assert (body["status"], body["code"], body["detail"]) == (status, code, type(refused).detail)

    def test_says_what_it_was_given_to_say(self) -> None:
        body = of_refused(Stale("Look again.", errors={"revision": ["It is at 3."]}, current_revision=3))
        assert body["detail"] == "Look again."
        assert body["errors"] == {"revision": ["It is at 3."]}
        assert body["current_revision"] == 3


class TestFlat:
    @cases(
        ("nested", "told"),
        [
            ({"body": ["Required."]}, {"body": ["Required."]}),
            ({"source": {"type": ["Unknown."]}}, {"source.type": ["Unknown."]}),
            ({"tags": {0: ["Too long."], 3: ["Empty."]}}, {"tags.0": ["Too long."], "tags.3": ["Empty."]}),
            ([{}, {"kind": ["Unknown."]}], {"1.kind": ["Unknown."]}),
            (
                {"provenance": [{}, {"sha256": ["No."], "path": ["No."]}]},
                {"provenance.1.sha256": ["No."], "provenance.1.path": ["No."]},
            ),
            ({"non_field_errors": ["Not an object."]}, {"body": ["Not an object."]}),
            ({"source": {"non_field_errors": ["Not an object."]}}, {"source": ["Not an object."]}),
            (["No.", "Never."], {"body": ["No.", "Never."]}),
            ("No.", {"body": ["No."]}),
            ({}, {}),
        ],
    )
    def test_names_every_fault_by_its_path(self, nested: Any, told: dict[str, list[str]]) -> None:
        assert flat(nested) == told
