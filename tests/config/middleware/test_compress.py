"""Pages and their parts are compressed for anyone who takes them so; what agents get stays as it is."""

import gzip
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from tests.pages import signed_in

GZIP = {"HTTP_ACCEPT_ENCODING": "gzip"}


def body(answer: Any) -> bytes:
    return b"".join(answer.streaming_content) if answer.streaming else bytes(answer.content)


class TestCompressed:
    @pytest.mark.parametrize("path", ["/insights/", "/static/css/loam.css", "/static/js/loam.js"])
    def test_comes_smaller_and_says_the_same(self, path: str, alice_user: User) -> None:
        client = signed_in(alice_user)
        plain, small = body(client.get(path)), client.get(path, **GZIP)
        assert small["Content-Encoding"] == "gzip"
        assert "Accept-Encoding" in small["Vary"]
        assert len(body(small)) < len(plain) / 2
        assert int(small["Content-Length"]) == len(body(small))
        if path.startswith("/static/"):
            assert gzip.decompress(body(small)) == plain

    def test_is_nothing_of_the_api(self, client: Client, db: None) -> None:
        assert "Content-Encoding" not in client.get("/api/v1/schema/", **GZIP)

    def test_is_no_part_of_a_file_and_nothing_that_is_known_already(self, client: Client, db: None) -> None:
        path = "/static/css/loam.css"
        part = client.get(path, HTTP_RANGE="bytes=0-99", **GZIP)
        assert (part.status_code, len(body(part)), "Content-Encoding" in part) == (206, 100, False)
        known = client.get(path, **GZIP)["Last-Modified"]
        assert client.get(path, HTTP_IF_MODIFIED_SINCE=known, **GZIP).status_code == 304
